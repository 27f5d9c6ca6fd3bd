//! Lists that cannot be used, and whether the filter would lose their words.
//!
//! An update never builds a filter without a list of the earlier filter, unless --drop-missing is given. A
//! list that the configuration names counts as a list of the earlier filter until a filter was built without
//! it; a list of a folder counts if the earlier filter was built from it. A list that was removed with its
//! package is not lost. A list that has become shorter by more than 1 % counts as well: it may be cut off, or
//! have another form, of which hardly a line is read.
//! `changed` finds one that keeps its size and has other words.

mod changed;

use std::path::Path;

use nearmiss_cli::{
    failure::{self, Failure},
    keys,
    report::number,
};

use super::{gather::Gathered, refused::RejectedList, sources::Skipped};
use crate::filter_file::{
    provenance::Provenance,
    update_state::{DroppedList, UpdateState},
};

pub(super) use self::changed::{LookedUp, changed_failure};

/// The lists that the earlier filter was built from, and those that it lacks already.
pub(super) struct PreviousFilter {
    lists: Vec<String>,
    /// The numbers of words of those for which it is known.
    words: Vec<(String, u64)>,
    dropped: Vec<DroppedList>,
}

/// A list has shrunk if it has fewer words than before by more than this fraction.
const SMALLER: u64 = 100;

/// A list that has shrunk.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ShrunkList {
    file: String,
    before: u64,
    now: u64,
}

impl PreviousFilter {
    /// The lists known to the state and the provenance beside the filter, which has a few hundred names at
    /// most.
    pub(super) fn of(state: &UpdateState, record: Option<&Provenance>) -> PreviousFilter {
        let recorded = record.map(|record| record.lists.clone()).unwrap_or_default();
        let lists = state.lists.iter().map(|list| list.path.clone()).chain(recorded).collect();
        let words = state.lists.iter().filter_map(|list| Some((list.path.clone(), list.words?))).collect();
        PreviousFilter { lists, words, dropped: state.dropped.clone() }
    }

    /// True for a list that the earlier filter has or should have.
    pub(super) fn knows(&self, refused: &RejectedList) -> bool {
        self.has(refused) || self.lacks(refused)
    }

    /// Keeps only the exact filter's own lists: the other filter reports everything else.
    pub(super) fn leave_own(&self, gathered: &mut Gathered) {
        gathered.skipped.clear();
        gathered.refused.retain(|one| self.knows(one));
        gathered.refused.iter_mut().for_each(|one| one.is_named = false);
    }

    fn has(&self, refused: &RejectedList) -> bool {
        self.lists.iter().any(|list| Path::new(list).starts_with(&refused.file))
    }

    fn lacks(&self, refused: &RejectedList) -> bool {
        self.dropped.iter().any(|dropped| dropped.path == refused.file)
    }

    /// The lists whose words the new filter would lack and the earlier one has.
    pub(super) fn lost<'a>(&self, refused: &'a [RejectedList]) -> Vec<&'a RejectedList> {
        let is_lost = |one: &&RejectedList| (one.is_named || self.has(one)) && !self.lacks(one);
        refused.iter().filter(is_lost).collect()
    }

    /// The lists that have much fewer words `now` than in the earlier filter.
    pub(super) fn shrunk<'n>(&self, now: impl Iterator<Item = (&'n str, u64)>) -> Vec<ShrunkList> {
        let shrunk = |(name, now): (&str, u64)| {
            let &(ref file, before) = self.words.iter().find(|(file, _)| file == name)?;
            let is_smaller = now < before.saturating_sub(before / SMALLER);
            is_smaller.then(|| ShrunkList { file: file.clone(), before, now })
        };
        now.filter_map(shrunk).collect()
    }

    /// The lists that a filter lacks which is built now.
    pub(super) fn dropped(&self, refused: &[RejectedList]) -> Vec<DroppedList> {
        let is_missed = |one: &&RejectedList| one.is_named || self.has(one) || self.lacks(one);
        let dropped = |one: &RejectedList| DroppedList { path: one.file.clone(), reason: one.reason.clone() };
        refused.iter().filter(is_missed).map(dropped).collect()
    }

    /// The lists that the existing filter lacks, if it stays: lists that cannot be opened, and lists whose
    /// content could not be used and has not changed.
    pub(super) fn still_dropped(
        &self,
        refused: &[RejectedList],
        is_source: impl Fn(&str) -> bool,
    ) -> Vec<DroppedList> {
        let unusable = self.dropped.iter().filter(|dropped| is_source(&dropped.path)).cloned();
        self.dropped(refused).into_iter().chain(unusable).collect()
    }
}

