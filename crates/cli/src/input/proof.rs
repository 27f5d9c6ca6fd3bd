//! The proof that a finished filter has what its lists say: lines of each list, as a person would read them,
//! are looked up in it.

use nearmiss_filters::format::Kind;
use nearmiss_lists::simple;

use super::{InputError, WordList, error::Problem, sample::SampledLine};

/// What a list says that a filter has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stored {
    /// The number of the line, from 1.
    pub line: u64,
    /// The word, or the digest in hexadecimal.
    pub text: String,
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
    pub fn sample(&self, min_count: u64) -> Vec<Stored> {
        let (_, lines) = self.last.get();
        let has_header = self.reading.as_ref().is_some_and(|reading| reading.form.has_header());
        let is_begun = |line: &&SampledLine| has_header && !line.text.trim_ascii().is_empty();
        let header = lines.iter().find(is_begun).map(|line| line.number);
        let others = lines.iter().filter(|line| Some(line.number) != header);
        others.filter_map(|line| self.stored(line, min_count)).collect()
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
    /// An [`InputError`] if one of them is not found.
    pub fn prove(
        &self,
        min_count: u64,
        is_stored: &mut dyn FnMut(&str) -> bool,
    ) -> Result<Proof, InputError> {
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

/// The only digest of a line, if the only number beside it is a large enough count or there is none.
fn digest(kind: Kind, line: &[u8], min_count: u64) -> Option<String> {
    let text = std::str::from_utf8(line).ok()?;
    let length = match kind {
        Kind::Words => return None,
        Kind::Sha1 => 40,
        Kind::Ntlm => 32,
    };
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
