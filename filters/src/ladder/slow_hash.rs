//! The slow hash in front of the ladder of chosen passwords: Argon2id.
//!
//! Anyone who steals array *and* key could otherwise test candidates at memory speed. With a hash at least as slow as the
//! system's own password hash the two give nothing over a stolen shadow file. Memory is bounded and asked for in a way
//! that can fail: the caller is `passwd` or `sshd`, perhaps under a limit its user set. It is mapped for one hash, wiped
//! and unmapped, so that a caller that lives long keeps none of it.

use std::error::Error;
use std::fmt;
use std::time::Duration;

use argon2::{Algorithm, Argon2, Block, Params, Version};
use rustix::time::{ClockId, clock_gettime};
use zeroize::{Zeroize, Zeroizing};

use crate::storage::mapped::HashMemory;

/// Most memory a slow hash may take: 64 MiB.
pub const MAX_MEMORY_KIB: u32 = 65_536;
/// Least memory a slow hash may take.
pub(super) const MIN_MEMORY_KIB: u32 = 8;
/// Most passes over the memory.
pub(super) const MAX_PASSES: u32 = 1024;
/// Lanes: one, since a PAM module starts no threads.
pub(super) const LANES: u32 = 1;
/// The processor time that the slow hash of a new ladder aims at.
pub const USUAL_TIME: Duration = Duration::from_millis(100);

/// Bytes of the output.
const ELEMENT_BYTES: usize = 32;

/// What the ladder knows of a password: its slow hash. Opaque, and wiped when dropped.
pub struct Element(Zeroizing<Vec<u8>>);

impl Element {
    /// Of a password taken as it is: for a ladder without slow hash.
    pub(super) fn plain(password: &[u8]) -> Self {
        Self(Zeroizing::new(password.to_vec()))
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.0
    }
}

/// How slow the hash is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cost {
    memory_kib: u32,
    passes: u32,
}

impl Cost {
    /// The least that a new ladder of chosen passwords gets: 19 MiB and two passes, the least that the OWASP *Password
    /// Storage Cheat Sheet*, section "Argon2id", recommends for one lane (m = 19456 KiB, t = 2, p = 1).
    pub const LEAST: Cost = Cost { memory_kib: 19_456, passes: 2 };

    /// Memory in KiB and passes over it; none when either is outside what a ladder file can hold.
    pub fn new(memory_kib: u32, passes: u32) -> Option<Self> {
        let fits =
            (MIN_MEMORY_KIB..=MAX_MEMORY_KIB).contains(&memory_kib) && (1..=MAX_PASSES).contains(&passes);
        fits.then_some(Self { memory_kib, passes })
    }

    /// Memory in KiB.
    pub const fn memory_kib(self) -> u32 {
        self.memory_kib
    }

    /// Passes over the memory.
    pub const fn passes(self) -> u32 {
        self.passes
    }

    /// Whether it is [`Cost::LEAST`] or more, in memory and in passes.
    pub const fn is_enough(self) -> bool {
        self.memory_kib >= Self::LEAST.memory_kib && self.passes >= Self::LEAST.passes
    }

    /// The slow hash of a password.
    ///
    /// # Errors
    /// [`SlowHashError::Memory`] when the memory cannot be had; [`SlowHashError::Refused`] when the password is
    /// longer than Argon2 takes (4 GiB).
    pub(super) fn hash(self, salt: &[u8; 16], password: &[u8]) -> Result<Element, SlowHashError> {
        let params = self.params()?;
        let mut memory = HashMemory::new(params.block_count()).map_err(|_| SlowHashError::Memory)?;
        hash_in(memory.as_mut(), params, salt, password)
    }

    fn params(self) -> Result<Params, SlowHashError> {
        let params = Params::new(self.memory_kib, self.passes, LANES, Some(ELEMENT_BYTES));
        params.map_err(|_| SlowHashError::Refused)
    }

