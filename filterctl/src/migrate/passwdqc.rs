//! The options of `pam_passwdqc` (passwdqc.conf(5)), and the settings that replace them.

use nearmiss_policy::{
    config::{MAX_BITS, MIN_BITS},
    policy::MAX_PASSWORD_BYTES,
};

use super::{
    fate::{self, COMPOSITION, Fate, of_words, whole},
    given::GivenSettings,
};

/// The default of an option, if it differs from nearmiss's.
pub(super) const DEFAULTS: [(&str, &str); 4] =
    [("min", "disabled,24,11,8,7"), ("retry", "3"), ("random", "47"), ("enforce", "everyone")];

/// The treatment of an option.
pub(super) fn fate(option: &GivenSettings) -> Fate {
    let value = option.value.as_str();
    match option.name.as_str() {
        "min" => least(value),
        "retry" => whole("retry", option, 1..=100),
        "enforce" => match value {
            "none" => Fate::set("enforce", "\"warn\""),
            "everyone" => Fate::set("enforce_for_root", "true"),
            "users" => Fate::Same,
            _ => Fate::unreadable("neither none, users nor everyone"),
        },
        "similar" => match value {
            "permit" => Fate::set("context.old_password", "false"),
            "deny" => Fate::Same,
            _ => Fate::unreadable("neither permit nor deny"),
        },
        "random" => suggestion(value),
        "wordlist" | "denylist" | "filter" if value.is_empty() => Fate::Same,
        "wordlist" | "denylist" if !option.is_utf8 => Fate::Todo(fate::NOT_UTF8.to_owned()),
        "denylist" => Fate::List(value.to_owned()),
        "wordlist" => Fate::All(vec![
            Fate::List(value.to_owned()),
            Fate::part(
                "passwdqc removes such a word from a password and checks the rest; nearmiss rejects \
                 passwords that consist of one or two words, disguised or not",
            ),
        ]),
        "filter" => Fate::Todo(format!(
            "if it was made of leaked passwords, run filterctl breaches enable, which installs a filter of \
             them; else {}",
            of_words("the list that it was made of", "denied.txt")
        )),
        "max" => Fate::none("a password may have up to 511 bytes; none is cut off"),
        "passphrase" => Fate::none("words are not counted: a passphrase is checked as a long password"),
        "match" => Fate::part(
            "[policy] substring rejects passwords that contain a word; it is off by default, since NIST SP \
             800-63B-4 (section 3.1.1.2) compares whole passwords",
        ),
        "ask_oldauthtok" | "check_oldauthtok" => Fate::none("pam_unix prompts for the old password"),
        "non-unix" | "disable_firstupper_lastdigit_check" => Fate::Same,
        _ => Fate::none("unknown option"),
    }
}

/// The kinds of passwords, in the order of the numbers of `min`.
const KINDS: [&str; 5] =
    ["one kind of characters", "two kinds", "a passphrase", "three kinds of characters", "four kinds"];

/// The position in `min` of the length of passphrases.
const PASSPHRASE: usize = 2;

/// `min=N0,N1,N2,N3,N4`: the minimum lengths of passwords of one and of two kinds of characters, of
/// passphrases, and of passwords of three and of four kinds; none is larger than the one before it.
///
/// nearmiss does not count kinds, so one length applies to all: that of passphrases, the only passwords whose
/// kinds passwdqc does not count either. The last number would accept passwords that passwdqc rejects for
/// their kinds; the first ones would reject passwords that it accepts. If passphrases are disabled, the
/// larger length of three or four kinds is used.
fn least(value: &str) -> Fate {
    let Some(lengths) = lengths(value) else {
        return Fate::unreadable("expected five lengths, none larger than the one before it");
    };
    let from =
        lengths.iter().enumerate().skip(PASSPHRASE).find_map(|(kind, length)| Some((kind, (*length)?)));
    let Some((kind, length)) = from else {
        return Fate::All(vec![
            Fate::set("min_length", &MAX_PASSWORD_BYTES.to_string()),
            Fate::part(
                "it disables passphrases and passwords of three or four kinds: no password is accepted",
            ),
        ]);
    };
    let length = length.clamp(1, MAX_PASSWORD_BYTES);
    let name = KINDS.get(kind).copied().unwrap_or_default();
    Fate::All(vec![
        Fate::set("min_length", &length.to_string()),
        Fate::part(format!(
            "there is one minimum length, the one for {name}; passwdqc accepts shorter passwords with more \
             kinds of characters and requires longer ones with fewer: {COMPOSITION}"
        )),
    ])
}

/// The five lengths, each none if passwords of that kind are disabled; none for another value.
fn lengths(value: &str) -> Option<Vec<Option<usize>>> {
    let length = |text: &str| match text.trim() {
        "disabled" => Some(None),
        number => number.parse::<usize>().ok().map(Some),
    };
    let lengths = value.split(',').map(length).collect::<Option<Vec<_>>>()?;
    let is_falling = lengths.iter().map(|length| length.unwrap_or(usize::MAX)).is_sorted_by(|a, b| a >= b);
    (lengths.len() == KINDS.len() && is_falling).then_some(lengths)
}

/// `random=BITS` or `random=BITS,only`: 0 suggests nothing.
fn suggestion(value: &str) -> Fate {
    let (bits, only) = value.split_once(',').unwrap_or((value, ""));
    let Ok(bits) = bits.trim().parse::<usize>() else { return Fate::unreadable("not a number of bits") };
    if bits == 0 {
        return Fate::Same;
    }
    let nearest = bits.clamp(MIN_BITS, MAX_BITS);
    let settings =
        vec![("suggest".to_owned(), "1".to_owned()), ("suggest_bits".to_owned(), nearest.to_string())];
    let mut all = vec![Fate::Set(settings)];
    if nearest != bits {
        all.push(Fate::part(format!("suggestions have {MIN_BITS} to {MAX_BITS} bits")));
    }
    if !only.is_empty() {
        all.push(Fate::none("a passphrase is suggested, but users cannot be forced to use it"));
    }
    Fate::All(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn min_length(value: &str) -> Option<String> {
        let Fate::All(all) = least(value) else { return None };
        let setting = all.into_iter().find_map(|fate| match fate {
            Fate::Set(settings) => settings.into_iter().next(),
            _ => None,
        })?;
        Some(setting.1)
    }

    #[test]
    fn one_length_is_that_of_passphrases_or_the_longest_behind_it() {
        for (value, length) in [
            ("disabled,24,11,8,7", Some("11")),
            ("8,8,8,8,8", Some("8")),
            ("disabled,24,disabled,12,8", None),
            ("disabled,disabled,disabled,12,8", Some("12")),
            ("disabled,disabled,disabled,disabled,10", Some("10")),
            ("disabled,disabled,disabled,disabled,disabled", Some("511")),
            ("7,8,11,24,disabled", None),
            ("11", None),
            ("a,b,c,d,e", None),
            ("", None),
            ("9999,9999,9999,9999,9999", Some("511")),
        ] {
            assert_eq!(min_length(value).as_deref(), length, "{value}");
        }
    }
}
