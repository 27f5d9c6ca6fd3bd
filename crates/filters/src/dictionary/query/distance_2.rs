//! Words of letters at distance 2 from a candidate, found with the strings that are stored for distance 1.
//! Words with digits or punctuation are excluded: they would need several times as many probes.
//!
//! Write *q* for the candidate, *d* for its length, *w* for a word, *x−i* for *x* without its character *i*.
//! A word *w* is stored as *w* in the word layer and every *w−i* in the deletion layer at position *i*
//! ([`crate::neighbours`]). The probes for *q* are
//!
//! 1. *q−i* without one more character, for every *i*: in the word layer, and in the deletion layer at that
//!    character's position; and *q−i* itself in the deletion layer at every position;
//! 2. for every *i* ≠ *j*, *q* with another letter *c* at *j* and without its character *i*, in the deletion
//!    layer at *i*: once for each pair of positions, with the letter at the one that fewer letters fit;
//! 3. *q* with another letter at *j*, for every *j* and *c*, in the deletion layer at every position;
//! 4. *q* with a letter *c* inserted at the gap *g*, for every *g* and *c*, in the deletion layer at the
//!    positions up to *g*;
//!
//! and each deletion found is completed with the alphabet at its position and probed in the word layer.
//!
//! **Theorem.** Every word of letters at distance 2 from *q* is found, and every word found is within
//! distance 2.
//!
//! *Proof.* An alignment of *q* and *w* has two edits of *q*, in any order. If one of them deletes *qᵢ*, do
//! it first: *w* is *q−i* without a character, which is probed in the word layer, or *q−i* with another
//! character at some position or with one more, and then its deletion at that position is probed, (1).
//! Otherwise they substitute or insert. Two substitutions at *i* and *j*: *w−i* is *q* with *wⱼ* at *j* and
//! without its character *i*, and likewise with *i* and *j* swapped; one of the two is probed in (2), and *w*
//! is its completion. One substitution at *j*, and an insertion of *wₐ*: *w−a* is *q* with the other
//! character at *j*, probed in (3) at position *a*. Two insertions, *wₐ* and *wₑ* with *a* < *e*: *w−a* is
//! *q* with *wₑ* inserted at the gap *e*−1 ≥ *a*, probed in (4) at position *a*. Conversely each string
//! probed in the word layer results from two edits of *q*. ∎
//!
//! **Probes that are skipped.** The table contains every 4-gram of the long words ([`crate::four_grams`]). A
//! string is probed only if each of its 4-grams is in the table, except the ones that the second edit
//! touches; for these, some letter must fit. And a letter is inserted only if the dictionary contains its
//! pair with a neighbour that the other edit leaves ([`crate::digrams`]). So no word is lost. Most random
//! passwords have many 4-grams that occur in no word, and only need the table.
//!
//! **Accidents.** A lookup probes up to thousands of strings, so the bits of one of them are set by accident
//! more often than the filter's rate allows. Therefore each match is confirmed: a word in the dictionary has
//! all its deletions at their positions in the deletion layer, and a string of ten characters or more that is
//! not in it has them by accident with probability *aᵐ*, *a* being the probability for one deletion and *m*
//! the number of the string's positions at which no word differs from it by that one character. For *m* ≥ 4,
//! the roughly 300,000 strings that ten forms of twelve characters would probe if every 4-gram were in the
//! table, at *a* = 0.017 (8 deletion bits, pages filled to 0.6), count as less than one in the rate's 1,000
//! ([`crate::dictionary::sizing`]); with 6 bits, *a* = 0.047, as about four.
//!
//! **Time.** Candidates of at most [`MAX_DISTANCE_2_CANDIDATE`] characters are looked up, and fewer with a
//! large alphabet ([`MAX_STRINGS`]). With *L* letters, *d* characters and a table in which every 4-gram
//! passes, *d*(2*d* + 1) + *L*(*d*²/2 + 2*d* + 1) strings are probed, and *L* for each of the positions at
//! which the bits of a deletion are set by accident: 4,400 and about 20,000 for 16 letters of 26.

mod letters;
mod questions;
mod strings;

