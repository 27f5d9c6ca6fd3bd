//! Another reading of a line, as a person would read it: for the proof that a finished filter has what its
//! lists say. It shares nothing with the reader but the name of the form, and gives up where a line is not
//! plain to see.

use encoding_rs::WINDOWS_1252;

use crate::{Charsets, Form, Role, Separator, Table};

/// The word that a person sees in a line of this form; none for a line without one, or where that needs a
/// second look.
pub fn word(form: &Form, charsets: &Charsets, line: &[u8]) -> Option<String> {
    let text = text_of(charsets, line)?;
    let text = text.trim_matches(|c: char| c.is_whitespace());
    // Marks of direction and of byte order, hyphens that are not seen, and quotes need a second look.
    let is_odd = |c: char| {
        matches!(u32::from(c), 0xab | 0xad | 0xbb | 0x34f | 0x61c | 0x180e | 0x200b..=0x200f | 0x2018..=0x201f
            | 0x202a..=0x202e | 0x2060..=0x206f | 0x300c..=0x300f | 0xfeff)
    };
    if text.contains(is_odd) {
        return None;
    }
    if text.is_empty()
        || ["#!comment:", "personal_ws-1.", "#TYPE ", "sep="].iter().any(|start| text.starts_with(start))
    {
        return None;
    }
    let word = match form {
        Form::Quoted => {
            let quote = text.find(['"', '\'', '`'])?;
            let (point, text) = text.split_at_checked(quote)?;
            let text = text.trim_end_matches([',', ';']).trim_end();
            let is_point = point.chars().all(|c| c.is_ascii_digit() || ".)-*+ ".contains(c));
            // A quote or a backslash inside needs a second look.
            if !is_point || text.contains('\\') {
                return None;
            }
            let (first, last) = (text.chars().next()?, text.chars().next_back()?);
            if first != last || !matches!(first, '"' | '\'' | '`') {
                return None;
            }
            let inner = text.char_indices().nth(1)?.0..text.char_indices().next_back()?.0;
            text.get(inner).filter(|word| !word.contains(first))?.to_owned()
        }
        Form::Table(table) => of_table(table, text)?,
        Form::JsonLines(field) => of_json(field.as_deref(), text)?,
        // Flags may say that a stem is no word.
        Form::Hunspell if text.contains(['/', '\\', '\t', ' ', '#', '\u{ad}']) => return None,
        Form::Hunspell if text.chars().all(|c| c.is_ascii_digit()) => return None,
        Form::Plain | Form::Hunspell => text.to_owned(),
        Form::JsonDocument(_) => text.split_once(' ')?.1.to_owned(),
        Form::Potfile if text.starts_with(['$', '{']) => {
            let (_, plain) = text.split_once(':')?;
            // Some hashes have colons.
            (!plain.contains('$') || !plain.contains(':')).then(|| plain.to_owned())?
        }
        Form::Potfile => text.rsplit_once(':')?.1.to_owned(),
        Form::Logins => of_login(text)?,
    };
    let word = word.trim().to_owned();
    of_hex(charsets, &word).or(Some(word)).filter(|word| is_plain(word))
}

/// Passwords have no control characters, and a filter has no word longer than 255 characters.
fn is_plain(word: &str) -> bool {
    !word.trim().is_empty() && word.chars().count() <= 255 && !word.chars().any(char::is_control)
}

fn text_of(charsets: &Charsets, line: &[u8]) -> Option<String> {
    if let Some(said) = charsets.said {
        return said.decode(line).map(std::borrow::Cow::into_owned);
    }
    String::from_utf8(line.to_vec()).ok().or_else(|| {
        let encoding = charsets.other.map_or(WINDOWS_1252, crate::Charset::encoding);
        let (text, _, had_errors) = encoding.decode(line);
        (!had_errors).then(|| text.into_owned())
    })
}

fn of_hex(charsets: &Charsets, word: &str) -> Option<String> {
    let digits = word.strip_prefix("$HEX[")?.strip_suffix(']')?;
    let digits: Vec<char> = digits.chars().collect();
    let pair = |pair: &[char]| u8::from_str_radix(&pair.iter().collect::<String>(), 16).ok();
    let are_digits = digits.iter().all(char::is_ascii_hexdigit) && digits.len() % 2 == 0;
    let bytes = are_digits.then(|| digits.chunks(2).map(pair).collect::<Option<Vec<u8>>>())??;
    text_of(charsets, &bytes).map(|text| text.trim().to_owned())
}

/// A line with as many columns as the table, and none in quotes but whole ones.
fn of_table(table: &Table, text: &str) -> Option<String> {
    let separator = char::from(table.separator.byte());
    let fields: Vec<String> = match table.separator {
        Separator::Blanks => text.split_whitespace().map(str::to_owned).collect(),
        _ => text.split(separator).map(str::to_owned).collect(),
    };
    let has_quotes = text.contains('"') && !matches!(table.separator, Separator::Blanks | Separator::Colon);
    if fields.len() != table.roles.len() || has_quotes && fields.iter().any(|field| !is_whole(field)) {
        return None;
    }
    let is_number =
        |at: usize| fields.get(at).is_some_and(|field| field.trim().chars().all(|c| c.is_ascii_digit()));
    let mut counts = table.roles.iter().enumerate().filter(|(_, role)| **role == Role::Count);
    if !counts.all(|(at, _)| is_number(at)) {
        return None;
    }
    let field = fields.get(table.word)?;
    let field = if has_quotes { field.trim().trim_matches('"') } else { field };
    // Code in a table of Markdown needs a second look.
    if separator == '|' && field.contains('`') {
        return None;
    }
    Some(field.to_owned())
}

/// True for a field without quotes, or in quotes: not with one after a blank, which is a part of it.
fn is_whole(field: &str) -> bool {
    let field = field.trim_end();
    let inner = field.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    !inner.unwrap_or(field).contains('"')
}

fn of_json(field: Option<&str>, text: &str) -> Option<String> {
    let value: serde_json::Value = serde_json::from_str(text).ok()?;
    let fields = value.as_object()?;
    let only = || fields.values().next().filter(|_| fields.len() == 1);
    let found = field.map_or_else(only, |name| fields.get(name));
    found.or_else(|| fields.get("password")).and_then(|value| value.as_str()).map(str::to_owned)
}

fn of_login(text: &str) -> Option<String> {
    let rest = text.split_once("://").map_or(text, |(_, rest)| rest);
    let fields: Vec<&str> = rest.split(':').collect();
    match fields.as_slice() {
        [_, _, word] => Some((*word).to_owned()),
        _ => None,
    }
}
