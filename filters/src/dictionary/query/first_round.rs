//! The first round of a near lookup: the candidate and the candidate without each of its characters, all
//! hashed, their pages made ready together, then asked of both layers.

use std::ops::Range;

use zeroize::Zeroize;

use super::{Query, possible_edits::PossibleEdits};
use crate::{
    dictionary::{FilterError, pages::Ready},
    neighbours::{Scratch, begins_run},
    page::{self, Layer, PLACES, Probes},
    storage::Bytes,
};

/// A string that was asked: its hash, whether the first of its bits in the word layer are set, and at which
/// places all of those in the deletion layer.
#[derive(Clone, Copy, Default)]
pub(super) struct Asked {
    hash: u64,
    may_be_word: bool,
    /// The first place asked; bit *i* of `deletions` is the place *i* from the multiple of [`PLACES`] below.
    first: usize,
    deletions: u64,
}

impl Asked {
    fn new(hash: u64) -> Asked {
        Asked { hash, ..Asked::default() }
    }

    /// True when the string is in the word layer.
    #[inline]
    pub(super) fn is_word<D: Bytes>(self, query: &Query<'_, D>) -> Result<bool, FilterError> {
        Ok(self.may_be_word && query.test(self.hash, Layer::Word)?)
    }

    /// False when the string is surely not in the word layer.
    #[inline]
    pub(super) fn may_be_word(self) -> bool {
        self.may_be_word
    }

    /// The first of these places at which the string is in the deletion layer; none is before the first that
    /// was asked.
    #[inline]
    pub(super) fn first_deletion<D: Bytes>(
        self,
        query: &Query<'_, D>,
        mut places: Range<usize>,
    ) -> Result<Option<usize>, FilterError> {
        let asked = self.first + PLACES - self.first % PLACES;
        if places.start < asked {
            let at = places.start + (self.deletions >> (places.start % PLACES)).trailing_zeros() as usize;
            if at < asked {
                return Ok(Some(at).filter(|_| at < places.end));
            }
            places.start = asked;
        }
        for at in places {
            if let Some(layer) = Layer::deletion(at)
                && query.test(self.hash, layer)?
            {
                return Ok(Some(at));
            }
        }
        Ok(None)
    }

    /// Looks at the string's line: at its first bits in the word layer, and at all in the deletion layer for
    /// the place `first` and those that are asked together with it.
    #[inline]
    fn ask(&mut self, line: &Look<'_>, first: usize) -> Option<()> {
        let page = line.ready.page_of(self.hash)?;
        self.may_be_word = page::may_be_word(page, self.hash, line.word);
        self.first = first;
        let is_place = Layer::deletion(first).is_some();
        self.deletions =
            if is_place { page::places(page, self.hash, first / PLACES, line.deletion_bits) } else { 0 };
        Some(())
    }
}

/// What all looks of a round have in common.
struct Look<'r> {
    ready: Ready<'r>,
    word: Probes,
    deletion_bits: u8,
}

impl<'r> Look<'r> {
    fn of<D: Bytes>(query: &Query<'r, D>) -> Look<'r> {
        let word = query.header.probes(Layer::Word);
        Look { ready: query.pages.ready(), word, deletion_bits: query.header.deletion_bits }
    }
}

/// The candidate without the characters of one run from `at` on.
#[derive(Clone, Copy)]
pub(super) struct Proposal {
    pub(super) string: Asked,
    /// First character whose removal gives the string.
    pub(super) at: usize,
    /// One past the last such character.
    pub(super) end: usize,
}

/// The strings of the first round.
#[derive(Default)]
pub(super) struct FirstRound {
    edits: PossibleEdits,
    candidate: Option<Asked>,
    proposals: Vec<Proposal>,
    /// Characters whose removal is still to be hashed.
    left: Range<usize>,
    /// Whether all pages so far are ready.
    are_ready: bool,
}

/// Strings that are hashed while the memory brings the line of the candidate: that takes about as long, and
/// little was hashed in vain when the candidate is a word.
const HASHED_MEANWHILE: usize = 3;

impl FirstRound {
    /// The edits that are possible for the candidate.
    pub(super) fn edits(&self) -> &PossibleEdits {
        &self.edits
    }

    /// The candidate, where it can be a word or a word less one character.
    pub(super) fn candidate(&self) -> Option<Asked> {
        self.candidate
    }

    /// True when the candidate itself is a word.
    pub(super) fn is_word<D: Bytes>(&self, query: &Query<'_, D>) -> Result<bool, FilterError> {
        let candidate = self.candidate.filter(|_| self.edits.may_be_word());
        candidate.map_or(Ok(false), |candidate| candidate.is_word(query))
    }

    /// The candidate less one character, where that can be a word or a word less one character.
    pub(super) fn proposals(&self) -> &[Proposal] {
        &self.proposals
    }

