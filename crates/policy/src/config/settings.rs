//! The settings in a configuration file, key by key, with their lines, for display. `apply` validates them.

use std::{fmt, path::Path};

use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use super::{ConfigError, apply::parsed};

/// A key of a file and its value.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    /// The key, with its section before a dot.
    pub key: String,
    /// The value; of a list of tables, one of them: the key then comes more than once.
    pub value: Value,
    /// Its line, from 1.
    pub line: usize,
}

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// `true` or `false`.
    Boolean(bool),
    /// A whole number.
    Integer(i64),
    /// Another number.
    Float(f64),
    /// A text.
    Text(String),
    /// A list.
    List(Vec<Value>),
    /// Keys and values.
    Table(Vec<(String, Value)>),
}

/// All settings of a text, in the order of their lines; `path` only names it in errors.
///
/// # Errors
/// [`ConfigError`]: the text is not UTF-8 or not TOML.
pub fn settings(path: &Path, bytes: &[u8]) -> Result<Vec<Setting>, ConfigError> {
    let (text, document) = parsed(path, bytes)?;
    let mut found = Vec::new();
    collect(text, "", document.get_ref(), &mut found);
    found.sort_by_key(|setting| setting.line);
    Ok(found)
}

/// Sections are one level deep: a table below that is a value.
fn collect(text: &str, section: &str, table: &DeTable<'_>, found: &mut Vec<Setting>) {
    for (key, value) in table {
        let name = key.get_ref();
        let mut add = |key: &str, at: usize, value: &Spanned<DeValue<'_>>| {
            found.push(Setting { key: key.to_owned(), value: Value::of(value), line: line_of(text, at) });
        };
        match value.get_ref() {
            DeValue::Table(inner) if section.is_empty() => collect(text, name, inner, found),
            DeValue::Array(list) if !list.is_empty() && list.iter().all(|one| one.get_ref().is_table()) => {
                list.iter().for_each(|one| add(name, one.span().start, one));
            }
            _ if section.is_empty() => add(name, key.span().start, value),
            _ => add(&format!("{section}.{name}"), key.span().start, value),
        }
    }
}

fn line_of(text: &str, at: usize) -> usize {
    text.get(..at).unwrap_or_default().matches('\n').count().saturating_add(1)
}

impl Value {
    fn of(value: &Spanned<DeValue<'_>>) -> Value {
        match value.get_ref() {
            DeValue::Boolean(is_so) => Value::Boolean(*is_so),
            DeValue::Integer(digits) => {
                let number = i64::from_str_radix(digits.as_str(), digits.radix());
                number.map_or_else(|_| Value::Text(digits.to_string()), Value::Integer)
            }
            DeValue::Float(digits) => {
                let number = digits.as_str().parse();
                number.map_or_else(|_| Value::Text(digits.to_string()), Value::Float)
            }
            DeValue::String(text) => Value::Text(text.to_string()),
            DeValue::Datetime(time) => Value::Text(time.to_string()),
            DeValue::Array(list) => Value::List(list.iter().map(Value::of).collect()),
            DeValue::Table(table) => {
                let mut entries: Vec<_> = table.iter().collect();
                entries.sort_by_key(|(key, _)| key.span().start);
                let entries = entries.into_iter();
                Value::Table(entries.map(|(key, value)| (key.to_string(), Value::of(value))).collect())
            }
        }
    }
}

/// In TOML syntax.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Boolean(is_so) => write!(f, "{is_so}"),
            Value::Integer(number) => write!(f, "{number}"),
            Value::Float(number) => write!(f, "{number:?}"),
            Value::Text(text) => write_quoted(text, f),
            Value::List(list) => {
                f.write_str("[")?;
                for (number, value) in list.iter().enumerate() {
                    write!(f, "{}{value}", if number == 0 { "" } else { ", " })?;
                }
                f.write_str("]")
            }
            Value::Table(entries) => {
                f.write_str("{ ")?;
                for (number, (key, value)) in entries.iter().enumerate() {
                    write!(f, "{}{key} = {value}", if number == 0 { "" } else { ", " })?;
                }
                f.write_str(" }")
            }
        }
    }
}

fn write_quoted(text: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    f.write_str("\"")?;
    for character in text.chars() {
        match character {
            '"' | '\\' => write!(f, "\\{character}")?,
            _ if character.is_control() => write!(f, "\\u{:04X}", u32::from(character))?,
            _ => write!(f, "{character}")?,
        }
    }
    f.write_str("\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Vec<Setting> {
        settings(Path::new("/etc/test.conf"), text.as_bytes()).unwrap()
    }

    #[test]
    fn every_key_has_its_line() {
        let found = of("# c\nmin_length = 9\n[policy]\nsequences = false\n\n\
             [[dictionary]]\nfile = \"/a\\\"\"\nmatch = \"near\"\n[[dictionary]]\nfile = \"/b\"\n\
             [guesses]\nnot_from = [\"::1\", \"10.0.0.0/8\"]\n[update]\nfalse_rejection = 1e-4\n");
        let told: Vec<_> =
            found.iter().map(|one| format!("{} {} = {}", one.line, one.key, one.value)).collect();
        let wanted = [
            "2 min_length = 9",
            "4 policy.sequences = false",
            "6 dictionary = { file = \"/a\\\"\", match = \"near\" }",
            "9 dictionary = { file = \"/b\" }",
            "12 guesses.not_from = [\"::1\", \"10.0.0.0/8\"]",
            "14 update.false_rejection = 0.0001",
        ];
        assert_eq!(told, wanted);
    }

    #[test]
    fn what_is_shown_is_what_was_written() {
        let text = "a = \"\\u0007 é\"\nb = [1, true, 0.5]\nc = {}\nd = []\ne = 0x1F\n";
        let shown = |settings: &[Setting]| -> String {
            settings.iter().map(|one| format!("{} = {}\n", one.key, one.value)).collect()
        };
        let first = shown(&of(text));
        assert_eq!(shown(&of(&first)), first);
        assert!(first.contains("a = \"\\u0007 é\"") && first.contains("e = 31"), "{first}");
    }

    #[test]
    fn what_is_not_toml_is_an_error() {
        assert!(settings(Path::new("/x"), b"a = ").is_err() && settings(Path::new("/x"), b"\xff").is_err());
    }
}
