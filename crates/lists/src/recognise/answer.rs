//! Answers of servers that were stored in the place of a list: pages, documents, error messages.

/// Longer texts, and more lines, are no error messages.
const MOST_BYTES: usize = 2048;
const MOST_LINES: usize = 10;

/// The part of a text in which its second tag is looked for.
const BEGINNING: usize = 4096;

/// What servers say instead of a file.
const ERRORS: [&str; 12] = [
    "not found",
    "access denied",
    "accessdenied",
    "permission denied",
    "rate limit",
    "too many requests",
    "bad gateway",
    "gateway timeout",
    "gateway time-out",
    "service unavailable",
    "internal server error",
    "bad request",
];

/// True for a text that begins with a tag and has another: words in angle brackets alone have no slash.
pub(super) fn is_markup(text: &[u8]) -> bool {
    let beginning = text.get(..BEGINNING).unwrap_or(text);
    let Some(rest) = beginning.strip_prefix(b"<") else { return false };
    let is_tag = rest.first().is_some_and(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'!' | b'?'));
    let has = |text: &[u8]| memchr::memmem::find(rest, text).is_some();
    is_tag && has(b">") && (has(b"</") || has(b"/>") || has(b"<!--") || rest.starts_with(b"!--"))
}

/// True for a few lines of which one is an error: `404: Not Found`, `Rate limit exceeded`.
pub(super) fn is_error(text: &[u8]) -> bool {
    if text.len() > MOST_BYTES || memchr::memchr_iter(b'\n', text.trim_ascii()).count() >= MOST_LINES {
        return false;
    }
    let text = String::from_utf8_lossy(text).to_lowercase();
    let is_status = |line: &str| {
        let (status, rest) = line.split_at_checked(3).unwrap_or_default();
        let is_number = status.starts_with(['4', '5']) && status.bytes().all(|byte| byte.is_ascii_digit());
        is_number && rest.starts_with([' ', ':']) && rest.contains(char::is_alphabetic)
    };
    let is_message = |line: &str| ERRORS.iter().any(|error| line.contains(error));
    text.lines()
        .map(str::trim)
        .any(|line| is_message(line) || line.len() < 60 && is_status(line) && is_one(&text))
}

/// True for one line: of several, a few may have a number before a word.
fn is_one(text: &str) -> bool {
    text.trim().lines().count() == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_of_servers_are_no_lists() {
        for text in [
            "404: Not Found",
            "Not Found\n",
            "Rate limit exceeded\nTry later\n",
            "403 Forbidden",
            "{\"message\":\"Not Found\"}",
        ] {
            assert!(is_error(text.as_bytes()), "{text}");
        }
        for text in [
            "<h1>404 Not Found</h1>",
            "<Error><Code>AccessDenied</Code></Error>",
            "<!-- saved -->\n<p>a</p>",
            "<div class=\"x\">\n<div>a</div>",
        ] {
            assert!(is_markup(text.as_bytes()), "{text}");
        }
        for text in
            ["acme\nwidget\n", "<3\n<word>\n", "404\n500\n", "500 words\n99 more\n", "denied\nfound\n"]
        {
            assert!(!is_markup(text.as_bytes()) && !is_error(text.as_bytes()), "{text}");
        }
    }
}
