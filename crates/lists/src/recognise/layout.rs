//! The columns of lines with one separator, and what each of them contains.

use super::{
    Beginning,
    names::{end_of, is_known, role_of},
    numbers,
};
use crate::{
    columns::Role,
    hashes::{self, Hash},
    line::{is_most, nine_in_ten},
    table::{Separator, Table, is_decimal, number},
};

/// The fields of lines that have as many as most lines.
pub(super) struct Layout {
    pub(super) separator: Separator,
    /// The number of columns.
    pub(super) columns: usize,
    /// The fields of each line with that many.
    rows: Vec<Vec<Vec<u8>>>,
    /// The fields of the first line.
    first: Vec<Vec<u8>>,
    /// The number of all lines.
    lines: usize,
}

/// The content of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content {
    Text,
    Number,
    Hash(Hash),
    Mail,
    Url,
    Blank,
}

impl Layout {
    /// The columns of lines with this separator; none if fewer than nine lines in ten have as many.
    pub(super) fn of(beginning: &Beginning<'_>, separator: Separator) -> Option<Layout> {
        let has_it = |line: &[u8]| match separator {
            Separator::Blanks => separator.first(line).is_some(),
            other => line.contains(&other.byte()),
        };
        if !beginning.most(has_it) {
            return None;
        }
        let all: Vec<Vec<Vec<u8>>> = beginning
            .lines
            .iter()
            .map(|line| separator.fields(line).into_iter().map(std::borrow::Cow::into_owned).collect())
            .collect();
        let lines = all.len();
        let at_least = |columns: usize| all.iter().filter(|row| row.len() >= columns).count();
        // Surplus separators may belong to the word: the number of columns is that of most lines.
        let exactly = |columns: usize| all.iter().filter(|row| row.len() == columns).count();
        let most_columns = all.iter().map(Vec::len).max().unwrap_or(0).min(MOST_COLUMNS);
        let columns = (2..=most_columns).max_by_key(|&columns| exactly(columns))?;
        if !nine_in_ten(at_least(columns), lines) {
            return None;
        }
        let first = all.first().cloned().unwrap_or_default();
        let rows = all.into_iter().filter(|row| row.len() == columns).collect();
        Some(Layout { separator, columns, rows, first, lines })
    }

    /// The content of a column, by its lines after the first, which may have names.
    pub(super) fn content(&self, at: usize) -> Content {
        let rows = if self.rows.len() > 1 { self.rows.get(1..) } else { self.rows.get(..) };
        let fields = rows.unwrap_or_default().iter().filter_map(|row| row.get(at)).map(Vec::as_slice);
        let filled = fields.clone().filter(|field| !field.trim_ascii().is_empty());
        if filled.clone().count() == 0 {
            return Content::Blank;
        }
        if is_most(filled.clone(), is_number) {
            return Content::Number;
        }
        let in_full = filled.clone().filter(|field| is_des_crypt(field)).count();
        if is_most(filled.clone(), is_like_des_crypt) && in_full.saturating_mul(2) >= filled.clone().count() {
            return Content::Hash(Hash::Other("DES crypt hashes"));
        }
        let hash = filled.clone().find_map(hash_of);
        match hash.filter(|hash| is_most(filled.clone(), |field| hash_of(field) == Some(*hash))) {
            Some(hash) => Content::Hash(hash),
            None if is_most(filled.clone(), is_mail) => Content::Mail,
            None if is_most(filled, is_url) => Content::Url,
            None => Content::Text,
        }
    }

    /// True for columns of numbers that rise by one or fall: ranks and counts of a list in order.
    pub(super) fn is_in_order(&self, at: usize) -> bool {
        let numbers: Vec<u64> = self.rows.iter().filter_map(|row| number(row.get(at)?)).collect();
        let falls = numbers.windows(2).filter(|pair| matches!(pair, [a, b] if a >= b)).count();
        let is_next = |pair: &&[u64]| matches!(pair, [a, b] if a.checked_add(1) == Some(*b));
        let rises = numbers.windows(2).filter(is_next).count();
        let all = numbers.len().saturating_sub(1);
        let are_nearly_all = |pairs: usize| pairs.saturating_mul(20) >= all.saturating_mul(19);
        let is_rank = numbers.first().is_some_and(|first| *first <= 1) && are_nearly_all(rises);
        all > 1 && (are_nearly_all(falls) && numbers.first() > numbers.last() || is_rank)
    }

    /// False for numbers that may be something else than counts, in a column without a name.
    pub(super) fn are_counts(&self, at: usize) -> bool {
        let fields: Vec<&[u8]> =
            self.rows.iter().filter_map(|row| row.get(at)).map(|field| field.trim_ascii()).collect();
        // The first line of a list without names may have another text.
        let is_named = (0..self.columns).any(|at| self.name(at).is_some_and(|name| is_known(&name)));
        self.has_header() && is_named || fields.len() < SOME || numbers::are_counts(&fields)
    }

    /// The name of a column in the first line, in lower case.
    pub(super) fn name(&self, at: usize) -> Option<String> {
        let name = std::str::from_utf8(self.first.get(at)?).ok()?.trim();
        (!name.is_empty()).then(|| name.to_lowercase())
    }

