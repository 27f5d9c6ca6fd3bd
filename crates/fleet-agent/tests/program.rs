//! The program as it is started.
#![forbid(unsafe_code)]
#![allow(clippy::unwrap_used, reason = "tests")]

#[path = "../../cli/tests/common/documents.rs"]
#[allow(clippy::arithmetic_side_effects, reason = "shared")]
mod documents;
#[path = "../../cli/tests/common/plantings.rs"]
#[allow(dead_code, clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "shared")]
mod plantings;

use std::process::{Command, Output};

use plantings::{Argument, Role};

fn agent(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_nearmiss-agent")).args(arguments).output().unwrap()
}

#[test]
fn a_configuration_that_is_not_there_is_named_and_ends_it_with_2() {
    for command in [&["check"][..], &[]] {
        let ended = agent(&[&["--conf", "/nonexistent/agent.toml"], command].concat());
        let said = String::from_utf8_lossy(&ended.stderr);
        assert_eq!(ended.status.code(), Some(2), "{said}");
        assert!(said.starts_with("nearmiss-agent: /nonexistent/agent.toml"), "{said}");
        let copy = "(cp /usr/share/doc/nearmiss-agent/examples/agent.toml /nonexistent/agent.toml)";
        assert!(said.contains(copy) && said.ends_with(" [file-missing]\n"), "{said}");
        assert!(ended.stdout.is_empty());
    }
    let ended = agent(&["--conf", "/nonexistent/of a site.toml", "check"]);
    let said = String::from_utf8_lossy(&ended.stderr);
    assert!(said.contains("agent.toml '/nonexistent/of a site.toml')"), "{said}");
}

/// The packages install the file that a missing configuration is copied from.
#[test]
fn the_example_of_the_configuration_is_installed() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let parts = std::fs::read_to_string(root.join("packaging/parts.sh")).unwrap();
    let installed =
        "$source/packaging/fleet/$example\" \"$prefix/share/doc/nearmiss-agent/examples/$example\"";
    let examples = parts.lines().find_map(|line| line.trim().strip_prefix("for example in ")).unwrap();
    assert!(parts.contains(installed) && examples.split([' ', ';']).any(|name| name == "agent.toml"));
    assert_eq!(nearmiss_agent::config::EXAMPLE, "/usr/share/doc/nearmiss-agent/examples/agent.toml");
}

#[test]
fn an_argument_is_not_repeated() {
    for (arguments, said) in [
        (
            &["hunter2"][..],
            "argument 1 is no command of nearmiss-agent; its commands: check, doctor, load-functions, ",
        ),
        (
            &["--conf", "x", "doctor", "--usr", "hunter2"],
            "argument 4 is no option of nearmiss-agent doctor; did",
        ),
    ] {
        let ended = agent(arguments);
        let line = String::from_utf8_lossy(&ended.stderr);
        assert_eq!(ended.status.code(), Some(2), "{line}");
        assert!(
            line.starts_with(&format!("nearmiss-agent: {said}")) && line.ends_with(" [usage]\n"),
            "{line}"
        );
        assert!(line.lines().count() == 1 && !line.contains("hunter2"), "{line}");
    }
}

/// A terminal and a log show where a mistake is, and `filterctl doctor` quotes the last line.
#[test]
fn a_mistake_is_one_line_with_its_place_and_key() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("agent.toml");
    std::fs::write(&file, "tls = true\nnode = []\n").unwrap();
    let ended = agent(&["--conf", file.to_str().unwrap(), "check"]);
    let said = String::from_utf8_lossy(&ended.stderr);
    let begins = format!("nearmiss-agent: {}: line 2: unknown field `node`, ", file.display());
    assert!(said.starts_with(&begins) && said.lines().count() == 1, "{said}");
    assert!(said.ends_with(" [configuration-mistake]\n"), "{said}");
}

/// Who writes the configuration names the nodes that the positions are sent to.
#[test]
fn a_configuration_that_others_write_is_refused() {
    use std::{fs, os::unix::fs::PermissionsExt};
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("agent.toml");
    fs::write(&file, "tls = false\nnodes = [\"127.0.0.1:1\"]\n").unwrap();
    for (mode, status) in [(0o644, 0), (0o640, 0), (0o664, 2), (0o646, 2)] {
        fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
        let ended = agent(&["--conf", file.to_str().unwrap(), "check"]);
        let said = String::from_utf8_lossy(&ended.stderr);
        assert_eq!(ended.status.code(), Some(status), "{mode:o}: {said}");
        assert_eq!(said.contains("run chmod go-w on it [file-open-to-others]"), status == 2, "{said}");
    }
}

/// It writes no file: what it is started with is read.
#[test]
fn no_option_names_an_output() {
    plantings::nothing_planted_is_followed(
        nearmiss_agent::command(),
        &["", "check", "doctor", "load-functions", "end-functions"]
            .into_iter()
            .flat_map(|command| {
                let files: &[&str] = match command {
                    "" | "check" => &["--conf"],
                    _ => &["--conf", "--password-file"],
                };
                files.iter().map(move |name| Argument { command, name, role: Role::Input })
            })
            .collect::<Vec<_>>(),
        true,
    );
}

#[test]
fn the_commands_of_every_document_are_known() {
    documents::all_are_known("nearmiss-agent", &nearmiss_agent::command(), 3);
}
