//! The first round of a near lookup: the candidate and the candidate without each of its characters are
//! hashed, their pages are prepared together, then both layers are probed.

use std::ops::Range;

use zeroize::Zeroize;

use super::{Query, possible_edits::PossibleEdits};
use crate::{
    dictionary::{FilterError, pages::Ready},
    neighbours::{Scratch, begins_run},
    page::{self, Layer, PLACES, Probes},
    storage::Bytes,
};

/// A probed string: its hash, whether the first of its bits in the word layer are set, and the positions at
/// which all its bits in the deletion layer are set.
#[derive(Clone, Copy, Default)]
pub(super) struct Probe {
    hash: u64,
    may_be_word: bool,
    /// The first probed position; bit *i* of `deletions` is position *i* counted from the multiple of
    /// [`PLACES`] below.
    first: usize,
    deletions: u64,
}

impl Probe {
    fn new(hash: u64) -> Probe {
        Probe { hash, ..Probe::default() }
    }

    /// True if the string is in the word layer.
    #[inline]
    pub(super) fn is_word<D: Bytes>(self, query: &Query<'_, D>) -> Result<bool, FilterError> {
        Ok(self.may_be_word && query.test(self.hash, Layer::Word)?)
    }

    /// False if the string is certainly not in the word layer.
    #[inline]
    pub(super) fn may_be_word(self) -> bool {
        self.may_be_word
    }

    /// The first of these positions at which the string is in the deletion layer; none is before the first
    /// one that was probed.
    #[inline]
    pub(super) fn first_deletion<D: Bytes>(
        self,
        query: &Query<'_, D>,
        mut places: Range<usize>,
    ) -> Result<Option<usize>, FilterError> {
        let looked_up = self.first + PLACES - self.first % PLACES;
        if places.start < looked_up {
            let at = places.start + (self.deletions >> (places.start % PLACES)).trailing_zeros() as usize;
            if at < looked_up {
                return Ok(Some(at).filter(|_| at < places.end));
            }
            places.start = looked_up;
        }
        for at in places {
            let layer = Layer::deletion(at);
            if layer.map_or(Ok(false), |layer| query.test(self.hash, layer))? {
                return Ok(Some(at));
            }
        }
        Ok(None)
    }

    /// Reads the string's cache line: its first bits in the word layer, and all bits in the deletion layer
    /// for position `first` and the ones that are probed together with it.
    #[inline]
    fn look_at(&mut self, line: &LineView<'_>, first: usize) -> Option<()> {
        let page = line.ready.page_of(self.hash)?;
        self.may_be_word = page::may_be_word(page, self.hash, line.word);
        self.first = first;
        let is_place = Layer::deletion(first).is_some();
        self.deletions =
            if is_place { page::places(page, self.hash, first / PLACES, line.deletion) } else { 0 };
        Some(())
    }
}

/// The common data of all probes of a round.
struct LineView<'r> {
    ready: Ready<'r>,
    word: Probes,
    deletion: Probes,
}

impl<'r> LineView<'r> {
    fn of<D: Bytes>(query: &Query<'r, D>) -> LineView<'r> {
        let word = query.header.probes(Layer::Word);
        let deletion = query.header.probes(Layer::Deletion { at: 0 });
        LineView { ready: query.pages.ready(), word, deletion }
    }
}

/// The candidate without the characters of one run from `at` on.
#[derive(Clone, Copy)]
pub(super) struct Proposal {
    pub(super) string: Probe,
    /// The first character whose removal gives the string.
    pub(super) at: usize,
    /// One past the last such character.
    pub(super) end: usize,
}

/// The strings of the first round.
#[derive(Default)]
pub(super) struct FirstRound {
    edits: PossibleEdits,
    candidate: Option<Probe>,
    proposals: Vec<Proposal>,
    /// The characters whose removal is not hashed yet.
    left: Range<usize>,
    /// True if all pages so far are ready.
    are_ready: bool,
}

/// The number of strings that are hashed while the candidate's cache line is loaded: that takes about as
/// long, and little is hashed in vain if the candidate is a word.
const HASHED_MEANWHILE: usize = 3;

impl FirstRound {
    /// The edits that are possible for the candidate.
    pub(super) fn edits(&self) -> &PossibleEdits {
        &self.edits
    }

