//! Every option that names an output, and what another user can put there.

use std::{ffi::OsStr, path::PathBuf, process::Command};

use nearmiss_cli::input::ListName;
use nearmiss_filters::format::Match;

use crate::plantings::{Argument, Role, Stage, nothing_planted_is_followed};

const fn input(command: &'static str, name: &'static str) -> Argument {
    Argument { command, name, role: Role::Input }
}

const fn output(command: &'static str, name: &'static str, prepare: fn(&Stage) -> Command) -> Argument {
    Argument { command, name, role: Role::Output(prepare) }
}

fn program<A: AsRef<OsStr>>(words: &str, paths: impl IntoIterator<Item = A>) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_filterlab"));
    command.args(words.split_whitespace()).args(paths);
    command
}

fn list(stage: &Stage) -> PathBuf {
    stage.input("list", (0..200).map(|number| format!("word{number}\n")).collect::<String>())
}

fn filter(stage: &Stage) -> PathBuf {
    let bytes = crate::filter(ListName::Path(list(stage)), Match::Near);
    stage.input("f.filter", bytes)
}

fn drawn(stage: &Stage, words: &str) -> Command {
    program(&format!("ladder {words}"), [stage.out().join("o")])
}

const EQUILIBRIUM: &str = "equilibrium --bits 2^16 --rungs 16 --frequency 1e-3";
const HEIGHTS: &str = "heights --bits 512 --rungs 8";
const LONGRUN: &str = "longrun --bits 2^16 --rungs 16 --threshold 14 --frequency 1e-3";
const ODDS: &str = "odds --bits 2^16 --rungs 16 --threshold 14 --frequency 1e-3 \
                    --observations 3 --over observations";
const PRIVACY: &str = "privacy --rungs 16 --steps 2";
const REFUSALS: &str = "refusals --rungs 16 --threshold 16 --steps 2";

/// The two options of a command that draws curves.
macro_rules! drawings {
    ($command:literal, $words:expr) => {
        [
            output($command, "--csv", |stage| drawn(stage, &format!("{} --csv", $words))),
            output($command, "--plot", |stage| drawn(stage, &format!("{} --plot", $words))),
        ]
    };
}

fn simulate(stage: &Stage, option: &str) -> Command {
    let counts = stage.input("counts", "popular|500\nrare|5\n");
    program("ladder simulate --users 100 --bits 2^16", [counts, option.into(), stage.out().join("o")])
}

fn study(stage: &Stage, words: &str, inputs: &[PathBuf]) -> Command {
    let mut command = program(&format!("study {words} --output"), [stage.out()]);
    command.args(inputs);
    command
}

fn catch(stage: &Stage) -> Command {
    let filter = filter(stage);
    let leaked = stage.input("leaked", "elephant\n48213975\n");
    let mut command = study(stage, "catch --generated 100", &[]);
    command.arg("--passwords").arg(leaked).arg("--filter").arg(filter);
    command
}

fn guessing(stage: &Stage) -> Command {
    let filter = filter(stage);
    let (accounts, rules) = (stage.input("accounts", "elephant\n48213975\n"), stage.input("own.rule", ":\n"));
    let mut command = study(stage, "guessing --most-guesses 100", &[list(stage)]);
    command.arg("--accounts").arg(accounts).arg("--rules").arg(rules).arg("--filter").arg(filter);
    command
}

fn spelling(stage: &Stage) -> Command {
    let (filter, text) = (filter(stage), stage.input("text.txt", "A wordd of mine.\n"));
    study(stage, "spelling", &["--filter".into(), filter, text])
}

const MADE: [&str; 2] = ["step-cost-1.ladder", "step-cost-1.key"];

/// The ladder has the process' number in its name: the first of a namespace of its own.
fn step_cost(stage: &Stage) -> Command {
    let mut command = Command::new("unshare");
    command.args(["--pid", "--fork", "--kill-child", env!("CARGO_BIN_EXE_filterlab")]);
    command.args(["ladder", "step-cost", "--bits", "2^17", "--steps", "10", "--folder"]).arg(stage.out());
    command
}

fn role_of_step_cost() -> Role {
    let tried = Command::new("unshare").args(["--pid", "--fork", "true"]).output();
    if tried.is_ok_and(|output| output.status.success()) {
        return Role::Passing(step_cost, &MADE);
    }
    println!("SKIPPED: ladder step-cost --folder needs root and a namespace of processes");
    Role::Input
}

fn arguments() -> Vec<Argument> {
    let curves = [
        drawings!("ladder equilibrium", EQUILIBRIUM),
        drawings!("ladder heights", HEIGHTS),
        drawings!("ladder longrun", LONGRUN),
        drawings!("ladder odds", ODDS),
        drawings!("ladder privacy", PRIVACY),
        drawings!("ladder refusals", REFUSALS),
    ];
    let studies = [
        output("study catch", "--output", catch),
        output("study false-positives", "--output", |stage| {
            study(stage, "false-positives --keys 1 --bits 16000 --probes 3 4", &[list(stage)])
        }),
        output("study guessing", "--output", guessing),
        output("study locality", "--output", |stage| {
            study(stage, "locality --extension 1000 --megabytes 0.05 --queries 1000", &[list(stage)])
        }),
        output("study spelling", "--output", spelling),
        output("study structures", "--output", |stage| study(stage, "structures --runs 1", &[list(stage)])),
        output("study toy", "--output", |stage| study(stage, "toy", &[])),
    ];
    let others = [
        output("ladder simulate", "--csv", |stage| simulate(stage, "--csv")),
        output("ladder simulate", "--plot", |stage| simulate(stage, "--plot")),
        Argument { command: "ladder step-cost", name: "--folder", role: role_of_step_cost() },
        output("man", "--output", |stage| program("man --output", [stage.out()])),
        output("render", "--output", |stage| {
            program("render", [filter(stage), "--output".into(), stage.out().join("o.png")])
        }),
        input("ladder simulate", "LIST"),
        input("render", "--with"),
        input("render", "FILE"),
        input("spell", "--filter"),
        input("spell", "DOC"),
        input("study catch", "--conf"),
        input("study catch", "--filter"),
        input("study catch", "--passwords"),
        input("study catch", "--phrases"),
        input("study catch", "--rules"),
        input("study catch", "LIST"),
        input("study false-positives", "LIST"),
        input("study guessing", "--accounts"),
        input("study guessing", "--conf"),
        input("study guessing", "--filter"),
        input("study guessing", "--rules"),
        input("study guessing", "LIST"),
        input("study locality", "LIST"),
        input("study spelling", "--filter"),
        input("study spelling", "--mistakes"),
        input("study spelling", "DOC"),
        input("study structures", "LIST"),
    ];
    curves.into_iter().flatten().chain(studies).chain(others).collect()
}

#[test]
fn some_that_another_planted_is_not_written_through() {
    nothing_planted_is_followed(filterlab::command(), &arguments(), false);
}

#[test]
#[ignore = "make torture"]
fn nothing_that_another_planted_is_written_through() {
    nothing_planted_is_followed(filterlab::command(), &arguments(), true);
    println!("torture: outputs of the laboratory: nothing that another planted is written through");
}
