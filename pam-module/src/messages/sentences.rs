//! The sentences for users, in English. None of them ever contains the password, its length, its hash, or the
//! word near it.
//!
//! A new one, or a changed one: `make pot`, then translate it in `packaging/po/`; the tests name missing
//! translations.

use nearmiss_policy::{
    policy::{Policy, Reason},
    site::Cause,
};
use zeroize::Zeroizing;

use super::{Phrase, phrase};

/// The message for the user before anything is typed, or instead of another prompt.
pub(super) fn filter_unusable() -> Phrase {
    phrase!(
        "The administrator's password filter on this system cannot be used, so passwords cannot be changed \
         now. Your password is not at fault. Please tell your administrator."
    )
}

/// See [`filter_unusable`].
pub(super) fn configuration_broken() -> Phrase {
    phrase!(
        "The administrator's password policy on this system has an error, so passwords cannot be changed \
         now. Your password is not at fault. Please tell your administrator."
    )
}

/// The message at a login for the owner of a password that attackers guess.
pub(crate) fn guessed() -> Phrase {
    phrase!("Attackers are guessing the password you just used on this system. Change it with passwd.")
}

/// The message at a login for the owner of a password that is in a filter for logins.
pub(crate) fn leaked() -> Phrase {
    phrase!("Your password is in a list of leaked passwords. Change it with passwd.")
}

/// The message for root when a part of the check was skipped and root is let through.
pub(crate) fn unchecked(cause: Cause) -> Phrase {
    match cause {
        Cause::Filter => phrase!(
            "A password filter on this system cannot be used; this password was not checked against it. \
             See the system log."
        ),
        Cause::Ladder => phrase!(
            "The ladder of chosen passwords on this system cannot be used, so this password was not \
             checked against chosen passwords. See the system log."
        ),
        Cause::Guesses => phrase!(
            "The ladder of guessed passwords on this system cannot be used, so this password was not \
             checked against guessed passwords. See the system log."
        ),
        Cause::Configuration => phrase!(
            "The password policy on this system has an error; this password was not checked. See the \
             system log."
        ),
        Cause::Fault => phrase!(
            "The password check on this system failed; this password was not checked. See the system log."
        ),
    }
}

/// The message after the reason against a password where the level of enforcement is `warn`.
pub(crate) fn accepted() -> Phrase {
    phrase!("It is accepted anyway.")
}

/// The message for root after the reason against a password that is accepted anyway.
pub(crate) fn accepted_for_root(user: &[u8]) -> Phrase {
    let user = super::log::one_line(&String::from_utf8_lossy(user));
    phrase!("It is accepted for {user} anyway: root is exempt.", user)
}

