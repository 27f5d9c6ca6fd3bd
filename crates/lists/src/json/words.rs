//! The words of one element: a text, a list of texts, a pair of a word and its count, or an object with a
//! field for the word.

use serde_json::{Map, Value};

use crate::{
    columns::{COUNT_NAMES, RANK_NAMES},
    table,
};

/// The names of a field with a password, which is also looked for in the objects within an object.
const PASSWORD_NAMES: [&str; 7] = ["password", "passwd", "pwd", "plain", "plaintext", "cleartext", "pass"];

/// The names of a field with a word, also among other texts.
const NAMES: [&str; 5] = ["word", "words", "term", "token", "lemma"];

/// The names of a field with a number that may be a word, where an object has no text.
const GENERAL_NAMES: [&str; 4] = ["text", "entry", "value", "name"];

/// The names of other numbers that are no counts.
const OTHER_NAMES: [&str; 4] = ["index", "pos", "position", "length"];

/// The words of one element, to `take`, each with its count in millionths; false if it has none.
pub fn each_word(element: &Value, field: Option<&str>, take: &mut dyn FnMut(u64, &str)) -> bool {
    match element {
        Value::Array(items) => of_array(items, field, take),
        Value::Object(fields) => of_object(fields, field, take),
        text => each_text(text, 0, take),
    }
}

/// A pair of a word and its count, a list of words, or a list of other elements.
fn of_array(items: &[Value], field: Option<&str>, take: &mut dyn FnMut(u64, &str)) -> bool {
    let count = items.iter().find_map(|item| item.is_number().then(|| count_of(item))?).unwrap_or(0);
    let mut has_word = false;
    for item in items.iter().filter(|item| !item.is_number()) {
        has_word |= match item {
            Value::String(word) => {
                take(count, word);
                true
            }
            other => each_word(other, field, take),
        };
    }
    has_word
}

fn of_object(fields: &Map<String, Value>, field: Option<&str>, take: &mut dyn FnMut(u64, &str)) -> bool {
    let value = match field {
        Some(name) => of_path(fields, name).or_else(|| within(fields, &[name])),
        None => recognised(fields),
    };
    let counted = || COUNT_NAMES.iter().find_map(|name| count_of(named(fields, name)?));
    let only = || only_number(fields).filter(|count| value.is_some_and(|word| !std::ptr::eq(word, *count)));
    let count = counted().or_else(|| only().and_then(count_of)).unwrap_or(0);
    value.is_some_and(|value| each_text(value, count, take))
}

/// The numbers of an object that may be counts: neither ranks nor places.
fn numbers(fields: &Map<String, Value>) -> impl Iterator<Item = &Value> {
    let is_none = |name: &str| OTHER_NAMES.contains(&name) || RANK_NAMES.contains(&name);
    let may_be = move |name: &String| !is_none(&name.to_lowercase());
    fields.iter().filter(move |(name, value)| value.is_number() && may_be(name)).map(|(_, value)| value)
}

/// The only one of them.
fn only_number(fields: &Map<String, Value>) -> Option<&Value> {
    let mut found = numbers(fields);
    found.next().filter(|_| found.next().is_none())
}

/// True for an object with several numbers of which none has the name of a count.
pub fn has_unclear_counts(element: &Value) -> bool {
    element.as_object().is_some_and(|fields| {
        let is_named = COUNT_NAMES.iter().any(|name| named(fields, name).and_then(count_of).is_some());
        !is_named && numbers(fields).count() > 1
    })
}

/// The field of the word: of a password here or in an object within, of a word here, or the only text.
fn recognised(fields: &Map<String, Value>) -> Option<&Value> {
    within(fields, &PASSWORD_NAMES).or_else(|| direct(fields, &NAMES)).or_else(|| alone(fields))
}

/// The value of the first of these names that has a text.
fn direct<'a>(fields: &'a Map<String, Value>, names: &[&str]) -> Option<&'a Value> {
    names.iter().find_map(|name| named(fields, name).filter(|value| has_text(value)))
}

/// The value of a field, whatever the case of its name: some programs write `Password`.
fn named<'a>(fields: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    let in_other_case = || fields.iter().find(|(own, _)| own.to_lowercase() == name).map(|(_, value)| value);
    fields.get(name).or_else(in_other_case)
}

/// The same, also in the objects within; the depth of a document is limited by its reader.
fn within<'a>(fields: &'a Map<String, Value>, names: &[&str]) -> Option<&'a Value> {
    let inner = || fields.values().filter_map(Value::as_object).find_map(|inner| within(inner, names));
    direct(fields, names).or_else(inner)
}

/// The value at a path of names with points between: `login.password`.
fn of_path<'a>(fields: &'a Map<String, Value>, path: &str) -> Option<&'a Value> {
    let whole = fields.get(path).filter(|value| has_text(value));
    let (first, rest) = path.split_once('.').unwrap_or((path, ""));
    whole.or_else(|| of_path(fields.get(first)?.as_object()?, rest))
}

