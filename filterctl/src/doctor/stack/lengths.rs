//! The least length that every module of a stack accepts.

use std::path::Path;

use super::{change::Trial, faults::Shown};
use crate::doctor::{
    copy::{self, CURRENT, Change, Request},
    probe, remedy,
};

/// The line that sets the least length of the check to that of the stack; none if no length is accepted.
pub(super) fn fix(trial: &Trial<'_>, shown: &Shown) -> Option<String> {
    let least = least(trial, shown)?;
    let folder = format!("{}.d", trial.subject.conf.display());
    let [folder, file] = [folder.clone(), format!("{folder}/70-min-length.conf")];
    let [folder, file] = [folder, file].map(|path| remedy::quoted(Path::new(&path)));
    Some(format!("mkdir -p {folder} && echo 'min_length = {least}' > {file}"))
}

fn least(trial: &Trial<'_>, shown: &Shown) -> Option<usize> {
    let shortest = trial.passwords.min_length.saturating_add(1);
    let random = probe::random(1, shortest).pop()?;
    let lengths = shortest..=random.len();
    let (actor, service) = shown.by.first()?;
    let change = |length: usize| {
        Some(Change {
            service: service.clone(),
            actor: *actor,
            is_known_user: true,
            is_fresh: true,
            current: CURRENT.to_owned(),
            rounds: vec![random.get(..length)?.to_owned()],
            gives_up: false,
        })
    };
    let changes: Vec<Change> = lengths.clone().filter_map(change).collect();
    let ends = copy::run(&Request { changes, ..Request::default() }).ok()?;
    lengths.zip(ends).find(|(_, end)| end.is_changed).map(|(length, _)| length)
}
