//! The judgement of a list of words by lines from all of it: a list that is only in part one, or whose words
//! no person types, is refused before a filter is built.

use nearmiss_lists::{Reading, Refusal, Way, json::Elements, judge};

use super::{
    Expected,
    error::{InputError, Problem},
    junk::{SINGLE_LINES, is_over},
    origin::Origin,
    sample::{Sample, SampledLine},
};
use crate::report::number;

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
    let lost: Vec<&SampledLine> = judged.lost.iter().filter_map(|at| lines.get(*at)).copied().collect();
    let (long, all) = sample.long_bytes();
    if lost.len() as u64 <= SINGLE_LINES && long == 0 {
        return Ok(doubts);
    }
    if is_evident(&lost, &lines) {
        return Ok(Vec::new());
    }
    // A line stands for a stretch of bytes; lines that are too long were not drawn.
    let drawn = all.saturating_sub(long).saturating_mul(lost.len() as u64) / (judged.lines as u64).max(1);
    let bytes = long.saturating_add(drawn);
    let (percent, line) = (bytes.saturating_mul(100) / all.max(1), lost.first().map(|line| line.number));
    if is_over(bytes, all, 10) {
        return Err(origin.error(Problem::Lost { percent, line }));
    }
    if is_over(bytes, all, 100) {
        let such = line.map(|line| format!(", such as line {line}")).unwrap_or_default();
        doubts.push(format!(
            "about {percent} % of it is left out{such}: lines of another form or charset, with control \
             characters, or too long"
        ));
    }
    Ok(doubts)
}

/// The way to the words of a document.
pub(super) fn field() -> Way {
    let name = "the name of the field that has them, in an object within others such as login.password";
    Way::Options(format!("--columns and {name}"))
}

/// The doubt about a document, of which elements have no word.
///
/// # Errors
/// An [`InputError`] if more than one in ten have none, unless the user named the field that they lack.
pub(super) fn of_document(
    origin: &Origin,
    elements: Elements,
    is_named: bool,
) -> Result<Option<String>, InputError> {
    let Elements { taken, others, .. } = elements;
    let all = taken.saturating_add(others);
    if others <= SINGLE_LINES || !is_over(others, all, 100) {
        return Ok(None);
    }
    let (others_of, all_of) = (number(others), number(all));
    if is_over(others, all, 10) && !is_named {
        let content =
            format!("JSON in which {others_of} of {all_of} elements have no word that is recognised");
        return Err(origin.error(Problem::Form(Refusal::new(content, field()))));
    }
    Ok(Some(format!(
        "{others_of} of its {all_of} elements are left out: they have no word in a field as the others do"
    )))
}

/// True if so many lines are lost that the counts of all lines will say so, exactly: short lines are more
/// than their bytes are.
fn is_evident(lost: &[&SampledLine], all: &[&SampledLine]) -> bool {
    const SCALE: u64 = 1 << 20;
    let number = |lines: &[&SampledLine]| -> u64 {
        lines.iter().map(|line| SCALE / (line.text.len() as u64).saturating_add(1)).sum()
    };
    all.is_empty() || is_over(number(lost), number(all), 5)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use nearmiss_filters::{
        format::Kind,
        list::{Entry, LineCounts, LineFormat},
    };

    use crate::{
        input::{self, Expected, ListName, WordList},
        progress::Progress,
    };

    fn open(text: &[u8]) -> Result<WordList, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("list");
        fs::write(&path, text).unwrap();
        let lists = input::open(&[ListName::Path(path)], &Expected::of(Kind::Words), &Progress::hidden());
        let list = lists.map_err(|error| error.to_string())?.remove(0);
        let lines = LineFormat { kind: Kind::Words, min_count: 0 };
        let (mut counts, mut entry) = (LineCounts::default(), Entry::default());
        let mut reading = list.read(&Progress::hidden()).unwrap();
        while let Some(block) = reading.next_block().unwrap() {
            counts.append(&lines.read_block(block, &mut entry, |_| {}));
        }
        drop(reading);
        list.check(&counts).map_err(|error| error.to_string()).map(|()| list)
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
            assert!(
                refusal.contains("% of it") || refusal.contains("lines contain control"),
                "{name}: {refusal}"
            );
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

    /// Leaked passwords, of which one in twenty ends with a sign of a rule, and the built-in lists.
    #[test]
    fn lists_that_people_have_are_taken_without_a_doubt() {
        let passwords = concat!(env!("CARGO_MANIFEST_DIR"), "/../filters/tests/fixtures/passwords.txt");
        let passwords = fs::read_to_string(passwords).unwrap();
        let with_sign = |(n, word): (usize, &str)| match n % 20 {
            0 => format!("{word}{}\n", ["!", "1!", "!", "*", ".", "!", "@", "#", "!", "?"][n / 20 % 10]),
            _ => format!("{word}\n"),
        };
        let rules: String = passwords.lines().enumerate().map(with_sign).collect();
        for text in [&passwords, &rules] {
            assert_eq!(open(text.as_bytes()).unwrap().doubts, Vec::<String>::new());
        }
        let built_in = [&input::BUILT_IN, &input::EVERYDAY, &input::RANKED];
        let names = built_in.map(ListName::Embedded);
        let lists = input::open(&names, &Expected::of(Kind::Words), &Progress::hidden()).unwrap();
        assert!(lists.iter().all(|list| list.doubts.is_empty()));
    }
}
