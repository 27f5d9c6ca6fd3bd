//! Lists that are known by their whole lines: documents, hashes, JSON.

use serde_json::Value;

use super::{Beginning, answer, dump, program};
use crate::{
    columns::Columns,
    form::Form,
    hashes::{self, Hash},
    hunspell,
    refusal::{Refusal, Way},
};

/// Refuses a file that holds no words: documents of other kinds, rules of hunspell, hashes.
///
/// # Errors
/// The [`Refusal`].
pub(super) fn refused(beginning: &Beginning<'_>) -> Result<(), Refusal> {
    let text = beginning.text.trim_ascii_start();
    let begins =
        |with: &str| text.get(..with.len()).is_some_and(|start| start.eq_ignore_ascii_case(with.as_bytes()));
    for (start, content) in [
        ("<!doctype html", "an HTML page"),
        ("<html", "an HTML page"),
        ("<?xml", "an XML document"),
        ("<?php", "a program"),
        ("version https://git-lfs", "a pointer to a file of Git LFS (git lfs pull fetches it)"),
        ("%PDF-", "a PDF document"),
        ("{\\rtf", "an RTF document"),
    ] {
        if begins(start) {
            return Err(Refusal::useless(format!("{content}, not a list")));
        }
    }
    if dump::is_dump(beginning) {
        return Err(Refusal::useless("a dump of a database, not a list"));
    }
    if answer::is_markup(text) {
        return Err(Refusal::new("an HTML page or an XML document", Way::Plain));
    }
    if answer::is_error(text) {
        return Err(Refusal::new("an error message of a server", Way::Plain));
    }
    if text.starts_with(b"#!xdawg") {
        return Err(Refusal::useless("a packed list of Crack, which is to be unpacked first"));
    }
    if beginning.has_extension("dic") && beginning.lines.first().is_some_and(|line| is_charset(line)) {
        return Err(Refusal::useless("patterns for hyphenation, not words"));
    }
    if beginning.has_extension("aff") && hunspell::looks_like_affixes(beginning.text) {
        let way = Way::Other("its .dic file, which finds them".to_owned());
        return Err(Refusal::new("the rules of a hunspell dictionary", way));
    }
    if program::is_source(beginning) {
        return Err(Refusal::or_copy("the source of a program", program::texts_in_quotes(beginning)));
    }
    hashes_alone(beginning)?;
    one_line(beginning)
}

/// The fewest signs of a line that has several words.
const SIGNS_OF_ONE: usize = 3;

/// Refuses a list that is one line of several words.
fn one_line(beginning: &Beginning<'_>) -> Result<(), Refusal> {
    let [line] = beginning.lines.as_slice() else { return Ok(()) };
    let is_json = matches!(line.trim_ascii().first(), Some(b'[' | b'{'));
    let count = |sign: &u8| memchr::memchr_iter(*sign, line).count();
    let most = b",;|\t".iter().max_by_key(|sign| count(sign)).filter(|sign| count(sign) >= SIGNS_OF_ONE);
    match most.filter(|_| !is_json) {
        Some(sign) => {
            let sign = if *sign == b'\t' { "\\t".to_owned() } else { char::from(*sign).to_string() };
            Err(Refusal::or_copy(
                "all its words in one line",
                format!("with a word a line (tr '{sign}' '\\n')"),
            ))
        }
        None => Ok(()),
    }
}

/// The first line of a file of hyphenation: the name of its charset.
fn is_charset(line: &[u8]) -> bool {
    line.contains(&b'8') && encoding_rs::Encoding::for_label(line).is_some()
        || line.starts_with(b"ISO8859-")
        || line.starts_with(b"microsoft-cp")
}

/// Refuses lists of hashes, by their right name.
fn hashes_alone(beginning: &Beginning<'_>) -> Result<(), Refusal> {
    if beginning.most(hashes::is_pwdump) {
        return Err(Refusal::of_accounts());
    }
    let Some(hash) = beginning.lines.iter().find_map(|line| digest(line)) else { return Ok(()) };
    if beginning.most(|line| digest(line) == Some(hash)) {
        return Err(Refusal::of_hashes(hash));
    }
    Ok(())
}

/// The kind of a line that is a hash, with or without a count after it.
fn digest(line: &[u8]) -> Option<Hash> {
    let text = std::str::from_utf8(line.trim_ascii()).ok()?;
    let is_count = |count: &str| !count.is_empty() && count.bytes().all(|byte| byte.is_ascii_digit());
    let hash = text.rsplit_once([':', ' ', '\t', ',', ';']).filter(|(_, count)| is_count(count.trim()));
    let hash = hash.map_or(text, |(hash, _)| hash.trim_end());
    // What is after a colon was cracked.
    if hash.contains(':') { None } else { hashes::of(hash) }
}

/// True for a word with flags of hunspell or aspell: `word/SM`, or `word/sm`.
pub(super) fn has_flags(line: &[u8], may_be_lower: bool) -> bool {
    let mut parts = line.splitn(2, |&byte| byte == b'/');
    let (word, flags) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let flags = flags.split(|&byte| byte == b' ' || byte == b'\t').next().unwrap_or_default();
    let is_flag = |byte: &u8| {
        byte.is_ascii_uppercase()
            || byte.is_ascii_digit()
            || matches!(byte, b',' | b'~' | b'*')
            || may_be_lower && byte.is_ascii_lowercase()
    };
    // A flag is given once, and an account is no word.
    let is_once = |(at, flag): (usize, &u8)| !flags.get(..at).unwrap_or_default().contains(flag);
    let is_set = flags.iter().any(u8::is_ascii_digit) || flags.iter().enumerate().all(is_once);
    let is_word = word.iter().any(|byte| byte.is_ascii_lowercase() || !byte.is_ascii());
    let is_text = !word.iter().any(u8::is_ascii_control);
    is_word && is_text && is_set && (1..=16).contains(&flags.len()) && flags.iter().all(is_flag)
}

/// The form of a JSON document, or of lines of JSON.
pub(super) fn json(beginning: &Beginning<'_>, columns: Option<&Columns>) -> Option<Form> {
    let field = match columns {
        None => None,
        Some(Columns::Named(name)) => Some(name.clone()),
        Some(_) => return None,
    };
    let text = beginning.text.trim_ascii_start();
    if !matches!(text.first(), Some(b'[' | b'{')) {
        return None;
    }
    // JSON is UTF-8 by its standard, and not always in practice.
    let is_object = |line: &[u8]| {
        matches!(line.trim_ascii().first(), Some(b'[' | b'{'))
            && serde_json::from_str::<Value>(&String::from_utf8_lossy(line)).is_ok()
    };
    if beginning.lines.len() > 1 && beginning.most(is_object) {
        return Some(Form::JsonLines(field));
    }
    // A line end may have been put where a very long line is cut.
    let text = String::from_utf8_lossy(text.trim_ascii_end());
    let mut values = serde_json::Deserializer::from_str(&text).into_iter::<Value>();
    let is_document = match values.next() {
        Some(Ok(_)) => values.next().is_none(),
        // The document goes on after its beginning.
        Some(Err(error)) => error.is_eof(),
        None => false,
    };
    is_document.then_some(Form::JsonDocument(field))
}
