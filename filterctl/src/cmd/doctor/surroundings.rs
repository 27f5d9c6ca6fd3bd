//! What lies around the files: copies that reveal them, how old the filter is, and what builds it again.

use std::{
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use nearmiss_filters::{
    config::{Config, DEFAULT_DICTIONARY},
    ladder::LadderFiles,
};

use super::{Finding, State};
use crate::record::{self, Record};

/// Where copies of files are put, and how many folders deep they are looked for.
const KEEPER: (&str, u32) = ("var/backups", 2);

/// Repositories of what is in `/etc`, and the files that say what they leave out.
const REPOSITORIES: [(&str, &str); 2] = [("etc/.git", "etc/.gitignore"), ("etc/.bzr", "etc/.bzrignore")];

/// What builds the filter when the system starts without it.
const UNIT: &str = "nearmiss-filter.service";

/// Where units are, those of the administrator first.
const UNIT_FOLDERS: [&str; 2] = ["etc/systemd/system", "usr/lib/systemd/system"];

/// A filter that was built longer ago than this.
const OLD: Duration = Duration::from_secs(400 * 86_400);

/// Looks for copies of ladder and key below `root`, at the age of the filters, and at the unit.
pub(super) fn examine(config: &Config, root: &Path) -> Vec<Finding> {
    let mut findings = vec![copies(&config.ladder, root)];
    findings.extend(config.dictionaries.iter().map(|rule| age(&rule.file)));
    if config.dictionaries.iter().any(|rule| rule.file == Path::new(DEFAULT_DICTIONARY)) {
        findings.extend(unit(root));
    }
    findings
}

/// etckeeper puts the key into a repository, a backup both files into one folder.
fn copies(files: &LadderFiles, root: &Path) -> Finding {
    let check = "copies";
    let names: Vec<&str> = [&files.key, &files.file]
        .iter()
        .filter_map(|path| path.file_name().and_then(OsStr::to_str))
        .collect();
    let (keeper, depth) = KEEPER;
    let mut found = Vec::new();
    named(&root.join(keeper), &names, depth, &mut found);
    for (repository, ignored) in REPOSITORIES {
        let repository = root.join(repository);
        if files.key.starts_with("/etc")
            && repository.exists()
            && !is_ignored(&files.key, &root.join(ignored))
        {
            found.push(repository);
        }
    }
    if found.is_empty() {
        return Finding::fine(check, "none of ladder or key in the usual places of backups");
    }
    let found: Vec<String> = found.iter().map(|path| path.display().to_string()).collect();
    let found = found.join(", ");
    let told = format!(
        "{found}: may hold copies of ladder or key; two copies of the ladder and the key show what was \
         chosen in between: exclude them (for etckeeper, in /etc/.gitignore) and destroy the copies"
    );
    Finding::new(check, State::Warning, told)
}

/// What has one of these names, and perhaps a date or an ending beside it, in a folder and so many levels of
/// those in it.
fn named(folder: &Path, names: &[&str], depth: u32, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let own = entry.file_name().to_string_lossy().into_owned();
        if names.iter().any(|name| own.contains(name)) {
            found.push(entry.path());
        } else if depth > 0 && entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            named(&entry.path(), names, depth.saturating_sub(1), found);
        }
    }
}

/// True when this file of a repository names the key's folder or the key.
fn is_ignored(key: &Path, ignored: &Path) -> bool {
    let text = fs::read_to_string(ignored).unwrap_or_default();
    let names = key.ancestors().filter_map(Path::file_name).map(|name| name.to_string_lossy().into_owned());
    let names: Vec<String> = names.filter(|name| name != "etc").collect();
    text.lines().any(|line| names.iter().any(|name| line.trim().trim_matches('/').ends_with(name.as_str())))
}

/// Whether an emptied `/var/cache` is filled again when the system starts; none where systemd does not run.
fn unit(root: &Path) -> Option<Finding> {
    if !root.join("run/systemd/system").exists() {
        return None;
    }
    let folders = UNIT_FOLDERS.map(|folder| root.join(folder));
    let is_masked = fs::read_link(folders.first()?.join(UNIT)).is_ok_and(|to| to == Path::new("/dev/null"));
    let is_wanted =
        |folder: &PathBuf| fs::read_link(folder.join("multi-user.target.wants").join(UNIT)).is_ok();
    if !is_masked && folders.iter().any(is_wanted) {
        return Some(Finding::fine(
            "unit",
            format!("{UNIT} builds the filter where the system starts without it"),
        ));
    }
    let told = format!(
        "{UNIT} is not enabled: where /var/cache is emptied, users cannot change passwords until filterctl \
         update is run; systemctl enable {UNIT}"
    );
    Some(Finding::new("unit", State::Warning, told))
}

/// How long ago a filter was built, and by what.
fn age(file: &Path) -> Finding {
    let check = "age";
    let path = file.display();
    let Ok(metadata) = fs::metadata(file) else {
        return Finding::wrong(
            check,
            format!("{path}: there is no such file; filterctl update builds the packaged one"),
        );
    };
    let modified = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
    let age = SystemTime::now().duration_since(modified).unwrap_or_default();
    let days = age.as_secs() / 86_400;
    let recorded = record::header_at(file).and_then(|header| Record::of(file, &header));
    let mut by =
        recorded.map_or_else(|| "by hand or elsewhere".to_owned(), |own| format!("by {}", own.words()));
    if file == Path::new(DEFAULT_DICTIONARY) && !by.starts_with("by filterctl update") {
        by.push_str(": filterctl update leaves it as it is");
    }
    let state = if age > OLD { State::Warning } else { State::Fine };
    Finding::new(
        check,
        state,
        format!("{path} was written {} ago, {by}", crate::report::counted(days, "day")),
    )
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn put(root: &Path, name: &str, text: &str) {
        let path = root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    #[test]
    fn copies_in_backups_and_repositories_are_found() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let files = Config::default().ladder;
        put(root, "var/backups/dpkg.status.0", "");
        put(root, "etc/.gitignore", "*~\n");
        assert_eq!(copies(&files, root).state, State::Fine);
        fs::create_dir(root.join("etc/.git")).unwrap();
        assert_eq!(copies(&files, root).state, State::Warning);
        put(root, "etc/.gitignore", "/nearmiss/\n");
        assert_eq!(copies(&files, root).state, State::Fine);
        for name in ["var/backups/ladder.key", "var/backups/daily/etc/chosen.ladder.2.gz"] {
            put(root, name, "");
            let found = copies(&files, root);
            assert!(found.state == State::Warning && found.told.contains(name), "{name}");
            fs::remove_file(root.join(name)).unwrap();
        }
    }

    #[test]
    fn a_unit_that_is_not_enabled_or_is_masked_is_a_warning_where_systemd_runs() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        assert!(unit(root).is_none());
        fs::create_dir_all(root.join("run/systemd/system")).unwrap();
        let state = || unit(root).unwrap().state;
        assert_eq!(state(), State::Warning);
        let wants = root.join("usr/lib/systemd/system/multi-user.target.wants");
        fs::create_dir_all(&wants).unwrap();
        symlink("../nearmiss-filter.service", wants.join(UNIT)).unwrap();
        assert_eq!(state(), State::Fine);
        fs::create_dir_all(root.join("etc/systemd/system")).unwrap();
        symlink("/dev/null", root.join("etc/systemd/system").join(UNIT)).unwrap();
        assert_eq!(state(), State::Warning);
    }
}
