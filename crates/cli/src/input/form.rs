//! The form of a list's lines: the column of the word, and the detection of lists that would give a filter
//! that never matches, because their lines contain something else: digests, counts before words, users before
//! passwords.

use std::str::FromStr;

use super::{
    decompress::{Format, MAGIC_BYTES},
    error::{InputError, Problem},
    lines::Lines,
    origin::Origin,
};
use crate::progress::Progress;

/// The columns of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Columns {
    /// The line is the word.
    Word,
    /// A count, spaces, the word, as `uniq -c` writes.
    CountWord,
    /// A user name, a colon, the password.
    UserWord,
}

impl FromStr for Columns {
    type Err = String;

    fn from_str(text: &str) -> Result<Columns, String> {
        match text {
            "word" | "password" => Ok(Columns::Word),
            "count,word" | "count,password" => Ok(Columns::CountWord),
            "user,word" | "user,password" => Ok(Columns::UserWord),
            _ => Err("expected word, count,word or user,word".to_owned()),
        }
    }
}

impl Columns {
    /// The words of a block of whole lines, one a line; `scratch` is used if there are other columns. A line
    /// of another form becomes a blank one.
    pub(super) fn words<'a>(self, block: &'a [u8], scratch: &'a mut Vec<u8>) -> &'a [u8] {
        if self == Columns::Word {
            return block;
        }
        scratch.clear();
        for line in block.split_inclusive(|&byte| byte == b'\n') {
            let (line, end) = line.strip_suffix(b"\n").map_or((line, &b""[..]), |line| (line, b"\n"));
            scratch.extend_from_slice(self.split(line).map_or(&b""[..], |(_, word)| word));
            scratch.extend_from_slice(end);
        }
        scratch
    }

    /// The column before the word, and the word; none for a line of another form.
    pub fn split(self, line: &[u8]) -> Option<(&[u8], &[u8])> {
        match self {
            Columns::Word => Some((b"", line)),
            Columns::CountWord => {
                let line = line.trim_ascii_start();
                let digits =
                    line.iter().position(|byte| !byte.is_ascii_digit()).filter(|&digits| digits > 0)?;
                let (count, rest) = line.split_at_checked(digits)?;
                let word = rest.strip_prefix(b" ").or_else(|| rest.strip_prefix(b"\t"))?;
                Some((count, word.trim_ascii_start())).filter(|(_, word)| !word.is_empty())
            }
            Columns::UserWord => {
                let colon = line.iter().position(|&byte| byte == b':').filter(|&colon| colon > 0)?;
                let (user, rest) = line.split_at_checked(colon)?;
                Some((user, rest.get(1..)?)).filter(|(_, word)| !word.trim_ascii().is_empty())
            }
        }
    }
}

/// Refuses a list of words whose lines contain something else: nine in ten of the first lines have one other
/// form.
///
/// # Errors
/// An [`InputError`] with the way to read it.
pub(super) fn check(origin: &Origin, progress: &Progress) -> Result<(), InputError> {
    let (text, format) = origin.text(progress)?;
    let mut lines = Lines::new(text);
    let block = lines.next_block().map_err(|e| origin.error(format.read_problem(e)))?;
    let problem = block.and_then(problem_of);
    problem.map_or(Ok(()), |problem| Err(origin.error(problem)))
}

/// Fewer lines than this may look like two columns by chance.
const FEW: usize = 3;

fn problem_of(block: &[u8]) -> Option<Problem> {
    if let Some(problem) = Format::of(block.get(..MAGIC_BYTES).unwrap_or(block)).problem() {
        return Some(problem);
    }
    let lines =
        || block.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii_end).filter(|line| !line.is_empty());
    let all = lines().count();
    let most = |is_so: fn(&[u8]) -> bool| lines().filter(|line| is_so(line)).count() * 10 >= all * 9;
    let form = if all == 0 {
        None
    } else if most(is_digest::<40>) {
        Some(("SHA-1 digests", "--kind sha1"))
    } else if most(is_digest::<32>) {
        Some(("NTLM digests", "--kind ntlm"))
    } else if most(is_right_aligned_count) || all >= FEW && most(is_count) {
        Some(("counts and words", "--columns count,word"))
    } else if all >= FEW && most(is_user) {
        Some(("users and passwords", "--columns user,word"))
    } else {
        None
    };
    form.map(|(what, flag)| Problem::Form(what, flag))
}

