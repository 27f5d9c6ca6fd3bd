//! The counts of lines of each list, as every command that reads lists reports them.

use std::io::{self, Write};

use indicatif::HumanCount;
use nearmiss_cli::{
    failure::printable,
    input::{Proof, WordList},
};
use nearmiss_filters::list::{LineCounts, Skip};
use nearmiss_lists::{Charset, Charsets, Reason};
use serde::{Serialize, Serializer};

use crate::report::counted;

/// The result for a list.
#[derive(Serialize)]
pub(crate) struct Tally {
    name: String,
    /// The form of its lines, if they are more than words.
    #[serde(skip_serializing_if = "Option::is_none")]
    form: Option<String>,
    /// The charset of all lines beyond ASCII, or of most of them.
    #[serde(serialize_with = "in_lower_case")]
    encoding: &'static str,
    /// The charset of the other lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    other: Option<OtherCharset>,
    lines: u64,
    accepted: u64,
    skipped: Vec<SkipTally>,
    /// Changes of words that a list needs and a person may not expect.
    changed: Vec<Change>,
    /// The ranges of a folder of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    ranges: Option<RangeTally>,
    /// The number of entries that were looked up in the finished filter, and found.
    found: u64,
    /// Some of them.
    examples: Vec<String>,
    /// The first lines that were left out.
    left_out: Vec<LeftOutLine>,
}

/// The ranges of a list that is a folder of them.
#[derive(Serialize)]
struct RangeTally {
    found: u32,
    /// Of all ranges, those that are not in the folder.
    missing: u32,
    /// The ranges of the folder that have no digests.
    empty: u64,
}

/// Lines in a second charset.
#[derive(Serialize)]
struct OtherCharset {
    #[serde(serialize_with = "in_lower_case")]
    encoding: &'static str,
    /// Another one in which they are read as well.
    #[serde(skip_serializing_if = "Option::is_none")]
    second: Option<&'static str>,
    lines: u64,
}

fn in_lower_case<S: Serializer>(name: &str, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&name.to_ascii_lowercase())
}

/// Words that are stored in another way than their lines have them.
#[derive(Serialize)]
struct Change {
    words: u64,
    what: &'static str,
}

/// A line that was left out, and the reason.
#[derive(Serialize)]
struct LeftOutLine {
    line: u64,
    text: String,
    reason: String,
}

/// Lines that were left out.
#[derive(Serialize)]
struct SkipTally {
    reason: String,
    lines: u64,
    first_line: u64,
    /// The file of a folder that has the first of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    first_file: Option<String>,
}

/// The result for each list.
pub(crate) fn of(lists: &[WordList], counts: &[LineCounts]) -> Vec<Tally> {
    lists.iter().zip(counts).map(|(list, counts)| Tally::new(list, counts)).collect()
}

/// The results with the entries that were looked up.
pub(crate) fn proved(mut lists: Vec<Tally>, proofs: Vec<Proof>) -> Vec<Tally> {
    for (tally, proof) in lists.iter_mut().zip(proofs) {
        (tally.found, tally.examples) = (proof.found, proof.examples);
    }
    lists
}

impl Tally {
    fn new(list: &WordList, counts: &LineCounts) -> Tally {
        let skipped = Skip::ALL.into_iter().filter_map(|reason| SkipTally::new(reason, list, counts));
        let charsets = list.charsets();
        let read = list.tally();
        let change = |words: u64, what: &'static str| (words > 0).then_some(Change { words, what });
        let left_out = read.examples.iter().map(|left| LeftOutLine {
            line: left.line,
            text: charsets.shown(&left.text),
            reason: left.reason.to_string(),
        });
        Tally {
            name: list.name().to_owned(),
            form: list.form(),
            encoding: charsets.name(),
            other: OtherCharset::of(&charsets),
            lines: counts.read,
            accepted: counts.accepted,
            skipped: skipped.chain(SkipTally::of_reader(&read)).collect(),
            changed: [
                change(read.trimmed, "words stored without the blanks at their ends"),
                change(read.hexadecimal, "words stored as the characters of their $HEX[...]"),
                change(
                    read.unseen,
                    "words stored without characters that are not seen, or without the quotes around them",
                ),
                change(
                    read.cut,
                    "entries stored with a part of their forms, the ones with the fewest affixes",
                ),
                change(read.read_twice, "words stored as read in two charsets, since both are possible"),
            ]
            .into_iter()
            .flatten()
            .collect(),
            ranges: list.ranges().map(|(census, empty)| RangeTally {
                found: census.found,
                missing: census.missing,
                empty,
            }),
            found: 0,
            examples: Vec::new(),
            left_out: left_out.collect(),
        }
    }

