//! `filterctl update`: rebuilds the system's filter from every list there is, when any of them has changed.
//!
//! Meant to run whenever a package adds word lists: files that are not lists are reported and skipped, and
//! nothing is done when nothing has changed. What is built stands in the section `[update]` of the
//! configuration, where the command line does not say otherwise; what the filter was built from is kept
//! beside it: see `record`. Every build has a new random key.

mod gather;
mod lost;
mod memory;
mod sources;
mod told;

use std::path::{Path, PathBuf};

use nearmiss_filters::{
    config::{DEFAULT_DICTIONARY, DEFAULT_PATH, FILTER_GROUP, UpdateRules},
    dictionary::{Build, build::Builder},
    format::{Header, Kind},
    hash::Key,
    storage::Access,
};

use self::{
    gather::{Gathered, gather},
    lost::{Earlier, Refused},
    memory::Memory,
    sources::{Fingerprint, Skipped, Source},
    told::{State, Update},
};
use crate::{
    access::{self, NewAccess},
    change::{Change, Target, now},
    configuration,
    exit::Exit,
    failure::{self, Failure, Outcome},
    input::{self, Expected, ListName, MaxText, WordList},
    inspect::Inspection,
    jobs::Jobs,
    output::{Output, make_folder},
    progress::Progress,
    record::{self, Record, UPDATE},
    sizing::Sizing,
    update_state::DroppedList,
};

const AFTER: &str = "\
What is built:
  The section [update] of nearmiss.conf says which lists and folders are taken, whether
  the built-in list comes first, and what is built of them: see nearmiss.conf(5). So a
  package that brings a list rebuilds the filter as it was. A flag wins over the section.

Lists:
  All files in the folders but symbolic links, READMEs, hidden files and backups. A
  file that cannot be read, is not a word list, or has more text than --max-text cannot
  be used; nor can a list, or a whole folder, that anyone but root may write. Put lists
  of your own into /usr/local/share/dict.

Who may read it:
  Root, and for the packaged filter the members of the group that the section names,
  nearmiss where there is such a system group. --group and --public win over it.

Lists that cannot be used:
  The filter loses no words unasked. Where a list or a folder that is named cannot be
  used, or a list of a folder that the filter was built from, the earlier filter stays;
  --drop-missing builds without it. Where there is no earlier filter, or a damaged one,
  the list is dropped: nobody could change a password. What the filter lacks is said at
  each update until the list can be used or is named no more. A list that is gone from
  its folder is no loss, and any other file that is no list is reported and left out.

The end of each update is kept in FILE.update: lists that the filter has and lacks, and
an update that failed, until one succeeds. filterctl config, doctor and metrics show it.

A filter that filterctl update did not build (one that was distributed, or made by
filterctl build) is left as it is; --force replaces it.

Exit status:
  0  the filter is up to date, was rebuilt, or was not built by this command
  1  the same, but the filter lacks a list, and --drop-missing is not given
  2  the configuration has a mistake, a list would be lost, or the build failed; the
     old filter is untouched

Examples:
  filterctl update
  filterctl update --drop-missing
  filterctl update --folder /srv/lists --output /var/lib/nearmiss-site/site.filter";

/// Rebuilds the system's filter when a word list has changed.
#[derive(clap::Args)]
#[command(after_long_help = AFTER)]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag")]
pub(crate) struct Args {
    /// The filter to write; an older one is replaced in one step.
    #[arg(short, long, value_name = "FILE", default_value = DEFAULT_DICTIONARY)]
    output: PathBuf,
    /// Read the section [update] of this file and its drop-ins.
    #[arg(long, value_name = "FILE", default_value = DEFAULT_PATH)]
    conf: PathBuf,
    /// Take the lists in this folder (several may be given) instead of the lists and folders of the
    /// configuration; without one these are /usr/share/dict and /usr/local/share/dict.
    #[arg(long = "folder", value_name = "DIR")]
    folders: Vec<PathBuf>,
    /// Leave the built-in list out.
    #[arg(long)]
    no_common: bool,
    /// Build even when nothing has changed, with a new key, and replace a filter that this command did not
    /// build.
    #[arg(long)]
    force: bool,
    /// Build without the lists that cannot be used, though the earlier filter has their words.
    #[arg(long)]
    drop_missing: bool,
    /// Do not use a list with more text than this, unpacked: a number of bytes, or with K, M, G or T behind
    /// it.
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
    /// Builds the filter, if need be, and remembers how that ended.
    ///
    /// # Errors
    /// A list would be lost, there is no list at all, or the filter cannot be written.
    pub(crate) fn run(&self) -> Outcome {
        let memory = Memory::of(&self.output);
        let done = self.update(&memory);
        if let Err(failure) = &done {
            memory.fail(failure);
        }
        let done = done?;
        if !done.dropped.is_empty() {
            lost::warn_of_dropped(&self.output, &done.dropped);
        }
        let is_whole = done.dropped.is_empty() || self.drop_missing;
        self.reporting.print(&done)?;
        Ok(if is_whole { Exit::Done } else { Exit::No })
    }

