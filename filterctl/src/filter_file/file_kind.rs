//! The files of nearmiss that are not filters, as reported by `info` and `verify`: counts, ladders and their
//! keys. None of them can be rebuilt from lists alone, so the advice never overwrites one.

use std::{
    fs::{self, File},
    io::{self, Read, Write},
    path::Path,
};

use nearmiss_cli::{
    exit::Exit,
    failure::{Failure, Outcome, printable},
    keys, paths,
};
use nearmiss_filters::{
    dictionary::counters::Counters,
    format::MAGIC,
    ladder::{open_array, read_key},
};
use nearmiss_policy::config::PACKAGED;
use serde::Serialize;

use crate::{
    filter_file::{provenance::Provenance, update_state::UpdateState},
    report::{self, Report, counted},
};

/// The first bytes of counts: see FORMAT-COUNTS.md.
const COUNTS_MAGIC: &[u8] = b"\x89NMC\r\n\x1a\n";
/// The first bytes of a ladder of any format: see FORMAT-LADDER.md.
const LADDER_MAGIC: &[u8] = b"NMLADDER";

/// A file that is not a filter.
#[derive(Clone, Copy, Serialize)]
#[serde(rename_all = "kebab-case")]
enum OtherKind {
    /// The counts of a filter.
    Counts,
    /// A ladder.
    Ladder,
    /// A ladder's key.
    LadderKey,
}

impl OtherKind {
    /// The kind of the file at `path`, if it is one of these. A pipe is not opened, since that would wait.
    fn at(path: &Path) -> Option<OtherKind> {
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
            b"NMLADKEY" => Some(OtherKind::LadderKey),
            _ => None,
        }
    }

    fn name(self) -> &'static str {
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

/// Refuses to overwrite anything else than the counts of a filter by counts.
///
/// # Errors
/// A [`Failure`] that names it.
pub(crate) fn refuse_to_replace_by_counts(path: &Path) -> Result<(), Failure> {
    refuse_others(path, COUNTS_MAGIC, "the counts of a filter")
}

/// Refuses to replace or rename anything else than a ladder for a new one.
///
/// # Errors
/// A [`Failure`] that names it.
pub(crate) fn refuse_to_replace_by_ladder(path: &Path) -> Result<(), Failure> {
    refuse_others(path, LADDER_MAGIC, "a ladder")
}

/// Refuses to overwrite a regular file that begins otherwise; an empty file is nothing that could be lost.
fn refuse_others(path: &Path, magic: &[u8], what: &str) -> Result<(), Failure> {
    let mut first = Vec::new();
    let is_file = fs::symlink_metadata(path).is_ok_and(|file| file.is_file());
    let mut read = || File::open(path)?.take(magic.len() as u64).read_to_end(&mut first);
    // What cannot be read is reported when it is to be replaced.
    if !is_file || read().is_err() || magic.starts_with(&first) || first.iter().all(|&byte| byte == 0) {
        return Ok(());
    }
    Err(Failure::plain(
        keys::FILE_NOT_REPLACED,
        format!(
            "{}: is not {what}; refused to overwrite it; name another file, or remove it first",
            path.display()
        ),
    ))
}

/// True with the record of a filter beside it, and in the place of a packaged filter.
fn is_recorded(path: &Path) -> bool {
    // An update that failed leaves a record beside any file.
    let is_updated = || UpdateState::read(path).is_ok_and(|state| state.is_some_and(|s| s.rebuilt.is_some()));
    PACKAGED.iter().any(|file| path == Path::new(file)) || Provenance::beside(path).is_some() || is_updated()
}

/// Refuses to overwrite anything else than a filter by a filter: another file of nearmiss, and a file of
/// which nothing says that it is a filter, such as a list of words. A damaged filter is replaced: one that
/// begins like a filter, one of which the system has lost the beginning, and one with its records beside it.
///
/// # Errors
/// A [`Failure`] that names it.
pub(crate) fn refuse_to_replace(path: &Path) -> Result<(), Failure> {
    match OtherKind::at(path) {
        None if is_recorded(path) => Ok(()),
        None => refuse_others(path, &MAGIC, "a filter"),
        Some(kind) => Err(Failure::plain(
            keys::FILE_NOT_REPLACED,
            format!(
                "{}: is {}; refused to overwrite it with a filter; name another file",
                path.display(),
                kind.name()
            ),
        )),
    }
}