    /// Adds the pages of the round to `pages`, those of many rounds to be made ready together.
    pub(super) fn list_pages<D: Bytes>(
        &mut self,
        query: &Query<'_, D>,
        scratch: &mut Scratch,
        pages: &mut Vec<u64>,
    ) {
        self.begin(query);
        self.hash_proposals(query, usize::MAX, scratch);
        self.add_pages(query, pages);
    }

    /// Begins the round and asks for the candidate itself, if its page is ready; true if it is. While the
    /// memory brings its line, the first of the other strings are hashed.
    pub(super) fn ask_candidate<D: Bytes>(
        &mut self,
        query: &Query<'_, D>,
        scratch: &mut Scratch,
    ) -> Result<bool, FilterError> {
        self.begin(query);
        let word = query.header.probes(Layer::Word);
        let is_ready = self.candidate.is_none_or(|one| query.pages.fetch_word_ahead(one.hash, word));
        self.are_ready = is_ready;
        self.hash_proposals(query, HASHED_MEANWHILE, scratch);
        if is_ready {
            self.ask_string_of_candidate(query)?;
        }
        Ok(is_ready)
    }

    /// Asks for all strings of the round that was begun; `pages` is a buffer.
    pub(super) fn ask_all<D: Bytes>(
        &mut self,
        query: &Query<'_, D>,
        scratch: &mut Scratch,
        pages: &mut Vec<u64>,
    ) -> Result<(), FilterError> {
        self.hash_proposals(query, usize::MAX, scratch);
        if !self.are_ready {
            pages.clear();
            self.add_pages(query, pages);
            query.pages.prepare(pages)?;
            self.ask_string_of_candidate(query)?;
        }
        // All are asked before the first answer is looked at, so that the memory serves them together.
        let look = Look::of(query);
        self.proposals.iter_mut().try_for_each(|Proposal { string, at, .. }| {
            string.ask(&look, *at).ok_or_else(|| query.pages.lost(string.hash))
        })
    }

    fn begin<D: Bytes>(&mut self, query: &Query<'_, D>) {
        self.edits.assign(query.word, query.header);
        let is_asked = !self.edits.insertable().is_empty();
        self.candidate = is_asked.then(|| Asked::new(query.hash(query.word.as_bytes())));
        self.proposals.clear();
        self.left = self.edits.replaceable();
    }

    fn ask_string_of_candidate<D: Bytes>(&mut self, query: &Query<'_, D>) -> Result<(), FilterError> {
        let Some(candidate) = &mut self.candidate else { return Ok(()) };
        let first = self.edits.insertable().start;
        candidate.ask(&Look::of(query), first).ok_or_else(|| query.pages.lost(candidate.hash))
    }

    /// Hashes the candidate less each of the next `count` characters.
    fn hash_proposals<D: Bytes>(&mut self, query: &Query<'_, D>, count: usize, scratch: &mut Scratch) {
        let FirstRound { edits, proposals, left, are_ready, .. } = self;
        let next = left.start..left.end.min(left.start.saturating_add(count));
        left.start = next.end;
        scratch.each_deletion(query.word, next, |at, string| {
            let end = at + 1;
            match proposals.last_mut() {
                Some(last) if last.end == at && !begins_run(query.word, at) => last.end = end,
                _ if edits.may_mend(at, &query.header.digrams) => {
                    let hash = query.hash(string);
                    *are_ready &= query.pages.fetch_ahead(hash);
                    proposals.push(Proposal { string: Asked::new(hash), at, end });
                }
                _ => {}
            }
        });
    }

    fn add_pages<D: Bytes>(&mut self, query: &Query<'_, D>, pages: &mut Vec<u64>) {
        pages.extend(self.strings().map(|string| query.page_of(string.hash)));
    }

