//! The passwords that a command reads: one typed without echo if standard input is a terminal, else the lines
//! of standard input as they arrive, so that a program that writes one line gets the result before it writes
//! the next. There is one buffer for lines, and it is wiped after use.

use std::{
    fs::File,
    io::{self, IsTerminal, Read},
    os::{fd::AsFd, unix::fs::FileTypeExt},
};

use nearmiss_cli::{
    failure::{Failure, say},
    keys,
};
use nearmiss_lists::hex;
use nearmiss_policy::policy::MAX_PASSWORD_BYTES;
use zeroize::{Zeroize, Zeroizing};

const BUFFER_BYTES: usize = 256 << 10;

/// The kept bytes of a line that does not fit into the buffer: enough for it to be rejected as too long.
const KEPT_BYTES: usize = 2 * MAX_PASSWORD_BYTES;

/// The text that a terminal shows before the prompt.
const HINT: &str = "passwords are read from standard input, one per line; type one here (it is not shown)";

/// The passwords that a command reads.
pub(crate) struct Candidates {
    source: CandidateSource,
}

enum CandidateSource {
    Terminal,
    Typed(Zeroizing<String>),
    Piped(LineStream<File>),
}

impl Candidates {
    /// The candidates of standard input. Nothing is read yet.
    ///
    /// # Errors
    /// There is no standard input.
    pub(crate) fn open() -> Result<Candidates, Failure> {
        let source = if io::stdin().is_terminal() {
            CandidateSource::Terminal
        } else {
            CandidateSource::Piped(LineStream::of_standard_input().map_err(unreadable)?)
        };
        Ok(Candidates { source })
    }

    /// The number of bytes, if it is known before they are read.
    pub(crate) fn byte_count(&self) -> Option<u64> {
        let CandidateSource::Piped(lines) = &self.source else { return None };
        let metadata = lines.stream.metadata().ok()?;
        metadata.is_file().then_some(metadata.len())
    }

    /// True for a device such as /dev/null, which nobody takes for the output of a program.
    pub(crate) fn is_device(&self) -> bool {
        let CandidateSource::Piped(lines) = &self.source else { return false };
        lines.stream.metadata().is_ok_and(|metadata| metadata.file_type().is_char_device())
    }

    /// The next passwords, each with its `\n` except for the last one: see [`each`]. None at the end.
    ///
    /// # Errors
    /// Standard input cannot be read.
    pub(crate) fn next_lines(&mut self) -> Result<Option<&[u8]>, Failure> {
        if matches!(self.source, CandidateSource::Terminal) {
            self.source = CandidateSource::Typed(ask()?);
        } else if matches!(self.source, CandidateSource::Typed(_)) {
            return Ok(None);
        }
        match &mut self.source {
            CandidateSource::Piped(lines) => lines.next_lines().map_err(unreadable),
            CandidateSource::Typed(password) if password.is_empty() => Ok(Some(b"\n")),
            CandidateSource::Typed(password) => Ok(Some(password.as_bytes())),
            CandidateSource::Terminal => Ok(None),
        }
    }

    /// Calls `take` with each password that a ladder may count; returns their number. Empty lines are
    /// skipped, and `$HEX[…]` stands for its bytes, as in every other list of passwords.
    ///
    /// # Errors
    /// Standard input cannot be read, a line is longer than a password can be, or `take` fails.
    pub(crate) fn for_each_countable(
        &mut self,
        mut take: impl FnMut(&[u8]) -> Result<(), Failure>,
    ) -> Result<u64, Failure> {
        let (mut line, mut count) = (0_u64, 0_u64);
        while let Some(lines) = self.next_lines()? {
            for password in each(lines) {
                line = line.saturating_add(1);
                let decoded = hex::decoded(password).map(Zeroizing::new);
                let password = decoded.as_ref().map_or(password, |decoded| decoded.as_slice());
                if password.len() > MAX_PASSWORD_BYTES {
                    return Err(Failure::plain(
                        keys::STANDARD_INPUT,
                        format!(
                            "line {line} of standard input is longer than a password can be, \
                             {MAX_PASSWORD_BYTES} bytes"
                        ),
                    ));
                }
                if !password.is_empty() {
                    take(password)?;
                    count = count.saturating_add(1);
                }
            }
        }
        Ok(count)
    }
}

fn ask() -> Result<Zeroizing<String>, Failure> {
    say(HINT);
    let typed = rpassword::prompt_password("Password: ").map(Zeroizing::new);
    typed.map_err(|e| Failure::new("cannot read a password from the terminal", e))
}

fn unreadable(error: io::Error) -> Failure {
    Failure::new("cannot read standard input", error)
}

/// Whole lines of a stream, as many as are available at a time.
struct LineStream<R> {
    stream: R,
    buffer: Zeroizing<Vec<u8>>,
    filled: usize,
    handed: usize,
    /// True while dropping the rest of a line of which [`KEPT_BYTES`] are kept.
    is_skipping: bool,
    is_ended: bool,
}

impl LineStream<File> {
    /// Standard input, without the standard library's buffer, which would keep copies.
    fn of_standard_input() -> io::Result<LineStream<File>> {
        Ok(LineStream::new(File::from(io::stdin().as_fd().try_clone_to_owned()?)))
    }
}