use zeroize::Zeroizing;

pub use self::strings::MAX_DISTANCE_2_CANDIDATE;
use self::{
    letters::{Fillers, letters_with},
    strings::{Bits, ClassNumbers, DeletionQuery, MAX_BYTES, OpenedWord, QueuedHashes, below, ones},
};
use super::Query;
use crate::{
    dictionary::{Distance2, Edit, FilterError},
    digrams::PairFit,
    format::{Match, SchemeId},
    four_grams::{FourGrams, GRAM, MIN_DISTANCE_2_WORD, NO_LETTER},
    storage::Bytes,
};

/// The lowest number of deletion bits at which accidental deletions are rare enough.
pub(in crate::dictionary) const MIN_DISTANCE_2_BITS: u8 = 6;

/// The highest number of strings with two replaced characters: of 16 characters with an alphabet of 362
/// symbols, of 10 with one of 579.
const MAX_STRINGS: usize = 1 << 24;

/// Takes a word that was found.
type Visitor<'v> = dyn FnMut(Distance2) + 'v;

/// A lookup at distance 2: the candidate, and data that is reused from one edit to the next.
struct TwoEdits<'t, D> {
    query: &'t Query<'t, D>,
    four_grams: FourGrams<'t>,
    numbers: ClassNumbers,
    /// The candidate's 4-grams that occur in no long word: two edits must touch them all.
    unseen: Bits,
    /// The string that is hashed.
    bytes: Zeroizing<Vec<u8>>,
    waiting: QueuedHashes,
}

impl<D: Bytes> Query<'_, D> {
    /// True if this filter supports lookups at distance 2.
    pub(in crate::dictionary) fn is_distance_2_possible(&self) -> bool {
        let is_stored = self.header.matching == Match::Near && self.header.scheme == SchemeId::Deletions;
        is_stored && self.header.deletion_bits >= MIN_DISTANCE_2_BITS
    }

    /// Calls `found` with each word of at least [`MIN_DISTANCE_2_WORD`] letters at distance 2 from the
    /// candidate; it may be called with words at distance 1, too, and more than once with one word.
    pub(in crate::dictionary) fn run_distance_2(&self, found: &mut Visitor<'_>) -> Result<(), FilterError> {
        let length = self.word.len();
        let symbols = self.header.alphabet.len();
        if length > MAX_DISTANCE_2_CANDIDATE
            || self.header.four_gram_pages == 0
            || !self.is_distance_2_possible()
        {
            return Ok(());
        }
        if symbols * symbols * length * length / 2 > MAX_STRINGS {
            return Ok(());
        }
        if length + 2 < self.shortest_asked() || length > usize::from(self.header.lengths.1) + 2 {
            return Ok(());
        }
        let Some(numbers) = ClassNumbers::of(self.word) else { return Ok(()) };
        // Insertions leave the characters that are not letters.
        let insertions = self.shortest_asked().saturating_sub(length);
        if numbers.strangers() + insertions > 2 {
            return Ok(());
        }
        let four_grams = FourGrams::new(self.pages.four_grams()?);
        let unseen = numbers.unseen(four_grams, numbers.all());
        let widest = if insertions == 2 { GAP } else { GRAM };
        if !is_mendable_by_two(unseen, widest) {
            return Ok(());
        }
        let bytes = Zeroizing::new(Vec::with_capacity(MAX_BYTES));
        let waiting = QueuedHashes::new();
        TwoEdits { query: self, four_grams, numbers, unseen, bytes, waiting }.run(found)
    }

    fn shortest_asked(&self) -> usize {
        usize::from(self.header.lengths.0).max(MIN_DISTANCE_2_WORD)
    }

    fn is_asked_length(&self, length: usize) -> bool {
        (self.shortest_asked()..=usize::from(self.header.lengths.1)).contains(&length)
    }
}

/// The number of 4-grams that an insertion touches: it lies inside them.
const GAP: usize = GRAM - 1;

/// True if one edit that touches `width` consecutive 4-grams can touch all of these.
fn is_mendable(unseen: Bits, width: usize) -> bool {
    unseen == 0 || unseen >> unseen.trailing_zeros() < 1 << width
}