    fn strings(&mut self) -> impl Iterator<Item = &mut Asked> {
        self.candidate.iter_mut().chain(self.proposals.iter_mut().map(|proposal| &mut proposal.string))
    }
}

impl Drop for FirstRound {
    fn drop(&mut self) {
        self.strings().for_each(|string| string.hash.zeroize());
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;
    use crate::{
        alphabet::Alphabet,
        dictionary::pages::Pages,
        digrams::{Digrams, Pairs},
        format::{Header, decode_header},
        page::{self, PAGE_BYTES, Page, seal, set},
        word::{Symbol, Word},
    };

    /// What the theorem of [`crate::neighbours`] has asked for a candidate.
    pub(crate) fn asked(word: &Word, scratch: &mut Scratch, sink: &mut dyn FnMut(Layer, &[u8])) {
        sink(Layer::Word, word.as_bytes());
        (0..=word.len()).filter_map(Layer::deletion).for_each(|layer| sink(layer, word.as_bytes()));
        scratch.each_deletion(word, 0..word.len(), |at, string| {
            if begins_run(word, at) {
                sink(Layer::Word, string);
            }
            if let Some(layer) = Layer::deletion(at) {
                sink(layer, string);
            }
        });
    }

    fn hashes_asked(header: &Header, word: &Word) -> BTreeSet<(Layer, u64)> {
        let mut hashes = BTreeSet::new();
        asked(word, &mut Scratch::default(), &mut |layer, string| {
            assert!(hashes.insert((layer, header.key.hash(string))), "a string is asked twice");
        });
        hashes
    }

    /// A header of a filter of one page with the alphabet of the tests.
    fn header(digrams: impl FnOnce(&Alphabet) -> Digrams) -> Header {
        let golden = decode_header(include_bytes!("../../../tests/golden/near-8.filter")).unwrap();
        let alphabet = Alphabet::new(&"abcé日".chars().map(Symbol::of).collect());
        Header { digrams: digrams(&alphabet), alphabet, lengths: (0, 255), pages: 1, ..golden }
    }

    fn all_pairs(_: &Alphabet) -> Digrams {
        Digrams::hashed_from_bytes(&[0xff; 1 << 13]).unwrap()
    }

    /// The page of a filter in which only `stored` is, if anything.
    fn page_of(header: &Header, stored: Option<(Layer, u64)>) -> Page {
        let mut page = [0; PAGE_BYTES];
        if let Some((layer, hash)) = stored {
            set(&mut page, hash, header.probes(layer));
        }
        seal(&mut page);
        page
    }

    /// Every question the round asked of this page, with its answer.
    fn round(header: &Header, word: &Word, page: &Page) -> Vec<((Layer, u64), bool)> {
        let pages = Pages::new(page.to_vec(), 0, 1, None);
        let query = Query { header, pages: &pages, word, with_transpositions: false };
        let (mut round, mut scratch) = (FirstRound::default(), Scratch::default());
        let is_ready = round.ask_candidate(&query, &mut scratch).unwrap();
        assert_eq!(is_ready, round.edits().insertable().is_empty());
        round.ask_all(&query, &mut scratch, &mut Vec::new()).unwrap();
        let candidate = round.candidate().into_iter().map(|string| (string, round.edits().insertable()));
        let proposals = round.proposals().iter().map(|one| (one.string, one.at..one.end));
        let mut questions = Vec::new();
        for (string, places) in candidate.chain(proposals) {
            questions.push(((Layer::Word, string.hash), string.is_word(&query).unwrap()));
            let mut found = Vec::new();
            let mut left = places.clone();
            while let Some(at) = string.first_deletion(&query, left.clone()).unwrap() {
                found.push(at);
                left.start = at + 1;
            }
            for at in places {
                let Some(layer) = Layer::deletion(at) else { continue };
                questions.push(((layer, string.hash), found.contains(&at)));
            }
        }
        questions
    }

    proptest! {
        #[test]
        fn asks_the_strings_of_the_theorem_and_each_is_answered(text in "[abcé日]{0,9}") {
            let (header, word) = (header(all_pairs), Word::clean(text.as_bytes()).unwrap());
            let expected = hashes_asked(&header, &word);
            let questions = round(&header, &word, &page_of(&header, None));
            prop_assert!(questions.iter().all(|&(_, is_there)| !is_there));
            let asked: BTreeSet<_> = questions.iter().map(|&(question, _)| question).collect();
            prop_assert_eq!((asked.len(), &asked), (questions.len(), &expected));
            for &stored in &expected {
                // Bits of the other layer's string may be among those of the string that is stored: an
                // accident.
                let page = page_of(&header, Some(stored));
                for (question, answer) in round(&header, &word, &page) {
                    let (layer, hash) = question;
                    prop_assert_eq!(answer, page::test(&page, hash, header.probes(layer)));
                    prop_assert!(answer || question != stored);
                }
            }
        }

        #[test]
        fn the_digram_table_only_leaves_strings_out(text in "[abcé日]{0,9}", seen in "[abcé日]{2,30}") {
            let table = |alphabet: &Alphabet| {
                let symbols: Vec<_> = seen.chars().map(|character| Some(Symbol::of(character))).collect();
                Digrams::new(alphabet, &symbols.windows(2).map(|pair| (pair[0], pair[1])).collect::<Pairs>())
            };
            let (header, word) = (header(table), Word::clean(text.as_bytes()).unwrap());
            let expected = hashes_asked(&header, &word);
            let questions = round(&header, &word, &page_of(&header, None));
            prop_assert!(questions.iter().all(|(question, _)| expected.contains(question)));
        }
    }

    #[test]
    fn the_longest_candidate_has_no_place_behind_the_last_layer() {
        let (header, word) = (header(all_pairs), Word::clean(&b"ab".repeat(128)).unwrap());
        let asked: BTreeSet<_> = round(&header, &word, &page_of(&header, None))
            .into_iter()
            .map(|(question, _)| question)
            .collect();
        assert_eq!(asked, hashes_asked(&header, &word));
        assert!(asked.contains(&(Layer::Deletion { at: 255 }, header.key.hash(&b"ab".repeat(128)))));
    }
}
