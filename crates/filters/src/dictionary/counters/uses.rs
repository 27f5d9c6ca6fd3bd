//! The uses of a stored string: it may be a word of the lists, and the plain form of words with accents.

/// The string is a word.
const WORD: u32 = 1 << 31;

/// The plain forms of the word are counted.
const FORMS: u32 = 1 << 30;

/// The number of words that the string is a plain form of.
const COUNT: u32 = FORMS - 1;

/// The uses of one string, as FORMAT-COUNTS.md encodes them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Uses(u32);

impl Uses {
    /// The uses of four bytes of a file; none if no string has them: no use, or forms of no word.
    pub(super) fn decode(value: u32) -> Option<Uses> {
        let uses = Uses(value);
        (uses.is_any() && (uses.is_word() || !uses.has_forms())).then_some(uses)
    }

    pub(super) fn encode(self) -> u32 {
        self.0
    }

    /// True if the string is stored.
    pub(super) fn is_any(self) -> bool {
        self.0 & (WORD | COUNT) != 0
    }

    pub(super) fn is_word(self) -> bool {
        self.0 & WORD != 0
    }

    /// True if the plain forms of the word are counted.
    pub(super) fn has_forms(self) -> bool {
        self.0 & FORMS != 0
    }

    pub(super) fn count_word(&mut self) {
        self.0 |= WORD;
    }

    pub(super) fn count_forms(&mut self) {
        self.0 |= FORMS;
    }

    /// The word goes, and its forms are no longer counted for it.
    pub(super) fn remove_word(&mut self) {
        self.0 &= COUNT;
    }

    /// One more word has this plain form. A number that reached the maximum stays: the string is never lost.
    pub(super) fn count_form(&mut self) {
        if self.0 & COUNT < COUNT {
            self.0 = self.0.saturating_add(1);
        }
    }

    /// One word fewer has this plain form.
    pub(super) fn remove_form(&mut self) {
        if (1..COUNT).contains(&(self.0 & COUNT)) {
            self.0 = self.0.saturating_sub(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_string_is_stored_while_it_has_a_use() {
        let mut uses = Uses::default();
        uses.count_form();
        uses.count_word();
        uses.count_forms();
        uses.count_form();
        uses.remove_word();
        assert!(uses.is_any() && !uses.is_word() && !uses.has_forms());
        uses.remove_form();
        assert!(uses.is_any());
        uses.remove_form();
        assert!(!uses.is_any());
        uses.remove_form();
        assert_eq!(uses, Uses::default(), "no number goes below zero");
    }

    #[test]
    fn a_number_at_its_maximum_stays() {
        let mut uses = Uses(COUNT);
        uses.count_form();
        uses.remove_form();
        assert_eq!(uses, Uses(COUNT));
    }

    #[test]
    fn values_of_no_string_are_refused() {
        assert_eq!([0, FORMS, FORMS | 1].map(Uses::decode), [None; 3]);
        for value in [WORD, WORD | FORMS, 1, WORD | 7] {
            assert_eq!(Uses::decode(value).map(Uses::encode), Some(value));
        }
    }
}
