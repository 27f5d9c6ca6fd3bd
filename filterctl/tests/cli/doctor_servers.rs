//! The findings of `filterctl doctor --only servers` about servers' configurations in another root: never
//! green where a server would take every password, or none.

use std::{fs, path::Path};

use serde_json::Value;

use crate::{Folder, run};

const MARIADB: &str = "etc/mysql/mariadb.conf.d/nearmiss.cnf";
const MARIADB_PLUGIN: &str = "usr/lib/mysql/plugin/nearmiss_password_check.so";
const LOADED: &str = "[mariadbd]\nplugin_load_add = nearmiss_password_check\n";
const PERMANENT: &str = "nearmiss_password_check = FORCE_PLUS_PERMANENT\n";

fn put(root: &Path, file: &str, text: &str) {
    let file = root.join(file);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, text).unwrap();
}

/// State and message of each finding.
fn found(folder: &Folder, only: &str) -> (i32, Vec<(String, String)>) {
    let none = folder.path("none");
    let none = none.to_str().unwrap();
    let conf =
        folder.file("site.conf", format!("packaged = false\n[ladder]\nfile = {none:?}\nkey = {none:?}\n"));
    let root = folder.path("root");
    let shown = run([
        "doctor",
        "--only",
        only,
        "--conf",
        conf.to_str().unwrap(),
        "--root",
        root.to_str().unwrap(),
        "--json",
    ]);
    let told = shown.json().remove(0);
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let findings = told["findings"].as_array().unwrap().iter();
    (shown.code, findings.map(|one| (text(&one["state"]), text(&one["message"]))).collect())
}

#[test]
fn a_server_is_green_only_with_its_plugin_for_good_and_a_filter_it_may_read() {
    let folder = Folder::new();
    let root = folder.path("root");
    put(&root, "etc/passwd", "root:x:0:0::/root:/bin/sh\nmysql:x:104:110::/:/bin/false\n");
    put(&root, "etc/group", "nearmiss:x:990:\n");
    let (code, none) = found(&folder, "servers");
    assert_eq!((code, none[0].0.as_str(), none.len()), (0, "fine", 1), "{none:?}");

    put(&root, MARIADB, &format!("# plugin_load_add = nearmiss_password_check\n{LOADED}"));
    let (code, told) = found(&folder, "servers");
    let states: Vec<&str> = told.iter().map(|(state, _)| state.as_str()).collect();
    assert_eq!((code, states), (1, vec!["wrong", "warning", "wrong"]), "{told:?}");
    assert!(told[0].1.starts_with(&format!("/{MARIADB}:3: {MARIADB_PLUGIN} does not exist")), "{told:?}");
    assert!(told[1].1.contains("FORCE_PLUS_PERMANENT"), "{told:?}");
    assert!(told[2].1.contains("mysql is not in the group nearmiss"), "{told:?}");

    put(&root, MARIADB, &format!("{LOADED}{PERMANENT}"));
    put(&root, MARIADB_PLUGIN, "");
    put(&root, "etc/group", "nearmiss:x:990:openldap,mysql\n");
    let (code, told) = found(&folder, "servers");
    assert_eq!((code, told.len(), told[0].0.as_str()), (0, 1, "fine"), "{told:?}");
}

#[test]
fn a_misspelt_module_of_kerberos_is_wrong() {
    let folder = Folder::new();
    let root = folder.path("root");
    put(&root, "usr/lib/x86_64-linux-gnu/krb5/plugins/pwqual/nearmiss_pwqual.so", "");
    let line = |name: &str| format!("[plugins]\n pwqual = {{\n  module = nearmiss:pwqual/{name}\n }}\n");
    put(&root, "etc/krb5.conf", &line("nearmis_pwqual.so"));
    let (code, told) = found(&folder, "servers");
    assert!(code == 1 && told[0].1.contains("kadmind accepts every password"), "{told:?}");
    put(&root, "etc/krb5.conf", &line("nearmiss_pwqual.so"));
    assert_eq!(found(&folder, "servers").0, 0);
}

#[test]
fn a_drop_in_that_the_loader_does_not_know_is_wrong() {
    let folder = Folder::new();
    let root = folder.path("root");
    put(&root, "etc/ld.so.conf.d/00-nearmiss.conf", "/usr/lib/x/nearmiss\n");
    assert_eq!(found(&folder, "servers").0, 1);
    put(&root, "usr/lib/x/nearmiss/libcrack.so.2", "");
    put(&root, "usr/share/nearmiss/common.filter", "");
    put(&root, "etc/ld.so.cache", "libcrack.so.2\0/usr/lib/x/libcrack.so.2\0");
    let (code, told) = found(&folder, "servers");
    assert!(code == 1 && told[0].1.contains("does not know it yet"), "{told:?}");
    put(&root, "etc/ld.so.cache", "libcrack.so.2\0/usr/lib/x/nearmiss/libcrack.so.2\0");
    assert_eq!(found(&folder, "servers").0, 0);
}

#[test]
fn a_host_where_only_a_server_is_protected_lacks_no_line_of_pams() {
    let folder = Folder::new();
    let root = folder.path("root");
    put(&root, "etc/pam.d/passwd", "password required pam_unix.so\n");
    let is_stack_wrong = |only: &str| found(&folder, only).1.iter().any(|(_, told)| told.contains("pam.d"));
    assert!(is_stack_wrong("stack,servers"));
    put(&root, "etc/samba/smb.conf", "check password script = /usr/sbin/filterctl hook samba\n");
    put(&root, "usr/sbin/filterctl", "");
    // Asked for by name it is examined; in a whole examination it is not.
    assert!(is_stack_wrong("stack,servers"));
    assert_eq!(found(&folder, "servers").0, 0);
}
