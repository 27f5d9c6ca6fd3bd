//! The command for a part of the check that cannot be used: a filter, a ladder, the fleet's agent.

use std::path::Path;

use nearmiss_cli::keys;
use nearmiss_filters::{
    dictionary::{DictionaryFilter, Loading, Problem},
    ladder::{ChosenLadder, FleetLadder, GuessLadder, LadderError, LadderFiles, SeenFailures},
    storage::{Act, StorageError},
};
use nearmiss_policy::{
    config::Config,
    site::{Cause, Site, Trouble, Unusable},
};

use super::{Subject, remedy};
use crate::{
    breaches,
    filter_file::replaceable::FileKind,
    host::fleet_agent::{self, NoReport},
};

/// The fix for a part of the check without which no password is accepted.
pub(super) fn of_refusal(subject: &Subject, config: &Config) -> Option<String> {
    let site = Site::new(config.clone());
    let mut refusing = site.unusable().into_iter().filter(|part| !part.is_allowed);
    refusing.find_map(|part| fix(subject, config, &part, 0))
}

/// The filter that cannot be used; the cause may be a folder on its path, and on that of `earlier` ones.
pub(super) fn named<'c>(config: &'c Config, unusable: &Unusable, earlier: usize) -> Option<&'c Path> {
    let place = unusable.detail.split(": ").next().filter(|_| unusable.cause == Cause::Filter)?;
    let mut files = config.dictionaries.iter().map(|rule| rule.file.as_path());
    files.clone().filter(|file| file.starts_with(place)).nth(earlier).or_else(|| {
        // What a link leads to has another path.
        files.find(|file| of_storage(file).is_some_and(|error| error.path == Path::new(place)))
    })
}

/// The command for a part of the check that cannot be used, of which so many `earlier` ones have the same
/// reason.
pub(super) fn fix(subject: &Subject, config: &Config, unusable: &Unusable, earlier: usize) -> Option<String> {
    if is_agent_hung(config, unusable) {
        return Some(remedy::RESTART_AGENT.to_owned());
    }
    match unusable.cause {
        // The filter is whole: the settings demand what it is not made for.
        Cause::Filter if unusable.key == keys::FILTER_MATCH => Some(subject.changed_settings()),
        Cause::Filter => {
            let file = named(config, unusable, earlier)?;
            breaches::remedy(&subject.root, file).or_else(|| Some(of_filter(&subject.conf_root, file)))
        }
        Cause::Ladder if unusable.is_of_fleet => Some(of_fleet(subject, config, unusable)),
        Cause::Ladder => {
            let error = ChosenLadder::open(&config.ladder).err();
            Some(of_ladder(subject, unusable, error.as_ref(), &config.ladder, "ladder init --fix"))
        }
        Cause::Guesses => {
            let files = config.guess_files();
            // The part is the ladder, or the record of the failures that feed it.
            let seen = || SeenFailures::open(&config.guesses.seen).err();
            let error = GuessLadder::open(&files).err().or_else(seen);
            Some(of_ladder(subject, unusable, error.as_ref(), &files, "ladder init --guessed --fix"))
        }
        Cause::Configuration | Cause::Fault => None,
    }
}

/// The fix for a ladder, by the error that it has now. A failure of the system that is over needs none.
fn of_ladder(
    subject: &Subject,
    unusable: &Unusable,
    error: Option<&LadderError>,
    files: &LadderFiles,
    anew: &str,
) -> String {
    let anew = subject.command(anew);
    match error {
        Some(error) => remedy::of_ladder(&subject.conf_root, error, files, anew),
        None if unusable.trouble == Trouble::System => remedy::AGAIN.to_owned(),
        None => anew,
    }
}

/// The same for a ladder of a fleet: several descriptors may have faults, this part is about one.
fn of_fleet(subject: &Subject, config: &Config, unusable: &Unusable) -> String {
    let error_of = |file| FleetLadder::open(file).err().map(|error| (file, error));
    let mut failed = config.fleet.descriptors().filter_map(error_of);
    match failed.find(|(_, error)| error.to_string() == unusable.detail) {
        Some((file, error)) => remedy::of_fleet(
            &subject.conf_root,
            &error,
            file,
            remedy::join(subject, config, file, " --replace"),
        ),
        None if unusable.trouble == Trouble::System => remedy::AGAIN.to_owned(),
        None => remedy::join(subject, config, Path::new(""), " --replace"),
    }
}

/// True if the part is the agent's socket, and nobody replies on it.
fn is_agent_hung(config: &Config, unusable: &Unusable) -> bool {
    let socket = &config.fleet.socket;
    unusable.detail.starts_with(&format!("{}:", socket.display()))
        && matches!(fleet_agent::ask(socket, None), Err(NoReport::Hung(_)))
}

