//! Servers that set passwords without PAM: whether the configuration of each names a plugin or hook of
//! nearmiss, whether that file exists, whether the server can read the filter, and what those that run have
//! in their memory.

mod known;
mod named;
mod readers;
mod running;

use std::path::Path;

use nearmiss_cli::{
    finding::{Finding, State},
    keys,
};

pub(super) use self::readers::{members, people};
use self::{
    known::{SERVERS, Server},
    named::{NamedLine, first_of, lines_naming},
    running::{Running, restart},
};
use super::{Subject, remedy};
use crate::host::{
    processes::{self, Mapped, Process},
    text_file::read_lossy,
};

const CHECK: &str = "servers";
/// The folder of the drop-in for libcrack is named here.
const DROP_IN: &str = "etc/ld.so.conf.d/00-nearmiss.conf";
/// The drop-in's program for ordinary users.
const PUBLIC_FILTER: &str = "usr/share/nearmiss/common.filter";

/// Examines each server whose configuration names nearmiss, or that has its plugin in memory, and the
/// drop-in. If there is none, this is reported only if just this part is examined.
pub(super) fn examine(subject: &Subject, is_named: bool) -> Vec<Finding> {
    let mut findings = examine_all(&subject.root);
    if findings.is_empty() && is_named {
        findings.push(Finding::fine(CHECK, "no server uses nearmiss"));
    }
    findings
}

fn examine_all(root: &Path) -> Vec<Finding> {
    let is_server = |name: &str| SERVERS.iter().any(|server| server.programs.contains(&name));
    let processes = processes::named(root, is_server);
    let of_server = |server| of_server(root, server, processes.as_deref());
    SERVERS.iter().flat_map(of_server).chain(drop_in(root)).collect()
}

/// True if a server uses nearmiss, and PAM does not: the module is not installed.
pub(super) fn are_all_there_is(root: &Path) -> bool {
    let has_module = ["usr/lib/*/security", "usr/lib64/security", "usr/lib/security", "lib/security"]
        .iter()
        .any(|folder| first_of(root, &format!("{folder}/pam_nearmiss.so")).is_some());
    !has_module && SERVERS.iter().any(|server| !lines_naming(root, server).is_empty())
}

fn of_server(root: &Path, server: &Server, processes: Option<&[Process]>) -> Vec<Finding> {
    let lines = lines_naming(root, server);
    let running = Running { root, server, lines: &lines, processes };
    let place = match (lines.first(), running.with_plugin()) {
        (Some(first), _) => first.place(root),
        (None, Some(process)) => running.name(process),
        (None, None) => return running.unknown().into_iter().collect(),
    };
    let mut findings: Vec<Finding> = lines.iter().filter_map(|line| missing(root, server, line)).collect();
    findings.extend(optional(server, &place, &lines));
    findings.extend(outside_of_group(root, server, &place));
    findings.extend(running.examine());
    if findings.is_empty() {
        let text = lines.first().map_or("it has the plugin", |line| line.text.as_str());
        let stopped = if running.is_stopped() { "; the server is not running" } else { "" };
        let message = format!("{place}: {} uses nearmiss: {text}{stopped}", server.name);
        findings.push(Finding::fine(CHECK, message));
    }
    findings
}

/// The file that the line names is missing.
fn missing(root: &Path, server: &Server, line: &NamedLine) -> Option<Finding> {
    let wanted = server.wanted(&line.text);
    if wanted.iter().any(|pattern| first_of(root, pattern).is_some()) {
        return None;
    }
    let message = format!("{}: {} does not exist; {}", line.place(root), wanted.first()?, server.without);
    Some(Finding::wrong(keys::PLUGIN_MISSING, CHECK, message).fix(format!("apt install {}", server.package)))
}

/// A server that may start without its plugin.
fn optional(server: &Server, place: &str, lines: &[NamedLine]) -> Option<Finding> {
    let needed = server.needs?;
    if lines.iter().any(|line| line.text.contains(needed)) {
        return None;
    }
    let message = format!(
        "{place}: {} accepts every password if the plugin cannot be loaded: no line contains {needed}",
        server.name
    );
    Some(Finding::warning(keys::PLUGIN_MISSING, CHECK, message).fix(format!("man {}", server.page)))
}

fn outside_of_group(root: &Path, server: &Server, place: &str) -> Option<Finding> {
    let user = server.users.iter().find(|user| readers::is_known(root, user))?;
    if readers::is_member(root, user) {
        return None;
    }
    let message = format!(
        "{place}: {user} is not in the group {}, so {} rejects every password",
        readers::GROUP,
        server.name
    );
    let restart = restart(root, None, server.unit);
    let fix = format!("usermod -aG {} {user} && {restart}", readers::GROUP);
    Some(Finding::wrong(keys::SERVER_GROUP, CHECK, message).fix(fix))
}

