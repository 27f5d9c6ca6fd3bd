//! `filterctl doctor`: examines whether a password change works now and is checked as configured.

use std::path::PathBuf;

use nearmiss_cli::{
    failure::{Failure, Outcome},
    finding::{Examined, Finding, State, worst},
};

use crate::{
    doctor::{Part, StoreFlags, Subject, examine, record::DoctorRun},
    filter_file::{replaceable::FileKind, watched::Watched},
    flags::system::System,
    report,
};

const AFTER: &str = "\
What is examined, in the order of a password change:
  stack    the PAM lines of every service that can change a password, the modules that they
           name, the options of every line of pam_nearmiss.so, and the level of enforcement.
           As root, doctor changes the password of a test account in a temporary copy of this
           machine
  filters  each filter, every page of it; the verdicts on a weak password and on random ones;
           the users who can read each filter; the unit that builds the packaged one; the
           dictionaries of this system's languages that packages would add
  ladder   the ladders of chosen and of guessed passwords, their keys, copies of them, and
           whether they can count
  fleet    this host's membership in a fleet; with --only fleet also the settings of the
           store, which nearmiss-agent doctor reads with an administrator's account
  servers  the lines that name nearmiss in the configurations of MIT Kerberos, Heimdal, Samba,
           OpenLDAP, MariaDB and PostgreSQL: the file that each names, and the server's access
           to the filter; the drop-in for libcrack. For running servers, also the plugin in
           their memory. This finds a plugin that was loaded by INSTALL SONAME only, and a
           server that was not restarted after its plugin was installed or replaced. If only
           servers use nearmiss and pam_nearmiss.so is not installed, the stack is not
           examined

States:
  WRONG    users are refused, passwords are not checked or not logged, or a secret can be read
  WARNING  something is weaker than configured, or is configured to be weak: the level of a
           part is audit or warn, a line of the stack lets some users skip the check, a filter
           rejects too many passwords, another module demands longer ones, a ladder cannot
           count, there are copies of a ladder or its key
  UNJUDGED a part was not run: a module that may act outside this machine (pam_exec, pam_sss,
           pam_ldap and any that is not known to stay in local files), no copy can be made, or
           only root may look at a file
  A command that fixes it follows each finding. Commands that edit PAM files were tried in a
  copy first.

Exit status:
  0  all is well
  1  something is WRONG
  2  error
  3  nothing is WRONG, but there are WARNINGs
  4  neither, but a part was not judged

The timer nearmiss-doctor.timer runs filterctl doctor every hour, with --record
/var/cache/nearmiss/examined, while nearmiss-metrics.timer runs.

Examples:
  filterctl doctor
  filterctl doctor --only-problems
  filterctl doctor --only stack,filters --json
  filterctl doctor --only fleet --store-user admin --store-password-file /root/admin.password";

/// Examines whether password changes work and are checked as configured, and prints a fix for each problem.
#[derive(clap::Args)]
#[command(after_long_help = AFTER)]
pub(crate) struct Args {
    #[command(flatten)]
    system: System,
    /// Examine only these parts; several may be given.
    #[arg(long, value_name = "PART", value_enum, value_delimiter = ',')]
    only: Vec<Part>,
    #[command(flatten)]
    store: StoreFlags,
    /// In the copy, also run modules that may act outside this machine.
    #[arg(long)]
    run_all: bool,
    /// Print only findings that are WRONG, a WARNING or UNJUDGED, and nothing if there are none.
    #[arg(long)]
    only_problems: bool,
    /// Write the time and the number of findings to this file, for filterctl metrics with the same --root and
    /// --conf. Only an earlier result is replaced.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["only", "service"])]
    record: Option<PathBuf>,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
}

impl Args {
    /// Examines and prints what was found.
    ///
    /// # Errors
    /// Standard output or the record cannot be written.
    pub(crate) fn run(&self) -> Outcome {
        let is_named = self.only.contains(&Part::Fleet);
        self.record.as_deref().map_or(Ok(()), |record| FileKind::Record.refuse_others(record))?;
        self.store.refuse_useless(is_named, is_named || self.only.is_empty())?;
        let subject = Subject::of(&self.system).running_all(self.run_all);
        let findings = examine(&subject, &self.only, &self.store);
        let Some(record) = &self.record else { return self.print(findings) };
        // First, so that a pipe that is closed keeps it from no metrics.
        let write = || DoctorRun::new(&subject, &findings).write(record);
        let watched = Watched::new(record);
        watched.told(write().map_err(|error| Failure::new("cannot record the result", error)))?;
        watched.told(self.print(findings))
    }

    fn print(&self, mut findings: Vec<Finding>) -> Outcome {
        let state = worst(&findings);
        if self.only_problems {
            findings.retain(|finding| finding.state != State::Fine);
        }
        if !self.only_problems || !findings.is_empty() {
            report::print(&Examined { state, findings }, self.json)?;
        }
        Ok(state.exit())
    }
}
