//! The ladder and its users.

use std::io;

use nearmiss_cli::failure::Failure;
use nearmiss_filters::ladder::{
    BitStore, LadderFilter, MasterKey, MemoryBits, Params, RandomSource, SeededRandom, ones,
};
use serde::Serialize;

use super::{
    OutputForm,
    list::{Frequencies, ListChoice},
};
use crate::theory::{ExactLadder, StickyLadder};

/// Choices after which a user takes something nobody else has.
const MOST_TRIES: u32 = 1000;

/// A ladder of one of the forms.
enum Ladder {
    Probable(LadderFilter<MemoryBits>),
    Exact(ExactLadder<MemoryBits>),
    Sticky(StickyLadder<MemoryBits>),
}

impl Ladder {
    fn new(form: OutputForm, params: Params, random: &mut SeededRandom) -> io::Result<Ladder> {
        let mut key = [0; 32];
        random.fill(&mut key)?;
        let bits = match form {
            OutputForm::Exact => MemoryBits::balanced(params.bits(), random)?,
            OutputForm::Probable | OutputForm::Sticky => MemoryBits::random(params.bits(), random)?,
        };
        let ladder = LadderFilter::new(params, &MasterKey::new(key), &[0; 16], bits);
        Ok(match form {
            OutputForm::Probable => Ladder::Probable(ladder),
            OutputForm::Exact => Ladder::Exact(ExactLadder::new(ladder)),
            OutputForm::Sticky => Ladder::Sticky(StickyLadder::new(ladder)),
        })
    }

    fn is_too_common(&self, password: &[u8]) -> io::Result<bool> {
        match self {
            Ladder::Probable(ladder) => ladder.is_frequent(&ladder.rungs_of(password)),
            Ladder::Exact(exact) => exact.ladder().is_frequent(&exact.ladder().rungs_of(password)),
            Ladder::Sticky(sticky) => sticky.is_frequent(password),
        }
    }

    fn record(&mut self, password: &[u8], random: &mut SeededRandom) -> io::Result<()> {
        match self {
            Ladder::Probable(ladder) => ladder.record(&ladder.rungs_of(password), random).map(drop),
            Ladder::Exact(exact) => exact.observe(&exact.ladder().rungs_of(password), random).map(drop),
            Ladder::Sticky(sticky) => sticky.observe(password, random).map(drop),
        }
    }

    fn bits(&self) -> &MemoryBits {
        match self {
            Ladder::Probable(ladder) => ladder.bits(),
            Ladder::Exact(exact) => exact.ladder().bits(),
            Ladder::Sticky(sticky) => sticky.ladder().bits(),
        }
    }
}

/// Users of each password of the list, and the most that any has.
#[derive(Clone)]
struct Users {
    of: Vec<u64>,
    most: u64,
}

impl Users {
    fn none(passwords: usize) -> Users {
        Users { of: vec![0; passwords], most: 0 }
    }

    fn add(&mut self, choice: ListChoice) {
        let users = match choice {
            ListChoice::Listed(index) => {
                self.of[index] += 1;
                self.of[index]
            }
            ListChoice::Unique => 1,
        };
        self.most = self.most.max(users);
    }

    fn is_unused(&self, choice: ListChoice) -> bool {
        match choice {
            ListChoice::Listed(index) => self.of[index] == 0,
            ListChoice::Unique => true,
        }
    }
}

/// One line of the result.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Row {
    pub(super) users: u64,
    /// Of the choices since the row before.
    pub(super) rejected_share: f64,
    pub(super) rejected_share_so_far: f64,
    /// Share of the users who have the most common password.
    pub(super) top_share_with: f64,
    pub(super) top_share_without: f64,
}

/// The results of everything.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(super) struct Outcome {
    pub(super) users: u64,
    pub(super) choices: u64,
    pub(super) rejected: u64,
    /// Rejected although nobody had them.
    pub(super) rejected_unused: u64,
    pub(super) top_users_with: u64,
    pub(super) top_users_without: u64,
    pub(super) density: f64,
}

/// A system whose users arrive one after the other.
pub(super) struct World<'a> {
    frequencies: &'a Frequencies,
    ladder: Ladder,
    random: SeededRandom,
    with: Users,
    without: Users,
    counts: Outcome,
}