impl<R: Read> LineStream<R> {
    fn new(stream: R) -> LineStream<R> {
        let buffer = Zeroizing::new(vec![0; BUFFER_BYTES]);
        LineStream { stream, buffer, filled: 0, handed: 0, is_skipping: false, is_ended: false }
    }

    /// The available lines, each with its `\n` except for the last of the stream; waits for a line; none at
    /// the end.
    fn next_lines(&mut self) -> io::Result<Option<&[u8]>> {
        self.remove(0, self.handed);
        self.handed = 0;
        while self.handed == 0 && !self.is_ended {
            self.read_more()?;
            self.handed = self.whole_lines();
        }
        Ok(self.buffer.get(..self.handed).filter(|lines| !lines.is_empty()))
    }

    fn read_more(&mut self) -> io::Result<()> {
        let room = self.buffer.get_mut(self.filled..).unwrap_or_default();
        match self.stream.read(room) {
            Ok(0) => self.is_ended = true,
            Ok(count) => self.filled = self.filled.saturating_add(count),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
        if self.is_skipping {
            self.skip();
        }
        if self.filled == self.buffer.len() && self.last_end(0).is_none() {
            self.remove(KEPT_BYTES, self.filled);
            self.is_skipping = true;
        }
        Ok(())
    }

    /// Drops the rest of the line after the kept bytes.
    fn skip(&mut self) {
        let rest = self.buffer.get(KEPT_BYTES..self.filled).unwrap_or_default();
        let end = memchr::memchr(b'\n', rest).map(|at| at.saturating_add(KEPT_BYTES));
        self.is_skipping = end.is_none();
        self.remove(KEPT_BYTES, end.unwrap_or(self.filled));
    }

    /// Bytes of the whole lines in the buffer.
    fn whole_lines(&self) -> usize {
        if self.is_ended { self.filled } else { self.last_end(0).map_or(0, |at| at.saturating_add(1)) }
    }

    fn last_end(&self, from: usize) -> Option<usize> {
        memchr::memrchr(b'\n', self.buffer.get(from..self.filled).unwrap_or_default())
    }

    /// Removes the bytes from `start` to `end` and wipes the freed bytes at the end.
    fn remove(&mut self, start: usize, end: usize) {
        self.buffer.copy_within(end..self.filled, start);
        let filled = self.filled.saturating_sub(end.saturating_sub(start));
        self.buffer.get_mut(filled..self.filled).unwrap_or_default().zeroize();
        self.filled = filled;
    }
}

/// The candidates of whole lines, without line ends (`\n` or `\r\n`).
pub(crate) fn each(lines: &[u8]) -> impl Iterator<Item = &[u8]> {
    lines.split_inclusive(|&byte| byte == b'\n').map(|line| {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        line.strip_suffix(b"\r").unwrap_or(line)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives one of its parts a time.
    struct Parts<'a>(Vec<&'a [u8]>);

    impl Read for Parts<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let Some(part) = self.0.first_mut() else { return Ok(0) };
            let count = part.len().min(buffer.len());
            buffer[..count].copy_from_slice(&part[..count]);
            *part = &part[count..];
            if part.is_empty() {
                self.0.remove(0);
            }
            Ok(count)
        }
    }

    fn chunks(parts: &[&[u8]]) -> Vec<Vec<u8>> {
        let mut candidates = LineStream::new(Parts(parts.to_vec()));
        let mut chunks = Vec::new();
        while let Some(lines) = candidates.next_lines().unwrap() {
            chunks.push(lines.to_vec());
        }
        assert!(candidates.buffer.iter().skip(candidates.filled).all(|&byte| byte == 0), "wiped");
        chunks
    }

    #[test]
    fn answers_come_line_by_line() {
        assert_eq!(
            chunks(&[b"one\n", b"tw", b"o\nthree\nfo", b"ur"]),
            [&b"one\n"[..], b"two\nthree\n", b"four"]
        );
        assert_eq!(chunks(&[b"\n", b"\n\n"]), [&b"\n"[..], b"\n\n"]);
        assert!(chunks(&[]).is_empty());
    }

    #[test]
    fn a_line_without_end_is_too_long_and_its_neighbours_are_whole() {
        for size in [BUFFER_BYTES - 5, BUFFER_BYTES - 4, BUFFER_BYTES, BUFFER_BYTES + 1, 3 * BUFFER_BYTES] {
            let long = vec![b'x'; size];
            let text = chunks(&[b"one\n", &long, b"\ntwo\n"]).concat();
            let lines: Vec<_> = each(&text).collect();
            assert_eq!((lines.len(), lines[0], lines[2]), (3, &b"one"[..], &b"two"[..]), "{size}");
            assert!(lines[1].len() > MAX_PASSWORD_BYTES && lines[1].len() <= size);
            assert_eq!(chunks(&[&long]).concat().len().min(KEPT_BYTES), KEPT_BYTES);
        }
    }

    #[test]
    fn line_ends_are_no_part_of_a_candidate() {
        let lines: Vec<_> = each(b"one\r\n\ntwo \r\r\nthree").collect();
        assert_eq!(lines, [&b"one"[..], b"", b"two \r", b"three"]);
    }
}
