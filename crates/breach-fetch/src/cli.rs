//! The command line.

use std::{path::PathBuf, time::Duration};

use clap::{
    CommandFactory, Parser, Subcommand,
    builder::{RangedU64ValueParser, TypedValueParser},
};
use nearmiss_cli::{
    VERSION_AND_COMMIT, completions,
    corpus::{DigestName, SERVER},
    ladder::numbers::probability,
    manual::{self, Manual},
    program, report as printing,
};
use nearmiss_filters::{dictionary::Spec, format::StatedRate, hash::Key};

use crate::{
    client::{Base, ClientSettings},
    clock,
    exit::Exit,
    failure::{Failure, Outcome},
    keys, paths,
    range::{OFFICIAL_DIGITS, RangeForm},
    report,
    run::{self, Failed, Settings},
};

const AFTER: &str = "\
Exit status:
  0  the filter is in place and matches the ranges of the server
  1  ranges cannot be fetched or are refused, or the disk is full: the filter is
     unchanged, all other ranges are kept, and the next run asks for the rest
  2  nothing was started: an option is wrong, or another run is active

Files:
  FILTER           the filter; filterctl install puts it where it is used
  FILTER.ranges    the ranges that it was built from, for the next run
  FILTER.run       the result of the last run, as JSON
  .FILTER.part, .FILTER.part.ranges, .FILTER.part.kept
                   an unfinished filter

Examples:
  nearmiss-fetch --output leaked.filter
  nearmiss-fetch --output leaked.filter --min-count 10
  nearmiss-fetch --output leaked.filter --url https://mirror.example/pwned --json";

/// Fetches the digests of leaked passwords, range by range, and keeps a filter of them up to date.
///
/// The first run fetches all ranges and builds the filter as they arrive. A later run fetches the ranges that
/// changed since, and copies the groups of the filter in which no range changed. The old filter stays in
/// place until the new one is complete; an interrupted run is resumed by the next.
#[derive(Parser)]
#[command(name = "nearmiss-fetch", version, long_version = VERSION_AND_COMMIT, after_long_help = AFTER)]
#[command(help_expected = true, subcommand_negates_reqs = true, args_conflicts_with_subcommands = true)]
struct Cli {
    #[command(flatten)]
    args: Args,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    Man(manual::Args),
    Completions(completions::Args),
}

#[derive(clap::Args)]
#[allow(clippy::struct_excessive_bools, reason = "each is an option of its own")]
struct Args {
    /// The filter to keep up to date, in a folder of this user.
    #[arg(short, long, value_name = "FILTER", required = true)]
    output: Option<PathBuf>,
    /// The kind of digests to fetch.
    #[arg(long, value_enum, default_value = "sha1")]
    kind: DigestName,
    /// Leave out digests with a smaller count. With another count all ranges are fetched again.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    min_count: u64,
    /// The server: BASE/range/00000 to BASE/range/FFFFF are requested, with ?mode=ntlm for --kind ntlm.
    #[arg(long, value_name = "BASE", default_value = SERVER)]
    url: String,
    /// Requests in flight at once.
    #[arg(long, value_name = "N", default_value = "64", value_parser = parallel())]
    parallel: usize,
    /// The highest acceptable probability that a password that was not leaked is rejected by accident.
    #[arg(long, value_name = "RATE", default_value = "0.001", value_parser = probability)]
    false_rejection: f64,
    /// Build a filter suitable for checks at login, with a false positive rate of 1 in 1,000,000 per lookup.
    /// The filter is a quarter larger.
    #[arg(long, conflicts_with = "false_rejection")]
    logins: bool,
    /// Accept a corpus with over 1 % fewer digests than at the last run.
    #[arg(long)]
    accept_smaller: bool,
    /// Also trust the certificates in this PEM file, such as a site's own.
    #[arg(long, value_name = "FILE")]
    ca_file: Option<PathBuf>,
    /// Allow a remote server without https: anyone on the network can then change the digests.
    #[arg(long)]
    insecure_http: bool,
    /// Send requests through this proxy. Proxies in environment variables are ignored.
    #[arg(long, value_name = "URL")]
    proxy: Option<String>,
    /// Wait this long before the second of five attempts, and twice as long before each further one. A delay
    /// that the server asks for takes precedence.
    #[arg(long, value_name = "SECONDS", default_value = "1", value_parser = seconds)]
    retry_delay: Duration,
    /// The hash key as 32 hexadecimal digits, instead of a random one: the same ranges then give the same
    /// file, which records no date.
    #[arg(long, value_name = "HEX32", value_parser = nearmiss_cli::key::parse)]
    key: Option<Key>,
    /// The number of digits that name a range: a small mirror has fewer than 5.
    #[arg(long, hide = true, default_value_t = OFFICIAL_DIGITS)]
    #[arg(value_parser = clap::value_parser!(u8).range(2..=5))]
    digits: u8,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
    /// Show no progress and print no report.
    #[arg(short, long)]
    quiet: bool,
}

