//! Runs the tests on thousands of changed programs out of one build: every change that cargo-mutants lists
//! stands behind a switch, each test is run once to learn which changes it meets, and each change meets the
//! tests that reach it, the quickest first, until one fails.
//!
//! Nothing of the workspace is written but the folder for the copy and the reports.

mod build;
mod constants;
mod judge;
mod list;
mod render;
mod switches;
mod tests;
mod tree;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs::{self, File},
    path::{Path, PathBuf},
    process::ExitCode,
    time::Duration,
};

use anyhow::{Context, Result};
use clap::Parser;
use nearmiss_filters::ladder::SeededRandom;

use crate::{
    build::{Built, Program},
    judge::{Court, Fate, side_by_side},
    list::Mutant,
    tests::{End, Test, Told},
    tree::Tree,
};

/// The package whose tests start programs without their own environment.
const END_TO_END: &str = "nearmiss-tests";

/// Runs the tests on changed programs out of one build, and reports the changes that no test notices.
#[derive(Debug, Parser)]
struct Args {
    /// The workspace
    #[arg(long, default_value = ".")]
    workspace: PathBuf,
    /// Where the copy, its build and the reports go
    #[arg(long, default_value = "target/mutants")]
    folder: PathBuf,
    /// Only changes in these files (glob); may be repeated
    #[arg(long)]
    file: Vec<String>,
    /// Only changes that this file lists, one a line as cargo-mutants prints them
    #[arg(long)]
    only: Option<PathBuf>,
    /// Only so many of 100, drawn at random
    #[arg(long, value_name = "NUMBER")]
    percent: Option<u64>,
    /// Which are drawn: with the same number and the same code the same ones
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// The packages whose tests run
    #[arg(long = "package", short, required = true)]
    packages: Vec<String>,
    /// Only programs of tests whose name begins so (`fleet`, `doctor`); may be repeated
    #[arg(long)]
    program: Vec<String>,
    /// Run every test as those that start programs without their own environment: one at a time
    #[arg(long)]
    one_by_one: bool,
    /// Changes that run at once
    #[arg(long, default_value_t = 2)]
    jobs: usize,
    /// Seconds that the tests of one change may take together
    #[arg(long, default_value_t = 120)]
    budget: u64,
    /// Seconds that a test may take without a change: a longer one is left out
    #[arg(long, default_value_t = 30)]
    longest: u64,
}

fn main() -> Result<ExitCode> {
    let args = Args::parse();
    let workspace = args.workspace.canonicalize()?;
    let mutants = chosen(&args, &workspace)?;
    fs::create_dir_all(&args.folder)?;
    let folder = args.folder.canonicalize()?;
    let mut tree = Tree::new(&workspace, folder.join("tree"), folder.join("state"), &mutants)?;
    eprintln!("{} changes", mutants.len());
    let built = build::build(&mut tree, &args.packages)?;
    let folder = folder.join("report");
    fs::create_dir_all(&folder)?;
    let log = File::create(folder.join("fates"))?;
    let fates = judged(&args, &tree, &built, (&mutants, &log))?;
    report(&folder, &mutants, &built, &fates)
}

fn chosen(args: &Args, workspace: &Path) -> Result<Vec<Mutant>> {
    let mut mutants = list::list(workspace, &args.file)?;
    if let Some(file) = &args.only {
        let text = fs::read_to_string(file).with_context(|| file.display().to_string())?;
        let names: BTreeSet<&str> = text.lines().collect();
        mutants.retain(|mutant| names.contains(&*mutant.name));
    }
    if let Some(percent) = args.percent {
        let mut random = SeededRandom::new(args.seed);
        mutants.retain(|_| random.next_word() % 100 < percent);
    }
    Ok(mutants)
}

