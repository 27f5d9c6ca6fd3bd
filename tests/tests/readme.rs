//! README's `passwd` transcript is what the machine's own `passwd` shows with the built module (root only, in
//! a private mount namespace), and CONTRIBUTING.md's list of files with unsafe code is complete.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use nearmiss_tests::{
    artifacts::workspace,
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

/// The folders with code that is shipped.
const SHIPPED: [&str; 3] = ["crates", "filterctl", "pam-module"];

/// The sources below the `src` folders of these folders, from the workspace's root.
pub(crate) fn shipped_sources() -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = SHIPPED.iter().map(|name| workspace().join(name)).collect();
    let mut sources = Vec::new();
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "rs") {
                sources.push(path.strip_prefix(workspace()).expect("below the root").to_owned());
            }
        }
    }
    sources.retain(|path| path.components().any(|part| part.as_os_str() == "src"));
    sources
}

fn has_unsafe_code(source: &Path) -> bool {
    let code = fs::read_to_string(workspace().join(source)).expect("a source");
    let mut lines = code.lines().map(str::trim_start).filter(|line| !line.starts_with("//"));
    lines.any(|line| {
        line.split(|letter: char| !letter.is_alphanumeric() && letter != '_').any(|w| w == "unsafe")
    })
}

/// True for a file that an entry of the list stands for: a file, a folder with `/` at its end, or a path in
/// which `*` is one folder.
fn is_listed(entry: &str, source: &Path) -> bool {
    let path = source.to_str().expect("UTF-8");
    match entry.split_once('*') {
        Some((before, after)) => {
            let name = path.strip_prefix(before).and_then(|rest| rest.strip_suffix(after));
            name.is_some_and(|name| !name.contains('/'))
        }
        None if entry.ends_with('/') => path.starts_with(entry),
        None => path == entry,
    }
}

#[test]
fn the_list_of_files_with_unsafe_code_is_complete_and_has_no_other() {
    let page = include_str!("../../CONTRIBUTING.md");
    let (_, after) = page.split_once("\nUnsafe code is in these files").expect("the page has the list");
    let list = after.split("\n\n").nth(1).expect("the list");
    let entries: Vec<&str> = list.split('`').skip(1).step_by(2).collect();
    let unlisted: BTreeSet<PathBuf> = shipped_sources()
        .into_iter()
        .filter(|source| has_unsafe_code(source) && !entries.iter().any(|entry| is_listed(entry, source)))
        .collect();
    assert!(unlisted.is_empty(), "CONTRIBUTING.md does not list {unlisted:?}");
    for entry in entries {
        let mut listed = shipped_sources().into_iter().filter(|source| is_listed(entry, source));
        assert!(listed.any(|source| has_unsafe_code(&source)), "no unsafe code in {entry}");
    }
}
