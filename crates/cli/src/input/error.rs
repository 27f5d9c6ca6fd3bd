//! Errors of lists.

mod section;

use std::{error::Error, fmt, io};

use nearmiss_filters::{
    keys::{Keyed, MessageKey},
    text::system_reason,
};

use nearmiss_lists::Refusal;

use super::{
    MaxText,
    decompress::{self, Format},
    max_text,
    ranges::faults::RangeProblem,
};
use crate::{keys, report::counted};

/// The reason why a list of zstd needs much memory, and what is done with it.
const LONG: &str = "than is allowed, as with zstd --long; unpack it";

/// What helps lists without counts beside lists with counts.
const WITHOUT: &str = "give every list counts, build a second filter of the lists without them, or leave \
                       these out, leave room with --capacity, and add them with filterctl add";

/// A list that cannot be used, by name, and the reason.
#[derive(Debug)]
pub struct InputError {
    name: String,
    problem: Problem,
    /// The command has keys of the configuration instead of options.
    is_of_section: bool,
}

/// A list's fault.
#[derive(Debug)]
pub(crate) enum Problem {
    /// The file cannot be opened.
    Open(io::Error),
    /// The file cannot be read.
    Read(io::Error),
    /// The compressed data is damaged, truncated, or needs more memory than allowed.
    Decompress(&'static str, io::Error),
    /// A frame of zstd has a larger window than a reader allows that is not asked to.
    Window,
    /// Standard input or a pipe cannot be copied to a temporary file.
    Spool(io::Error),
    /// Its unpacked text exceeds the size limit.
    TooLong(MaxText),
    /// A folder instead of a file.
    Folder,
    /// A device.
    Device,
    /// A container, which is not unpacked.
    Archive(&'static str),
    /// Most lines contain control characters or are too long.
    Binary {
        /// The lines that do not occur in word lists.
        strange: u64,
        /// All lines that are not blank.
        lines: u64,
    },
    /// A large part of a list of words gives none.
    Lost {
        /// Its share.
        percent: u64,
        /// A line of it.
        line: Option<u64>,
    },
    /// Too many lines are not digests of the expected kind.
    Malformed {
        /// The count.
        malformed: u64,
        /// All lines that are not blank.
        lines: u64,
        /// The file of the folder that contains the first of them.
        file: Option<String>,
        /// The first of them.
        line: u64,
        /// The form that the other lines have; none for digests.
        form: Option<String>,
    },
    /// The lines of a list of words contain something else, or could be read in several ways.
    Form(Refusal),
    /// Several columns may have the counts by which the most common words are to be found.
    Counts {
        /// They are numbers of JSON.
        are_of_json: bool,
    },
    /// Other lists have counts, by which the most common words are found, and these have none.
    SomeCounts {
        /// The names of the lists that have counts.
        with: String,
    },
    /// The rules of a dictionary cannot be used.
    Affixes(String, String),
    /// The document is not whole.
    Json(io::Error),
    /// Words that the list has are not in the finished filter.
    NotStored {
        /// Their number.
        missing: u64,
        /// The number of words that were looked up.
        looked_up: u64,
        /// The line of the first of them.
        line: u64,
    },
    /// A folder of range files of which some are missing, or have a fault.
    Ranges(Box<RangeProblem>),
    /// A folder without range files.
    NoRanges,
    /// It has no usable lines.
    NoWords,
    /// The counts of its digests, so many, are all below `--min-count`, or it has none.
    Rare(u64),
    /// Two readings of the file differ.
    Changed,
}

impl Format {
    /// The problem of a list in an unsupported format.
    pub(crate) fn problem(self) -> Option<Problem> {
        match self {
            Format::Archive(name) => Some(Problem::Archive(name)),
            _ => None,
        }
    }

    /// The reason why this format cannot be read.
    pub(crate) fn read_problem(self, source: io::Error) -> Problem {
        if let Some(most) = max_text::too_long(&source) {
            return Problem::TooLong(most);
        }
        match self {
            Format::Gzip => Problem::Decompress("gzip", source),
            Format::Zstd if decompress::needs_window(&source) => Problem::Window,
            Format::Zstd => Problem::Decompress("zstd", source),
            Format::Xz => Problem::Decompress("xz", source),
            _ => Problem::Read(source),
        }
    }
}

impl InputError {
    /// The list called `name` has this problem.
    pub(crate) fn new(name: &str, problem: Problem) -> InputError {
        InputError { name: name.to_owned(), problem, is_of_section: false }
    }
}

impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.name)?;
        match &self.problem {
            Problem::Open(source) => write!(f, "cannot be opened: {}", system_reason(source)),
            Problem::Read(source) => write!(f, "cannot be read: {}", system_reason(source)),
            Problem::Window => write!(f, "needs more memory to unpack {LONG}: {}", self.unpacking()),
            Problem::Decompress(format, source) => {
                write!(
                    f,
                    "the {format} data is damaged, cut short or too large to unpack: {}",
                    system_reason(source)
                )
            }
            Problem::Spool(source) => {
                write!(f, "cannot be copied to a temporary file: {}", system_reason(source))
            }
            Problem::TooLong(most) => {
                write!(
                    f,
                    "has more than {most} of text; if that is intended, raise the limit with --max-text"
                )
            }
            Problem::Folder => f.write_str("is a folder; name the files in it"),
            Problem::Device => f.write_str("is a device, not a word list"),
            Problem::Archive(format) => write!(f, "is a {format} archive; unpack it first"),
            Problem::Binary { strange, lines } => {
                write!(
                    f,
                    "is not a word list: {strange} of {lines} lines contain control characters or are too \
                     long"
                )?;
                let is_part = *strange <= lines / 2;
                f.write_str(if is_part { "; convert or remove that part" } else { "" })
            }
            Problem::Lost { percent, line } => {
                let line = line.map(|line| format!(", such as line {line}")).unwrap_or_default();
                write!(
                    f,
                    "about {percent} % of it has no words{line}: lines with control characters, in another \
                     form or charset, or too long, as where lists of different kinds were put together; \
                     convert that part or remove it"
                )
            }
            Problem::Malformed { malformed, lines, file, line, form: None } => {
                write!(f, "{malformed} of {lines} lines are not digests of this kind, first at line {line}")?;
                file.as_ref().map_or(Ok(()), |file| write!(f, " of {file}"))
            }
            Problem::Malformed { malformed, lines, line, form: Some(form), .. } => write!(
                f,
                "{malformed} of {lines} lines are not of the form that the others have ({form}), or without \
                 a word in their column, first at line {line}; remove them, or {}",
                self.other_form("name the right form with --form and --columns")
            ),
            Problem::Form(refusal) => refusal.fmt(f),
            Problem::Counts { are_of_json: true } => f.write_str(
                "has several numbers beside its words, any of which may be the counts that --top needs; \
                 call the right one \"count\" in a copy (sed 's/\"NAME\":/\"count\":/g')",
            ),
            Problem::Counts { are_of_json: false } => f.write_str(
                "has several columns of numbers, any of which may be the counts that --top needs; name all \
                 columns, for instance --columns word,other,count",
            ),
            Problem::SomeCounts { with } => {
                write!(
                    f,
                    "without counts, beside which --top takes only the lists with counts ({with}); {WITHOUT}"
                )
            }
            Problem::Affixes(file, reason) => {
                write!(f, "its rules in {file} cannot be used: {reason}; fix or remove that file")
            }
            Problem::Json(source) => {
                write!(f, "is not whole JSON: {source}; {}", self.other_form("name another form with --form"))
            }
            Problem::NotStored { missing, looked_up, line } => write!(
                f,
                "{missing} of {looked_up} words that were looked up in the finished filter are not found, \
                 first that of line {line}; the filter is not put in place; name the form with --form, and \
                 report this as a fault"
            ),
            Problem::Ranges(problem) => problem.fmt(f),
            Problem::NoRanges => f.write_str(
                "contains no range files, whose names, with their folders' names, are the first 5 \
                 hexadecimal digits of their digests, and .txt, .gz, .zst or .xz; name the folder of the \
                 ranges itself",
            ),
            Problem::NoWords => f.write_str("is empty: it contains no words"),
            Problem::Rare(lines) => {
                let digests = counted(*lines, "digest");
                write!(
                    f,
                    "has {digests}, none with a count that reaches --min-count; choose a lower one, or \
                     leave it out for a list without counts"
                )
            }
            Problem::Changed => {
                f.write_str("changed while it was being read; try again when no program is writing to it")
            }
        }
    }
}

