//! Synthetic digest lists in the form of the breach lists: `HASH:COUNT` lines, ascending, all different.

use std::io::{self, Write};

use crate::random::Random;

/// Lines made at once.
const LINES: u64 = 25_000;

/// Blocks of `count` lines of SHA-1 digests, each made when it is asked for.
pub fn blocks(count: u64, mut take: impl FnMut(&[u8])) {
    let mut block = Vec::with_capacity(LINES as usize * 48);
    let step = u64::MAX / count.max(1);
    for first in (0..count).step_by(LINES as usize) {
        block.clear();
        let mut random = Random::new(first);
        for number in first..(first + LINES).min(count) {
            // Its first eight bytes are somewhere in its own part of all numbers: ascending and distinct.
            push_hex(&mut block, number * step + random.next() % step.max(1), 16);
            push_hex(&mut block, random.next(), 16);
            let rest = random.next();
            push_hex(&mut block, rest << 32, 8);
            block.push(b':');
            // Most digests were seen once or twice, some thousands of times.
            let seen = 1 + (rest >> 32) % (1 << (1 + (rest >> 56) % 12));
            block.extend_from_slice(seen.to_string().as_bytes());
            block.push(b'\n');
        }
        take(&block);
    }
}

/// The highest `digits` digits of a number.
fn push_hex(block: &mut Vec<u8>, value: u64, digits: u32) {
    block.extend((0..digits).map(|digit| b"0123456789ABCDEF"[(value >> (60 - 4 * digit) & 15) as usize]));
}

/// Writes `count` lines to standard output: `nearmiss-benches digests COUNT | filterctl build …`.
pub fn print(count: &str) {
    let mut out = io::stdout().lock();
    blocks(count.parse().expect("how many digests"), |block| {
        out.write_all(block).expect("a reader");
    });
}
