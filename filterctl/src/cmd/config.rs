//! `filterctl config`: every setting that is in force, and where it comes from: the defaults, a file, or the
//! line of the PAM stack.

mod sources;

use std::io::{self, Write};

use serde::Serialize;

use self::sources::{Effective, Source};
use crate::{
    exit::Exit,
    failure::{Outcome, printable},
    pam_stack::{Line, Stack},
    paths,
    report::{self, Report},
    system_flags::System,
};

const AFTER: &str = "\
Settings are printed as nearmiss.conf(5) has them, each with a comment that says where
it comes from: default, a file and its line, or the line of the PAM stack, whose options
win over the files. Comments at the beginning name that line and the files that are read,
in their order. /usr/share/nearmiss/nearmiss.conf is among them only where there is no
/etc/security/nearmiss.conf.

Exit status:
  0  the settings are printed
  2  the configuration cannot be read, or has a mistake

Examples:
  filterctl config
  filterctl config --changed
  filterctl config --json | jq '.settings[] | select(.key == \"enforce\")'";

/// Shows the settings in force, and where each comes from.
#[derive(clap::Args)]
#[command(after_long_help = AFTER)]
pub(crate) struct Args {
    #[command(flatten)]
    system: System,
    /// Print only what is not the default.
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
        let line = stack.as_ref().and_then(Stack::checking_line);
        let conf = paths::real(&self.system.conf(line));
        let (files, mut settings) = sources::settings(&conf, line)?;
        let files = files.iter().map(|file| file.display().to_string()).collect();
        if self.changed {
            settings.retain(|setting| setting.source != Source::Default);
        }
        let (conf, service) = (conf.display().to_string(), self.system.service.clone());
        let shown = Shown { conf, files, service, pam_line: line.map(Line::place), settings };
        report::print(&shown, self.json)?;
        Ok(Exit::Done)
    }
}

#[derive(Serialize)]
struct Shown {
    conf: String,
    /// The files that are there: the main one or the vendor's, then the drop-ins.
    files: Vec<String>,
    service: String,
    /// The line of the service's stack that checks new passwords.
    pam_line: Option<String>,
    settings: Vec<Effective>,
}

/// The comments begin here, where the setting leaves room.
const COLUMN: usize = 40;

impl Report for Shown {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        let line = self.pam_line.as_deref().unwrap_or("no line of the PAM stack checks passwords");
        writeln!(out, "# {}: {}", printable(&self.service), printable(line))?;
        for file in &self.files {
            writeln!(out, "# file: {}", printable(file))?;
        }
        if self.files.is_empty() {
            writeln!(out, "# no file: there is no {}", printable(&self.conf))?;
        }
        self.settings.iter().try_for_each(|Effective { key, value, source }| {
            let setting = printable(&format!("{key} = {value}"));
            writeln!(out, "{setting:<COLUMN$} # {}", printable(&source.to_string()))
        })
    }
}
