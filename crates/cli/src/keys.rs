//! Keys of the tools' messages, in addition to the library's. docs/troubleshoot.md has a row for each.

pub use nearmiss_filters::keys::*;
use nearmiss_filters::message_keys;

message_keys! {
    /// `nearmiss-agent` failed.
    AGENT_FAILED = "agent-failed";
    /// Options, or their values, contradict each other.
    ARGUMENTS = "arguments";
    /// A fetched corpus is not installed.
    BREACHES_REFUSED = "breaches-refused";
    /// Leaked passwords were never fetched, or not recently.
    BREACHES_STALE = "breaches-stale";
    /// Whether leaked passwords are looked up is not what the switch says.
    BREACHES_UNUSED = "breaches-unused";
    /// A file is from the future, by this host's clock.
    CLOCK_AHEAD = "clock-ahead";
    /// The counts of a filter would no longer match it.
    COUNTS_LEFT_BEHIND = "counts-left-behind";
    /// The loader does not find the drop-in for cracklib.
    CRACKLIB_DROP_IN = "cracklib-drop-in";
    /// A file with different content is not replaced.
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
    /// The pages of a filter cannot come from a list, though their checksums are right.
    FILTER_IMPLAUSIBLE = "filter-implausible";
    /// No filter contains the most common passwords.
    FILTER_LACKS_COMMON = "filter-lacks-common";
    /// A filter is not installed, or there is no previous one to restore.
    FILTER_NOT_INSTALLED = "filter-not-installed";
    /// A filter was written long ago.
    FILTER_OLD = "filter-old";
    /// The group of a filter is not the configured one.
    FILTER_READERS = "filter-readers";
    /// Some rules skip a filter of the paper's scheme.
    FILTER_SCHEME = "filter-scheme";
    /// This host has not joined a fleet, or the fleet is unreachable.
    FLEET_NOT_JOINED = "fleet-not-joined";
    /// A file does not contain a hash key.
    KEY_FILE = "key-file";
    /// Copies of a ladder and its key reveal chosen passwords.
    LADDER_COPIES = "ladder-copies";
    /// The file system, or the device, is unsuitable for a ladder.
    LADDER_DISK = "ladder-disk";
    /// A ladder and its key are in one folder.
    LADDER_KEY_BESIDE = "ladder-key-beside";
    /// There is no ladder.
    LADDER_MISSING = "ladder-missing";
    /// No line of PAM counts the passwords that are set.
    LADDER_NOT_FED = "ladder-not-fed";
    /// An unusable ladder was kept aside, and a new one created.
    LADDER_REPLACED = "ladder-replaced";
    /// The bits of a ladder are not distributed as its steps would leave them.
    LADDER_SKEWED = "ladder-skewed";
    /// The slow hash of a ladder is faster than the hash of a login.
    LADDER_SLOW_HASH = "ladder-slow-hash";
    /// The list changed while it was being read.
    LIST_CHANGED = "list-changed";
    /// The charset of a list is not one that is known.
    LIST_CHARSET = "list-charset";
    /// The compressed list cannot be unpacked.
    LIST_DAMAGED = "list-damaged";
    /// The lines of the list have another form.
    LIST_FORM = "list-form";
    /// Ranges of a corpus are missing, or have a fault.
    LIST_INCOMPLETE = "list-incomplete";
    /// A filter lacks the words of a list.
    LIST_LOST = "list-lost";
    /// The list has no digests of the expected kind.
    LIST_NOT_DIGESTS = "list-not-digests";
    /// The finished filter lacks words of a list.
    LIST_NOT_STORED = "list-not-stored";
    /// The file is not a word list.
    LIST_NOT_WORDS = "list-not-words";
    /// The list exceeds the size limit.
    LIST_TOO_LONG = "list-too-long";
    /// Too many users would be warned of a leak by accident.
    LOGIN_ACCIDENTS = "login-accidents";
    /// The PAM lines that examine logins are missing, or at the wrong position.
    LOGIN_LINES = "login-lines";
    /// Options of another password checker cannot be read, or there are none.
    MIGRATE = "migrate";
    /// Only root can do this.
    NOT_ROOT = "not-root";
    /// There is no terminal to prompt on.
    NO_TERMINAL = "no-terminal";
    /// A run of the stack had an unexpected result.
    PAM_CHANGE = "pam-change";
    /// A line of the stack lets some users skip the check.
    PAM_LEAVES_OUT = "pam-leaves-out";
    /// A module of the stack cannot be loaded.
    PAM_MODULE = "pam-module";
    /// A part of the stack, or all of it, was not run.
    PAM_NOT_JUDGED = "pam-not-judged";
    /// No line of the stack checks passwords.
    PAM_NOT_IN_STACK = "pam-not-in-stack";
    /// The order of lines in the stack makes the check ineffective.
    PAM_ORDER = "pam-order";
    /// The plugin of a server is missing, or not required by its configuration.
    PLUGIN_MISSING = "plugin-missing";
    /// The disk has no room for the new filter.
    ROOM_ON_DISK = "room-on-disk";
    /// A server's account may not read the filters.
    SERVER_GROUP = "server-group";
    /// A server that runs has another plugin than its files say.
    SERVER_RESTART = "server-restart";
    /// The record of failed logins survives a restart.
    SEEN_ON_DISK = "seen-on-disk";
    /// A level below `reject` accepts what is found weak.
    SETTINGS_LEVEL = "settings-level";
    /// Servers cannot read the settings.
    SETTINGS_READERS = "settings-readers";
    /// A file in the folder of drop-ins is not read.
    SETTINGS_UNREAD = "settings-unread";
    /// The configuration accepts weak passwords, or logs too little or too much.
    SETTINGS_WEAK = "settings-weak";
    /// Standard input is not in the form that the command reads.
    STANDARD_INPUT = "standard-input";
    /// A file that a command left for the next one cannot be used.
    STATE_FILE = "state-file";
    /// The account lacks a right in the store.
    STORE_ACCOUNT = "store-account";
    /// The store lacks the functions that the agent calls.
    STORE_FUNCTIONS = "store-functions";
    /// A user has too many rights in the store, or too few.
    STORE_RIGHTS = "store-rights";
    /// Settings of the store reveal positions of steps, or make a loss worse.
    STORE_SETTINGS = "store-settings";
    /// A node of the store does not reply, or cannot serve requests now.
    STORE_UNREACHABLE = "store-unreachable";
    /// systemctl failed.
    SYSTEMCTL = "systemctl";
    /// The unit that builds the filter at boot is disabled.
    UNIT_DISABLED = "unit-disabled";
    /// The filter could not be rebuilt.
    UPDATE_FAILED = "update-failed";
    /// The group that `[update]` names cannot be used.
    UPDATE_GROUP = "update-group";
    /// The command line is not understood.
    USAGE = "usage";
    /// The words to remove are not in the counts.
    WORDS_NOT_HELD = "words-not-held";
}
