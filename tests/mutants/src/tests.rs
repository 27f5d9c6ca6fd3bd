//! The tests: which changes each one meets, and whether one fails with a change in force.

use std::{
    collections::BTreeSet,
    fs::{self, File, Permissions},
    os::unix::{fs::PermissionsExt, process::CommandExt},
    path::PathBuf,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use anyhow::Result;

use crate::{
    build::{self, Program},
    tree::Tree,
};

/// How long a test may take beyond ten times what it takes without a change.
const PATIENCE: Duration = Duration::from_secs(30);

/// A test that passes without a change.
#[derive(Debug)]
pub(crate) struct Test {
    pub(crate) program: usize,
    pub(crate) name: String,
    pub(crate) takes: Duration,
    /// The changes that it meets.
    pub(crate) reaches: BTreeSet<usize>,
}

/// The end of a run of tests.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum End {
    Passed,
    Failed,
    TimedOut,
}

/// How a test learns which change is in force: by its environment, or by a file where it starts programs
/// that do not get its environment. Only one test at a time can do the latter.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Told {
    ByEnvironment,
    ByFile,
}

/// The names of a program's tests, without the ignored ones.
pub(crate) fn names(tree: &Tree, program: &Program) -> Result<Vec<String>> {
    let listed = |more: &[&str]| -> Result<BTreeSet<String>> {
        let mut command = command(tree, program);
        let output = command.args(["--list", "--format", "terse"]).args(more).output()?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        Ok(text.lines().filter_map(|line| line.strip_suffix(": test")).map(str::to_owned).collect())
    };
    let ignored = listed(&["--ignored"])?;
    Ok(listed(&[])?.into_iter().filter(|name| !ignored.contains(name)).collect())
}

fn command(tree: &Tree, program: &Program) -> Command {
    let mut command = Command::new(&program.path);
    build::settings(&mut command, tree);
    command
        .current_dir(&program.folder)
        .env("CARGO_MANIFEST_DIR", &program.folder)
        .env("CARGO", "cargo")
        .stdin(Stdio::null())
        .process_group(0);
    command
}

/// Runs one test without a change: what it meets and how long it takes, and how it ended.
pub(crate) fn reach(
    tree: &Tree,
    program: (usize, &Program),
    name: &str,
    told: Told,
    longest: Duration,
) -> Result<(Test, End)> {
    let notes = notes(tree, told);
    fs::write(&notes, "")?;
    fs::set_permissions(&notes, Permissions::from_mode(0o666))?;
    let began = Instant::now();
    let end = run(tree, program.1, &[name], None, told, longest)?;
    let takes = began.elapsed();
    let text = fs::read_to_string(&notes)?;
    fs::remove_file(&notes)?;
    let reaches = text.lines().filter_map(|line| line.parse().ok()).collect();
    Ok((Test { program: program.0, name: name.to_owned(), takes, reaches }, end))
}

/// Keeps what the last test of this thread printed, in a file of the test's own.
pub(crate) fn keep_output(tree: &Tree, name: &str) -> Result<PathBuf> {
    let kept = tree.state.join(format!("output-{}", name.replace("::", ".")));
    fs::copy(output(tree), &kept)?;
    Ok(kept)
}

fn output(tree: &Tree) -> PathBuf {
    tree.state.join(format!("log-{:?}", thread::current().id()))
}

fn notes(tree: &Tree, told: Told) -> PathBuf {
    match told {
        Told::ByFile => tree.state.join("reached"),
        Told::ByEnvironment => tree.state.join(format!("reached-{:?}", thread::current().id())),
    }
}

/// How long these tests may take.
pub(crate) fn limit(tests: &[&Test]) -> Duration {
    PATIENCE + tests.iter().map(|test| test.takes).sum::<Duration>() * 10
}

/// Runs these tests of one program with a change in force.
pub(crate) fn run(
    tree: &Tree,
    program: &Program,
    names: &[&str],
    change: Option<usize>,
    told: Told,
    limit: Duration,
) -> Result<End> {
    let mut command = command(tree, program);
    let active = change.map_or_else(|| "none".to_owned(), |id| id.to_string());
    match told {
        Told::ByFile => fs::write(tree.state.join("active"), &active)?,
        Told::ByEnvironment => {
            command.env("NEARMISS_MUTANT", &active);
            if change.is_none() {
                command.env("NEARMISS_MUTANT_REACHED", notes(tree, told));
            }
        }
    }
    let log = File::create(output(tree))?;
    command.args(["--exact", "--test-threads", "1"]).args(names);
    let child = command.stdout(log.try_clone()?).stderr(log).spawn()?;
    let end = wait(child, limit)?;
    if told == Told::ByFile {
        fs::write(tree.state.join("active"), "none")?;
    }
    Ok(end)
}

fn wait(mut child: Child, limit: Duration) -> Result<End> {
    let began = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(if status.success() { End::Passed } else { End::Failed });
        }
        if began.elapsed() > limit {
            Command::new("kill").args(["-KILL", "--", &format!("-{}", child.id())]).status()?;
            child.wait()?;
            return Ok(End::TimedOut);
        }
        thread::sleep(Duration::from_millis(if began.elapsed() < Duration::from_secs(1) { 2 } else { 50 }));
    }
}
