//! Lines of a list, evenly from all of it, in bounded memory: for the proof that a finished filter has them.

/// The number of lines that are wanted; at most twice as many are kept while the list is read.
const WANTED: usize = 1000;

/// A line of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SampledLine {
    /// Its number, from 1.
    pub(super) number: u64,
    /// Its bytes, without `\n`.
    pub(super) text: Box<[u8]>,
}

/// The lines drawn so far: one in each stretch of `stride` lines. The stride doubles whenever there are too
/// many.
#[derive(Debug)]
pub(super) struct Sample {
    lines: Vec<SampledLine>,
    stride: u64,
    seen: u64,
}

impl Default for Sample {
    fn default() -> Sample {
        Sample { lines: Vec::new(), stride: 1, seen: 0 }
    }
}

impl Sample {
    /// Draws from the next whole lines.
    pub(super) fn draw(&mut self, block: &[u8]) {
        let mut start = 0;
        let end_of_last = block.last().filter(|&&byte| byte != b'\n').map(|_| block.len());
        for end in memchr::memchr_iter(b'\n', block).chain(end_of_last) {
            if self.seen % self.stride == 0 {
                self.keep(block.get(start..end).unwrap_or_default());
            }
            self.seen += 1;
            start = end + 1;
        }
    }

    fn keep(&mut self, line: &[u8]) {
        // Longer lines have no words.
        if line.len() <= 4096 {
            self.lines.push(SampledLine { number: self.seen + 1, text: line.into() });
        }
        if self.lines.len() >= 2 * WANTED {
            let mut place = 0_usize;
            self.lines.retain(|_| {
                place += 1;
                place % 2 == 1
            });
            self.stride *= 2;
        }
    }

    /// The lines, in their order.
    pub(super) fn into_lines(self) -> Vec<SampledLine> {
        let step = self.lines.len().div_ceil(WANTED).max(1);
        self.lines.into_iter().step_by(step).collect()
    }
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
    fn short_lists_are_drawn_whole_and_long_ones_evenly() {
        for (lines, per_block) in [(0, 1), (1, 1), (999, 7), (1000, 1000)] {
            assert_eq!(drawn(lines, per_block).len() as u64, lines);
        }
        for lines in [2500, 100_000, 1_000_003] {
            let drawn = drawn(lines, 12_345);
            assert!((500..=1000).contains(&drawn.len()), "{lines}: {}", drawn.len());
            assert!(drawn.iter().all(|line| line.number.to_string().as_bytes() == &*line.text));
            let last = drawn.last().unwrap().number;
            assert!(last > lines - lines / 400, "{lines}: {last}");
        }
    }
}
