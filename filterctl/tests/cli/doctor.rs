//! The findings of `filterctl doctor` about filters and the stacks of another root: never green where
//! something is wrong, and each problem with the line that fixes it. What needs libpam is in the end-to-end
//! tests.

use std::{
    fs::{self, OpenOptions},
    os::unix::fs::{FileExt, PermissionsExt},
    path::PathBuf,
};

use serde_json::Value;

use crate::{Folder, Run, run};

/// A site with a filter of its own, and no ladder.
struct Site {
    folder: Folder,
    conf: PathBuf,
    filter: PathBuf,
}

impl Site {
    fn new(words: &str, settings: &str) -> Site {
        let folder = Folder::new();
        let filter = folder.filter(words);
        let none = folder.path("none").display().to_string();
        let shown = filter.display();
        let text = format!(
            "packaged = false\n{settings}\n[[dictionary]]\nfile = \"{shown}\"\n[ladder]\nfile = {none:?}\n\
             key = {none:?}\n[guesses]\nfile = {none:?}\n"
        );
        let conf = folder.file("site.conf", text);
        Site { folder, conf, filter }
    }

    fn doctor(&self, only: &str, more: &[&str]) -> Run {
        let conf = self.conf.to_str().unwrap();
        run([&["doctor", "--only", only, "--conf", conf][..], more].concat())
    }

    /// The findings that are not fine, as state, message and fix.
    fn problems(&self, only: &str) -> (i32, Vec<[String; 3]>) {
        let shown = self.doctor(only, &["--json", "--only-problems"]);
        let Some(told) = shown.json().pop() else { return (shown.code, Vec::new()) };
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let findings = told["findings"].as_array().unwrap().iter();
        (shown.code, findings.map(|one| ["state", "message", "fix"].map(|name| text(&one[name]))).collect())
    }
}

/// Enough words for many pages.
fn words(count: u32) -> String {
    (0..count).map(|number| format!("word{}x{number}\n", number.wrapping_mul(2_654_435_761))).collect()
}

fn damage(site: &Site, pages: u64) {
    let file = OpenOptions::new().write(true).open(&site.filter).unwrap();
    for page in 0..pages {
        file.write_all_at(&[0x5A; 4096], (page + 3) * 4096).unwrap();
    }
}

#[test]
fn each_damaged_page_is_counted_and_what_fixes_it_is_named() {
    let site = Site::new(&format!("password\n{}", words(150_000)), "");
    for form in [&["--only-problems"][..], &["--only-problems", "--json"]] {
        assert_eq!(site.doctor("filters", form).out, "", "{form:?}");
    }
    let whole = fs::read(&site.filter).unwrap();
    assert!(whole.len() > 303 * 4096, "{} bytes", whole.len());
    for pages in [1, 5, 50, 300] {
        damage(&site, pages);
        let (code, found) = site.problems("filters");
        let [state, message, fix] = &found[0];
        assert_eq!((code, state.as_str()), (1, "wrong"), "{found:?}");
        assert!(message.contains(&format!(": {pages} of ")), "{found:?}");
        assert_eq!(fix, &format!("filterctl install NEW.filter {}", site.filter.display()));
        assert!(!found.iter().any(|[_, message, _]| message.contains("is accepted")), "{found:?}");
        fs::write(&site.filter, &whole).unwrap();
    }
    assert_eq!(site.problems("filters"), (0, Vec::new()));
}

#[test]
fn a_filter_of_the_site_that_is_gone_is_not_sent_to_update() {
    let site = Site::new("password\n", "");
    let new = site.folder.path("new.filter");
    fs::copy(&site.filter, &new).unwrap();
    let [new, target] = [&new, &site.filter].map(|path| path.to_str().unwrap().to_owned());
    fs::remove_file(&site.filter).unwrap();
    assert_eq!(run(["install", &new, &target]).code, 0);
    assert_eq!(site.problems("filters"), (0, Vec::new()));
    fs::remove_file(&site.filter).unwrap();
    let (code, found) = site.problems("filters");
    assert_eq!((code, found.len()), (1, 1), "{found:?}");
    let [_, message, fix] = &found[0];
    assert!(message.contains("users cannot change passwords"), "{found:?}");
    assert_eq!(fix, &format!("filterctl install {new} {target}"));
    // The printed commands can be typed.
    let words: Vec<&str> = fix.split(' ').skip(1).collect();
    assert_eq!(run(words).code, 0);
    assert_eq!(site.problems("filters"), (0, Vec::new()));
}

