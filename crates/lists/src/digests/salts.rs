//! Salts beside digests, with which no filter can use them.

use std::borrow::Cow;

use super::DigestColumns;
use crate::{cracked, line::is_most, table::number};

/// The most lines whose texts are compared with their digests.
const MOST_PAIRS: usize = 500;

/// The fields of some lines, by which salts are known.
struct Rows<'a> {
    rows: Vec<Vec<Cow<'a, [u8]>>>,
    columns: DigestColumns,
}

/// True if a text that may be a salt is beside the digests: after them, or a second one before them, which is
/// neither an account nor the text of a digest; or numbers after the digests of accounts, which have no
/// counts.
pub(super) fn are_beside(columns: DigestColumns, lines: &[&[u8]]) -> bool {
    let rows = lines.iter().take(MOST_PAIRS).map(|line| columns.separator.fields(line)).collect();
    let rows = Rows { rows, columns };
    let width = rows.rows.iter().map(Vec::len).max().unwrap_or(0);
    let others = || (0..width).filter(|at| *at != columns.digest && !rows.are_alike(*at));
    let texts: Vec<usize> = others().filter(|at| rows.are_texts(*at)).collect();
    let has_account = || others().any(|at| !rows.are_numbers(at));
    let is_salt = |at: usize| at > columns.digest && rows.are_numbers(at);
    let is_account = matches!(texts.as_slice(), [at] if *at < columns.digest);
    let may_be_salts = !texts.is_empty() && !is_account || has_account() && others().any(is_salt);
    may_be_salts && !rows.have_the_text(&texts)
}

impl Rows<'_> {
    fn fields(&self, at: usize) -> impl Iterator<Item = &[u8]> + Clone {
        self.rows.iter().filter_map(move |row| row.get(at)).map(|field| field.trim_ascii())
    }

    /// True for a column that has the same text on each line; the first may have the names of the columns.
    fn are_alike(&self, at: usize) -> bool {
        let last = self.fields(at).last();
        let names = usize::from(self.fields(at).count() > 2);
        self.fields(at).skip(names).all(|text| last == Some(text))
    }

    fn are_numbers(&self, at: usize) -> bool {
        is_most(self.fields(at), |text| number(text).is_some())
    }

    /// True for a column of texts that are neither numbers nor addresses.
    fn are_texts(&self, at: usize) -> bool {
        let is_known = |text: &[u8]| number(text).is_some() || text.is_empty() || text.contains(&b'@');
        Some(at) != self.columns.count && !is_most(self.fields(at), is_known)
    }

    /// True if a digest is that of a text in one of these columns.
    fn have_the_text(&self, texts: &[usize]) -> bool {
        let is_of = |row: &Vec<Cow<'_, [u8]>>| {
            let digest =
                row.get(self.columns.digest).map(|digest| String::from_utf8_lossy(digest.trim_ascii()));
            let is_of = |at: &usize| {
                let text = row.get(*at).map(|text| text.trim_ascii());
                digest.as_deref().zip(text).and_then(|(digest, text)| cracked::is_of(digest, text))
            };
            texts.iter().any(|at| is_of(at) == Some(true))
        };
        self.rows.iter().any(is_of)
    }
}
