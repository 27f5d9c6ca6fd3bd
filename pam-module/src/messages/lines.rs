//! Messages in lines that fit a terminal of 80 columns, which would otherwise break them inside of words. A
//! screen reader reads what stands in the same line as one sentence.

use zeroize::Zeroizing;

/// The most columns of a line, with the space that a line break replaces.
const COLUMNS: usize = 80;

/// A line may end after these; between Chinese or Japanese words there are no spaces.
const BREAKS: [char; 5] = [' ', '、', '，', '。', '；'];

/// A reason ends with one of these, and the advice after it with nothing.
const CLAUSE_ENDS: [char; 4] = [';', '.', '。', '；'];

/// The text with line breaks: clauses that fit a line are not broken, others are broken between words.
pub(super) fn in_lines(text: &str) -> Zeroizing<String> {
    // Nothing is copied as the text grows: it may hold a password. A line break replaces a space, or follows
    // a mark of three bytes.
    let mut lines = Zeroizing::new(String::with_capacity(text.len().saturating_mul(2)));
    let mut rest = text;
    while let Some((line, after)) =
        rest.split_at_checked(line_end(rest)).filter(|(_, after)| !after.is_empty())
    {
        lines.push_str(line.strip_suffix(' ').unwrap_or(line));
        lines.push('\n');
        rest = after;
    }
    lines.push_str(rest);
    lines
}

/// Where the first line of a text ends, in bytes: behind the last clause that fits, else behind the last word
/// that fits, else behind the first word.
fn line_end(text: &str) -> usize {
    let (mut column, mut word, mut clause, mut before) = (0_usize, 0, 0, ' ');
    for (at, character) in text.char_indices() {
        column = column.saturating_add(columns(character));
        let is_full = column > COLUMNS;
        if is_full && word > 0 {
            return if clause > 0 { clause } else { word };
        }
        if BREAKS.contains(&character) {
            word = at.saturating_add(character.len_utf8());
            if is_full {
                return word;
            }
            if CLAUSE_ENDS.contains(&character) || CLAUSE_ENDS.contains(&before) {
                clause = word;
            }
        }
        before = character;
    }
    text.len()
}

/// Columns of a terminal: two for an East Asian character (Unicode Standard Annex #11), and for the few
/// others in the same blocks; one for a mark that takes none.
fn columns(character: char) -> usize {
    if matches!(character, '\u{1100}'..='\u{115f}' | '\u{2e80}'..) { 2 } else { 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_fits_is_one_line() {
        let full = "x".repeat(80);
        for text in ["", "one", "one; two. three", full.as_str()] {
            assert_eq!(*in_lines(text), text);
        }
    }

    #[test]
    fn a_clause_that_fits_a_line_is_not_broken() {
        let (reason, advice) = ("r".repeat(60), "choose several unrelated words");
        assert_eq!(*in_lines(&format!("BAD: {reason}; {advice}")), format!("BAD: {reason};\n{advice}"));
        let reason = "悪い".repeat(19);
        assert_eq!(*in_lines(&format!("{reason}。ほかのもの")), format!("{reason}。\nほかのもの"));
    }

    #[test]
    fn a_longer_clause_is_broken_between_words() {
        let (word, most) = ("four ", "four ".repeat(15));
        let text = in_lines(&word.repeat(40));
        assert_eq!(text.lines().map(str::len).collect::<Vec<_>>(), [79, 79, 40]);
        assert_eq!(text.replace('\n', " "), word.repeat(40));
        let list = format!("{most}first-passphrase, second-passphrase, third-passphrase");
        assert!(in_lines(&list).lines().all(|line| !line.ends_with('-') && line.len() < 80));
    }

    /// A name is no end of a clause, and a word that is wider than a line is left to the terminal.
    #[test]
    fn nothing_is_broken_inside_of_a_word() {
        let name = format!("{}.{}", "a".repeat(50), "b".repeat(50));
        assert_eq!(*in_lines(&format!("for {name} anyway")), format!("for\n{name}\nanyway"));
    }

    #[test]
    fn the_lines_were_never_larger_than_their_buffer() {
        let text = "辞書、".repeat(100);
        let lines = in_lines(&text);
        assert!(lines.len() > text.len() && lines.capacity() == 2 * text.len());
    }
}
