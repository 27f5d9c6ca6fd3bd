//! Copies of ladder and key in backups and repositories.

use std::{
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
};

use nearmiss_cli::{finding::Finding, keys};
use nearmiss_filters::ladder::LadderFiles;

use crate::doctor::remedy;

const CHECK: &str = "backups";

/// The folders of backups, and the depth of the search in each.
const KEEPER: (&str, u32) = ("var/backups", 2);

/// Repositories of `/etc`, and the files that list what they ignore.
const REPOSITORIES: [(&str, &str); 2] = [("etc/.git", "etc/.gitignore"), ("etc/.bzr", "etc/.bzrignore")];

/// etckeeper copies the key into a repository, a backup copies both files into one folder.
pub(super) fn examine(files: &LadderFiles, root: &Path) -> Finding {
    let names: Vec<&str> = [&files.key, &files.file]
        .iter()
        .filter_map(|path| path.file_name().and_then(OsStr::to_str))
        .collect();
    let (keeper, depth) = KEEPER;
    let mut found = Vec::new();
    named(&root.join(keeper), &names, depth, &mut found);
    let (mut kept_in, mut ignore) = (None, None);
    for (repository, ignored) in REPOSITORIES {
        let (repository, ignored) = (root.join(repository), root.join(ignored));
        let Ok(name) = files.key.strip_prefix("/etc") else { continue };
        if repository.exists() && !is_ignored(&files.key, &ignored) {
            kept_in = Some(repository);
            ignore = Some(format!("echo /{} >> {}", remedy::quoted(name), remedy::quoted(&ignored)));
        }
    }
    if found.is_empty() && ignore.is_none() {
        return Finding::fine(CHECK, "no copies of ladder or key in the usual folders of backups");
    }
    let shown: Vec<String> = found.iter().chain(&kept_in).map(|path| path.display().to_string()).collect();
    let message = format!(
        "{}: may contain copies of ladder or key; two copies of the ladder, with the key, reveal the \
         passwords chosen in between: exclude both files from backups",
        shown.join(", ")
    );
    let destroy = (!found.is_empty()).then(|| remedy::on_files("rm -r", found.iter().map(PathBuf::as_path)));
    let lines: Vec<String> = ignore.into_iter().chain(destroy).collect();
    Finding::warning(keys::LADDER_COPIES, CHECK, message).fix(lines.join(" && "))
}

/// The files with one of these names, possibly with a date or a suffix, in a folder and its subfolders down
/// to this depth.
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

#[cfg(test)]
mod tests {
    use nearmiss_policy::config::Config;

    use super::*;
    use nearmiss_cli::finding::State;

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
        assert_eq!(examine(&files, root).state, State::Fine);
        fs::create_dir(root.join("etc/.git")).unwrap();
        assert_eq!(examine(&files, root).state, State::Warning);
        put(root, "etc/.gitignore", "/nearmiss/\n");
        assert_eq!(examine(&files, root).state, State::Fine);
        for name in ["var/backups/ladder.key", "var/backups/daily/etc/chosen.ladder.2.gz"] {
            put(root, name, "");
            let found = examine(&files, root);
            assert!(found.state == State::Warning && found.message.contains(name), "{name}");
            fs::remove_file(root.join(name)).unwrap();
        }
    }

    /// The fix makes the repository ignore the key, and destroys copies, as needed.
    #[test]
    fn the_command_is_for_what_was_found() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let files = Config::default().ladder;
        let fix = || examine(&files, root).fix;
        let ignored = root.join("etc/.gitignore");
        let ignore = remedy::on_files("echo /nearmiss/ladder.key >>", [ignored.as_path()]);
        let copy = root.join("var/backups/ladder.key");
        let destroy = remedy::on_files("rm -r", [copy.as_path()]);
        put(root, "etc/.git/config", "");
        assert_eq!(fix().as_ref(), Some(&ignore));
        put(root, "var/backups/ladder.key", "");
        assert_eq!(fix(), Some(format!("{ignore} && {destroy}")));
        fs::remove_dir_all(root.join("etc/.git")).unwrap();
        assert_eq!(fix(), Some(destroy));
    }

    /// A backup of a whole system is not searched to its last folder.
    #[test]
    fn folders_of_backups_are_searched_two_levels_deep() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let files = Config::default().ladder;
        put(root, "var/backups/host/daily/etc/ladder.key", "");
        assert_eq!(examine(&files, root).state, State::Fine);
        put(root, "var/backups/host/daily/ladder.key", "");
        let found = examine(&files, root);
        assert!(found.message.contains("/host/daily/ladder.key: may contain"), "{}", found.message);
    }
}
