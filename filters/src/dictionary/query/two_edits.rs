//! Words of letters at distance 2 from a candidate, found with what is stored for distance 1. Words with
//! digits or punctuation are left out: there would be several times as many strings to ask for.
//!
//! Write *q* for the candidate, *d* for its length, *w* for a word, *x−i* for *x* without its character *i*.
//! Stored for *w* are *w* in the word layer and every *w−i* in the deletion layer at the place *i*
//! ([`crate::neighbours`]). Asked for *q* are
//!
//! 1. *q−i* less one more character, for every *i*: in the word layer, and in the deletion layer at that
//!    character's place; and *q−i* itself in the deletion layer at every place;
//! 2. for every *i* ≠ *j*, *q* with another letter *c* at *j*, less its character *i*, in the deletion layer
//!    at *i*: for each pair of places once, with the letter where fewer may stand;
//! 3. *q* with another letter at *j*, for every *j* and *c*, in the deletion layer at every place;
//! 4. *q* with a letter *c* put in at the gap *g*, for every *g* and *c*, in the deletion layer at the
//!    places up to *g*;
//!
//! and each deletion found is completed with the alphabet at its place and asked of the word layer.
//!
//! **Theorem.** Every word of letters at distance 2 from *q* is found, and every word found is within
//! distance 2.
//!
//! *Proof.* An alignment of *q* and *w* has two edits of *q*, in any order. If one of them deletes *qᵢ*, do
//! it first: *w* is *q−i* less a character, which is asked of the word layer, or *q−i* with another
//! character at some place or with one more, and then its deletion at that place is asked, (1). Otherwise
//! they substitute or insert. Two substitutions at *i* and *j*: *w−i* is *q* with *wⱼ* at *j* less its
//! character *i*, and likewise with *i* and *j* swapped; one of the two is asked in (2), and *w* is its
//! completion. One substitution at *j*, and a character put in that is *wₐ*: *w−a* is *q* with the other
//! character at *j*, asked in (3) at the place *a*. Two characters put in, *wₐ* and *wₑ* with *a* < *e*:
//! *w−a* is *q* with *wₑ* put in at the gap *e*−1 ≥ *a*, asked in (4) at the place *a*. Conversely each
//! string asked of the word layer is made by two edits of *q*. ∎
//!
//! **What need not be asked.** The header says which rows of four characters the long words have
//! ([`crate::quads`]). A string is asked only if each of its rows of four may be one of them, but for the
//! rows that the second edit touches; for these, some letter has to fit. So no word is lost. Most random
//! passwords have rows all over that no word has, and are let through after a look at the table alone.
//!
//! **Accidents.** Thousands of strings are asked at most, so the bits of one of them are set by accident
//! more often than the filter's rate allows. Therefore a word that is found is confirmed: a word in the
//! dictionary has all its deletions at their places in the deletion layer, and a string of ten characters or
//! more that is not in it has them by accident with probability *aᵐ*, *a* being the probability for one
//! deletion and *m* the number of the string's places at which no word differs from it by that one
//! character. For *m* ≥ 4 the some 300,000 strings that ten forms of twelve characters may ask for, were every
//! row of four in the table, at *a* = .017 (8 deletion bits, pages filled to .6) count as less than one in
//! the rate's 1,000 ([`crate::dictionary::sizing`]); with 6 bits, *a* = .047, as about four.
//!
//! **Time.** Candidates of at most [`MOST_FAR_CANDIDATE`] characters are looked up, and fewer with a large
//! alphabet ([`MOST_STRINGS`]). With *L* letters, *d* characters and a table in which every four passes,
//! *d*(2*d* + 1) + *L*(*d*²/2 + 2*d* + 1) strings are asked, and *L* for each of the places at which the bits
//! of a deletion are set by accident: 4,400 and about 20,000 for 16 letters of 26.

mod questions;
mod windows;

