//! The whole transaction through libpam: one accepted password change, cold (the module is loaded each time)
//! and warm.

use std::{fs, path::Path, process::Command};

use nearmiss_filters::{
    dictionary::{Build, Spec},
    format::SchemeId,
};

use crate::{
    harness::median,
    lists::{self, Words},
    ours, peers,
    report::{Target, bytes, duration, figure, line, section},
    work::{self, Work},
};

/// Rounds; in each every module runs this many cold and warm cycles.
const ROUNDS: usize = 5;
const CYCLES: [&str; 2] = ["60", "300"];

/// Acceptable passwords: a plain one, and a word-like one with leet and affixes of which dozens of variants
/// are made.
const PASSWORDS: [&str; 2] = ["Qx-vopli-truw", "Tr0mbqne-vilk7"];

/// Runs the measure.
pub fn run(work: &Work) {
    let words = work.million_words();
    let passwords = work.passwords(work::PASSWORDS);
    for (name, words, is_goal) in [("words", &words, true), ("passwords", &passwords, false)] {
        let services = services(work, words);
        for password in PASSWORDS {
            section(&format!(
                "whole PAM transaction, dictionary of {} {name}, ladder off, {password} is set",
                words.len()
            ));
            measure(work, &services, password, is_goal);
            calls(work, password);
        }
    }
    let size = peers::size(&work.path("bin/pam_nearmiss.so"));
    line("pam_nearmiss.so, bytes", &bytes(size), "", size, Target::AtMost(940_000.0));
}

type Service = (&'static str, &'static str);

fn measure(work: &Work, services: &[Service], password: &str, is_goal: bool) {
    let mut figures: Vec<Vec<Vec<f64>>> = vec![Vec::new(); services.len()];
    for _ in 0..ROUNDS {
        for ((service, _), figures) in services.iter().zip(&mut figures) {
            figures.push(transact(work, service, password));
        }
    }
    let of = |at: usize, column: usize| median(figures[at].iter().map(|run| run[column]).collect());
    let ours = services.len() - 1;
    for (at, (service, name)) in services.iter().enumerate().take(ours) {
        for (column, phase) in [(0, "cold start"), (1, "warm")] {
            let (mine, theirs) = (of(ours, column), of(at, column));
            let target = target(service, phase, password, is_goal);
            let other = format!("{name} {}", duration(theirs * 1e3));
            line(&format!("{phase}, ours ÷ theirs"), &duration(mine * 1e3), &other, mine / theirs, target);
        }
    }
    for (at, (_, name)) in services.iter().enumerate() {
        let facts = format!(
            "{} minor faults a warm cycle, {} resident",
            figure(of(at, 2)),
            bytes(of(at, 3) * 1024.0)
        );
        line(name, &facts, &format!("PAM answered {}", of(at, 4)), of(at, 2), Target::None);
    }
}

/// The target of our time over this service's: beside cracklib with a dictionary of words, and never slower
/// than the module of `BEFORE`.
fn target(service: &str, phase: &str, password: &str, is_goal: bool) -> Target {
    match (service, phase) {
        ("pwquality", "cold start") if is_goal => Target::AtMost(0.6),
        ("pwquality", "warm") if is_goal && password == PASSWORDS[0] => Target::AtMost(0.12),
        ("pwquality", "warm") if is_goal => Target::AtMost(0.2),
        ("before", "warm") => Target::AtMost(1.0),
        _ => Target::None,
    }
}

/// Warm changes whose system calls are counted.
const COUNTED: usize = 20;

/// The system calls of a warm change, by strace: of a process with some changes more than another.
fn calls(work: &Work, password: &str) {
    let of = |warm: usize| {
        let trace = work.path("calls.trace");
        let mut command = Command::new(work.path("peers/usr/bin/strace"));
        command.args(["-f", "-qq", "-o"]).arg(&trace).arg(work.path("bin/pamlat"));
        command.args(["1", &warm.to_string()]).arg(work.path("pam.d")).args(["nearmiss", "nobody", password]);
        figures(&peers::output(&mut command, b"").expect("strace, which bench.sh fetches"));
        fs::read_to_string(&trace).expect("a trace").lines().filter(|line| line.contains('(')).count()
    };
    let calls = (of(1 + COUNTED) - of(1)) as f64 / COUNTED as f64;
    line("system calls of a warm change", &figure(calls), "", calls, Target::AtMost(110.0));
}

