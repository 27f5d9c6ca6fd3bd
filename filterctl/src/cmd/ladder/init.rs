//! `filterctl ladder init`: makes the ladder of this system, and its key.

use std::io::{self, Write};

use nearmiss_cli::{
    exit::Exit,
    failure::{Failure, Outcome, printable},
    keys,
};
use nearmiss_filters::ladder::{
    self, Cost, Header, LadderError, LadderFiles, NewLadder, OpenLadder, stamps_for,
};
use serde::Serialize;

use super::{
    place::LadderPlace,
    plan::{Choice, LadderNumbers},
    repair,
};
use crate::{
    filter_file::{replaceable::FileKind, watched::Watched},
    flags::slow_hash::SlowHashCost,
    host::syslog,
    report::{self, Report},
};

const AFTER: &str = "\
Parameters: --preset NAME (default, paper-5m, paper-100m, guesses, guesses-action), or --users,
--max-share and --false-positive for the plan that reveals least. With --preset and --users the
array is sized for that many accounts. The arrays in the paper's table have 2^33 bits: --bits 2^33.

The slow hash makes guessing with a stolen ladder and key as slow as with a stolen shadow file. It
is tuned by processor time, so that a busy machine does not change the result, and uses at least
19456 KiB and two passes, regardless of the time that these take.

With --guessed, makes the ladder that counts failed logins (pam_nearmiss.so failed). Its preset is
guesses, or guesses-action if users are forced to change such passwords. It has no slow hash, and
--failures-per-day determines its size.

An existing key is kept. Keep it out of every backup that contains the array, and take no snapshots
of the array: two copies of it, with the key, reveal what was recorded between them.

Exit status:
  0  the ladder is made, or --fix found it usable
  2  error

Examples:
  filterctl ladder init
  filterctl ladder init --users 5000 --max-share 0.002 --false-positive 1e-5
  filterctl ladder init --preset paper-5m --users 2000 --replace
  filterctl ladder init --guessed --failures-per-day 20000";

/// Makes a ladder of random bits and, if there is none, its key.
#[derive(clap::Args)]
#[command(after_long_help = AFTER)]
#[command(mut_arg("guessed", |flag| {
    flag.help("Make the ladder of guessed passwords, not of chosen ones")
        .conflicts_with_all(["slow_hash_ms", "slow_hash_memory_kib"])
}))]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag")]
pub(crate) struct Args {
    #[command(flatten)]
    place: LadderPlace,
    #[command(flatten)]
    choice: Choice,
    #[command(flatten)]
    slow_hash: SlowHashCost,
    /// Use no slow hash: for tests, and for ladders that receive many guesses per second.
    #[arg(long, conflicts_with_all = ["slow_hash_ms", "slow_hash_memory_kib"])]
    no_slow_hash: bool,
    /// With --guessed: failed logins per day that count; sizes the array.
    #[arg(long, value_name = "F", value_parser = clap::value_parser!(u64).range(1..), requires = "guessed")]
    #[arg(conflicts_with = "bits")]
    failures_per_day: Option<u64>,
    /// Replace an existing ladder, but no other file: everything recorded in it is lost.
    #[arg(long)]
    replace: bool,
    /// Do nothing if ladder and key can be used; if not, rename both, with the suffix .broken, and make new
    /// ones. With --guessed, a key that is intact stays: both ladders use it.
    #[arg(long, alias = "mend", conflicts_with = "replace")]
    fix: bool,
}

impl Args {
    /// Makes the ladder and opens it as the module would.
    ///
    /// # Errors
    /// There is a ladder already, or another file in its place, no ladder meets the request, or a file cannot
    /// be written or used.
    pub(crate) fn run(&self) -> Outcome {
        let files = self.place.written_files()?;
        refuse_one_folder(&files)?;
        if self.replace || self.fix {
            FileKind::Ladder.refuse_others(&files.file)?;
        }
        if self.fix && !repair::make_room(&files, self.place.is_guessed())? {
            return Ok(Exit::Done);
        }
        let new = if self.place.is_guessed() { self.guessed()? } else { self.chosen()? };
        Watched::new(&files.file).told(self.make(&files, &new))
    }

