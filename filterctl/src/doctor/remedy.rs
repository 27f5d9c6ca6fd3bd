//! Commands that fix a file that is not trusted, or a filter that cannot be used. A command acts on the
//! system that is examined: by the paths of its files, which have the root in front, or by `chroot`.

use std::path::Path;

use nearmiss_cli::finding::Finding;
use nearmiss_filters::{
    ladder::{FleetLadder, LadderError, LadderFiles},
    storage::Act,
};
use nearmiss_policy::config::{Config, ConfigError, PACKAGED, at};

use super::pam_auth_update;
pub(super) use crate::host::shell::{of_storage, on_files, quoted};
use crate::{
    doctor::Subject,
    filter_file::{
        header::header_at,
        provenance::{self, Provenance},
        replaceable::FileKind,
    },
    host::{pam_stack::StackEntry, shell::in_root},
};

/// The findings with commands that act on the system below `root`, and not on the running one.
pub(super) fn acting_on(
    root: &Path,
    findings: impl IntoIterator<Item = Finding>,
) -> impl Iterator<Item = Finding> {
    findings.into_iter().map(move |finding| {
        let fix = finding.fix.as_ref().map(|command| below(root, command));
        Finding { fix, ..finding }
    })
}

/// The command for the system below `root`: each part of it that names no file of that system runs there. A
/// manual is read anywhere, and the doctor examines another system from outside.
pub(super) fn below(root: &Path, command: &str) -> String {
    if root == Path::new("/") {
        return command.to_owned();
    }
    let own = quoted(root);
    let names = |part: &str| part.contains(own.trim_matches('\''));
    let doctor = |part: &str| part.replace("filterctl doctor", &format!("filterctl doctor --root {own}"));
    let parts = parts(command).into_iter().map(|part| match part {
        part if names(part) || part.starts_with("man ") => part.to_owned(),
        part if part.contains("filterctl doctor") => doctor(part),
        part => in_root(root, part),
    });
    parts.collect::<Vec<_>>().join(" && ")
}

/// The commands that ` && ` joins, outside of quotes.
fn parts(command: &str) -> Vec<&str> {
    const AND: &str = " && ";
    let (mut parts, mut start) = (Vec::new(), 0_usize);
    for (at, _) in command.match_indices(AND) {
        let part = command.get(start..at).unwrap_or_default();
        // An apostrophe in quotes is written as `'\''`.
        if part.replace("'\\''", "").matches('\'').count() % 2 == 0 {
            parts.push(part);
            start = at.saturating_add(AND.len());
        }
    }
    parts.push(command.get(start..).unwrap_or_default());
    parts
}

/// True for a packaged filter of the system below `root`.
pub(super) fn is_packaged(root: &Path, file: &Path) -> bool {
    PACKAGED.iter().any(|packaged| at(root, packaged.as_ref()) == file)
}

/// An editor at a line of a stack.
pub(super) fn edit(line: &StackEntry) -> String {
    format!("vi +{} {}", line.number, quoted(&line.file))
}

/// The command for a ladder that a limit of this process or of the moment kept from being opened.
pub(super) const AGAIN: &str = "filterctl doctor";

/// The command for an agent that takes requests and replies to none.
pub(super) const RESTART_AGENT: &str = "systemctl restart nearmiss-agent";

/// The command for a ladder of a newer format: an upgrade keeps its counts, and nothing else does.
fn upgrade(root: &Path) -> String {
    let command = if root.join("usr/bin/dnf").exists() {
        "dnf upgrade nearmiss"
    } else {
        "apt-get install --only-upgrade libpam-nearmiss nearmiss-tools"
    };
    command.to_owned()
}

/// The command for a ladder that cannot be used. Its counts are lost once, so only one that is damaged, of
/// another version, without its key or with the wrong one is made `anew`: what is wrong with its access, or
/// with this process, says nothing of the counts.
pub(super) fn of_ladder(root: &Path, error: &LadderError, files: &LadderFiles, anew: String) -> String {
    // The command would refuse to replace a file that is no ladder.
    let is_foreign = FileKind::Ladder.refuse_others(&files.file).is_err();
    let anew = if is_foreign { on_files("ls -l", [files.file.as_path()]) } else { anew };
    of_ladder_file(root, error, files, anew)
}

