//! Programs that run `passwd` and search its output for words: each sentence has a word that they know, and
//! none that they take for something else. They set the locale C for `passwd`, or know English alone, so that
//! translations do not matter.
//!
//! Xfce has no program of this kind: `mugshot` changes no passwords, and `xfce4-screensaver`
//! (`gs-auth-pam.c`, LGPL-2.0-or-later) shows every message of libpam as it is.

use nearmiss_policy::policy::{Policy, Reason};
use zeroize::Zeroizing;

use super::{
    in_language,
    sentences::{accepted, accepted_for_root, guessed, hint, leaked, rejection, suggestion},
};

/// What a program shows for a password that is rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shown {
    /// The text itself.
    Text,
    TooShort,
    TooSimple,
    /// Too similar to the old password.
    Similar,
    /// Something that no rule of this module finds: used before, the same, changed meanwhile.
    Other,
}

/// A program with the words that it searches for, in its order.
struct Reader {
    name: &'static str,
    words: &'static [(&'static str, Shown)],
}

/// From panels/user-accounts/run-passwd.c of GNOME/gnome-control-center, GPL-2.0-or-later. GNOME's former
/// "About Me", from which it comes, is like MATE's.
const GNOME: Reader = Reader {
    name: "gnome-control-center",
    words: &[
        ("recovered", Shown::Text),
        ("short", Shown::TooShort),
        ("longer", Shown::TooShort),
        ("palindrome", Shown::TooSimple),
        ("simple", Shown::TooSimple),
        ("simplistic", Shown::TooSimple),
        ("dictionary", Shown::TooSimple),
        ("similar", Shown::Similar),
        ("different", Shown::Similar),
        ("case", Shown::Similar),
        ("wrapped", Shown::Similar),
        ("recent", Shown::Other),
        ("1 numeric or special", Shown::Other),
        ("unchanged", Shown::Other),
        ("match", Shown::Other),
        ("failure", Shown::Other),
        ("DIFFERENT", Shown::Other),
    ],
};

/// From capplets/about-me/mate-about-me-password.c of mate-desktop/mate-control-center, GPL-2.0-or-later. It
/// waits until it finds one of the words.
const MATE: Reader = Reader {
    name: "mate-about-me",
    words: &[
        ("recovered", Shown::Text),
        ("short", Shown::TooShort),
        ("longer", Shown::TooShort),
        ("palindrome", Shown::TooSimple),
        ("simpl", Shown::TooSimple),
        ("dictionary", Shown::TooSimple),
        ("similar", Shown::Similar),
        ("different", Shown::Similar),
        ("case", Shown::Similar),
        ("wrapped", Shown::Similar),
        ("1 numeric or special", Shown::Other),
        ("unchanged", Shown::Other),
        ("match", Shown::Other),
        ("recent", Shown::Other),
        ("failure", Shown::Other),
    ],
};

/// From panels/user-accounts/run-passwd.c of linuxmint/cinnamon-control-center, GPL-2.0-or-later, and from
/// the same file of ukui/ukui-control-center: GNOME's words in the same order, and then the
/// heading alone. Cinnamon's `cs_user.py` reads no output.
const CINNAMON: Reader = Reader { name: "cinnamon-control-center", ..GNOME };

/// A program that knows the heading of a rejection, or a word of another message.
struct Matcher {
    name: &'static str,
    /// A rejection is recognised by this.
    heading: &'static str,
    /// The texts that it takes for a prompt, for another failure, or for success.
    others: &'static [&'static str],
}

