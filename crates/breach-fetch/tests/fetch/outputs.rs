//! Every option of the program that names an output, and what another user can put there.

use std::process::Command;

use crate::{
    Scene,
    corpus::Corpus,
    plantings::{Argument, Role, Stage, nothing_planted_is_followed},
    program,
};

thread_local! {
    // One server for all stages, which ends, with its folder, with the test's thread.
    static SCENE: Scene = Scene::of(Corpus::new(2, 20));
}

fn fetch(stage: &Stage) -> Command {
    let base = SCENE.with(|scene| scene.server.base());
    let mut command = program(&stage.out().join("leaked.filter"), &base, 2);
    command.arg("--quiet");
    command
}

const ARGUMENTS: &[Argument] = &[
    Argument { command: "", name: "--output", role: Role::Output(fetch) },
    Argument { command: "", name: "--ca-file", role: Role::Input },
    Argument { command: "man", name: "--output", role: Role::Output(man) },
];

fn man(stage: &Stage) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nearmiss-fetch"));
    command.args(["man", "--output"]).arg(stage.out());
    command
}

#[test]
fn nothing_that_another_planted_is_written_through() {
    nothing_planted_is_followed(nearmiss_fetch::command(), ARGUMENTS, false);
}