    /// True if the first line has the names of the columns: one of them is known, and its column is not of
    /// numbers; or a name stands over a column of numbers or hashes.
    pub(super) fn has_header(&self) -> bool {
        if self.first.len() != self.columns || self.rows.len() < 2 {
            return false;
        }
        let is_name = |at: usize| self.name(at).is_some_and(|name| !is_number(name.as_bytes()));
        let is_known =
            |at: usize| self.name(at).is_some_and(|name| is_known(&name)) && !self.is_on_other_lines(at);
        let is_over = |at: usize| {
            let first = self.first.get(at).map(Vec::as_slice).unwrap_or_default();
            matches!(self.content(at), Content::Number) && is_name(at)
                || matches!(self.content(at), Content::Hash(_)) && is_name(at) && hash_of(first).is_none()
                || self.content(at) == Content::Mail && is_known(at) && !is_mail(first)
        };
        let known = (0..self.columns).filter(|&at| is_known(at)).count();
        let is_all_names = (0..self.columns).all(|at| self.content(at) == Content::Blank || is_name(at));
        is_all_names && (known >= 2 || (0..self.columns).any(is_over))
    }

    /// True if the next line has the first line's field again, or nearly all lines have its end, as a label
    /// is behind a value: a name of a column is on no other line.
    fn is_on_other_lines(&self, at: usize) -> bool {
        let Some(name) = self.name(at) else { return false };
        let fields = || self.rows.iter().filter_map(|row| row.get(at));
        let has_end = |field: &&Vec<u8>| {
            std::str::from_utf8(field)
                .is_ok_and(|field| end_of(&field.trim().to_lowercase()) == end_of(&name))
        };
        self.rows.get(1).is_some_and(|row| row.get(at) == self.first.get(at))
            || nine_in_ten(fields().filter(has_end).count(), fields().count())
    }

    /// The table whose word is in this column.
    pub(super) fn table(&self, word: usize) -> Table {
        let has_header = self.has_header();
        let role = |at: usize| match self.content(at) {
            _ if at == word => Role::Word,
            Content::Number => self.role_of_number(at, word),
            Content::Hash(_) => Role::Hash,
            Content::Mail => Role::User,
            Content::Url => Role::Url,
            _ => Role::Other,
        };
        Table {
            separator: self.separator,
            roles: (0..self.columns).map(role).collect(),
            word,
            has_header,
            is_from_left: false,
        }
    }

    pub(super) fn is_count(&self, at: usize) -> bool {
        self.content(at) == Content::Number && !self.is_rank(at)
    }

    /// Numbers that rise on each line: ranks, or the numbers of dice.
    pub(super) fn is_rank(&self, at: usize) -> bool {
        let is_named = self.name(at).is_some_and(|name| role_of(&name) == Role::Rank);
        let numbers: Vec<u64> = self.rows.iter().filter_map(|row| number(row.get(at)?)).collect();
        let rises = numbers.windows(2).all(|pair| matches!(pair, [a, b] if a < b));
        let is_first = numbers.first().is_some_and(|first| *first <= 1);
        is_named || rises && numbers.len() > 2 && (is_first || numbers.len() >= SOME)
    }

    /// True if nine in ten lines have exactly this many columns.
    pub(super) fn is_regular(&self) -> bool {
        self.rows.len() >= SOME && nine_in_ten(self.rows.len(), self.lines)
    }
}

/// Fewer lines than this may have something in common by chance.
pub(super) const SOME: usize = 20;

/// The most columns of a table.
const MOST_COLUMNS: usize = 64;

/// A number: a count, a rank, a share.
fn is_number(field: &[u8]) -> bool {
    let field = field.trim_ascii();
    let field = field.strip_suffix(b"%").unwrap_or(field);
    number(field).is_some() || std::str::from_utf8(field).is_ok_and(is_decimal)
}

/// Two characters of salt and eleven of the hash (crypt(5)).
fn is_like_des_crypt(field: &[u8]) -> bool {
    let is_all = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'/');
    field.len() == 13 && field.iter().all(is_all)
}

/// One with all kinds of characters: most hashes have them, and few words of this length.
fn is_des_crypt(field: &[u8]) -> bool {
    let has = |is_so: fn(&u8) -> bool| field.iter().any(is_so);
    is_like_des_crypt(field)
        && has(u8::is_ascii_uppercase)
        && has(u8::is_ascii_lowercase)
        && has(|byte| !byte.is_ascii_alphabetic())
}

fn hash_of(field: &[u8]) -> Option<Hash> {
    std::str::from_utf8(field.trim_ascii()).ok().and_then(hashes::of)
}

fn is_mail(field: &[u8]) -> bool {
    let field = field.trim_ascii();
    let at = field.iter().position(|&byte| byte == b'@').filter(|&at| at > 0);
    at.and_then(|at| field.get(at..)).is_some_and(|host| host.len() > 2 && !host.contains(&b' '))
}

fn is_url(field: &[u8]) -> bool {
    memchr::memmem::find(field, b"://").is_some_and(|at| at > 1)
}
