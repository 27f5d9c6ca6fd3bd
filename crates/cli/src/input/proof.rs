//! The proof that a finished filter has what its lists say: lines of each list, as a person would read them,
//! are looked up in it.

use nearmiss_filters::format::Kind;
use nearmiss_lists::{Reader, Refusal, known, simple};

use super::{InputError, WordList, error::Problem, sample::SampledLine};

/// What a list says that a filter has.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Stored {
    /// The number of the line, from 1.
    line: u64,
    /// The word, or the digest in hexadecimal.
    text: String,
}

/// What was looked up.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Proof {
    /// The number of words or digests that were looked up and found.
    pub found: u64,
    /// Some of them.
    pub examples: Vec<String>,
}

/// The number of examples.
const EXAMPLES: usize = 5;

impl WordList {
    /// The entries in up to 1,000 lines of the list, evenly from all of it, read in another way than for the
    /// filter. Lines are left out where a person would need a second look.
    fn sample(&self, min_count: u64) -> Vec<Stored> {
        let (_, lines) = self.last.get();
        let has_header = self.reading.as_ref().is_some_and(|reading| reading.form.has_header());
        let is_begun = |line: &&SampledLine| has_header && !line.text.trim_ascii().is_empty();
        let header = lines.iter().find(is_begun).map(|line| line.number);
        let others = lines.iter().filter(|line| Some(line.number) != header);
        others.filter_map(|line| self.stored(line, min_count)).collect()
    }

    /// The first words in up to 1,000 lines of the last reading, evenly from all of the list; none of
    /// digests.
    pub fn sampled_words(&self) -> Vec<Vec<u8>> {
        let Some(reading) = self.reading.clone() else { return Vec::new() };
        let (mut reader, mut words) = (Reader::new(reading), Vec::new());
        for line in self.last.get().1 {
            let mut first = None;
            let read = reader.read_line(&line.text, &mut |_, word| {
                first.get_or_insert_with(|| word.to_vec());
            });
            words.extend(read.ok().and(first));
        }
        words
    }

    fn stored(&self, line: &SampledLine, min_count: u64) -> Option<Stored> {
        let text = match &self.reading {
            Some(reading) => simple::word(&reading.form, &reading.charsets, &line.text)?,
            None => digest(self.kind, &line.text, min_count)?,
        };
        Some(Stored { line: line.number, text })
    }

    /// Looks up the sample with `is_stored`, in the finished filter.
    ///
    /// # Errors
    /// An [`InputError`] if one of them is not found, and for digests of another kind.
    pub fn prove(
        &self,
        min_count: u64,
        is_stored: &mut dyn FnMut(&str) -> bool,
    ) -> Result<Proof, InputError> {
        if let Some(name) = digits(self.kind).and_then(|digits| known::other_kind(digits, is_stored)) {
            let content = format!("{name}: it has some of common passwords, and none of the right kind");
            return Err(self.origin.error(Problem::Form(Refusal::useless(content))));
        }
        let sample = self.sample(min_count);
        let missing: Vec<&Stored> = sample.iter().filter(|stored| !is_stored(&stored.text)).collect();
        let looked_up = sample.len() as u64;
        if let Some(first) = missing.first() {
            let (missing, line) = (missing.len() as u64, first.line);
            return Err(self.origin.error(Problem::NotStored { missing, looked_up, line }));
        }
        let step = sample.len().div_ceil(EXAMPLES).max(1);
        let examples = sample.iter().step_by(step).map(|stored| stored.text.clone()).collect();
        Ok(Proof { found: looked_up, examples })
    }
}

/// The hexadecimal digits of a digest.
fn digits(kind: Kind) -> Option<usize> {
    match kind {
        Kind::Words => None,
        Kind::Sha1 => Some(40),
        Kind::Ntlm => Some(32),
    }
}

/// The only digest of a line, if the only number beside it is a large enough count or there is none.
fn digest(kind: Kind, line: &[u8], min_count: u64) -> Option<String> {
    let text = std::str::from_utf8(line).ok()?;
    let length = digits(kind)?;
    let parts: Vec<&str> =
        text.split([':', ',', ';', ' ', '\t', '|', '\r']).filter(|part| !part.is_empty()).collect();
    let is_digest = |part: &&&str| part.len() == length && part.chars().all(|c| c.is_ascii_hexdigit());
    let count = |part: &&str| part.parse::<u64>().ok();
    let digest = parts.iter().find(is_digest)?;
    match parts.as_slice() {
        [_] if min_count <= 1 => Some((*digest).to_owned()),
        [one, other] => {
            let count = count(if one == digest { other } else { one })?;
            (count >= min_count).then(|| (*digest).to_owned())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::{
        input::{Expected, ListName, open},
        progress::Progress,
    };

    fn prove(text: &str, kind: Kind, is_stored: &mut dyn FnMut(&str) -> bool) -> Result<Proof, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("list");
        fs::write(&path, text).unwrap();
        let hidden = Progress::hidden();
        let list = open(&[ListName::Path(path)], &Expected::of(kind), &hidden).unwrap().remove(0);
        let mut reading = list.read(&hidden).unwrap();
        while reading.next_block().unwrap().is_some() {}
        list.prove(2, is_stored).map_err(|error| error.to_string())
    }

    #[test]
    fn the_words_of_a_list_are_looked_up_and_some_are_shown() {
        let words: String = (0..20).map(|n| format!("word{n}\n")).collect();
        let mut looked_up = Vec::new();
        let proof = prove(&words, Kind::Words, &mut |word| {
            looked_up.push(word.to_owned());
            true
        });
        let examples = ["word0", "word4", "word8", "word12", "word16"].map(str::to_owned).to_vec();
        assert_eq!(proof, Ok(Proof { found: 20, examples }));
        assert_eq!(looked_up.join("\n") + "\n", words);
    }

    #[test]
    fn a_word_that_is_not_found_is_an_error_with_its_line() {
        let error = prove("elephant\n\ngiraffe\nzebra\n", Kind::Words, &mut |word| word != "giraffe");
        let error = error.unwrap_err();
        assert!(error.contains("1 of 3 words") && error.contains("first that of line 3"), "{error}");
    }

    #[test]
    fn digests_of_another_kind_are_refused() {
        let md5 = ["e10adc3949ba59abbe56e057f20f883e", "5f4dcc3b5aa765d61d8327deb882cf99"];
        let list = md5.join("\n");
        let error = prove(&list, Kind::Ntlm, &mut |digest| md5.contains(&digest)).unwrap_err();
        assert!(error.contains("seems to contain MD5 digests: it has some of common passwords"), "{error}");
    }

    #[test]
    fn digests_that_are_too_rare_are_not_looked_up() {
        let [a, b, c] = ["A", "B", "C"].map(|digit| digit.repeat(40));
        let mut looked_up = Vec::new();
        let list = format!("{a}:1\n{b}:2\n{c}\n");
        let proof = prove(&list, Kind::Sha1, &mut |digest| {
            if list.contains(digest) {
                looked_up.push(digest.to_owned());
            }
            list.contains(digest)
        });
        assert_eq!((proof.unwrap().found, looked_up), (1, vec![b]));
    }
}