use self::{
    questions::{Question, Waiting},
    windows::{Numbers, Set},
};
use super::Query;
use crate::{
    alphabet::Class,
    dictionary::{Edit, Far, FilterError},
    format::{Match, SchemeId},
    neighbours::Scratch,
    quads::{LEAST_FAR_WORD, Quads, WINDOW, is_letter, number_of},
    storage::Bytes,
    word::Word,
};

/// The most characters of a candidate of which words at distance 2 are looked for.
pub const MOST_FAR_CANDIDATE: usize = 16;

/// The fewest deletion bits with which a deletion that is found by accident is rare enough.
pub(in crate::dictionary) const LEAST_FAR_BITS: u8 = 6;

/// The most strings that are the candidate with two characters replaced: of 16 characters with an alphabet
/// of 362 symbols, of 10 with one of 579.
const MOST_STRINGS: usize = 1 << 24;

/// Takes a word that was found.
type FarVisitor<'v> = dyn FnMut(Far) + 'v;

/// A letter of the alphabet: its class, and its number in the table of fours.
#[derive(Clone, Copy)]
struct Letter {
    class: Class,
    number: u32,
}

/// What may stand at a place: each letter, with those of the windows over the place that it leaves seen.
#[derive(Default)]
struct Fillers(Vec<(Letter, Set)>);

impl Fillers {
    /// The letters for which `need` is seen.
    fn with(&self, need: Set) -> impl Iterator<Item = Letter> {
        self.0.iter().filter(move |(_, seen)| need & !seen == 0).map(|&(letter, _)| letter)
    }
}

/// A lookup at distance 2: the candidate and what is reused from one edit to the next.
struct TwoEdits<'t, D> {
    query: &'t Query<'t, D>,
    quads: &'t Quads,
    numbers: Numbers,
    /// The candidate's windows that no long word has: two edits have to touch them all.
    unseen: Set,
    letters: Vec<Letter>,
    /// For the strings with one character open that are asked.
    scratch: Scratch,
    /// For completions.
    completed: Scratch,
    waiting: Waiting,
}

impl<D: Bytes> Query<'_, D> {
    /// True when words at distance 2 can be looked for in this filter at all.
    pub(in crate::dictionary) fn is_far_possible(&self) -> bool {
        let is_stored = self.header.matching == Match::Near && self.header.scheme == SchemeId::Deletions;
        is_stored && self.header.deletion_bits >= LEAST_FAR_BITS
    }

    /// Calls `found` with each word of at least [`LEAST_FAR_WORD`] letters at distance 2 from the candidate;
    /// it may be called with words at distance 1 or of other characters, too, and more than once with one
    /// word.
    pub(in crate::dictionary) fn run_two_edits(&self, found: &mut FarVisitor<'_>) -> Result<(), FilterError> {
        let length = self.word.len();
        let (symbols, quads) = (self.header.alphabet.len(), &self.header.quads);
        if length > MOST_FAR_CANDIDATE || quads.is_empty() || !self.is_far_possible() {
            return Ok(());
        }
        if symbols * symbols * length * length / 2 > MOST_STRINGS {
            return Ok(());
        }
        if length + 2 < self.shortest_far() || length > usize::from(self.header.lengths.1) + 2 {
            return Ok(());
        }
        let Some(numbers) = Numbers::of(self.word) else { return Ok(()) };
        let unseen = numbers.unseen(quads, numbers.all());
        if !is_mendable_by_two(unseen) {
            return Ok(());
        }
        let letter = |class| {
            let symbol = self.header.alphabet.symbol_of(class).filter(|&symbol| is_letter(symbol))?;
            Some(Letter { class, number: number_of(symbol) })
        };
        let letters = self.header.alphabet.classes().filter_map(letter).collect();
        let [scratch, completed] = [Scratch::default(), Scratch::default()];
        let waiting = Waiting::default();
        TwoEdits { query: self, quads, numbers, unseen, letters, scratch, completed, waiting }.run(found)
    }

    fn shortest_far(&self) -> usize {
        usize::from(self.header.lengths.0).max(LEAST_FAR_WORD)
    }

    fn is_far_length(&self, length: usize) -> bool {
        (self.shortest_far()..=usize::from(self.header.lengths.1)).contains(&length)
    }
}

