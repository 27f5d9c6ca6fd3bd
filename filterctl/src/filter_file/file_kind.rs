//! The files of nearmiss that are not filters, as reported by `info` and `verify`: counts, ladders and their
//! keys. None of them can be rebuilt from lists alone, so the advice never overwrites one.

use std::{
    fs::{self, File},
    io::{self, Read, Write},
    path::Path,
};

use nearmiss_cli::{
    exit::Exit,
    failure::{Outcome, printable},
    paths,
};
use nearmiss_filters::{
    dictionary::counters::Counters,
    ladder::{open_array, read_key},
};
use serde::Serialize;

use crate::report::{self, Report, counted};

/// The first bytes of counts: see FORMAT-COUNTS.md.
pub(super) const COUNTS_MAGIC: &[u8] = b"\x89NMC\r\n\x1a\n";
/// The first bytes of a ladder of any format: see FORMAT-LADDER.md.
pub(super) const LADDER_MAGIC: &[u8] = b"NMLADDER";
/// The first bytes of a ladder's key.
pub(super) const KEY_MAGIC: &[u8] = b"NMLADKEY";

/// A file that is not a filter.
#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum OtherKind {
    /// The counts of a filter.
    Counts,
    /// A ladder.
    Ladder,
    /// A ladder's key.
    LadderKey,
}

impl OtherKind {
    /// The kind of the file at `path`, if it is one of these. A pipe is not opened, since that would wait.
    pub(super) fn at(path: &Path) -> Option<OtherKind> {
        let mut first = [0; 8];
        fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
        File::open(path).and_then(|mut file| file.read_exact(&mut first)).ok()?;
        OtherKind::of(&first)
    }

    /// By the first bytes: see FORMAT-COUNTS.md and FORMAT-LADDER.md.
    fn of(first: &[u8]) -> Option<OtherKind> {
        match first {
            _ if first == COUNTS_MAGIC => Some(OtherKind::Counts),
            _ if first == LADDER_MAGIC => Some(OtherKind::Ladder),
            _ if first == KEY_MAGIC => Some(OtherKind::LadderKey),
            _ => None,
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            OtherKind::Counts => "the counts of a filter",
            OtherKind::Ladder => "a ladder",
            OtherKind::LadderKey => "the key of a ladder",
        }
    }

    fn advice(self) -> &'static str {
        match self {
            OtherKind::Counts => {
                "filterctl remove and filterctl add --counts change it together with its filter"
            }
            OtherKind::Ladder => "filterctl ladder info and filterctl doctor --only ladder examine it",
            OtherKind::LadderKey => "keep it: the ladder that was made with it cannot be used without it",
        }
    }
}

/// The report on such a file.
#[derive(Serialize)]
struct OtherFile {
    file: String,
    file_kind: OtherKind,
    is_intact: bool,
    problems: Vec<String>,
    /// Its content, in words.
    holds: String,
}

/// Reports on the file if it is one of these, and returns the exit code.
///
/// # Errors
/// Standard output cannot be written.
pub(crate) fn report_on(path: &Path, as_json: bool) -> Option<Outcome> {
    OtherKind::at(path).map(|kind| OtherFile::of(path, kind).print(as_json))
}

impl OtherFile {
    fn of(path: &Path, file_kind: OtherKind) -> OtherFile {
        let examined = examine(&paths::absolute(path), file_kind);
        let (is_intact, problems, holds) = match examined {
            Ok(holds) => (true, Vec::new(), holds),
            Err(problem) => (false, vec![problem], file_kind.name().to_owned()),
        };
        OtherFile { file: path.display().to_string(), file_kind, is_intact, problems, holds }
    }

    fn print(&self, as_json: bool) -> Outcome {
        report::print(self, as_json)?;
        Ok(if self.is_intact { Exit::Done } else { Exit::No })
    }
}

/// The file's content.
///
/// # Errors
/// Its fault.
fn examine(path: &Path, kind: OtherKind) -> Result<String, String> {
    match kind {
        OtherKind::Counts => {
            let counters = Counters::open(path).map_err(|e| e.to_string())?;
            Ok(format!("the counts of a filter of {}", counted(counters.counts().words, "word")))
        }
        OtherKind::Ladder => {
            let array = open_array(path).map_err(|e| e.to_string())?;
            let bits = array.map_or(0, |(header, _)| header.params.bits());
            Ok(format!("a ladder of {}", counted(bits, "bit")))
        }
        OtherKind::LadderKey => {
            read_key(path).map(|_| OtherKind::LadderKey.name().to_owned()).map_err(|e| e.to_string())
        }
    }
}

impl Report for OtherFile {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        let (file, state) = (printable(&self.file), if self.is_intact { ", intact" } else { "" });
        writeln!(out, "{file}: {}{state}", self.holds)?;
        self.problems.iter().try_for_each(|problem| writeln!(out, "  PROBLEM  {}", printable(problem)))?;
        writeln!(out, "  {}", self.file_kind.advice())
    }
}
