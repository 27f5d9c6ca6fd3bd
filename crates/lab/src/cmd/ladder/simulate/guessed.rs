//! `filterlab ladder simulate --guessed`: guesses arrive at accounts, beside mistypings, at a ladder that
//! failed logins feed.

use std::{
    collections::HashSet,
    fs::File,
    io::{self, BufRead, BufReader, Write},
    path::Path,
};

use nearmiss_cli::{failure::Failure, keys, report::Report};
use nearmiss_filters::ladder::{
    BitStore, LadderFilter, MasterKey, MemoryBits, Params, RandomSource, SeededRandom, ones,
};
use serde::Serialize;

use super::fleet::{self, SimulatedFleet, Watch};

/// Parts of the run after each of which the share of detected attempts is taken.
const PARTS: usize = 5;
/// Points of the curve of that share.
const POINTS: usize = 200;
/// Attempts from which a password has been tried often.
const OFTEN: u32 = 40;

/// The subject of the simulation.
pub(super) struct World {
    pub(super) params: Params,
    /// Accounts that are attacked, each attempt at a random one; none if each is at another.
    pub(super) accounts: Option<u32>,
    /// Unique passwords mistyped, for each guess.
    pub(super) mistypings: f64,
    /// The hosts that share the ladder, where many do.
    pub(super) fleet: Option<SimulatedFleet>,
    pub(super) seed: u64,
}

/// The result.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Outcome {
    pub(super) passwords: usize,
    attempts: usize,
    /// Passwords that were detected.
    pub(super) detected: usize,
    /// The attempt at which: for one in ten, half, nine in ten and 99 in a hundred of them.
    at_attempt: Option<[u32; 4]>,
    /// The share of attempts so far made with a password that was detected before, after each fifth.
    with_detected: Vec<f64>,
    /// Passwords tried forty times or more, and the number of them that were detected.
    often: [usize; 2],
    mistypings: u64,
    mistypings_detected: u64,
    density: f64,
    /// The share so far by the number of attempts, as a curve.
    #[serde(skip)]
    pub(super) curve: Vec<(f64, f64)>,
    #[serde(flatten)]
    fleet: Option<fleet::Outcome>,
}

/// The tries of each password, from lines `TIMES<TAB>NUMBER`: NUMBER passwords were tried TIMES times.
///
/// # Errors
/// A [`Failure`] for a file that cannot be read or is not such a list.
pub(super) fn read(path: &Path) -> Result<Vec<u32>, Failure> {
    let unreadable = |e| Failure::new(format!("cannot read {}", path.display()), e);
    let mut times = Vec::new();
    for (number, line) in (1_u64..).zip(BufReader::new(File::open(path).map_err(unreadable)?).lines()) {
        let line = line.map_err(unreadable)?;
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let parsed = line.split_once('\t').and_then(|(often, count)| {
            Some((often.parse().ok()?, count.parse().ok().filter(|count| *count <= 100_000_000)?))
        });
        let (often, count): (u32, usize) = parsed.ok_or_else(|| {
            Failure::plain(
                keys::LIST_FORM,
                format!("{}: line {number} is not TIMES, a tab, NUMBER", path.display()),
            )
        })?;
        times.extend(std::iter::repeat_n(often, count));
    }
    if times.is_empty() {
        return Err(Failure::plain(keys::LIST_EMPTY, format!("{}: contains no passwords", path.display())));
    }
    Ok(times)
}

impl World {
    /// Lets every guess arrive, in random order.
    ///
    /// # Errors
    /// No memory for the array.
    pub(super) fn run(&self, times: &[u32]) -> Result<Outcome, Failure> {
        self.played(times).map_err(|e| Failure::new("cannot simulate", e))
    }

