//! Keys of the tools' messages, beside the library's. docs/troubleshoot.md has a row for each.

pub use nearmiss_filters::keys::*;
use nearmiss_filters::message_keys;

message_keys! {
    /// `nearmiss-agent` could not do what it was started for.
    AGENT_FAILED = "agent-failed";
    /// Options, or their values, that do not go together.
    ARGUMENTS = "arguments";
    /// What was fetched, or could be, is not put in place.
    BREACHES_REFUSED = "breaches-refused";
    /// Leaked passwords were never fetched, or long ago.
    BREACHES_STALE = "breaches-stale";
    /// The counts of a filter would no longer match it.
    COUNTS_LEFT_BEHIND = "counts-left-behind";
    /// What stands in for cracklib is not found by the loader.
    CRACKLIB_DROP_IN = "cracklib-drop-in";
    /// A file of other content is not replaced.
    FILE_NOT_REPLACED = "file-not-replaced";
    /// Ranges of leaked passwords are fetched again.
    FETCH_ANEW = "fetch-anew";
    /// Ranges of leaked passwords could not be fetched.
    FETCH_INCOMPLETE = "fetch-incomplete";
    /// A filter rejects random passwords.
    FILTER_ACCIDENTS = "filter-accidents";
    /// A near filter is near to many short passwords.
    FILTER_CROWDED = "filter-crowded";
    /// A filter has no words.
    FILTER_EMPTY = "filter-empty";
    /// A filter has no room for the words.
    FILTER_FULL = "filter-full";
    /// The pages of a filter are not as a list makes them, though their checksums are right.
    FILTER_IMPLAUSIBLE = "filter-implausible";
    /// No filter has the most common passwords.
    FILTER_LACKS_COMMON = "filter-lacks-common";
    /// A filter is not taken, or there is none to go back to.
    FILTER_NOT_INSTALLED = "filter-not-installed";
    /// A filter was written long ago.
    FILTER_OLD = "filter-old";
    /// The group of a filter is not the one that may read it.
    FILTER_READERS = "filter-readers";
    /// A filter of the paper's scheme is left out by some rules.
    FILTER_SCHEME = "filter-scheme";
    /// This host is in no fleet, or in one that is not there.
    FLEET_NOT_JOINED = "fleet-not-joined";
    /// A file that has to hold a hash key does not.
    KEY_FILE = "key-file";
    /// Copies of a ladder and its key show what was chosen.
    LADDER_COPIES = "ladder-copies";
    /// The file system, or the device, is not one for a ladder.
    LADDER_DISK = "ladder-disk";
    /// A ladder and its key are in one folder.
    LADDER_KEY_BESIDE = "ladder-key-beside";
    /// There is no ladder.
    LADDER_MISSING = "ladder-missing";
    /// A ladder that could not be used was kept aside, and a new one made.
    LADDER_REPLACED = "ladder-replaced";
    /// The bits of a ladder are not distributed as its steps leave them.
    LADDER_SKEWED = "ladder-skewed";
    /// The slow hash of a ladder is faster than a login's.
    LADDER_SLOW_HASH = "ladder-slow-hash";
    /// The list changed while it was read.
    LIST_CHANGED = "list-changed";
    /// The packed list cannot be unpacked.
    LIST_DAMAGED = "list-damaged";
    /// The lines of the list are of another form.
    LIST_FORM = "list-form";
    /// A filter lacks the words of a list.
    LIST_LOST = "list-lost";
    /// The list has no digests of the kind asked for.
    LIST_NOT_DIGESTS = "list-not-digests";
    /// The file is no list of words.
    LIST_NOT_WORDS = "list-not-words";
    /// The list is longer than may be read.
    LIST_TOO_LONG = "list-too-long";
    /// Too many owners read of a leak by accident.
    LOGIN_ACCIDENTS = "login-accidents";
    /// The lines of PAM that look at logins are missing, or in the wrong place.
    LOGIN_LINES = "login-lines";
    /// Options of another password checker cannot be read, or there are none.
    MIGRATE = "migrate";
    /// Only root can do this.
    NOT_ROOT = "not-root";
    /// There is no terminal to ask at.
    NO_TERMINAL = "no-terminal";
    /// A run of the stack did not end as it has to.
    PAM_CHANGE = "pam-change";
    /// A module of the stack cannot be loaded.
    PAM_MODULE = "pam-module";
    /// A part of the stack, or all of it, was not run.
    PAM_NOT_JUDGED = "pam-not-judged";
    /// No line of the stack checks passwords.
    PAM_NOT_IN_STACK = "pam-not-in-stack";
    /// The lines of the stack are in an order in which the check does not count.
    PAM_ORDER = "pam-order";
    /// The plugin of a server is not there, or not needed by its configuration.
    PLUGIN_MISSING = "plugin-missing";
    /// The disk has no room for the new filter.
    ROOM_ON_DISK = "room-on-disk";
    /// A server's account may not read the filters.
    SERVER_GROUP = "server-group";
    /// What failed logins leave behind outlives a restart.
    SEEN_ON_DISK = "seen-on-disk";
    /// The configuration lets weak passwords through, or hides or shows too much in the log.
    SETTINGS_WEAK = "settings-weak";
    /// Standard input is not what the command reads.
    STANDARD_INPUT = "standard-input";
    /// A file that a command left behind for the next one cannot be used.
    STATE_FILE = "state-file";
    /// The account may not do at the store what was asked of it.
    STORE_ACCOUNT = "store-account";
    /// The store has not the functions that the agent calls.
    STORE_FUNCTIONS = "store-functions";
    /// The rights in the store are too many, or too few.
    STORE_RIGHTS = "store-rights";
    /// Settings of the store show places of steps, or make a loss worse.
    STORE_SETTINGS = "store-settings";
    /// A node of the store does not reply, or cannot serve now.
    STORE_UNREACHABLE = "store-unreachable";
    /// systemctl failed.
    SYSTEMCTL = "systemctl";
    /// The unit that builds the filter at the start of the system is off.
    UNIT_DISABLED = "unit-disabled";
    /// The filter could not be built again.
    UPDATE_FAILED = "update-failed";
    /// The group that `[update]` names cannot be used.
    UPDATE_GROUP = "update-group";
    /// The words to be removed were never held.
    WORDS_NOT_HELD = "words-not-held";
}