/// The fate of each change that has a switch: first by the tests that can run side by side, then, where it
/// survives, by the others. `log` gets each as soon as it is known.
fn judged(
    args: &Args,
    tree: &Tree,
    built: &Built,
    (mutants, log): (&[Mutant], &File),
) -> Result<BTreeMap<usize, Fate>> {
    let constants = constants::among(&built.dropped);
    let mut fates: BTreeMap<usize, Fate> = tree
        .placed()
        .into_iter()
        .filter(|id| !built.dropped.contains_key(id) || constants.contains(id))
        .map(|id| (id, Fate::Unmet))
        .collect();
    for (told, jobs) in [(Told::ByEnvironment, args.jobs), (Told::ByFile, 1)] {
        let is_last = |program: &Program| args.one_by_one || program.package == END_TO_END;
        let is_of_round = |program: &Program| is_last(program) == (told == Told::ByFile);
        if !built.programs.iter().any(is_of_round) {
            continue;
        }
        let all = reached(args, tree, built, told, jobs, is_of_round)?;
        let changes: Vec<usize> =
            fates.iter().filter(|(_, fate)| **fate >= Fate::Survived).map(|(id, _)| *id).collect();
        let changes: Vec<usize> = changes.into_iter().filter(|id| !constants.contains(id)).collect();
        eprintln!("{} tests, {} changes", all.len(), changes.len());
        let budget = Duration::from_secs(args.budget);
        let court = Court { tree, programs: &built.programs, told, jobs, budget, log, mutants };
        for (id, fate) in court.judge(&changes, &all)? {
            if fate != Fate::Unmet {
                fates.insert(id, fate);
            }
        }
        // The tests that start programs would not know which of them to compile again.
        if told == Told::ByEnvironment {
            for (id, fate) in constants::judge(&court, &args.packages, &constants, &all)? {
                match fate {
                    Some(fate) => fates.insert(id, fate),
                    None => fates.remove(&id),
                };
            }
        }
    }
    Ok(fates)
}

fn reached(
    args: &Args,
    tree: &Tree,
    built: &Built,
    told: Told,
    jobs: usize,
    is_of_round: impl Fn(&Program) -> bool,
) -> Result<Vec<Test>> {
    let is_named = |program: &Program| {
        let name = program.path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
        args.program.is_empty() || args.program.iter().any(|wanted| name.starts_with(wanted))
    };
    let mut tests = Vec::new();
    for (at, program) in built.programs.iter().enumerate() {
        if is_of_round(program) && is_named(program) {
            tests.extend(tests::names(tree, program)?.into_iter().map(|name| (at, name)));
        }
    }
    let runs = side_by_side("tests", jobs, &tests, |(at, name)| {
        let longest = Duration::from_secs(args.longest);
        let (test, end) = tests::reach(tree, (*at, &built.programs[*at]), name, told, longest)?;
        if end != End::Passed {
            let reason = if end == End::TimedOut { "takes too long" } else { "fails" };
            let output = tests::keep_output(tree, name)?;
            eprintln!("left out, since it {reason} without a change: {name}: {}", output.display());
        }
        Ok((end == End::Passed).then_some(test))
    })?;
    let left_out = runs.iter().filter(|run| run.is_none()).count();
    if left_out > 0 {
        println!("mutants: {left_out} tests are left out: they do not pass without a change");
    }
    Ok(runs.into_iter().flatten().collect())
}

/// Writes a file for each fate, prints the sums and the survivors.
fn report(
    folder: &Path,
    mutants: &[Mutant],
    built: &Built,
    fates: &BTreeMap<usize, Fate>,
) -> Result<ExitCode> {
    let mut files: BTreeMap<&str, String> =
        ["caught", "timeout", "survived", "unmet", "cut", "uncompiled", "unplaced"]
            .map(|name| (name, String::new()))
            .into();
    for (id, mutant) in mutants.iter().enumerate() {
        let (name, note) = match (fates.get(&id), built.dropped.get(&id)) {
            (Some(Fate::Caught), _) => ("caught", ""),
            (Some(Fate::TimedOut), _) => ("timeout", ""),
            (Some(Fate::Survived), _) => ("survived", ""),
            (Some(Fate::Unmet), _) => ("unmet", ""),
            (Some(Fate::Cut), _) => ("cut", ""),
            (None, Some(code)) => ("uncompiled", &**code),
            (None, None) => ("unplaced", ""),
        };
        let line = format!("{}{}{note}\n", mutant.name, if note.is_empty() { "" } else { "\t" });
        files.entry(name).or_default().push_str(&line);
    }
    for (name, text) in &files {
        fs::write(folder.join(name), text)?;
    }
    let count = |name: &str| files.get(name).map_or(0, |text| text.lines().count());
    println!(
        "mutants: {} caught, {} timed out, {} that do not compile, {} without a switch, {} survived",
        count("caught"),
        count("timeout"),
        count("uncompiled"),
        count("unplaced"),
        count("survived") + count("unmet") + count("cut"),
    );
    let survivors =
        ["survived", "unmet", "cut"].map(|name| files.get(name).map_or("", String::as_str)).concat();
    print!("{survivors}");
    Ok(if survivors.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
