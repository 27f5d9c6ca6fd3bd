//! A stream split into blocks of whole lines.

use std::io::{self, Read};

/// The number of bytes of lines that are passed on at once.
pub(crate) const BLOCK_BYTES: usize = 1 << 20;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Only this number of bytes of a line longer than a block is passed on: still far too long for a word (255
/// characters, each composed from at most 12 bytes).
const KEPT_BYTES: usize = 4 << 10;

/// Splits a stream at line ends; buffers one block.
pub(crate) struct Lines<R> {
    stream: R,
    block_bytes: usize,
    buffer: Vec<u8>,
    /// The number of bytes at the start of the buffer that were passed on last time.
    handed: usize,
    is_started: bool,
    is_ended: bool,
    /// True if lines end in CR alone.
    has_cr_alone: bool,
    /// The bytes of lines longer than a block that were not passed on.
    dropped: u64,
}

impl<R: Read> Lines<R> {
    /// The lines of `stream`, without a byte order mark at its start.
    pub(crate) fn new(stream: R) -> Lines<R> {
        Lines::in_blocks(stream, BLOCK_BYTES)
    }

    /// The same in blocks of about this many bytes.
    pub(crate) fn in_blocks(stream: R, block_bytes: usize) -> Lines<R> {
        let buffer = Vec::with_capacity(block_bytes);
        Lines {
            stream,
            block_bytes,
            buffer,
            handed: 0,
            is_started: false,
            is_ended: false,
            has_cr_alone: false,
            dropped: 0,
        }
    }

    /// The bytes of lines longer than a block that were not passed on so far.
    pub(crate) fn dropped(&self) -> u64 {
        self.dropped
    }

    /// The next whole lines, each with its `\n` except the last of the stream, which may lack it; none at the
    /// end.
    ///
    /// # Errors
    /// The stream cannot be read.
    pub(crate) fn next_block(&mut self) -> io::Result<Option<&[u8]>> {
        self.buffer.drain(..self.handed);
        self.fill()?;
        if !self.is_started {
            self.skip_byte_order_mark();
        }
        if !self.is_ended && memchr::memrchr(b'\n', &self.buffer).is_none() {
            self.shorten_line()?;
        }
        self.handed = match memchr::memrchr(b'\n', &self.buffer) {
            Some(last) if !self.is_ended => last + 1,
            _ => self.buffer.len(),
        };
        Ok(self.buffer.get(..self.handed).filter(|lines| !lines.is_empty()))
    }

    fn fill(&mut self) -> io::Result<()> {
        let room = self.block_bytes.saturating_sub(self.buffer.len()) as u64;
        if room > 0 && !self.is_ended {
            let before = self.buffer.len();
            let count = (&mut self.stream).take(room).read_to_end(&mut self.buffer)?;
            self.is_ended = (count as u64) < room;
            let new = self.buffer.get_mut(before..).unwrap_or_default();
            if !self.is_started {
                self.has_cr_alone =
                    memchr::memchr(b'\n', new).is_none() && memchr::memchr(b'\r', new).is_some();
            }
            if self.has_cr_alone {
                new.iter_mut().filter(|byte| **byte == b'\r').for_each(|byte| *byte = b'\n');
            }
        }
        Ok(())
    }

    fn skip_byte_order_mark(&mut self) {
        self.is_started = true;
        if self.buffer.starts_with(BYTE_ORDER_MARK) {
            self.buffer.drain(..BYTE_ORDER_MARK.len());
        }
    }

    /// The buffer is full of one line: drops all of it except its first bytes, up to the next line end.
    fn shorten_line(&mut self) -> io::Result<()> {
        let mut shortened = self.buffer.get(..KEPT_BYTES).map(whole_characters).unwrap_or_default().to_vec();
        let kept = shortened.len();
        self.dropped = self.dropped.saturating_add(self.buffer.len().saturating_sub(kept) as u64);
        let end = loop {
            self.buffer.clear();
            self.fill()?;
            let end = memchr::memchr(b'\n', &self.buffer);
            let of_line = end.unwrap_or(self.buffer.len());
            self.dropped = self.dropped.saturating_add(of_line as u64);
            if end.is_some() || self.is_ended {
                break of_line;
            }
        };
        shortened.extend(self.buffer.drain(end..));
        self.buffer = shortened;
        Ok(())
    }
}

/// `text` without its last character if that has more than one byte: it may be truncated.
fn whole_characters(mut text: &[u8]) -> &[u8] {
    while let Some((&last, before)) = text.split_last().filter(|(last, _)| !last.is_ascii()) {
        text = before;
        if last >= 0xc0 {
            break;
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All bytes passed on from a stream that returns `step` bytes at a time.
    fn read(text: &[u8], step: usize) -> Vec<u8> {
        let mut lines = Lines::new(Slow { text, step });
        let mut all = Vec::new();
        while let Some(block) = lines.next_block().unwrap() {
            assert!(block.len() <= BLOCK_BYTES + KEPT_BYTES);
            all.extend_from_slice(block);
        }
        all
    }

    struct Slow<'a> {
        text: &'a [u8],
        step: usize,
    }

    impl Read for Slow<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let count = self.step.min(buffer.len()).min(self.text.len());
            buffer[..count].copy_from_slice(&self.text[..count]);
            self.text = &self.text[count..];
            Ok(count)
        }
    }

    #[test]
    fn lines_are_whole_however_the_stream_comes() {
        let text: Vec<u8> = (0..300_000).flat_map(|n| format!("word{n}\n").into_bytes()).collect();
        for step in [4096, 1_000_003, usize::MAX] {
            assert!(read(&text, step) == text);
        }
        let mut lines = Lines::new(text.as_slice());
        while let Some(block) = lines.next_block().unwrap() {
            assert!(block.ends_with(b"\n"));
        }
    }

    #[test]
    fn the_last_line_needs_no_end_and_the_first_no_mark() {
        assert_eq!(read(b"a\nb", 1), b"a\nb");
        assert_eq!(read(b"\xef\xbb\xbfa\n", 7), b"a\n");
        assert_eq!(read(b"", 1), b"");
        assert_eq!(read(b"\n", 1), b"\n");
    }

    #[test]
    fn lines_may_end_in_cr_alone() {
        assert_eq!(read(b"a\rb\rc", 1), b"a\nb\nc");
        assert_eq!(read(b"a\rb\r\nc\n", 1), b"a\rb\r\nc\n");
    }

    #[test]
    fn a_line_longer_than_a_block_is_shortened_and_its_neighbours_are_whole() {
        for size in [BLOCK_BYTES - 1, BLOCK_BYTES, BLOCK_BYTES + 1, 3 * BLOCK_BYTES, 3 * BLOCK_BYTES + 5] {
            let text = [b"a\n", vec![b'x'; size].as_slice(), b"\nb\n"].concat();
            let kept = if size < BLOCK_BYTES { size } else { KEPT_BYTES };
            assert!(
                read(&text, 100_000) == [b"a\n", vec![b'x'; kept].as_slice(), b"\nb\n"].concat(),
                "{size}"
            );
        }
    }

    #[test]
    fn a_shortened_line_may_be_the_last_and_keeps_its_characters_whole() {
        for letter in ["x", "é", "語", "😀"] {
            let line = letter.repeat(2 * BLOCK_BYTES / letter.len());
            let lines = String::from_utf8(read(format!("a\n{line}").as_bytes(), 1 << 16)).unwrap();
            assert!(lines.starts_with(&format!("a\n{letter}")) && lines.chars().count() > 1000, "{letter}");
        }
    }
}
