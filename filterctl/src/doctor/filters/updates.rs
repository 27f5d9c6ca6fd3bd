//! The result of a filter's last `filterctl update`: a failed rebuild keeps the earlier filter, and a rebuild
//! without a list loses words.

use std::path::{Path, PathBuf};

use nearmiss_cli::{finding::Finding, keys};
use nearmiss_filters::{
    keys::{LIST_EMPTY, MessageKey},
    storage::{Folder, StorageError, open_trusted},
};
use nearmiss_policy::config::{self, UpdateRules};

use crate::{
    doctor::{Subject, remedy, settings},
    filter_file::update_state::{FailedUpdate, UpdateState, path_for},
    host::state_file::StateError,
    report::counted,
};

const CHECK: &str = "update";

/// The most lists that are named.
const NAMED: usize = 10;

/// Reads the state beside the filter, which these rules build.
pub(super) fn examine(subject: &Subject, file: &Path, rules: &UpdateRules) -> Vec<Finding> {
    let path = file.display();
    let state = match UpdateState::read(file) {
        Ok(None) => return Vec::new(),
        Ok(Some(state)) => state,
        Err(StateError::Storage(error)) if error.is_denied() => {
            return vec![Finding::unjudged(&error, CHECK, error.to_string())];
        }
        Err(error) => {
            let of_mode = match &error {
                StateError::Storage(error) => remedy::of_storage(error),
                StateError::Unknown(_) => None,
            };
            let anew =
                || remedy::on_files("rm", [path_for(file).as_path()]) + " && " + &update(subject, file);
            let finding = Finding::warning(&error, CHECK, error.to_string());
            return vec![finding.fix(of_mode.unwrap_or_else(anew))];
        }
    };
    let mut findings = Vec::new();
    if let Some(failed) = &state.failed {
        let message = format!(
            "{path}: the last rebuild failed: {}; the earlier filter is still in place",
            failed.reason
        );
        let fix = of_failure(subject, file, rules, failed, &state);
        findings.push(Finding::warning(keys::UPDATE_FAILED, CHECK, message).fix(fix));
    }
    if !state.dropped.is_empty() {
        let lists = state.dropped.iter().take(NAMED);
        let lists: Vec<String> = lists.map(|list| format!("{} ({})", list.path, list.reason)).collect();
        let message = format!(
            "{path}: was built without {}: {}",
            counted(state.dropped.len() as u64, "list"),
            lists.join(", ")
        );
        let fix = of_dropped(subject, file, &state);
        findings.push(Finding::warning(keys::LIST_LOST, CHECK, message).fix(fix));
    }
    findings
}

/// The command after which a rebuild does not fail again for the same reason.
fn of_failure(
    subject: &Subject,
    file: &Path,
    rules: &UpdateRules,
    failed: &FailedUpdate,
    state: &UpdateState,
) -> String {
    let update = update(subject, file);
    let is_by = |key: MessageKey| failed.key.as_deref() == Some(key.as_str());
    if is_by(keys::ROOM_ON_DISK) {
        return remedy::on_files("df -h", file.parent());
    }
    if is_by(keys::UPDATE_GROUP) {
        return of_line(naming(&subject.conf, Path::new(&rules.group)), &subject.conf, &update);
    }
    if is_by(LIST_EMPTY) {
        return of_line(None, &subject.conf, &update);
    }
    if let Some(mistake) = settings::update(&subject.settings()).1.and_then(|finding| finding.fix) {
        return format!("{mistake} && {update}");
    }
    if !is_by(keys::LIST_LOST) {
        return update;
    }
    let known = state.lists.iter().map(|list| PathBuf::from(&list.path));
    let mut all = rules.lists.iter().chain(&rules.folders).cloned().chain(known);
    let is_gone =
        |path: &Path| config::LIST_FOLDERS.iter().any(|name| Path::new(name) == path) && !path.exists();
    let unusable = all.find_map(|path| Some((unusable(&path).filter(|_| !is_gone(&path))?, path)));
    match unusable {
        Some((error, path)) => of_list(subject, &path, Some(&error), &update),
        // Only its content is not as it was.
        None => format!("{update} --drop-missing"),
    }
}

