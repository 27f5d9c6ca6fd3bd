//! The form of a list: what its lines contain, and where the word is.

use std::{fmt, str::FromStr};

use crate::{columns::Columns, hashes::Hash, table::Separator, table::Table};

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

/// A list whose words cannot be found, or that has none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// What it seems to contain.
    pub content: String,
    /// What to do; none if no filter can use it.
    pub way: Option<String>,
}

impl Refusal {
    pub(crate) fn new(content: impl Into<String>, way: &str) -> Refusal {
        Refusal { content: content.into(), way: Some(way.to_owned()) }
    }

    /// The refusal of hashes where words or digests of another kind are expected.
    pub(crate) fn of_hashes(hash: Hash) -> Refusal {
        match hash {
            Hash::Sha1 => Refusal::new("SHA-1 digests", "--kind sha1"),
            Hash::Digits32 => Refusal::new("NTLM digests (or MD5, which no filter can use)", "--kind ntlm"),
            Hash::Other(name) => Refusal::useless(name),
        }
    }

    /// The refusal of lines of which a column may be the word.
    pub(crate) fn unclear(content: &str) -> Refusal {
        Refusal::new(
            content,
            "--columns and the number or name of the word's column, or with --form plain if each line is a \
             word",
        )
    }

    /// The refusal of accounts where words or digests are expected.
    pub(crate) fn of_accounts() -> Refusal {
        Refusal::new(
            "accounts with LM and NTLM hashes (pwdump)",
            "filterctl check --audit, which looks them up in a filter of NTLM digests",
        )
    }

    /// The refusal of a content that no filter can use.
    pub fn useless(content: impl Into<String>) -> Refusal {
        Refusal { content: content.into(), way: None }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "seems to contain {}, ", self.content)?;
        match &self.way {
            Some(way) => write!(f, "which no password would match as words; read it with {way}"),
            None => f.write_str("which no filter can use"),
        }
    }
}