/// True when one edit may touch all of these windows.
fn is_mendable(unseen: Set) -> bool {
    unseen == 0 || unseen >> unseen.trailing_zeros() < 1 << WINDOW
}

/// The same of two edits: one of them touches the first window.
fn is_mendable_by_two(unseen: Set) -> bool {
    let first = (1 << WINDOW) - 1;
    unseen == 0 || is_mendable(unseen & !(first << unseen.trailing_zeros()))
}

impl<D: Bytes> TwoEdits<'_, D> {
    fn run(mut self, found: &mut FarVisitor<'_>) -> Result<(), FilterError> {
        let length = self.numbers.len();
        for at in 0..length {
            if is_mendable(self.unseen & !self.numbers.over(at)) && !self.numbers.repeats(at) {
                self.one_removed(at, found)?;
            }
        }
        let [same, longer, longest] = [0, 1, 2].map(|more| self.query.is_far_length(length + more));
        if same || longer {
            let replaced: Vec<Fillers> = (0..length).map(|at| self.replacing(at)).collect();
            if same {
                self.two_replaced(&replaced, found)?;
            }
            if longer {
                self.replaced_and_inserted(&replaced, found)?;
            }
        }
        if longest {
            (0..=length).try_for_each(|gap| self.two_inserted(gap, found))?;
        }
        self.ask_all(found)
    }

    /// Words that are near the candidate without its character `at`.
    fn one_removed(&mut self, at: usize, found: &mut FarVisitor<'_>) -> Result<(), FilterError> {
        let query = self.query;
        let shorter = self.numbers.less(at);
        let unseen = shorter.unseen(self.quads, shorter.all());
        let [two_less, one_less, same] = [0, 1, 2].map(|more| query.is_far_length(shorter.len() + more - 1));
        let gaps = Self::gaps(&shorter, |across| unseen & !across == 0);
        let first = Edit::Remove { at };
        let mut question =
            Question { hash: 0, first, class: 0, second: Edit::Insert { at: 0 }, places: gaps };
        if !is_mendable(unseen) {
            return Ok(());
        }
        let Ok(word) = Word::from_encoded(self.scratch.spliced(query.word, at, at + 1, &[])) else {
            return Ok(());
        };
        if same && gaps != 0 {
            question.hash = query.hash(word.as_bytes());
            self.push(question, found)?;
        }
        for other in (0..shorter.len()).filter(|&other| unseen & !shorter.over(other) == 0) {
            question.hash = query.hash(self.scratch.spliced(&word, other, other + 1, &[]));
            if one_less {
                (question.second, question.places) = (Edit::Replace { at: other }, 1 << other);
                self.push(question, found)?;
            }
            let shortest = shorter.less(other);
            let is_new = other >= at && !shorter.repeats(other);
            if two_less && is_new && shortest.unseen(self.quads, shortest.all()) == 0 {
                question.second = Edit::Remove { at: other };
                self.push(question, found)?;
            }
        }
        Ok(())
    }

    /// What may stand at `at` instead of the character there, if one edit beside that can be enough.
    fn replacing(&self, at: usize) -> Fillers {
        let over = self.numbers.over(at);
        if !is_mendable(self.unseen & !over) {
            return Fillers::default();
        }
        self.fillers(self.numbers.clone(), at, self.numbers.at(at))
    }

    /// What may stand at `at` but for one letter.
    fn fillers(&self, mut numbers: Numbers, at: usize, except: u32) -> Fillers {
        let over = numbers.over(at);
        let others = self.letters.iter().filter(|letter| letter.number != except);
        let seen = others.map(|&letter| {
            numbers.replace(at, letter.number);
            (letter, numbers.seen(self.quads, over))
        });
        Fillers(seen.collect())
    }

    /// Words with other characters at two places.
    fn two_replaced(&mut self, replaced: &[Fillers], found: &mut FarVisitor<'_>) -> Result<(), FilterError> {
        for (second, of_second) in replaced.iter().enumerate() {
            for (first, of_first) in replaced.iter().enumerate().take(second) {
                let [over_first, over_second] = [first, second].map(|at| self.numbers.over(at));
                if self.unseen & !(over_first | over_second) != 0 {
                    continue;
                }
                let of_first: Vec<Letter> = of_first.with(over_first & !over_second).collect();
                let of_second: Vec<Letter> = of_second.with(over_second & !over_first).collect();
                if of_first.is_empty() || of_second.is_empty() {
                    continue;
                }
                if of_first.len() < of_second.len() {
                    self.replaced_and_less(first, &of_first, second, found)?;
                } else {
                    self.replaced_and_less(second, &of_second, first, found)?;
                }
            }
        }
        Ok(())
    }

    /// Asks for the candidate with each of the letters at `at`, less its character `less`.
    fn replaced_and_less(
        &mut self,
        at: usize,
        letters: &[Letter],
        less: usize,
        found: &mut FarVisitor<'_>,
    ) -> Result<(), FilterError> {
        let Ok(shorter) = Word::from_encoded(self.scratch.spliced(self.query.word, less, less + 1, &[]))
        else {
            return Ok(());
        };
        let opened = at - usize::from(at > less);
        let (second, places) = (Edit::Replace { at: less }, 1 << less);
        self.scratch.open(&shorter, opened, opened + 1);
        let letters = letters.iter().map(|&letter| (letter, places));
        self.push_filled(letters, Edit::Replace { at }, second, found)
    }

    /// Asks for the opened string in the scratch with each of the letters in it, at its places.
    fn push_filled(
        &mut self,
        letters: impl Iterator<Item = (Letter, u32)>,
        first: Edit,
        second: Edit,
        found: &mut FarVisitor<'_>,
    ) -> Result<(), FilterError> {
        let (string, at) = self.scratch.with_null();
        let hole = self.query.header.key.hole(string, at);
        for (Letter { class, .. }, places) in letters.filter(|&(_, places)| places != 0) {
            let hash = self.query.hash_filled(hole.as_ref(), class, &mut self.scratch);
            self.push(Question { hash, first, class, second, places }, found)?;
        }
        Ok(())
    }

    /// Words with another character somewhere and one more somewhere.
    fn replaced_and_inserted(
        &mut self,
        replaced: &[Fillers],
        found: &mut FarVisitor<'_>,
    ) -> Result<(), FilterError> {
        for (at, fillers) in replaced.iter().enumerate().filter(|(_, fillers)| !fillers.0.is_empty()) {
            let (numbers, over) = (self.numbers.clone(), self.numbers.over(at));
            let unseen = self.unseen & !over;
            let places = |seen: Set| Self::gaps(&numbers, |across| (unseen | over & !seen) & !across == 0);
            let letters: Vec<_> = fillers.0.iter().map(|&(letter, seen)| (letter, places(seen))).collect();
            self.scratch.open(self.query.word, at, at + 1);
            self.push_filled(letters.into_iter(), Edit::Replace { at }, Edit::Insert { at: 0 }, found)?;
        }
        Ok(())
    }

    /// Words with one more character at the gap `gap` and another one before it.
    fn two_inserted(&mut self, gap: usize, found: &mut FarVisitor<'_>) -> Result<(), FilterError> {
        if !is_mendable(self.unseen & !self.numbers.across(gap)) {
            return Ok(());
        }
        let longer = self.numbers.with_gap(gap);
        let over = longer.over(gap);
        let unseen = longer.unseen(self.quads, longer.all() & !over);
        let before = (2 << gap) - 1;
        let places =
            |seen: Set| Self::gaps(&longer, |across| (unseen | over & !seen) & !across == 0) & before;
        let fillers = self.fillers(longer.clone(), gap, 0);
        let letters: Vec<_> = fillers.0.iter().map(|&(letter, seen)| (letter, places(seen))).collect();
        self.scratch.open(self.query.word, gap, gap);
        self.push_filled(letters.into_iter(), Edit::Insert { at: gap }, Edit::Insert { at: 0 }, found)
    }
}