/// The filter is not built: it would lose these lists.
pub(super) fn failure(filter: &Path, lost: &[&RejectedList]) -> Failure {
    let lists: Vec<_> = lost.iter().map(|one| format!("{} ({})", one.file, one.reason)).collect();
    Failure::plain(
        keys::LIST_LOST,
        format!(
            "{}: not rebuilt, since the filter would lose words: {}; fix the list, or remove it from \
             [update] in nearmiss.conf; filterctl update --drop-missing builds without it",
            filter.display(),
            lists.join(", ")
        ),
    )
}

/// The filter is not built: these lists have shrunk.
pub(super) fn shrunk_failure(filter: &Path, shrunk: &[ShrunkList]) -> Failure {
    let lists: Vec<_> = shrunk
        .iter()
        .map(|list| format!("{} (now {}, before {})", list.file, number(list.now), number(list.before)))
        .collect();
    Failure::plain(
        keys::LIST_LOST,
        format!(
            "{}: not rebuilt, since the filter would lose words: a list has over 1 % fewer than before: {}; \
             restore the list, or accept that with filterctl update --drop-missing",
            filter.display(),
            lists.join(", ")
        ),
    )
}

/// The message for a filter that lacks lists.
pub(super) fn warn_of_dropped(filter: &Path, dropped: &[DroppedList]) {
    let lists: Vec<_> = dropped.iter().map(|list| format!("{} ({})", list.path, list.reason)).collect();
    failure::warn(
        keys::LIST_LOST,
        &format!(
            "{}: lacks the words of a list that cannot be used: {}; fix the list, or remove it from [update] \
             in nearmiss.conf, and run filterctl update",
            filter.display(),
            lists.join(", ")
        ),
    );
}

/// Warnings on standard error about skipped lists; dropped lists have their own.
pub(super) fn left_out(gathered: Gathered, dropped: &[DroppedList]) -> Vec<Skipped> {
    let is_dropped = |one: &RejectedList| dropped.iter().any(|dropped| dropped.path == one.file);
    let refused = gathered.refused.into_iter().filter(|one| !is_dropped(one)).map(RejectedList::left_out);
    gathered.skipped.into_iter().chain(refused).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_a_hundredth_is_lost() {
        let words =
            [("/a", 1000), ("/b", 99), ("/c", 0)].map(|(file, words)| (file.to_owned(), words)).into();
        let earlier = PreviousFilter { lists: Vec::new(), words, dropped: Vec::new() };
        let shrunk = |file, now| !earlier.shrunk([(file, now)].into_iter()).is_empty();
        assert_eq!(
            [("/a", 990), ("/a", 2000), ("/b", 99), ("/c", 0), ("/d", 0)].map(|(f, n)| shrunk(f, n)),
            [false; 5]
        );
        assert_eq!([("/a", 989), ("/a", 0), ("/b", 98)].map(|(f, n)| shrunk(f, n)), [true; 3]);
    }

    fn refused(file: &str, is_named: bool) -> RejectedList {
        RejectedList { file: file.to_owned(), reason: "is gone".to_owned(), is_named }
    }

    fn files<'a>(lost: &[&'a RejectedList]) -> Vec<&'a str> {
        lost.iter().map(|one| one.file.as_str()).collect()
    }

    #[test]
    fn what_the_earlier_filter_has_is_lost_and_what_it_lacks_is_not() {
        let dropped = |path: &str| DroppedList { path: path.to_owned(), reason: String::new() };
        let lists = vec!["/dict/used".to_owned(), "/dicts/other".to_owned(), "/named".to_owned()];
        let earlier = PreviousFilter {
            lists,
            words: Vec::new(),
            dropped: vec![dropped("/lacked"), dropped("/dict/lacked")],
        };
        let all = [
            refused("/named", true),
            refused("/new", true),
            refused("/lacked", true),
            refused("/dict/used", false),
            refused("/dict/junk", false),
            refused("/dict/lacked", false),
            refused("/dict", false),
            refused("/empty", false),
            refused("/dic", false),
        ];
        assert_eq!(files(&earlier.lost(&all)), ["/named", "/new", "/dict/used", "/dict"]);
        let dropped: Vec<_> = earlier.dropped(&all).into_iter().map(|list| list.path).collect();
        assert_eq!(dropped, ["/named", "/new", "/lacked", "/dict/used", "/dict/lacked", "/dict"]);
        let still = earlier.still_dropped(&all[..1], |path| path == "/dict/lacked");
        assert_eq!(
            still.iter().map(|list| list.path.as_str()).collect::<Vec<_>>(),
            ["/named", "/dict/lacked"]
        );
    }
}