impl Keyed for InputError {
    fn key(&self) -> MessageKey {
        match &self.problem {
            Problem::Open(source) | Problem::Read(source) | Problem::Spool(source) => source.key(),
            Problem::Decompress(..) | Problem::Window => keys::LIST_DAMAGED,
            Problem::TooLong(_) => keys::LIST_TOO_LONG,
            Problem::Folder
            | Problem::Device
            | Problem::Archive(_)
            | Problem::Binary { .. }
            | Problem::Lost { .. } => keys::LIST_NOT_WORDS,
            Problem::Malformed { form: Some(_), .. }
            | Problem::Form(..)
            | Problem::Counts { .. }
            | Problem::SomeCounts { .. }
            | Problem::Json(_)
            | Problem::Affixes(..) => keys::LIST_FORM,
            Problem::Malformed { .. } | Problem::NoRanges => keys::LIST_NOT_DIGESTS,
            Problem::Ranges(_) => keys::LIST_INCOMPLETE,
            Problem::NotStored { .. } => keys::LIST_NOT_STORED,
            Problem::NoWords | Problem::Rare(_) => keys::LIST_EMPTY,
            Problem::Changed => keys::LIST_CHANGED,
        }
    }
}

impl Error for InputError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match &self.problem {
            Problem::Open(source)
            | Problem::Read(source)
            | Problem::Decompress(_, source)
            | Problem::Json(source)
            | Problem::Spool(source) => Some(source),
            _ => None,
        }
    }
}
