//! A stream cut into blocks of whole lines.

use std::io::{self, Read};

/// How many bytes of lines are handed over at once.
pub(crate) const BLOCK_BYTES: usize = 1 << 20;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// What a list's next bytes are.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Piece<'a> {
    /// Whole lines, each with its `\n` but for the last of the stream, which may lack it.
    Lines(&'a [u8]),
    /// One line of more than [`BLOCK_BYTES`], of which nothing was kept.
    Endless,
}

/// Cuts a stream at line ends; holds one block.
pub(crate) struct Lines<R> {
    stream: R,
    buffer: Vec<u8>,
    /// The bytes at the start of the buffer that were handed over last time.
    handed: usize,
    is_started: bool,
    is_ended: bool,
}

impl<R: Read> Lines<R> {
    /// The lines of `stream`, without a byte order mark at its start.
    pub(crate) fn new(stream: R) -> Lines<R> {
        let buffer = Vec::with_capacity(BLOCK_BYTES);
        Lines { stream, buffer, handed: 0, is_started: false, is_ended: false }
    }

    /// The next piece, or none at the end.
    ///
    /// # Errors
    /// What the stream answers.
    pub(crate) fn next_piece(&mut self) -> io::Result<Option<Piece<'_>>> {
        self.buffer.drain(..self.handed);
        self.handed = 0;
        self.fill()?;
        if !self.is_started {
            self.skip_byte_order_mark();
        }
        self.handed = match memchr::memrchr(b'\n', &self.buffer) {
            _ if self.is_ended => self.buffer.len(),
            Some(last) => last.saturating_add(1),
            None => return self.skip_line().map(|()| Some(Piece::Endless)),
        };
        let lines = self.buffer.get(..self.handed).filter(|lines| !lines.is_empty());
        Ok(lines.map(Piece::Lines))
    }

    fn fill(&mut self) -> io::Result<()> {
        let room = BLOCK_BYTES.saturating_sub(self.buffer.len()) as u64;
        if room > 0 && !self.is_ended {
            let count = (&mut self.stream).take(room).read_to_end(&mut self.buffer)?;
            self.is_ended = (count as u64) < room;
        }
        Ok(())
    }

    fn skip_byte_order_mark(&mut self) {
        self.is_started = true;
        if self.buffer.starts_with(BYTE_ORDER_MARK) {
            self.buffer.drain(..BYTE_ORDER_MARK.len());
        }
    }

    /// Drops everything up to the next line end. The buffer is full of one line when this is called.
    fn skip_line(&mut self) -> io::Result<()> {
        loop {
            self.buffer.clear();
            self.fill()?;
            if let Some(end) = memchr::memchr(b'\n', &self.buffer) {
                self.handed = end.saturating_add(1);
                return Ok(());
            }
            if self.is_ended {
                self.buffer.clear();
                return Ok(());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All bytes handed over and the number of endless lines, from a stream that gives `step` bytes at a time.
    fn read(text: &[u8], step: usize) -> (Vec<u8>, u64) {
        let mut lines = Lines::new(Slow { text, step });
        let (mut all, mut endless) = (Vec::new(), 0);
        while let Some(piece) = lines.next_piece().unwrap() {
            match piece {
                Piece::Lines(block) => {
                    assert!(block.len() <= BLOCK_BYTES);
                    all.extend_from_slice(block);
                }
                Piece::Endless => endless += 1,
            }
        }
        (all, endless)
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
            assert_eq!(read(&text, step), (text.clone(), 0));
        }
        let mut lines = Lines::new(text.as_slice());
        while let Some(Piece::Lines(block)) = lines.next_piece().unwrap() {
            assert!(block.ends_with(b"\n"));
        }
    }

    #[test]
    fn the_last_line_needs_no_end_and_the_first_no_mark() {
        assert_eq!(read(b"a\nb", 1), (b"a\nb".to_vec(), 0));
        assert_eq!(read(b"\xef\xbb\xbfa\n", 7), (b"a\n".to_vec(), 0));
        assert_eq!(read(b"", 1), (Vec::new(), 0));
        assert_eq!(read(b"\n", 1), (b"\n".to_vec(), 0));
    }

    #[test]
    fn an_endless_line_is_dropped_and_its_neighbours_are_not() {
        for size in [BLOCK_BYTES - 1, BLOCK_BYTES, BLOCK_BYTES + 1, 3 * BLOCK_BYTES, 3 * BLOCK_BYTES + 5] {
            let text = [b"a\n", vec![b'x'; size].as_slice(), b"\nb\n"].concat();
            let (lines, endless) = read(&text, 100_000);
            let is_endless = size >= BLOCK_BYTES;
            assert_eq!(endless, u64::from(is_endless), "{size}");
            let kept = if is_endless { b"a\nb\n".to_vec() } else { text };
            assert!(lines == kept, "{size}");
        }
    }

    #[test]
    fn an_endless_line_may_be_the_last() {
        let text = [b"a\n", vec![b'x'; 2 * BLOCK_BYTES].as_slice()].concat();
        assert_eq!(read(&text, 1 << 16), (b"a\n".to_vec(), 1));
    }
}
