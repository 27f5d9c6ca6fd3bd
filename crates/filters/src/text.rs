//! Text of files, arguments and system errors, made safe to show or log.

use std::io;

/// The system's reason in words only: "No such file or directory", without the number that the standard
/// library adds.
pub fn system_reason(error: &io::Error) -> String {
    const NUMBER: &[u8] = b" (os error ";
    let mut text = error.to_string();
    let bytes = text.as_bytes();
    let start = bytes.windows(NUMBER.len()).position(|part| part == NUMBER);
    let end = start.and_then(|start| {
        let length = bytes.get(start..)?.iter().position(|&byte| byte == b')')?;
        start.checked_add(length)?.checked_add(1)
    });
    if let (Some(start), Some(end)) = (start, end) {
        text.drain(start..end);
    }
    text
}

/// True for invisible characters that control the display of others: control characters, direction marks,
/// joiners, line and paragraph separators, annotations and tags (Unicode general categories Cc, Cf, Zl and
/// Zp).
pub fn is_steering(character: char) -> bool {
    let is_format = matches!(
        character,
        '\u{ad}' | '\u{600}'..='\u{605}' | '\u{61c}' | '\u{6dd}' | '\u{70f}' | '\u{180e}'
            | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}'
    );
    is_format || character.is_control()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_system_reason_has_no_number() {
        let missing = || io::Error::from_raw_os_error(2);
        assert_eq!(system_reason(&missing()), "No such file or directory");
        let wrapped = io::Error::other(format!("{} at path \"/f (os error\"", missing()));
        assert_eq!(system_reason(&wrapped), "No such file or directory at path \"/f (os error\"");
        assert_eq!(system_reason(&io::Error::other("(os error unknown")), "(os error unknown");
    }

    #[test]
    fn what_steers_is_told_from_what_shows() {
        assert!("\0\n\u{1b}\u{9b}\u{200b}\u{202e}\u{2028}\u{2066}\u{feff}\u{e0041}".chars().all(is_steering));
        assert!(!"aé日 \u{301}\u{fffd}🔑".chars().any(is_steering));
    }
}
