//! The judgement of a list of words by lines from all of it: a list that is only in part one, or whose words
//! no person types, is refused before a filter is built.

use nearmiss_lists::{Reading, judge};

use super::{
    Expected,
    error::{InputError, Problem},
    junk::{SINGLE_LINES, is_over},
    origin::Origin,
    sample::Sample,
};

/// The doubts about a list of which these lines were drawn.
///
/// # Errors
/// An [`InputError`] if more than one in ten of its bytes are in lines that give no word, or if its words are
/// none.
pub(super) fn of(
    origin: &Origin,
    sample: &Sample,
    reading: &Reading,
    expected: &Expected,
) -> Result<Vec<String>, InputError> {
    let lines = sample.lines();
    let texts = lines.iter().map(|line| &*line.text);
    let judged = judge(texts, reading, &expected.wanted);
    let judged = judged.map_err(|refusal| origin.error(Problem::Form(refusal)))?;
    let mut doubts = judged.doubts;
    // A line stands for a stretch of bytes; lines that are too long were not drawn.
    let (long, all) = sample.long_bytes();
    let lost = share(judged.lost, judged.lines);
    let drawn = all.saturating_sub(long);
    let bytes = long.saturating_add(drawn.saturating_mul(lost) / PARTS);
    let first = judged.first_lost.and_then(|at| lines.get(at)).map(|line| line.number);
    let is_some = judged.lost as u64 > SINGLE_LINES || long > 0;
    if is_some && is_over(bytes, all, 10) {
        return Err(
            origin.error(Problem::Lost { percent: bytes.saturating_mul(100) / all.max(1), line: first })
        );
    }
    if is_some && is_over(bytes, all, 100) {
        let first = first.map(|line| format!(", such as line {line}")).unwrap_or_default();
        let percent = bytes.saturating_mul(100) / all.max(1);
        doubts.push(format!(
            "about {percent} % of it is left out{first}: lines of another form or charset, with control \
             characters, or too long"
        ));
    }
    Ok(doubts)
}

/// The parts in which shares are counted.
const PARTS: u64 = 10_000;

fn share(some: usize, all: usize) -> u64 {
    (some as u64).saturating_mul(PARTS) / (all as u64).max(1)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use nearmiss_filters::format::Kind;

    use crate::{
        input::{self, Expected, ListName, WordList},
        progress::Progress,
    };

    fn open(text: &[u8]) -> Result<WordList, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("list");
        fs::write(&path, text).unwrap();
        let lists = input::open(&[ListName::Path(path)], &Expected::of(Kind::Words), &Progress::hidden());
        Ok(lists.map_err(|error| error.to_string())?.remove(0))
    }

    /// Words that do not look like numbers or digits of a hash.
    fn words(count: u32) -> String {
        let letter = |n: u32| char::from_u32(u32::from('g') + n % 20).unwrap();
        let word = |n: u32| -> String { [n, n / 20, n / 400, n / 8000].map(letter).iter().collect() };
        (0..count).map(|n| format!("{}x\n", word(n))).collect()
    }

    fn wide(text: &str) -> Vec<u8> {
        text.encode_utf16().flat_map(u16::to_le_bytes).collect()
    }

    #[test]
    fn a_list_that_is_one_in_part_is_refused_wherever_the_rest_is() {
        let plain = words(100_000);
        let tail = words(50_000);
        for (name, rest) in [
            ("UTF-16", wide(&tail)),
            ("CR alone", tail.replace('\n', "\r").into_bytes()),
            ("one long line", tail.replace('\n', " ").repeat(6).into_bytes()),
            ("gzip", compressed(&tail)),
        ] {
            let refusal = open(&[plain.as_bytes(), &rest].concat()).err().unwrap_or_default();
            assert!(refusal.contains("% of it"), "{name}: {refusal}");
        }
    }

    fn compressed(text: &str) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        std::io::Write::write_all(&mut encoder, text.as_bytes()).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn a_small_part_is_a_doubt_and_a_few_lines_are_none() {
        let plain = words(20_000);
        let with = |lines: u32| {
            let strange: String = (0..lines).map(|n| format!("\u{1}{n}abc\n")).collect();
            open(format!("{plain}{strange}").as_bytes()).unwrap().doubts
        };
        assert_eq!(with(3), Vec::<String>::new());
        let doubts = with(1000);
        assert!(doubts.iter().any(|doubt| doubt.contains("is left out, such as line 20")), "{doubts:?}");
    }
}
