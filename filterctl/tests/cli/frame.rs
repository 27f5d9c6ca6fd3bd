//! Help, usage errors, manual pages, completions, and a reader that goes away.

use std::{
    fs,
    io::{BufRead, BufReader},
    path::Path,
    process::{Command, Stdio},
};

use crate::{Folder, run};

const SUBCOMMANDS: [&str; 19] = [
    "config",
    "migrate",
    "install",
    "rollback",
    "metrics",
    "doctor",
    "build",
    "plan",
    "update",
    "add",
    "union",
    "remove",
    "check",
    "hook",
    "info",
    "verify",
    "ladder",
    "man",
    "completions",
];

#[test]
fn help_and_version_are_answers() {
    let help = run(["--help"]);
    assert_eq!((help.code, help.err.as_str()), (0, ""));
    for subcommand in SUBCOMMANDS {
        assert!(help.out.contains(&format!("  {subcommand} ")), "{subcommand}");
        let own = run([subcommand, "--help"]);
        assert_eq!(own.code, 0);
        assert!(own.out.contains("Usage: filterctl"), "{own:?}");
    }
    let version = run(["--version"]).out;
    let commit = version.trim_end().strip_prefix(concat!("filterctl ", env!("CARGO_PKG_VERSION"))).unwrap();
    let is_hash = |text: &str| text.len() == 12 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let named = commit.strip_prefix(" (").and_then(|rest| rest.strip_suffix(')'));
    assert!(commit.is_empty() || named.is_some_and(is_hash), "{version}");
}

#[test]
fn a_command_that_is_missing_is_one_of_those_that_are_meant_for_users() {
    let told = run([""; 0]);
    assert_eq!((told.code, told.out.as_str()), (2, ""));
    assert!(told.err.contains("doctor, ") && !told.err.contains("doctor-child"), "{told:?}");
}

/// The help texts are reviewed: `UPDATE_GOLDEN=1` rewrites them.
#[test]
fn help_texts_are_golden() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/golden");
    for subcommand in SUBCOMMANDS {
        let path = folder.join(format!("{subcommand}.txt"));
        let help = run([subcommand, "--help"]).out;
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            fs::write(&path, &help).unwrap();
        }
        assert_eq!(fs::read_to_string(&path).unwrap(), help, "{subcommand}");
    }
}

/// The program and its subcommands that are not hidden, with the words that name each.
fn commands() -> Vec<(String, clap::Command)> {
    let mut all = vec![("filterctl".to_owned(), filterctl::command())];
    let mut next = 0;
    while let Some((name, command)) = all.get(next).cloned() {
        let shown = command.get_subcommands().filter(|one| !one.is_hide_set());
        all.extend(shown.map(|one| (format!("{name} {}", one.get_name()), one.clone())));
        next += 1;
    }
    all
}

/// The text behind the options of a command.
fn after_help(command: &clap::Command) -> String {
    command.get_after_long_help().map(ToString::to_string).unwrap_or_default()
}

#[test]
fn the_help_of_every_command_names_its_exit_status() {
    let runs = |command: &clap::Command| !command.has_subcommands() || command.get_name() == "filterctl";
    for (name, command) in commands().iter().filter(|(_, command)| runs(command)) {
        assert!(after_help(command).contains("Exit status:\n  0  "), "{name}");
    }
}

/// Text is filled to the width of its longest line; only a sentence, a row or a setting ends a line earlier.
#[test]
fn no_line_of_help_has_room_for_the_next_word() {
    let starts = |line: &str, end: &str| {
        line.trim_start().split_once(end).is_some_and(|(word, _)| !word.contains(' '))
    };
    let is_row = |line: &str| starts(line, "  ") || starts(line, " = ") || line.starts_with("  [");
    let indent = |line: &str| line.len() - line.trim_start().len();
    for (name, command) in commands() {
        let help = after_help(&command);
        let text = help.split("Examples:").next().unwrap();
        let lines: Vec<&str> = text.lines().collect();
        let widest = lines.iter().map(|line| line.chars().count()).max().unwrap_or(0);
        assert!(widest <= 100, "{name}: {widest} columns");
        for (line, next) in lines.iter().zip(lines.iter().skip(1)) {
            let word = next.split_whitespace().next().unwrap_or("");
            let is_last = word.is_empty() || is_row(next) || indent(next) < indent(line);
            let is_setting = starts(line, " = ") || line.starts_with("  [");
            let ends = is_last || is_setting || line.is_empty() || line.ends_with(['.', ':', ';']);
            assert!(
                ends || line.chars().count() + 1 + word.chars().count() > widest,
                "{name}: {word:?} fits behind {line:?}"
            );
        }
    }
}