/// The command for a list that the filter lacks: an update alone would lack it again.
fn of_dropped(subject: &Subject, file: &Path, state: &UpdateState) -> String {
    let update = update(subject, file);
    let first = state.dropped.first().map(|list| Path::new(&list.path));
    first.map_or_else(|| update.clone(), |list| of_list(subject, list, unusable(list).as_ref(), &update))
}

/// The command for a list, or a folder of lists, that cannot be used: with another mode it can be, or the
/// configuration names it no longer, or it has the suffix of a backup, which no update reads.
fn of_list(subject: &Subject, list: &Path, error: Option<&StorageError>, update: &str) -> String {
    if let Some(command) = error.and_then(remedy::of_storage) {
        return format!("{command} && {update}");
    }
    let quoted = remedy::quoted(list);
    match naming(&subject.conf, list) {
        Some(named) => of_line(Some(named), &subject.conf, update),
        None if list.exists() => format!("mv {quoted} {quoted}.bak && {update}"),
        None => format!("{update} --drop-missing"),
    }
}

/// The command for a setting: an editor at its line, or at the configuration.
fn of_line(named: Option<(PathBuf, usize)>, conf: &Path, update: &str) -> String {
    let edit = named.map_or_else(
        || remedy::on_files("vi", [conf]),
        |(file, line)| format!("vi +{line} {}", remedy::quoted(&file)),
    );
    format!("{edit} && {update}")
}

/// The reason why a list, or a folder of lists, cannot be opened.
fn unusable(list: &Path) -> Option<StorageError> {
    if list.is_dir() { Folder::open_trusted(list).err() } else { open_trusted(list).err() }
}

/// The file of the configuration that names a list, and the number of the line.
fn naming(conf: &Path, list: &Path) -> Option<(PathBuf, usize)> {
    let name = format!("\"{}\"", list.display());
    let at = |text: &[u8]| {
        let text = String::from_utf8_lossy(text);
        let found = text.lines().position(|line| !line.trim_start().starts_with('#') && line.contains(&name));
        found.map(|at| at.saturating_add(1))
    };
    config::files(conf).ok()?.into_iter().find_map(|(file, text)| Some((file, at(&text)?)))
}

/// The command that builds a filter again.
fn update(subject: &Subject, file: &Path) -> String {
    let root = &subject.conf_root;
    let output = if remedy::is_packaged(root, file) {
        String::new()
    } else {
        // The command runs within that system.
        let inside = Path::new("/").join(file.strip_prefix(root).unwrap_or(file));
        format!(" --output {}", remedy::quoted(&inside))
    };
    subject.command(&format!("update{output}"))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::doctor::sample;

    /// An update alone would fail again.
    #[test]
    fn a_failure_that_a_setting_causes_is_fixed_at_its_line() {
        let folder = tempfile::tempdir().unwrap();
        let conf = folder.path().join("site.conf");
        let drop_ins = folder.path().join("site.conf.d");
        fs::create_dir(&drop_ins).unwrap();
        let drop_in = drop_ins.join("a.conf");
        let subject = Subject { conf: conf.clone(), ..sample::subject(Path::new("/")) };
        let file = Path::new(config::DEFAULT_DICTIONARY);
        let fix = |text: &str, key: MessageKey| {
            fs::write(&conf, "# nothing\n").unwrap();
            fs::write(&drop_in, text).unwrap();
            let rules = UpdateRules::load(&conf).unwrap_or_default();
            let key = Some(key.as_str().to_owned());
            let failed = FailedUpdate { at: 1, reason: "the reason".to_owned(), key };
            of_failure(&subject, file, &rules, &failed, &UpdateState::default())
        };
        let (main, second) = (conf.display(), format!("vi +2 {}", drop_in.display()));
        let update = format!("filterctl update --conf {main}");
        let of_group = fix("[update]\ngroup = \"nosuch\"\n", keys::UPDATE_GROUP);
        assert_eq!(of_group, format!("{second} && {update}"));
        let of_mistake =
            fix("[update]\nmatch = \"exactly\"\n", nearmiss_filters::keys::CONFIGURATION_MISTAKE);
        assert_eq!(of_mistake, format!("{second} && {update}"));
        let of_nothing = fix("[update]\ncommon = false\nfolders = []\n", LIST_EMPTY);
        assert_eq!(of_nothing, format!("vi {main} && {update}"));
        assert_eq!(fix("", keys::FILTER_LACKS_COMMON), update);
    }
}