/// The same for two edits: one of them touches the first 4-gram.
fn is_mendable_by_two(unseen: Bits, width: usize) -> bool {
    unseen == 0 || is_mendable(unseen & !(below(width) << unseen.trailing_zeros()), width)
}

impl<D: Bytes> TwoEdits<'_, D> {
    fn run(mut self, found: &mut Visitor<'_>) -> Result<(), FilterError> {
        let length = self.numbers.len();
        for at in 0..length {
            if is_mendable(self.unseen & !self.numbers.over(at), GRAM) && !self.numbers.repeats(at) {
                self.one_removed(at, found)?;
            }
        }
        let [same, longer, longest] = [0, 1, 2].map(|more| self.query.is_asked_length(length + more));
        let replaced: Vec<Fillers> = (0..length).map(|at| self.replacing(at, same, longer)).collect();
        if same {
            self.two_replaced(&replaced, found)?;
        }
        if longer {
            self.replaced_and_inserted(&replaced, found)?;
        }
        if longest {
            (0..=length).try_for_each(|gap| self.two_inserted(gap, found))?;
        }
        self.ask_all(found)
    }

    /// Words that are near the candidate without its character `at`.
    fn one_removed(&mut self, at: usize, found: &mut Visitor<'_>) -> Result<(), FilterError> {
        let shorter = self.numbers.less(at);
        let unseen = shorter.unseen(self.four_grams, shorter.all());
        if !is_mendable(unseen, GRAM) {
            return Ok(());
        }
        let length = shorter.len();
        let gaps = shorter.gaps_under(unseen);
        if gaps != 0 && self.query.is_asked_length(length + 1) {
            self.ask_less(at, &shorter, Edit::Insert { at: 0 }, gaps, found)?;
        }
        let [is_shorter, is_shortest] = [length, length - 1].map(|length| self.query.is_asked_length(length));
        for other in ones(shorter.places_under(unseen)) {
            let shortest = shorter.less(other);
            if is_shorter {
                self.ask_less(at, &shortest, Edit::Replace { at: other }, 1 << other, found)?;
            }
            let is_new = other >= at && !shorter.repeats(other);
            if is_shortest && is_new && shortest.unseen(self.four_grams, shortest.all()) == 0 {
                self.ask_less(at, &shortest, Edit::Remove { at: other }, 0, found)?;
            }
        }
        Ok(())
    }

    /// Probes a string that is the candidate without its character `at` before the second edit.
    fn ask_less(
        &mut self,
        at: usize,
        string: &ClassNumbers,
        second: Edit,
        places: Bits,
        found: &mut Visitor<'_>,
    ) -> Result<(), FilterError> {
        if string.encode(&mut self.bytes).is_none() {
            return Ok(());
        }
        let hash = self.query.hash(&self.bytes);
        self.push(DeletionQuery { hash, first: Edit::Remove { at }, letter: 0, second, places }, found)
    }

    /// The letters that may replace the character at `at` if one further edit can be enough: another
    /// replacement for words of the `same` length, an insertion for `longer` ones.
    fn replacing(&self, at: usize, same: bool, longer: bool) -> Fillers {
        let unseen = self.unseen & !self.numbers.over(at);
        let is_needed = same && self.numbers.places_under(unseen) & !(1 << at) != 0
            || longer && self.numbers.gaps_under(unseen) != 0;
        if !is_needed {
            return Vec::new();
        }
        // The second edit lies before the position or after it: the pair on the other side stays.
        self.fillers(&self.numbers, at, PairFit::OneOf, self.numbers.at(at))
    }

    /// The letters that fit at `at`, except one.
    fn fillers(&self, numbers: &ClassNumbers, at: usize, fit: PairFit, except: u32) -> Fillers {
        letters::fillers(self.query.header, self.four_grams, (numbers, at), fit, except)
    }

    /// Words with different characters at two positions.
    fn two_replaced(&mut self, replaced: &[Fillers], found: &mut Visitor<'_>) -> Result<(), FilterError> {
        for (second, of_second) in replaced.iter().enumerate() {
            let over_second = self.numbers.over(second);
            let firsts = self.numbers.places_under(self.unseen & !over_second) & below(second);
            for (first, of_first) in ones(firsts).filter_map(|first| Some((first, replaced.get(first)?))) {
                let over_first = self.numbers.over(first);
                let of_first = letters_with(of_first, over_first & !over_second);
                let of_second = letters_with(of_second, over_second & !over_first);
                let [firsts, seconds] = [of_first.clone().count(), of_second.clone().count()];
                if firsts == 0 || seconds == 0 {
                    continue;
                }
                if firsts < seconds {
                    self.replaced_and_less(first, of_first, second, found)?;
                } else {
                    self.replaced_and_less(second, of_second, first, found)?;
                }
            }
        }
        Ok(())
    }

    /// Probes the candidate with each of the letters at `at` and without its character `less`.
    fn replaced_and_less(
        &mut self,
        at: usize,
        letters: impl Iterator<Item = u32>,
        less: usize,
        found: &mut Visitor<'_>,
    ) -> Result<(), FilterError> {
        let opened = (self.numbers.less(less), at - usize::from(at > less));
        let (second, places) = (Edit::Replace { at: less }, 1 << less);
        self.ask_filled(opened, letters.map(|letter| (letter, places)), Edit::Replace { at }, second, found)
    }

    /// Probes the string with each of the letters at its open position, each at its own positions.
    fn ask_filled(
        &mut self,
        (string, at): (ClassNumbers, usize),
        letters: impl Iterator<Item = (u32, Bits)>,
        first: Edit,
        second: Edit,
        found: &mut Visitor<'_>,
    ) -> Result<(), FilterError> {
        let mut bytes = std::mem::take(&mut self.bytes);
        if let Some(mut opened) = OpenedWord::new(&self.query.header.key, string, at, &mut bytes) {
            for (letter, places) in letters.filter(|&(_, places)| places != 0) {
                let hash = opened.hash(letter);
                self.push(DeletionQuery { hash, first, letter, second, places }, found)?;
            }
        }
        self.bytes = bytes;
        Ok(())
    }

    /// Words with one replaced character and one inserted character.
    fn replaced_and_inserted(
        &mut self,
        replaced: &[Fillers],
        found: &mut Visitor<'_>,
    ) -> Result<(), FilterError> {
        for (at, fillers) in replaced.iter().enumerate().filter(|(_, fillers)| !fillers.is_empty()) {
            let (numbers, over) = (self.numbers.clone(), self.numbers.over(at));
            let unseen = self.unseen & !over;
            let places = |seen: Bits| numbers.gaps_under(unseen | over & !seen);
            if places(over) != 0 {
                let letters = fillers.iter().map(|&(letter, seen)| (letter, places(seen)));
                let opened = (numbers.clone(), at);
                self.ask_filled(opened, letters, Edit::Replace { at }, Edit::Insert { at: 0 }, found)?;
            }
        }
        Ok(())
    }

    /// Words with one more character at the gap `gap` and another one before it.
    fn two_inserted(&mut self, gap: usize, found: &mut Visitor<'_>) -> Result<(), FilterError> {
        if self.numbers.gaps_under(self.unseen & !self.numbers.across(gap)) == 0 {
            return Ok(());
        }
        let longer = self.numbers.with_gap(gap);
        let over = longer.over(gap);
        let unseen = longer.unseen(self.four_grams, longer.all() & !over);
        let before = below(gap.saturating_add(1));
        let places = |seen: Bits| longer.gaps_under(unseen | over & !seen) & before;
        if places(over) == 0 {
            return Ok(());
        }
        // The other character is inserted before this one: the pair after it stays.
        let fillers = self.fillers(&longer, gap, PairFit::Behind, NO_LETTER);
        let letters = fillers.iter().map(|&(letter, seen)| (letter, places(seen)));
        let opened = (longer.clone(), gap);
        self.ask_filled(opened, letters, Edit::Insert { at: gap }, Edit::Insert { at: 0 }, found)
    }
}
