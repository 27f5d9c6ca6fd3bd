//! Lines of a list, evenly from all of it, in bounded memory: for the proof that a finished filter has them.

/// The number of lines that are wanted; at most twice as many are kept while the list is read.
const WANTED: usize = 1000;

/// Longer lines have no words.
const LONGEST: usize = 4096;

/// A line of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SampledLine {
    /// Its number, from 1.
    pub(super) number: u64,
    /// Its bytes, without `\n`.
    pub(super) text: Box<[u8]>,
}

/// The lines drawn so far: one in each stretch of `stride` bytes. The stride doubles whenever there are too
/// many.
#[derive(Debug)]
pub(super) struct Sample {
    lines: Vec<SampledLine>,
    stride: usize,
    /// The bytes from the start of the next block to the next line that is drawn.
    ahead: usize,
    /// The number of lines before the next block.
    seen: u64,
    /// The bytes of all blocks, and of the lines among them that are too long to be drawn, estimated from
    /// those that would have been.
    bytes: u64,
    long: u64,
}

impl Default for Sample {
    fn default() -> Sample {
        Sample { lines: Vec::new(), stride: 1, ahead: 0, seen: 0, bytes: 0, long: 0 }
    }
}

impl Sample {
    /// Draws from the next whole lines.
    pub(super) fn draw(&mut self, block: &[u8]) {
        let (mut counted, mut number) = (0, self.seen);
        let count = |from: usize, to: usize| {
            memchr::memchr_iter(b'\n', block.get(from..to).unwrap_or_default()).count() as u64
        };
        while let Some((before, rest)) =
            block.split_at_checked(self.ahead).filter(|(_, rest)| !rest.is_empty())
        {
            let start = memchr::memrchr(b'\n', before).map_or(0, |end| end + 1);
            let end = memchr::memchr(b'\n', rest).map_or(block.len(), |end| self.ahead + end);
            number += count(counted, start);
            counted = start;
            self.keep(number + 1, block.get(start..end).unwrap_or_default());
            self.ahead = (self.ahead + self.stride / 2 + self.unevenly(number)).max(end + 1);
        }
        self.ahead -= block.len();
        self.bytes = self.bytes.saturating_add(block.len() as u64);
        let is_cut = block.last().is_some_and(|&byte| byte != b'\n');
        self.seen = number + count(counted, block.len()) + u64::from(is_cut);
    }

    /// The number of lines so far.
    pub(super) fn seen(&self) -> u64 {
        self.seen
    }

    fn keep(&mut self, number: u64, line: &[u8]) {
        if line.len() <= LONGEST {
            self.lines.push(SampledLine { number, text: line.into() });
        } else {
            self.long = self.long.saturating_add(line.len().max(self.stride) as u64);
        }
        if self.lines.len() >= 2 * WANTED {
            self.lines = every_other(std::mem::take(&mut self.lines).into_iter());
            self.stride = self.stride.saturating_mul(2);
        }
    }

    /// Counts bytes of lines that were too long to be in a block.
    pub(super) fn count_dropped(&mut self, bytes: u64) {
        self.bytes = self.bytes.saturating_add(bytes);
        self.long = self.long.saturating_add(bytes);
    }

    /// The bytes of lines that are too long to be drawn, about, and of all lines.
    pub(super) fn long_bytes(&self) -> (u64, u64) {
        (self.long.min(self.bytes), self.bytes)
    }

    /// A part of the stride, so that a list in which every other line is of another kind is drawn from as any
    /// list is.
    fn unevenly(&self, number: u64) -> usize {
        mixed(number) % (self.stride + 1)
    }

    /// The lines, in their order.
    pub(super) fn lines(&self) -> Vec<&SampledLine> {
        if self.lines.len() > WANTED { every_other(self.lines.iter()) } else { self.lines.iter().collect() }
    }

    /// The same, to be kept.
    pub(super) fn into_lines(self) -> Vec<SampledLine> {
        if self.lines.len() > WANTED { every_other(self.lines.into_iter()) } else { self.lines }
    }
}

/// One of each two, the first of the first two, which may be a header, and of the others either.
fn every_other<T>(mut all: impl Iterator<Item = T>) -> Vec<T> {
    let (mut kept, mut pair) = (Vec::new(), 0);
    while let Some(first) = all.next() {
        let second = all.next().filter(|_| pair > 0 && mixed(pair) % 2 == 1);
        kept.push(second.unwrap_or(first));
        pair += 1;
    }
    kept
}

/// A number that looks like a random one, the same each time.
fn mixed(number: u64) -> usize {
    usize::try_from(number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(lines: u64, per_block: usize) -> Vec<SampledLine> {
        let text: Vec<u8> = (1..=lines).flat_map(|n| format!("{n}\n").into_bytes()).collect();
        let mut sample = Sample::default();
        let mut rest = text.as_slice();
        while !rest.is_empty() {
            let at = rest.iter().enumerate().filter(|(_, byte)| **byte == b'\n').nth(per_block - 1);
            let (block, after) = rest.split_at(at.map_or(rest.len(), |(at, _)| at + 1));
            sample.draw(block);
            rest = after;
        }
        sample.into_lines()
    }

    #[test]
    fn lines_in_turns_are_drawn_as_often() {
        for lines in [2000_u64, 2048, 65_536] {
            let text: String =
                (0..lines).map(|n| if n % 2 == 0 { "even 89\n" } else { "odd 789\n" }).collect();
            let mut sample = Sample::default();
            sample.draw(text.as_bytes());
            let drawn = sample.lines();
            let even = drawn.iter().filter(|line| line.text.starts_with(b"even")).count();
            assert!((drawn.len() / 3..drawn.len() * 2 / 3).contains(&even), "{lines}: {even}");
        }
    }

    #[test]
    fn short_lists_are_drawn_whole_and_long_ones_evenly() {
        for (lines, per_block) in [(0, 1), (1, 1), (999, 7), (1000, 1000)] {
            assert_eq!(drawn(lines, per_block).len() as u64, lines);
        }
        for lines in [2500, 100_000, 1_000_003] {
            let drawn = drawn(lines, 12_345);
            assert!((500..=1000).contains(&drawn.len()), "{lines}: {}", drawn.len());
            assert!(drawn.iter().all(|line| line.number.to_string().as_bytes() == &*line.text));
            let last = drawn.last().unwrap().number;
            assert!(last > lines - lines / 200, "{lines}: {last}");
        }
    }
}
