//! Faults of the system while a file is being replaced: commands that write, and what must be there after any
//! of them was killed, was answered with an error, or ran out of room.

use std::{
    collections::BTreeMap,
    ffi::OsStr,
    fs,
    os::unix::process::ExitStatusExt,
    path::{Path, PathBuf},
    process::{Command, ExitStatus, Output, Stdio},
};

use nearmiss_filters::{
    dictionary::{Buffers, DictionaryFilter, Loading, counters::Counters},
    ladder::{ChosenLadder, LadderFiles, read_key},
    word::Word,
};
use tempfile::TempDir;

use crate::artifacts::artifacts;

/// The key of every filter built here: builds with it are the same byte for byte.
const KEY: &str = "000102030405060708090a0b0c0d0e0f";

/// The writer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// `filterctl build` where there is no filter yet.
    BuildNew,
    /// `filterctl build` over an older filter.
    BuildOver,
    /// `filterctl add` to a filter.
    Add,
    /// `filterctl union` over an older filter.
    Union,
    /// `filterctl add` to a filter with its counts: two files, one after the other.
    AddCounted,
    /// `filterctl remove` from a filter with its counts.
    RemoveCounted,
    /// `filterctl ladder init` with neither ladder nor key.
    LadderNew,
    /// `filterctl ladder init --replace`.
    LadderOver,
}

impl Act {
    /// All of them.
    pub const ALL: [Act; 8] = [
        Act::BuildNew,
        Act::BuildOver,
        Act::Add,
        Act::Union,
        Act::AddCounted,
        Act::RemoveCounted,
        Act::LadderNew,
        Act::LadderOver,
    ];

    fn is_ladder(self) -> bool {
        matches!(self, Act::LadderNew | Act::LadderOver)
    }
}

/// A folder in which an act is done again and again, each time from the same beginning.
pub struct Stage {
    act: Act,
    folder: TempDir,
    /// The allowed states of the filter: as before, and as the act makes it.
    legal: Vec<Option<Vec<u8>>>,
}

impl Stage {
    /// The beginning of an act; what it makes is found by doing it once.
    pub fn new(act: Act) -> Stage {
        let folder = tempfile::tempdir().expect("a folder can be made");
        for (list, word, words) in [("old", "old", 300), ("new", "new", 40), ("few", "old", 40)] {
            let words: String = (0..words).map(|number| format!("{word}word{number}\n")).collect();
            fs::write(folder.path().join(list), words).expect("a list can be written");
        }
        let mut stage = Stage { act, folder, legal: Vec::new() };
        if act == Act::Union {
            stage.ok(&["build", "--key", KEY, "--capacity", "1000", "-o", "one.filter", "old"]);
            stage.ok(&["build", "--like", "one.filter", "-o", "two.filter", "new"]);
        }
        stage.reset();
        let before = stage.filter();
        assert!(stage.run().status.success(), "{act:?} without a fault");
        stage.legal = vec![before, stage.filter()];
        stage
    }

    /// Puts everything back to the beginning.
    pub fn reset(&self) {
        let _ = fs::remove_dir_all(self.place());
        fs::create_dir(self.place()).expect("a folder can be made");
        match self.act {
            Act::BuildOver | Act::Add | Act::Union => self.ok(&[&BUILD[..], &["old"]].concat()),
            Act::AddCounted | Act::RemoveCounted => self.ok(&[&BUILD[..], &COUNTS, &["old"]].concat()),
            Act::LadderOver => self.ok(&LADDER),
            Act::BuildNew | Act::LadderNew => {}
        }
    }

    fn ok(&self, arguments: &[&str]) {
        let output = self.filterctl(&Command::new(&artifacts().filterctl), arguments);
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    }

    /// Everything the act may write is in here.
    pub fn place(&self) -> PathBuf {
        self.folder.path().join("place")
    }

