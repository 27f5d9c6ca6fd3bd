//! The filter beside the packaged one: everyday words, and lists that are too long to be asked for what is
//! near.

use std::{fs, os::unix::fs::PermissionsExt, path::PathBuf};

use crate::{Folder, Run, run, run_with};

struct Host(Folder);

impl Host {
    fn new() -> Host {
        let host = Host(Folder::new());
        fs::create_dir(host.0.path("dict")).unwrap();
        host.list("short", "zyxwelephant\nqxysandwich\n");
        host
    }

    fn list(&self, name: &str, text: &str) {
        fs::write(self.0.path("dict").join(name), text).unwrap();
    }

    /// Numbers that are no words and far from each other.
    fn long_list(&self, name: &str, words: u64) {
        let word = |n: u64| format!("w{:016x}\n", n.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        self.list(name, &(0..words).map(word).collect::<String>());
    }

    /// Makes a list one that anybody may write.
    fn spoil(&self, name: &str) {
        fs::set_permissions(self.0.path(name), fs::Permissions::from_mode(0o666)).unwrap();
    }

    fn update(&self, conf: &str, more: &[&str]) -> Run {
        self.update_as_text(conf, &[&["--json"], more].concat())
    }

    fn update_as_text(&self, conf: &str, more: &[&str]) -> Run {
        let folders = format!("folders = ['{}']\n", self.0.path("dict").display());
        let conf = self.0.file("n.conf", format!("[update]\n{folders}{conf}"));
        let mut arguments = vec![PathBuf::from("update"), "--conf".into(), conf];
        arguments.extend(["--output".into(), self.0.path("near")]);
        arguments.extend(more.iter().map(|one| match one.strip_prefix("./") {
            Some(name) => self.0.path(name),
            None => PathBuf::from(one),
        }));
        run(arguments)
    }

    fn both(&self, conf: &str) -> [serde_json::Value; 2] {
        let run = self.update(conf, &["--exact", "./exact"]);
        assert_eq!((run.code, run.err.as_str()), (0, ""), "{run:?}");
        run.json().try_into().unwrap()
    }

    fn rejects(&self, filter: &str, password: &str) -> bool {
        let filter = self.0.path(filter).display().to_string();
        run_with(["check", "--filter", filter.as_str()], password.as_bytes()).code == 1
    }
}

#[test]
fn everyday_words_are_in_a_filter_of_their_own() {
    let host = Host::new();
    let [near, exact] = host.both("");
    assert_eq!((&near["match"], &exact["match"]), (&"near".into(), &"exact".into()));
    let names = [0, 1].map(|list| exact["lists"][list]["name"].as_str());
    assert_eq!(names, ["the everyday list", "the list of further passwords"].map(Some));
    assert_eq!((&near["false_rejection"], &exact["false_rejection"]), (&0.001.into(), &1e-4.into()));
    for password in [
        "willkommen",
        "schmetterling",
        "2fast2furious",
        "bienvenue",
        "bonjour1",
        "soleil99",
        "Papillon1",
        "frühling2026",
        "Fruehling2026",
        "fruhling99",
        "correcthorsebatterystaple",
        "loremipsum",
        "winteriscoming",
        "YouShallNotPass",
        "nevergonnagiveyouup",
        "mittwoch",
        "wrzesień",
        "wrzesien1",
    ] {
        assert!(host.rejects("near", password) || host.rejects("exact", password), "{password}");
    }
    assert!(host.rejects("exact", "regenbogen") && !host.rejects("near", "regenbogen"));
    assert!(!host.rejects("exact", "regenbqgen"), "members alone");
    assert!(host.rejects("near", "zyxwelephqnt") && !host.rejects("exact", "zyxwelephant"));
    let [near, exact] = host.both("");
    assert_eq!([&near["state"], &exact["state"]], ["up-to-date"; 2]);
}

#[test]
fn lists_that_are_too_long_are_asked_for_members_alone() {
    let host = Host::new();
    host.long_list("long", 120_000);
    let [near, exact] = host.both("");
    let long = serde_json::json!([host.0.path("dict/long")]);
    assert_eq!((&near["exactly"], &near["match"]), (&long, &"near".into()));
    assert!(exact["lists"][2]["name"].as_str().unwrap().ends_with("/long"), "{exact}");
    let (word, near_word) = ("w9e3779b97f4a7c15", "w9e3779b97f4a7c16");
    assert!(host.rejects("exact", word) && !host.rejects("near", near_word), "{near}");
    assert!(!host.rejects("exact", near_word));
    let shown = host.update_as_text("", &["--force", "--exact", "./exact"]);
    let line =
        format!("  exact only      {}: near filters have at most ", host.0.path("dict/long").display());
    assert!(shown.code == 0 && shown.out.contains(&line), "{shown:?}");
    let crowded = host.update("match = \"near\"\n", &["--exact", "./exact"]);
    assert!(crowded.err.contains("set min_length = 10"), "{crowded:?}");
    let [near, exact]: [serde_json::Value; 2] = crowded.json().try_into().unwrap();
    assert_eq!((&near["exactly"], near["lists"].as_array().unwrap().len()), (&serde_json::json!([]), 3));
    assert_eq!(exact["lists"].as_array().unwrap().len(), 2);
    let [near, exact] = host.both("match = \"exact\"\n");
    assert_eq!((&near["match"], &exact["state"]), (&"exact".into(), &"up-to-date".into()));
    assert_eq!(near["lists"].as_array().unwrap().len(), 3);
}

/// The built-in list alone leaves room for 110,000 words.
#[test]
fn a_filter_without_another_beside_it_is_exact_where_it_is_long() {
    let host = Host::new();
    let told = host.update("", &[]).json().remove(0);
    assert_eq!((&told["match"], host.0.path("exact").exists()), (&"near".into(), false));
    host.long_list("long", 120_000);
    let told = host.update("", &[]).json().remove(0);
    assert_eq!((&told["match"], &told["lists"][2]["accepted"]), (&"exact".into(), &2.into()));
    let text = host.update("", &["--force"]);
    assert_eq!(text.code, 0);
}

/// A filter that the module uses must exist.
#[test]
fn without_the_built_in_lists_it_holds_nothing() {
    let host = Host::new();
    let [near, exact] = host.both("common = false\n");
    assert_eq!((&near["words"], &exact["words"]), (&2.into(), &0.into()));
    assert!(!host.rejects("exact", "willkommen"));
}

/// A long list that cannot be read any more: each filter keeps what it has.
#[test]
fn a_long_list_that_is_lost_leaves_the_exact_filter_as_it_was() {
    let host = Host::new();
    host.long_list("long", 120_000);
    host.both("");
    let before = fs::read(host.0.path("exact")).unwrap();
    host.spoil("dict/long");
    host.list("short", "zyxwelephant\nanother\n");
    let run = host.update("", &["--exact", "./exact"]);
    assert_eq!(run.code, 2, "{run:?}");
    assert!(run.err.contains("/long") && run.err.contains("exact: not rebuilt"), "{run:?}");
    assert!(fs::read(host.0.path("exact")).unwrap() == before);
    assert!(host.rejects("near", "another1") || host.rejects("near", "qxysandwich"));
}

/// What one filter would lose says nothing about the other, which may be damaged.
#[test]
fn a_short_list_that_is_lost_leaves_the_exact_filter_to_be_repaired() {
    let host = Host::new();
    host.long_list("long", 120_000);
    host.both("");
    let [near, exact] = ["near", "exact"].map(|name| host.0.path(name));
    let before = fs::read(&near).unwrap();
    fs::write(&exact, "damaged").unwrap();
    host.spoil("dict/short");
    let told = host.update("", &["--exact", "./exact"]);
    assert_eq!(told.code, 2, "{told:?}");
    assert!(told.err.contains("/short") && told.err.contains("near: not rebuilt"), "{told:?}");
    assert!(fs::read(&near).unwrap() == before && host.rejects("exact", "w9e3779b97f4a7c15"));
}

/// The status says that one of the two filters lacks a list, whichever it is.
#[test]
fn one_filter_that_lacks_a_list_is_enough_for_the_status() {
    let both = ["--exact", "./exact"];
    let host = Host::new();
    host.long_list("long", 120_000);
    host.both("");
    host.spoil("dict/long");
    let dropped = host.update("", &["--drop-missing", "--exact", "./exact"]);
    assert_eq!(dropped.code, 0, "asked for: {dropped:?}");
    let lacks = |run: &Run| run.json().iter().map(|one| one["dropped"].as_array().unwrap().len()).collect();
    let exact_lacks = host.update("", &both);
    let numbers: Vec<usize> = lacks(&exact_lacks);
    assert_eq!((exact_lacks.code, numbers), (1, vec![0, 1]), "{exact_lacks:?}");

    let host = Host::new();
    host.0.file("company", "acme\n");
    host.spoil("company");
    let conf = format!("lists = ['{}']\n", host.0.path("company").display());
    let near_lacks = host.update(&conf, &both);
    let numbers: Vec<usize> = lacks(&near_lacks);
    assert_eq!((near_lacks.code, numbers), (1, vec![1, 0]), "{near_lacks:?}");
}

/// A file that neither of the two was built from.
#[test]
fn what_neither_filter_has_is_reported_once() {
    let host = Host::new();
    host.list("shared", "zebra\n");
    host.spoil("dict/shared");
    host.list("short~", "zebra\n");
    for state in ["rebuilt", "up-to-date"] {
        let run = host.update("common = false\n", &["--exact", "./exact"]);
        assert_eq!((run.code, run.err.lines().count()), (0, 1), "{run:?}");
        let told = run.json();
        assert!(told.iter().all(|one| one["state"] == state), "{run:?}");
        let skipped = |one: &serde_json::Value| one["skipped"].as_array().unwrap().len();
        assert_eq!(told.iter().map(skipped).collect::<Vec<_>>(), [2, 0], "{run:?}");
    }
}

#[test]
fn the_everyday_list_can_be_built_by_hand() {
    let folder = Folder::new();
    let filter = folder.path("f").display().to_string();
    let told = run(["build", "--everyday", "--match", "exact", "--json", "--output", filter.as_str()]);
    let told = told.json().remove(0);
    assert_eq!((&told["lists"][0]["skipped"], &told["match"]), (&serde_json::json!([]), &"exact".into()));
}
