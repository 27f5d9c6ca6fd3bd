//! `filterctl ladder report`: the failed logins, and the addresses that guess often, from the system log.

mod form;
mod lines;

use std::{
    fs::File,
    io::{self, BufRead, BufReader, Write},
    path::PathBuf,
};

use nearmiss_cli::{
    clock,
    exit::Exit,
    failure::{Failure, Outcome},
    input::packed,
    keys,
};
use nearmiss_filters::ladder::{Counter, SEEN_PAIRS, SeenFailures, WordStore, open_array};
use nearmiss_policy::config::SEEN_FAILURES;
use serde::Serialize;

use self::lines::{GuessSource, Sources, Unread};
use super::{info::density, place::LadderPlace};
use crate::report::{self, Report, counted};

const AFTER: &str = "\
The counters come from /run/nearmiss/failures; they begin at zero when the system starts.
Addresses come from the log only, from lines \"guess from ADDRESS weight N\". Every user of this
machine can write such a line with logger, and a file of text does not have its writer: read root's
entries of the journal. The lines of rsyslog, syslog-ng and sysklogd are read, RFC 5424, and entries
of journalctl -o json; a line that is repeated counts as often as it says. Other forms are counted
as lines that cannot be read. Unpack a compressed log first: zcat LOG.gz | filterctl ladder report -

Exit status:
  0  the numbers are printed
  2  the configuration or a file cannot be read
  4  the numbers are printed, but lines of the log cannot be read

Examples:
  journalctl --facility=authpriv _UID=0 | filterctl ladder report -
  journalctl --facility=authpriv _UID=0 | filterctl ladder report - --json";

/// Shows the number of failed logins that were counted as guesses, and the addresses and networks that guess
/// often.
#[derive(clap::Args)]
#[command(after_long_help = AFTER)]
pub(crate) struct Args {
    /// A file of the system log, or - for standard input.
    #[arg(value_name = "LOG")]
    log: Option<PathBuf>,
    /// Print this many addresses and networks, the ones with the most weight.
    #[arg(long, value_name = "N", default_value_t = 20)]
    most: usize,
    #[command(flatten)]
    place: LadderPlace,
}

impl Args {
    /// Reads counters, array and log, and prints them.
    ///
    /// # Errors
    /// One of them cannot be read.
    pub(crate) fn run(&self) -> Outcome {
        let sources = self.log.as_ref().map(read).transpose()?;
        let unread = sources.as_ref().and_then(Sources::unread);
        let (addresses, networks) = sources.map_or((None, None), |sources| {
            (Some(sources.addresses(self.most)), Some(sources.networks(self.most)))
        });
        let (seen, density) = (seen()?, self.density()?);
        let reported = LadderReport { seen, density, addresses, networks, unread };
        report::print(&reported, self.place.json)?;
        Ok(if unread.is_some() { Exit::Unjudged } else { Exit::Done })
    }

    fn density(&self) -> Result<Option<f64>, Failure> {
        let files = self.place.guess_files()?;
        let cannot = |e| Failure::new("cannot read the ladder of guessed passwords", e);
        let Some((_, bits)) = open_array(&files.file).map_err(cannot)? else { return Ok(None) };
        density(&bits).map(Some)
    }
}

fn read(log: &PathBuf) -> Result<Sources, Failure> {
    let unreadable = |e| Failure::new(format!("cannot read {}", log.display()), e);
    let reader: Box<dyn BufRead> = if log.as_os_str() == "-" {
        Box::new(io::stdin().lock())
    } else {
        Box::new(BufReader::new(File::open(log).map_err(unreadable)?))
    };
    let mut sources = Sources::default();
    for (number, line) in reader.split(b'\n').enumerate() {
        let line = line.map_err(unreadable)?;
        if let Some((name, program)) = (number == 0).then(|| packed(&line)).flatten() {
            let message = format!(
                "{} is packed ({name}); unpack it: {program} FILE | filterctl ladder report -",
                log.display()
            );
            return Err(Failure::plain(keys::STANDARD_INPUT, message));
        }
        sources.add(&line);
    }
    Ok(sources)
}

/// The counters of the failures that were seen.
#[derive(Serialize)]
struct SeenCounts {
    failures: u64,
    counted: u64,
    frequent: u64,
    left_out: u64,
    remembered: u64,
    most_remembered: u64,
    key_age_days: i64,
}

fn seen() -> Result<Option<SeenCounts>, Failure> {
    let cannot = |e| Failure::new("cannot read the record of failed logins", e);
    let Some(set) = SeenFailures::open(SEEN_FAILURES.as_ref()).map_err(cannot)? else { return Ok(None) };
    counters(&set).map(Some).map_err(|e| Failure::new(format!("cannot read {SEEN_FAILURES}"), e))
}

fn counters(set: &SeenFailures<impl WordStore>) -> io::Result<SeenCounts> {
    let now = clock::now();
    Ok(SeenCounts {
        failures: set.count(Counter::Failures)?,
        counted: set.count(Counter::Counted)?,
        frequent: set.count(Counter::Frequent)?,
        left_out: set.count(Counter::LeftOut)?,
        remembered: set.taken()?,
        most_remembered: SEEN_PAIRS,
        key_age_days: clock::days_since(set.born()?, now),
    })
}

#[derive(Serialize)]
struct LadderReport {
    seen: Option<SeenCounts>,
    density: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    addresses: Option<Vec<GuessSource>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    networks: Option<Vec<GuessSource>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unread: Option<Unread>,
}

impl Report for LadderReport {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        match &self.seen {
            None => writeln!(out, "no failed login since the system started")?,
            Some(seen) => {
                writeln!(out, "failed logins    {}", seen.failures)?;
                writeln!(out, "  counted        {}", seen.counted)?;
                writeln!(out, "  guessed often  {}", seen.frequent)?;
                writeln!(out, "left out         {}", seen.left_out)?;
                let (taken, most) = (seen.remembered, seen.most_remembered);
                let made = clock::ago(seen.key_age_days);
                writeln!(out, "remembered       {taken} of {most} entries, under a key made {made}")?;
            }
        }
        match self.density {
            None => writeln!(out, "ladder           none; make one with filterctl ladder init --guessed")?,
            Some(density) => writeln!(out, "ladder           {density:.6} of all bits are ones")?,
        }
        write_sources("address", self.addresses.as_deref(), out)?;
        write_sources("network", self.networks.as_deref(), out)?;
        let Some(Unread { lines, first }) = self.unread else { return Ok(()) };
        writeln!(out, "not read         {} with guesses, the first is line {first}", counted(lines, "line"))
    }
}

fn write_sources(what: &str, sources: Option<&[GuessSource]>, out: &mut dyn Write) -> io::Result<()> {
    let Some(sources) = sources else { return Ok(()) };
    writeln!(out, "  weight   guesses   {what}")?;
    sources.iter().try_for_each(|GuessSource { name, weight, guesses }| {
        writeln!(out, "{weight:>8}   {guesses:>7}   {name}")
    })
}