    /// The folder of the stage.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    fn filter(&self) -> Option<Vec<u8>> {
        fs::read(self.place().join("words.filter")).ok()
    }

    /// The arguments that do the act, in the stage's folder.
    pub fn arguments(&self) -> Vec<&'static str> {
        match self.act {
            Act::BuildNew | Act::BuildOver => [&BUILD[..], &["new"]].concat(),
            Act::Add => vec!["add", "--jobs", "1", "place/words.filter", "new"],
            Act::AddCounted => {
                [&["add", "--jobs", "1"], &COUNTS[..], &["place/words.filter", "new"]].concat()
            }
            Act::RemoveCounted => [&["remove"], &COUNTS[..], &["place/words.filter", "few"]].concat(),
            Act::Union => vec!["union", "-o", "place/words.filter", "one.filter", "two.filter"],
            Act::LadderNew => LADDER.to_vec(),
            Act::LadderOver => [&LADDER[..], &["--replace"]].concat(),
        }
    }

    /// Does the act.
    pub fn run(&self) -> Output {
        self.run_under(&Command::new(&artifacts().filterctl))
    }

    /// Does the act as a further argument list of another command, or with another environment.
    pub fn run_under(&self, command: &Command) -> Output {
        self.filterctl(command, &self.arguments())
    }

    fn filterctl(&self, command: &Command, arguments: &[&str]) -> Output {
        let mut whole = Command::new(command.get_program());
        whole.args(command.get_args()).args(arguments).current_dir(self.folder.path());
        whole.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
        whole.stdin(Stdio::null()).output().unwrap_or_else(|error| panic!("{whole:?}: {error}"))
    }

    /// The files' state now: whole, as before or as the act makes them.
    pub fn is_whole(&self) -> bool {
        if self.act.is_ladder() {
            let files = self.ladder_files();
            let is_key_whole = !files.key.exists() || read_key(&files.key).is_ok();
            return is_key_whole && (!files.file.exists() || ChosenLadder::open(&files).is_ok());
        }
        let is_readable =
            |path: &Path| !path.exists() || DictionaryFilter::open(path, Loading::Mapped).is_ok();
        let are_counts = |path: &Path| !path.exists() || Counters::open(path).is_ok();
        self.legal.contains(&self.filter())
            && is_readable(&self.place().join("words.filter"))
            && are_counts(&self.place().join("words.counts"))
    }

    /// True when the act was done to its end.
    pub fn is_done(&self) -> bool {
        if self.act.is_ladder() {
            return ChosenLadder::open(&self.ladder_files()).is_ok_and(|ladder| ladder.is_some());
        }
        match self.act {
            // Done twice they are not the same file, but hold the same words.
            Act::Add | Act::AddCounted => self.holds("oldword7") && self.holds("newword7"),
            Act::RemoveCounted => self.holds("oldword77") && !self.holds("oldword7"),
            _ => self.legal.last() == Some(&self.filter()),
        }
    }

    fn holds(&self, word: &str) -> bool {
        let filter = DictionaryFilter::open(&self.place().join("words.filter"), Loading::Mapped);
        let Ok(filter) = filter else { return false };
        let Ok(word) = Word::clean(word.as_bytes()) else { return false };
        filter.contains(&word, &mut Buffers::default()).unwrap_or(false)
    }

    fn ladder_files(&self) -> LadderFiles {
        LadderFiles { file: self.place().join("state/l.ladder"), key: self.place().join("etc/l.key") }
    }

    /// Files that are neither the act's result nor a folder: leftovers of a writer.
    pub fn left_behind(&self) -> Vec<PathBuf> {
        let mut found = Vec::new();
        let mut folders = vec![self.place()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                let path = entry.path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b".")) {
                    found.push(path);
                }
            }
        }
        found
    }

    /// After a kill: everything whole, and the next run as if nothing had been.
    pub fn check_killed(&self, fault: &str) {
        assert!(self.is_whole(), "{:?}, {fault}: neither old nor new", self.act);
        // Killed between key and ladder, or after both: the next run may say that there is a ladder.
        let again = self.run();
        assert!(
            again.status.success() || self.is_done(),
            "{:?}, then {fault}, then again: {again:?}",
            self.act
        );
        assert!(
            self.is_done() && self.left_behind().is_empty(),
            "{:?}, {fault}: {:?}",
            self.act,
            self.left_behind()
        );
    }

    /// After a system error: done in spite of it, or reported with nothing changed, and no files left.
    pub fn check_refused(&self, fault: &str, output: &Output) {
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code().is_some(), "{:?}, {fault}: {}", self.act, output.status);
        assert!(!told.contains("panicked"), "{:?}, {fault}: {told}", self.act);
        assert!(self.is_whole(), "{:?}, {fault}: neither old nor new", self.act);
        if output.status.success() {
            assert!(self.is_done(), "{:?}, {fault}: said to be done and is not", self.act);
        } else {
            assert!(told.starts_with("filterctl: "), "{:?}, {fault}: {told:?}", self.act);
        }
    }
}

