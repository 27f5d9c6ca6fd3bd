//! `filterctl doctor`: would a password change work now, and be checked as the administrator believes?
//!
//! `site` asks what the module would ask, `stack` reads the PAM stack in force, `surroundings` looks for
//! copies and at ages; the ladder and who may read the filters are examined as by `filterctl ladder doctor`.
//! Nothing is changed, no other program is run.

mod site;
mod stack;
mod surroundings;

use std::io::{self, Write};

use nearmiss_filters::config::{Config, DictionaryRule, Enforce};
use serde::Serialize;

use super::ladder::doctor::{self as ladder, Finding, State, filters};
use crate::{
    configuration,
    exit::Exit,
    failure::Outcome,
    pam_stack::{Line, Stack},
    report::{self, Report},
    system_flags::System,
};

const AFTER: &str = "\
What is examined:
  the configuration (filterctl config shows it); each filter, as the module opens it;
  whether a password would be accepted and a weak one rejected now; the ladder and its
  key; the PAM stack of passwd; copies of the ladder; when the filter was built, and
  whether it is built again at a start without it.

Exit status:
  0  nothing is wrong; there may be warnings
  1  something is wrong

Examples:
  filterctl doctor
  filterctl doctor --only-problems
  filterctl doctor --json";

/// Examines whether password changes work and are checked as configured, and says what to do.
#[derive(clap::Args)]
#[command(after_long_help = AFTER)]
pub(crate) struct Args {
    #[command(flatten)]
    system: System,
    /// Print only what is wrong, and nothing where all is well.
    #[arg(long)]
    only_problems: bool,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
}

impl Args {
    /// Examines and prints what was found.
    ///
    /// # Errors
    /// Standard output cannot be written.
    pub(crate) fn run(&self) -> Outcome {
        let mut findings = self.findings();
        let is_wrong = findings.iter().any(|finding| finding.state == State::Wrong);
        if self.only_problems {
            findings.retain(|finding| finding.state == State::Wrong);
        }
        if !self.only_problems || !findings.is_empty() {
            report::print(&Examined { findings }, self.json)?;
        }
        Ok(if is_wrong { Exit::No } else { Exit::Done })
    }

    fn findings(&self) -> Vec<Finding> {
        let mut findings = Vec::new();
        let stack = self.system.stack();
        let line = stack.as_ref().and_then(Stack::checking_line);
        let conf = self.system.conf(line);
        match configuration::load(&conf).map(|config| as_asked_by(line, config)) {
            Err(failure) => findings.push(Finding::wrong("settings", failure.to_string())),
            Ok(config) => {
                findings.push(site::settings(&config, &conf));
                findings.extend(site::update(&conf));
                findings.extend(filters::examine(&config));
                findings.extend(site::verdicts(&config));
                if config.ladder.file.exists() || config.ladder.key.exists() {
                    findings.extend(ladder::examine(&config.ladder));
                } else {
                    findings.push(Finding::fine("ladder", "there is none: passwords are not counted"));
                }
                findings.extend(surroundings::examine(&config, &self.system.root));
            }
        }
        findings.extend(stack::examine(&self.system.root, &self.system.service, stack.as_ref()));
        findings
    }
}

/// The configuration as the module has it at this line of the stack, whose level and filter win.
fn as_asked_by(line: Option<&Line>, mut config: Config) -> Config {
    let value = |name| line.and_then(|line| line.value(name));
    if let Some(level) = value("enforce").and_then(|name| Enforce::of(name.as_bytes())) {
        config.enforce_all(level);
    }
    if let Some(filter) = value("filter") {
        (config.dictionaries, config.packaged) = (vec![DictionaryRule::new(filter.into())], false);
    }
    config
}

#[derive(Serialize)]
struct Examined {
    findings: Vec<Finding>,
}

impl Report for Examined {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        self.findings.iter().try_for_each(|finding| finding.write_text("", out))
    }
}
