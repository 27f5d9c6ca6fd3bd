//! Files that are clearly not lists: more than half of their non-blank lines contain control characters or
//! are too long, as in programs, pictures, archives and tab-separated tables; a list with a few such lines is
//! read without them. Also lists of digests of which more than one line in a hundred is not a digest: digests
//! of another kind, or a damaged list.

use nearmiss_filters::{
    format::Kind,
    list::{Entry, LineCounts, LineFormat, Skip},
};

use super::{decompress::Format, error::Problem};

/// The file, in a folder, and the number of a line.
type LinePlace = (Option<String>, u64);

/// The problem of a list with these lines, if it is junk; `place` gives the position of a line.
pub(super) fn problem(counts: &LineCounts, place: impl Fn(u64) -> LinePlace) -> Option<Problem> {
    let skipped = |reason| counts.skipped_for(reason).lines;
    let strange = skipped(Skip::Control) + skipped(Skip::TooLong);
    let lines = counts.read - skipped(Skip::Blank);
    if strange > lines / 2 {
        return Some(Problem::Binary { strange, lines });
    }
    let malformed = counts.skipped_for(Skip::Malformed);
    (malformed.lines > lines / 100).then(|| {
        let (file, line) = place(malformed.first);
        Problem::Malformed { malformed: malformed.lines, lines, file, line }
    })
}

/// The problem of a stream with this beginning, if it is evident already.
pub(super) fn problem_of_head(head: &[u8]) -> Option<Problem> {
    match Format::of(head) {
        Format::Plain => {
            let words = LineFormat { kind: Kind::Words, min_count: 0 };
            problem(&words.read_block(head, &mut Entry::default(), |_| {}), |line| (None, line))
        }
        format => format.problem(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_head_of_a_stream_tells_junk_from_lists() {
        for junk in [&[0; 4096][..], b"\x7fELF\x02\x01\0\0\ntext\n\0\0\0\0\n", b"a\rb\rc\r", b"PK\x03\x04"] {
            assert!(problem_of_head(junk).is_some(), "{junk:?}");
        }
        for list in [&b"\x1f\x8b\x08\0\0"[..], b"\n\nword\ncaf\xc3", b"", b"a\tb\nc\nd\ne", b"\xe9lan\n"] {
            assert!(problem_of_head(list).is_none(), "{list:?}");
        }
    }
}