    fn played(&self, times: &[u32]) -> io::Result<Outcome> {
        let mut random = SeededRandom::new(self.seed);
        let mut key = [0; 32];
        random.fill(&mut key)?;
        let bits = MemoryBits::random(self.params.bits(), &mut random)?;
        let ladder = LadderFilter::new(self.params, &MasterKey::new(key), &[0; 16], bits);
        let guesses = shuffled(times, &mut random);
        let (mut arrived, mut first) = (vec![0_u32; times.len()], vec![None; times.len()]);
        let (mut seen, mut covered) = (HashSet::new(), 0_usize);
        let mut outcome = Outcome {
            passwords: times.len(),
            attempts: guesses.len(),
            detected: 0,
            at_attempt: None,
            with_detected: Vec::new(),
            often: [0; 2],
            mistypings: 0,
            mistypings_detected: 0,
            density: 0.0,
            curve: Vec::new(),
            fleet: None,
        };
        let mut watch = self.fleet.map(Watch::new);
        let [part, step] = [PARTS, POINTS].map(|parts| guesses.len().div_ceil(parts));
        for (number, guess) in guesses.iter().enumerate() {
            let password = *guess as usize;
            arrived[password] += 1;
            let element = ladder.rungs_of(&guess.to_le_bytes());
            let host = watch.as_mut().map_or(0, |watch| watch.arrive(*guess, &mut random));
            let account = self.accounts.map(|accounts| (host, random.next_word() % u64::from(accounts)));
            let is_new = account.is_none_or(|account| seen.insert((*guess, account)));
            let is_frequent =
                if is_new { ladder.observe(&element, &mut random)? } else { ladder.is_frequent(&element)? };
            if is_frequent {
                if let Some(watch) = &mut watch {
                    watch.detected(*guess);
                }
                covered += 1;
                first[password].get_or_insert(arrived[password]);
            }
            if unit(random.next_word()) < self.mistypings {
                outcome.mistypings += 1;
                let mistyped =
                    ladder.rungs_of(&[b"mistyped", &outcome.mistypings.to_le_bytes()[..]].concat());
                outcome.mistypings_detected += u64::from(ladder.observe(&mistyped, &mut random)?);
            }
            if let Some(watch) = watch.as_mut().filter(|_| number + 1 == guesses.len() / 2) {
                let flagged = (0_u32..).zip(&first).filter(|(_, first)| first.is_some());
                let rungs: Vec<_> = flagged
                    .map(|(password, _)| (password, ladder.rungs_of(&password.to_le_bytes())))
                    .collect();
                watch.lose(
                    ladder.bits(),
                    rungs.iter().map(|(password, rungs)| (*password, rungs)),
                    &mut random,
                )?;
            }
            let (share, is_last) = (covered as f64 / (number + 1) as f64, number + 1 == guesses.len());
            if (number + 1) % part == 0 || is_last {
                outcome.with_detected.push(share);
            }
            if (number + 1) % step == 0 || is_last {
                outcome.curve.push(((number + 1) as f64, share));
            }
        }
        let mut attempts: Vec<u32> = first.iter().flatten().copied().collect();
        attempts.sort_unstable();
        outcome.detected = attempts.len();
        outcome.at_attempt = (!attempts.is_empty())
            .then(|| [10, 50, 90, 99].map(|percent| attempts[(attempts.len() - 1) * percent / 100]));
        let often = || times.iter().zip(&first).filter(|(times, _)| **times >= OFTEN);
        outcome.often = [often().count(), often().filter(|(_, first)| first.is_some()).count()];
        let bytes = ladder.bits().byte_count();
        outcome.fleet = watch.map(|watch| watch.outcome(outcome.at_attempt.map(|[_, half, ..]| half)));
        outcome.density = ones(ladder.bits(), 0, bytes)? as f64 / (bytes as f64 * 8.0);
        Ok(outcome)
    }
}

/// The number of the password of each guess, in random order (Fisher and Yates).
fn shuffled(times: &[u32], random: &mut SeededRandom) -> Vec<u32> {
    let of_each =
        (0_u32..).zip(times).flat_map(|(password, times)| std::iter::repeat_n(password, *times as usize));
    let mut guesses: Vec<u32> = of_each.collect();
    for last in (1..guesses.len()).rev() {
        let other = usize::try_from(random.next_word() % (last as u64 + 1)).unwrap_or(0);
        guesses.swap(last, other);
    }
    guesses
}

/// A number from 0 to 1 by a random word.
fn unit(word: u64) -> f64 {
    (word >> 11) as f64 / (1_u64 << 53) as f64
}

impl Report for Outcome {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "passwords tried       {}, {} times", self.passwords, self.attempts)?;
        writeln!(out, "detected              {}", self.detected)?;
        if let Some([tenth, half, most, nearly]) = self.at_attempt {
            writeln!(out, "  at attempt          {tenth} / {half} / {most} / {nearly} (10, 50, 90, 99 %)")?;
        }
        let shares: Vec<String> = self.with_detected.iter().map(|share| format!("{share:.3}")).collect();
        writeln!(out, "attempts with one     {} of those so far, by fifths", shares.join(" "))?;
        let [often, detected] = self.often;
        writeln!(out, "tried {OFTEN} times or more {often}, detected {detected}")?;
        writeln!(out, "mistypings            {}, detected {}", self.mistypings, self.mistypings_detected)?;
        writeln!(out, "density at the end    {:.6}", self.density)?;
        self.fleet.as_ref().map_or(Ok(()), |fleet| fleet.write_text(out))
    }
}
