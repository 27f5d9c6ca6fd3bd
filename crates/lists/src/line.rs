//! Lines that stand for themselves in any form: comments, and words in quotes.

/// The comments of john's lists, and the first line of aspell's personal dictionaries.
pub(crate) fn is_comment(line: &[u8]) -> bool {
    line.starts_with(b"#!comment:") || line.starts_with(b"personal_ws-1.")
}

/// The word in quotes, perhaps with a comma or a semicolon after it.
pub(crate) fn unquoted(line: &[u8]) -> Option<&[u8]> {
    let line = line.trim_ascii();
    let line = line.strip_suffix(b",").or_else(|| line.strip_suffix(b";")).unwrap_or(line).trim_ascii_end();
    let quote = line.first().filter(|first| matches!(first, b'"' | b'\'' | b'`'))?;
    let quote = std::slice::from_ref(quote);
    let word = line.strip_prefix(quote)?.strip_suffix(quote)?;
    (!word.is_empty() && !word.windows(1).any(|byte| byte == quote)).then_some(word)
}
