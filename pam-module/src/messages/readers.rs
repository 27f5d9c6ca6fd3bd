//! Programs that run `passwd` and search its output for words: each sentence has a word that they know, and
//! none that they take for something else. They set the locale C for `passwd`, or know English alone, so that
//! translations do not matter.

use nearmiss_policy::policy::Reason;

use super::sentences::rejection;

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
        let text = rejection(reason).text(None);
        for reader in [&GNOME, &MATE] {
            assert_eq!(reader.shown(&text), Some(right(reason)), "{}: {}", reader.name, *text);
        }
    }
}

/// After a word of success the programs report a change, whatever follows.
#[test]
fn no_sentence_says_success() {
    for reason in Reason::ALL {
        assert!(!rejection(reason).text(None).contains("successfully"));
    }
}
