//! `filterctl check` and `filterctl suggest` decide by the options of the PAM line, as the module does.

use std::{fs, path::PathBuf};

use crate::{Folder, Run, build_arguments, run, run_with};

/// The root of a system whose PAM line has options, and whose settings list the filter of `elephant`.
struct System {
    folder: Folder,
    listed: PathBuf,
}

impl System {
    fn new(options: &str) -> System {
        let folder = Folder::new();
        for name in ["etc/pam.d", "etc/security"] {
            fs::create_dir_all(folder.path(name)).unwrap();
        }
        let listed = folder.filter("elephant\n");
        let file = listed.to_str().unwrap();
        let conf = format!("packaged = false\n[[dictionary]]\nfile = {file:?}\n");
        folder.file("etc/security/nearmiss.conf", conf);
        folder.file("etc/pam.d/passwd", "@include common-password\n");
        folder.file("etc/pam.d/chfn", "password required pam_permit.so\n");
        let system = System { folder, listed };
        system.line(options);
        system
    }

    fn line(&self, options: &str) {
        let line = format!("# PAM\npassword requisite pam_nearmiss.so retry=3 {options}\n");
        self.folder.file("etc/pam.d/common-password", line);
    }

    /// Another filter of these words.
    fn other_filter(&self, words: &str) -> PathBuf {
        let (list, filter) = (self.folder.file("other.txt", words), self.folder.path("other.filter"));
        assert_eq!(run(build_arguments(&filter, &[&list])).code, 0);
        filter
    }

    fn run(&self, command: &[&str], input: &[u8]) -> Run {
        let root = self.folder.path("");
        run_with([command, &["--root", root.to_str().unwrap()]].concat(), input)
    }

    fn check(&self, more: &[&str], input: &[u8]) -> Run {
        self.run(&[&["check", "--no-ladder"], more].concat(), input)
    }
}

#[test]
fn the_filter_of_the_line_takes_the_place_of_the_configured_ones() {
    let system = System::new("");
    let other = system.other_filter("zebrapassword\n");
    let candidates = b"elephant\nzebrapassword\n";
    let plain = system.check(&[], candidates);
    assert!(plain.out.starts_with("1: reject: dictionary: ") && plain.out.contains("\n2: accept\n"));
    assert_eq!(plain.err, "", "the line has no option that counts here");
    system.line(&format!("filter={}", other.display()));
    let told = system.check(&[], candidates);
    assert!(told.out.starts_with("1: accept\n2: reject: dictionary: "), "{told:?}");
    let place = format!("{}:2", system.folder.path("etc/pam.d/common-password").display());
    assert!(told.err.contains(&place) && told.err.contains("filter="), "{told:?}");
    // What the command line names is used as it is.
    let listed = system.listed.to_str().unwrap();
    let conf = system.folder.path("etc/security/nearmiss.conf");
    for named in [["--filter", listed], ["--conf", conf.to_str().unwrap()]] {
        let told = system.check(&named, candidates);
        assert!(told.out.starts_with("1: reject: ") && told.out.contains("\n2: accept\n"), "{told:?}");
        assert_eq!(told.err, "", "{named:?}");
    }
    let other_service = system.check(&["--service", "chfn"], candidates);
    assert!(other_service.out.starts_with("1: reject: "), "it has no line of the module: {other_service:?}");
}

#[test]
fn the_settings_and_the_level_of_the_line_count() {
    let system = System::new("");
    let candidate = b"Vq7#mzt0Lp2x\n";
    assert_eq!(system.check(&[], candidate).code, 0);
    let file = system.listed.to_str().unwrap();
    let line_conf = format!("packaged = false\nmin_length = 20\n[[dictionary]]\nfile = {file:?}\n");
    let line_conf = system.folder.file("line.conf", line_conf);
    system.line(&format!("conf={}", line_conf.display()));
    let told = system.check(&[], candidate);
    assert!(told.code == 1 && told.out.contains("too-short") && told.err.contains("conf="), "{told:?}");
    let suggested = system.run(&["suggest"], b"");
    assert!(suggested.code == 0 && suggested.err.contains("conf="), "{suggested:?}");
    assert_eq!(system.run(&["suggest", "--quiet"], b"").err, "");
    system.line("enforce=audit");
    let told = system.check(&[], b"elephant\n");
    assert!(told.out.starts_with("1: would audit: dictionary: "), "{told:?}");
    assert!(told.err.contains("enforce=audit"), "{told:?}");
}

/// The module ignores an option with a mistake, and goes on with the rest of the line.
#[test]
fn an_option_that_the_module_ignores_is_ignored() {
    let system = System::new("filter=../other.filter conf=none.conf enforce=maybe");
    let told = system.check(&[], b"elephant\n");
    assert!(told.code == 1 && told.out.starts_with("1: reject: dictionary: "), "{told:?}");
    assert_eq!(told.err, "");
}

#[test]
fn the_doctor_warns_of_dictionaries_that_the_line_hides() {
    let system = System::new("");
    let other = system.other_filter("password\n");
    let findings = || {
        let shown = system.run(&["doctor", "--only", "filters", "--json"], b"");
        let told = shown.json().remove(0);
        let findings = told["findings"].as_array().unwrap().clone();
        findings.into_iter().filter(|one| one["check"] == "hidden").collect::<Vec<_>>()
    };
    assert_eq!(findings(), Vec::<serde_json::Value>::new());
    system.line(&format!("filter={}", other.display()));
    let found = findings();
    assert_eq!(found.len(), 1, "{found:?}");
    let text = |name: &str| found[0][name].as_str().unwrap().to_owned();
    assert_eq!((text("state").as_str(), text("key").as_str()), ("warning", "settings-weak"));
    assert!(text("message").contains(system.listed.to_str().unwrap()), "{found:?}");
    assert!(text("fix").starts_with("vi +2 "), "{found:?}");
    system.line(&format!("filter={}", system.listed.display()));
    assert_eq!(findings().len(), 0, "it is the configured one");
}
