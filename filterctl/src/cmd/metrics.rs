//! `filterctl metrics`: the state of this host, in the text format of Prometheus.
//!
//! Each file in `metrics` has the families of one part. Every family is always printed, with its help and its
//! type; a family without a value has no sample.

mod filters;
mod fleet;
mod ladders;
mod logins;
mod settings;
mod stack;

use std::path::{Path, PathBuf};

use nearmiss_cli::VERSION_AND_COMMIT;
use nearmiss_cli::{
    access::group_number,
    clock::now,
    exit::Exit,
    failure::{Failure, Outcome},
};
use nearmiss_filters::storage::{Access, Replacement, StorageError};

use crate::{
    breaches,
    doctor::Subject,
    filter_file::{replaceable::FileKind, watched::Watched},
    flags::system::System,
    report::{self, family::Family},
};

const AFTER: &str = "\
Every page of each filter is read. If the configuration cannot be read, the metrics report
that. nearmiss-doctor.timer runs filterctl doctor, which records the findings that are counted
here. Decisions are not counted here: /usr/share/nearmiss/monitor/decisions.sh counts them in
the journal, as docs/monitor.md shows.

Exit status:
  0  the metrics are printed or written, also if they report a problem
  2  they cannot be written

Examples:
  filterctl metrics
  filterctl metrics --output /var/lib/prometheus/node-exporter/nearmiss.prom
  filterctl metrics --group prometheus --output /var/lib/prometheus/node-exporter/nearmiss.prom";

/// The families that count logins, guesses and accounts: together with wtmp, a change of one identifies an
/// account.
const ABOUT_ACCOUNTS: [&str; 3] =
    ["nearmiss_logins_total", "nearmiss_guesses_total", "nearmiss_ladder_accounts"];

/// Prints the state of configuration, PAM stack, filters, updates, ladders and fleet for Prometheus.
#[derive(clap::Args)]
#[command(after_long_help = AFTER)]
pub(crate) struct Args {
    #[command(flatten)]
    system: System,
    /// Write to this file in one step; only earlier metrics are replaced. All users can read it, so it omits
    /// the metrics about accounts and guesses, unless --group is given.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Let only this group read the file (mode 0640), and omit nothing.
    #[arg(long, value_name = "GROUP", value_parser = group_number, requires = "output")]
    group: Option<u32>,
    /// Run filterctl doctor now and count its findings, instead of reading the record of its last run.
    #[arg(long)]
    doctor: bool,
}

impl Args {
    /// Prints the metrics, or writes the file.
    ///
    /// # Errors
    /// The output cannot be written.
    pub(crate) fn run(&self) -> Outcome {
        self.output.as_deref().map_or(Ok(()), |output| FileKind::Metrics.refuse_others(output))?;
        let is_for_everybody = self.output.is_some() && self.group.is_none();
        let left_out = if is_for_everybody { &ABOUT_ACCOUNTS[..] } else { &[] };
        let families = self.families().into_iter().map(|family| family.without(left_out));
        let text: String = families.map(|family| family.text()).collect();
        match &self.output {
            None => report::print_bytes(text.as_bytes())?,
            Some(file) => {
                let cannot = |error| Failure::new(format!("cannot write {}", file.display()), error);
                let access = self.group.map_or(Access::Public, Access::Group);
                Watched::new(file).told(write(file, access, text.as_bytes()).map_err(cannot))?;
            }
        }
        Ok(Exit::Done)
    }

    fn families(&self) -> Vec<Family> {
        let subject = Subject::of(&self.system);
        let config = subject.config();
        let mut families = vec![
            Family::new("nearmiss_info", "The version of filterctl.")
                .with(&[("version", VERSION_AND_COMMIT)], 1),
            Family::new("nearmiss_metrics_timestamp_seconds", "Time at which these metrics were produced.")
                .with(&[], now()),
        ];
        families.extend(settings::families(config.as_ref()));
        let config = config.ok();
        families.extend(stack::families(&self.system, &subject, self.doctor));
        families.extend(filters::families(config.as_ref(), &self.system.root));
        families.extend(breaches::metrics::families(&self.system.root));
        families.extend(ladders::families(config.as_ref()));
        families.push(logins::family(config.as_ref()));
        families.extend(fleet::families(config.as_ref()));
        families
    }
}

fn write(file: &Path, access: Access, text: &[u8]) -> Result<(), StorageError> {
    let mut new = Replacement::create(file, access)?;
    new.write(text)?;
    new.commit()
}
