//! Passwords from standard input, one a line: never from the command line, never printed, wiped after use.

use std::io::{self, BufRead};

use zeroize::Zeroizing;

use crate::failure::Failure;

/// The longest line that is a password: what the module looks at.
const MAX_BYTES: usize = 512;

/// Reads line after line and hands each on; gives how many there were. Line ends are not part of a password, and an empty
/// line is none.
///
/// # Errors
/// Standard input cannot be read, a line is longer than 512 bytes, or `take` fails.
pub(super) fn each(
    input: &mut dyn BufRead,
    mut take: impl FnMut(&[u8]) -> Result<(), Failure>,
) -> Result<u64, Failure> {
    let mut line = Zeroizing::new(Vec::with_capacity(MAX_BYTES.saturating_add(2)));
    let mut count = 0_u64;
    while read_line(input, &mut line)? {
        if !line.is_empty() {
            take(&line)?;
            count = count.saturating_add(1);
        }
    }
    Ok(count)
}

/// The next line without its end; false after the last. The buffer never grows, so that no copy of a password stays behind.
fn read_line(input: &mut dyn BufRead, line: &mut Vec<u8>) -> Result<bool, Failure> {
    line.clear();
    let mut is_any = false;
    loop {
        let buffer = input.fill_buf().map_err(unreadable)?;
        if buffer.is_empty() {
            return Ok(is_any);
        }
        is_any = true;
        let end = buffer.iter().position(|byte| *byte == b'\n');
        let part = buffer.get(..end.unwrap_or(buffer.len())).unwrap_or_default();
        if line.len().saturating_add(part.len()) > MAX_BYTES {
            return Err(Failure::plain(format!("a line of standard input is longer than {MAX_BYTES} bytes")));
        }
        line.extend_from_slice(part);
        let used = part.len().saturating_add(usize::from(end.is_some()));
        input.consume(used);
        if end.is_some() {
            return Ok(true);
        }
    }
}

fn unreadable(error: io::Error) -> Failure {
    Failure::new("cannot read standard input", error)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &[u8]) -> Result<Vec<Vec<u8>>, Failure> {
        let mut lines = Vec::new();
        each(&mut io::BufReader::with_capacity(3, text), |line| {
            lines.push(line.to_vec());
            Ok(())
        })?;
        Ok(lines)
    }

    #[test]
    fn lines_are_passwords_as_they_are() {
        assert_eq!(
            lines(b"one\n\n two \nlast").unwrap(),
            [b"one".to_vec(), b" two ".to_vec(), b"last".to_vec()]
        );
        assert!(lines(b"").unwrap().is_empty());
    }

    #[test]
    fn a_line_too_long_is_an_error() {
        assert_eq!(lines(&[b'x'; 512]).unwrap(), [vec![b'x'; 512]]);
        assert!(lines(&[b'x'; 513]).is_err());
    }
}