    /// The processor time of one hash on this machine, now.
    ///
    /// # Errors
    /// As the hash itself.
    pub fn processor_time(self) -> Result<Duration, SlowHashError> {
        shortest(thread_time, || self.hash(&[0; 16], b"tuning").map(drop))
    }
}

/// The slow hash in memory of the caller's, which is all zeros afterwards.
fn hash_in(
    memory: &mut [Block],
    params: Params,
    salt: &[u8; 16],
    password: &[u8],
) -> Result<Element, SlowHashError> {
    let memory = Wiped(memory);
    let mut element = Element(Zeroizing::new(vec![0; ELEMENT_BYTES]));
    let argon = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
    let done = argon.hash_password_into_with_memory(password, salt, &mut element.0, &mut *memory.0);
    done.map_err(|_| SlowHashError::Refused)?;
    Ok(element)
}

/// Blocks that are wiped at the end, also by way of a panic.
struct Wiped<'a>(&'a mut [Block]);

impl Drop for Wiped<'_> {
    fn drop(&mut self) {
        self.0.iter_mut().for_each(Zeroize::zeroize);
    }
}

/// The cost that takes about `target` of processor time on this machine, at most `max_memory_kib` of memory, and never less
/// than [`Cost::LEAST`]: as much memory as two passes fit into the time, then as many passes as fit it.
///
/// It is processor time, not time on the clock: how much else the machine does while the ladder is made (a package's
/// installation, say) must not make the hash weaker for as long as the ladder lives.
///
/// # Errors
/// As the hash itself.
pub fn tune(target: Duration, max_memory_kib: u32) -> Result<Cost, SlowHashError> {
    tune_by(target, max_memory_kib, Cost::processor_time)
}

fn tune_by(
    target: Duration,
    max_memory_kib: u32,
    time_of: impl Fn(Cost) -> Result<Duration, SlowHashError>,
) -> Result<Cost, SlowHashError> {
    let Cost { memory_kib: least_kib, passes: least_passes } = Cost::LEAST;
    let mut memory_kib = max_memory_kib.clamp(least_kib, MAX_MEMORY_KIB);
    loop {
        let time = time_of(Cost { memory_kib, passes: least_passes })?;
        if time <= target || memory_kib == least_kib {
            let pass = time.checked_div(least_passes).unwrap_or(time).as_micros();
            let rounded = target.as_micros().saturating_add(pass >> 1);
            let passes = u32::try_from(rounded.checked_div(pass).unwrap_or(0)).unwrap_or(MAX_PASSES);
            return Ok(Cost { memory_kib, passes: passes.clamp(least_passes, MAX_PASSES) });
        }
        memory_kib = (memory_kib >> 1).max(least_kib);
    }
}

/// Runs of a hash that is timed.
const RUNS: u32 = 3;

/// The shortest of a few runs, by this clock: others find cold caches, or share the processor's with another program.
fn shortest(
    clock: impl Fn() -> Duration,
    run: impl Fn() -> Result<(), SlowHashError>,
) -> Result<Duration, SlowHashError> {
    let mut shortest = Duration::MAX;
    for _ in 0..RUNS {
        let start = clock();
        run()?;
        shortest = shortest.min(clock().saturating_sub(start));
    }
    Ok(shortest)
}

/// What this thread has used of the processor so far: it stands still while other threads and processes run.
fn thread_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    let part = |part| u32::try_from(part).unwrap_or(0);
    Duration::new(u64::try_from(time.tv_sec).unwrap_or(0), part(time.tv_nsec))
}

/// Why there is no slow hash of a password.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SlowHashError {
    /// The memory cannot be had.
    Memory,
    /// Argon2 refuses the password or its parameters.
    Refused,
}

impl fmt::Display for SlowHashError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Memory => "no memory for the slow hash; raise the limit or make a new ladder with less",
            Self::Refused => "the slow hash refuses this password",
        })
    }
}