/// The sentence for a password that is rejected.
pub(crate) fn rejection(reason: Reason) -> Phrase {
    let number = |(name, number): (&'static str, usize)| (name, Zeroizing::new(number.to_string()));
    Phrase { english: reason.sentence(), values: reason.hole().map(number).into_iter().collect(), code: None }
}

/// The requirements on a new password, before it is typed: the length, that words are fine, and what is
/// rejected.
pub(crate) fn hint(policy: &Policy, has_dictionaries: bool) -> Phrase {
    let min_length = policy.min_length;
    match (has_dictionaries, policy.context.user || policy.context.gecos) {
        (true, true) => phrase!(
            "At least {min_length} characters; several unrelated words are fine. Rejected: common passwords, \
             dictionary words and your name, even with small changes.",
            min_length
        ),
        (true, false) => phrase!(
            "At least {min_length} characters; several unrelated words are fine. Rejected: common passwords \
             and dictionary words, even with small changes.",
            min_length
        ),
        (false, true) => phrase!(
            "At least {min_length} characters; several unrelated words are fine. Rejected: your name, even \
             with small changes.",
            min_length
        ),
        (false, false) => {
            phrase!("At least {min_length} characters; several unrelated words are fine.", min_length)
        }
    }
}

/// Suggestions for the new password, worded almost as `pam_passwdqc` does: programs that run `passwd` take
/// "password:" before a passphrase for a prompt. None if there are no suggestions.
pub(crate) fn suggestion(suggested: &[Zeroizing<String>]) -> Option<Phrase> {
    Some(match suggested {
        [] => return None,
        [passphrase] => {
            let passphrase = passphrase.as_str();
            phrase!(
                "Alternatively, if no one else can see your terminal now, your password can be this one: \
                 {passphrase}",
                passphrase
            )
        }
        several => {
            let passphrases = listed(several);
            let passphrases = passphrases.as_str();
            phrase!(
                "Alternatively, if no one else can see your terminal now, your password can be one of \
                 these: {passphrases}",
                passphrases
            )
        }
    })
}

/// The passphrases joined in a buffer that does not grow.
fn listed(passphrases: &[Zeroizing<String>]) -> Zeroizing<String> {
    let most = passphrases.iter().fold(0_usize, |sum, text| sum.saturating_add(text.len()).saturating_add(2));
    let mut list = Zeroizing::new(String::with_capacity(most));
    for (at, passphrase) in passphrases.iter().enumerate() {
        list.push_str(if at == 0 { "" } else { ", " });
        list.push_str(passphrase);
    }
    list
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Every sentence, with its holes filled.
    pub(crate) fn every() -> Vec<Phrase> {
        let rejections = Reason::ALL.map(rejection);
        let context =
            |is_on| nearmiss_policy::policy::ContextRules { user: is_on, gecos: false, ..Default::default() };
        let hints = [(true, true), (true, false), (false, true), (false, false)]
            .map(|(words, names)| hint(&Policy { context: context(names), ..Policy::default() }, words));
        let passphrase = Zeroizing::new("correct-horse-battery-staple-zebra".to_owned());
        let suggestions = [1, 3].map(|count| suggestion(&vec![passphrase.clone(); count]).unwrap());
        let all = rejections.into_iter().chain([
            filter_unusable(),
            configuration_broken(),
            guessed(),
            leaked(),
            accepted(),
            accepted_for_root(b"anna"),
        ]);
        let all = all.chain(Cause::ALL.map(unchecked)).chain(hints).chain(suggestions);
        let mut seen = std::collections::HashSet::new();
        all.filter(|phrase| seen.insert(phrase.english)).collect()
    }

    #[test]
    fn root_reads_what_was_not_checked_and_where_the_cause_is() {
        for cause in Cause::ALL {
            let text = unchecked(cause).english;
            assert!(text.contains("not checked") && text.ends_with("See the system log."), "{text}");
        }
    }

    #[test]
    fn every_reason_has_a_sentence_of_its_own_that_says_what_to_do() {
        for reason in Reason::ALL {
            let text = rejection(reason).text(None);
            let advice = reason.advice().map(|advice| format!("; {advice}")).unwrap_or_default();
            assert!(
                text.starts_with("BAD PASSWORD: ") && text.ends_with(&format!(": {reason}{advice}")),
                "{}",
                *text
            );
            let with_code = rejection(reason).with_code(reason.code()).text(None);
            assert_eq!(*with_code, format!("{} [{}]", *text, reason.code()));
        }
        assert!(rejection(Reason::TooShort { min_length: 9 }).text(None).contains("than 9 characters"));
        assert!(rejection(Reason::TooLong).text(None).contains("than 511 bytes"));
    }

    #[test]
    fn a_hint_names_what_the_policy_asks_for() {
        let policy = Policy { min_length: 15, ..Policy::default() };
        let text = hint(&policy, true).text(None);
        assert!(text.starts_with("At least 15 characters; several unrelated words are fine."), "{}", *text);
        assert!(text.contains("dictionary words and your name"), "{}", *text);
        assert!(!hint(&policy, false).text(None).contains("dictionary"));
    }

    #[test]
    fn suggestions_are_listed_after_the_warning() {
        let of = |text: &str| Zeroizing::new(text.to_owned());
        assert!(suggestion(&[]).is_none());
        let one = suggestion(&[of("a-b")]).unwrap().text(None);
        assert!(one.contains("if no one else can see your terminal") && one.ends_with("this one: a-b"));
        assert!(suggestion(&[of("a-b"), of("c-d")]).unwrap().text(None).ends_with("of these: a-b, c-d"));
    }
}
