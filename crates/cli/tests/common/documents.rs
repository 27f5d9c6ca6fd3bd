//! The commands in documents are valid: each is parsed by the program's definition of the command line, so
//! that no page names a subcommand or an option that was removed.

use std::{
    fs,
    path::{Path, PathBuf},
};

use clap::error::ErrorKind;

/// Kinds of documents: pages and manual pages.
const KINDS: [&str; 5] = ["md", "1", "3", "5", "8"];

/// Fails for each command of `program` in a document that `command` does not know, and if there are fewer
/// than `least`.
pub(super) fn all_are_known(program: &str, command: &clap::Command, least: usize) {
    let mut found = 0;
    let mut unknown = Vec::new();
    for path in documents() {
        let text = fs::read_to_string(&path).unwrap().replace("\\-", "-").replace("\\\n", " ");
        for line in commands(program, &text) {
            found += 1;
            if let Err(error) = parse(command, &line) {
                unknown.push(format!("{}: {line}: {error}", path.display()));
            }
        }
    }
    assert!(unknown.is_empty(), "{}", unknown.join("\n"));
    assert!(found >= least, "{found} commands of {program}");
}

/// Every page and manual page of the repository.
fn documents() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().find(|it| it.join("Cargo.lock").exists());
    let mut folders = vec![root.unwrap().to_owned()];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            let is_kind = path.extension().is_some_and(|end| KINDS.iter().any(|kind| end == *kind));
            if path.is_dir()
                && !path.is_symlink()
                && !["target", "out"].contains(&name)
                && !name.starts_with('.')
            {
                folders.push(path);
            } else if is_kind {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

/// The commands in a text: spans of code, and lines of blocks that begin with the program.
fn commands(program: &str, text: &str) -> Vec<String> {
    let begins = |text: &str| text.strip_prefix(program).is_some_and(|rest| rest.starts_with(' '));
    let spans = text.split('`').skip(1).step_by(2).filter(|span| !span.contains("\n\n"));
    let mut is_block = false;
    let lines = text.lines().filter(|line| {
        match line.trim_start() {
            fence if fence.starts_with("```") => is_block = !is_block,
            ".EX" | ".nf" => is_block = true,
            ".EE" | ".fi" => is_block = false,
            _ => {}
        }
        is_block || line.starts_with("    ")
    });
    let lines = lines.map(|line| line.trim_start_matches([' ', '$', '#']));
    let all = spans.chain(lines).map(|line| line.strip_prefix("sudo ").unwrap_or(line));
    all.filter(|line| begins(line)).map(first_command).collect()
}

/// The part before shell operators, and without a comment.
fn first_command(line: &str) -> String {
    let end = [" $(", " | ", " > ", " >", " < ", " && ", " ; ", "; ", "  #", " # ", " ("];
    let end = end.iter().filter_map(|end| line.find(end)).min().unwrap_or(line.len());
    line.get(..end).unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Missing arguments may be in the surrounding text; present ones must be known.
fn parse(command: &clap::Command, line: &str) -> Result<(), String> {
    match command.clone().try_get_matches_from(line.split_whitespace()) {
        Err(error) if matches!(error.kind(), ErrorKind::InvalidSubcommand | ErrorKind::UnknownArgument) => {
            Err(error.to_string().lines().next().unwrap_or_default().to_owned())
        }
        _ => Ok(()),
    }
}
