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

/// The lines drawn so far: the lines with the point of a stretch of 2 to the power of `level` bytes. The
/// stretches double whenever there are too many lines.
#[derive(Debug, Default)]
pub(super) struct Sample {
    lines: Vec<DrawnLine>,
    level: u32,
    /// The number of lines before the next block.
    seen: u64,
    /// The bytes of all blocks, and of the lines among them that are too long to be drawn, estimated from
    /// those that would have been.
    bytes: u64,
    long: u64,
}

/// A line, and the place of its first byte in the list.
#[derive(Debug)]
struct DrawnLine {
    start: u64,
    line: SampledLine,
}

impl DrawnLine {
    /// True if the line has the point of a stretch. The first line, which may be a header, is always kept.
    fn has_point(&self, level: u32) -> bool {
        let end = self.start.saturating_add(self.line.text.len() as u64);
        self.line.number == 1 || next_point(self.start, level) <= end
    }
}

impl Sample {
    /// Draws from the next whole lines.
    pub(super) fn draw(&mut self, block: &[u8]) {
        let (mut counted, mut number, mut from) = (0, self.seen, 0);
        let count = |from: usize, to: usize| {
            memchr::memchr_iter(b'\n', block.get(from..to).unwrap_or_default()).count() as u64
        };
        while let Some((before, rest)) = self.split(block, from).filter(|(_, rest)| !rest.is_empty()) {
            let start = memchr::memrchr(b'\n', before).map_or(0, |end| end + 1);
            let end = memchr::memchr(b'\n', rest).map_or(block.len(), |end| before.len() + end);
            number += count(counted, start);
            counted = start;
            self.keep(start as u64, number + 1, block.get(start..end).unwrap_or_default());
            from = end + 1;
        }
        self.bytes = self.bytes.saturating_add(block.len() as u64);
        let is_cut = block.last().is_some_and(|&byte| byte != b'\n');
        self.seen = number + count(counted, block.len()) + u64::from(is_cut);
    }

    /// The block divided at the first point that is not before `from`; none if it is behind the block.
    fn split<'b>(&self, block: &'b [u8], from: usize) -> Option<(&'b [u8], &'b [u8])> {
        let point = next_point(self.bytes.saturating_add(from as u64), self.level);
        block.split_at_checked(usize::try_from(point.checked_sub(self.bytes)?).ok()?)
    }

    /// The number of lines so far.
    pub(super) fn seen(&self) -> u64 {
        self.seen
    }

    /// Keeps a line that starts at this place of the block.
    fn keep(&mut self, start: u64, number: u64, text: &[u8]) {
        if text.len() <= LONGEST {
            let line = SampledLine { number, text: text.into() };
            self.lines.push(DrawnLine { start: self.bytes.saturating_add(start), line });
        } else {
            self.long = self.long.saturating_add((text.len() as u64).max(1 << self.level));
        }
        while self.lines.len() >= 2 * WANTED {
            self.level += 1;
            self.lines.retain(|line| line.has_point(self.level));
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

    /// The lines, in their order.
    pub(super) fn lines(&self) -> Vec<&SampledLine> {
        let level = self.last_level();
        self.lines.iter().filter(|line| line.has_point(level)).map(|drawn| &drawn.line).collect()
    }

    /// The same, to be kept.
    pub(super) fn into_lines(self) -> Vec<SampledLine> {
        let level = self.last_level();
        self.lines.into_iter().filter(|line| line.has_point(level)).map(|drawn| drawn.line).collect()
    }

    /// The level at which there are no more lines than are wanted.
    fn last_level(&self) -> u32 {
        let number = |level: u32| self.lines.iter().filter(|line| line.has_point(level)).count();
        (self.level..u64::BITS).find(|&level| number(level) <= WANTED).unwrap_or(self.level)
    }
}

/// The first point that is not before a place.
fn next_point(from: u64, level: u32) -> u64 {
    let stretch = from >> level;
    let point = point(stretch, level);
    if point >= from { point } else { self::point(stretch + 1, level) }
}

/// The point of a stretch, which is the point of one of its halves: anywhere, so that a list in which every
/// other line is of another kind is drawn from as any list is.
fn point(stretch: u64, level: u32) -> u64 {
    (0..level).rev().fold(stretch, |stretch, level| 2 * stretch + half(stretch, level))
}

/// 0 or 1, which looks random, the same each time.
fn half(stretch: u64, level: u32) -> u64 {
    let mixed = (stretch ^ u64::from(level) << 56).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 63
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sample of a text that is read in blocks of so many lines.
    fn of(text: &[u8], per_block: usize) -> Vec<SampledLine> {
        let (mut sample, mut rest) = (Sample::default(), text);
        while !rest.is_empty() {
            let at = rest.iter().enumerate().filter(|(_, byte)| **byte == b'\n').nth(per_block - 1);
            let (block, after) = rest.split_at(at.map_or(rest.len(), |(at, _)| at + 1));
            sample.draw(block);
            rest = after;
        }
        sample.into_lines()
    }

    fn drawn(lines: u64, per_block: usize) -> Vec<SampledLine> {
        let text: Vec<u8> = (1..=lines).flat_map(|n| format!("{n}\n").into_bytes()).collect();
        of(&text, per_block)
    }

    /// Each part of a list has its share: what is wrong with its first lines is seen like what is wrong with
    /// its last ones.
    #[test]
    fn each_tenth_has_a_tenth_of_the_lines() {
        for lines in [2000_u64, 3000, 4500, 6000, 8000, 12_000, 20_000, 100_000, 1_000_000] {
            for width in [5, 8, 11, 30] {
                let text: String = (0..lines).map(|n| format!("{n:0width$}\n")).collect();
                let drawn = of(text.as_bytes(), 12_345);
                for tenth in 0..10 {
                    let is_in = |line: &&SampledLine| (line.number - 1) * 10 / lines == tenth;
                    let share = drawn.iter().filter(is_in).count() as f64 / drawn.len() as f64;
                    assert!((0.05..0.15).contains(&share), "{lines}, {width}, {tenth}: {share}");
                }
            }
        }
    }

    #[test]
    fn blocks_change_nothing() {
        let whole = drawn(30_000, usize::MAX);
        for per_block in [1, 7, 4000] {
            assert!(drawn(30_000, per_block) == whole, "{per_block}");
        }
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
