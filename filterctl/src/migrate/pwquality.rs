//! The options of `pam_pwquality` (pwquality.conf(5)) and `pam_cracklib`, and the settings that replace them.

use nearmiss_policy::{config::Value, policy::NeverWords};

use super::{
    fate::{self, COMPOSITION, Fate, min_length, of_words, whole},
    given::GivenSettings,
};

/// Options with a whole number.
const NUMBERS: [&str; 16] = [
    "minlen",
    "retry",
    "difok",
    "dcredit",
    "ucredit",
    "lcredit",
    "ocredit",
    "minclass",
    "maxrepeat",
    "maxclassrepeat",
    "maxsequence",
    "enforcing",
    "usercheck",
    "gecoscheck",
    "dictcheck",
    "usersubstr",
];

/// Options that are on where they are named: libpwquality ignores a value.
const SWITCHES: [&str; 2] = ["enforce_for_root", "local_users_only"];

/// Options with a text.
const TEXTS: [&str; 2] = ["badwords", "dictpath"];

/// The least length of a line without `minlen`.
pub(super) const DEFAULTS: [(&str, &str); 1] = [("minlen", "8")];
pub(super) const OF_CRACKLIB: [(&str, &str); 1] = [("minlen", "9")];

/// The minimum length of libpwquality, which raises a smaller one to it.
const MIN_LENGTH: i64 = 6;

/// The treatment of an option. A value that libpwquality cannot parse is never taken for 0: that would switch
/// a check off.
pub(super) fn fate(option: &GivenSettings) -> Fate {
    let name = option.name.as_str();
    if !NUMBERS.contains(&name) {
        return of_text(option);
    }
    match option.number {
        Some(number) => of_number(option, number),
        None => Fate::unreadable("not a whole number"),
    }
}

fn of_number(option: &GivenSettings, number: i64) -> Fate {
    match option.name.as_str() {
        "minlen" if number < MIN_LENGTH => Fate::All(vec![
            Fate::set("min_length", &MIN_LENGTH.to_string()),
            Fate::part("libpwquality raises smaller values to 6"),
        ]),
        "minlen" => min_length(option),
        "retry" => whole("retry", option, 1..=100),
        "enforcing" if number == 0 => Fate::set("enforce", "\"warn\""),
        "usercheck" if number == 0 => Fate::set("context.user", "false"),
        "gecoscheck" if number == 0 => Fate::set("context.gecos", "false"),
        "difok" if number == 0 => Fate::set("context.old_password", "false"),
        "difok" if number > 1 => Fate::part(
            "a password within one character of the old one is rejected; more different characters are not \
             required",
        ),
        "dcredit" | "ucredit" | "lcredit" | "ocredit" if number > 0 => Fate::part(
            "minlen counts characters of this kind twice; min_length counts them once, so some passwords \
             must be longer",
        ),
        "dcredit" | "ucredit" | "lcredit" | "ocredit" | "minclass" | "maxclassrepeat" if number != 0 => {
            Fate::none(COMPOSITION)
        }
        "maxrepeat" | "maxsequence" if number != 0 => Fate::part(
            "[policy] sequences and repetition reject a password that consists of runs and repetitions only, \
             not one that contains some",
        ),
        "usersubstr" if number != 0 => Fate::part(
            "[context] user rejects passwords made of the user name, not passwords with some of its letters",
        ),
        "dictcheck" if number == 0 => Fate::none(
            "nearmiss always checks its dictionaries; packaged = false switches the packaged one off",
        ),
        _ => Fate::Same,
    }
}

/// True for a name that libpwquality knows.
pub(super) fn is_option(name: &str) -> bool {
    NUMBERS.contains(&name) || SWITCHES.contains(&name) || TEXTS.contains(&name)
}

/// True for a line of a file at which libpwquality stops reading.
pub(super) fn stops(option: &GivenSettings) -> bool {
    let is_number = NUMBERS.contains(&option.name.as_str());
    !is_option(&option.name) || (is_number && option.number.is_none())
}

/// The words that nearmiss uses; libpwquality also ignores words shorter than four characters.
fn never_words(option: &GivenSettings) -> impl Iterator<Item = &str> {
    option.value.split_whitespace().filter(|word| NeverWords::default().add(word.as_bytes()).is_ok())
}

fn of_text(option: &GivenSettings) -> Fate {
    match option.name.as_str() {
        name if SWITCHES.contains(&name) && option.value.is_empty() => Fate::set(name, "true"),
        name if SWITCHES.contains(&name) => Fate::All(vec![
            Fate::set(name, "true"),
            Fate::part("libpwquality ignores the value: the option is on where it is named"),
        ]),
        "dictpath" if !option.is_utf8 => Fate::Todo(fate::NOT_UTF8.to_owned()),
        "dictpath" => {
            let unpacked = format!("the output of cracklib-unpacker {}", option.value);
            Fate::Todo(of_words(&unpacked, "cracklib.txt"))
        }
        "badwords" if never_words(option).next().is_some() => {
            let words: Vec<Value> = never_words(option).map(|word| Value::Text(word.to_owned())).collect();
            let set = Fate::set("policy.forbidden_words", &Value::List(words).to_string());
            if option.is_utf8 { set } else { Fate::All(vec![set, Fate::part(fate::LATIN_1)]) }
        }
        // The option of pam_cracklib for usercheck = 1.
        "reject_username" | "badwords" => Fate::Same,
        _ => Fate::none("unknown option"),
    }
}
