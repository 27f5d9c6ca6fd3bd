//! The output of `filterctl build`.

use std::{
    io::{self, Write},
    path::{Path, PathBuf},
};

use nearmiss_cli::failure::printable;
use serde::Serialize;

use crate::{
    filter_file::change::Written,
    report::{Report, header::Facts, lists::Tally},
};

/// The result of a build, and its lists.
#[derive(Serialize)]
pub(super) struct BuildReport {
    file: String,
    #[serde(flatten)]
    facts: Facts,
    /// The file of the words' ranks.
    #[serde(skip_serializing_if = "Option::is_none")]
    ranks: Option<String>,
    /// What decided on the most common words: `counts`, or the `order` of the lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    top_by: Option<&'static str>,
    lists: Vec<Tally>,
}

impl BuildReport {
    pub(super) fn new(
        output: &Path,
        ranks: Option<PathBuf>,
        top: Option<bool>,
        written: Written,
    ) -> BuildReport {
        let ranks = ranks.map(|path| path.display().to_string());
        BuildReport {
            file: output.display().to_string(),
            facts: written.facts(),
            ranks,
            top_by: top.map(|by_counts| if by_counts { "counts" } else { "order" }),
            lists: written.lists,
        }
    }
}

impl Report for BuildReport {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{}", printable(&self.file))?;
        self.facts.write_text(out)?;
        if let Some(ranks) = &self.ranks {
            writeln!(out, "  ranks           {}", printable(ranks))?;
        }
        match self.top_by {
            Some("counts") => writeln!(out, "  most common     the words with the highest counts")?,
            Some(_) => writeln!(out, "  most common     the first words: no counts were found")?,
            None => {}
        }
        self.lists.iter().try_for_each(|list| list.write_text(out).and_then(|()| list.write_examples(out)))
    }
}
