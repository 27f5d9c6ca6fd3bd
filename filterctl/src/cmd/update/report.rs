//! The output of `filterctl update`.

use std::{
    io::{self, Write},
    path::Path,
};

use indicatif::HumanCount;
use nearmiss_cli::failure::printable;
use nearmiss_filters::dictionary::sizing::MANY_NEAR_WORDS;
use serde::Serialize;

use super::sources::Skipped;
use crate::{
    filter_file::update_state::DroppedList,
    report::{Report, header::Facts, lists::Tally},
};

/// The result for the filter.
#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum RebuildState {
    /// It was built.
    Rebuilt,
    /// Nothing has changed.
    UpToDate,
    /// It was built by another command, or on another host, and is not changed.
    NotOurs,
}

/// The result of the command.
#[derive(Serialize)]
pub(super) struct Update {
    pub(super) file: String,
    pub(super) rebuilt: bool,
    pub(super) state: RebuildState,
    #[serde(flatten)]
    pub(super) facts: Option<Facts>,
    pub(super) lists: Vec<Tally>,
    pub(super) skipped: Vec<Skipped>,
    /// The lists that the filter is to have and lacks.
    pub(super) dropped: Vec<DroppedList>,
    /// The lists that are looked up for exact matches only, being too long for near matches.
    pub(super) exactly: Vec<String>,
}

impl Update {
    /// The filter stays.
    pub(super) fn unchanged(
        file: &Path,
        state: RebuildState,
        skipped: Vec<Skipped>,
        dropped: Vec<DroppedList>,
    ) -> Update {
        Update {
            file: file.display().to_string(),
            rebuilt: false,
            state,
            facts: None,
            lists: Vec::new(),
            skipped,
            dropped,
            exactly: Vec::new(),
        }
    }
}

impl Update {
    /// Only in this report: the lists are in the exact filter's report, too.
    fn write_exactly(&self, out: &mut dyn Write) -> io::Result<()> {
        self.exactly.iter().try_for_each(|list| {
            writeln!(
                out,
                "  exact only      {}: near filters have at most {} words",
                printable(list),
                HumanCount(MANY_NEAR_WORDS)
            )
        })
    }

    fn write_dropped(&self, out: &mut dyn Write) -> io::Result<()> {
        self.dropped.iter().try_for_each(|dropped| {
            writeln!(out, "  lacks {}: {}", printable(&dropped.path), printable(&dropped.reason))
        })
    }
}

impl Report for Update {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        let file = printable(&self.file);
        let Some(facts) = &self.facts else {
            let state = if self.state == RebuildState::UpToDate { "up to date" } else { "not changed" };
            writeln!(out, "{file}: {state}")?;
            return self.write_dropped(out);
        };
        writeln!(out, "{file}")?;
        facts.write_text(out)?;
        self.lists.iter().try_for_each(|list| list.write_text(out))?;
        self.skipped.iter().try_for_each(|skipped| {
            writeln!(out, "  skipped {}: {}", printable(&skipped.file), printable(&skipped.reason))
        })?;
        self.write_exactly(out)?;
        self.write_dropped(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(state: RebuildState, dropped: Vec<DroppedList>) -> String {
        let mut out = Vec::new();
        let update = Update::unchanged(Path::new("/srv/words.filter"), state, Vec::new(), dropped);
        update.write_text(&mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_filter_that_stays_says_why_and_which_lists_it_lacks() {
        let dropped = DroppedList { path: "/srv/company".to_owned(), reason: "is gone".to_owned() };
        for (state, says) in [(RebuildState::UpToDate, "up to date"), (RebuildState::NotOurs, "not changed")]
        {
            let line = format!("/srv/words.filter: {says}\n");
            assert_eq!(text(state, Vec::new()), line);
            assert_eq!(text(state, vec![dropped.clone()]), line + "  lacks /srv/company: is gone\n");
        }
    }
}