    fn update(&self, memory: &Memory<'_>) -> Result<Update, Failure> {
        let rules = self.rules()?;
        let gathered = gather(&rules, |path| self.is_own(path));
        let fingerprint = fingerprint(&rules, &gathered.sources);
        let (header, record) = (record::header_at(&self.output), Record::beside(&self.output));
        let earlier = Earlier::of(&memory.state(), record.as_ref());
        let access = self.access(&rules)?;
        match self.current(header.as_ref(), record.as_ref(), &access, &fingerprint) {
            Current::NotOurs => {
                self.warn_of_foreign_filter();
                memory.not_ours()?;
                let skipped = left_out(gathered, &[]);
                Ok(Update::unchanged(&self.output, State::NotOurs, skipped, Vec::new()))
            }
            Current::UpToDate(header, record) => {
                let is_source = |path: &str| gathered.sources.iter().any(|one| one.path == Path::new(path));
                let dropped = earlier.still_dropped(&gathered.refused, is_source);
                memory.up_to_date((header, record), &gathered.sources, &dropped)?;
                let skipped = left_out(gathered, &dropped);
                Ok(Update::unchanged(&self.output, State::UpToDate, skipped, dropped))
            }
            Current::Outdated => {
                let rebuild = Rebuild { rules: &rules, earlier: &earlier, memory, fingerprint, header };
                self.rebuild(rebuild, &access, gathered)
            }
        }
    }

    fn rebuild(
        &self,
        of: Rebuild<'_>,
        access: &NewAccess,
        mut gathered: Gathered,
    ) -> Result<Update, Failure> {
        let progress = self.reporting.progress();
        self.refuse_loss(of.earlier, &gathered.refused)?;
        let lists = self.usable(of.rules, &mut gathered, &progress);
        self.refuse_loss(of.earlier, &gathered.refused)?;
        let target = Target { act: "update", file: &self.output, counts: None, access };
        // A cache may be emptied, its folder included.
        make_folder(&self.output);
        let mut change = Change::begin(target, lists, &progress)?;
        of.memory.begin();
        let builder = self.fill(of.rules, target, &mut change)?;
        let names = change.names();
        let written = change.commit_after(builder, "updated", |new, pages| {
            let record = Record::new(UPDATE, (new, pages), names);
            record.with(of.fingerprint, of.header.as_ref()).write(&self.output)
        })?;
        let dropped = of.earlier.dropped(&gathered.refused);
        of.memory.rebuilt(&written, &gathered.sources, dropped.clone())?;
        configuration::warn_of_crowding(&self.output, &written.header, &self.conf);
        Ok(Update {
            file: self.output.display().to_string(),
            rebuilt: true,
            state: State::Rebuilt,
            facts: Some(written.facts()),
            lists: written.lists,
            skipped: left_out(gathered, &dropped),
            dropped,
        })
    }

    /// The earlier filter stays where it would lose a list, unless it is itself no filter that works.
    fn refuse_loss(&self, earlier: &Earlier, refused: &[Refused]) -> Result<(), Failure> {
        let lost = earlier.lost(refused);
        if self.drop_missing || lost.is_empty() || !self.works() {
            return Ok(());
        }
        Err(lost::failure(&self.output, &lost))
    }

    /// True where a filter is there and whole.
    fn works(&self) -> bool {
        Inspection::of(&self.output).is_ok_and(|inspection| inspection.is_intact())
    }

    /// What is built: what the configuration says, but for what the command line says.
    fn rules(&self) -> Result<UpdateRules, Failure> {
        let mut rules = configuration::update_rules(&self.conf)?;
        if !self.folders.is_empty() {
            (rules.folders, rules.lists) = (self.folders.clone(), Vec::new());
        }
        rules.common &= !self.no_common;
        rules.spec = self.sizing.spec_over(rules.spec);
        Ok(rules)
    }

