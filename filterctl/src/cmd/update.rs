//! `filterctl update`: rebuilds the system's filter from all lists when any of them has changed.
//!
//! It runs whenever a package adds word lists: files that are not lists are reported and skipped, and nothing
//! is done if nothing has changed. The section `[update]` of the configuration and the command line, which
//! overrides it, specify the filter; the filter's sources are recorded beside it: see [`Provenance`]. Every
//! build has a new random key.

mod gather;
mod lost;
mod memory;
mod part;
mod readers;
mod rebuild;
mod refused;
mod report;
mod sources;

use std::path::{Path, PathBuf};

use nearmiss_cli::{
    access::NewAccess,
    exit::Exit,
    failure::{self, Failure, Outcome},
    input::MaxText,
    keys,
};
use nearmiss_filters::{
    format::Header,
    storage::{Access, Occupant},
};
use nearmiss_policy::config::{DEFAULT_DICTIONARY, DEFAULT_PATH, UpdateRules};

use self::{
    gather::{Gathered, gather},
    lost::{PreviousFilter, left_out},
    memory::UpdateMemory,
    part::Part,
    rebuild::Rebuild,
    report::{RebuildState, Update},
    sources::{Fingerprint, OpenList},
};
use crate::{
    configuration,
    filter_file::{
        header::header_at,
        inspect::Inspection,
        provenance::{self, Provenance},
        sizing::Sizing,
        watched::Watched,
    },
    flags::{jobs::Jobs, output::Output},
    host::settings_file::SettingsFile,
};

const AFTER: &str = "\
Specification:
  The section [update] of nearmiss.conf names the lists and folders, includes or omits the
  built-in list, and specifies the filter: see nearmiss.conf(5). A package that adds a
  list therefore rebuilds the filter with the same settings. Flags override the section.

Lists:
  Every file in the folders is used, except symbolic links, READMEs, hidden files and
  backups. A file cannot be used if it cannot be read, is not a word list, has more text
  than --max-text, or if anyone but root can write the file or its folder. Put your own
  lists into /usr/local/share/dict.

Read access:
  Root, and for the packaged filter the members of the group that the section names; by
  default the system group nearmiss, if it exists. --group and --public override this.

Lists that cannot be used:
  An update never loses words silently. The earlier filter stays in place if a named list
  or folder cannot be used, if a list of the earlier filter cannot be used, if a list has
  over 1 % fewer words than before, or if it lacks more than half of its earlier words: a
  sample of 1,000 is looked up in the earlier filter. --drop-missing builds without the
  list, or with the words that it still has. If there is no earlier filter, or it is
  damaged, the list is dropped, since without a filter no user could change a password.
  Each update reports the lists that the filter lacks until they can be used or are no
  longer named. A list that was removed from its folder counts as removed on purpose; any
  other file that is not a list is reported and skipped.

With --json, the result of each of the two filters is a line of JSON.

FILE.update records the result of each update: the lists that the filter has and lacks,
and a failed update, until one succeeds. filterctl config, doctor and metrics show it.

A filter that filterctl update did not build (a distributed one, or one from filterctl
build) is not changed; --force replaces it.

Exit status:
  0  the filter is up to date, was rebuilt, or was not built by this command
  1  as 0, but the filter lacks a list and --drop-missing is not given
  2  the configuration has a mistake, a list would be lost, or the build failed; the old
     filter is untouched

Examples:
  filterctl update
  filterctl update --drop-missing
  filterctl update --folder /srv/lists --output /var/lib/nearmiss-site/site.filter";

