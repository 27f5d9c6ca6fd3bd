//! The fate of a list's lines: how many have words, how many were left out, and examples.

use std::fmt;

use crate::form::Form;

/// The reason why a line gives no word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// It is not of the list's form.
    Form,
    /// The column of its word is empty.
    Empty,
    /// It is a comment.
    Comment,
    /// It has the names of the columns, or the number of the entries.
    Header,
    /// Its bytes are not of the list's charset.
    Charset,
    /// The dictionary says that it is no word by itself.
    Forbidden,
}

impl Reason {
    /// All reasons, each at its number.
    pub const ALL: [Reason; 6] =
        [Reason::Form, Reason::Empty, Reason::Comment, Reason::Header, Reason::Charset, Reason::Forbidden];

    /// True if a line for this reason is not of the list's form. A column of which the first line gives the
    /// name is the right one, though it may be empty.
    pub(crate) fn is_of_another(self, form: &Form) -> bool {
        match self {
            Reason::Form | Reason::Charset => true,
            Reason::Empty => !form.has_header(),
            Reason::Comment | Reason::Header | Reason::Forbidden => false,
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Reason::Form => "of another form",
            Reason::Empty => "without a word in their column",
            Reason::Comment => "a comment",
            Reason::Header => "a header",
            Reason::Charset => "of another charset",
            Reason::Forbidden => "no word by itself",
        })
    }
}

/// A line that was left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// Its number in the list, from 1.
    pub line: u64,
    /// Its bytes, without its end.
    pub text: Vec<u8>,
    /// The reason.
    pub reason: Reason,
}

/// The number of examples that are kept.
const EXAMPLES: usize = 5;

/// The most bytes of an example that are kept.
const EXAMPLE_BYTES: usize = 120;

/// The fate of the lines that were read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// All lines.
    pub lines: u64,
    /// Words whose ends had blanks, which were cut.
    pub trimmed: u64,
    /// Words that were written as `$HEX[…]`.
    pub hexadecimal: u64,
    /// Words that had characters that are not seen, or quotes of typography around them.
    pub unseen: u64,
    /// Entries of a dictionary that have more forms than are stored.
    pub cut: u64,
    /// Words that could be read in two charsets, and were.
    pub read_twice: u64,
    /// Lines without a word, for each of [`Reason::ALL`], and the first of them.
    left_out: [(u64, u64); Reason::ALL.len()],
    /// The first of them.
    pub examples: Vec<LeftOut>,
    /// True once a line was read that is neither blank nor a comment.
    pub(crate) has_begun: bool,
}

impl Tally {
    /// The number of lines that were left out for this reason, and the first of them.
    pub fn left_out_for(&self, reason: Reason) -> (u64, u64) {
        self.left_out.get(reason as usize).copied().unwrap_or_default()
    }

    pub(crate) fn leave_out(&mut self, reason: Reason, line: &[u8]) {
        if let Some((lines, first)) = self.left_out.get_mut(reason as usize) {
            *lines = lines.saturating_add(1);
            if *first == 0 {
                *first = self.lines;
            }
        }
        if self.examples.len() < EXAMPLES {
            let text = line.get(..EXAMPLE_BYTES).unwrap_or(line).to_vec();
            self.examples.push(LeftOut { line: self.lines, text, reason });
        }
    }
}
