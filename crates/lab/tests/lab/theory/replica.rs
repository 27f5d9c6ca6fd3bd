//! Small ladders that behave like large ones: N·f is that of N = 2²⁹, f = 10⁻⁶, but a run takes moments.

use nearmiss_filters::ladder::{LadderFilter, MasterKey, MemoryBits, Params, Rungs, SeededRandom};

/// A ladder and elements of frequency 1 in `period`; all else that is observed is fresh.
pub(crate) struct Replica {
    bits: u64,
    rungs: u32,
    threshold: u32,
    period: usize,
    /// Elements watched at once: few enough that their rungs do not shift the balance.
    elements: usize,
}

impl Replica {
    /// The replica of \[SH Fig. 3a\]: N = 2¹⁷, f = 1/244, H = 48, T = 44.
    pub(crate) const SCALED: Self =
        Self { bits: 1 << 17, rungs: 48, threshold: 44, period: 244, elements: 4 };
    /// N = 2¹³, f = 1/128, H = 16, detected at the top.
    pub(crate) const SMALL: Self = Self { bits: 1 << 13, rungs: 16, threshold: 16, period: 128, elements: 1 };

    /// Share of elements found frequent at their `observation`-th observation, which is made at the iteration
    /// where it is expected, the earlier ones at random before it.
    pub(crate) fn detected(&self, observation: usize, runs: usize) -> f64 {
        let mut random = SeededRandom::new(4);
        let mut detected = 0;
        for run in 0..runs {
            let ladder = self.fresh(run, &mut random);
            let elements = self.watched(&ladder);
            for slot in self.schedule(observation, &mut random) {
                observe(&ladder, slot.map(|i| &elements[i]), &mut random);
            }
            detected += elements.iter().filter(|e| ladder.is_frequent(e).unwrap()).count();
        }
        detected as f64 / (runs * self.elements) as f64
    }

    /// Share of an element's observations that do not find it frequent, after its first hundred.
    pub(crate) fn rejected_in_the_long_run(&self, observations: usize) -> f64 {
        let mut random = SeededRandom::new(5);
        let ladder = self.fresh(0, &mut random);
        let elements = self.watched(&ladder);
        let (mut seen, mut rejected) = (0_usize, 0_usize);
        for _ in 0..(observations + 100) * self.period {
            let element = elements.get(below(&mut random, self.period));
            let frequent = observe(&ladder, element, &mut random);
            if element.is_some() {
                seen += 1;
                rejected += usize::from(seen > 100 * self.elements && !frequent);
            }
        }
        rejected as f64 / (seen - 100 * self.elements) as f64
    }

    fn fresh(&self, run: usize, random: &mut SeededRandom) -> LadderFilter<MemoryBits> {
        let params = Params::new(self.bits, self.rungs, self.threshold, 1).unwrap();
        let bits = MemoryBits::random(self.bits, random).unwrap();
        let id = (run as u128).to_le_bytes();
        LadderFilter::new(params, &MasterKey::new([9; 32]), &id, bits)
    }

    fn watched(&self, ladder: &LadderFilter<MemoryBits>) -> Vec<Rungs> {
        (0..self.elements).map(|i| ladder.rungs_of(&[i as u8])).collect()
    }

    /// The observation of each iteration before the last: one of the watched elements, or (none) a fresh one.
    fn schedule(&self, observation: usize, random: &mut SeededRandom) -> Vec<Option<usize>> {
        let mut slots = vec![None; observation * self.period - 1];
        for element in 0..self.elements {
            let mut left = observation - 1;
            while left > 0 {
                let slot = below(random, slots.len());
                if slots[slot].is_none() {
                    slots[slot] = Some(element);
                    left -= 1;
                }
            }
        }
        slots
    }
}

fn below(random: &mut SeededRandom, bound: usize) -> usize {
    (random.next_word() % bound as u64) as usize
}

fn observe(ladder: &LadderFilter<MemoryBits>, element: Option<&Rungs>, random: &mut SeededRandom) -> bool {
    if let Some(element) = element {
        return ladder.observe(element, random).unwrap();
    }
    let fresh = random.next_word().to_le_bytes();
    ladder.observe(&ladder.rungs_of(&fresh), random).unwrap()
}
