//! Words of letters at distance 2 from a candidate, found with what is stored for distance 1. Words with
//! digits or punctuation are left out: there would be several times as many strings to ask for.
//!
//! Write *q* for the candidate, *d* for its length, *w* for a word, *x−i* for *x* without its character *i*.
//! Stored for *w* are *w* in the word layer and every *w−i* in the deletion layer at the place *i*
//! ([`crate::neighbours`]). Asked for *q* are
//!
//! 1. all that is near *q−i*, for every *i*;
//! 2. *q−i* with another letter *c* at *j*, for every *i* < *j* and *c*, in the deletion layer at *i*;
//! 3. *q* with another letter at *j*, for every *j* and *c*, in the deletion layer at every place;
//! 4. *q* with a letter *c* put in at the gap *g*, for every *g* and *c*, in the deletion layer at the
//!    places up to *g*;
//!
//! and each deletion found in (2)–(4) is completed with the alphabet at its place and asked of the word
//! layer.
//!
//! **Theorem.** Every word of letters at distance 2 from *q* is found, and every word found is within
//! distance 2.
//!
//! *Proof.* An alignment of *q* and *w* has two edits of *q*, in any order. If one of them deletes *qᵢ*, do
//! it first: *w* is within distance 1 of *q−i*, (1). Otherwise they substitute or insert. Two substitutions
//! at *i* < *j*: *w−i* is *q−i* with *wⱼ* at *j*, which is asked in (2), and *w* is its completion at *i*.
//! One substitution at *j*, and a character put in that is *wₐ*: *w−a* is *q* with the other character at
//! *j*, asked in (3) at the place *a*. Two characters put in, *wₐ* and *wₑ* with *a* < *e*: *w−a* is *q*
//! with *wₑ* put in at the gap *e*−1 ≥ *a*, asked in (4) at the place *a*. Conversely each string asked of
//! the word layer is made by two edits of *q*. ∎
//!
//! **Accidents.** Thousands of strings are asked, so the bits of one of them are set by accident more often
//! than the filter's rate allows. Therefore a word that is found is confirmed: a word in the dictionary has
//! all its deletions at their places in the deletion layer, and a string of ten characters or more that is
//! not in it has them by accident with probability *aᵐ*, *a* being the probability for one deletion and *m*
//! the number of the string's places at which no word differs from it by that one character. For *m* ≥ 4 the
//! some 300,000 strings that ten forms of twelve characters may ask for at *a* = .017 (8 deletion bits, pages
//! filled to .6) count as less than one in the rate's 1,000 ([`crate::dictionary::sizing`]); with 6 bits, *a*
//! = .047, as about four.
//!
//! **Time.** Candidates of at most [`MOST_FAR_CANDIDATE`] characters are looked up, and fewer with a large
//! alphabet ([`MOST_STRINGS`]); a tenth or less of the strings in (2), the largest part, are left by the
//! digram table. A candidate whose unseen pairs no two edits can mend, as of nearly every random password, is
//! let through at once.

mod fillers;
mod unseen;

use self::unseen::UnseenPairs;
use super::{Buffers, Query};
use crate::{
    alphabet::Class,
    dictionary::{Edit, Far, FilterError},
    format::{Match, SchemeId},
    neighbours::{Scratch, begins_run},
    page::Layer,
    storage::Bytes,
    word::Word,
};

/// Letters from which a word is looked for at distance 2: shorter ones are near to everything.
pub const LEAST_FAR_WORD: usize = 10;

/// The most characters of a candidate of which words at distance 2 are looked for.
pub const MOST_FAR_CANDIDATE: usize = 16;

/// The fewest deletion bits with which a deletion that is found by accident is rare enough.
const LEAST_DELETION_BITS: u8 = 6;

/// The most strings that are the candidate with two characters replaced: of 16 characters with an alphabet
/// of 362 symbols, of 10 with one of 579.
const MOST_STRINGS: usize = 1 << 24;

