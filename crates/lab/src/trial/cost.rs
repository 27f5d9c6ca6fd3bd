//! The reads and writes of a step, counted at the array.

use std::{cell::RefCell, collections::HashSet, io, time::Instant};

use nearmiss_filters::ladder::{BitStore, LadderFilter, MasterKey, PAGE_BYTES, Params, SeededRandom};
use serde::Serialize;

use crate::theory::ExactLadder;

/// The balance of a step, which keeps the number of ones near half.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Form {
    /// A one is looked for and cleared for each zero that is set.
    Exact,
    /// Random bits are cleared, half of them ones.
    Probable,
}

/// The place of the password.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Place {
    Below,
    Top,
}

impl Form {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Form::Exact => "exact",
            Form::Probable => "probable",
        }
    }
}

impl Place {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Place::Below => "below the top",
            Place::Top => "at the top",
        }
    }
}

/// The average cost of a step.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Cost {
    /// Bits read beside the password's own rungs.
    pub(crate) further_reads: f64,
    /// The most of these in one step.
    pub(crate) most_further_reads: u64,
    /// Bits set or cleared.
    pub(crate) writes: f64,
    /// Writes that changed their bit.
    pub(crate) changes: f64,
    /// Pages of 4 KiB that are read or written.
    pub(crate) pages: f64,
    /// The time, of steps that are not counted; the hash that finds the rungs is left out.
    pub(crate) nanoseconds: f64,
}

#[derive(Default)]
struct CostCounts {
    reads: u64,
    writes: u64,
    changes: u64,
    pages: HashSet<u64>,
}

/// An array that counts what is asked of it.
struct Counted<S> {
    bits: S,
    /// None while nothing is counted.
    counts: RefCell<Option<CostCounts>>,
}

impl<S: BitStore> Counted<S> {
    fn count(&self, byte: u64, act: impl FnOnce(&mut CostCounts)) {
        if let Some(counts) = self.counts.borrow_mut().as_mut() {
            counts.pages.insert(byte / PAGE_BYTES);
            act(counts);
        }
    }
}

impl<S: BitStore> BitStore for Counted<S> {
    fn byte_count(&self) -> u64 {
        self.bits.byte_count()
    }

    fn load(&self, byte: u64) -> io::Result<u8> {
        self.count(byte, |counts| counts.reads += 1);
        self.bits.load(byte)
    }

    fn set(&self, byte: u64, mask: u8) -> io::Result<u8> {
        let before = self.bits.set(byte, mask)?;
        self.count(byte, |counts| {
            counts.writes += 1;
            counts.changes += u64::from(before & mask == 0);
        });
        Ok(before)
    }

    fn clear(&self, byte: u64, mask: u8) -> io::Result<u8> {
        let before = self.bits.clear(byte, mask)?;
        self.count(byte, |counts| {
            counts.writes += 1;
            counts.changes += u64::from(before & mask != 0);
        });
        Ok(before)
    }
}

/// A ladder of either form whose array can be any.
enum CostLadder<S> {
    Exact(ExactLadder<S>),
    Probable(LadderFilter<S>),
}

impl<S: BitStore> CostLadder<S> {
    fn new(params: Params, bits: S, form: Form) -> CostLadder<S> {
        let ladder = LadderFilter::new(params, &MasterKey::new([7; 32]), &[0; 16], bits);
        match form {
            Form::Exact => CostLadder::Exact(ExactLadder::new(ladder)),
            Form::Probable => CostLadder::Probable(ladder),
        }
    }

    fn filter(&self) -> &LadderFilter<S> {
        match self {
            CostLadder::Exact(exact) => exact.ladder(),
            CostLadder::Probable(ladder) => ladder,
        }
    }

    fn step(
        &mut self,
        rungs: &nearmiss_filters::ladder::Rungs,
        random: &mut SeededRandom,
    ) -> io::Result<u32> {
        match self {
            CostLadder::Exact(exact) => exact.step(rungs, random),
            CostLadder::Probable(ladder) => ladder.step(rungs, random),
        }
    }
}

/// Steps of so many passwords, each below the top or each at it.
///
/// # Errors
/// The array cannot be read or written.
pub(crate) fn measure<S: BitStore>(
    params: Params,
    bits: S,
    form: Form,
    place: Place,
    steps: u64,
    random: &mut SeededRandom,
) -> io::Result<Cost> {
    let counted = Counted { bits, counts: RefCell::default() };
    let mut ladder = CostLadder::new(params, counted, form);
    let own = u64::from(params.rungs());
    let (mut all, mut most, mut pages, mut nanoseconds) = (CostCounts::default(), 0, 0, 0.0);
    // Each second password's step is counted, the others' are timed.
    for number in 0..2 * steps {
        let rungs = ladder.filter().rungs_of(&random.next_word().to_le_bytes());
        while place == Place::Top && ladder.filter().height(&rungs)? < params.rungs() {
            ladder.step(&rungs, random)?;
        }
        let is_counted = number % 2 == 0;
        ladder.filter().bits().counts.replace(is_counted.then(CostCounts::default));
        let start = Instant::now();
        ladder.step(&rungs, random)?;
        if !is_counted {
            nanoseconds += start.elapsed().as_nanos() as f64;
        }
        let Some(counts) = ladder.filter().bits().counts.take() else { continue };
        most = most.max(counts.reads.saturating_sub(own));
        all.reads += counts.reads.saturating_sub(own);
        all.writes += counts.writes;
        all.changes += counts.changes;
        pages += counts.pages.len();
    }
    let each = |count: u64| count as f64 / steps as f64;
    Ok(Cost {
        further_reads: each(all.reads),
        most_further_reads: most,
        writes: each(all.writes),
        changes: each(all.changes),
        pages: pages as f64 / steps as f64,
        nanoseconds: nanoseconds / steps as f64,
    })
}

#[cfg(test)]
mod tests {
    use nearmiss_filters::ladder::MemoryBits;

    use super::*;

    fn cost(form: Form, place: Place) -> Cost {
        let params = Params::new(1 << 16, 16, 16, 1).unwrap();
        let mut random = SeededRandom::new(11);
        let bits = MemoryBits::balanced(1 << 16, &mut random).unwrap();
        measure(params, bits, form, place, 3000, &mut random).unwrap()
    }

    /// Table I: one of two bits is a one, so two are looked at; what is set and cleared is certain.
    #[test]
    fn a_step_costs_what_the_paper_says() {
        let exact = cost(Form::Exact, Place::Below);
        assert!((exact.further_reads - 2.0).abs() < 0.15 && exact.most_further_reads > 5, "{exact:?}");
        assert!((exact.writes - 2.0).abs() < 1e-9 && (exact.changes - 2.0).abs() < 1e-9, "{exact:?}");
        assert!((cost(Form::Exact, Place::Top).further_reads - 4.0).abs() < 0.2);
        let probable = cost(Form::Probable, Place::Below);
        assert!(probable.further_reads < 1e-9 && (probable.writes - 3.0).abs() < 1e-9, "{probable:?}");
        assert!((probable.changes - 2.0).abs() < 0.1, "{probable:?}");
        assert!((cost(Form::Probable, Place::Top).writes - 4.0).abs() < 1e-9);
    }
}
