//! Every interleaving of two steps of a ladder (loom): what one process sets and clears in a byte is never undone by another that
//! changes other bits of it. Run by `make torture`: `RUSTFLAGS="--cfg loom" cargo test -p nearmiss-filters --test loom`.
#![cfg(loom)]
#![allow(clippy::unwrap_used, clippy::arithmetic_side_effects, clippy::indexing_slicing, reason = "tests")]

use std::{
    io,
    sync::{Arc, Mutex},
};

use nearmiss_filters::ladder::{BitStore, LadderFilter, MasterKey, MemoryBits, Params, RandomSource};

/// A source that always gives these words.
struct Script([u64; 4]);

impl RandomSource for Script {
    fn fill(&mut self, bytes: &mut [u8]) -> io::Result<()> {
        bytes
            .iter_mut()
            .zip(self.0.iter().flat_map(|word| word.to_le_bytes()))
            .for_each(|(to, from)| *to = from);
        Ok(())
    }
}

const BYTES: usize = 64;

fn ladder(array: Vec<u8>) -> LadderFilter<MemoryBits> {
    let params = Params::new(512, 2, 2, 1).unwrap();
    LadderFilter::new(params, &MasterKey::new([7; 32]), &[1; 16], MemoryBits::from_bytes(array))
}

fn array(ladder: &LadderFilter<MemoryBits>) -> Vec<u8> {
    (0..BYTES as u64).map(|byte| ladder.bits().load(byte).unwrap()).collect()
}

/// The bit that a step with the choice 0 sets in an empty array; what it clears are zeros, or that bit itself.
fn first_rung(element: &str) -> usize {
    let ladder = ladder(vec![0; BYTES]);
    ladder.step(&ladder.rungs_of(element.as_bytes()), &mut Script([0, 0, 511, 511])).unwrap();
    let array = array(&ladder);
    (0..512).find(|bit| array[bit / 8] >> (bit % 8) & 1 == 1).unwrap_or(511)
}

/// Two elements whose first rungs are different bits of one byte, that byte, and two further bits of it.
#[derive(Clone)]
struct Neighbours {
    elements: [String; 2],
    byte: usize,
    clears: [u64; 2],
}

fn neighbours() -> Neighbours {
    let elements: Vec<(String, usize)> =
        (0..40).map(|i| format!("element {i}")).map(|e| (e.clone(), first_rung(&e))).collect();
    let pairs = elements.iter().flat_map(|one| elements.iter().map(move |two| (one, two)));
    let (one, two) = pairs.into_iter().find(|(one, two)| one.1 / 8 == two.1 / 8 && one.1 != two.1).unwrap();
    let byte = one.1 / 8;
    let mut free =
        (byte * 8..byte * 8 + 8).filter(|bit| *bit != one.1 && *bit != two.1).map(|bit| bit as u64);
    let clears = [free.next().unwrap(), free.next().unwrap()];
    Neighbours { elements: [one.0.clone(), two.0.clone()], byte, clears }
}

/// Runs `work` under every interleaving of its threads; the last result, and how many there were.
fn explore<T: Send + 'static>(work: impl Fn() -> T + Send + Sync + 'static) -> (T, usize) {
    let seen = Arc::new(Mutex::new((None, 0)));
    let keep = seen.clone();
    let mut model = loom::model::Builder::new();
    model.max_branches = 100_000;
    model.check(move || {
        let result = work();
        let mut seen = keep.lock().unwrap();
        *seen = (Some(result), seen.1 + 1);
    });
    let (last, count) = &mut *seen.lock().unwrap();
    (last.take().unwrap(), *count)
}

#[test]
fn two_steps_in_one_byte_both_happen() {
    let (found, _) = explore(neighbours);
    let ((), count) = explore(move || {
        let Neighbours { elements: [one, two], byte, clears } = found.clone();
        let mut start = vec![0; BYTES];
        start[byte] = clears.iter().fold(0, |bits, bit| bits | 1 << (bit % 8));
        let ladder = Arc::new(ladder(start));
        let other = ladder.clone();
        let thread = loom::thread::spawn(move || {
            other.step(&other.rungs_of(one.as_bytes()), &mut Script([0, 0, clears[0], clears[0]])).unwrap();
        });
        ladder.step(&ladder.rungs_of(two.as_bytes()), &mut Script([0, 0, clears[1], clears[1]])).unwrap();
        thread.join().unwrap();
        let after = array(&ladder);
        assert_eq!(after[byte].count_ones(), 2, "both rungs set, both others cleared: {:08b}", after[byte]);
        assert_eq!(after.iter().map(|byte| byte.count_ones()).sum::<u32>(), 2, "and nothing else");
    });
    assert!(count >= 100, "{count} interleavings");
    println!("torture: interleavings of two steps in one byte (loom): {count} tried, {count} held");
}
