//! `filterctl migrate`: what becomes of the settings of other modules. `UPDATE_GOLDEN=1` writes what is
//! printed for the systems in `migrate/`.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::{Folder, Run, run};

fn system(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/migrate").join(name)
}

fn migrate(root: &Path, more: &[&str]) -> Run {
    run(["migrate", "--root", root.to_str().unwrap()].iter().chain(more))
}

/// The settings of a text, as `filterctl config` reads them.
fn settings(text: &str) -> Vec<String> {
    let folder = Folder::new();
    let conf = folder.file("n.conf", text);
    let arguments = ["config", "--changed", "--root", "/nonexistent", "--conf", conf.to_str().unwrap()];
    let shown = run(arguments);
    assert_eq!(shown.code, 0, "{shown:?}{text}");
    let lines = shown.out.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| line.split(" # ").next().unwrap().trim().to_owned()).collect()
}

#[test]
fn what_is_printed_keeps_what_can_be_kept() {
    for (name, kept) in [
        (
            "pwquality",
            &[
                "min_length = 14",
                "enforce = \"warn\"",
                "enforce_for_root = true",
                "retry = 3",
                "context.gecos = false",
            ][..],
        ),
        (
            "passwdqc",
            &[
                "min_length = 9",
                "enforce_for_root = true",
                "suggest = 1",
                "suggest_bits = 65",
                "context.old_password = false",
                "retry = 3",
                "update.lists = [\"/usr/local/share/denied.txt\"]",
            ],
        ),
        ("both", &["min_length = 12", "retry = 2"]),
    ] {
        let root = system(name);
        let told = migrate(&root, &[]);
        assert_eq!((told.code, told.err.as_str()), (0, ""), "{told:?}");
        let text = told.out.clone();
        let golden = root.join("nearmiss.conf");
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            fs::write(&golden, &text).unwrap();
        }
        assert_eq!(fs::read_to_string(&golden).unwrap(), text, "{name}");
        let (mut found, mut kept) = (settings(&told.out), kept.to_vec());
        found.sort();
        kept.sort_unstable();
        assert_eq!(found, kept, "{name}");
    }
}

#[test]
fn every_option_is_named_once() {
    let options = |name: &str| -> String {
        let told = migrate(&system(name), &["--json"]).json().remove(0);
        told.to_string()
    };
    let told = options("pwquality");
    for option in ["difok", "dcredit", "ucredit", "minclass", "maxrepeat", "dictpath", "badwords"] {
        assert_eq!(told.matches(&format!("\"{option} = ")).count(), 1, "{option}: {told}");
    }
    assert!(!told.contains("minlen = 15") && !told.contains("minlen = 20"), "the line wins: {told}");
    assert!(!told.contains("initech\",") && told.contains("cracklib-unpacker /var/cache"), "{told}");
    let told = options("passwdqc");
    for option in ["max", "passphrase", "match", "min", "random"] {
        assert!(told.contains(&format!("\"{option} = ")), "{option}: {told}");
    }
}

#[test]
fn where_there_is_neither_it_says_so() {
    let folder = Folder::new();
    let told = migrate(&folder.path(""), &[]);
    assert_eq!((told.code, told.out.as_str()), (1, ""), "{told:?}");
    assert!(told.err.contains("there is nothing to migrate"), "{told:?}");
    fs::create_dir_all(folder.path("etc/pam.d")).unwrap();
    folder.file("etc/pam.d/passwd", "password requisite pam_passwdqc.so config=/etc/none.conf\n");
    let told = migrate(&folder.path(""), &[]);
    assert!(told.error_line().contains("etc/none.conf: No such file"), "{told:?}");
}