fn of_ladder_file(root: &Path, error: &LadderError, files: &LadderFiles, anew: String) -> String {
    let LadderError::Storage(storage) = error else {
        return match error {
            LadderError::NotSeen { path } => on_files("rm", [path.as_path()]),
            error if error.is_newer() => upgrade(root),
            error if error.may_be_provoked() => AGAIN.to_owned(),
            LadderError::Access { path, .. } => on_files("ls -l", [path.as_path()]),
            _ => anew,
        };
    };
    let is_private = [&files.file, &files.key].contains(&&storage.path);
    if storage.act == Act::OthersMayWrite && is_private {
        return on_files("chmod 0600", [storage.path.as_path()]);
    }
    match of_storage(storage) {
        Some(command) => command,
        None if storage.is_missing() || storage.act == Act::TooLarge => anew,
        None if storage.may_be_provoked() && !storage.is_denied() => AGAIN.to_owned(),
        None => on_files("ls -ld", [storage.path.as_path()]),
    }
}

/// The same for the descriptor of a fleet's ladder, which the administrator of the fleet hands out.
pub(super) fn of_fleet(root: &Path, error: &LadderError, descriptor: &Path, join: String) -> String {
    let files = LadderFiles { file: descriptor.to_owned(), key: FleetLadder::key_of(descriptor) };
    of_ladder_file(root, error, &files, join)
}

/// The command that joins the fleet with a descriptor. Without `--file` it writes the one that is configured
/// for the bundle's kind: a further one is named, so that it does not take the place of that one.
pub(super) fn join(subject: &Subject, config: &Config, descriptor: &Path, options: &str) -> String {
    let is_further = config.fleet.also.iter().any(|file| file == descriptor);
    let file = if is_further { format!(" --file {}", quoted(descriptor)) } else { String::new() };
    subject.command(&format!("fleet join{options}{file} BUNDLE"))
}

/// An editor at the fault of a configuration.
pub(super) fn of_configuration(error: &ConfigError) -> Option<String> {
    match error {
        ConfigError::Storage(error) => {
            let look = if error.is_missing() { "vi" } else { "ls -ld" };
            of_storage(error).or_else(|| Some(on_files(look, [error.path.as_path()])))
        }
        ConfigError::Value { path, place } => Some(format!("vi +{} {}", place.line, quoted(path))),
        ConfigError::NotUtf8 { path } => Some(on_files("vi", [path.as_path()])),
        _ => None,
    }
}

/// The command that restores a filter: it rolls back, rebuilds the packaged filter, or reinstalls.
pub(super) fn of_filter(root: &Path, file: &Path) -> String {
    let path = quoted(file);
    let is_packaged = is_packaged(root, file);
    let header = header_at(file);
    let (record, is_known) = match Provenance::read(file) {
        Ok(record) => (record, true),
        Err(_) => (None, false),
    };
    let is_updated = header
        .as_ref()
        .is_none_or(|header| !is_known || record.as_ref().is_some_and(|own| own.is_updated(file, header)));
    if is_packaged && is_updated {
        return in_root(root, "filterctl update");
    }
    if provenance::previous(file).exists() {
        return format!("filterctl rollback {path}");
    }
    if is_packaged {
        return in_root(root, "filterctl update --force");
    }
    let source = record.and_then(|record| record.installed_from).unwrap_or_else(|| "NEW.filter".to_owned());
    format!("filterctl install {} {path}", quoted(Path::new(&source)))
}

/// The command that puts the lines of a profile into the stacks of a distribution, or the page that shows
/// them.
pub(super) fn enable(root: &Path, profile: &str) -> String {
    tool(root, profile).unwrap_or_else(|| "man pam_nearmiss".to_owned())
}

/// The command that puts the lines of a profile into the stacks of a distribution; none if it would do
/// nothing.
pub(super) fn tool(root: &Path, profile: &str) -> Option<String> {
    if pam_auth_update::enables(root, profile) {
        return Some(format!("pam-auth-update --enable {profile}"));
    }
    if !root.join("usr/bin/authselect").exists() {
        return None;
    }
    match profile {
        "nearmiss" => Some("nearmiss-authselect".to_owned()),
        feature => Some(format!("authselect enable-feature with-{feature}")),
    }
}

#[cfg(test)]
mod tests;
