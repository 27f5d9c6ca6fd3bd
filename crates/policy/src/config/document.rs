//! A walk over a TOML document that keeps the position of every value, so that an error can point at it.
//!
//! Serde's derived readers would do the same, but would take an eighth of the shared object: they are
//! compiled again for each table and each kind of value. Here, code that does not depend on the kind is
//! compiled once. Names are words of one text, separated by blanks: a slice of strings has a pointer for
//! each, and a pointer in a shared object costs 40 bytes.

use std::{
    borrow::Cow,
    ops::{Range, RangeInclusive},
    path::{Component, PathBuf},
};

use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use super::keys::{has, section_of};

/// What a text is written as.
const QUOTED: &str = "write the value in quotes";

/// The highest number of keys that a message lists.
const FEW: usize = 6;

/// An invalid value.
#[derive(Debug)]
pub(super) struct Mistake {
    /// Its position, in bytes of the document.
    pub(super) span: Range<usize>,
    /// What is wrong with it.
    pub(super) words: String,
}

impl Mistake {
    pub(super) fn new<T>(at: &Spanned<T>, words: impl Into<String>) -> Mistake {
        Mistake::at(at.span(), words)
    }

    pub(super) fn at(span: Range<usize>, words: impl Into<String>) -> Mistake {
        Mistake { span, words: words.into() }
    }

    /// A value of another type than the one that these words ask for.
    #[cold]
    #[inline(never)]
    fn of_type(value: &Spanned<DeValue<'_>>, words: &str) -> Mistake {
        Mistake::new(value, words)
    }

    /// A text that is not TOML, by what the parser `said`. It judges a word without quotes by its first
    /// letter, and takes `near` for `nan`.
    #[cold]
    pub(super) fn of_parser(span: Range<usize>, said: &str) -> Mistake {
        let is_word = said.starts_with("string values")
            || said.starts_with("invalid float")
            || said.starts_with("invalid boolean");
        if is_word {
            return Mistake::at(span, "write text in quotes, and numbers, true and false without");
        }
        Mistake::at(span, format!("not TOML: {said}"))
    }
}

/// A table of the document, with known keys only. A missing table has no values.
pub(super) struct Table<'d> {
    entries: Option<&'d DeTable<'d>>,
    span: Range<usize>,
}