    fn make(&self, files: &LadderFiles, new: &NewLadder) -> Outcome {
        let header = ladder::create(files, new, self.replace).map_err(not_made)?;
        OpenLadder::open(files).map_err(|e| Failure::new("the new ladder cannot be used", e))?;
        let file = printable(&files.file.display().to_string());
        syslog::changed(&format!("made the ladder {file}: {} bits", header.params.bits()));
        report::print(&LadderMade::of(file, &header, self.place.is_guessed()), self.place.json)?;
        Ok(Exit::Done)
    }

    fn chosen(&self) -> Result<NewLadder, Failure> {
        let stamps = stamps_for(self.choice.users().unwrap_or(0));
        Ok(NewLadder { params: self.choice.params()?, cost: self.cost()?, stamps })
    }

    /// Failed logins use no slow hash, and accounts need no stamps: the record of failures detects repeats.
    fn guessed(&self) -> Result<NewLadder, Failure> {
        Ok(NewLadder { params: self.choice.guess_params(self.failures_per_day)?, cost: None, stamps: 0 })
    }

    fn cost(&self) -> Result<Option<Cost>, Failure> {
        if self.no_slow_hash { Ok(None) } else { self.slow_hash.tuned().map(Some) }
    }
}

/// A copy of one folder must not have both.
fn refuse_one_folder(files: &LadderFiles) -> Result<(), Failure> {
    if files.file.parent() != files.key.parent() {
        return Ok(());
    }
    let message =
        "the ladder and its key must be in two folders, so that a copy of one folder does not contain both";
    Err(Failure::plain(
        keys::LADDER_KEY_BESIDE,
        format!("{}: {message}; name another path with --key", files.key.display()),
    ))
}

fn not_made(error: LadderError) -> Failure {
    let act = match error {
        LadderError::Exists { .. } => "cannot make the ladder; --replace discards the old one",
        _ => "cannot make the ladder",
    };
    Failure::new(act, error)
}

/// The slow hash before a ladder.
#[derive(Serialize)]
pub(super) struct SlowHash {
    memory_kib: u32,
    passes: u32,
}

impl SlowHash {
    /// Of this cost.
    pub(super) fn of(cost: Cost) -> SlowHash {
        SlowHash { memory_kib: cost.memory_kib(), passes: cost.passes() }
    }
}

#[derive(Serialize)]
struct LadderMade {
    file: String,
    #[serde(flatten)]
    numbers: LadderNumbers,
    slow_hash: Option<SlowHash>,
    stamps: u32,
}

impl LadderMade {
    fn of(file: String, header: &Header, is_guessed: bool) -> LadderMade {
        let slow_hash = header.cost.map(SlowHash::of);
        let numbers = LadderNumbers::of(&header.params).with_role(is_guessed);
        LadderMade { file, numbers, slow_hash, stamps: header.stamps }
    }
}

impl Report for LadderMade {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{}", self.file)?;
        write_slow_hash(self.slow_hash.as_ref(), out)?;
        if self.stamps > 0 {
            writeln!(out, "  stamps          room for {} accounts", self.stamps)?;
        }
        self.numbers.write_text(out)
    }
}

/// The line about the slow hash.
///
/// # Errors
/// The errors of `out`.
pub(super) fn write_slow_hash(slow_hash: Option<&SlowHash>, out: &mut dyn Write) -> io::Result<()> {
    match slow_hash {
        Some(SlowHash { memory_kib, passes }) => {
            writeln!(out, "  slow hash       Argon2id, {memory_kib} KiB, {passes} passes")
        }
        None => writeln!(out, "  slow hash       none"),
    }
}