/// The drop-in for libcrack, if the loader has its folder, and the programs that have another libcrack.
fn drop_in(root: &Path) -> Vec<Finding> {
    let Some(library) = named_library(root) else { return Vec::new() };
    let of_loader = of_loader(root, &library);
    let of_programs = processes::named(root, |_| true).unwrap_or_default();
    let of_programs = of_programs.iter().filter_map(|process| with_another(root, &library, process));
    std::iter::once(of_loader).chain(of_programs).collect()
}

/// True if the loader has the folder of the drop-in for libcrack.
pub(super) fn has_drop_in(root: &Path) -> bool {
    named_library(root).is_some()
}

/// The path of the drop-in, without the root.
fn named_library(root: &Path) -> Option<String> {
    let named = read_lossy(root, &root.join(DROP_IN)).ok()?;
    let folder = named.lines().map(str::trim).find(|line| line.starts_with('/'))?;
    Some(format!("{}/libcrack.so.2", folder.trim_start_matches('/')))
}

fn of_loader(root: &Path, library: &str) -> Finding {
    let fix = "apt install --reinstall nearmiss-cracklib && ldconfig";
    for file in [library, PUBLIC_FILTER] {
        if !root.join(file).is_file() {
            let message =
                format!("/{DROP_IN}: /{file} does not exist, so programs use cracklib itself, or nothing");
            return Finding::wrong(keys::CRACKLIB_DROP_IN, CHECK, message).fix(fix);
        }
    }
    let cache = std::fs::read(root.join("etc/ld.so.cache")).unwrap_or_default();
    let is_known = cache.windows(library.len()).any(|window| window == library.as_bytes());
    let place = remedy::quoted(&Path::new("/").join(library));
    if is_known {
        return Finding::fine(CHECK, format!("{place}: programs that use cracklib use nearmiss"));
    }
    let message = format!("{place}: the loader does not know it yet, so programs use cracklib itself");
    Finding::wrong(keys::CRACKLIB_DROP_IN, CHECK, message).fix("ldconfig")
}

/// A program that started before the drop-in was installed or replaced. The drop-in has cracklib itself in
/// memory as well, so a program without the drop-in is one that has only the other.
fn with_another(root: &Path, library: &str, process: &Process) -> Option<Finding> {
    let is_libcrack = |mapped: &&Mapped| {
        mapped.path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("libcrack.so.2"))
    };
    let all: Vec<&Mapped> = process.code.iter().flatten().filter(is_libcrack).collect();
    let drop_in =
        all.iter().find(|mapped| mapped.path.strip_prefix("/").is_ok_and(|path| path == Path::new(library)));
    let (state, what) = match drop_in {
        Some(drop_in) if drop_in.is_replaced => (State::Warning, "still runs an older drop-in"),
        Some(_) => return None,
        None if all.is_empty() => return None,
        None => (State::Wrong, "started before the drop-in was installed, and uses cracklib itself"),
    };
    let message = format!("process {} ({}) {what}", process.number, process.name);
    let finding = Finding::new(keys::SERVER_RESTART, CHECK, state, message);
    Some(finding.fix(restart(root, Some(process), &process.name)))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::host::processes::sample::Made;

    pub(super) fn put(root: &Path, file: &str, text: &str) {
        let file = root.join(file);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    #[test]
    fn a_program_that_started_before_the_drop_in_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        put(root, DROP_IN, "/usr/lib/x/nearmiss\n");
        let [library, other] = ["usr/lib/x/nearmiss/libcrack.so.2", "usr/lib/x/libcrack.so.2.9.0"];
        for file in [library, other, PUBLIC_FILTER] {
            put(root, file, "");
        }
        put(root, "etc/ld.so.cache", library);
        let [library, other] = [library, other].map(|file| format!("/{file}"));
        let replaced = format!("{library} (deleted)");
        for (code, state) in [
            (vec![], None),
            (vec![library.as_str(), other.as_str()], None),
            (vec![other.as_str()], Some(State::Wrong)),
            (vec![replaced.as_str()], Some(State::Warning)),
        ] {
            Made { name: "ns-slapd", code: &code, ..Made::default() }.put(root);
            let found = examine_all(root);
            assert_eq!(found[0].state, State::Fine);
            assert_eq!(found.get(1).map(|finding| finding.state), state, "{found:?}");
        }
    }

    /// A host with neither a server nor the module is examined as if it should have the module.
    #[test]
    fn servers_are_all_there_is_where_one_asks_and_the_module_is_not_installed() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        put(root, "etc/samba/smb.conf", "[global]\n");
        assert!(!are_all_there_is(root));
        put(root, "etc/samba/smb.conf", "check password script = /usr/sbin/filterctl hook samba\n");
        assert!(are_all_there_is(root));
        put(root, "usr/lib/x86_64-linux-gnu/security/pam_nearmiss.so", "");
        assert!(!are_all_there_is(root));
    }
}