/// Programs that only recognise that there is a rejection.
const MATCHERS: [Matcher; 4] = [
    // pkg/users/password-dialogs.js of cockpit-project/cockpit, LGPL-2.1-or-later.
    Matcher {
        name: "cockpit",
        heading: "BAD PASSWORD:",
        others: &["urrent password: ", "ew password: ", "must wait longer to change"],
    },
    // An expect script, sshchpwd.exp of kbulgrien/sshchpwd, GPL-3.0.
    Matcher {
        name: "sshchpwd",
        heading: "BAD PASSWORD",
        others: &["ew password:", "assword again:", "between changes.", " UNIX password:", "not match the"],
    },
    // An expect script for an expired password, expectscript.sh of cisagov/prescup-challenges, MIT: whatever
    // else comes before the next prompt is shown.
    Matcher { name: "prescup-challenges", heading: "", others: &["UNIX password:", "password:"] },
    // panels/user-accounts/run-passwd.c of GNOME, Cinnamon and UKUI, while they wait for a prompt.
    Matcher {
        name: "gnome-control-center, before the new password",
        heading: "BAD PASSWORD",
        others: &["assword: ", "failure", "wrong", "error", "incorrect"],
    },
];

/// True for a text with a line that `PasswdProcess::isPrompt` takes for a prompt: its only colon ends the
/// line. From kdepasswd/passwd.cpp of KDE/kde-baseapps, MIT, which Trinity has as well.
fn is_prompt_for_kde(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim_end);
    lines.any(|line| line.ends_with(':') && line.matches(':').count() == 1)
}

/// The texts that are shown before the new password is typed, and after the reason against one.
fn other_texts() -> Vec<Zeroizing<String>> {
    let policy = Policy::default();
    let passphrases =
        ["three-unrelated-words", "some-other-words"].map(|text| Zeroizing::new(text.to_owned()));
    let mut phrases = vec![accepted(), accepted_for_root(b"anna"), guessed(), leaked()];
    phrases.extend([hint(&policy, true), hint(&policy, false)]);
    phrases.extend([&passphrases[..1], &passphrases].into_iter().filter_map(suggestion));
    phrases.iter().map(|phrase| in_language(None, phrase)).collect()
}

impl Reader {
    fn shown(&self, text: &str) -> Option<Shown> {
        self.words.iter().find(|(word, _)| text.contains(word)).map(|(_, shown)| *shown)
    }
}

const fn right(reason: Reason) -> Shown {
    match reason {
        Reason::Empty | Reason::TooShort { .. } => Shown::TooShort,
        Reason::TooLong => Shown::Text,
        Reason::NearOldPassword => Shown::Similar,
        _ => Shown::TooSimple,
    }
}

#[test]
fn every_reader_shows_what_is_wrong() {
    for reason in Reason::ALL {
        let text = in_language(None, &rejection(reason));
        for reader in [&GNOME, &MATE, &CINNAMON] {
            assert_eq!(reader.shown(&text), Some(right(reason)), "{}: {}", reader.name, *text);
        }
    }
}

/// After a word of success the programs report a change, whatever follows.
#[test]
fn no_sentence_says_success() {
    for reason in Reason::ALL {
        assert!(!in_language(None, &rejection(reason)).contains("successfully"));
    }
}

#[test]
fn a_rejection_is_recognised_by_its_heading_and_taken_for_nothing_else() {
    for reason in Reason::ALL {
        let text = in_language(None, &rejection(reason));
        for matcher in &MATCHERS {
            assert!(text.contains(matcher.heading), "{}: {}", matcher.name, *text);
            let other = matcher.others.iter().find(|other| text.contains(**other));
            assert_eq!(other, None, "{}: {}", matcher.name, *text);
        }
        assert!(!is_prompt_for_kde(&text), "{}", *text);
    }
}

/// A program that takes a hint for a prompt types the password too early, and waits for ever afterwards.
#[test]
fn no_other_text_is_taken_for_a_prompt_or_a_failure() {
    for text in other_texts() {
        for matcher in &MATCHERS {
            let other = matcher.others.iter().find(|other| text.contains(**other));
            assert_eq!(other, None, "{}: {}", matcher.name, *text);
        }
        // kdepasswd takes "again" in the line after the current password for a wrong one.
        assert!(!is_prompt_for_kde(&text) && !text.contains("again"), "{}", *text);
    }
}