impl Error for SlowHashError {}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    #[cfg_attr(miri, ignore = "miri takes no advice about memory")]
    fn salt_cost_and_password_all_count() {
        let cost = Cost::new(64, 1).unwrap();
        let base = cost.hash(&[1; 16], b"password").unwrap();
        assert_eq!(base.bytes().len(), 32);
        assert_eq!(cost.hash(&[1; 16], b"password").unwrap().bytes(), base.bytes());
        assert_ne!(cost.hash(&[2; 16], b"password").unwrap().bytes(), base.bytes());
        assert_ne!(cost.hash(&[1; 16], b"passwore").unwrap().bytes(), base.bytes());
        assert_ne!(Cost::new(64, 2).unwrap().hash(&[1; 16], b"password").unwrap().bytes(), base.bytes());
        assert!(cost.hash(&[1; 16], b"").is_ok());
    }

    /// The vector of FORMAT-LADDER.md, in memory that is seen before it goes: nothing of the hash is left in it.
    #[test]
    fn slow_hash_of_the_format_text_leaves_no_trace_in_its_memory() {
        let cost = Cost::new(64, 2).unwrap();
        let mut memory = vec![Block::new(); 64];
        memory.iter_mut().for_each(|block| block.as_mut().fill(7));
        let element = hash_in(&mut memory, cost.params().unwrap(), b"0123456789abcdef", b"password").unwrap();
        let expected =
            [0xfb83_b571_1fd9_1df6_30b6_3677_dee6_2ccd_u128, 0x13ee_6f0c_4897_d856_b495_42b9_b1e9_975b];
        assert_eq!(element.bytes(), expected.map(u128::to_be_bytes).as_flattened());
        assert!(memory.iter().all(|block| block.as_ref() == [0; 128]));
        // Also where there is no hash.
        memory.iter_mut().for_each(|block| block.as_mut().fill(7));
        let too_little = hash_in(&mut memory[..8], cost.params().unwrap(), &[0; 16], b"password");
        assert_eq!(too_little.err(), Some(SlowHashError::Refused));
        assert!(memory[..8].iter().all(|block| block.as_ref() == [0; 128]));
    }

    #[test]
    fn costs_are_bounded() {
        for (memory, passes) in [(7, 1), (65_537, 1), (64, 0), (64, 1025), (u32::MAX, 1)] {
            assert_eq!(Cost::new(memory, passes), None);
        }
        assert_eq!((Cost::LEAST.memory_kib(), Cost::LEAST.passes()), (19_456, 2));
        for (memory, passes, is_enough) in
            [(19_456, 2, true), (65_536, 3, true), (19_455, 2, false), (65_536, 1, false), (8, 1024, false)]
        {
            assert_eq!(Cost::new(memory, passes).unwrap().is_enough(), is_enough, "{memory} {passes}");
        }
    }

    /// What is tuned to where a pass over a MiB takes this many microseconds.
    fn tuned(target_ms: u64, max_memory_kib: u32, micros: u64) -> (u32, u32) {
        let time_of = |cost: Cost| {
            let passes_of_a_mib = u64::from(cost.memory_kib()) * u64::from(cost.passes());
            Ok(Duration::from_micros(micros * passes_of_a_mib / 1024))
        };
        let cost = tune_by(Duration::from_millis(target_ms), max_memory_kib, time_of).unwrap();
        assert!(cost.is_enough() && cost.memory_kib() <= max_memory_kib.max(19_456));
        (cost.memory_kib(), cost.passes())
    }

    #[test]
    fn tuning_takes_what_memory_the_time_allows_then_passes_and_stays_above_its_floor() {
        // 64 MiB twice take 51 ms: four passes come nearest to 100.
        assert_eq!(tuned(100, 65_536, 400), (65_536, 4));
        assert_eq!(tuned(115, 65_536, 400), (65_536, 4));
        assert_eq!(tuned(116, 65_536, 400), (65_536, 5));
        assert_eq!(tuned(52, 65_536, 400), (65_536, 2));
        assert_eq!(tuned(51, 65_536, 400), (32_768, 4));
        assert_eq!(tuned(25, 65_536, 400), (19_456, 3));
        assert_eq!(tuned(100, 20_000, 400), (20_000, 13));
        // Nothing is too slow for the floor, nothing so fast that there is no end.
        assert_eq!(tuned(0, 65_536, 400), (19_456, 2));
        assert_eq!(tuned(100, 1, 1_000_000), (19_456, 2));
        assert_eq!(tuned(5000, 65_536, 0), (65_536, 2));
        assert_eq!(tuned(5_000_000, 65_536, 400), (65_536, 1024));
    }

    /// A machine with two clocks: the processor's, and that on the wall, which goes on while others have the processor.
    struct Machine {
        processor: Cell<Duration>,
        wall: Cell<Duration>,
        /// How many share the processor.
        load: u32,
        runs: Cell<u32>,
    }

    impl Machine {
        fn with(load: u32) -> Machine {
            let zero = || Cell::new(Duration::ZERO);
            Machine { processor: zero(), wall: zero(), load, runs: Cell::new(0) }
        }

        /// A hash at 400 microseconds a MiB; all but one run of three meet cold caches as well.
        fn run(&self, cost: Cost) -> Result<(), SlowHashError> {
            let micros = 400 * u64::from(cost.memory_kib()) * u64::from(cost.passes()) / 1024;
            let extra = if self.runs.get() % 3 == 1 { 1 } else { self.load };
            let processor = Duration::from_micros(micros) * extra;
            self.runs.set(self.runs.get() + 1);
            self.processor.set(self.processor.get() + processor);
            self.wall.set(self.wall.get() + processor * self.load);
            Ok(())
        }

        fn tuned_by(&self, clock: &Cell<Duration>) -> Cost {
            let time_of = |cost| shortest(|| clock.get(), || self.run(cost));
            tune_by(USUAL_TIME, MAX_MEMORY_KIB, time_of).unwrap()
        }
    }

    #[test]
    fn load_makes_no_weaker_hash() {
        let idle = Machine::with(1);
        let cost = idle.tuned_by(&idle.processor);
        assert_eq!((cost.memory_kib(), cost.passes()), (65_536, 4));
        for load in [2, 5, 100] {
            let loaded = Machine::with(load);
            assert_eq!(loaded.tuned_by(&loaded.processor), cost);
            // The control: by the clock on the wall it would fall, to the floor and no further.
            let by_wall = Machine::with(load);
            let weaker = by_wall.tuned_by(&by_wall.wall);
            assert!(weaker.memory_kib() * weaker.passes() < cost.memory_kib() * cost.passes());
            assert!(weaker.is_enough());
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "miri has no clock of a thread")]
    fn the_clock_is_the_threads_own() {
        let start = thread_time();
        std::thread::sleep(Duration::from_millis(200));
        let others =
            std::thread::spawn(|| (0..20_000_000_u64).fold(0, |sum, i| sum ^ std::hint::black_box(i)));
        others.join().unwrap();
        assert!(thread_time().saturating_sub(start) < Duration::from_millis(50), "it went on meanwhile");
        assert!(shortest(thread_time, || Ok(())).unwrap() < Duration::from_millis(50));
        let cost = Cost::new(4096, 2).unwrap();
        assert!(cost.processor_time().unwrap() > Duration::from_micros(100));
    }

    #[test]
    fn a_hash_that_fails_has_no_time() {
        let failing = |_| Err(SlowHashError::Memory);
        assert_eq!(tune_by(USUAL_TIME, MAX_MEMORY_KIB, failing), Err(SlowHashError::Memory));
        assert_eq!(shortest(thread_time, || Err(SlowHashError::Memory)), Err(SlowHashError::Memory));
    }
}