fn parallel() -> impl TypedValueParser<Value = usize> {
    RangedU64ValueParser::<usize>::new().range(1..=1024)
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse::<f64>().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    seconds.ok_or_else(|| "expected a number of seconds".to_owned())
}

impl Args {
    fn settings(&self) -> Result<Settings, Failure> {
        let output =
            self.output.clone().ok_or_else(|| Failure::plain(keys::ARGUMENTS, "--output is missing"))?;
        if output.file_name().is_none() || output.is_dir() {
            return Err(Failure::plain(
                keys::ARGUMENTS,
                format!("--output {}: is not the name of a file", output.display()),
            ));
        }
        let kind = self.kind.kind();
        let base = Base::new(&self.url, self.insecure_http);
        let base = base.map_err(|e| Failure::plain(keys::ARGUMENTS, format!("--url {e}")))?;
        let form = RangeForm { kind, digits: self.digits, min_count: self.min_count };
        let usual = Spec::of_digests(kind);
        let false_rejection = self.false_rejection;
        let stated = StatedRate { false_rejection, ..usual.stated };
        let stated = if self.logins { usual.for_logins().stated } else { stated };
        let client = ClientSettings {
            base,
            form,
            parallel: self.parallel,
            retry_delay: self.retry_delay,
            proxy: self.proxy.clone(),
        };
        Ok(Settings {
            output: paths::written(&output),
            client,
            roots: self.ca_file.clone(),
            stated,
            key: self.key.clone(),
            accept_smaller: self.accept_smaller,
            is_quiet: self.quiet,
        })
    }

    fn run(&self) -> Outcome {
        let settings = self.settings()?;
        match run::run(&settings) {
            Ok(done) => {
                report::keep(&settings.output, clock::now(), Ok(&done));
                if self.json || !self.quiet {
                    printing::print(&done, self.json)?;
                }
                Ok(Exit::Done)
            }
            Err(Failed::Unable(failure)) => Err(failure),
            Err(Failed::Stopped(failure)) => {
                report::keep(&settings.output, clock::now(), Err(&failure.to_string()));
                failure.report();
                Ok(Exit::No)
            }
        }
    }
}

const SEE_ALSO: &str = "filterctl(8), pam_nearmiss(8), nearmiss.conf(5)";

/// Reads the command line, executes it and returns the exit code.
pub(crate) fn run() -> Exit {
    program::run("nearmiss-fetch", |cli: Cli| match &cli.command {
        None => cli.args.run(),
        Some(Command::Man(args)) => args.run(&Manual::new(Cli::command(), "8", SEE_ALSO)),
        Some(Command::Completions(args)) => args.run(&Cli::command()),
    })
}

/// The definition of the command line.
pub(crate) fn command() -> clap::Command {
    Cli::command()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_is_consistent_and_every_flag_has_help() {
        Cli::command().debug_assert();
    }

    #[test]
    fn the_help_names_the_default_of_the_rate() {
        assert!((Spec::default().stated.false_rejection - 0.001).abs() < 1e-12);
    }
}