/// The fix for a file with the wrong owner or mode, which keeps its content.
fn of_filter(root: &Path, file: &Path) -> String {
    let anew = || remedy::of_filter(root, file);
    let aside = || {
        let aside = format!("{}.aside", file.display());
        remedy::on_files("mv", [file, Path::new(&aside)]) + " && " + &anew()
    };
    match of_storage(file) {
        // No command replaces what is no file, or a file of another kind.
        Some(error) if matches!(error.act, Act::NotRegular | Act::DanglingLink) && error.path == file => {
            aside()
        }
        Some(error) => remedy::of_storage(&error).unwrap_or_else(anew),
        None if FileKind::Filter.refuse_others(file).is_err() => aside(),
        None => anew(),
    }
}

/// The reason why the walk to a filter ends.
fn of_storage(file: &Path) -> Option<StorageError> {
    match DictionaryFilter::open(file, Loading::Mapped).map_err(|error| error.problem) {
        Err(Problem::Storage(error)) => Some(error),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::{
        fs::{self, Permissions},
        os::unix::fs::PermissionsExt,
    };

    use super::*;
    use crate::doctor::sample;

    fn subject() -> Subject {
        sample::subject(Path::new("/nonexistent"))
    }

    /// What keeps users from a change is fixed where it is, not at the line of the stack that refuses.
    #[test]
    fn the_part_that_refuses_every_password_has_its_fix() {
        let folder = tempfile::tempdir().unwrap();
        let filter = folder.path().join("own.filter");
        let path = filter.to_str().unwrap();
        fs::write(&filter, b"\x89NMF\r\n\x1a\n damaged").unwrap();
        let fix = |settings: &str| of_refusal(&subject(), &sample::config(settings, &[filter.as_path()]));
        assert_eq!(fix(""), Some(format!("filterctl install NEW.filter {path}")));
        fs::set_permissions(&filter, Permissions::from_mode(0o666)).unwrap();
        assert_eq!(fix(""), Some(format!("chmod go-w {path}")));
        assert_eq!(fix("on_error = \"allow\""), None);
        assert_eq!(of_refusal(&subject(), &sample::config("", &[])), None);
    }

    #[test]
    fn a_fix_is_one_that_the_command_does() {
        let folder = tempfile::tempdir().unwrap();
        let filter = folder.path().join("own.filter");
        let path = filter.to_str().unwrap();
        fs::write(&filter, [&b"NMLADDER"[..], &[0; 4096]].concat()).unwrap();
        fs::set_permissions(&filter, Permissions::from_mode(0o600)).unwrap();
        let config = sample::config("", &[filter.as_path()]);
        let fix = |key| {
            let (cause, detail) = (Cause::Filter, path.to_owned());
            fix(&subject(), &config, &Unusable { cause, detail, key, ..Unusable::fault() }, 0).unwrap()
        };
        // No filter replaces a ladder.
        assert_eq!(
            fix(keys::FILTER_DAMAGED),
            format!("mv {path} {path}.aside && filterctl install NEW.filter {path}")
        );
        // A filter of exact words stays one, however often it is built.
        assert_eq!(fix(keys::FILTER_MATCH), subject().changed_settings());
    }

    /// A file with only the wrong mode is not recreated, since that would lose its content.
    #[test]
    fn a_file_that_others_may_write_is_closed_to_them_and_kept() {
        let folder = tempfile::tempdir().unwrap();
        let [filter, ladder] = ["own.filter", "chosen.ladder"].map(|name| folder.path().join(name));
        for file in [&filter, &ladder] {
            fs::write(file, [0; 4096]).unwrap();
            fs::set_permissions(file, Permissions::from_mode(0o666)).unwrap();
        }
        let mut config = sample::config("", &[filter.as_path()]);
        config.ladder.file.clone_from(&ladder);
        config.ladder.key.clone_from(&ladder);
        config.guesses.file.clone_from(&ladder);
        for (cause, file) in [(Cause::Filter, &filter), (Cause::Ladder, &ladder), (Cause::Guesses, &ladder)] {
            let path = file.display().to_string();
            let (detail, key) = (path.clone(), keys::FILTER_DAMAGED);
            let unusable = Unusable { cause, trouble: Trouble::Damaged, detail, key, ..Unusable::fault() };
            let command = if cause == Cause::Filter { "chmod go-w" } else { "chmod 0600" };
            assert_eq!(fix(&subject(), &config, &unusable, 0), Some(format!("{command} {path}")));
        }
    }
}
