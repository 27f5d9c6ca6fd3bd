//! Words in JSON: an array of words, an array of objects or an object a line with a field for the word, and
//! an object whose keys are the words. `words` knows the elements.
//!
//! A whole document is read element by element, so that its size does not matter.

mod words;

use std::{fmt, io};

use serde::{
    Deserializer,
    de::{DeserializeSeed, Error, MapAccess, SeqAccess, Visitor},
};
use serde_json::{Map, Value};

pub use words::{each_word, has_unclear_counts};

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

/// The line of a word of a document in the plain list that it is read into.
pub fn spooled(count: u64, word: &str) -> String {
    // A line end in a word becomes another control character, for which the word is left out.
    format!("{count} {}\n", word.replace('\n', "\u{b}"))
}

/// The count and the word of a line that [`spooled`] gave, without its end.
pub(crate) fn of_spooled(line: &[u8]) -> Option<(u64, &[u8])> {
    let (count, word) = line.split_at_checked(memchr::memchr(b' ', line)?)?;
    Some((std::str::from_utf8(count).ok()?.parse().ok()?, word.get(1..)?))
}

/// The elements of a document that were read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Elements {
    /// The number of elements with a word.
    pub taken: u64,
    /// The number of the others: without a field that is known, of another kind, or beside the lists.
    pub others: u64,
    /// The number of elements with several numbers that may be the count.
    pub unclear: u64,
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
        self.count(has_word, 1);
        let unclear = &mut self.elements.unclear;
        *unclear = unclear.saturating_add(u64::from(has_unclear_counts(element)));
        if self.failed.is_some() { Err(E::custom("the words cannot be stored")) } else { Ok(()) }
    }

    fn count(&mut self, has_word: bool, more: u64) {
        let elements = &mut self.elements;
        let number = if has_word { &mut elements.taken } else { &mut elements.others };
        *number = number.saturating_add(more);
    }

    /// Takes the word of an object's texts and numbers. Where they have none, each of the numbers may be the
    /// count of a word.
    ///
    /// # Errors
    /// As [`Document::element`].
    fn scalars<E: Error>(&mut self, scalars: Map<String, Value>) -> Result<(), E> {
        let numbers = scalars.values().filter(|value| value.is_number()).count() as u64;
        if scalars.values().any(Value::is_string) {
            return self.element(&Value::Object(scalars));
        }
        self.count(false, numbers);
        Ok(())
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

/// The value of a key of a document: an array of words, the key's count, or an object.
struct Entry<'a, 'b> {
    word: String,
    document: &'a mut Document<'b>,
}

impl<'de> DeserializeSeed<'de> for Entry<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<(), D::Error> {
        match reader.deserialize_any(Inner(&mut *self.document))? {
            Some(Value::Number(count)) => {
                self.document.element(&Value::Array(vec![self.word.into(), Value::Number(count)]))
            }
            Some(_) => {
                self.document.count(false, 1);
                Ok(())
            }
            None => Ok(()),
        }
    }
}

/// The most texts and numbers of an object that are kept until its end.
const MOST_SCALARS: usize = 256;

/// A value within a document: lists are read, however deep; a text or a number is given back.
struct Inner<'a, 'b>(&'a mut Document<'b>);

impl<'de> DeserializeSeed<'de> for Inner<'_, '_> {
    type Value = Option<Value>;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<Option<Value>, D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Inner<'_, '_> {
    type Value = Option<Value>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array of words or a count")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<Option<Value>, A::Error> {
        self.0.visit_seq(items).map(|()| None)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Option<Value>, A::Error> {
        let mut scalars = Map::new();
        while let Some(name) = entries.next_key::<String>()? {
            // Within an object of this name, the path of the field is what follows it.
            let whole = self.0.field;
            let rest = whole.and_then(|path| path.strip_prefix(name.as_str())?.strip_prefix('.'));
            self.0.field = rest.or(whole);
            let scalar = entries.next_value_seed(Inner(&mut *self.0));
            self.0.field = whole;
            let Some(scalar) = scalar? else { continue };
            scalars.insert(name, scalar);
            if scalars.len() >= MOST_SCALARS {
                self.0.scalars(std::mem::take(&mut scalars))?;
            }
        }
        self.0.scalars(scalars).map(|()| None)
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Option<Value>, E> {
        Ok(Some(number.into()))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Option<Value>, E> {
        Ok(Some(number.into()))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Option<Value>, E> {
        Ok(Some(number.into()))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Option<Value>, E> {
        Ok(Some(text.into()))
    }

    fn visit_bool<E: Error>(self, is_so: bool) -> Result<Option<Value>, E> {
        Ok(Some(is_so.into()))
    }

    fn visit_unit<E: Error>(self) -> Result<Option<Value>, E> {
        Ok(Some(Value::Null))
    }
}

#[cfg(test)]
mod tests;