    /// Who may read the filter: what the command line says, then what the configuration says of the packaged
    /// filter. So a filter that is gone comes back for the servers of the group, too.
    fn access(&self, rules: &UpdateRules) -> Result<NewAccess, Failure> {
        let is_packaged = self.output == Path::new(DEFAULT_DICTIONARY);
        let is_absent = rules.group == FILTER_GROUP && !access::is_system_group(FILTER_GROUP);
        if !is_packaged || is_absent {
            return Ok(self.access.clone());
        }
        match self.access.or_group(&rules.group) {
            Ok(access) => Ok(access),
            Err(reason) if self.works() => Err(Failure::plain(format!("[update] group: {reason}"))),
            Err(reason) => {
                failure::warn(&format!(
                    "[update] group: {reason}; without a filter nobody could change a \
                    password, so it is built for root alone"
                ));
                Ok(self.access.clone())
            }
        }
    }

    /// Whether the filter with this header is to be built.
    fn current<'a>(
        &self,
        header: Option<&'a Header>,
        record: Option<&'a Record>,
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

    /// True for what this command writes itself: in a folder of lists it would change them at every call.
    fn is_own(&self, list: &Path) -> bool {
        list == self.output || list == record::path_for(&self.output) || memory::is_own(&self.output, list)
    }

    /// True when the filter is whole, readable by those who shall read it, and built from what there is now.
    fn is_current(&self, record: &Record, access: &NewAccess, fingerprint: &str) -> bool {
        Access::of_replaced(&self.output) == Some(access.of(&self.output))
            && record.is_current(&self.output, fingerprint)
    }

    fn warn_of_foreign_filter(&self) {
        failure::warn(&format!(
            "{}: was not built by filterctl update, so it is left as it is; --force replaces it",
            self.output.display()
        ));
    }

    /// The built-in list, where it is wanted, and the gathered lists that can be used.
    fn usable(&self, rules: &UpdateRules, gathered: &mut Gathered, progress: &Progress) -> Vec<WordList> {
        let built_in = rules.common.then_some(ListName::BuiltIn);
        let built_in =
            built_in.and_then(|name| input::open(&[name], Expected::of(Kind::Words), progress).ok());
        let mut lists = built_in.unwrap_or_default();
        lists.extend(gathered.usable(rules, self.max_text, progress));
        lists
    }

    fn fill(
        &self,
        rules: &UpdateRules,
        target: Target<'_>,
        change: &mut Change<'_>,
    ) -> Result<Builder, Failure> {
        let key = Key::random().map_err(|e| Failure::plain(format!("cannot choose a key: {e}")))?;
        let (threads, created) = (self.jobs.threads(), now());
        let build = Build { threads, created, min_count: 1, ..Build::new(rules.spec, key) };
        let findings = change.survey(build.survey())?;
        let mut builder = build.builder(&findings).map_err(|e| target.failure(e))?;
        change.fill(&mut builder)?;
        Ok(builder)
    }
}

/// What there is before an update.
enum Current<'a> {
    /// No filter, or one that is to be built again.
    Outdated,
    /// The filter that would be built, with its header and its record.
    UpToDate(&'a Header, &'a Record),
    /// A filter of another command, or from elsewhere.
    NotOurs,
}

/// What a rebuild goes by.
struct Rebuild<'a> {
    rules: &'a UpdateRules,
    earlier: &'a Earlier,
    memory: &'a Memory<'a>,
    fingerprint: String,
    /// Of the filter that is replaced.
    header: Option<Header>,
}

/// What is left out, said on stderr but for what is said of all that is dropped.
fn left_out(gathered: Gathered, dropped: &[DroppedList]) -> Vec<Skipped> {
    let is_dropped = |one: &Refused| dropped.iter().any(|dropped| dropped.path == one.file);
    let refused = gathered.refused.into_iter().filter(|one| !is_dropped(one)).map(Refused::left_out);
    gathered.skipped.into_iter().chain(refused).collect()
}

/// Of what the lists are made into, and of the lists.
fn fingerprint(rules: &UpdateRules, lists: &[Source]) -> String {
    let UpdateRules { common, columns, spec, .. } = rules;
    let settings = format!("{} {spec:?} {common} {columns:?}", env!("CARGO_PKG_VERSION"));
    let mut fingerprint = Fingerprint::new(&settings);
    if rules.common {
        fingerprint.add_bytes(input::BUILT_IN);
    }
    for list in lists {
        fingerprint.add_list(list);
    }
    fingerprint.finish()
}