const BUILD: [&str; 9] =
    ["build", "--jobs", "1", "--capacity", "1000", "--key", KEY, "-o", "place/words.filter"];
const COUNTS: [&str; 2] = ["--counts", "place/words.counts"];
const LADDER: [&str; 9] = [
    "ladder",
    "init",
    "--no-slow-hash",
    "--bits",
    "32768",
    "--file",
    "place/state/l.ladder",
    "--key",
    "place/etc/l.key",
];

/// System calls of a command, by name, each as often as the thread makes it that makes it most often.
pub fn system_calls(stage: &Stage) -> BTreeMap<String, usize> {
    let trace = traced(stage);
    let mut counts: BTreeMap<(String, String), usize> = BTreeMap::new();
    for line in trace.lines() {
        let Some((thread, call)) = line.split_once(' ') else { continue };
        let Some((name, _)) = call.trim_start().split_once('(') else { continue };
        if name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
            *counts.entry((thread.to_owned(), name.to_owned())).or_default() += 1;
        }
    }
    let mut most = BTreeMap::new();
    for ((_, name), count) in counts {
        let known: &mut usize = most.entry(name).or_default();
        *known = count.max(*known);
    }
    most
}

/// The trace of an act without a fault, with the paths of descriptors.
pub fn traced(stage: &Stage) -> String {
    stage.reset();
    let file = stage.folder().join("trace");
    let mut strace = Command::new("strace");
    strace.args(["-f", "-y", "-o"]).arg(&file).arg(&artifacts().filterctl);
    assert!(stage.run_under(&strace).status.success(), "the act under strace");
    fs::read_to_string(file).expect("strace wrote a trace")
}

/// Does the act under strace with a fault in it.
pub fn with_fault(stage: &Stage, fault: &str) -> Output {
    let mut strace = Command::new("strace");
    strace.args(["-f", "-q", "-o", "/dev/null", "-e"]).arg(format!("trace={}", call_of(fault)));
    strace.arg("-e").arg(format!("inject={fault}")).arg(&artifacts().filterctl);
    stage.run_under(&strace)
}

fn call_of(fault: &str) -> &str {
    fault.split(':').next().unwrap_or_default()
}

/// True if the command ended by SIGKILL, directly or as reported by strace.
pub fn is_killed(status: ExitStatus) -> bool {
    status.signal() == Some(9) || status.code() == Some(137)
}

/// The reason why system calls cannot be injected here, if they cannot.
pub fn no_strace() -> Option<&'static str> {
    let tried = Command::new("strace")
        .args(["-o", "/dev/null", "-e", "inject=getpid:error=EPERM"])
        .arg("true")
        .output();
    let works = tried.is_ok_and(|output| output.status.success());
    (!works).then_some("needs strace and the right to trace")
}

/// Compiles a small C source of `tests/tools`.
pub fn compile(source: &str, arguments: &[&str], to: &Path) {
    let compiled = Command::new("cc")
        .args(["-O2", "-o"])
        .arg(to)
        .arg(crate::artifacts::tool(source))
        .args(arguments)
        .status();
    assert!(compiled.expect("cc can be run; install gcc").success(), "{source} could not be compiled");
}

/// `name=value` of the environment for a command that is run under another one.
pub fn with_environment(program: impl AsRef<OsStr>, name: &str, value: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    command.env(name, value);
    command
}