/// The only text of an object that has no lists or objects of texts beside it, and lacks no password; or else
/// a number with a general name.
fn alone(fields: &Map<String, Value>) -> Option<&Value> {
    let is_missing = PASSWORD_NAMES.iter().any(|name| named(fields, name).is_some());
    let is_deep = |value: &Value| match value {
        Value::Array(items) => !items.is_empty(),
        Value::Object(inner) => !inner.is_empty(),
        _ => false,
    };
    if is_missing || fields.values().any(is_deep) {
        return None;
    }
    let mut texts = fields.values().filter(|value| value.is_string());
    match (texts.next(), texts.next()) {
        (None, _) => direct(fields, &GENERAL_NAMES),
        (text, None) => text,
        _ => None,
    }
}

fn has_text(value: &Value) -> bool {
    match value {
        Value::String(_) | Value::Number(_) => true,
        Value::Array(items) => items.iter().any(|item| item.is_string() || item.is_number()),
        _ => false,
    }
}

fn each_text(value: &Value, count: u64, take: &mut dyn FnMut(u64, &str)) -> bool {
    match value {
        Value::String(text) => take(count, text),
        Value::Number(number) => take(count, &number.to_string()),
        Value::Array(items) => {
            let mut has_word = false;
            for item in items.iter().filter(|item| item.is_string() || item.is_number()) {
                has_word |= each_text(item, count, take);
            }
            return has_word;
        }
        _ => return false,
    }
    true
}

/// A count or a share, in the unit that the counts of tables have.
pub(super) fn count_of(value: &Value) -> Option<u64> {
    match value {
        Value::String(text) => table::weight(text.as_bytes()),
        Value::Number(number) => match number.as_u64() {
            Some(count) => Some(table::weight_of_count(count)),
            None => number.as_f64().map(table::weight_of_share),
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(element: &str, field: Option<&str>) -> Vec<(u64, String)> {
        let (mut words, element) = (Vec::new(), serde_json::from_str::<Value>(element).unwrap());
        let has_word = each_word(&element, field, &mut |count, word| words.push((count, word.to_owned())));
        assert_eq!(has_word, !words.is_empty(), "{element}");
        words
    }

    fn word(element: &str, field: Option<&str>) -> Option<String> {
        words(element, field).into_iter().map(|(_, word)| word).next()
    }

    #[test]
    fn a_general_name_is_of_a_word_only_where_it_is_the_only_text() {
        let some = |word: &str| Some(word.to_owned());
        for (element, found) in [
            (r#"{"name": "a"}"#, some("a")),
            (r#"{"User": "u", "Password": "a"}"#, some("a")),
            (r#"{"User": "u", "Password": null}"#, None),
            (r#"{"name": "a", "n": 7}"#, some("a")),
            (r#"{"value": 7}"#, some("7")),
            (r#"{"name": "Site", "secret": "b"}"#, None),
            (r#"{"entry": "Site", "key": "b"}"#, None),
            (r#"{"lang": "de", "entries": ["a"]}"#, None),
            (r#"{"lang": "de", "words": ["a"]}"#, some("a")),
            (r#"{"user": "anna", "password": null}"#, None),
            (r#"{"name": "Site", "word": "a"}"#, some("a")),
        ] {
            assert_eq!(word(element, None), found, "{element}");
        }
    }

    /// An entry as Bitwarden writes it.
    #[test]
    fn passwords_are_found_in_objects_within_and_by_their_path() {
        let entry =
            r#"{"name": "Site", "token": "t", "login": {"username": "u", "password": "p", "totp": null}}"#;
        assert_eq!(word(entry, None).as_deref(), Some("p"));
        for (field, found) in [
            ("login.password", Some("p")),
            ("password", Some("p")),
            ("username", Some("u")),
            ("name", Some("Site")),
            ("name.password", None),
            ("login", None),
        ] {
            assert_eq!(word(entry, Some(field)).as_deref(), found, "{field}");
        }
        assert_eq!(word(r#"{"a.b": "x"}"#, Some("a.b")).as_deref(), Some("x"));
    }

    #[test]
    fn counts_have_the_unit_of_tables() {
        let of = |element: &str| words(element, None).first().map(|(count, _)| *count);
        assert_eq!(of(r#"["a", 3]"#), Some(3_000_000));
        assert_eq!(of(r#"{"word": "a", "freq": 0.5}"#), Some(500_000));
        assert_eq!(of(r#"{"word": "a", "count": "12"}"#), Some(12_000_000));
        assert_eq!(of(r#"{"word": "a"}"#), Some(0));
        // The only number is the count, whatever its name; a rank is none, and of two it is not clear.
        for name in ["score", "weight", "num", "c", "cnt", "value"] {
            assert_eq!(of(&format!(r#"{{"word": "a", "{name}": 7}}"#)), Some(7_000_000), "{name}");
        }
        assert_eq!(of(r#"{"word": "a", "id": 3, "cnt": 7}"#), Some(7_000_000));
        assert_eq!(of(r#"{"word": "a", "id": 3}"#), Some(0));
        assert_eq!(of(r#"{"word": "a", "x": 3, "y": 7}"#), Some(0));
        assert_eq!(of(r#"{"value": 7}"#), Some(0), "a number that is the word");
        let has_unclear = |element| has_unclear_counts(&serde_json::from_str(element).unwrap());
        assert!(has_unclear(r#"{"word": "a", "x": 3, "y": 7}"#));
        assert!(!has_unclear(r#"{"word": "a", "x": 3, "count": 7}"#) && !has_unclear(r#"["a", 3]"#));
        assert!(of(r#"["a", -3.5]"#) > of(r#"["a", -7]"#));
    }
}
