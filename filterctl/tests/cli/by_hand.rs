//! Bad and good passwords that were made by hand, before the packaged filters: a regression, no rate.

use std::collections::BTreeSet;

use crate::{Folder, run, run_with};

const BAD: &str = include_str!("../fixtures/bad.txt");
const GOOD: &str = include_str!("../fixtures/good.txt");

fn passwords(text: &str) -> Vec<&str> {
    text.lines().filter(|line| !line.starts_with('#')).collect()
}

/// Those that the packaged filters let pass.
fn passing<'p>(passwords: &[&'p str]) -> BTreeSet<&'p str> {
    let folder = Folder::new();
    let (near, exact) = (folder.path("near"), folder.path("exact"));
    // One key, so that none is rejected by another accident each time.
    let key = "000102030405060708090a0b0c0d0e0f";
    let build = ["build", "--quiet", "--key", key, "--output"];
    for (output, list) in [
        (&near, &["--common"][..]),
        (&exact, &["--everyday", "--match", "exact", "--false-rejection", "0.0001"]),
    ] {
        let arguments = build.iter().map(Into::into).chain([output.clone()]);
        assert_eq!(run(arguments.chain(list.iter().map(Into::into))).code, 0);
    }
    let rule = |filter: &std::path::Path, matching: &str| {
        format!("[[dictionary]]\nfile = '{}'\nmatch = '{matching}'\n", filter.display())
    };
    let rules = rule(&near, "near") + &rule(&exact, "exact");
    let conf = folder.file("n.conf", format!("packaged = false\n{rules}")).display().to_string();
    let judged = run_with(["check", "--conf", conf.as_str()], passwords.join("\n").as_bytes());
    let verdicts: Vec<&str> = judged.out.lines().collect();
    assert_eq!(verdicts.len(), passwords.len(), "{judged:?}");
    let is_accepted = |verdict: &str| verdict.contains(": accept");
    let pairs = passwords.iter().zip(verdicts);
    pairs.filter(|(_, verdict)| is_accepted(verdict)).map(|(password, _)| *password).collect()
}

#[test]
fn bad_passwords_of_many_languages_are_rejected_but_for_those_that_are_known() {
    let known: BTreeSet<&str> = BAD.lines().filter_map(|line| line.strip_prefix('~')).collect();
    let all: Vec<&str> = passwords(BAD).into_iter().map(|line| line.trim_start_matches('~')).collect();
    assert_eq!((all.len(), known.len()), (322, 2));
    assert_eq!(passing(&all), known);
}

#[test]
fn good_passwords_pass() {
    let all = passwords(GOOD);
    assert_eq!(all.len(), 90);
    assert_eq!(passing(&all).len(), all.len());
}
