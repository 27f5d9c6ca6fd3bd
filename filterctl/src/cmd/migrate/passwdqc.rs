//! What becomes of the options of `pam_passwdqc` (passwdqc.conf(5)).

use nearmiss_filters::config::{LEAST_BITS, MOST_BITS};

use super::{
    given::Given,
    plan::{COMPOSITION, Fate, min_length, of_words, whole},
};

/// What holds without an option, where that is not what nearmiss does.
pub(super) const DEFAULTS: [(&str, &str); 2] = [("retry", "3"), ("random", "47")];

/// What becomes of an option.
pub(super) fn fate(option: &Given) -> Fate {
    let value = option.value.as_str();
    match option.name.as_str() {
        "min" => least(option),
        "retry" => whole("retry", option, 1..=100),
        "enforce" => match value {
            "none" => Fate::set("enforce", "\"warn\""),
            "everyone" => Fate::set("enforce_for_root", "true"),
            _ => Fate::Same,
        },
        "similar" if value == "permit" => Fate::set("context.old_password", "false"),
        "random" => suggestion(option),
        "wordlist" | "denylist" if !value.is_empty() => Fate::List(value.to_owned()),
        "filter" if !value.is_empty() => {
            Fate::Todo(of_words("the list that this filter of passwdqc was made of", "denied.txt"))
        }
        "max" => Fate::None("a password may have up to 512 bytes; none is cut off"),
        "passphrase" => Fate::None("words are not counted: a passphrase is a long password"),
        "match" => Fate::Part(
            "a password that holds a word is rejected where [policy] substring says so; NIST SP 800-63B-4 \
             (section 3.1.1.2) has the whole password compared",
        ),
        "ask_oldauthtok" | "check_oldauthtok" => Fate::None("the old password is pam_unix's to ask for"),
        "non-unix"
        | "similar"
        | "disable_firstupper_lastdigit_check"
        | "wordlist"
        | "denylist"
        | "filter" => Fate::Same,
        _ => Fate::None("not an option that this command knows"),
    }
}

/// `min=N0,N1,N2,N3,N4`: the last is for passwords of four kinds of characters, the shortest that there are.
fn least(option: &Given) -> Fate {
    let last = option.value.rsplit(',').next().unwrap_or_default().trim().to_owned();
    let length = min_length(&Given { value: last, ..option.clone() });
    match length {
        Fate::Set(settings) => Fate::SetWithout(settings, COMPOSITION),
        other => other,
    }
}

/// `random=BITS` or `random=BITS,only`: 0 suggests nothing.
fn suggestion(option: &Given) -> Fate {
    let (bits, only) = option.value.split_once(',').unwrap_or((&option.value, ""));
    let Ok(bits) = bits.trim().parse::<usize>() else { return Fate::None("not a number") };
    if bits == 0 {
        return Fate::Same;
    }
    let bits = bits.clamp(LEAST_BITS, MOST_BITS).to_string();
    let settings = vec![("suggest".to_owned(), "1".to_owned()), ("suggest_bits".to_owned(), bits)];
    if only.is_empty() {
        Fate::Set(settings)
    } else {
        Fate::SetWithout(settings, "a passphrase is suggested; that users take it cannot be demanded")
    }
}
