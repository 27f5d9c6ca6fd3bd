//! Bad and good passwords that were made by hand, before the packaged filters: a regression, no rate.

use std::collections::BTreeSet;

use crate::{Folder, run, run_with};

const BAD: &str = include_str!("../fixtures/bad.txt");
const GOOD: &str = include_str!("../fixtures/good.txt");
const LANGUAGES: &str = include_str!("../fixtures/languages.txt");

fn passwords(text: &str) -> Vec<&str> {
    text.lines().filter(|line| !line.starts_with('#')).collect()
}

/// Those that are known to pass, by their tilde, and all of them without it.
fn known_and_all(lines: Vec<&str>) -> (BTreeSet<&str>, Vec<&str>) {
    let known = lines.iter().filter_map(|line| line.strip_prefix('~')).collect();
    (known, lines.into_iter().map(|line| line.trim_start_matches('~')).collect())
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
    let (known, all) = known_and_all(passwords(BAD));
    assert_eq!((all.len(), known.len()), (322, 2));
    assert_eq!(passing(&all), known);
}

/// A line has the password, its language and the habit by which it was made.
#[test]
fn habits_of_sixty_languages_are_rejected_but_for_those_that_are_known() {
    let rows: Vec<Vec<&str>> = passwords(LANGUAGES).iter().map(|line| line.split('\t').collect()).collect();
    assert!(rows.iter().all(|row| row.len() == 3), "a line without a language or a habit");
    let languages: BTreeSet<&str> = rows.iter().map(|row| row[1]).collect();
    let (known, all) = known_and_all(rows.iter().map(|row| row[0]).collect());
    assert!(all.iter().all(|password| password.chars().count() >= 8), "rejected by its length alone");
    assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len(), "a password twice");
    assert!(all.len() >= 120 && languages.len() >= 60, "{} of {}", all.len(), languages.len());
    assert_eq!(passing(&all), known);
}

#[test]
fn good_passwords_pass() {
    let all = passwords(GOOD);
    assert_eq!(all.len(), 90);
    assert_eq!(passing(&all).len(), all.len());
}

/// The advice is an option that the size follows from.
#[test]
fn a_filter_that_does_not_fit_into_memory_says_which_option_makes_it_smaller() {
    let folder = Folder::new();
    let (list, output) = (folder.file("list", "elephant\n"), folder.path("f"));
    let [list, output] = [&list, &output].map(|path| path.to_str().unwrap());
    for (options, advice) in [
        (&["--bits", "10000000000000000", "--probes", "10"][..], "choose fewer --bits"),
        (&["--capacity", "1000000000000000"], "choose a smaller --capacity"),
    ] {
        let told = run([&["build", "--match", "exact", "-o", output][..], options, &[list]].concat());
        assert!(told.error_line().contains(&format!("does not fit into memory; {advice} [")), "{told:?}");
    }
}
