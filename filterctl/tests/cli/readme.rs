//! README's `filterctl` transcript is what the program prints.

use crate::{Folder, run_with};

/// The fenced block of README that begins with this prompt and command, without them.
fn block(start: &str) -> String {
    let readme = include_str!("../../../README.md");
    let (_, after) = readme.split_once(&format!("```console\n{start}")).unwrap();
    after.split_once("\n```").unwrap().0.to_owned() + "\n"
}

#[test]
fn the_explanation_is_real() {
    let shown = block("# filterctl ");
    let (command, rest) = shown.split_once('\n').unwrap();
    let (asked, rest) = rest.split_once("Password: ").unwrap();
    let prompts = include_str!("../../src/candidates/reader.rs");
    assert!(prompts.contains(asked.trim_end()) && prompts.contains("\"Password: \""), "{asked}");
    let (password, output) = rest.trim_start().split_once('\n').unwrap();
    let password = password.strip_prefix("# typed: ").unwrap();
    let folder = Folder::new();
    let filter = folder.filter("p4ssw0rd\npassword\nelephant\n");
    let conf = folder.file(
        "nearmiss.conf",
        format!("packaged = false\n[[dictionary]]\nfile = \"{}\"\n", filter.display()),
    );
    let arguments = command.split(' ').chain(["--no-ladder", "--conf", conf.to_str().unwrap()]);
    let run = run_with(arguments, format!("{password}\n").as_bytes());
    assert_eq!((run.code, run.err.as_str()), (1, ""), "{run:?}");
    assert_eq!(run.out.replace(filter.to_str().unwrap(), "/var/cache/nearmiss/words.filter"), output);
}
