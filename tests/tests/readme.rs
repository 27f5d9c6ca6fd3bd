//! README's `passwd` transcript is what the machine's own `passwd` shows with the built module; root only, in
//! a private mount namespace.
#![forbid(unsafe_code)]

use nearmiss_tests::{
    scenario::{Answer, Scenario, TESTER},
    skip::{no_namespace, skipped},
};

/// The lines of the transcript, each with what is typed after it.
fn transcript() -> Vec<(&'static str, Option<&'static str>)> {
    let readme = include_str!("../../README.md");
    let (_, after) = readme.split_once("```console\n$ passwd\n").expect("README has the transcript");
    let (block, _) = after.split_once("\n```").expect("the block ends");
    let line = |line: &'static str| match line.split_once("# typed: ") {
        Some((shown, typed)) => (shown.trim_end(), typed.split(" (").next()),
        None => (line, None),
    };
    block.lines().map(line).collect()
}

#[test]
fn the_dialogue_is_real() {
    if skipped(no_namespace()) {
        return;
    }
    let lines = transcript();
    let answer = |typed: Option<&'static str>| typed.map_or(Answer::Wait, Answer::Type);
    let steps: Vec<_> = lines.iter().map(|&(shown, typed)| (shown, answer(typed))).collect();
    let run = Scenario::new("retry=3").talk(Some(TESTER), &["/usr/bin/passwd"], &steps).play_one();
    run.expect_status(0).expect_shadow_changed(true);
    let shown: Vec<_> = run.transcript.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    assert_eq!(shown, lines.iter().map(|(shown, _)| *shown).collect::<Vec<_>>());
}
