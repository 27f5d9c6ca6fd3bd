//! Filters for logins: building them, and the doctor's findings on them and on the PAM lines that use them.

use std::{fs, os::unix::fs::PermissionsExt, path::PathBuf};

use serde_json::Value;

use crate::{Folder, build_arguments, run};

const CHECK: &str = "logins";

/// A site whose filter of digests is used at logins, and a root with stacks.
struct Site {
    folder: Folder,
    filter: PathBuf,
}

const ALL_LINES: &str = "\
    auth [success=1 default=ignore] pam_unix.so\nauth requisite pam_deny.so\n\
    auth required pam_permit.so\nauth optional pam_nearmiss.so passed\n\
    account required pam_unix.so\naccount optional pam_nearmiss.so notify\n";

impl Site {
    fn new(flags: &[&str]) -> Site {
        let folder = Folder::new();
        let site = Site { filter: folder.path("leaked.filter"), folder };
        let lines: String = (0..5000).map(|number| format!("{number:040x}\n")).collect();
        let list = site.folder.file("digests", lines);
        let mut arguments = build_arguments(&site.filter, &[&list]);
        arguments.extend(["--kind", "sha1", "--quiet"].iter().chain(flags).map(PathBuf::from));
        let built = run(&arguments);
        assert_eq!(built.code, 0, "{built:?}");
        fs::create_dir_all(site.folder.path("etc/pam.d")).unwrap();
        site.put(ALL_LINES);
        site.configure("logins = true");
        site
    }

    fn put(&self, lines: &str) {
        self.folder.file("etc/pam.d/common-auth", lines);
    }

    fn configure(&self, of_rule: &str) {
        let [filter, none] = [&self.filter, &self.folder.path("none")].map(|path| path.display().to_string());
        let text = format!(
            "packaged = false\n[[dictionary]]\nfile = \"{filter}\"\n{of_rule}\n[ladder]\nfile = {none:?}\n\
             key = {none:?}\n[guesses]\nfile = {none:?}\n"
        );
        self.folder.file("n.conf", text);
    }

    /// State, message and fix of what the doctor finds about logins.
    fn findings(&self) -> Vec<[String; 3]> {
        let [conf, root] = ["n.conf", ""].map(|name| self.folder.path(name).display().to_string());
        let shown = run(["doctor", "--only", "filters", "--json", "--conf", &conf, "--root", &root]);
        let told = shown.json().remove(0);
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let findings = told["findings"].as_array().unwrap().iter().filter(|one| one["check"] == CHECK);
        findings.map(|one| ["state", "message", "fix"].map(|name| text(&one[name]))).collect()
    }

    /// The only finding.
    fn finding(&self) -> [String; 3] {
        let mut found = self.findings();
        assert_eq!(found.len(), 1, "{found:?}");
        found.remove(0)
    }
}

#[test]
fn a_filter_for_logins_states_the_rate_for_them() {
    let folder = Folder::new();
    let list = folder.file("digests", "5baa61e4c9b93f3f0682250b6cf8331b7ee68fd8\n");
    let built = |flags: &[&str]| {
        let mut arguments = build_arguments(&folder.path("f"), &[&list]);
        arguments.extend(flags.iter().map(PathBuf::from));
        run(&arguments)
    };
    let done = built(&["--kind", "sha1", "--logins", "--json"]);
    let told = done.json().remove(0);
    let rate = told["stated_rate_per_lookup"].as_f64().unwrap();
    assert!((0.99e-6..=1e-6).contains(&rate), "{told}");
    assert!(built(&["--logins"]).error_line().contains("--match exact, or --kind sha1 or ntlm"));
    let words = folder.file("words", "elephant\n");
    let of_words = build_arguments(&folder.path("w"), &[&words]);
    let flags = ["--logins", "--match", "exact", "--json"].map(PathBuf::from);
    let told = run(of_words.into_iter().chain(flags)).json().remove(0);
    assert!((0.99e-6..=1e-6).contains(&told["stated_rate_per_lookup"].as_f64().unwrap()), "{told}");
    for flags in [["--false-rejection", "0.01"], ["--bits", "9999"]] {
        let clash = built(&[&["--kind", "sha1", "--logins", "--probes", "3"], &flags[..]].concat());
        assert_eq!(clash.code, 2, "{clash:?}");
    }
    let planned = run(["plan", "--entries", "1e9", "--kind", "sha1", "--logins", "--json"]).json().remove(0);
    let bits = planned["bits_per_entry"].as_f64().unwrap();
    assert!((28.5..29.5).contains(&bits) && planned["word_bits"] == 20, "{planned}");
}

