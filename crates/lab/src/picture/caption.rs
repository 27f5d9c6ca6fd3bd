//! The caption of a drawing: the facts of the file, and the part that is drawn.

use super::{grid::Cells, subject::PictureSubject};

/// Characters before each fact, for its name.
const NAME_COLUMNS: usize = 14;

/// The lines of text below the drawing of `subject`, at most `columns` characters each.
pub(super) fn lines(subject: &PictureSubject, cells: Cells, columns: usize) -> Vec<String> {
    let facts = subject.facts.iter().flat_map(|(name, fact)| fact_lines(name, fact, columns));
    facts.chain(fact_lines("drawing", &legend(cells, subject.has_checksums), columns)).collect()
}

/// A fact beside its name, or below it where there is no room for both.
fn fact_lines(name: &str, fact: &str, columns: usize) -> Vec<String> {
    let beside = columns.checked_sub(NAME_COLUMNS).filter(|beside| *beside >= NAME_COLUMNS);
    let Some(beside) = beside else {
        return wrapped(&format!("{name}: {fact}"), columns);
    };
    let names = std::iter::once(name).chain(std::iter::repeat(""));
    names.zip(wrapped(fact, beside)).map(|(name, line)| format!("{name:<NAME_COLUMNS$}{line}")).collect()
}

fn legend(cells: Cells, has_checksums: bool) -> String {
    let unit = match cells {
        Cells::Bits => "one pixel is one bit, black where it is one".to_owned(),
        Cells::Squares { shared: 1, .. } => "one square is one page".to_owned(),
        Cells::Squares { shared, .. } => format!("one square is {shared} pages"),
    };
    let damage = match (has_checksums, cells) {
        (false, _) => "",
        (true, Cells::Bits) => "; orange: the checksum of a page; red: a damaged page",
        (true, Cells::Squares { .. }) => "; red: a damaged page",
    };
    format!("{unit}; the numbers on the left count pages{damage}")
}

/// Text in lines of at most `columns` characters, broken between words where there are any.
pub(super) fn wrapped(text: &str, columns: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace().flat_map(|word| pieces(word, columns)) {
        let used = lines.last().map_or(0, |line| line.chars().count());
        let needed = used + 1 + word.chars().count();
        match lines.last_mut() {
            Some(line) if used == 0 => line.push_str(&word),
            Some(line) if needed <= columns => line.extend([" ", &word]),
            _ => lines.push(word),
        }
    }
    lines
}

fn pieces(word: &str, columns: usize) -> Vec<String> {
    let characters: Vec<char> = word.chars().collect();
    characters.chunks(columns.max(1)).map(|piece| piece.iter().collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_wrapped_between_words() {
        assert_eq!(wrapped("one two three", 7), ["one two", "three"]);
        assert_eq!(wrapped("abcdefgh i", 3), ["abc", "def", "gh", "i"]);
        assert_eq!(wrapped("", 3), [""]);
    }

    #[test]
    fn facts_stand_beside_their_names_where_there_is_room() {
        let expected = ["size          12 bytes, six", "              words"];
        assert_eq!(fact_lines("size", "12 bytes, six words", 28), expected);
        assert_eq!(fact_lines("size", "12 bytes, six words", 27), ["size: 12 bytes, six words"]);
    }

    #[test]
    fn the_legend_says_what_a_square_is() {
        let squares = |shared| Cells::Squares { shared, side: 1 };
        assert_eq!(legend(squares(1), false), "one square is one page; the numbers on the left count pages");
        let (five, bits) = (legend(squares(5), true), legend(Cells::Bits, true));
        assert!(five.starts_with("one square is 5 pages;") && five.ends_with("; red: a damaged page"));
        assert!(bits.starts_with("one pixel is one bit,") && bits.contains("; orange: the checksum"));
    }
}
