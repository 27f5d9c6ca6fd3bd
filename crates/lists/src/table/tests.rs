use std::cell::Cell;

use super::*;

thread_local! {
    /// The readers that this thread has built.
    pub(super) static BUILT: Cell<usize> = const { Cell::new(0) };
}

fn split(roles: &[Role], separator: Separator, line: &str) -> Option<(u64, String)> {
    let word = roles.iter().position(|role| *role == Role::Word).unwrap();
    let table = Table { separator, roles: roles.to_vec(), word, has_header: false, is_from_left: false };
    let (count, word) = table.split(line.as_bytes())?;
    Some((count, String::from_utf8(word.into_owned()).unwrap()))
}

#[test]
fn a_word_is_what_its_neighbours_leave() {
    use Role::{Count, Hash, Rank, User, Word};
    let some = |count, word: &str| Some((count, word.to_owned()));
    assert_eq!(split(&[Count, Word], Separator::Blanks, "  12 a b"), some(12_000_000, "a b"));
    assert_eq!(split(&[Word, Count], Separator::Blanks, "a b \t 12 "), some(12_000_000, "a b"));
    assert_eq!(split(&[Word, Count], Separator::Blanks, "a b"), None);
    assert_eq!(split(&[User, Word], Separator::Colon, "anna:p:q "), some(0, "p:q "));
    assert_eq!(split(&[User, Hash, Word], Separator::Colon, "a:b:c:d"), some(0, "c:d"));
    assert_eq!(split(&[Rank, Word, Count], Separator::Comma, "1,a,b,7"), some(7_000_000, "a,b"));
    assert_eq!(split(&[Rank, Word, Count], Separator::Comma, "1,\"a,\"\"b\",7"), some(7_000_000, "a,\"b"));
    assert_eq!(split(&[Word, Count], Separator::Comma, "word"), None);
    assert_eq!(split(&[Word, Count], Separator::Tab, "one\tmany"), some(0, "one"));
    assert_eq!(split(&[Word, Count], Separator::Blanks, "a 0.5"), some(500_000, "a"));
    // Lines of two lists: the count is where the word was.
    for separator in [Separator::Comma, Separator::Tab, Separator::Semicolon] {
        let line = format!("99{}word", char::from(separator.byte()));
        assert_eq!(split(&[Word, Count], separator, &line), None);
    }
    assert_eq!(split(&[Word, Count], Separator::Comma, "99,\"word\""), None);
    let in_thousands = ["1,234,567", "12,34", "1234,567", ",123"].map(|text| weight(text.as_bytes()));
    assert_eq!(in_thousands, [Some(1_234_567_000_000), None, None, None]);
}

#[test]
fn lines_with_quotes_share_a_reader_for_each_separator_and_leave_nothing_in_it() {
    for _ in 0..100 {
        for (separator, line) in [
            (Separator::Comma, "\"a, b\",7"),
            (Separator::Semicolon, "\"a, b\";7"),
            (Separator::Tab, "\"a, b\"\t7"),
        ] {
            assert_eq!(separator.fields(line.as_bytes()), [&b"a, b"[..], b"7"], "{line}");
            separator.fields(b"\"never ended");
        }
    }
    assert_eq!(BUILT.get(), 4);
}

#[test]
fn fields_are_counted_with_and_without_quotes() {
    let fields = |separator: Separator, line: &'static str| {
        let fields = separator.fields(line.as_bytes());
        fields.iter().map(|field| String::from_utf8_lossy(field).into_owned()).collect::<Vec<_>>()
    };
    assert_eq!(fields(Separator::Comma, "a,\"b,c\",\"\",d"), ["a", "b,c", "", "d"]);
    assert_eq!(fields(Separator::Comma, "a,,"), ["a", "", ""]);
    assert_eq!(fields(Separator::Comma, " \"a\","), ["a", ""]);
    assert_eq!(fields(Separator::Comma, "\"open"), ["open"]);
    assert_eq!(fields(Separator::Blanks, "  a \t b "), ["a", "b"]);
    assert_eq!(fields(Separator::Colon, "\"a:b"), ["\"a", "b"]);
}