/// Takes a word that was found.
type FarVisitor<'v> = dyn FnMut(Far) + 'v;

/// A lookup at distance 2: the candidate and what is reused from one edit to the next.
struct TwoEdits<'t, D> {
    query: &'t Query<'t, D>,
    unseen: UnseenPairs,
    /// For the strings with one character open that are asked of the deletion layer.
    scratch: Scratch,
    /// The candidate with the first of two edits.
    base: Word,
    /// For its completions.
    completed: Scratch,
}

impl<D: Bytes> Query<'_, D> {
    /// True when words at distance 2 can be looked for in this filter at all.
    pub(in crate::dictionary) fn is_far_possible(&self) -> bool {
        let is_stored = self.header.matching == Match::Near && self.header.scheme == SchemeId::Deletions;
        is_stored && self.header.deletion_bits >= LEAST_DELETION_BITS && self.pages.can_be_whole()
    }

    /// Calls `found` with each word of at least [`LEAST_FAR_WORD`] letters at distance 2 from the candidate;
    /// it may be called with words at distance 1 or of other characters, too, and more than once with one
    /// word.
    pub(in crate::dictionary) fn run_two_edits(
        &self,
        buffers: &mut Buffers,
        found: &mut FarVisitor<'_>,
    ) -> Result<(), FilterError> {
        let length = self.word.len();
        let symbols = self.header.alphabet.len();
        if length > MOST_FAR_CANDIDATE || !self.is_far_possible() {
            return Ok(());
        }
        if symbols * symbols * length * length / 2 > MOST_STRINGS {
            return Ok(());
        }
        if length + 2 < self.shortest_far() || length > usize::from(self.header.lengths.1) + 2 {
            return Ok(());
        }
        let unseen = UnseenPairs::of(self.word, self.header);
        if !unseen.are_mendable_by_two() {
            return Ok(());
        }
        self.pages.expect_many();
        let [scratch, completed] = [Scratch::default(), Scratch::default()];
        let base = Word::with_full_capacity();
        TwoEdits { query: self, unseen, scratch, base, completed }.run(buffers, found)
    }

    fn shortest_far(&self) -> usize {
        usize::from(self.header.lengths.0).max(LEAST_FAR_WORD)
    }

    fn is_far_length(&self, length: usize) -> bool {
        (self.shortest_far()..=usize::from(self.header.lengths.1)).contains(&length)
    }
}

