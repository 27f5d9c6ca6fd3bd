//! `filterctl metrics`: what the files say, in the text format of Prometheus.

use std::{
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
    time::SystemTime,
};

use nearmiss_filters::{
    config::{Config, DEFAULT_PATH},
    dictionary::{DictionaryFilter, Loading},
    ladder::ChosenLadder,
    site::Site,
};

use crate::{configuration, exit::Exit, failure::Outcome, report};

const AFTER: &str = "\
Decisions are not among them: count those from the system log.

Examples:
  filterctl metrics > /var/lib/node_exporter/textfile/nearmiss.prom";

/// Prints age, words and rate of the filters, and how full the ladder is, for Prometheus.
#[derive(clap::Args)]
#[command(after_long_help = AFTER)]
pub(crate) struct Args {
    /// Read this configuration.
    #[arg(long, value_name = "FILE", default_value = DEFAULT_PATH)]
    conf: PathBuf,
}

impl Args {
    /// Prints the metrics.
    ///
    /// # Errors
    /// The configuration cannot be read.
    pub(crate) fn run(&self) -> Outcome {
        let config = configuration::load(&self.conf)?;
        let mut out = Vec::new();
        // Writing to memory cannot fail.
        let _ = write(&config, &mut out);
        report::print_bytes(&out)?;
        Ok(Exit::Done)
    }
}

fn write(config: &Config, out: &mut dyn Write) -> io::Result<()> {
    let unusable = Site::new(config.clone()).unusable().len();
    metric(
        out,
        "nearmiss_unusable_parts",
        "Filters and ladders that cannot be used.",
        &[("", unusable as f64)],
    )?;
    let (mut ages, mut words, mut rates) = (Vec::new(), Vec::new(), Vec::new());
    for rule in &config.dictionaries {
        let Ok(filter) = DictionaryFilter::open(&rule.file, Loading::Mapped) else { continue };
        let label = label(&rule.file);
        ages.push((label.clone(), age(&rule.file)));
        words.push((label.clone(), filter.header().words as f64));
        rates.push((label, filter.header().stated.false_rejection));
    }
    for (name, help, values) in [
        ("nearmiss_filter_age_seconds", "Time since the filter was written.", ages),
        ("nearmiss_filter_words", "Words or digests in the filter.", words),
        ("nearmiss_filter_stated_rate", "The false rejection rate the filter states.", rates),
    ] {
        let values: Vec<(&str, f64)> = values.iter().map(|(label, value)| (label.as_str(), *value)).collect();
        metric(out, name, help, &values)?;
    }
    let ladder = ChosenLadder::open(&config.ladder).ok().flatten();
    let counted = ladder.and_then(|ladder| ladder.stamped_accounts().ok().map(|taken| (ladder, taken)));
    if let Some((ladder, taken)) = counted {
        let stamps = [("", f64::from(taken))];
        metric(out, "nearmiss_ladder_accounts", "Accounts that have a stamp in the ladder.", &stamps)?;
        let room = [("", f64::from(ladder.header().stamps))];
        metric(out, "nearmiss_ladder_account_slots", "Room for accounts in the ladder.", &room)?;
    }
    Ok(())
}

fn metric(out: &mut dyn Write, name: &str, help: &str, values: &[(&str, f64)]) -> io::Result<()> {
    writeln!(out, "# HELP {name} {help}\n# TYPE {name} gauge")?;
    values.iter().try_for_each(|(label, value)| writeln!(out, "{name}{label} {value}"))
}

/// A path as a label: backslashes, quotes and line ends are escaped.
fn label(path: &Path) -> String {
    let text = path.display().to_string().replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    format!("{{file=\"{text}\"}}")
}

fn age(path: &Path) -> f64 {
    let modified = fs::metadata(path).and_then(|metadata| metadata.modified()).ok();
    let age = modified.and_then(|modified| SystemTime::now().duration_since(modified).ok());
    age.map_or(0.0, |age| age.as_secs_f64().floor())
}
