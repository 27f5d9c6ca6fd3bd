//! Commands as text, to be pasted into a shell.

use std::path::Path;

use nearmiss_filters::text::is_steering;

/// A path, quoted for a shell.
pub fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let is_plain = |character: char| character.is_ascii_alphanumeric() || "/._-+,:@%".contains(character);
    if !text.is_empty() && text.chars().all(is_plain) {
        return text;
    }
    let quoted = |text: &str| format!("'{}'", text.replace('\'', r"'\''"));
    if text.chars().any(is_steering) {
        format!("\"$(printf %b {})\"", quoted(&escaped(&text)))
    } else {
        quoted(&text)
    }
}

/// The argument of `printf %b` for a text: what steers a terminal would not be printed as it is.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for character in text.replace('\\', r"\\").chars() {
        if is_steering(character) {
            let mut bytes = [0; 4];
            let bytes = character.encode_utf8(&mut bytes).bytes();
            escaped.extend(bytes.map(|byte| format!("\\0{byte:03o}")));
        } else {
            escaped.push(character);
        }
    }
    escaped
}

/// A command on several files.
pub fn on_files<'p>(command: &str, files: impl IntoIterator<Item = &'p Path>) -> String {
    files.into_iter().fold(command.to_owned(), |line, file| line + " " + &quoted(file))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_one_word_of_a_shell() {
        assert_eq!(quoted(Path::new("/var/cache/words.filter")), "/var/cache/words.filter");
        assert_eq!(quoted(Path::new("/a b/it's")), r"'/a b/it'\''s'");
        assert_eq!(quoted(Path::new("$(id)")), "'$(id)'");
        // Read by a shell, each names the file.
        for name in ["/a\nb.filter", "/\u{1b}[2J it's \\0 \u{202e}x", "/tab\there$HOME"] {
            let line = quoted(Path::new(name));
            assert!(!line.chars().any(is_steering), "{line:?}");
            let said = std::process::Command::new("sh").args(["-c", &format!("printf %s {line}")]).output();
            assert_eq!(String::from_utf8(said.unwrap().stdout).unwrap(), name, "{line}");
        }
        assert_eq!(on_files("rm", [Path::new("/a"), Path::new("/b c")]), "rm /a '/b c'");
    }
}
