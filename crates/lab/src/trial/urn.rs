//! A ladder of any size of which exactly half the bits are ones: rungs are drawn without putting them back.

use nearmiss_filters::ladder::SeededRandom;

use super::below;

/// The frequency of each height from 0 to `rungs` among draws of `rungs` bits out of `bits`.
pub(crate) fn drawn_heights(bits: u64, rungs: u32, draws: u64, random: &mut SeededRandom) -> Vec<u64> {
    let mut heights = vec![0; rungs as usize + 1];
    for _ in 0..draws {
        let (mut left, mut ones, mut height) = (bits as usize, bits as usize / 2, 0);
        for _ in 0..rungs {
            if below(random, left) < ones {
                ones -= 1;
                height += 1;
            }
            left -= 1;
        }
        heights[height] += 1;
    }
    heights
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_bits_have_all_ones() {
        assert_eq!(drawn_heights(8, 8, 10, &mut SeededRandom::new(1))[4], 10);
        let of_two = drawn_heights(8, 2, 28_000, &mut SeededRandom::new(1));
        // 6, 16 and 6 of 28.
        assert!(of_two[1].abs_diff(16_000) < 500, "{of_two:?}");
    }
}