/// Rebuilds the system's filter when a word list has changed.
#[derive(Clone, clap::Args)]
#[command(after_long_help = AFTER)]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag")]
pub(crate) struct Args {
    /// The filter to write; an older one is replaced in one step.
    #[arg(short, long, value_name = "FILE", default_value = DEFAULT_DICTIONARY)]
    output: PathBuf,
    /// The second filter, for exact matches only: everyday words and names of many languages, further common
    /// passwords, and lists that are too long for near matches. Default: exact.filter beside the packaged
    /// filter, no second filter beside any other.
    #[arg(long, value_name = "FILE")]
    exact: Option<PathBuf>,
    /// The one of the two that is built.
    #[arg(skip)]
    part: Part,
    /// Read the section [update] of this file and its drop-ins.
    #[arg(long, value_name = "FILE", default_value = DEFAULT_PATH)]
    conf: PathBuf,
    /// Use the lists in this folder (several may be given) instead of the configured lists and folders, which
    /// are by default /usr/share/dict and /usr/local/share/dict.
    #[arg(long = "folder", value_name = "DIR")]
    folders: Vec<PathBuf>,
    /// Omit the built-in lists.
    #[arg(long)]
    no_common: bool,
    /// Build with a new key even if nothing has changed, and replace a filter that this command did not
    /// build.
    #[arg(long)]
    force: bool,
    /// Build although a list cannot be used, has over 1 % fewer words than before, or lacks more than half of
    /// its earlier words. The filter then lacks words that the earlier one has.
    #[arg(long)]
    drop_missing: bool,
    /// Do not use a list whose uncompressed text exceeds this size: bytes, optionally with K, M, G or T.
    #[arg(long, value_name = "SIZE", default_value = "4G", value_parser = MaxText::parse)]
    max_text: MaxText,
    #[command(flatten)]
    access: NewAccess,
    #[command(flatten)]
    sizing: Sizing,
    #[command(flatten)]
    jobs: Jobs,
    #[command(flatten)]
    reporting: Output,
}

impl Args {
    /// Builds the filters, if necessary, and records the result.
    ///
    /// # Errors
    /// A list would be lost, there is no list at all, or a filter cannot be written.
    pub(crate) fn run(&self) -> Outcome {
        let second = self.second();
        self.refuse_outputs(second.as_ref())?;
        let Some(second) = second else { return self.run_part() };
        // A list that the first filter would lose says nothing about the second, which may be damaged.
        let (first, second) = (self.run_part(), second.run_part());
        if let (Err(one), Err(other)) = (&first, &second) {
            if one.to_string() == other.to_string() {
                return first;
            }
        }
        let [first, second] = [first, second].map(|part| part.unwrap_or_else(|failure| failure.report()));
        Ok(if second == Exit::Error || first == Exit::Done { second } else { first })
    }

    fn run_part(&self) -> Outcome {
        let (memory, watched) = (UpdateMemory::of(&self.output), Watched::new(&self.output));
        let done = watched.told(self.update(&memory));
        if let Err(failure) = &done {
            memory.fail(failure);
        }
        let done = done?;
        if !done.dropped.is_empty() {
            lost::warn_of_dropped(&self.output, &done.dropped);
        }
        let is_whole = done.dropped.is_empty() || self.drop_missing;
        watched.told(self.reporting.print(&done))?;
        Ok(if is_whole { Exit::Done } else { Exit::No })
    }

    fn update(&self, memory: &UpdateMemory<'_>) -> Result<Update, Failure> {
        let rules = self.rules()?;
        let mut gathered = gather(&rules, |path| self.is_own(path));
        let (rules, long) = self.divide(rules, &mut gathered);
        let done = self.update_from(memory, &rules, gathered)?;
        Ok(Update { exactly: long.iter().map(|path| path.display().to_string()).collect(), ..done })
    }

