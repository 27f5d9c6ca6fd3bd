//! Files that are clearly not lists: more than one in ten of their non-blank lines contain control characters
//! or are too long, as in programs, pictures and archives; a list with a few such lines is read without them.
//! Also lists of digests of which more than one line in a hundred is not a digest: digests of another kind,
//! or a damaged list.

use nearmiss_filters::{
    format::Kind,
    list::{Entry, LineCounts, LineFormat, Skip},
};

use super::{decompress::Format, error::Problem};

/// The file, in a folder, and the number of a line.
type LinePlace = (Option<String>, u64);

/// The number of lines of another form that any list of words may have.
pub(super) const SINGLE_LINES: u64 = 4;

/// True if more than one in `parts` of all are so.
pub(super) fn is_over(some: u64, all: u64, parts: u64) -> bool {
    some.saturating_mul(parts) > all
}

/// The problem of a list with these lines, if it is junk; `place` gives the position of a line.
///
/// A list of words with a form is given with the name of that: of its lines, one in ten may be of another.
pub(super) fn problem(
    counts: &LineCounts,
    form: Option<String>,
    place: impl Fn(u64) -> LinePlace,
) -> Option<Problem> {
    let skipped = |reason| counts.skipped_for(reason).lines;
    let strange = skipped(Skip::Control) + skipped(Skip::TooLong);
    let lines = counts.read - skipped(Skip::Blank);
    if strange > lines / 2 || strange > SINGLE_LINES && is_over(strange, lines, 10) {
        return Some(Problem::Binary { strange, lines });
    }
    let malformed = counts.skipped_for(Skip::Malformed);
    let most = if form.is_some() { (lines / 10).max(SINGLE_LINES) } else { lines / 100 };
    (malformed.lines > most).then(|| {
        let (file, line) = place(malformed.first);
        Problem::Malformed { malformed: malformed.lines, lines, file, line, form }
    })
}

/// The problem of a stream with this beginning, if it is evident already.
pub(super) fn problem_of_head(head: &[u8]) -> Option<Problem> {
    match Format::of(head) {
        Format::Plain if is_wide(head) => None,
        Format::Plain => {
            let words = LineFormat { kind: Kind::Words, min_count: 0 };
            // Tabs may be between columns, and lines may end in CR alone.
            let has_ends = head.contains(&b'\n');
            let plain = |&byte: &u8| match byte {
                b'\t' => b' ',
                b'\r' if !has_ends => b'\n',
                other => other,
            };
            let head: Vec<u8> = head.iter().map(plain).collect();
            problem(&words.read_block(&head, &mut Entry::default(), |_| {}), None, |line| (None, line))
        }
        format => format.problem(),
    }
}

/// True for UTF-16, whose line ends have two bytes: it is judged once it is converted.
fn is_wide(head: &[u8]) -> bool {
    matches!(head, [0xff, 0xfe, ..] | [0xfe, 0xff, ..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_head_of_a_stream_tells_junk_from_lists() {
        for junk in
            [&[0; 4096][..], b"\x7fELF\x02\x01\0\0\ntext\n\0\0\0\0\n", b"a\0\rb\0\rc\0\r", b"PK\x03\x04"]
        {
            assert!(problem_of_head(junk).is_some(), "{junk:?}");
        }
        for list in [
            &b"\x1f\x8b\x08\0\0"[..],
            b"\n\nword\ncaf\xc3",
            b"",
            b"a\tb\nc\nd\ne",
            b"\xe9lan\n",
            b"a\rb\rc\r",
            b"\xff\xfea\0\n\0",
        ] {
            assert!(problem_of_head(list).is_none(), "{list:?}");
        }
    }
}
