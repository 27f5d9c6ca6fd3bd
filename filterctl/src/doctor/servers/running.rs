//! The servers that run: what is in their memory, whatever their configurations say by now. A server may have
//! a plugin that no configuration names, lack the one that its configuration names, or have an earlier one.

use std::{
    fs::{self, File},
    io::Read,
    os::unix::fs::MetadataExt,
    path::Path,
};

use nearmiss_cli::{finding::Finding, keys};

use super::{
    CHECK,
    known::{Loads, Server},
    named::{NamedLine, first_of},
    readers,
};
use crate::{
    doctor::remedy,
    host::{
        processes::{Mapped, Process},
        systemd,
    },
};

/// The seconds by which the start of a process is known: it and the system's start are rounded down.
const SLACK: u64 = 2;

/// The most bytes that are read of a table of plugins.
const MAX_BYTES: u64 = 1 << 20;

/// The processes of a server.
pub(super) struct Running<'r> {
    /// The root folder of the system.
    pub(super) root: &'r Path,
    /// The server.
    pub(super) server: &'r Server,
    /// The lines of its configuration that name the plugin.
    pub(super) lines: &'r [NamedLine],
    /// The processes of all servers; none if the system shows no processes.
    pub(super) processes: Option<&'r [Process]>,
}

impl<'r> Running<'r> {
    fn all(&self) -> impl Iterator<Item = &'r Process> {
        let is_own = |process: &&Process| self.server.programs.contains(&process.name.as_str());
        self.processes.unwrap_or_default().iter().filter(is_own)
    }

    /// The first process that has the plugin.
    pub(super) fn with_plugin(&self) -> Option<&'r Process> {
        self.all().find(|process| self.plugin(process).is_some())
    }

    /// True if the system shows processes, and none is this server's.
    pub(super) fn is_stopped(&self) -> bool {
        self.processes.is_some() && self.all().next().is_none()
    }

    /// The plugin in the memory of a process.
    fn plugin(&self, process: &'r Process) -> Option<&'r Mapped> {
        let is_ours = |mapped: &&Mapped| {
            let name = mapped.path.file_name().unwrap_or_default().to_string_lossy();
            let is_named = || self.lines.iter().any(|line| line.text.ends_with(&*name));
            !self.server.library.is_empty() && (name.starts_with(self.server.library) || is_named())
        };
        process.code.iter().flatten().find(is_ours)
    }

    /// A process, as messages name it.
    pub(super) fn name(&self, process: &Process) -> String {
        format!("process {} of {}", process.number, self.server.name)
    }

    /// What is wrong with the processes. The configuration names the plugin, or one of them has it.
    pub(super) fn examine(&self) -> Vec<Finding> {
        self.all().flat_map(|process| self.of_process(process)).collect()
    }

    fn of_process(&self, process: &Process) -> Vec<Finding> {
        let name = self.name(process);
        let restart = restart(self.root, Some(process), self.server.unit);
        let mut findings = Vec::new();
        match (&process.code, self.plugin(process)) {
            (None, _) if self.server.loads != Loads::Never => findings.push(unseen(&name)),
            (Some(_), None) => findings.extend(self.without(process)),
            (_, Some(plugin)) if plugin.is_replaced => {
                let message = format!(
                    "{name} still runs an older {}: the file was replaced after the server started",
                    plugin.path.display()
                );
                findings.push(Finding::warning(keys::SERVER_RESTART, CHECK, message).fix(restart.clone()));
            }
            _ => {}
        }
        if self.lacks_group(process) {
            let message = format!(
                "{name} is not in the group {}, so it rejects every password: it started before its account \
                 became a member, or has another account",
                readers::GROUP
            );
            findings.push(Finding::wrong(keys::SERVER_GROUP, CHECK, message).fix(restart.clone()));
        }
        if findings.is_empty() {
            findings.extend(self.older_than_its_configuration(process, restart));
        }
        findings
    }

    /// A process without the plugin that the configuration names.
    fn without(&self, process: &Process) -> Option<Finding> {
        let first = self.lines.first().filter(|_| self.server.loads == Loads::AtStart)?;
        let name = self.name(process);
        let place = first.place(self.root);
        let restart = restart(self.root, Some(process), self.server.unit);
        let finding = if self.with_plugin().is_some() {
            // Of several servers on a host, each may have a configuration of its own.
            let message = format!(
                "not judged: {name} does not have the plugin that {place} names; another process has it"
            );
            Finding::unjudged(keys::SERVER_RESTART, CHECK, message)
        } else {
            let message = format!(
                "{place}: {name} does not have the plugin, so it accepts every password: it started before \
                 this line was written, or reads another configuration"
            );
            Finding::wrong(keys::SERVER_RESTART, CHECK, message)
        };
        Some(finding.fix(restart))
    }

    /// True for a process that may not read the filter, though its account may by now.
    fn lacks_group(&self, process: &Process) -> bool {
        let Some(number) = readers::number(self.root) else { return false };
        let mut users = self.server.users.iter();
        let is_told = users
            .clone()
            .any(|user| readers::is_known(self.root, user) && !readers::is_member(self.root, user));
        // One that has no plugin asks for nothing: another finding says so.
        let may_have = process.code.is_none() || self.server.loads != Loads::AtStart;
        let has = self.plugin(process).is_some() || may_have && !self.lines.is_empty();
        let is_judged = users.next().is_some() && !is_told && has;
        is_judged && process.user.is_some_and(|user| user != 0) && !process.groups.contains(&number)
    }

    /// A configuration that was changed after the process started, where the memory does not tell whether it
    /// was read. A folder that the server writes itself is always in force.
    fn older_than_its_configuration(&self, process: &Process, restart: String) -> Option<Finding> {
        if self.server.loads == Loads::AtStart && self.server.needs.is_none() {
            return None;
        }
        let started = process.started?.saturating_add(SLACK);
        let changed = |line: &&NamedLine| {
            let changed = fs::metadata(&line.file).ok().and_then(|status| u64::try_from(status.ctime()).ok());
            changed.is_some_and(|at| at > started)
                && !line.file.components().any(|part| part.as_os_str() == "slapd.d")
        };
        let line = self.lines.iter().find(changed)?;
        let message = format!(
            "{}: not judged: the file was changed after {} started",
            line.place(self.root),
            self.name(process)
        );
        Some(Finding::unjudged(keys::SERVER_RESTART, CHECK, message).fix(restart))
    }

    /// What cannot be known where no configuration names the plugin, and no process is known to have it.
    pub(super) fn unknown(&self) -> Option<Finding> {
        let is_installed = || self.server.wanted("").iter().any(|file| first_of(self.root, file).is_some());
        let unreadable = self.all().find(|process| process.code.is_none());
        if let Some(process) = unreadable.filter(|_| self.server.loads != Loads::Never && is_installed()) {
            return Some(unseen(&self.name(process)));
        }
        let table = self.table().filter(|_| self.all().next().is_none())?;
        let message = format!(
            "{table}: not judged: a statement such as INSTALL SONAME named the plugin, and {} does not run",
            self.server.name
        );
        let start = format!("systemctl start {}", self.server.unit);
        Some(Finding::unjudged(keys::SERVER_RESTART, CHECK, message).fix(start))
    }

    /// The server's own table of plugins, if it has the name of ours. The name of one that was uninstalled
    /// may still be in it.
    fn table(&self) -> Option<String> {
        let file = self.server.table.iter().find_map(|table| first_of(self.root, table))?;
        let mut bytes = Vec::new();
        File::open(&file).ok()?.take(MAX_BYTES).read_to_end(&mut bytes).ok()?;
        let name = self.server.library.as_bytes();
        let shown = format!("/{}", file.strip_prefix(self.root).unwrap_or(&file).display());
        bytes.windows(name.len()).any(|window| window == name).then_some(shown)
    }
}

fn unseen(name: &str) -> Finding {
    let message = format!("not judged: only root may see which plugin {name} has");
    Finding::unjudged(keys::NOT_ROOT, CHECK, message).fix("sudo filterctl doctor --only servers")
}

/// The command that starts a process again: by its unit, or the usual name of the service.
pub(super) fn restart(root: &Path, process: Option<&Process>, usual: &str) -> String {
    let unit = process.and_then(|process| process.unit.as_deref()).unwrap_or(usual);
    let unit = remedy::quoted(Path::new(unit));
    if systemd::runs(root) { format!("systemctl restart {unit}") } else { format!("service {unit} restart") }
}

#[cfg(test)]
mod tests;