    fn update_from(
        &self,
        memory: &UpdateMemory<'_>,
        rules: &UpdateRules,
        mut gathered: Gathered,
    ) -> Result<Update, Failure> {
        let fingerprint = fingerprint(rules, self.part, &gathered.sources);
        // What is decided here is said of this file alone: another one is not replaced.
        let seen = Occupant::of(&self.output).unwrap_or_default();
        let header = header_at(&self.output);
        let record = match Provenance::read(&self.output) {
            Ok(record) => record,
            // Whether this command built the filter is not known: it is neither replaced nor passed over.
            Err(error) if header.is_some() && !self.force => {
                return Err(Failure::new("cannot use the record of the filter", error));
            }
            Err(_) => None,
        };
        let earlier = PreviousFilter::of(&memory.state(), record.as_ref());
        if self.part == Part::Exact {
            earlier.leave_own(&mut gathered);
        }
        let access = self.access(rules)?;
        match self.current(header.as_ref(), record.as_ref(), &access, &fingerprint) {
            Current::NotOurs => {
                self.warn_of_foreign_filter();
                memory.not_ours()?;
                let skipped = left_out(gathered, &[]);
                Ok(Update::unchanged(&self.output, RebuildState::NotOurs, skipped, Vec::new()))
            }
            Current::UpToDate(header, record) => {
                let is_source = |path: &str| gathered.sources.iter().any(|one| one.path == Path::new(path));
                let dropped = earlier.still_dropped(&gathered.refused, is_source);
                memory.up_to_date((header, record), &gathered.sources, &dropped)?;
                let skipped = left_out(gathered, &dropped);
                Ok(Update::unchanged(&self.output, RebuildState::UpToDate, skipped, dropped))
            }
            Current::Outdated => {
                let rebuild = Rebuild { rules, earlier: &earlier, memory, fingerprint, header, seen };
                self.rebuild(rebuild, &access, gathered)
            }
        }
    }

    /// True where a filter is there and whole.
    fn works(&self) -> bool {
        Inspection::of(&self.output).is_ok_and(|inspection| inspection.is_intact())
    }

    /// The specification of the filter: the configuration's, overridden by the command line.
    fn rules(&self) -> Result<UpdateRules, Failure> {
        let mut rules = configuration::update_rules(&SettingsFile::of_host(&self.conf))?;
        if !self.folders.is_empty() {
            (rules.folders, rules.lists) = (self.folders.clone(), Vec::new());
        }
        rules.common &= !self.no_common;
        rules.spec = self.sizing.spec_over(rules.spec);
        Ok(rules)
    }

    /// Decides if the filter with this header must be built.
    fn current<'a>(
        &self,
        header: Option<&'a Header>,
        record: Option<&'a Provenance>,
        access: &NewAccess,
        fingerprint: &str,
    ) -> Current<'a> {
        let Some(header) = header.filter(|_| !self.force) else { return Current::Outdated };
        match record.filter(|record| record.is_updated(&self.output, header)) {
            None => Current::NotOurs,
            Some(record) if self.is_current(record, access, fingerprint) => Current::UpToDate(header, record),
            Some(_) => Current::Outdated,
        }
    }

    /// True for a file that this command itself writes: in a folder of lists it would change at every call.
    fn is_own(&self, list: &Path) -> bool {
        list == self.output
            || list == provenance::path_for(&self.output)
            || memory::is_own(&self.output, list)
    }

    /// True if the filter is intact, has the right read access, and was built from the present lists.
    fn is_current(&self, record: &Provenance, access: &NewAccess, fingerprint: &str) -> bool {
        Access::of_replaced(&self.output) == Some(access.of(&self.output))
            && record.is_current(&self.output, fingerprint)
    }

    fn warn_of_foreign_filter(&self) {
        failure::warn(
            keys::FILE_NOT_REPLACED,
            &format!(
                "{}: not built by filterctl update, and not changed; --force replaces it",
                self.output.display()
            ),
        );
    }
}

/// The state before an update.
enum Current<'a> {
    /// No filter, or one that is to be built again.
    Outdated,
    /// The filter that would be built, with its header and its record.
    UpToDate(&'a Header, &'a Provenance),
    /// A filter of another command, or from elsewhere.
    NotOurs,
}

/// The fingerprint of the specification and of the lists.
fn fingerprint(rules: &UpdateRules, part: Part, lists: &[OpenList]) -> String {
    let UpdateRules { common, columns, spec, .. } = rules;
    let settings = format!("{} {spec:?} {common} {columns:?}", env!("CARGO_PKG_VERSION"));
    let mut fingerprint = Fingerprint::new(&settings);
    if rules.common {
        for list in part.built_in() {
            fingerprint.add_bytes(list.stored);
        }
    }
    for list in lists {
        fingerprint.add_list(list);
    }
    fingerprint.finish()
}