/// The services: file name in the configuration folder and what it is called in the table.
fn services(work: &Work, words: &Words) -> Vec<Service> {
    let text = lists::text(words);
    let list = peers::list_file(work, "transaction.txt", &text);
    let near = ours::settings(SchemeId::Deletions, ours::near_bits(), 0.001, ours::threads());
    let settings = Build { spec: Spec::default(), ..near };
    let filter = work.filter_file("transaction.filter", &text, &settings);
    let crack = peers::cracklib(work, &list, "crack-pam");
    let conf = format!(
        "packaged = false\n[[dictionary]]\nfile = \"{}\"\n[ladder]\nfile = \"{}\"\n",
        filter.display(),
        work.path("no.ladder").display()
    );
    work::write(&work.path("nearmiss.conf"), conf.as_bytes());
    let security = work.path("peers/lib").join(machine()).join("security");
    let mut modules = vec![
        ("permit", "pam_permit", "pam_permit.so".to_owned()),
        (
            "pwquality-0",
            "pam_pwquality without a dictionary",
            format!("{}/pam_pwquality.so dictcheck=0", security.display()),
        ),
        (
            "pwquality",
            "pam_pwquality with cracklib",
            format!("{}/pam_pwquality.so dictpath={}", security.display(), crack.display()),
        ),
        ("passwdqc", "pam_passwdqc", format!("{}/pam_passwdqc.so enforce=everyone", security.display())),
    ];
    modules.extend(before(work, &list));
    modules.push((
        "nearmiss",
        "pam_nearmiss",
        format!(
            "{} conf={}",
            work.path("bin/pam_nearmiss.so").display(),
            work.path("nearmiss.conf").display()
        ),
    ));
    fs::create_dir_all(work.path("pam.d")).expect("a folder");
    work::write(&work.path("pam.d/other"), b"password required pam_deny.so\n");
    for (service, _, module) in &modules {
        work::write(
            &work.path(&format!("pam.d/{service}")),
            format!("password required {module}\n").as_bytes(),
        );
    }
    modules.into_iter().map(|(service, name, _)| (service, name)).collect()
}

/// The module of the commit that `BEFORE` named, where `bench.sh` built one, with a filter that its own
/// `filterctl` made of the same list by its own defaults.
fn before(work: &Work, list: &Path) -> Option<(&'static str, &'static str, String)> {
    let module = work.path("before/bin/pam_nearmiss.so");
    if !module.exists() {
        return None;
    }
    let filter = work.path("before/transaction.filter");
    let mut build = Command::new(work.path("before/bin/filterctl"));
    // By the key of our filter: which strings pass a filter by accident, and have their completions looked
    // up, depends on the key, and changes the time more than the code does.
    let key = ours::KEY.iter().fold(String::new(), |hex, byte| format!("{hex}{byte:02x}"));
    build.args(["build", "--quiet", "--key", &key, "--output"]).arg(&filter).arg(list);
    peers::output(&mut build, b"").expect("the filterctl of before");
    let conf = work.path("nearmiss-before.conf");
    let sections = format!(
        "[[dictionary]]\nfile = \"{}\"\n[ladder]\nfile = \"{}\"\n",
        filter.display(),
        work.path("no.ladder").display()
    );
    // Where a dictionary replaces the packaged one without being asked to, the key is not known.
    let texts = [format!("packaged = false\n{sections}"), sections];
    let is_read = texts.into_iter().any(|text| {
        work::write(&conf, text.as_bytes());
        let mut check = Command::new(work.path("before/bin/filterctl"));
        check.args(["check", "--conf"]).arg(&conf);
        peers::output(&mut check, PASSWORDS[0].as_bytes()).is_ok()
    });
    assert!(is_read, "the filterctl of before refuses its configuration");
    Some(("before", "pam_nearmiss before", format!("{} conf={}", module.display(), conf.display())))
}

fn machine() -> String {
    format!("{}-linux-gnu", std::env::consts::ARCH)
}

fn transact(work: &Work, service: &str, password: &str) -> Vec<f64> {
    let mut command = Command::new(work.path("bin/pamlat"));
    command.args(CYCLES).arg(work.path("pam.d")).args([service, "nobody", password]);
    let answer = peers::output(&mut command, b"").expect("libpam");
    figures(&answer)
}

/// The figures of pamlat, of changes that PAM made: a module that does not load is fast.
fn figures(answer: &str) -> Vec<f64> {
    let figures: Vec<f64> =
        answer.split_whitespace().map(|figure| figure.parse().expect("a figure")).collect();
    assert_eq!(figures.last(), Some(&0.0), "PAM refused the change: {answer}");
    figures
}
