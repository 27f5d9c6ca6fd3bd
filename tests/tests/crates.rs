//! The crates that are linked into what is packaged: few in the module, each of them read; and each licence
//! with its text in what `packaging/notices.py` makes, which every package has.

use std::{collections::BTreeSet, fs, process::Command};

use nearmiss_tests::artifacts::workspace;
use serde_json::Value;

/// No more crates than this in the module: each is read by somebody, and runs as root.
const CRATES_OF_THE_MODULE: usize = 35;

/// The output of a script of `packaging/`.
fn printed(script: &str, arguments: &[&str]) -> String {
    let mut command = Command::new("python3");
    command.arg(workspace().join("packaging").join(script)).args(arguments);
    let output = command.env("PYTHONDONTWRITEBYTECODE", "1").output().expect("python3 can be run");
    assert!(output.status.success(), "{script}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("scripts write UTF-8")
}

/// Name and version of each crate of a registry that is linked into a program.
fn linked(program: &str) -> BTreeSet<(String, String)> {
    let bill: Value = serde_json::from_str(&printed("sbom.py", &[program])).expect("JSON");
    let components = bill["components"].as_array().expect("a list").iter();
    let of_a_registry = components.filter(|component| component.get("hashes").is_some());
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    of_a_registry.map(|component| (text(&component["name"]), text(&component["version"]))).collect()
}

#[test]
fn the_module_has_few_crates_and_each_of_them_was_read() {
    let crates = linked("pam-nearmiss");
    assert!((10..=CRATES_OF_THE_MODULE).contains(&crates.len()), "{} crates in the module", crates.len());
    let text =
        fs::read_to_string(workspace().join("packaging/supply-chain/audits.toml")).expect("the audits");
    let audits: toml::Table = text.parse().expect("TOML");
    let of_name = audits["audits"].as_table().expect("a table");
    let read = of_name.iter().flat_map(|(name, entries)| {
        let entries = entries.as_array().expect("a list").iter();
        entries.map(move |entry| (name.clone(), entry["version"].as_str().expect("a version").to_owned()))
    });
    let read: BTreeSet<_> = read.collect();
    let unread: Vec<_> = crates.difference(&read).collect();
    assert!(unread.is_empty(), "read them, and write it into packaging/supply-chain/audits.toml: {unread:?}");
    let left: Vec<_> = read.difference(&crates).collect();
    assert!(
        left.is_empty(),
        "not linked into the module: take them out of packaging/supply-chain/audits.toml: {left:?}"
    );
}

/// The number of crates of these programs, each of which these notices list with texts that name it.
fn listed(notices: &str, programs: &[&str]) -> usize {
    let crates: BTreeSet<_> = programs.iter().flat_map(|program| linked(program)).collect();
    for (name, version) in &crates {
        let start = format!("{name} {version}: ");
        let line = notices.lines().find_map(|line| line.strip_prefix(&start));
        let (licence, texts) = line.and_then(|line| line.split_once("; texts ")).expect(&start);
        assert!(!licence.is_empty(), "{name}");
        for number in texts.split(", ") {
            let heading = format!("\nText {number}, of ");
            let users = notices.split_once(&heading).expect(&heading).1.lines().next();
            assert!(users.is_some_and(|users| users.split(", ").any(|user| user == name)), "{heading}{name}");
        }
    }
    crates.len()
}

#[test]
fn the_notices_have_a_text_for_each_linked_crate() {
    let notices = printed("notices.py", &[]);
    let programs =
        ["pam-nearmiss", "filterctl", "filterlab", "nearmiss-agent", "nearmiss-fetch", "nearmiss-capi"];
    listed(&notices, &programs);
    for licence in ["Unicode-3.0", "ISC", "Zlib", "BSD-3-Clause", "MIT"] {
        assert!(notices.lines().any(|line| line.contains(&format!(": {licence};"))), "{licence}");
    }
}

#[test]
fn the_notices_of_one_program_are_of_its_crates_alone() {
    for program in ["pam-nearmiss", "filterctl", "filterlab"] {
        let notices = printed("notices.py", &[program]);
        let crates = notices.lines().filter(|line| line.contains("; texts ")).count();
        assert_eq!(crates, listed(&notices, &[program]), "{program}");
    }
}

/// The holders differ, the terms do not: every package has this file.
#[test]
fn the_notices_have_no_terms_twice() {
    let notices = printed("notices.py", &[]);
    let rule = "=".repeat(80);
    let texts = notices.split(rule.as_str());
    let terms = texts.filter_map(|text| Some(text.split_once("Permission is hereby granted")?.1));
    let terms: Vec<String> =
        terms.map(|terms| terms.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    let distinct: BTreeSet<&String> = terms.iter().collect();
    assert!(distinct.len() > 1, "{} terms", distinct.len());
    assert_eq!(distinct.len(), terms.len());
}

/// Each way of packaging installs the file in each package that has linked crates in it; one line is for all
/// parts of `parts.sh` where a recipe makes them alike.
#[test]
fn every_package_has_the_notices() {
    for (recipe, times) in [
        ("debian/rules", 4),
        ("rpm/nearmiss.spec", 10),
        ("arch/PKGBUILD", 3),
        ("alpine/APKBUILD", 3),
        ("nix/package.nix", 3),
    ] {
        let text = fs::read_to_string(workspace().join("packaging").join(recipe)).expect("a recipe");
        let installs = |line: &&str| line.contains("/NOTICES") && !line.contains('>');
        assert_eq!(text.lines().filter(installs).count(), times, "{recipe}");
        assert!(text.contains("generate.sh") || text.contains("notices.py"), "{recipe} makes the file");
    }
}