#[test]
fn what_is_weaker_than_configured_has_a_status_of_its_own() {
    for (settings, says) in [("enforce = \"audit\"", "audit"), ("log = \"none\"", "decisions are not logged")]
    {
        let site = Site::new("password\n", settings);
        let shown = site.doctor("stack", &["--root", site.folder.path("").to_str().unwrap()]);
        assert!(shown.out.contains("WARNING") && shown.out.contains(says), "{shown:?}");
    }
    let site = Site::new("elephant\n", "");
    let (code, found) = site.problems("filters");
    assert_eq!((code, found[0][0].as_str()), (3, "warning"), "{found:?}");
    assert!(found[0][1].contains("no dictionary of this host has common passwords"), "{found:?}");
    let text = site.doctor("filters", &["--only-problems"]);
    assert!(text.code == 3 && text.out.starts_with("WARNING  check "), "{text:?}");
    assert!(text.out.lines().nth(1).unwrap().starts_with("         fix: filterctl "), "{text:?}");
}

/// Levels of single parts, rules that are off, a filter without words, a file that is not read.
#[test]
fn settings_that_make_the_check_weak_are_named() {
    let audit = Site::new("password\n", "");
    let text = fs::read_to_string(&audit.conf).unwrap();
    fs::write(&audit.conf, text.replace("[ladder]", "enforce = \"audit\"\n[ladder]")).unwrap();
    let (code, found) = audit.problems("filters");
    assert_eq!((code, found.len()), (3, 1), "{found:?}");
    assert_eq!(found[0][1], "\"password1\" is found weak, and accepted: enforce = \"audit\"");
    let root = audit.folder.path("");
    let settings = |site: &Site| {
        let shown = site.doctor("stack", &["--root", root.to_str().unwrap()]);
        shown.out.lines().filter(|line| line.contains(" settings ")).map(str::to_owned).collect::<String>()
    };
    let file = audit.filter.display();
    assert!(settings(&audit).contains(&format!("enforce = \"audit\" of {file}")), "{}", settings(&audit));

    let short = settings(&Site::new("password\n", "min_length = 1"));
    assert!(short.starts_with("WARNING") && short.contains("min_length = 1"), "{short}");

    let unread = Site::new("password\n", "");
    assert!(settings(&unread).starts_with("ok "), "{}", settings(&unread));
    let drop_in = unread.folder.path("site.conf.d/site.toml");
    fs::create_dir(drop_in.parent().unwrap()).unwrap();
    fs::write(&drop_in, "min_length = 20\n").unwrap();
    let shown = settings(&unread);
    assert!(shown.starts_with("WARNING") && shown.contains(drop_in.to_str().unwrap()), "{shown}");

    let empty = Site::new("password\n", "");
    fs::remove_file(&empty.filter).unwrap();
    let shape = ["--match", "exact", "--bits", "60000", "--probes", "5", "--capacity", "5000"];
    let output = ["build", "--empty", "--output", empty.filter.to_str().unwrap()];
    assert_eq!(run(output.iter().chain(&shape)).code, 0);
    let (code, found) = empty.problems("filters");
    let says = format!("{}: contains no words, and rejects nothing", empty.filter.display());
    assert!(code == 3 && found.iter().any(|[_, message, _]| *message == says), "{found:?}");
}

#[test]
fn what_fixes_a_list_is_a_command_after_which_the_update_succeeds() {
    let site = Site::new("password\n", "");
    let folder = site.folder.path("dict");
    fs::create_dir(&folder).unwrap();
    let list = folder.join("english");
    fs::write(&list, format!("password\n{}", words(30))).unwrap();
    let text = fs::read_to_string(&site.conf).unwrap();
    fs::write(&site.conf, format!("{text}[update]\nfolders = [{folder:?}]\n")).unwrap();
    let [conf, output] = [&site.conf, &site.filter].map(|path| path.to_str().unwrap());
    let update = || run(["update", "--conf", conf, "--output", output]).code;
    assert_eq!(run(["update", "--force", "--conf", conf, "--output", output]).code, 0);
    // Everything of the printed command but the update, which is not on the path here.
    let fix = || site.problems("filters").1.remove(0)[2].clone();
    let typed = |fix: &str| {
        let (command, rest) = fix.split_once(" && ").unwrap();
        assert!(rest.starts_with("filterctl update --output"), "{fix}");
        assert!(std::process::Command::new("sh").args(["-c", command]).status().unwrap().success(), "{fix}");
    };
    fs::set_permissions(&list, fs::Permissions::from_mode(0o666)).unwrap();
    assert_eq!(update(), 2);
    typed(&fix());
    assert_eq!((update(), site.problems("filters").0), (0, 0));
    // Its content cannot be used: what is left of the command goes on without it.
    fs::write(&list, b"\x1f\x8b\x08\0\0\0\0\0\0\x03\x01").unwrap();
    assert_eq!(update(), 2);
    assert!(fix().ends_with("--drop-missing"), "{}", fix());
    assert_eq!(run(["update", "--drop-missing", "--conf", conf, "--output", output]).code, 0);
    typed(&fix());
    assert_eq!((update(), site.problems("filters").0), (0, 0));
}

