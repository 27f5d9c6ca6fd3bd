//! Lines of columns: counts and words, users and passwords, CSV.
//!
//! A word may contain the separator where it is not quoted: the columns before it are counted from the left,
//! the ones after it from the right, and the word is what is left.

mod numbers;

use std::{borrow::Cow, cell::RefCell};

use csv_core::{ReadRecordResult, Reader, ReaderBuilder};

use crate::columns::Role;
pub(crate) use numbers::{is_decimal, number, weight, weight_of_count, weight_of_rank, weight_of_share};

/// The text between columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Separator {
    /// Spaces and tabs, any number of them.
    Blanks,
    /// A tab.
    Tab,
    /// A comma.
    Comma,
    /// A semicolon.
    Semicolon,
    /// A vertical bar.
    Bar,
    /// A colon.
    Colon,
}

impl Separator {
    /// All of them, in the order in which a list is tried; blanks are part of other columns.
    pub const ALL: [Separator; 6] = [
        Separator::Tab,
        Separator::Semicolon,
        Separator::Comma,
        Separator::Bar,
        Separator::Colon,
        Separator::Blanks,
    ];

    /// The byte, as the start of a run for blanks.
    pub fn byte(self) -> u8 {
        match self {
            Separator::Blanks => b' ',
            Separator::Tab => b'\t',
            Separator::Comma => b',',
            Separator::Semicolon => b';',
            Separator::Bar => b'|',
            Separator::Colon => b':',
        }
    }

    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Separator::Blanks => "blanks",
            Separator::Tab => "tabs",
            Separator::Comma => "commas",
            Separator::Semicolon => "semicolons",
            Separator::Bar => "vertical bars",
            Separator::Colon => "colons",
        }
    }

    /// True where fields may be in quotes.
    pub(crate) fn quotes(self) -> bool {
        !matches!(self, Separator::Blanks | Separator::Colon)
    }

    fn matches(self, byte: u8) -> bool {
        byte == self.byte() || self == Separator::Blanks && byte == b'\t'
    }

    /// The first column and the rest.
    pub(crate) fn first(self, text: &[u8]) -> Option<(&[u8], &[u8])> {
        let text = self.trimmed(text);
        if let Some(text) = self.beyond_ascii(text) {
            let (field, rest) = text.split_once(char::is_whitespace)?;
            return Some((field.as_bytes(), rest.trim().as_bytes()));
        }
        let at = text.iter().position(|&byte| self.matches(byte))?;
        let (field, rest) = text.split_at_checked(at)?;
        Some((field, self.trimmed(rest.get(1..)?)))
    }

    /// The last column and what is before it.
    fn last(self, text: &[u8]) -> Option<(&[u8], &[u8])> {
        let text = self.trimmed(text);
        if let Some(text) = self.beyond_ascii(text) {
            let (before, field) = text.rsplit_once(char::is_whitespace)?;
            return Some((before.trim().as_bytes(), field.as_bytes()));
        }
        let at = text.iter().rposition(|&byte| self.matches(byte))?;
        let (before, field) = text.split_at_checked(at)?;
        Some((self.trimmed(before), field.get(1..)?))
    }

    /// Runs of blanks are one separator, and at the ends of a line none.
    fn trimmed(self, text: &[u8]) -> &[u8] {
        match self.beyond_ascii(text) {
            Some(text) => text.trim().as_bytes(),
            None if self == Separator::Blanks => text.trim_ascii(),
            None => text,
        }
    }

    /// The text if it may have blanks beyond ASCII, which separate as others do.
    fn beyond_ascii(self, text: &[u8]) -> Option<&str> {
        if self != Separator::Blanks || text.is_ascii() {
            return None;
        }
        std::str::from_utf8(text).ok()
    }

    /// All columns of a line.
    pub(crate) fn fields(self, line: &[u8]) -> Vec<Cow<'_, [u8]>> {
        if self.quotes() && line.contains(&b'"') {
            return unquoted(line, self).into_iter().map(Cow::Owned).collect();
        }
        // At once: each field by itself would look at the whole rest again.
        if let Some(text) = self.beyond_ascii(line).filter(|text| !text.trim().is_empty()) {
            return text.split_whitespace().map(|field| Cow::Borrowed(field.as_bytes())).collect();
        }
        let (mut rest, mut fields) = (line, Vec::new());
        while let Some((field, after)) = self.first(rest) {
            fields.push(Cow::Borrowed(field));
            rest = after;
        }
        fields.push(Cow::Borrowed(self.trimmed(rest)));
        fields
    }
}

