//! The form of a list: what its lines contain, and where the word is.

use std::str::FromStr;

use crate::{columns::Columns, table::Separator, table::Table};

/// The form of a list of words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Form {
    /// A word a line.
    Plain,
    /// A word a line, in quotes, as in the source of a program.
    Quoted,
    /// Columns.
    Table(Table),
    /// An array of words or objects: it is read once, into a plain list.
    JsonDocument(Option<String>),
    /// An object or an array a line, with the name of the field of the word.
    JsonLines(Option<String>),
    /// A dictionary of hunspell: words with flags.
    Hunspell,
    /// Hashes and what they were cracked to.
    Potfile,
    /// `url:user:password`.
    Logins,
}

impl Form {
    /// The name for reports.
    pub fn name(&self) -> String {
        match self {
            Form::Plain => "plain".to_owned(),
            Form::Quoted => "words in quotes".to_owned(),
            Form::Table(table) => table.name(),
            Form::JsonDocument(_) => "JSON".to_owned(),
            Form::JsonLines(_) => "JSON lines".to_owned(),
            Form::Hunspell => "hunspell".to_owned(),
            Form::Potfile => "potfile".to_owned(),
            Form::Logins => "url:user:password".to_owned(),
        }
    }

    /// True if its first line has the names of its columns.
    pub fn has_header(&self) -> bool {
        matches!(self, Form::Table(table) if table.has_header)
    }

    /// True if its lines have counts, by which the most common words are found.
    pub fn has_counts(&self) -> bool {
        match self {
            Form::Table(table) => table.has_counts(),
            Form::JsonLines(_) | Form::JsonDocument(_) => true,
            _ => false,
        }
    }
}

/// A form as `--form` names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FormName {
    /// [`Form::Plain`].
    Plain,
    /// [`Form::Quoted`].
    Quoted,
    /// [`Form::Table`] with this separator.
    Table(Separator),
    /// [`Form::JsonDocument`] or [`Form::JsonLines`].
    Json,
    /// [`Form::Hunspell`].
    Hunspell,
    /// [`Form::Potfile`].
    Potfile,
    /// [`Form::Logins`].
    Logins,
}

impl FormName {
    /// All names, as the user writes them.
    pub const ALL: [(&str, FormName); 12] = [
        ("plain", FormName::Plain),
        ("quoted", FormName::Quoted),
        ("blanks", FormName::Table(Separator::Blanks)),
        ("tsv", FormName::Table(Separator::Tab)),
        ("csv", FormName::Table(Separator::Comma)),
        ("semicolons", FormName::Table(Separator::Semicolon)),
        ("bars", FormName::Table(Separator::Bar)),
        ("colons", FormName::Table(Separator::Colon)),
        ("json", FormName::Json),
        ("hunspell", FormName::Hunspell),
        ("potfile", FormName::Potfile),
        ("logins", FormName::Logins),
    ];
}

impl FormName {
    /// The name as the user writes it.
    pub(crate) fn as_written(self) -> &'static str {
        FormName::ALL.iter().find(|(_, form)| *form == self).map_or("plain", |(name, _)| name)
    }
}

impl FromStr for FormName {
    type Err = String;

    fn from_str(text: &str) -> Result<FormName, String> {
        let found = FormName::ALL.iter().find(|(name, _)| *name == text).map(|(_, form)| *form);
        found.ok_or_else(|| format!("expected {}", FormName::ALL.map(|(name, _)| name).join(", ")))
    }
}

/// What the user says about a list; what is not said is recognised.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// The form.
    pub form: Option<FormName>,
    /// The columns.
    pub columns: Option<Columns>,
}
