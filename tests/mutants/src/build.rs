//! One build of the copy with as many switches as compile.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use crate::tree::Tree;

/// Rounds of compiling: an error of one kind hides the errors of a later pass of the compiler.
const ROUNDS: usize = 40;

/// A program of tests.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    pub(crate) path: PathBuf,
    /// The folder of its package, where cargo runs it.
    pub(crate) folder: PathBuf,
    pub(crate) package: String,
}

/// The programs of tests, and the changes that do not compile with the compiler's code for the error.
#[derive(Debug)]
pub(crate) struct Built {
    pub(crate) programs: Vec<Program>,
    pub(crate) dropped: BTreeMap<usize, String>,
}

/// A command of cargo in the copy, with the settings that all builds of it share.
pub(crate) fn cargo(tree: &Tree) -> Command {
    let mut command = Command::new("cargo");
    settings(&mut command, tree);
    command
}

/// What a build of a test's own has to share, so that nothing is compiled twice.
pub(crate) fn settings(command: &mut Command, tree: &Tree) {
    command
        .env("RUSTFLAGS", "--cap-lints=allow")
        .env("CARGO_TARGET_DIR", tree.folder.join("target"))
        .env("NEARMISS_TEST_PROFILE", "mutants")
        .env_remove("NEARMISS_MUTANT");
}

/// Compiles the tests of these packages; a change at whose place the compiler finds an error is dropped.
pub(crate) fn build(tree: &mut Tree, packages: &[String]) -> Result<Built> {
    let mut dropped = tree.known_faults()?;
    let mut kept = tree.placed();
    kept.retain(|id| !dropped.contains_key(id));
    for round in 1..=ROUNDS {
        tree.write(&kept)?;
        let messages = compile(tree, packages, &ALL)?;
        let errors: Vec<&Value> = messages.iter().filter(|message| is_error(message)).collect();
        if errors.is_empty() {
            tree.keep_faults(&dropped)?;
            return Ok(Built { programs: programs(&messages), dropped });
        }
        let faults: BTreeMap<usize, String> =
            errors.iter().flat_map(|error| faults(tree, &error["message"])).collect();
        let before = kept.len();
        kept.retain(|id| !faults.contains_key(id));
        ensure!(kept.len() < before, "no change is at fault: {}", errors[0]["message"]["rendered"]);
        eprintln!("round {round}: {} errors, {} changes do not compile", errors.len(), before - kept.len());
        dropped.extend(faults);
    }
    bail!("the changes that do not compile were not found in {ROUNDS} rounds")
}

/// How all tests are compiled.
pub(crate) const ALL: [&str; 3] = ["build", "--keep-going", "--tests"];
/// How those within a package are compiled.
pub(crate) const WITHIN: [&str; 4] = ["test", "--no-run", "--lib", "--bins"];

/// The programs of tests of the copy as it is now; nothing if it does not compile.
pub(crate) fn again(tree: &Tree, packages: &[String], how: &[&str]) -> Result<Option<Vec<Program>>> {
    let messages = compile(tree, packages, how)?;
    Ok((!messages.iter().any(is_error)).then(|| programs(&messages)))
}

fn compile(tree: &Tree, packages: &[String], how: &[&str]) -> Result<Vec<Value>> {
    let mut command = cargo(tree);
    command.current_dir(&tree.folder).args(how).args(["--profile", "mutants"]);
    for package in packages {
        command.args(["-p", package]);
    }
    let output = command
        .args(["--message-format", "json"])
        .stderr(Stdio::null())
        .output()
        .context("cargo cannot be run")?;
    let text = String::from_utf8(output.stdout)?;
    let messages: Vec<Value> = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    ensure!(output.status.success() || messages.iter().any(is_error), "cargo build fails without a reason");
    Ok(messages)
}

fn is_error(message: &Value) -> bool {
    message["reason"] == "compiler-message"
        && message["message"]["level"] == "error"
        && message["message"]["spans"].as_array().is_some_and(|spans| !spans.is_empty())
}

/// The changes at the primary place of an error; if there is none, at its other places; if there is none
/// either, at the places of its notes.
fn faults(tree: &Tree, error: &Value) -> BTreeSet<(usize, String)> {
    let code = error["code"]["code"].as_str().unwrap_or("error").to_owned();
    let spans = |of: &Value| of["spans"].as_array().cloned().unwrap_or_default();
    let (first, others): (Vec<Value>, _) =
        spans(error).into_iter().partition(|span| span["is_primary"] == true);
    let notes = error["children"].as_array().into_iter().flatten().flat_map(spans).collect();
    let at = |places: Vec<Value>| places.iter().flat_map(|span| fault_at(tree, span)).collect::<Vec<_>>();
    let found = [first, others, notes].into_iter().map(at).find(|found| !found.is_empty());
    found.unwrap_or_default().into_iter().map(|id| (id, code.clone())).collect()
}

fn fault_at(tree: &Tree, span: &Value) -> Vec<usize> {
    let byte = |name: &str| span[name].as_u64().and_then(|at| usize::try_from(at).ok()).unwrap_or(0);
    let file = span["file_name"].as_str().unwrap_or("");
    let found = tree.at_fault(file, byte("byte_start"), byte("byte_end"));
    match &span["expansion"]["span"] {
        outer if found.is_empty() && outer.is_object() => fault_at(tree, outer),
        _ => found,
    }
}

fn programs(messages: &[Value]) -> Vec<Program> {
    let is_test = |message: &&Value| message["profile"]["test"] == true;
    let program = |message: &Value| {
        let manifest = Path::new(message["manifest_path"].as_str()?);
        let folder = manifest.parent()?.to_owned();
        let package = package_of(message["package_id"].as_str()?).to_owned();
        Some(Program { path: message["executable"].as_str()?.into(), folder, package })
    };
    messages.iter().filter(is_test).filter_map(program).collect()
}

/// The program of these that another build of it made.
pub(crate) fn same(program: &Program, among: &[Program]) -> Option<Program> {
    among.iter().find(|other| other.package == program.package && stem(other) == stem(program)).cloned()
}

/// The name of a program without the number of its build.
fn stem(program: &Program) -> &str {
    let name = program.path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    name.rsplit_once('-').map_or(name, |(stem, _)| stem)
}

/// The name in a package's id: `path+file:///folder#name@1.0.0`, or `path+file:///name#1.0.0`.
fn package_of(id: &str) -> &str {
    let (place, version) = id.split_once('#').unwrap_or((id, ""));
    version.split_once('@').map_or_else(|| place.rsplit('/').next().unwrap_or(place), |(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_is_known_by_its_name() {
        assert_eq!(package_of("path+file:///srv/tests#nearmiss-tests@1.1.0"), "nearmiss-tests");
        assert_eq!(package_of("path+file:///srv/filterctl#1.1.0"), "filterctl");
    }
}