/// The form of lines of columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// The separator of the columns.
    pub separator: Separator,
    /// All columns.
    pub roles: Vec<Role>,
    /// The column of the word.
    pub word: usize,
    /// True if the first line has the names of the columns.
    pub has_header: bool,
    /// True if all columns are counted from the left, since the user named one by its place.
    pub is_from_left: bool,
}

impl Table {
    /// The count in a line, in millionths, one of its rank if it has no count, 0 if it has neither, and the
    /// word; none for a line with fewer columns, and for one with a number in the place of the word and a
    /// text in that of the count.
    pub fn split<'a>(&self, line: &'a [u8]) -> Option<(u64, Cow<'a, [u8]>)> {
        let (count, word) = self.split_as_it_is(line)?;
        // In a table of Markdown a word may be marked as code.
        let inner = |word: &[u8]| Some(word.trim_ascii().strip_prefix(b"`")?.strip_suffix(b"`")?.to_vec());
        let code = if self.separator == Separator::Bar { inner(&word) } else { None };
        Some((count, code.map_or(word, Cow::Owned)))
    }

    fn split_as_it_is<'a>(&self, line: &'a [u8]) -> Option<(u64, Cow<'a, [u8]>)> {
        if self.separator.quotes() && line.contains(&b'"') {
            return self.split_quoted(line);
        }
        if self.separator == Separator::Tab || self.is_from_left {
            return self.split_from_left(line);
        }
        let (mut rest, mut count, mut is_text) = (line, 0, false);
        let is_ranked = !self.roles.contains(&Role::Count);
        let mut note = |at: usize, field: &[u8]| {
            if self.roles.get(at) == Some(&Role::Count) {
                count = weight(field).or((self.separator != Separator::Blanks).then_some(0))?;
                is_text = is_no_count(field);
            } else if is_ranked && self.roles.get(at) == Some(&Role::Rank) {
                count = number(field).map_or(0, weight_of_rank);
            }
            Some(())
        };
        for at in 0..self.word {
            let (field, after) = self.separator.first(rest)?;
            note(at, field)?;
            rest = after;
        }
        for at in (self.word.checked_add(1)?..self.roles.len()).rev() {
            let (before, field) = self.separator.last(rest)?;
            note(at, field)?;
            rest = before;
        }
        let word = self.separator.trimmed(rest);
        (!(is_text && number(word).is_some())).then_some((count, Cow::Borrowed(word)))
    }

    /// All columns are counted from the left: no word has a tab, and a column that is named by its place is
    /// that one.
    fn split_from_left<'a>(&self, line: &'a [u8]) -> Option<(u64, Cow<'a, [u8]>)> {
        let mut fields = self.separator.fields(line);
        let count = self.count_of(&fields)?;
        let is_long_enough = self.is_from_left || fields.len() > 1 || self.roles.len() < 2;
        (is_long_enough && self.word < fields.len()).then(|| (count, fields.swap_remove(self.word)))
    }

    fn split_quoted(&self, line: &[u8]) -> Option<(u64, Cow<'static, [u8]>)> {
        let mut fields = unquoted(line, self.separator);
        let count = self.count_of(&fields)?;
        (self.word < fields.len()).then(|| (count, Cow::Owned(fields.swap_remove(self.word))))
    }

    /// The count among these fields, 0 if there is none; none if it is a text, and the word a number.
    fn count_of<T: AsRef<[u8]>>(&self, fields: &[T]) -> Option<u64> {
        let of = |role: Role| self.roles.iter().position(|one| *one == role).and_then(|at| fields.get(at));
        let Some(field) = of(Role::Count) else {
            let rank = of(Role::Rank).and_then(|field| number(field.as_ref()));
            return Some(rank.map_or(0, weight_of_rank));
        };
        let is_number = || fields.get(self.word).is_some_and(|word| number(word.as_ref()).is_some());
        let is_swapped = is_no_count(field.as_ref()) && is_number();
        (!is_swapped).then(|| weight(field.as_ref()).unwrap_or(0))
    }

    /// The column of hashes.
    pub(crate) fn hash_column(&self) -> Option<usize> {
        self.roles.iter().position(|role| *role == Role::Hash)
    }

    /// True if its lines have counts, or ranks in their place.
    pub fn has_counts(&self) -> bool {
        self.roles.iter().any(|role| matches!(role, Role::Count | Role::Rank))
    }

    /// True if several columns may be the counts.
    pub fn has_unclear_counts(&self) -> bool {
        self.roles.contains(&Role::Number)
    }

    /// The name for reports: the columns and their separator.
    pub fn name(&self) -> String {
        let names: Vec<_> = self.roles.iter().map(|role| role.name()).collect();
        match self.separator {
            Separator::Blanks | Separator::Tab => {
                format!("{} by {}", names.join(","), self.separator.name())
            }
            other => names.join(std::str::from_utf8(&[other.byte()]).unwrap_or(",")),
        }
    }
}

