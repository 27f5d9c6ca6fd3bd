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
    host::processes::{Mapped, Process},
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
                    "{name} has an earlier {}: the file was replaced after the server started",
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
            let message =
                format!("not judged: {name} does not have the plugin that {place} names; another has");
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
    if root.join("run/systemd/system").exists() {
        format!("systemctl restart {unit}")
    } else {
        format!("service {unit} restart")
    }
}

#[cfg(test)]
mod tests {
    use nearmiss_cli::finding::State;

    use super::*;
    use crate::{
        doctor::servers::{examine_all, tests::put},
        host::processes::sample::{BOOTED, Made},
    };

    const CONF: &str = "etc/mysql/mariadb.conf.d/nearmiss.cnf";
    const LINES: &str = "[mariadbd]\nplugin_load_add = nearmiss_password_check\n\
                         nearmiss_password_check = FORCE_PLUS_PERMANENT\n";
    const PLUGIN: &str = "/usr/lib/mysql/plugin/nearmiss_password_check.so";

    /// Seconds after the system's start, later than every file of these tests.
    fn later() -> u64 {
        nearmiss_cli::clock::now() - BOOTED + 3600
    }

    /// A host with the plugin's file, an account that is a member of the group, and this process.
    fn host(process: &Made<'_>) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        put(root, "etc/passwd", "mysql:x:104:110::/:/bin/false\n");
        put(root, "etc/group", "nearmiss:x:990:mysql\n");
        put(root, PLUGIN.trim_start_matches('/'), "");
        process.put(root);
        folder
    }

    fn running<'m>(code: &'m [&'m str]) -> Made<'m> {
        Made { seconds: later(), groups: "990", code, ..Made::default() }
    }

    /// State, message and fix of each finding.
    fn told(root: &Path) -> Vec<(State, String, String)> {
        let of = |finding: Finding| (finding.state, finding.message, finding.fix.unwrap_or_default());
        examine_all(root).into_iter().map(of).collect()
    }

    fn one(root: &Path) -> (State, String, String) {
        let mut told = told(root);
        assert_eq!(told.len(), 1, "{told:?}");
        told.remove(0)
    }

    #[test]
    fn a_server_that_has_the_plugin_of_its_configuration_is_fine() {
        let host = host(&running(&[PLUGIN]));
        put(host.path(), CONF, LINES);
        assert_eq!(one(host.path()).0, State::Fine);
    }

    /// The trial's case: INSTALL SONAME, and an account outside of the group.
    #[test]
    fn a_plugin_that_a_statement_installed_is_judged_like_a_configured_one() {
        let host = host(&running(&[PLUGIN]));
        let root = host.path();
        let (state, message, _) = one(root);
        assert!(state == State::Warning && message.contains("FORCE_PLUS_PERMANENT"), "{message}");
        assert!(message.starts_with("process 100 of MariaDB: "), "{message}");
        put(root, "etc/group", "nearmiss:x:990:\n");
        let told = told(root);
        let wrong = told.iter().find(|(state, ..)| *state == State::Wrong).unwrap();
        assert!(wrong.1.contains("mysql is not in the group nearmiss"), "{wrong:?}");
        assert_eq!(wrong.2, "usermod -aG nearmiss mysql && service mariadb restart");
    }

    #[test]
    fn a_server_that_was_not_restarted_accepts_every_password() {
        let host = host(&running(&[]));
        let root = host.path();
        assert_eq!(told(root), [], "no configuration names it");
        put(root, CONF, LINES);
        put(root, "run/systemd/system/x", "");
        put(root, "proc/100/cgroup", "0::/system.slice/mariadb@a.service\n");
        let (state, message, fix) = one(root);
        assert!(state == State::Wrong && message.contains("accepts every password"), "{message}");
        assert_eq!(fix, "systemctl restart mariadb@a.service");
        // A second server has it: whose configuration names it is not known.
        Made { number: 200, ..running(&[PLUGIN]) }.put(root);
        assert_eq!(one(root).0, State::Unjudged);
    }

    #[test]
    fn a_plugin_that_was_replaced_since_is_an_earlier_one() {
        let replaced = format!("{PLUGIN} (deleted)");
        let host = host(&running(&[&replaced]));
        put(host.path(), CONF, LINES);
        let (state, message, fix) = one(host.path());
        assert!(state == State::Warning && message.contains("has an earlier"), "{message}");
        assert_eq!(fix, "service mariadb restart");
    }

    #[test]
    fn a_process_is_in_the_group_since_its_start_alone() {
        let process = Made { groups: "110", ..running(&[PLUGIN]) };
        let host = host(&process);
        put(host.path(), CONF, LINES);
        let (state, message, fix) = one(host.path());
        assert!(state == State::Wrong && message.contains("is not in the group nearmiss"), "{message}");
        assert_eq!(fix, "service mariadb restart");
    }

    #[test]
    fn a_process_without_the_plugin_does_not_reject_everything_as_well() {
        let host = host(&Made { groups: "110", ..running(&[]) });
        put(host.path(), CONF, LINES);
        let (state, message, _) = one(host.path());
        assert!(state == State::Wrong && message.contains("accepts every password"), "{message}");
    }

    #[test]
    fn a_configuration_that_was_changed_since_is_not_judged_where_memory_does_not_tell() {
        for (program, conf, line, code) in [
            ("mariadbd", CONF, LINES, PLUGIN),
            ("slapd", "etc/ldap/slapd.conf", "ppolicy_check_module nearmiss_ppolicy.so\n", ""),
            ("samba", "etc/samba/smb.conf", "check password script = filterctl hook samba\n", ""),
        ] {
            let code: &[&str] = if code.is_empty() { &[] } else { &[code] };
            let process = Made { name: program, ..running(code) };
            let host = host(&process);
            let root = host.path();
            put(root, "usr/lib/ldap/nearmiss_ppolicy.so", "");
            put(root, "usr/sbin/filterctl", "");
            put(root, conf, line);
            assert_eq!(one(root).0, State::Fine, "{program}");
            Made { seconds: 0, ..process }.put(root);
            let (state, message, _) = one(root);
            assert_eq!(state, State::Unjudged, "{program}: {message}");
            assert!(message.contains("changed after process 100"), "{message}");
        }
    }

    #[test]
    fn what_only_root_may_see_is_not_judged() {
        let host = host(&running(&[]));
        let root = host.path();
        fs::remove_file(root.join("proc/100/maps")).unwrap();
        for has_line in [false, true] {
            if has_line {
                put(root, CONF, LINES);
            }
            let (state, message, fix) = one(root);
            assert!(state == State::Unjudged && message.contains("only root may see"), "{message}");
            assert_eq!(fix, "sudo filterctl doctor --only servers");
        }
    }

    #[test]
    fn a_stopped_server_whose_table_names_the_plugin_is_not_judged() {
        let host = host(&Made { name: "init", ..Made::default() });
        let root = host.path();
        assert_eq!(told(root), []);
        put(root, "var/lib/mysql/mysql/plugin.MAD", "\0\u{1}nearmiss_password_check.so\0");
        let (state, message, _) = one(root);
        assert!(state == State::Unjudged && message.contains("INSTALL SONAME"), "{message}");
        put(root, CONF, LINES);
        let (state, message, _) = one(root);
        assert!(state == State::Fine && message.ends_with("; no process of it runs"), "{message}");
    }
}