impl<'d> Table<'d> {
    /// # Errors
    /// [`Mistake`] for the first key that is not among `known`.
    pub(super) fn new(table: &'d Spanned<DeTable<'d>>, known: &str) -> Result<Table<'d>, Mistake> {
        Table::of(table.get_ref(), table.span(), known)
    }

    fn of(entries: &'d DeTable<'d>, span: Range<usize>, known: &str) -> Result<Table<'d>, Mistake> {
        match entries.keys().find(|key| !has(known, key.get_ref())) {
            None => Ok(Table { entries: Some(entries), span }),
            Some(key) => {
                let advice = advice(key.get_ref(), known);
                Err(Mistake::new(key, format!("unknown key `{}`{advice}", key.get_ref())))
            }
        }
    }

    fn get(&self, key: &str) -> Option<&'d Spanned<DeValue<'d>>> {
        self.entries.and_then(|entries| entries.get(key))
    }

    /// The value `read` from a key, if the key exists.
    ///
    /// # Errors
    /// [`Mistake`] if `read` refuses the value.
    pub(super) fn read<T>(
        &self,
        key: &str,
        read: impl FnOnce(&'d Spanned<DeValue<'d>>) -> Result<T, Mistake>,
    ) -> Result<Option<T>, Mistake> {
        self.get(key).map(read).transpose()
    }

    /// Replaces `target` by the value `read` from a key, if the key exists.
    ///
    /// # Errors
    /// As [`Table::read`].
    pub(super) fn set<T>(
        &self,
        key: &str,
        target: &mut T,
        read: impl FnOnce(&'d Spanned<DeValue<'d>>) -> Result<T, Mistake>,
    ) -> Result<(), Mistake> {
        if let Some(value) = self.read(key, read)? {
            *target = value;
        }
        Ok(())
    }

    /// Sets a switch.
    ///
    /// # Errors
    /// [`Mistake`] for a value that is neither `true` nor `false`.
    #[inline(never)]
    pub(super) fn set_switch(&self, key: &str, switch: &mut bool) -> Result<(), Mistake> {
        self.set(key, switch, boolean)
    }

    /// Sets a number.
    ///
    /// # Errors
    /// [`Mistake`] for a value that is no whole number within `range`.
    #[inline(never)]
    pub(super) fn set_number(
        &self,
        key: &str,
        target: &mut usize,
        range: RangeInclusive<usize>,
    ) -> Result<(), Mistake> {
        self.set(key, target, |value| number(value, key, range))
    }

    /// Sets the path of a file.
    ///
    /// # Errors
    /// [`Mistake`] for a value that is no absolute path, or one with `..`.
    #[inline(never)]
    pub(super) fn set_path(&self, key: &str, path: &mut PathBuf) -> Result<(), Mistake> {
        self.set(key, path, absolute_path)
    }

    /// The value of a mandatory key.
    ///
    /// # Errors
    /// [`Mistake`] if the key is missing, or `read` refuses its value.
    pub(super) fn require<T>(
        &self,
        key: &str,
        read: impl FnOnce(&'d Spanned<DeValue<'d>>) -> Result<T, Mistake>,
    ) -> Result<T, Mistake> {
        let missing = || Mistake::at(self.span.clone(), format!("missing key `{key}`"));
        self.get(key).ok_or_else(missing).and_then(read)
    }

    /// An error in the value of a key.
    pub(super) fn mistake(&self, key: &str, words: &str) -> Mistake {
        let span = self.get(key).map_or_else(|| self.span.clone(), Spanned::span);
        Mistake::at(span, words)
    }

    /// A table inside this one.
    ///
    /// # Errors
    /// [`Mistake`] for anything but a table, or a key in it that is not among `known`.
    #[inline(never)]
    pub(super) fn table(&self, key: &str, known: &str) -> Result<Table<'d>, Mistake> {
        let inner = self.read(key, |value| table(value, known))?;
        Ok(inner.unwrap_or(Table { entries: None, span: self.span.clone() }))
    }
}

/// A suggestion for an unknown key.
#[cold]
fn advice(key: &str, known: &str) -> String {
    match (section_of(key), nearest(key, known)) {
        (Some(""), _) => ": it belongs above the first [section]".to_owned(),
        (Some(section), _) => format!(": it belongs in [{section}]"),
        (None, Some(meant)) => format!(" (did you mean `{meant}`?)"),
        (None, None) if known.split(' ').count() <= FEW => format!(", expected {}", alternatives(known)),
        (None, None) => "; see nearmiss.conf(5)".to_owned(),
    }
}

/// A table.
pub(super) fn table<'d>(value: &'d Spanned<DeValue<'d>>, known: &str) -> Result<Table<'d>, Mistake> {
    let entries = value
        .get_ref()
        .as_table()
        .ok_or_else(|| Mistake::of_type(value, "write a section, such as [policy]"))?;
    Table::of(entries, value.span(), known)
}

/// A list whose elements are each `read`.
pub(super) fn list<'d, T>(
    value: &'d Spanned<DeValue<'d>>,
    mut read: impl FnMut(&'d Spanned<DeValue<'d>>) -> Result<T, Mistake>,
) -> Result<Vec<T>, Mistake> {
    let array = value
        .get_ref()
        .as_array()
        .ok_or_else(|| Mistake::of_type(value, "write a list in brackets, or [[dictionary]]"))?;
    // Collecting results would be 2 KB of the module.
    let mut all = Vec::new();
    for element in array {
        all.push(read(element)?);
    }
    Ok(all)
}

/// `true` or `false`.
#[inline(never)]
pub(super) fn boolean(value: &Spanned<DeValue<'_>>) -> Result<bool, Mistake> {
    value.get_ref().as_bool().ok_or_else(|| Mistake::of_type(value, "write true or false, without quotes"))
}

