//! Words in JSON: an array of words, an array of objects or an object a line with a field for the word, and
//! an object whose keys are the words.
//!
//! A whole document is read element by element, so that its size does not matter.

use std::{fmt, io};

use serde::{
    Deserializer,
    de::{DeserializeSeed, Error, IgnoredAny, MapAccess, SeqAccess, Visitor},
};
use serde_json::Value;

/// The names of the field with the word, the best first.
pub(crate) const WORD_NAMES: [&str; 16] = [
    "password",
    "passwd",
    "pwd",
    "plain",
    "plaintext",
    "cleartext",
    "word",
    "words",
    "pass",
    "term",
    "token",
    "text",
    "lemma",
    "entry",
    "value",
    "name",
];

/// The words of one element, to `take`; false if it has none.
pub fn each_word(element: &Value, field: Option<&str>, take: &mut dyn FnMut(u64, &str)) -> bool {
    match element {
        Value::String(word) => take(0, word),
        Value::Number(number) => take(0, &number.to_string()),
        Value::Array(items) => {
            // A pair of a word and its count, or a list of words.
            let count = items.iter().find_map(Value::as_u64).unwrap_or(0);
            let mut words = items.iter().filter_map(Value::as_str).peekable();
            if words.peek().is_none() {
                return false;
            }
            words.for_each(|word| take(count, word));
        }
        Value::Object(fields) => {
            let mut keys = field.into_iter().chain(WORD_NAMES.into_iter().filter(|_| field.is_none()));
            let word = keys.find_map(|name| text_of(fields.get(name)?));
            let texts: Vec<&str> = fields.values().filter_map(Value::as_str).collect();
            let alone = || match texts.as_slice() {
                [text] if field.is_none() => Some((*text).to_owned()),
                _ => None,
            };
            let Some(word) = word.or_else(alone) else { return false };
            let mut counts = ["count", "freq", "frequency", "occurrences", "n"].into_iter();
            let count = counts.find_map(|name| fields.get(name)?.as_u64());
            take(count.unwrap_or(0), &word);
        }
        Value::Null | Value::Bool(_) => return false,
    }
    true
}

fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// The elements of a document that were read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Elements {
    /// The number of elements with a word.
    pub taken: u64,
    /// The number of the others.
    pub others: u64,
}

/// Passes the words of a whole document to `take`, an element at a time.
///
/// # Errors
/// The text cannot be read or is not JSON, `take` fails.
pub fn read_document(
    text: impl io::Read,
    field: Option<&str>,
    take: &mut dyn FnMut(u64, &str) -> io::Result<()>,
) -> io::Result<Elements> {
    let mut reader = serde_json::Deserializer::from_reader(text);
    let mut found = Document { field, take, elements: Elements::default(), failed: None };
    let read = DeserializeSeed::deserialize(&mut found, &mut reader);
    if let Some(error) = found.failed.take() {
        return Err(error);
    }
    read.and_then(|()| reader.end()).map_err(io::Error::from)?;
    Ok(found.elements)
}

struct Document<'a> {
    field: Option<&'a str>,
    take: &'a mut dyn FnMut(u64, &str) -> io::Result<()>,
    elements: Elements,
    failed: Option<io::Error>,
}

impl Document<'_> {
    /// Takes the words of an element.
    ///
    /// # Errors
    /// `take` failed, as `failed` says.
    fn element<E: Error>(&mut self, element: &Value) -> Result<(), E> {
        let (take, failed) = (&mut *self.take, &mut self.failed);
        let has_word = each_word(element, self.field, &mut |count, word| {
            if failed.is_none() {
                *failed = take(count, word).err();
            }
        });
        self.count(has_word);
        if self.failed.is_some() { Err(E::custom("the words cannot be stored")) } else { Ok(()) }
    }

    fn count(&mut self, has_word: bool) {
        let elements = &mut self.elements;
        let number = if has_word { &mut elements.taken } else { &mut elements.others };
        *number = number.saturating_add(1);
    }
}

impl<'de> DeserializeSeed<'de> for &mut Document<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<(), D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for &mut Document<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array or an object of words")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        while let Some(element) = items.next_element::<Value>()? {
            self.element(&element)?;
        }
        Ok(())
    }

    /// An object with one array of words, or of words and their counts.
    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        while let Some(word) = entries.next_key::<String>()? {
            entries.next_value_seed(Entry { word, document: &mut *self })?;
        }
        Ok(())
    }
}

/// The value of a key of a document: an array of words, or the key's count.
struct Entry<'a, 'b> {
    word: String,
    document: &'a mut Document<'b>,
}

impl Entry<'_, '_> {
    fn other(self) {
        self.document.count(false);
    }
}

impl<'de> DeserializeSeed<'de> for Entry<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<(), D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Entry<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array of words or a count")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<(), A::Error> {
        self.document.visit_seq(items)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        while entries.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        self.other();
        Ok(())
    }

    fn visit_u64<E: Error>(self, count: u64) -> Result<(), E> {
        self.document.element(&Value::Array(vec![self.word.into(), count.into()]))
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<(), E> {
        self.document.element(&Value::String(self.word))
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<(), E> {
        self.document.element(&Value::String(self.word))
    }

    fn visit_str<E: Error>(self, _: &str) -> Result<(), E> {
        self.other();
        Ok(())
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<(), E> {
        self.other();
        Ok(())
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        self.other();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, field: Option<&str>) -> io::Result<(Vec<(u64, String)>, Elements)> {
        let mut words = Vec::new();
        let elements = read_document(text.as_bytes(), field, &mut |count, word| {
            words.push((count, word.to_owned()));
            Ok(())
        })?;
        Ok((words, elements))
    }

    /// The words of an array within an object come one by one: a reader that fails later has passed them on.
    #[test]
    fn an_array_in_an_object_is_not_kept() {
        let mut words = 0;
        let read = read_document(&br#"{"words": ["a", "b", !"#[..], None, &mut |_, _| {
            words += 1;
            Ok(())
        });
        assert_eq!((read.is_err(), words), (true, 2));
    }

    #[test]
    fn documents_are_read_an_element_at_a_time() {
        let words =
            |text: &str| read(text, None).unwrap().0.into_iter().map(|(_, word)| word).collect::<Vec<_>>();
        assert_eq!(words(r#"["a", "b\u00e9", 12, null]"#), ["a", "bé", "12"]);
        assert_eq!(words(r#"[{"id": "7", "word": "a"}, {"x": "b"}]"#), ["a", "b"]);
        assert_eq!(words(r#"{"source": "x", "words": ["a", "b"]}"#), ["a", "b"]);
        assert_eq!(words(r#"[["a", 3], ["b", 1]]"#), ["a", "b"]);
        assert_eq!(read(r#"{"a": 3}"#, None).unwrap().0, [(3, "a".to_owned())]);
        assert_eq!(
            words(r#"{"a": 0.3, "b": -2, "c": true, "d": null, "e": {"x": ["y"]}, "f": 2}"#),
            ["a", "b", "f"]
        );
        let elements = read(r#"{"x": "y", "z": {"v": 1}, "words": ["a", "b", null]}"#, None).unwrap().1;
        assert_eq!(elements, Elements { taken: 2, others: 3 });
        assert_eq!(read(r#"[{"w": "a", "v": "b"}]"#, Some("v")).unwrap().0, [(0, "b".to_owned())]);
        let unclear = read(r#"[{"w": "a", "v": "b"}]"#, None).unwrap();
        assert_eq!(unclear, (Vec::new(), Elements { taken: 0, others: 1 }));
        assert!(read("[1, 2", None).is_err() && read("[1] x", None).is_err());
    }
}
