//! Servers that set passwords without PAM: whether the configuration of each names a plugin or hook of
//! nearmiss, whether that file exists, and whether the server can read the filter.

mod known;
mod named;
mod readers;

use std::path::Path;

use nearmiss_cli::{finding::Finding, keys};

use self::{
    known::{SERVERS, Server},
    named::{NamedLine, first_of, lines_naming},
};
use super::{Subject, remedy};

const CHECK: &str = "servers";
/// The folder of the drop-in for libcrack is named here.
const DROP_IN: &str = "etc/ld.so.conf.d/00-nearmiss.conf";
/// The drop-in's program for ordinary users.
const PUBLIC_FILTER: &str = "usr/share/nearmiss/common.filter";

/// Examines each server whose configuration names nearmiss, and the drop-in. If there is none, this is
/// reported only if just this part is examined.
pub(super) fn examine(subject: &Subject, is_named: bool) -> Vec<Finding> {
    let root = &subject.root;
    let mut findings: Vec<Finding> = SERVERS.iter().flat_map(|server| of_server(root, server)).collect();
    findings.extend(drop_in(root));
    if findings.is_empty() && is_named {
        findings.push(Finding::fine(CHECK, "no configuration of a server names nearmiss"));
    }
    findings
}

/// True if a server uses nearmiss, and PAM does not: the module is not installed.
pub(super) fn are_all_there_is(root: &Path) -> bool {
    let has_module = ["usr/lib/*/security", "usr/lib64/security", "usr/lib/security", "lib/security"]
        .iter()
        .any(|folder| first_of(root, &format!("{folder}/pam_nearmiss.so")).is_some());
    !has_module && SERVERS.iter().any(|server| !lines_naming(root, server).is_empty())
}

fn of_server(root: &Path, server: &Server) -> Vec<Finding> {
    let lines = lines_naming(root, server);
    let Some(first) = lines.first() else { return Vec::new() };
    let mut findings: Vec<Finding> = lines.iter().filter_map(|line| missing(root, server, line)).collect();
    findings.extend(optional(root, server, first, &lines));
    findings.extend(outside_of_group(root, server, first));
    if findings.is_empty() {
        let message = format!("{}: {} uses nearmiss: {}", first.place(root), server.name, first.text);
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
fn optional(root: &Path, server: &Server, first: &NamedLine, lines: &[NamedLine]) -> Option<Finding> {
    let needed = server.needs?;
    if lines.iter().any(|line| line.text.contains(needed)) {
        return None;
    }
    let message = format!(
        "{}: {} accepts every password if the plugin cannot be loaded: no line contains {needed}",
        first.place(root),
        server.name
    );
    Some(Finding::warning(keys::PLUGIN_MISSING, CHECK, message).fix(format!("man {}", server.page)))
}

fn outside_of_group(root: &Path, server: &Server, first: &NamedLine) -> Option<Finding> {
    let user = server.users.iter().find(|user| readers::is_known(root, user))?;
    if readers::is_member(root, user) {
        return None;
    }
    let message = format!(
        "{}: {user} is not in the group {}, so {} rejects every password",
        first.place(root),
        readers::GROUP,
        server.name
    );
    Some(Finding::wrong(keys::SERVER_GROUP, CHECK, message).fix(format!(
        "adduser {user} {}; restart {}",
        readers::GROUP,
        server.unit
    )))
}

/// The drop-in for libcrack, if the loader has its folder.
fn drop_in(root: &Path) -> Option<Finding> {
    let named = std::fs::read_to_string(root.join(DROP_IN)).ok()?;
    let folder = named.lines().map(str::trim).find(|line| line.starts_with('/'))?;
    let library = format!("{}/libcrack.so.2", folder.trim_start_matches('/'));
    let fix = "apt install --reinstall nearmiss-cracklib && ldconfig";
    for file in [library.as_str(), PUBLIC_FILTER] {
        if !root.join(file).is_file() {
            let message =
                format!("/{DROP_IN}: /{file} does not exist, so programs use cracklib itself, or nothing");
            return Some(Finding::wrong(keys::CRACKLIB_DROP_IN, CHECK, message).fix(fix));
        }
    }
    let cache = std::fs::read(root.join("etc/ld.so.cache")).unwrap_or_default();
    let is_known = cache.windows(library.len()).any(|window| window == library.as_bytes());
    let place = remedy::quoted(&Path::new("/").join(&library));
    if is_known {
        return Some(Finding::fine(CHECK, format!("{place}: programs that use cracklib use nearmiss")));
    }
    let message = format!("{place}: the loader does not know it yet, so programs use cracklib itself");
    Some(Finding::wrong(keys::CRACKLIB_DROP_IN, CHECK, message).fix("ldconfig"))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn put(root: &Path, file: &str, text: &str) {
        let file = root.join(file);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
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
