//! Names the commit that is compiled, for `--version`: that of `.commit` in an archive of the source, else
//! the repository's. Runs again only when the repository's commit changes. With debug assertions no commit is
//! named: a developer's commit would have every program compiled again.
#![allow(clippy::disallowed_methods, reason = "cargo says by the environment where the package is")]

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

/// Digits of the name of a commit.
const DIGITS: usize = 12;

fn main() {
    let package = env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from).unwrap_or_default();
    let root = package.ancestors().nth(2).unwrap_or(&package);
    println!("cargo::rerun-if-changed={}", root.join("crates/cli/build.rs").display());
    println!("cargo::rerun-if-changed={}", root.join(".commit").display());
    let is_for_tests = env::var_os("CARGO_CFG_DEBUG_ASSERTIONS").is_some();
    let commit = if is_for_tests { None } else { archived(root).or_else(|| of_repository(root)) };
    let commit = commit.filter(|name| name.len() >= DIGITS);
    let shown = commit.map(|name| format!(" ({})", name.chars().take(DIGITS).collect::<String>()));
    println!("cargo::rustc-env=NEARMISS_COMMIT={}", shown.unwrap_or_default());
}

/// The text that `git archive`, or a script that packages the source, puts in place of the format.
fn archived(root: &Path) -> Option<String> {
    let text = fs::read_to_string(root.join(".commit")).ok()?;
    let name = text.split_whitespace().next()?;
    name.chars().all(|digit| digit.is_ascii_hexdigit()).then(|| name.to_owned())
}

/// A repository around an unpacked archive is another project's.
fn of_repository(root: &Path) -> Option<String> {
    if !git(root, &["rev-parse", "--show-prefix"])?.is_empty() {
        return None;
    }
    let branch = git(root, &["symbolic-ref", "--quiet", "HEAD"]);
    for name in [Some("HEAD".to_owned()), branch, Some("packed-refs".to_owned())].into_iter().flatten() {
        let path = root.join(git(root, &["rev-parse", "--git-path", &name])?);
        // A file that is not there would have this run at each build.
        if path.exists() {
            println!("cargo::rerun-if-changed={}", path.display());
        }
    }
    git(root, &["rev-parse", "--verify", "HEAD"])
}

fn git(root: &Path, arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").arg("-C").arg(root).args(arguments).output().ok()?;
    let text = output.status.success().then(|| String::from_utf8(output.stdout).ok()).flatten()?;
    Some(text.trim_end().to_owned())
}
