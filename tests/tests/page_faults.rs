//! The page faults of a password change, which any user can read in `/proc`, do not depend on the
//! password, accepted or rejected.

use std::{collections::BTreeMap, process::Command};

use nearmiss_tests::{
    artifacts::{PAGE_BY_PAGE, artifacts},
    faults::compile,
    filters::make_private,
    pam::{AUTHTOK_ERR, Folder, SUCCESS, run, unprivileged},
};

/// Passwords of 8 to 34 characters made of each word: all lower case, with capitals and digits, leet,
/// accents, and its own reversal after it.
fn passwords(words: &[&str]) -> Vec<String> {
    let forms: [fn(&str) -> String; 5] = [
        str::to_owned,
        |word| format!("{}{}", word.to_uppercase(), 2026),
        |word| word.replace('o', "0").replace('e', "3").replace('i', "1"),
        |word| word.replace('a', "à").replace('u', "ü"),
        |word| format!("{word}~{}", word.chars().rev().collect::<String>()),
    ];
    words.iter().flat_map(|word| forms.iter().map(move |form| form(word))).collect()
}

/// Words that are accepted in every form.
const ACCEPTED: [&str; 6] =
    ["zuvokriqam", "wexilopundart", "jubrifeklosta", "quilmovertazip", "xandrobeflumip", "vokutrezaniqolp"];

/// Words that are rejected in the first four forms: two words, and others one character away from words.
const REJECTED: [&str; 6] = ["elephant", "butterfly", "elephqnt", "accomodate", "tnahpele", "ylfrexttub"];

/// Rounds of changes. A password's faults are their median, for a machine short of memory takes pages away
/// from a change now and then.
const ROUNDS: usize = 5;

/// The codes that libpam returned, and for each the page faults with the passwords that took that number.
type Takers = BTreeMap<i32, BTreeMap<u32, Vec<String>>>;

fn faults(filter: &str) -> Takers {
    let folder = Folder::new(&artifacts().module);
    let filter = folder.path().join(filter);
    let mut build = Command::new(&artifacts().filterctl);
    build.args(["build", "--quiet", "--common", "--capacity", "500000", "--output"]).arg(&filter);
    assert!(build.status().unwrap().success(), "filterctl build --common");
    make_private(&filter);
    let conf = folder.write("nearmiss.conf", "");
    folder.service("t", &format!("conf={} filter={}", conf.display(), filter.display()));
    let program = folder.path().join("observed");
    compile("observed.c", &["-l:libpam.so.0"], &program);
    let mut passwords = [passwords(&ACCEPTED), passwords(&REJECTED)].concat();
    passwords
        .retain(|password| !password.contains('~') || ACCEPTED.iter().any(|one| password.starts_with(one)));
    let mut command = unprivileged(&program);
    let input = (passwords.join("\n") + "\n").repeat(ROUNDS);
    let text = run(command.arg(folder.path()).args(["t", "tester", "1"]), input.as_bytes());
    let mut observed: BTreeMap<(usize, i32), Vec<u32>> = BTreeMap::new();
    for line in text.lines() {
        let fields: Vec<&str> = line.split(' ').collect();
        let password = fields[0].parse::<usize>().unwrap() % passwords.len();
        let faults = observed.entry((password, fields[1].parse().unwrap())).or_default();
        faults.push(fields[2].parse().unwrap());
    }
    let mut takers = Takers::new();
    for ((number, code), mut faults) in observed {
        assert_eq!(faults.len(), ROUNDS, "one code a password: {text}");
        faults.sort_unstable();
        let of_code = takers.entry(code).or_default();
        of_code.entry(faults[ROUNDS / 2]).or_default().push(passwords[number].clone());
    }
    let number = |code| takers[&code].values().map(Vec::len).sum::<usize>();
    assert_eq!([SUCCESS, AUTHTOK_ERR].map(number), [30, 24], "{text}");
    takers
}

/// The part of the passwords that take the most usual number of faults.
fn usual(takers: &BTreeMap<u32, Vec<String>>) -> f64 {
    let numbers = || takers.values().map(Vec::len);
    numbers().max().unwrap() as f64 / numbers().sum::<usize>() as f64
}

/// True if at least nine in ten passwords take the same number of faults, of those accepted and of those
/// rejected.
fn are_alike(takers: &Takers) -> bool {
    takers.values().all(|takers| usual(takers) >= 0.9)
}

/// A machine may take pages away for longer than most rounds of a password: what one process shows, two
/// more have to show.
#[test]
fn every_password_takes_as_many() {
    let first = faults("words.filter");
    if !are_alike(&first) {
        for again in [(), ()].map(|()| faults("words.filter")) {
            assert!(are_alike(&again), "code, faults, passwords: {first:#?} and {again:#?}");
        }
    }
}

#[test]
fn page_by_page_they_tell_passwords_apart() {
    let takers = faults(PAGE_BY_PAGE);
    assert!(!are_alike(&takers), "code, faults, passwords: {takers:#?}");
}
