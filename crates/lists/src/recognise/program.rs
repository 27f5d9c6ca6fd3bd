//! The sources of programs that have words in them.

use super::Beginning;
use crate::line::unquoted;

/// The lines at the beginning among which a program assigns something.
const FIRST_LINES: usize = 5;

/// True for a program in which words are not alone on their lines: JavaScript or Python.
pub(super) fn is_source(beginning: &Beginning<'_>) -> bool {
    let begins = beginning.text.split(|&byte| byte == b'\n').take(FIRST_LINES).any(is_assignment);
    begins && !beginning.most(|line| unquoted(line).is_some())
}

/// The copy of a program's source that has its texts in quotes alone, one a line, or the parts of those that
/// have many.
pub(super) fn texts_in_quotes(beginning: &Beginning<'_>) -> String {
    let count = |sign: u8| memchr::memchr_iter(sign, beginning.text).count();
    let (double, single, commas) = (count(b'"'), count(b'\''), count(b','));
    let (quote, outer) = if single > double { ('\'', '"') } else { ('"', '\'') };
    let are_joined = commas > double.max(single).saturating_mul(2);
    let divide = if are_joined { " | tr ',' '\\n'" } else { "" };
    let texts = format!("grep -o {outer}{quote}[^{quote}]*{quote}{outer}");
    format!("of its texts in quotes ({texts} LIST | tr -d {outer}{quote}{outer}{divide})")
}

/// True for `module.exports = {`, `export const NAME = `, `var NAME;` and the like.
fn is_assignment(line: &[u8]) -> bool {
    let Ok(line) = std::str::from_utf8(line) else { return false };
    let mut parts = line.split_ascii_whitespace().skip_while(|part| *part == "export");
    let (keyword, name, sign) = (parts.next(), parts.next(), parts.next());
    let is_name = |name: &str| {
        name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    match (keyword, name, sign) {
        (Some("module.exports"), Some("="), _) => true,
        (Some("default"), Some(value), _) => line.starts_with("export") && value.starts_with(['{', '[']),
        (Some("var" | "let" | "const"), Some(name), Some(sign)) => sign == "=" && is_name(name),
        (Some("var"), Some(name), None) => name.strip_suffix(';').is_some_and(is_name),
        _ => false,
    }
}