impl<D: Bytes> TwoEdits<'_, D> {
    fn run(mut self, buffers: &mut Buffers, found: &mut FarVisitor<'_>) -> Result<(), FilterError> {
        let length = self.query.word.len();
        let mut shorter = Word::with_full_capacity();
        let fillers: Vec<_> = (0..length).map(|at| self.fillers_between(at)).collect();
        for at in 0..length {
            if self.unseen.are_mendable_beside(&(at..at + 2)) {
                let string = self.scratch.spliced(self.query.word, at, at + 1, &[]);
                if shorter.assign_encoded(string).is_err() {
                    continue;
                }
                if begins_run(self.query.word, at) {
                    self.near_shorter(&shorter, at, buffers, found)?;
                }
                if self.query.is_far_length(length) {
                    self.two_replaced(&shorter, at, &fillers, found)?;
                }
            }
        }
        if self.query.is_far_length(length + 1) {
            (0..length).try_for_each(|at| self.replaced_and_inserted(at, found))?;
        }
        if self.query.is_far_length(length + 2) {
            (0..=length).try_for_each(|gap| self.two_inserted(gap, found))?;
        }
        Ok(())
    }

    /// Words near the candidate without its character `at`.
    fn near_shorter(
        &self,
        shorter: &Word,
        at: usize,
        buffers: &mut Buffers,
        found: &mut FarVisitor<'_>,
    ) -> Result<(), FilterError> {
        let Query { header, pages, .. } = *self.query;
        let query = Query { header, pages, word: shorter, with_transpositions: false };
        let mut words = Vec::new();
        query.run(buffers, &mut |near| {
            words.extend(near.word.map(|word| (near.edit, word)));
            false
        })?;
        for (edit, word) in words {
            self.confirm([Edit::Remove { at }, edit], word, found)?;
        }
        Ok(())
    }

    /// Words with other characters at `first` and at a later place.
    fn two_replaced(
        &mut self,
        shorter: &Word,
        first: usize,
        fillers: &[Vec<Class>],
        found: &mut FarVisitor<'_>,
    ) -> Result<(), FilterError> {
        for second in first + 1..self.query.word.len() {
            if !self.unseen.are_within(&[first..first + 2, second..second + 2]) {
                continue;
            }
            let beside = if second == first + 1 { self.fillers_after_another(second) } else { Vec::new() };
            let fillers = if second == first + 1 { Some(&beside) } else { fillers.get(second) };
            self.scratch.open(shorter, second - 1, second);
            let edits = [Edit::Replace { at: second }, Edit::Replace { at: first }];
            self.ask(fillers.map_or(&[], Vec::as_slice), edits, &mut |_| first..first + 1, found)?;
        }
        Ok(())
    }

    /// Words with another character at `at` and one more somewhere.
    fn replaced_and_inserted(&mut self, at: usize, found: &mut FarVisitor<'_>) -> Result<(), FilterError> {
        let others = self.unseen.outside(&(at..at + 2));
        if others.len() > 1 {
            return Ok(());
        }
        let length = self.query.word.len();
        let fillers = self.fillers_beside(at);
        let everywhere = others.first().map_or(0..length + 1, |&gap| gap..gap + 1);
        let (before, after) = (self.unseen.class_before(at), self.unseen.class_at(at + 1));
        let digrams = &self.query.header.digrams;
        let mut places = |class: Class| match (digrams.seen(before, class), digrams.seen(class, after)) {
            (true, true) => everywhere.clone(),
            _ if !others.is_empty() => 0..0,
            (false, _) => at..at + 1,
            (_, false) => at + 1..at + 2,
        };
        self.scratch.open(self.query.word, at, at + 1);
        let edits = [Edit::Replace { at }, Edit::Insert { at: 0 }];
        self.ask(&fillers, edits, &mut places, found)
    }

    /// Words with one more character at the gap `gap` and another one before it.
    fn two_inserted(&mut self, gap: usize, found: &mut FarVisitor<'_>) -> Result<(), FilterError> {
        let others = self.unseen.outside(&(gap..gap + 1));
        if others.len() > 1 || others.first().is_some_and(|&other| other > gap) {
            return Ok(());
        }
        let fillers = self.fillers_before(gap);
        let everywhere = others.first().map_or(0..gap + 1, |&other| other..other + 1);
        let (before, digrams) = (self.unseen.class_before(gap), &self.query.header.digrams);
        let mut places = |class: Class| match digrams.seen(before, class) {
            true => everywhere.clone(),
            false if others.is_empty() => gap..gap + 1,
            false => 0..0,
        };
        self.scratch.open(self.query.word, gap, gap);
        let edits = [Edit::Insert { at: gap }, Edit::Insert { at: 0 }];
        self.ask(&fillers, edits, &mut places, found)
    }

    /// Confirms a word that was found, and then reports it.
    fn confirm(&self, edits: [Edit; 2], word: Word, found: &mut FarVisitor<'_>) -> Result<(), FilterError> {
        if word.len() < LEAST_FAR_WORD {
            return Ok(());
        }
        let (mut scratch, mut is_confirmed) = (Scratch::default(), Ok(true));
        scratch.each_deletion(&word, 0..word.len(), |at, string| {
            let Some(layer) = Layer::deletion(at) else { return };
            if matches!(is_confirmed, Ok(true)) {
                is_confirmed = self.query.test(self.query.hash(string), layer);
            }
        });
        if is_confirmed? {
            found(Far { edits, word });
        }
        Ok(())
    }
}
