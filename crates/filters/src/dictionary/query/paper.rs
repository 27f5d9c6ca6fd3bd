//! The paper's scheme: the strings that are stored for a word are also the ones that are probed for a
//! candidate. Every string of the candidate's extension is hashed, all their pages are prepared together, and
//! a dictionary word is near if any of them is stored.

use super::{Buffers, Query, Visitor};
use crate::{
    dictionary::{FilterError, Found},
    format::SchemeId,
    page::Layer,
    storage::Bytes,
};

impl<D: Bytes> Query<'_, D> {
    /// Calls `found` once if the candidate is in the dictionary or within distance 1 of a word.
    pub(in crate::dictionary) fn visit_by_extension(
        &self,
        buffers: &mut Buffers,
        found: &mut Visitor<'_>,
    ) -> Result<(), FilterError> {
        let (is_near, is_member) = self.ask_extension(buffers)?;
        if is_member {
            found(Found::member(self.word));
        } else if is_near {
            found(Found::unnamed());
        }
        Ok(())
    }

    /// True if any, and true if every string of the candidate's extension is in the filter: near, member.
    pub(super) fn ask_extension(&self, buffers: &mut Buffers) -> Result<(bool, bool), FilterError> {
        debug_assert_eq!(self.header.scheme, SchemeId::Paper);
        let Buffers { hashes, pages, scratch, .. } = buffers;
        hashes.clear();
        pages.clear();
        SchemeId::Paper.each_stored(self.word, scratch, &mut |_, string| hashes.push(self.hash(string)));
        pages.extend(hashes.iter().map(|&hash| self.page_of(hash)));
        self.pages.prepare(pages)?;
        let (mut any, mut all) = (false, true);
        for &hash in hashes.iter() {
            let is_set = self.test(hash, Layer::Word)?;
            (any, all) = (any | is_set, all & is_set);
        }
        Ok((any, all))
    }
}
