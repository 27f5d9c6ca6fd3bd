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
    assert!(state == State::Warning && message.contains("still runs an older"), "{message}");
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
    assert!(state == State::Fine && message.ends_with("; the server is not running"), "{message}");
}
