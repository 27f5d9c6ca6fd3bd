//! `filterctl update`: rebuilds the system's filter from every list there is, when any of them has changed.
//!
//! Meant to run whenever a package adds word lists: files that are not lists are reported and skipped, and
//! nothing is done when nothing has changed. What is built stands in the section `[update]` of the
//! configuration, where the command line does not say otherwise; what the filter was built from is kept
//! beside it: see `record`. Every build has a new random key.

mod gather;
mod sources;

use std::{
    io::{self, Write},
    path::{Path, PathBuf},
};

use nearmiss_filters::{
    config::{DEFAULT_DICTIONARY, DEFAULT_PATH, UpdateRules},
    dictionary::{Build, build::Builder},
    format::{Header, Kind},
    hash::Key,
    storage::Access,
};
use serde::Serialize;

use self::{
    gather::{Gathered, gather},
    sources::{Fingerprint, Skipped, Source},
};
use crate::{
    access::NewAccess,
    change::{Change, Target, now},
    configuration,
    failure::{self, Failure, Outcome, printable},
    input::{self, Expected, ListName, MaxText, WordList},
    jobs::Jobs,
    output::{Output, make_folder},
    progress::Progress,
    record::{self, Record, UPDATE},
    report::{Report, header::Facts, lists::Tally},
    sizing::Sizing,
};

const AFTER: &str = "\
What is built:
  The section [update] of nearmiss.conf says which lists and folders are taken, whether
  the built-in list comes first, and what is built of them: see nearmiss.conf(5). So a
  package that brings a list rebuilds the filter as it was. A flag wins over the section.

Lists:
  All files in the folders but symbolic links, READMEs, hidden files and backups. A
  file that cannot be read, is not a word list, or has more text than --max-text is
  reported and left out; so is a list, or a whole folder, that anyone but root may
  write. Put lists of your own into /usr/local/share/dict.

A filter that filterctl update did not build (one that was distributed, or made by
filterctl build) is left as it is; --force replaces it.

Exit status:
  0  the filter is up to date, was rebuilt, or was not built by this command
  2  the configuration has a mistake, or the build failed; the old filter is untouched

Examples:
  filterctl update
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
    /// Leave out a list with more text than this, unpacked: a number of bytes, or with K, M, G or T behind
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
    /// Builds the filter, if need be.
    ///
    /// # Errors
    /// There is no list at all, or the filter cannot be written.
    pub(crate) fn run(&self) -> Outcome {
        let rules = self.rules()?;
        let mut gathered = gather(&rules, |path| self.is_own(path));
        let fingerprint = fingerprint(&rules, &gathered.sources);
        let header = record::header_at(&self.output);
        let state = self.state(header.as_ref(), &fingerprint);
        if state == State::NotOurs {
            self.warn_of_foreign_filter();
        }
        if state != State::Rebuilt {
            return self.reporting.print(&Update::unchanged(&self.output, state, gathered.skipped));
        }
        let progress = self.reporting.progress();
        let lists = self.usable(&rules, &mut gathered, &progress);
        let target = Target { act: "update", file: &self.output, counts: None, access: &self.access };
        // A cache may be emptied, its folder included.
        make_folder(&self.output);
        let mut change = Change::begin(target, lists, &progress)?;
        let builder = self.fill(&rules, target, &mut change)?;
        let names = change.names();
        let written = change.commit_after(builder, "updated", |new, pages| {
            let record = Record::new(UPDATE, (new, pages), names);
            record.with(fingerprint, header.as_ref()).write(&self.output)
        })?;
        let (file, facts) = (self.output.display().to_string(), Some(written.facts()));
        self.reporting.print(&Update {
            file,
            rebuilt: true,
            state,
            facts,
            lists: written.lists,
            skipped: gathered.skipped,
        })
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

    /// What is to become of the filter with this header.
    fn state(&self, header: Option<&Header>, fingerprint: &str) -> State {
        let Some(header) = header.filter(|_| !self.force) else { return State::Rebuilt };
        match Record::beside(&self.output).filter(|record| record.is_updated(&self.output, header)) {
            None => State::NotOurs,
            Some(record) if self.is_current(&record, fingerprint) => State::UpToDate,
            Some(_) => State::Rebuilt,
        }
    }

    /// True for what this command writes itself: in a folder of lists it would change them at every call.
    fn is_own(&self, list: &Path) -> bool {
        list == self.output || list == record::path_for(&self.output)
    }

    /// True when the filter is whole, readable by those who shall read it, and built from what there is now.
    fn is_current(&self, record: &Record, fingerprint: &str) -> bool {
        Access::of_replaced(&self.output) == Some(self.access.of(&self.output))
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
        lists.extend(
            gathered.usable(Expected { most: self.max_text, ..Expected::of(rules.spec.kind) }, progress),
        );
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

/// Of what the lists are made into, and of the lists.
fn fingerprint(rules: &UpdateRules, lists: &[Source]) -> String {
    let settings = format!("{} {:?} {}", env!("CARGO_PKG_VERSION"), rules.spec, rules.common);
    let mut fingerprint = Fingerprint::new(&settings);
    if rules.common {
        fingerprint.add_bytes(input::BUILT_IN);
    }
    for list in lists {
        fingerprint.add_list(list);
    }
    fingerprint.finish()
}

/// What became of the filter.
#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum State {
    /// It was built.
    Rebuilt,
    /// Nothing has changed.
    UpToDate,
    /// It was built by another command, or elsewhere, and stays.
    NotOurs,
}

/// What was done.
#[derive(Serialize)]
struct Update {
    file: String,
    rebuilt: bool,
    state: State,
    #[serde(flatten)]
    facts: Option<Facts>,
    lists: Vec<Tally>,
    skipped: Vec<Skipped>,
}

impl Update {
    fn unchanged(file: &Path, state: State, skipped: Vec<Skipped>) -> Update {
        Update {
            file: file.display().to_string(),
            rebuilt: false,
            state,
            facts: None,
            lists: Vec::new(),
            skipped,
        }
    }
}

impl Report for Update {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        let file = printable(&self.file);
        let Some(facts) = &self.facts else {
            let state = if self.state == State::UpToDate { "up to date" } else { "left as it is" };
            return writeln!(out, "{file}: {state}");
        };
        writeln!(out, "{file}")?;
        facts.write_text(out)?;
        self.lists.iter().try_for_each(|list| list.write_text(out))?;
        self.skipped.iter().try_for_each(|skipped| {
            writeln!(out, "  left out {}: {}", printable(&skipped.file), printable(&skipped.reason))
        })
    }
}
