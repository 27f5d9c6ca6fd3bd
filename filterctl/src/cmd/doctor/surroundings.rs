//! What lies around the files: copies that reveal them, and how old the filter is.

use std::{
    fs,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use nearmiss_filters::config::{Config, DEFAULT_DICTIONARY};

use super::{Finding, State};
use crate::record::{self, Record};

/// Where copies of `/etc` and of other files are put.
const KEEPERS: [&str; 3] = ["/var/backups", "/etc/.git", "/etc/.bzr"];

/// A filter that was built longer ago than this.
const OLD: Duration = Duration::from_secs(400 * 86_400);

/// Looks for copies of the key and at the age of the filters.
pub(super) fn examine(config: &Config) -> Vec<Finding> {
    let mut findings = vec![copies(&config.ladder.key, &config.ladder.file)];
    findings.extend(config.dictionaries.iter().map(|rule| age(&rule.file)));
    findings
}

/// etckeeper puts the key into a repository, a backup both files into one folder.
fn copies(key: &Path, ladder: &Path) -> Finding {
    let check = "copies";
    let names: Vec<_> = [key, ladder].iter().filter_map(|path| path.file_name()).collect();
    let mut found: Vec<PathBuf> = Vec::new();
    for keeper in KEEPERS.map(Path::new) {
        for entry in fs::read_dir(keeper).into_iter().flatten().flatten() {
            if names.iter().any(|name| *name == entry.file_name()) {
                found.push(entry.path());
            }
        }
    }
    let git = Path::new("/etc/.git");
    if key.starts_with("/etc") && key.exists() && git.exists() && !is_ignored(key) {
        found.push(git.to_owned());
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

/// True when `/etc/.gitignore` names the key's folder or the key.
fn is_ignored(key: &Path) -> bool {
    let text = fs::read_to_string("/etc/.gitignore").unwrap_or_default();
    let names = key.ancestors().filter_map(Path::file_name).map(|name| name.to_string_lossy().into_owned());
    let names: Vec<String> = names.filter(|name| name != "etc").collect();
    text.lines().any(|line| names.iter().any(|name| line.trim().trim_matches('/').ends_with(name.as_str())))
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
