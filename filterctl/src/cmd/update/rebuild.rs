//! The rebuild of the filter.

use nearmiss_cli::{
    access::NewAccess,
    clock::now,
    failure::Failure,
    input::{self, Expected, ListName, WordList},
    keys,
    progress::Progress,
};
use nearmiss_filters::{
    dictionary::{Build, builder::Builder},
    format::{Header, Kind},
    hash::Key,
    list::Forms,
    storage::Occupant,
    text::system_reason,
};
use nearmiss_policy::config::UpdateRules;

use super::{
    Args,
    gather::Gathered,
    lost::{self, LookedUp, PreviousFilter, left_out},
    memory::UpdateMemory,
    refused::RejectedList,
    report::{RebuildState, Update},
    sources::OpenList,
};
use crate::{
    configuration,
    filter_file::{
        change::{FilterChange, Target, Written},
        provenance::{Provenance, UPDATE},
        update_state::DroppedList,
    },
    flags::output::make_folder,
    report::lists::Tally,
};

/// The input of a rebuild.
pub(super) struct Rebuild<'a> {
    pub(super) rules: &'a UpdateRules,
    pub(super) earlier: &'a PreviousFilter,
    pub(super) memory: &'a UpdateMemory<'a>,
    pub(super) fingerprint: String,
    /// Of the filter that is replaced.
    pub(super) header: Option<Header>,
    /// That filter.
    pub(super) seen: Occupant,
}

impl Args {
    /// Builds the filter from the lists that can be used.
    ///
    /// # Errors
    /// A list would be lost, there is no list, or the filter cannot be written.
    pub(super) fn rebuild(
        &self,
        of: Rebuild<'_>,
        access: &NewAccess,
        mut gathered: Gathered,
    ) -> Result<Update, Failure> {
        let progress = self.reporting.progress();
        self.refuse_loss(of.earlier, &gathered.refused)?;
        let lists = self.usable(of.rules, &mut gathered, &progress);
        self.refuse_loss(of.earlier, &gathered.refused)?;
        let dropped = of.earlier.dropped(&gathered.refused);
        let built = self.build(of, access, (lists, &gathered.sources), dropped.clone(), &progress);
        // If nothing is built, the skipped lists may be the reason.
        let skipped = left_out(gathered, if built.is_ok() { &dropped } else { &[] });
        let written = built?;
        configuration::warn_of_crowding(&self.output, &written.header, &self.conf);
        Ok(Update {
            file: self.output.display().to_string(),
            rebuilt: true,
            state: RebuildState::Rebuilt,
            facts: Some(written.facts()),
            lists: written.lists.into_iter().map(Tally::without_words).collect(),
            skipped,
            dropped,
            exactly: Vec::new(),
        })
    }

    fn build(
        &self,
        of: Rebuild<'_>,
        access: &NewAccess,
        (lists, sources): (Vec<WordList>, &[OpenList]),
        dropped: Vec<DroppedList>,
        progress: &Progress,
    ) -> Result<Written, Failure> {
        let target = Target { act: "update", file: &self.output, counts: None, access };
        // A cache may be emptied, its folder included.
        make_folder(&self.output)?;
        let mut change = FilterChange::begin(target, lists, progress)?;
        change.expect(of.seen)?;
        of.memory.begin();
        let builder = self.survey_and_fill(&of, target, &mut change)?;
        let names = change.names();
        let written = change.commit_recorded(builder, "updated", |new, pages| {
            let record = Provenance::new(UPDATE, (new, pages), names);
            Some(record.with(of.fingerprint, of.header.as_ref()))
        })?;
        of.memory.rebuilt(&written, sources, dropped)?;
        Ok(written)
    }

    /// The earlier filter stays if it would lose a list, unless it does not work itself.
    fn refuse_loss(&self, earlier: &PreviousFilter, refused: &[RejectedList]) -> Result<(), Failure> {
        let lost = earlier.lost(refused);
        if self.drop_missing || lost.is_empty() || !self.works() {
            return Ok(());
        }
        Err(lost::failure(&self.output, &lost))
    }

    /// The earlier filter stays if a list has other words now, unless it does not work itself.
    fn refuse_others(&self, of: &Rebuild<'_>, change: &FilterChange<'_>) -> Result<(), Failure> {
        let kind = of.header.as_ref().map(|header| header.kind);
        if self.drop_missing
            || kind != Some(Kind::Words)
            || of.rules.spec.kind != Kind::Words
            || !self.works()
        {
            return Ok(());
        }
        let is_compared = |list: &&WordList| of.earlier.words_to_compare(list.name()).is_some();
        let samples = change.looked_up_in(&self.output, is_compared)?;
        let now = samples
            .into_iter()
            .map(|(name, words, (looked_up, found))| (name, words, LookedUp { words: looked_up, found }));
        let changed = of.earlier.changed(now);
        if changed.is_empty() { Ok(()) } else { Err(lost::changed_failure(&self.output, &changed)) }
    }

    /// The built-in lists, unless they are omitted, and the gathered lists that can be used.
    fn usable(&self, rules: &UpdateRules, gathered: &mut Gathered, progress: &Progress) -> Vec<WordList> {
        let built_in = if rules.common { self.part.built_in() } else { &[] };
        let names: Vec<_> = built_in.iter().copied().map(ListName::Embedded).collect();
        let mut lists = input::open(&names, &Expected::of(Kind::Words), progress).unwrap_or_default();
        lists.extend(gathered.usable(rules, self.max_text, progress));
        lists
    }

    fn survey_and_fill(
        &self,
        of: &Rebuild<'_>,
        target: Target<'_>,
        change: &mut FilterChange<'_>,
    ) -> Result<Builder, Failure> {
        let key = Key::random().map_err(|e| {
            Failure::plain(keys::OUT_OF_MEMORY, format!("cannot choose a key: {}", system_reason(&e)))
        })?;
        let (threads, created) = (self.jobs.threads(), now());
        let (forms, min_count) = (Forms::Plain, 1);
        let capacity = self.part.capacity();
        let build = Build { threads, created, min_count, forms, capacity, ..Build::new(of.rules.spec, key) };
        let findings = change.survey(&build)?;
        let shrunk = of.earlier.shrunk(change.accepted());
        if !self.drop_missing && !shrunk.is_empty() && self.works() {
            return Err(lost::shrunk_failure(&self.output, &shrunk));
        }
        self.refuse_others(of, change)?;
        let mut builder = build.builder(&findings).map_err(|e| target.failure(e))?;
        change.insert_lists(&mut builder)?;
        Ok(builder)
    }
}
