//! The program as it is started.
#![forbid(unsafe_code)]
#![allow(clippy::unwrap_used, reason = "tests")]

use std::process::{Command, Output};

fn agent(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_nearmiss-agent")).args(arguments).output().unwrap()
}

#[test]
fn a_configuration_that_is_not_there_is_named_and_ends_it_with_2() {
    for command in [&["check"][..], &[]] {
        let ended = agent(&[&["--config", "/nonexistent/agent.toml"], command].concat());
        let said = String::from_utf8_lossy(&ended.stderr);
        assert_eq!(ended.status.code(), Some(2), "{said}");
        assert!(said.starts_with("nearmiss-agent: /nonexistent/agent.toml"), "{said}");
        assert!(ended.stdout.is_empty());
    }
}