fn is_digest<const N: usize>(line: &[u8]) -> bool {
    let Some((digits, rest)) = line.split_at_checked(N) else { return false };
    digits.iter().all(u8::is_ascii_hexdigit)
        && digits.iter().any(|digit| !digits.starts_with(&[*digit]))
        && rest.strip_prefix(b":").map_or(rest.is_empty(), |count| count.iter().all(u8::is_ascii_digit))
}

fn is_right_aligned_count(line: &[u8]) -> bool {
    line.starts_with(b" ") && is_count(line)
}

fn is_count(line: &[u8]) -> bool {
    Columns::CountWord.split(line).is_some()
}

/// A user name has no spaces, and the line is not a time or a ratio.
fn is_user(line: &[u8]) -> bool {
    let split = Columns::UserWord.split(line);
    split.is_some_and(|(user, word)| {
        let is_number = |text: &[u8]| text.iter().all(u8::is_ascii_digit);
        let is_other = word.starts_with(b"//") || is_number(user) && is_number(word);
        !is_other && !user.iter().any(u8::is_ascii_whitespace)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flag(block: &str) -> Option<&'static str> {
        match problem_of(block.as_bytes()) {
            Some(Problem::Form(_, flag)) => Some(flag),
            _ => None,
        }
    }

    #[test]
    fn lists_that_would_never_match_are_recognised() {
        let sha1 = "5BAA61E4C9B93F3F0682250B6CF8331B7EE68FD8";
        for (block, wanted) in [
            (format!("{sha1}\n"), "--kind sha1"),
            (format!("{}:3\n\n{sha1}:52256179\r\n", sha1.to_lowercase()), "--kind sha1"),
            ("8846F7EAEE8FB117AD06BDD830B7586C:9\n".to_owned(), "--kind ntlm"),
            ("  290729 zebrapassword\n".to_owned(), "--columns count,word"),
            ("290729 123456\n79076 12345\n76789\tpass word\n".to_owned(), "--columns count,word"),
            ("anna:summer\nbob:x:y\nc@d.example:p\n".to_owned(), "--columns user,word"),
        ] {
            assert_eq!(flag(&block), Some(wanted), "{block}");
        }
    }

    #[test]
    fn word_lists_are_not() {
        for block in [
            "",
            "password\n",
            "12 monkeys\n",
            "pass:word\n",
            "http://a\nhttps://b\nftp://c\n",
            "1:2\n3:4\n5:6\n",
            "the cat\nsat on\nthe mat\n",
            "123456\n12345\n111111\n",
            "1111111111111111111111111111111111111111\n",
        ] {
            assert!(problem_of(block.as_bytes()).is_none(), "{block}");
        }
        let mostly = "a:b\nc:d\ne:f\ng:h\nword\n".repeat(10);
        assert!(flag(&mostly).is_none());
    }

    #[test]
    fn words_are_taken_from_their_column() {
        let mut scratch = Vec::new();
        let mut of = |columns: &str, block: &[u8]| {
            let columns: Columns = columns.parse().unwrap();
            columns.words(block, &mut scratch).to_vec()
        };
        assert_eq!(of("word", b" 1 a\nb:c"), b" 1 a\nb:c");
        assert_eq!(of("count,word", b"  12 a b\r\n3\tc\nnone\n4 \n5 e"), b"a b\r\nc\n\n\ne");
        assert_eq!(of("user,password", b"anna:p:q\n:x\nnone\nbob:r"), b"p:q\n\n\nr");
        assert!("words,count".parse::<Columns>().is_err());
    }
}
