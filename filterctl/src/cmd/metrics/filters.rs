//! The filters, page by page, and the results of the last `filterctl update` and weekly verification.

use std::{
    fs,
    path::{Path, PathBuf},
    time::{SystemTime, UNIX_EPOCH},
};

use nearmiss_cli::clock::{now, seconds_since};
use nearmiss_policy::{
    config::{self, Config},
    site::{Cause, Site},
};

use crate::filter_file::{inspect::Inspection, update_state::UpdateState, verify_state::VerifyState};
use crate::{
    host::{state_file::DEFAULT_VERIFIED, user::is_unseen},
    report::family::Family,
};

/// The families of the filters that are configured.
pub(super) fn families(config: Option<&Config>, root: &Path) -> Vec<Family> {
    let files: Vec<PathBuf> =
        config.iter().flat_map(|config| &config.dictionaries).map(|rule| rule.file.clone()).collect();
    let found: Vec<(&Path, Option<Inspection>)> = files
        .iter()
        .filter_map(|file| match Inspection::of(file) {
            Err(failure) if is_unseen(&failure) => None,
            inspection => Some((file.as_path(), inspection.ok())),
        })
        .collect();
    let mut families = vec![parts(config, &found)];
    families.extend(of_files(&found));
    families.extend(of_updates(&files));
    families.extend(verified(root));
    families
}

/// The filters that cannot be opened, or have damaged pages; unknown where a part is not this user's to see.
fn parts(config: Option<&Config>, found: &[(&Path, Option<Inspection>)]) -> Family {
    let mut family =
        Family::new("nearmiss_unusable_parts", "Filters and ladders that cannot be used, or only in part.");
    if let Some(config) = config {
        let unusable = Site::new(config.clone()).unusable();
        if unusable.iter().any(is_unseen) {
            return family;
        }
        let is_told = |file: &Path| {
            let name = file.display().to_string();
            unusable.iter().any(|part| part.cause == Cause::Filter && part.detail.starts_with(&name))
        };
        let is_damaged = |inspection: &Option<Inspection>| {
            inspection.as_ref().is_some_and(|inspection| inspection.pages.damaged > 0)
        };
        let damaged = found.iter().filter(|(file, inspection)| is_damaged(inspection) && !is_told(file));
        family.add(&[], unusable.len().saturating_add(damaged.count()));
    }
    family
}

fn of_files(found: &[(&Path, Option<Inspection>)]) -> Vec<Family> {
    let mut intact = Family::new("nearmiss_filter_intact", "Whether the filter exists and is intact.");
    let mut pages = Family::new("nearmiss_filter_pages", "Pages of the filter.");
    let mut damaged = Family::new("nearmiss_filter_damaged_pages", "Pages with a wrong checksum.");
    let mut age = Family::new(
        "nearmiss_filter_age_seconds",
        "Time since the filter was written; negative for a time in the future.",
    );
    let mut words = Family::new("nearmiss_filter_words", "Words or digests in the filter.");
    let mut rate =
        Family::new("nearmiss_filter_stated_rate", "The stated false rejection rate of the filter.");
    for (file, inspection) in found {
        intact.add_of(file, inspection.as_ref().is_some_and(Inspection::is_intact));
        let Some(inspection) = inspection else { continue };
        age.add_of(file, seconds_since(modified(file), now()));
        let Some(header) = &inspection.header else { continue };
        pages.add_of(file, inspection.pages.read);
        damaged.add_of(file, inspection.pages.damaged);
        words.add_of(file, header.words);
        rate.add_of(file, header.stated.false_rejection);
    }
    vec![intact, pages, damaged, age, words, rate]
}

fn of_updates(files: &[PathBuf]) -> Vec<Family> {
    let mut known = Family::new(
        "nearmiss_update_state_readable",
        "Whether the result of the last filterctl update can be read; no sample if there is none.",
    );
    let mut rebuilt = Family::new(
        "nearmiss_update_success_timestamp_seconds",
        "Time at which filterctl update last rebuilt the filter.",
    );
    let mut failed =
        Family::new("nearmiss_update_failed", "Whether the last attempt to rebuild the filter failed.");
    let mut failure = Family::new(
        "nearmiss_update_failure_timestamp_seconds",
        "Time of the last attempt to rebuild the filter that failed.",
    );
    let mut lists = Family::new("nearmiss_update_lists", "Lists that the filter was built from.");
    let mut dropped = Family::new(
        "nearmiss_update_dropped_lists",
        "Lists that the filter lacks because they cannot be used.",
    );
    let mut changed = Family::new(
        "nearmiss_update_list_timestamp_seconds",
        "Time at which a list of the filter was last changed.",
    );
    for file in files {
        let state = match UpdateState::read(file) {
            Ok(None) => continue,
            Ok(Some(state)) => state,
            Err(error) if is_unseen(&error) => continue,
            Err(_) => {
                known.add_of(file, false);
                continue;
            }
        };
        known.add_of(file, true);
        if let Some(at) = state.rebuilt {
            rebuilt.add_of(file, at);
        }
        failed.add_of(file, state.failed.is_some());
        if let Some(attempt) = &state.failed {
            failure.add_of(file, attempt.at);
        }
        lists.add_of(file, state.lists.len());
        dropped.add_of(file, state.dropped.len());
        let name = file.display().to_string();
        for list in &state.lists {
            if let Some(at) = list.modified {
                changed.add(&[("file", &name), ("list", &list.path)], at);
            }
        }
    }
    vec![known, rebuilt, failed, failure, lists, dropped, changed]
}

fn verified(root: &Path) -> [Family; 2] {
    let mut at = Family::new(
        "nearmiss_verify_timestamp_seconds",
        "Time of the last verification by nearmiss-verify.timer.",
    );
    let mut problems = Family::new(
        "nearmiss_verify_problems",
        "Filters that were damaged at the last verification and have not been replaced since.",
    );
    let file = config::at(root, DEFAULT_VERIFIED.as_ref());
    if let Ok(Some(state)) = VerifyState::read(&file) {
        let damaged = state.filters.iter().filter(|filter| filter.problem.is_some() && filter.is_current());
        at.add(&[], state.at);
        problems.add(&[], damaged.count());
    }
    [at, problems]
}

/// The time of a file's last write, in seconds since 1970.
fn modified(file: &Path) -> u64 {
    let modified =
        fs::metadata(file).and_then(|metadata| metadata.modified()).unwrap_or(SystemTime::UNIX_EPOCH);
    modified.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}