#[test]
fn a_site_that_asks_at_logins_is_fine_and_one_that_does_not_has_nothing_to_say() {
    let site = Site::new(&["--logins"]);
    let [state, message, _] = site.finding();
    assert!(state == "fine" && message.contains("are notified at login"), "{message}");
    site.configure("");
    assert_eq!(site.findings(), Vec::<[String; 3]>::new());
}

/// A rate that is too high for a demand is no fault where nothing is demanded.
#[test]
fn a_demand_of_a_filter_that_is_wrong_too_often_is_a_warning() {
    let site = Site::new(&[]);
    let [state, message, _] = site.finding();
    assert!(state == "fine" && message.contains("one login in 63968 by accident"), "{message}");
    let demand = "account [default=1 new_authtok_reqd=ignore] pam_nearmiss.so notify force-change\n\
                  account optional pam_exec.so quiet seteuid /usr/libexec/nearmiss/expire\naccount required";
    site.put(&ALL_LINES.replace("account required", demand));
    let helper = site.folder.path("usr/libexec/nearmiss");
    fs::create_dir_all(&helper).unwrap();
    fs::write(helper.join("expire"), "").unwrap();
    fs::set_permissions(helper.join("expire"), fs::Permissions::from_mode(0o755)).unwrap();
    let [state, message, fix] = site.finding();
    assert!(state == "warning" && message.contains("rebuild it with --logins"), "{message}");
    assert_eq!(fix, "man filterctl-build");
    fs::remove_file(helper.join("expire")).unwrap();
    let found = site.findings();
    assert!(found[1][0] == "wrong" && found[1][1].contains("expire is missing"), "{found:?}");
}

#[test]
fn lines_that_are_not_there_and_filters_that_cannot_be_asked_are_named() {
    let site = Site::new(&["--logins"]);
    for lines in ["", &ALL_LINES.replace("notify", "record"), &ALL_LINES.replace("passed", "submit")] {
        site.put(lines);
        let found = site.findings();
        let [state, message, fix] = &found[1];
        assert!(state == "warning" && message.contains("passwords of logins are not looked up"), "{found:?}");
        assert_eq!(fix, "man pam_nearmiss");
    }
    // Without its profile and the files that it wrote, the tool of Debian would do nothing.
    fs::create_dir_all(site.folder.path("usr/sbin")).unwrap();
    site.folder.file("usr/sbin/pam-auth-update", "");
    assert_eq!(site.findings()[1][2], "man pam_nearmiss");
    site.put(ALL_LINES);
    let list = site.folder.file("words", "elephant\naccommodate\n");
    assert_eq!(run(build_arguments(&site.filter, &[&list])).code, 0);
    let [state, message, _] = site.finding();
    assert!(state == "wrong" && message.contains("configure match = \"exact\""), "{message}");
    site.configure("logins = true\nmatch = \"exact\"");
    assert_eq!(site.finding()[0], "fine");
    fs::remove_file(&site.filter).unwrap();
    let [state, message, _] = site.finding();
    assert!(state == "wrong" && message.contains("passwords of logins are not looked up in it"), "{message}");
}

#[test]
fn names_in_the_log_are_a_warning() {
    let site = Site::new(&["--logins"]);
    site.configure("logins = true\n[logins]\nlog_users = true");
    let found = site.findings();
    assert!(found[1][0] == "warning" && found[1][1].contains("learns whose password"), "{found:?}");
}