#[test]
fn usage_errors_are_2() {
    for wrong in [
        &[][..],
        &["frobnicate"],
        &["build"],
        &["build", "--output", "x"],
        &["build", "--output", "x", "--deletion-bits", "3", "list"],
        &["build", "--output", "x", "--false-rejection", "2", "list"],
        &["build", "--output", "x", "--key", "00", "list"],
        &["check", "--explain", "--summary"],
        &["completions", "tcsh"],
    ] {
        let told = run(wrong);
        assert!(told.error_line().ends_with(" [usage]"), "{wrong:?}: {told:?}");
    }
}

/// What is missing is named with everything that can take its place.
#[test]
fn the_alternatives_of_a_missing_argument_are_named() {
    for (words, expected) in [
        (&["build", "--output", "x"][..], &["LIST", "--common", "--everyday", "--empty"][..]),
        (&["verify"], &["FILE", "--all"]),
    ] {
        let told = run(words);
        assert!(told.code == 2 && expected.iter().all(|name| told.err.contains(name)), "{told:?}");
    }
}

#[test]
fn manual_pages_are_written_the_same_each_time() {
    let folder = Folder::new();
    let written = [folder.path("one"), folder.path("two")];
    for place in &written {
        assert_eq!(run(["man".as_ref(), "--output".as_ref(), place.as_os_str()]).code, 0);
    }
    let mut names: Vec<_> =
        fs::read_dir(&written[0]).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    for subcommand in SUBCOMMANDS {
        let page = format!("filterctl-{subcommand}.8");
        assert!(names.iter().any(|name| *name == *page), "{page}");
    }
    for name in &names {
        assert_eq!(fs::read(written[0].join(name)).unwrap(), fs::read(written[1].join(name)).unwrap());
    }
    let page = fs::read_to_string(written[0].join("filterctl-build.8")).unwrap();
    assert!(page.contains(".SH EXAMPLES"));
}

#[test]
fn manual_pages_are_printed_by_the_names_of_their_commands() {
    for (words, title) in [
        (&["man"][..], "FILTERCTL"),
        (&["man", "build"], "FILTERCTL-BUILD"),
        (&["man", "ladder", "init"], "FILTERCTL-LADDER-INIT"),
    ] {
        let told = run(words);
        assert!(told.code == 0 && told.out.contains(&format!(".TH \"{title}\" 8 ")), "{told:?}");
    }
    let folder = Folder::new();
    let path = folder.path("man");
    let told = run(["man".as_ref(), path.as_os_str()]);
    assert!(told.error_line().contains("filterctl man --output DIR"), "{told:?}");
    assert!(folder.names().is_empty());
}

#[test]
fn completions_know_every_subcommand() {
    for shell in ["bash", "zsh", "fish"] {
        let script = run(["completions", shell]);
        assert_eq!(script.code, 0);
        for word in SUBCOMMANDS.into_iter().chain(["deletion-bits", "no-variants"]) {
            assert!(script.out.contains(word), "{shell}: {word}");
        }
    }
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_filterctl"))
        .args(["man", "build"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let mut told = String::new();
    BufReader::new(child.stderr.take().unwrap()).read_line(&mut told).unwrap();
    assert_eq!((child.wait().unwrap().code(), told.as_str()), (Some(0), ""));
}

/// One line for a program is wrapped on a terminal, and shows the place of a mistake.
#[test]
fn a_terminal_shows_the_line_of_a_mistake() {
    let folder = Folder::new();
    let conf = folder.file("n.conf", "enforce = \"warn\"\nmin_lenght = 9\n");
    let command = format!("{} config --conf {}", env!("CARGO_BIN_EXE_filterctl"), conf.display());
    let shown = Command::new("script").args(["-qec", &command, "/dev/null"]).stdin(Stdio::null()).output();
    let shown = String::from_utf8(shown.unwrap().stdout).unwrap().replace('\r', "");
    assert!(shown.contains("\n  |\n2 | min_lenght = 9\n  | ^^^^^^^^^^\n"), "{shown}");
    assert!(shown.contains("line 2: unknown key"), "{shown}");
    let command = format!("{} doctor --root {}", env!("CARGO_BIN_EXE_filterctl"), folder.path("").display());
    let shown = Command::new("script").args(["-qec", &command, "/dev/null"]).stdin(Stdio::null()).output();
    let shown = String::from_utf8(shown.unwrap().stdout).unwrap();
    // A command to copy is never wrapped.
    let prose = shown.lines().filter(|line| line.contains(' ') && !line.contains(" fix: "));
    let widths = prose.map(|line| line.trim_end().chars().count());
    assert!(shown.contains("PAM stack") && widths.max().is_some_and(|width| width <= 80), "{shown}");
}
