//! What a terminal shows, and what a screen reader reads aloud: text. No colour where none is wanted, no
//! control sequence where the terminal knows none, and nowhere a picture in place of a word.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use nearmiss_tests::{
    artifacts::{artifacts, program, tool, workspace},
    pam::{python, run},
};
use serde_json::{Value, json};

/// The folders with the texts of the programs.
const SOURCES: [&str; 9] = [
    "crates/breach-fetch/src",
    "crates/checker/src",
    "crates/cli/src",
    "crates/filters/src",
    "crates/fleet-agent/src",
    "crates/lists/src",
    "filterctl/src",
    "filterctl/tests/cli/golden",
    "pam-module/src",
];

/// All files in a folder and its folders.
fn files(folder: &Path) -> Vec<PathBuf> {
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    paths.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

/// A sign that is read aloud: of a language, or of a keyboard.
fn is_plain(character: char) -> bool {
    character.is_ascii() || character.is_alphanumeric()
}

/// The line without its comment, and nothing of the reason for a lint.
fn code_of(line: &str) -> &str {
    let code = if line.trim_start().starts_with("//") { "" } else { line };
    code.split(" // ").next().unwrap().split("reason = ").next().unwrap()
}

/// True for the text of a program, and for a golden text.
fn is_of_a_program(path: &Path) -> bool {
    let is_test = |name: &str| matches!(name, "tests" | "tests.rs" | "readers.rs" | "translations.rs");
    let is_golden = path.extension().is_some_and(|kind| kind == "txt");
    is_golden || !path.iter().any(|part| is_test(part.to_str().unwrap()))
}

/// The ends of clauses in Chinese and Japanese, which the programs look for.
const SOUGHT: [&str; 3] = ["const BREAKS", "const CLAUSE_ENDS", "split_once([':', '：'])"];

#[test]
fn no_text_of_a_program_has_a_picture_in_it() {
    let paths = SOURCES.iter().flat_map(|folder| files(&workspace().join(folder)));
    let paths: Vec<PathBuf> = paths.filter(|path| is_of_a_program(path)).collect();
    assert!(paths.len() > 300, "{} files", paths.len());
    let mut found = Vec::new();
    for path in paths {
        let text = fs::read_to_string(&path).unwrap();
        let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
        let lines = text.lines().map(code_of).filter(|line| !SOUGHT.iter().any(|part| line.contains(part)));
        let wrong = lines.filter(|line| !line.chars().all(is_plain));
        found.extend(wrong.map(|line| format!("{}: {}", path.display(), line.trim())));
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// What this command shows on a terminal of this kind, with these further variables.
fn shown(environment: &[(&str, &str)], command: &[&str]) -> String {
    let mut driver = Command::new(python());
    let variables = environment.iter().map(|(name, value)| format!("{name}={value}"));
    driver.arg(tool("dialogue.py")).arg("env").args(variables).arg(&artifacts().filterctl).args(command);
    let played: Value = serde_json::from_str(&run(&mut driver, json!([]).to_string().as_bytes())).unwrap();
    played["transcript"].as_str().unwrap().to_owned()
}

/// Help, an error of the arguments, an error with an excerpt, a table, and work with a progress bar.
fn commands(folder: &Path) -> Vec<Vec<String>> {
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    fs::write(path("words"), "elephant\nbutterfly\n".repeat(20_000)).unwrap();
    fs::write(path("broken.conf"), "packaged = maybe\n").unwrap();
    let commands = [
        "--help".to_owned(),
        "build --no-such-option".to_owned(),
        format!("config --conf {}", path("broken.conf")),
        "plan --words 1000000".to_owned(),
        format!("build --output {} {}", path("words.filter"), path("words")),
        format!("info {}", path("words.filter")),
    ];
    commands.iter().map(|line| line.split(' ').map(str::to_owned).collect()).collect()
}

/// Plays every command on a kind of terminal.
fn all_shown(environment: &[(&str, &str)]) -> Vec<(String, String)> {
    let folder = tempfile::tempdir().unwrap();
    let play = |command: &Vec<String>| {
        let words: Vec<&str> = command.iter().map(String::as_str).collect();
        (command.join(" "), shown(environment, &words))
    };
    commands(folder.path()).iter().map(play).collect()
}

#[test]
fn a_dumb_terminal_gets_text_only() {
    for (command, shown) in all_shown(&[("TERM", "dumb")]) {
        let control = shown.chars().find(|character| character.is_control() && *character != '\n');
        assert_eq!(control, None, "{command}: {shown:?}");
        assert!(!shown.is_empty() && shown.chars().all(is_plain), "{command}: {shown:?}");
    }
}

#[test]
fn no_color_is_respected_and_no_terminal_gets_a_picture() {
    for (command, shown) in all_shown(&[("TERM", "xterm-256color"), ("NO_COLOR", "1")]) {
        let ends = shown.split("\u{1b}[").skip(1).map(|after| after.find(|c: char| c.is_ascii_alphabetic()));
        let kinds = shown.split("\u{1b}[").skip(1).zip(ends).map(|(after, end)| &after[end.unwrap()..][..1]);
        assert!(kinds.clone().all(|kind| kind != "m"), "{command}: {shown:?}");
        assert!(shown.chars().all(is_plain), "{command}: {shown:?}");
    }
}

/// The runtime would open `/dev/null` in its place, and each report would be written there with success.
#[test]
fn a_program_that_was_started_without_standard_output_says_so() {
    for name in ["filterctl", "filterlab", "nearmiss-fetch", "nearmiss-agent"] {
        for argument in ["--version", "--help"] {
            let mut shell = Command::new("sh");
            let output =
                shell.args(["-c", "exec \"$0\" \"$1\" >&-"]).arg(program(name)).arg(argument).output();
            let output = output.unwrap();
            let told = String::from_utf8(output.stderr).unwrap();
            let closed = format!("{name}: cannot write to standard output: it is closed [file-unwritable]\n");
            assert_eq!((output.status.code(), told), (Some(2), closed), "{name} {argument}");
        }
    }
}