/// A whole number within `range`.
#[inline(never)]
pub(super) fn number(
    value: &Spanned<DeValue<'_>>,
    name: &str,
    range: RangeInclusive<usize>,
) -> Result<usize, Mistake> {
    let digits = value
        .get_ref()
        .as_integer()
        .ok_or_else(|| Mistake::of_type(value, "write a whole number, without quotes"))?;
    let number = usize::from_str_radix(digits.as_str(), digits.radix()).ok();
    let words = || format!("{name} must be {} to {}", range.start(), range.end());
    number.filter(|number| range.contains(number)).ok_or_else(|| Mistake::new(value, words()))
}

/// A string that `read` accepts.
pub(super) fn string<T>(
    value: &Spanned<DeValue<'_>>,
    read: impl FnOnce(&str) -> Result<T, Cow<'static, str>>,
) -> Result<T, Mistake> {
    let text = value.get_ref().as_str().ok_or_else(|| Mistake::of_type(value, QUOTED))?;
    read(text).map_err(|words| Mistake::new(value, words))
}

/// An absolute path without `..`.
#[inline(never)]
pub(super) fn absolute_path(value: &Spanned<DeValue<'_>>) -> Result<PathBuf, Mistake> {
    string(value, |text| {
        let path = PathBuf::from(text);
        let is_plain = |part| matches!(part, Component::RootDir | Component::Normal(_));
        let is_legal = path.is_absolute() && path.components().all(is_plain);
        if is_legal { Ok(path) } else { Err("a file must be an absolute path without '..'".into()) }
    })
}

/// A few words, separated by blanks, and the meaning of each.
pub(super) type Words<T> = (&'static str, &'static [T]);

/// The meaning of one of a few words.
pub(super) fn word<T: Copy>(value: &Spanned<DeValue<'_>>, (words, meanings): Words<T>) -> Result<T, Mistake> {
    let meaning = number_of_word(value, words).and_then(|number| meanings.get(number).copied());
    meaning.ok_or_else(|| unknown_word(value, words))
}

#[inline(never)]
fn number_of_word(value: &Spanned<DeValue<'_>>, words: &str) -> Option<usize> {
    let text = value.get_ref().as_str()?;
    words.split(' ').position(|word| word == text)
}

#[cold]
#[inline(never)]
fn unknown_word(value: &Spanned<DeValue<'_>>, words: &str) -> Mistake {
    let Some(text) = value.get_ref().as_str() else { return Mistake::of_type(value, QUOTED) };
    Mistake::new(value, format!("unknown value `{text}`, expected {}", alternatives(words)))
}

/// The known key that is most similar to a misspelt one: the same except for a few letters, in any order;
/// half of the letters may differ if the beginning is right, as in `minlen`.
#[inline(never)]
pub(super) fn nearest<'k>(key: &str, known: &'k str) -> Option<&'k str> {
    let most = |other: &str| {
        let begins_alike = key.get(..3).is_some_and(|start| other.starts_with(start));
        if begins_alike { other.len().max(key.len()) / 2 } else { 2 }
    };
    let is_near = |other: &&str| letters_between(key, other) as usize <= most(other).max(2);
    known.split(' ').filter(is_near).min_by_key(|other| letters_between(key, other))
}

/// The number of letters by which two names differ, in any order.
#[inline(never)]
fn letters_between(one: &str, other: &str) -> u32 {
    let mut counts = [0_i32; 32];
    for (text, step) in [(one, 1), (other, -1)] {
        for byte in text.bytes() {
            if let Some(count) = counts.get_mut(usize::from(byte & 31)) {
                *count = count.saturating_add(step);
            }
        }
    }
    counts.iter().fold(0, |sum, count| sum.saturating_add(count.unsigned_abs()))
}

fn alternatives(words: &str) -> String {
    let mut all = String::new();
    for word in words.split(' ') {
        all.push_str(if all.is_empty() { "`" } else { " or `" });
        all.push_str(word);
        all.push('`');
    }
    all
}
