//! `filterctl fleet init`: creates the descriptor and the key of a ladder for many hosts.

use std::io::{self, Write};

use nearmiss_cli::ladder::numbers::bits;
use nearmiss_cli::{
    exit::Exit,
    failure::{Failure, Outcome, printable},
    keys,
};
use nearmiss_filters::ladder::{
    Cost, FleetLadder, Header, LadderError, LadderFiles, NewLadder, Preset, create_descriptor, fleet::Kind,
};
use serde::Serialize;

use super::{FleetPlace, functions::LoadFunctions};
use crate::{
    filter_file::watched::Watched,
    flags::slow_hash::SlowHashCost,
    host::syslog,
    report::{self, Report},
};

const AFTER: &str = "\
Run this once, on one host; the others join with the file that filterctl fleet export writes there.
The agents create the bits in the store. An array of 2^29 bits (64 MiB) detects a password that
makes up one in a million failed logins; docs/fleet.md has sizes for more hosts.

Every host computes the slow hash of this ladder with the memory and passes chosen here, in addition
to the slow hash of its own ladder: choose values that the slowest host can afford.

The store runs functions, which --functions loads: once for each store, after each upgrade that
changes them, and whenever a node has lost its data. Agents may not load them, and do not use a node
that lacks them. nearmiss-agent(8) loads them, with the user and the password named here, into the
nodes that lack them.

Exit status:
  0  the files are written; with --functions, every node has the functions
  1  with --functions: a node still lacks them
  2  error

Examples:
  filterctl fleet init --guessed
  filterctl fleet init --functions --store-user loader --store-password-file /root/loader.password
  filterctl fleet init --chosen --bits 2^26 --slow-hash-ms 60";

/// The default number of bits: 64 MiB in all.
const DEFAULT_BITS: u64 = 1 << 29;

/// Creates the descriptor of a new ladder and its key, or loads the functions into the store.
#[derive(clap::Args)]
#[command(after_long_help = AFTER)]
#[command(mut_arg("guessed", |arg| arg.required_unless_present_any(["chosen", "functions"])))]
#[command(mut_arg("slow_hash_ms", |arg| arg.conflicts_with("guessed")))]
#[command(mut_arg("slow_hash_memory_kib", |arg| arg.conflicts_with("guessed")))]
pub(crate) struct Args {
    #[command(flatten)]
    place: FleetPlace,
    #[command(flatten)]
    functions: LoadFunctions,
    /// Named parameters; guesses or guesses-action for guessed passwords.
    #[arg(long, value_name = "NAME", value_parser = preset)]
    preset: Option<Preset>,
    /// Bits of the array, at least 2^19; 2^29 if not given.
    #[arg(long, value_name = "N", value_parser = bits)]
    bits: Option<u64>,
    #[command(flatten)]
    slow_hash: SlowHashCost,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
}

fn preset(name: &str) -> Result<Preset, String> {
    let names = || Preset::ALL.map(Preset::name).join(", ");
    Preset::named(name).ok_or_else(|| format!("expected one of {}", names()))
}

impl Args {
    /// Makes the two files, or loads the functions.
    ///
    /// # Errors
    /// They exist already, the parameters are invalid, a file cannot be written, or the agent's program
    /// cannot be run.
    pub(crate) fn run(&self) -> Outcome {
        if self.functions.is_wanted() {
            return self.functions.load(self.json);
        }
        let file = self.place.descriptor()?;
        let files = LadderFiles { key: FleetLadder::key_of(&file), file };
        let wanted = self.wanted()?;
        Watched::new(&files.file).told(self.make(&files, &wanted))
    }

    fn make(&self, files: &LadderFiles, wanted: &NewLadder) -> Outcome {
        let header = create_descriptor(files, wanted).map_err(not_made)?;
        let file = printable(&files.file.display().to_string());
        syslog::changed(&format!("made the descriptor {file} of a fleet's ladder"));
        report::print(&DescriptorReport::of(file, &header), self.json)?;
        Ok(Exit::Done)
    }

    fn wanted(&self) -> Result<NewLadder, Failure> {
        let bits = Some(self.bits.unwrap_or(DEFAULT_BITS));
        let kind = self.place.kind();
        let usual = if kind == Kind::Guessed { Preset::Guesses } else { Preset::Default };
        let preset = self.preset.unwrap_or(usual);
        let is_for_guesses = matches!(preset, Preset::Guesses | Preset::GuessesAction);
        if is_for_guesses != (kind == Kind::Guessed) {
            return Err(Failure::plain(
                keys::ARGUMENTS,
                "--guessed takes --preset guesses or guesses-action, --chosen the others",
            ));
        }
        let params =
            preset.params(bits).map_err(|e| Failure::new("cannot make a ladder with these parameters", e))?;
        let cost = if kind == Kind::Chosen { Some(self.slow_hash.tuned()?) } else { None };
        Ok(NewLadder { params, cost, stamps: 0 })
    }
}

fn not_made(error: LadderError) -> Failure {
    let act = match error {
        LadderError::Exists { .. } => {
            "this command never replaces a fleet's key; name another path with --file"
        }
        _ => "cannot make the descriptor",
    };
    Failure::new(act, error)
}

/// The content of a descriptor.
#[derive(Serialize)]
pub(super) struct DescriptorReport {
    file: String,
    kind: &'static str,
    identifier: String,
    bits: u64,
    rungs: u32,
    threshold: u32,
    steps: u32,
    slow_hash_memory_kib: Option<u32>,
    slow_hash_passes: Option<u32>,
}

impl DescriptorReport {
    /// Of the descriptor in this file.
    pub(super) fn of(file: String, header: &Header) -> DescriptorReport {
        let params = &header.params;
        DescriptorReport {
            file,
            kind: if header.cost.is_some() { "chosen" } else { "guessed" },
            identifier: header.id.iter().take(4).map(|byte| format!("{byte:02x}")).collect(),
            bits: params.bits(),
            rungs: params.rungs(),
            threshold: params.threshold(),
            steps: params.steps(),
            slow_hash_memory_kib: header.cost.map(Cost::memory_kib),
            slow_hash_passes: header.cost.map(Cost::passes),
        }
    }
}

impl Report for DescriptorReport {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        let DescriptorReport { file, kind, identifier, bits, rungs, threshold, steps, .. } = self;
        writeln!(out, "{file}: passwords that are {kind}, in the store as nm1:{{{identifier}.*}}")?;
        writeln!(out, "  array           {bits} bits (2^{}), {} bytes", bits.trailing_zeros(), bits / 8)?;
        writeln!(out, "  rungs           {rungs}, frequent from {threshold}; steps {steps}")?;
        if let (Some(memory), Some(passes)) = (self.slow_hash_memory_kib, self.slow_hash_passes) {
            writeln!(out, "  slow hash       Argon2id, {memory} KiB, {passes} passes")?;
        }
        Ok(())
    }
}
