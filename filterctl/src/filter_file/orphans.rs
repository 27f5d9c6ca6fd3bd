//! What is beside a filter of the filter that was in its place: its counts, its ranks, and its updates.

use std::path::{Path, PathBuf};

use nearmiss_cli::{
    failure::{Failure, warn},
    keys, paths, shell,
};
use nearmiss_filters::{
    dictionary::ranks::{Ranks, RanksError, RanksProblem},
    format::Header,
    keys::Keyed,
    storage::{Place, with_ending},
};

use nearmiss_policy::config::PACKAGED;

use super::{file_kind::OtherKind, header::header_at, provenance::Provenance, update_state::UpdateState};

/// The counts that lie beside a filter: `FILTER.counts`, or the name of the filter with the ending `.counts`.
/// A list of words may have such a name, too.
pub(crate) fn counts_beside(filter: &Path) -> Option<PathBuf> {
    let names = [with_ending(filter, ".counts"), filter.with_extension("counts")];
    names.into_iter().find(|path| OtherKind::at(path) == Some(OtherKind::Counts))
}

/// Warns of counts that no longer match the filter, since it was replaced without them.
pub(crate) fn warn_of_counts(filter: &Path, written: Option<&Path>) {
    let Some(counts) = counts_beside(filter) else { return };
    if written.is_some_and(|written| paths::written(written) == paths::written(&counts)) {
        return;
    }
    let (counts, filter) = (counts.display(), filter.display());
    let message = format!("{counts}: no longer match {filter}, which was replaced without them; remove them");
    warn(keys::COUNTS_LEFT_BEHIND, &message);
}

/// Removes the ranks of a filter that was replaced by one without: they would order its suggestions wrongly,
/// or every use of it would warn of them.
pub(crate) fn remove_ranks(filter: &Path, header: &Header) {
    let filter = paths::absolute(filter);
    match Ranks::beside(&filter, &header.key) {
        Ok(Some(_)) | Err(RanksError::Ranks { problem: RanksProblem::OtherFilter, .. }) => {}
        _ => return,
    }
    if let Err(error) = Place::of(&Ranks::path_beside(&filter)).and_then(|place| place.remove()) {
        warn(error.key(), &error.to_string());
    }
}

/// Replaces a filter, with a warning if `filterctl update` kept the one that was in its place.
///
/// # Errors
/// The errors of `replace`.
pub(crate) fn outside_updates<T>(
    filter: &Path,
    replace: impl FnOnce() -> Result<T, Failure>,
) -> Result<T, Failure> {
    let was_updated = is_updated(filter);
    replace().inspect(|_| {
        if was_updated {
            warn_of_no_updates(filter);
        }
    })
}

/// True for a filter that `filterctl update` built, and builds again when its lists change.
fn is_updated(filter: &Path) -> bool {
    let Some(header) = header_at(filter) else { return false };
    let state = UpdateState::read(filter).ok().flatten();
    let record = Provenance::beside(filter);
    state.is_some_and(|state| state.rebuilt.is_some())
        || record.is_some_and(|record| record.is_updated(filter, &header))
}

/// Warns of a filter that replaced one that was kept up to date.
fn warn_of_no_updates(filter: &Path) {
    let file = filter.display();
    let is_packaged = PACKAGED.iter().any(|path| filter == Path::new(path));
    let output = if is_packaged { String::new() } else { format!(" --output {}", shell::quoted(filter)) };
    let message = format!(
        "{file}: filterctl update built the filter that is replaced, and will not change this one; filterctl \
         update --force{output} builds it from the configured lists again; for a filter beside it, name \
         another file with --output"
    );
    warn(keys::FILE_NOT_REPLACED, &message);
}