/// A text in the place of a count: a word, not a sign for none.
fn is_no_count(field: &[u8]) -> bool {
    weight(field).is_none() && field.iter().any(|byte| byte.is_ascii_alphanumeric() || !byte.is_ascii())
}

thread_local! {
    /// Readers of one line each, kept since it takes ten times longer to build one than to read a line. They
    /// cannot be copied: a copy lacks the classes of bytes, and reads nothing.
    static READERS: RefCell<[Reader; 4]> = RefCell::new([b'\t', b';', b',', b'|'].map(built));
}

fn built(separator: u8) -> Reader {
    #[cfg(test)]
    tests::BUILT.set(tests::BUILT.get().saturating_add(1));
    ReaderBuilder::new().delimiter(separator).build()
}

/// The fields of a line of CSV with quotes (RFC 4180), without the blanks before a quote.
fn unquoted(line: &[u8], separator: Separator) -> Vec<Vec<u8>> {
    READERS.with_borrow_mut(|[tab, semicolon, comma, bar]| match separator {
        Separator::Tab => read(line, tab),
        Separator::Semicolon => read(line, semicolon),
        Separator::Bar => read(line, bar),
        Separator::Comma => read(line, comma),
        Separator::Blanks | Separator::Colon => vec![line.to_vec()],
    })
}

fn read(line: &[u8], reader: &mut Reader) -> Vec<Vec<u8>> {
    reader.reset();
    let mut text = vec![0; line.len().saturating_add(1)];
    let mut ends = vec![0; line.len().saturating_add(2)];
    let line = line.trim_ascii();
    let (first, read, mut written, mut fields) = reader.read_record(line, &mut text, &mut ends);
    if first == ReadRecordResult::InputEmpty {
        let rest = line.get(read..).unwrap_or_default();
        let room = text.get_mut(written..).unwrap_or_default();
        let more = ends.get_mut(fields..).unwrap_or_default();
        let (_, _, wrote, ended) = reader.read_record(rest, room, more);
        written = written.saturating_add(wrote);
        fields = fields.saturating_add(ended);
    }
    let mut start = 0;
    let ends = ends.get(..fields).unwrap_or_default();
    let field = |&end: &usize| {
        let field = text.get(std::mem::replace(&mut start, end)..end.min(written)).unwrap_or_default();
        field.to_vec()
    };
    ends.iter().map(field).collect()
}

#[cfg(test)]
mod tests;