#[test]
fn lists_that_were_lost_and_rebuilds_that_failed_are_warnings_till_they_are_fixed() {
    let site = Site::new("password\n", "");
    let lists: Vec<PathBuf> = (0..10).map(|number| site.folder.path(&format!("list{number}.txt"))).collect();
    let write = || lists.iter().for_each(|list| fs::write(list, format!("password\n{}", words(30))).unwrap());
    write();
    let text = fs::read_to_string(&site.conf).unwrap();
    fs::write(&site.conf, format!("{text}[update]\nfolders = []\nlists = {lists:?}\n")).unwrap();
    let [conf, output] = [&site.conf, &site.filter].map(|path| path.to_str().unwrap());
    let update = |more: &[&str]| run([&["update", "--conf", conf, "--output", output][..], more].concat());
    assert_eq!(update(&["--force"]).code, 0);
    assert_eq!(site.problems("filters"), (0, Vec::new()));
    for list in &lists {
        fs::remove_file(list).unwrap();
    }
    update(&[]);
    let (code, found) = site.problems("filters");
    assert_eq!(code, 3, "{found:?}");
    let [_, message, fix] = &found[0];
    assert!(message.contains("the last rebuild failed") && message.contains("list0.txt"), "{found:?}");
    // The update that failed would fail again: first the line that names the lists.
    let text = fs::read_to_string(&site.conf).unwrap();
    let line = 1 + text.lines().position(|line| line.starts_with("lists = ")).unwrap();
    let again = format!("filterctl update --output {output} --conf {conf}");
    assert_eq!(fix, &format!("vi +{line} {conf} && {again}"));
    update(&["--drop-missing"]);
    let (code, found) = site.problems("filters");
    assert!(code == 3 && found[0][1].contains("was built without 10 lists: "), "{found:?}");
    assert_eq!(found[0][2], format!("vi +{line} {conf} && {again}"));
    write();
    let built = run(["build", "--quiet", "--output", output, lists[0].to_str().unwrap()]);
    assert_eq!(built.code, 0, "{built:?}");
    assert_eq!(site.problems("filters"), (0, Vec::new()), "a filter built by hand has no update");
    update(&["--force"]);
    assert_eq!(site.problems("filters"), (0, Vec::new()));
}

#[test]
fn options_of_all_stacks_are_read_and_config_shows_those_of_its_line() {
    let site = Site::new("password\n", "");
    let root = site.folder.path("");
    fs::create_dir_all(root.join("etc/pam.d")).unwrap();
    let put = |name: &str, text: &str| fs::write(root.join("etc/pam.d").join(name), text).unwrap();
    put("passwd", "# a comment\npassword requisite pam_nearmiss.so retyr=3 enforce=Audit\n");
    put("sshd", "auth optional pam_nearmiss.so faild\n");
    let root = root.to_str().unwrap();
    let shown = site.doctor("stack", &["--root", root]);
    for says in [
        "passwd:2: unknown option ignored: retyr=3 (did you mean `retry=3`?)",
        "passwd:2: option ignored: enforce=Audit: expected reject, warn or audit (did you mean \
         `enforce=audit`?)",
        "sshd:1: unknown option ignored: faild (did you mean `failed`?)",
        r"fix: sed -i -e '2s/[[:space:]]retyr=3\([[:space:]]\|$\)/ retry=3\1/' ",
    ] {
        assert!(shown.code == 1 && shown.out.contains(says), "{says}: {shown:?}");
    }
    let shown = run(["config", "--root", root, "--conf", site.conf.to_str().unwrap()]);
    let wrong = shown.out.lines().filter(|line| line.starts_with("# WRONG: ")).count();
    assert!(wrong == 2 && shown.out.contains("(did you mean `retry=3`?)"), "{shown:?}");
}

#[test]
fn parts_that_are_not_asked_for_are_not_examined() {
    let site = Site::new("password\n", "");
    let checks = |only: &str| -> Vec<String> {
        let told = site.doctor(only, &["--json"]).json().remove(0);
        let findings = told["findings"].as_array().unwrap().iter();
        findings.map(|one| one["check"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(checks("ladder"), ["ladder"]);
    assert_eq!(checks("filters"), ["filter", "pages", "age", "check"]);
    assert_eq!(checks("ladder,filters"), ["filter", "pages", "age", "check", "ladder"]);
    assert_eq!(site.doctor("plugins", &[]).code, 2);
}