    /// The candidate, if it can be a word or a word without one character.
    pub(super) fn candidate(&self) -> Option<Probe> {
        self.candidate
    }

    /// True if the candidate itself is a word.
    pub(super) fn is_word<D: Bytes>(&self, query: &Query<'_, D>) -> Result<bool, FilterError> {
        let candidate = self.candidate.filter(|_| self.edits.may_be_word());
        candidate.map_or(Ok(false), |candidate| candidate.is_word(query))
    }

    /// The candidate without one character, if that can be a word or a word without one character.
    pub(super) fn proposals(&self) -> &[Proposal] {
        &self.proposals
    }

    /// Adds the pages of the round to `pages`, so that the pages of many rounds are prepared together.
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

    /// Begins the round; false if no edit can turn the candidate into a word.
    pub(super) fn begin<D: Bytes>(&mut self, query: &Query<'_, D>) -> bool {
        self.edits.assign(query.word, query.header);
        let is_asked = !self.edits.insertable().is_empty();
        self.candidate = is_asked.then(|| Probe::new(query.hash(query.word.as_bytes())));
        self.proposals.clear();
        self.left = self.edits.replaceable();
        self.proposals.reserve(self.left.len());
        is_asked || !self.left.is_empty() || (query.with_transpositions && !self.edits.swappable().is_empty())
    }

    /// Probes the candidate itself, if its page is ready; true if it is. While its cache line is loaded, the
    /// first of the other strings are hashed.
    pub(super) fn ask_candidate<D: Bytes>(
        &mut self,
        query: &Query<'_, D>,
        scratch: &mut Scratch,
    ) -> Result<bool, FilterError> {
        let word = query.header.probes(Layer::Word);
        let is_ready = self.candidate.is_none_or(|one| query.pages.fetch_word_ahead(one.hash, word));
        self.are_ready = is_ready;
        let meanwhile = if self.candidate.is_some() { HASHED_MEANWHILE } else { usize::MAX };
        self.hash_proposals(query, meanwhile, scratch);
        if is_ready {
            self.ask_string_of_candidate(query)?;
        }
        Ok(is_ready)
    }

    /// Probes all strings of the round; `pages` is a buffer.
    pub(super) fn ask_all<D: Bytes>(
        &mut self,
        query: &Query<'_, D>,
        scratch: &mut Scratch,
        pages: &mut Vec<u64>,
    ) -> Result<(), FilterError> {
        if !self.left.is_empty() {
            self.hash_proposals(query, usize::MAX, scratch);
        }
        if !self.are_ready {
            pages.clear();
            self.add_pages(query, pages);
            query.pages.prepare(pages)?;
            self.ask_string_of_candidate(query)?;
        }
        // All are probed before the first result is used, so that their cache lines are loaded together.
        let look = LineView::of(query);
        self.proposals.iter_mut().try_for_each(|Proposal { string, at, .. }| {
            string.look_at(&look, *at).ok_or_else(|| query.pages.lost(string.hash))
        })
    }

    fn ask_string_of_candidate<D: Bytes>(&mut self, query: &Query<'_, D>) -> Result<(), FilterError> {
        let Some(candidate) = &mut self.candidate else { return Ok(()) };
        let first = self.edits.insertable().start;
        candidate.look_at(&LineView::of(query), first).ok_or_else(|| query.pages.lost(candidate.hash))
    }

    /// Hashes the candidate without each of the next `count` characters.
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
                    proposals.push(Proposal { string: Probe::new(hash), at, end });
                }
                _ => {}
            }
        });
    }

    fn add_pages<D: Bytes>(&mut self, query: &Query<'_, D>, pages: &mut Vec<u64>) {
        pages.extend(self.strings().map(|string| query.page_of(string.hash)));
    }

    fn strings(&mut self) -> impl Iterator<Item = &mut Probe> {
        self.candidate.iter_mut().chain(self.proposals.iter_mut().map(|proposal| &mut proposal.string))
    }
}

impl Drop for FirstRound {
    fn drop(&mut self) {
        self.strings().for_each(|string| string.hash.zeroize());
    }
}

#[cfg(test)]
pub(crate) mod tests;