impl<'a> World<'a> {
    /// A new system without users.
    ///
    /// # Errors
    /// No memory for so large a ladder.
    pub(super) fn new(
        frequencies: &'a Frequencies,
        params: Params,
        form: OutputForm,
        seed: u64,
    ) -> Result<World<'a>, Failure> {
        let mut random = SeededRandom::new(seed);
        let ladder = Ladder::new(form, params, &mut random).map_err(no_ladder)?;
        let users = Users::none(frequencies.len());
        Ok(World {
            frequencies,
            ladder,
            random,
            with: users.clone(),
            without: users,
            counts: Outcome::default(),
        })
    }

    /// Lets users arrive until there are this many, and reports the state then.
    ///
    /// # Errors
    /// The ladder fails.
    pub(super) fn advance_to(&mut self, users: u64) -> Result<Row, Failure> {
        let before = self.counts;
        while self.counts.users < users {
            self.arrive().map_err(no_ladder)?;
        }
        let now = &self.counts;
        Ok(Row {
            users: now.users,
            rejected_share: share(now.rejected - before.rejected, now.choices - before.choices),
            rejected_share_so_far: share(now.rejected, now.choices),
            top_share_with: share(self.with.most, now.users),
            top_share_without: share(self.without.most, now.users),
        })
    }

    fn arrive(&mut self) -> io::Result<()> {
        let mut choice = self.frequencies.choose(&mut self.random);
        self.without.add(choice);
        for _ in 0..MOST_TRIES {
            if self.offer(choice)? {
                break;
            }
            choice = self.frequencies.choose(&mut self.random);
        }
        self.counts.users += 1;
        Ok(())
    }

    /// A user tries to set a password; true when it was taken. After the last of many refusals the user has
    /// one that is not of the list, which changes nothing that is counted.
    fn offer(&mut self, choice: ListChoice) -> io::Result<bool> {
        let unique = self.random.next_word().to_le_bytes();
        let password = match choice {
            ListChoice::Listed(index) => self.frequencies.password(index),
            ListChoice::Unique => &unique,
        };
        self.counts.choices += 1;
        if self.ladder.is_too_common(password)? {
            self.counts.rejected += 1;
            self.counts.rejected_unused += u64::from(self.with.is_unused(choice));
            return Ok(false);
        }
        self.ladder.record(password, &mut self.random)?;
        self.with.add(choice);
        Ok(true)
    }

    /// The counts, and the density of the array.
    pub(super) fn result(&self) -> Outcome {
        let bits = self.ladder.bits();
        let ones = ones(bits, 0, bits.byte_count()).unwrap_or(0);
        Outcome {
            top_users_with: self.with.most,
            top_users_without: self.without.most,
            density: share(ones, bits.byte_count() * 8),
            ..self.counts
        }
    }
}

fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

fn no_ladder(error: io::Error) -> Failure {
    Failure::new("cannot simulate", error)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(form: OutputForm) -> Outcome {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("list");
        std::fs::write(&path, "popular|500\nrare|5\n").unwrap();
        let frequencies = Frequencies::read(&path, Some(1000)).unwrap();
        let params = Params::new(1 << 20, 16, 16, 2).unwrap();
        let mut world = World::new(&frequencies, params, form, 7).unwrap();
        let row = world.advance_to(2000).unwrap();
        assert_eq!(row.users, 2000);
        assert!((row.top_share_without - 0.5).abs() < 0.06, "{row:?}");
        world.result()
    }

    #[test]
    fn a_popular_password_keeps_few_users_in_every_form() {
        for form in [OutputForm::Probable, OutputForm::Exact, OutputForm::Sticky] {
            let result = run(form);
            assert!((2..=9).contains(&result.top_users_with), "{form:?}: {result:?}");
            assert!(result.top_users_without > 900);
            // Nearly every user wants it at first, and half of those who were rejected want it again.
            assert!(result.rejected > 1500 && result.rejected < 2500, "{result:?}");
            assert!((result.density - 0.5).abs() < 0.005, "{result:?}");
        }
    }

    #[test]
    fn the_exact_form_ends_at_exactly_one_half() {
        assert!((run(OutputForm::Exact).density - 0.5).abs() < f64::EPSILON);
    }
}
