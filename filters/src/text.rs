//! Text of files and arguments, made fit to be shown or logged.

/// True for characters that show nothing themselves but steer how others are shown: control characters, direction marks,
/// joiners, line and paragraph separators, annotations and tags (Unicode general categories Cc, Cf, Zl and Zp).
pub fn is_steering(character: char) -> bool {
    let is_format = matches!(
        character,
        '\u{ad}' | '\u{600}'..='\u{605}' | '\u{61c}' | '\u{6dd}' | '\u{70f}' | '\u{180e}' | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}'
    );
    is_format || character.is_control()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_steers_is_told_from_what_shows() {
        assert!("\0\n\u{1b}\u{9b}\u{200b}\u{202e}\u{2028}\u{2066}\u{feff}\u{e0041}".chars().all(is_steering));
        assert!(!"aé日 \u{301}\u{fffd}🔑".chars().any(is_steering));
    }
}
