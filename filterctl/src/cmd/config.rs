//! `filterctl config`: every setting in force and its source: the defaults, a file, or the line of the PAM
//! stack.

mod sources;

use std::io::{self, Write};

use nearmiss_cli::{
    exit::Exit,
    failure::{Outcome, printable},
};
use nearmiss_policy::config::{DEFAULT_DICTIONARY, Value, stack_options::Mistake};
use serde::Serialize;

use self::sources::Effective;
use crate::{
    filter_file::{update_state::UpdateState, verify_state::VerifyState},
    flags::system::System,
    host::{
        pam_stack::{Stack, StackEntry},
        state_file::{DEFAULT_VERIFIED, StateError},
    },
    report::{self, Report, counted, header::utc},
};

const AFTER: &str = "\
Settings are printed in the syntax of nearmiss.conf(5): as a file they have the same effect.
The comment behind each names its source: default, a file and its line, or the line of the
PAM stack, whose options override the files. Comments at the beginning name that line and the
files, in the order in which they are read. /usr/share/nearmiss/nearmiss.conf is among them
only if there is no /etc/security/nearmiss.conf. Further comments report the date of the
packaged filter, the lists that it lacks, a rebuild that failed since (filterctl update
repeats it), and the result of the last filterctl verify --all --record.

Exit status:
  0  the settings are printed
  2  the configuration cannot be read, or has a mistake

Examples:
  filterctl config
  filterctl config --changed
  filterctl config --json | jq '.settings[] | select(.key == \"enforce\")'";

/// Shows the settings in force and the source of each.
#[derive(clap::Args)]
#[command(after_long_help = AFTER)]
pub(crate) struct Args {
    #[command(flatten)]
    system: System,
    /// Print only settings that differ from the default.
    #[arg(long)]
    changed: bool,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
}

impl Args {
    /// Prints the settings.
    ///
    /// # Errors
    /// The configuration cannot be read, or has a mistake.
    pub(crate) fn run(&self) -> Outcome {
        let stack = self.system.stack();
        let line = stack.as_ref().and_then(Stack::checking_entry);
        let conf = self.system.conf(line);
        let (files, mut settings) = sources::settings(&conf, line)?;
        let files = files.iter().map(|file| file.display().to_string()).collect();
        if self.changed {
            settings.retain(|setting| setting.is_changed);
        }
        let (conf, service) = (conf.path.display().to_string(), self.system.service().to_owned());
        let told = |line: &StackEntry, mistake: &Mistake| format!("{mistake}{}", line.did_you_mean(mistake));
        let mistakes = line.iter().flat_map(|line| line.mistakes().into_iter().map(|one| told(line, &one)));
        let mistakes = mistakes.collect();
        let mut unknown = Vec::new();
        let update = known(UpdateState::read(&self.system.below_root(DEFAULT_DICTIONARY)), &mut unknown);
        let verified = known(VerifyState::read(&self.system.below_root(DEFAULT_VERIFIED)), &mut unknown);
        let pam_line = line.map(StackEntry::place);
        let shown =
            ShownConfig { conf, files, service, pam_line, mistakes, update, verified, unknown, settings };
        report::print(&shown, self.json)?;
        Ok(Exit::Done)
    }
}

#[derive(Serialize)]
struct ShownConfig {
    conf: String,
    /// The existing files: the main one or the vendor's, then the drop-ins.
    files: Vec<String>,
    service: String,
    /// The line of the service's stack that checks new passwords.
    pam_line: Option<String>,
    /// The arguments of that line that the module does not know.
    mistakes: Vec<String>,
    /// The last `filterctl update` of the packaged filter.
    update: Option<UpdateState>,
    /// The result of the last verification of all filters.
    verified: Option<VerifyState>,
    /// The reasons why either is not known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unknown: Vec<String>,
    settings: Vec<Effective>,
}

/// The column of the comments, if the setting leaves room.
const COLUMN: usize = 40;

impl Report for ShownConfig {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        let line = self.pam_line.as_deref().unwrap_or("no line of the PAM stack checks passwords");
        writeln!(out, "# {}: {}", printable(&self.service), printable(line))?;
        for mistake in &self.mistakes {
            writeln!(out, "# WRONG: {}: {}", printable(line), printable(mistake))?;
        }
        for file in &self.files {
            writeln!(out, "# file: {}", printable(file))?;
        }
        if self.files.is_empty() {
            writeln!(out, "# no file: there is no {}", printable(&self.conf))?;
        }
        let update = self.update.iter().flat_map(update_lines);
        let verified = self.verified.iter().flat_map(verified_lines);
        for line in update.chain(verified).chain(self.unknown.iter().cloned()) {
            writeln!(out, "# {}", printable(&line))?;
        }
        // A setting after the header of a table would be one of its entries.
        let (plain, tables): (Vec<_>, Vec<_>) =
            self.settings.iter().partition(|setting| !matches!(setting.value, Value::Table(_)));
        let lines = plain.into_iter().chain(tables).flat_map(Effective::lines);
        lines.into_iter().try_for_each(|(line, source)| match source {
            None => writeln!(out, "{line}"),
            Some(source) => writeln!(out, "{line:<COLUMN$} # {}", printable(&source)),
        })
    }
}

/// The state in a file, if there is one; the reason why it cannot be read is added to `unknown`.
fn known<T>(read: Result<Option<T>, StateError>, unknown: &mut Vec<String>) -> Option<T> {
    read.unwrap_or_else(|error| {
        unknown.push(error.to_string());
        None
    })
}

/// The last build and its time, the lists that the filter lacks, and the failures since.
fn update_lines(state: &UpdateState) -> Vec<String> {
    let lists = counted(state.lists.len() as u64, "list");
    let rebuilt =
        state.rebuilt.map(|at| format!("update: the packaged filter was built {}, from {lists}", utc(at)));
    let failed =
        state.failed.iter().map(|failed| format!("update: failed {}: {}", utc(failed.at), failed.reason));
    let lacks =
        state.dropped.iter().map(|list| format!("update: the filter lacks {}: {}", list.path, list.reason));
    rebuilt.into_iter().chain(failed).chain(lacks).collect()
}

/// The time of the last verification of all filters, and the damaged ones that are still in place.
fn verified_lines(state: &VerifyState) -> Vec<String> {
    let filters = counted(state.filters.len() as u64, "filter");
    let damaged = state.filters.iter().filter(|filter| filter.is_current()).filter_map(|filter| {
        filter.problem.as_ref().map(|problem| format!("verify: {}: {problem}", filter.path))
    });
    [format!("verify: {filters} read {}", utc(state.at))].into_iter().chain(damaged).collect()
}