    /// The list's name.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The number of its lines that were used.
    pub(crate) fn accepted(&self) -> u64 {
        self.accepted
    }

    /// The result without words of the list: for reports that a log may keep.
    pub(crate) fn without_words(mut self) -> Tally {
        self.examples.clear();
        self.left_out.clear();
        self
    }

    /// Writes the tally as text.
    ///
    /// # Errors
    /// The errors of `out`.
    pub(crate) fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        let (name, accepted) = (printable(&self.name), HumanCount(self.accepted));
        let lines = counted(self.lines, "line");
        let form = self.form.as_ref().map(|form| format!("{}, ", printable(form))).unwrap_or_default();
        let of = if self.accepted > self.lines { "words from" } else { "of" };
        let read = if self.lines == 0 {
            "not read, since enough words were found before".to_owned()
        } else {
            format!("{accepted} {of} {lines}")
        };
        writeln!(out, "  from {name} ({form}{}): {read}", self.encoding)?;
        if let Some(RangeTally { found, missing, empty }) = &self.ranges {
            let [found, missing, empty] = [u64::from(*found), u64::from(*missing), *empty].map(HumanCount);
            writeln!(out, "    ranges: {found}, missing {missing}, empty {empty}")?;
        }
        if let Some(other) = &self.other {
            let second = other.second.map(|second| format!(" and as {second}")).unwrap_or_default();
            writeln!(out, "    {} read as {}{second}", counted(other.lines, "line"), other.encoding)?;
        }
        for change in &self.changed {
            writeln!(out, "    {}: {}", change.what, HumanCount(change.words))?;
        }
        self.skipped.iter().try_for_each(|skip| skip.write_text(out))
    }

    /// Writes entries that were stored, and lines that were left out: for reports that no log keeps, since
    /// both may be passwords.
    ///
    /// # Errors
    /// The errors of `out`.
    pub(crate) fn write_examples(&self, out: &mut dyn Write) -> io::Result<()> {
        if self.found > 0 {
            let examples: Vec<String> = self.examples.iter().map(|word| printable(word)).collect();
            writeln!(
                out,
                "    looked up in the filter: {}, all found, such as {}",
                HumanCount(self.found),
                examples.join(", ")
            )?;
        }
        self.left_out.iter().try_for_each(|left| {
            writeln!(out, "    left out line {} ({}): {}", left.line, left.reason, printable(&left.text))
        })
    }
}

impl OtherCharset {
    fn of(charsets: &Charsets) -> Option<OtherCharset> {
        let other = charsets.other.filter(|_| charsets.said.is_none())?;
        let is_main = charsets.name() == other.name();
        let (encoding, lines) =
            if is_main { ("UTF-8", charsets.utf8_lines) } else { (other.name(), charsets.other_lines) };
        let second = charsets.second().filter(|_| !is_main).map(Charset::name);
        (lines > 0).then_some(OtherCharset { encoding, second, lines })
    }
}

impl SkipTally {
    /// The lines that the reader of the list's form left out.
    fn of_reader(read: &nearmiss_lists::Tally) -> impl Iterator<Item = SkipTally> {
        let of_reason = |reason: Reason| {
            let (lines, first_line) = read.left_out_for(reason);
            let skipped = SkipTally { reason: reason.to_string(), lines, first_line, first_file: None };
            (lines > 0).then_some(skipped)
        };
        Reason::ALL.into_iter().filter_map(of_reason)
    }

    fn new(reason: Skip, list: &WordList, counts: &LineCounts) -> Option<SkipTally> {
        let mut skipped = counts.skipped_for(reason);
        if list.is_of_words() && reason == Skip::Malformed {
            return None;
        }
        if reason == Skip::Blank {
            // Lines that the reader left out give blank ones, unless they count as malformed.
            let read = list.tally();
            let left_out: u64 = Reason::ALL.map(|reason| read.left_out_for(reason).0).iter().sum();
            let blank = left_out.saturating_sub(counts.skipped_for(Skip::Malformed).lines);
            skipped.lines = skipped.lines.saturating_sub(blank);
        }
        if skipped.lines == 0 {
            return None;
        }
        let (first_file, first_line) = list.place(skipped.first);
        Some(SkipTally { reason: reason.to_string(), lines: skipped.lines, first_line, first_file })
    }

    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        let (lines, reason, first) = (HumanCount(self.lines), &self.reason, self.first_line);
        let are = if self.lines == 1 { "line is" } else { "lines are" };
        write!(out, "    left out: {lines} {are} {reason}, the first is line {first}")?;
        match &self.first_file {
            Some(file) => writeln!(out, " of {}", printable(file)),
            None => writeln!(out),
        }
    }
}
