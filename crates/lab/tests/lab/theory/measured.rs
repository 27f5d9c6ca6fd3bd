//! The golden numbers that only real bits can show: accesses per step, and detection in small replicas.

use std::cell::Cell;
use std::io;

use filterlab::theory::ExactLadder;
use nearmiss_filters::ladder::{BitStore, LadderFilter, MasterKey, MemoryBits, Params, Rungs, SeededRandom};

use super::replica::Replica;

/// True for a measured entry.
pub(crate) fn is_one(id: &str) -> bool {
    ["table1_", "scaled_", "small_"].iter().any(|start| id.starts_with(start))
}

/// The measured number an entry's name asks for.
pub(crate) fn number(id: &str) -> f64 {
    match id {
        "table1_exact_reads" => exact(false).reads,
        "table1_exact_reads_top" => exact(true).reads,
        "table1_prob_writes" => probable(false).writes,
        "table1_prob_writes_top" => probable(true).writes,
        "table1_prob_changing_writes" => probable(false).changes,
        "scaled_detect_s30" => Replica::SCALED.detected(30, 1500),
        "scaled_longrun_falsereject" => Replica::SCALED.rejected_in_the_long_run(62_500),
        "small_P16" => Replica::SMALL.detected(14, 16_000),
        other => panic!("no way to compute {other}"),
    }
}

/// Average accesses of one step, the reading of the element's own rungs not counted.
struct Accesses {
    reads: f64,
    writes: f64,
    changes: f64,
}

/// Logs what a ladder does to the array under it.
struct Logged {
    bits: MemoryBits,
    reads: Cell<usize>,
    writes: Cell<usize>,
    changes: Cell<usize>,
}

impl Logged {
    fn new(bits: MemoryBits) -> Self {
        Self { bits, reads: Cell::new(0), writes: Cell::new(0), changes: Cell::new(0) }
    }

    fn forget(&self) {
        self.reads.set(0);
        self.writes.set(0);
        self.changes.set(0);
    }

    fn wrote(&self, old: u8, new: u8) -> u8 {
        self.writes.set(self.writes.get() + 1);
        self.changes.set(self.changes.get() + usize::from(old != new));
        old
    }
}

impl BitStore for Logged {
    fn byte_count(&self) -> u64 {
        self.bits.byte_count()
    }

    fn load(&self, byte: u64) -> io::Result<u8> {
        self.reads.set(self.reads.get() + 1);
        self.bits.load(byte)
    }

    fn set(&self, byte: u64, mask: u8) -> io::Result<u8> {
        let old = self.bits.set(byte, mask)?;
        Ok(self.wrote(old, old | mask))
    }

    fn clear(&self, byte: u64, mask: u8) -> io::Result<u8> {
        let old = self.bits.clear(byte, mask)?;
        Ok(self.wrote(old, old & !mask))
    }
}

const RUNGS: usize = 16;

/// The two forms, for one measurement.
trait Form {
    fn ladder(&self) -> &LadderFilter<Logged>;
    fn step(&mut self, element: &Rungs, random: &mut SeededRandom) -> u32;
}

impl Form for LadderFilter<Logged> {
    fn ladder(&self) -> &LadderFilter<Logged> {
        self
    }

    fn step(&mut self, element: &Rungs, random: &mut SeededRandom) -> u32 {
        LadderFilter::step(self, element, random).unwrap()
    }
}

impl Form for ExactLadder<Logged> {
    fn ladder(&self) -> &LadderFilter<Logged> {
        ExactLadder::ladder(self)
    }

    fn step(&mut self, element: &Rungs, random: &mut SeededRandom) -> u32 {
        ExactLadder::step(self, element, random).unwrap()
    }
}

fn ladder(bits: MemoryBits) -> LadderFilter<Logged> {
    let params = Params::new(bits.byte_count() * 8, 16, 16, 1).unwrap();
    LadderFilter::new(params, &MasterKey::new([5; 32]), &[6; 16], Logged::new(bits))
}

fn exact(at_top: bool) -> Accesses {
    let bits = MemoryBits::balanced(1 << 20, &mut SeededRandom::new(1)).unwrap();
    average(ExactLadder::new(ladder(bits)), at_top)
}

fn probable(at_top: bool) -> Accesses {
    let bits = MemoryBits::random(1 << 20, &mut SeededRandom::new(2)).unwrap();
    average(ladder(bits), at_top)
}

/// Over single steps of fresh elements, all at the top or all below it.
fn average(mut form: impl Form, at_top: bool) -> Accesses {
    let mut random = SeededRandom::new(3);
    let (mut steps, mut reads, mut writes, mut changes) = (0, 0, 0, 0);
    for element in 0_u32..20_000 {
        let rungs = form.ladder().rungs_of(&element.to_le_bytes());
        while at_top && form.step(&rungs, &mut random) < 16 {}
        form.ladder().bits().forget();
        let was_at_top = form.step(&rungs, &mut random) == 16;
        if was_at_top == at_top {
            let log = form.ladder().bits();
            steps += 1;
            reads += log.reads.get() - RUNGS;
            writes += log.writes.get();
            changes += log.changes.get();
        }
    }
    assert!(steps > 19_000, "{steps}");
    let per_step = |count: usize| count as f64 / f64::from(steps);
    Accesses { reads: per_step(reads), writes: per_step(writes), changes: per_step(changes) }
}
