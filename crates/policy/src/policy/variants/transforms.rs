//! The transforms that turn a candidate into a variant.

/// The transforms that turn a candidate into a variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transforms(u8);

impl Transforms {
    /// Nothing but cleaning.
    pub const NONE: Transforms = Transforms(0);
    /// Accents stripped.
    pub const ACCENTS: Transforms = Transforms(1);
    /// Digits and punctuation stripped at an end.
    pub(crate) const AFFIXES: Transforms = Transforms(2);
    /// Reversed.
    pub(crate) const REVERSED: Transforms = Transforms(4);
    /// Leet undone.
    pub(crate) const LEET: Transforms = Transforms(8);
    /// One of several repetitions.
    pub const REPEATED: Transforms = Transforms(16);
    /// Non-letters stripped everywhere.
    pub(crate) const LETTERS: Transforms = Transforms(32);

    const NAMES: [(Transforms, &'static str); 6] = [
        (Transforms::ACCENTS, "accents stripped"),
        (Transforms::AFFIXES, "ends stripped"),
        (Transforms::REVERSED, "reversed"),
        (Transforms::LEET, "leet undone"),
        (Transforms::LETTERS, "letters alone"),
        (Transforms::REPEATED, "one of several repetitions"),
    ];

    pub(super) fn and(self, other: Transforms) -> Transforms {
        Transforms(self.0 | other.0)
    }

    /// True if a variant is a part of the candidate, except for its accents.
    pub(in crate::policy) fn keep_the_text(self) -> bool {
        self.0 & (Transforms::ACCENTS.0 | Transforms::AFFIXES.0) == self.0
    }

    /// True if a variant has all characters of the candidate, except for its accents.
    pub(in crate::policy) fn keep_all(self) -> bool {
        self.0 & Transforms::ACCENTS.0 == self.0
    }

    /// True if a variant has fewer characters than the candidate.
    pub(super) fn lose_characters(self) -> bool {
        self.0 & (Transforms::AFFIXES.0 | Transforms::REPEATED.0 | Transforms::LETTERS.0) != 0
    }

    /// True if ends were stripped, and the rest was reversed or read as leet.
    pub(super) fn disguise_a_part(self) -> bool {
        self.has(Transforms::AFFIXES) && self.disguises() > 1
    }

    /// The number of undone disguises: ends, reversal, leet. Each gives one more string that may be near a
    /// word by chance.
    pub(super) fn disguises(self) -> usize {
        let all = [Transforms::AFFIXES, Transforms::REVERSED, Transforms::LEET];
        all.into_iter().filter(|&one| self.has(one)).count()
    }

    /// True if all transforms of `one` were applied.
    pub(super) fn has(self, one: Transforms) -> bool {
        self.0 & one.0 != 0
    }

    /// The transforms in plain words, in the order of their application.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        Transforms::NAMES.into_iter().filter(move |&(one, _)| self.has(one)).map(|(_, name)| name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_takes_characters_away_is_known_alone_and_beside_others() {
        for (all, loses) in [
            (Transforms::AFFIXES, true),
            (Transforms::REPEATED, true),
            (Transforms::LETTERS, true),
            (Transforms::ACCENTS, false),
            (Transforms::REVERSED, false),
            (Transforms::LEET, false),
            (Transforms::NONE, false),
        ] {
            assert_eq!(all.lose_characters(), loses, "{all:?}");
            let reversed = Transforms(all.0 | Transforms::REVERSED.0);
            assert_eq!(reversed.lose_characters(), loses, "{reversed:?}");
        }
    }
}
