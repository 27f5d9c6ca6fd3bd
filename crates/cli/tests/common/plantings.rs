//! Entries that another user can plant where a program of root writes: for every option that names an output,
//! a symbolic link, a hard link, a pipe, and a link in place of a folder on the path.
//!
//! The options with paths are taken from clap's model of the command line, so that a new one cannot be
//! forgotten: a test names each as an input or as an output, and the two lists are compared.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a test shows its table, or why it is skipped")]

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    os::unix::fs::{MetadataExt, PermissionsExt, chown, lchown, symlink},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use clap::ValueHint;
use rustix::fs::{CWD, FileType, Mode, mknodat};

/// The other user.
const OTHER: u32 = 4243;

/// The role of a path on the command line.
pub(crate) enum Role {
    /// The file or folder is read.
    Input,
    /// A file is written there: the function prepares a run, and returns it.
    Output(fn(&Stage) -> Command),
    /// Temporary files of these names are written there, and removed before the run ends.
    Passing(fn(&Stage) -> Command, &'static [&'static str]),
}

/// An option or a positional argument that takes a path.
pub(crate) struct Argument {
    /// Its subcommand.
    pub(crate) command: &'static str,
    /// `--option`, or the name of the value.
    pub(crate) name: &'static str,
    pub(crate) role: Role,
}

/// The folders of a run.
pub(crate) struct Stage {
    all: tempfile::TempDir,
}

impl Stage {
    fn new() -> Stage {
        let stage = Stage { all: tempfile::tempdir().unwrap() };
        for folder in [stage.inputs(), stage.all.path().join("place"), stage.out()] {
            fs::create_dir(folder).unwrap();
        }
        stage
    }

    /// A folder that no other user can write to.
    pub(crate) fn inputs(&self) -> PathBuf {
        self.all.path().join("inputs")
    }

    /// The folder of the output, which belongs to another user, or which others can write to.
    pub(crate) fn out(&self) -> PathBuf {
        self.all.path().join("place/out")
    }

    /// A file of this content among the inputs.
    pub(crate) fn input(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.inputs().join(name);
        fs::write(&path, content).unwrap();
        path
    }
}

/// The owner and the mode of the output's folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Another user's.
    Others,
    /// Root's and sticky, like /tmp.
    Sticky,
    /// Root's, of mode 0777.
    Open,
    /// Root's, and writable only by root.
    Roots,
}

impl Place {
    const ALL: [Place; 4] = [Place::Others, Place::Sticky, Place::Open, Place::Roots];

    /// Sets owner and mode of the folders.
    fn set(self, stage: &Stage) {
        let mut folders = vec![stage.all.path().join("place")];
        while let Some(folder) = folders.pop() {
            let entries = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
            folders.extend(entries.filter(|entry| fs::symlink_metadata(entry).unwrap().is_dir()));
            let mode = match self {
                Place::Sticky => 0o1777,
                Place::Open => 0o777,
                Place::Others | Place::Roots => 0o755,
            };
            fs::set_permissions(&folder, fs::Permissions::from_mode(mode)).unwrap();
            if self == Place::Others {
                chown(&folder, Some(OTHER), Some(OTHER)).unwrap();
            }
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Planting {
    Link,
    SecondName,
    Pipe,
    Folder,
}

impl Planting {
    const ALL: [Planting; 4] = [Planting::Link, Planting::SecondName, Planting::Pipe, Planting::Folder];
}

/// The files below a folder.
type Files = BTreeMap<PathBuf, Vec<u8>>;

fn files_below(folder: &Path) -> Files {
    let (mut files, mut folders) = (Files::new(), vec![folder.to_owned()]);
    while let Some(at) = folders.pop() {
        for entry in fs::read_dir(&at).unwrap().map(|entry| entry.unwrap().path()) {
            let kind = fs::symlink_metadata(&entry).unwrap().file_type();
            if kind.is_dir() {
                folders.push(entry);
            } else if kind.is_file() {
                files.insert(entry.strip_prefix(folder).unwrap().to_owned(), fs::read(&entry).unwrap());
            }
        }
    }
    files
}

/// The exit status of the run; none if it does not end.
fn ended(command: &Command) -> Option<i32> {
    let mut timed = Command::new("timeout");
    timed.args(["--signal", "KILL", "30"]).arg(command.get_program()).args(command.get_args());
    timed.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    timed.status().unwrap().code().filter(|code| (0..=3).contains(code))
}

/// The files that a run changes, before and after.
struct Changes {
    before: Files,
    after: Files,
}

impl Changes {
    fn of(name: &str, prepare: fn(&Stage) -> Command, passing: &[&str]) -> Changes {
        let stage = Stage::new();
        let command = prepare(&stage);
        let before = files_below(&stage.out());
        assert_eq!(ended(&command), Some(0), "{name}: {:?}", Command::output(&mut prepare(&Stage::new())));
        let mut after = files_below(&stage.out());
        after.extend(passing.iter().map(|name| (PathBuf::from(name), Vec::new())));
        Changes { before, after }
    }

    /// The names that are written or removed, and the names of the temporary files.
    fn names(&self) -> Vec<PathBuf> {
        let all: BTreeSet<&PathBuf> = self.before.keys().chain(self.after.keys()).collect();
        let changed = all.into_iter().filter(|name| self.before.get(*name) != self.after.get(*name));
        changed.flat_map(|name| [name.clone(), temporary(name)]).collect()
    }

    /// The content with which a run would continue for as long as possible if it followed a link.
    fn likely(&self, name: &Path) -> Vec<u8> {
        let is_for = |of: &&PathBuf| *of == name || temporary(of) == name;
        let known = [&self.before, &self.after].into_iter().find_map(|files| files.keys().find(is_for));
        known.and_then(|name| self.before.get(name).or(self.after.get(name)).cloned()).unwrap_or_default()
    }
}

fn temporary(name: &Path) -> PathBuf {
    name.with_file_name(format!(".{}.new", name.file_name().unwrap().to_str().unwrap()))
}

/// Plants an entry of this name and runs the program.
fn tried(
    prepare: fn(&Stage) -> Command,
    place: Place,
    planting: Planting,
    name: &Path,
    like: &[u8],
) -> String {
    let stage = Stage::new();
    let command = prepare(&stage);
    let (at, victim) = (stage.out().join(name), stage.input("victim", like));
    fs::set_permissions(&victim, fs::Permissions::from_mode(0o600)).unwrap();
    let folder = at.parent().unwrap().to_owned();
    let real = stage.all.path().join("real");
    if planting == Planting::Folder {
        fs::create_dir_all(&folder).unwrap();
        fs::rename(&folder, &real).unwrap();
        symlink(&real, &folder).unwrap();
    } else {
        let _ = fs::remove_file(&at);
    }
    match planting {
        Planting::Folder => {}
        Planting::Link => symlink(&victim, &at).unwrap(),
        Planting::SecondName => fs::hard_link(&victim, &at).unwrap(),
        Planting::Pipe => mknodat(CWD, &at, FileType::Fifo, Mode::from_raw_mode(0o666), 0).unwrap(),
    }
    place.set(&stage);
    let planted = if planting == Planting::Folder { &folder } else { &at };
    if place != Place::Roots && planting != Planting::SecondName {
        lchown(planted, Some(OTHER), Some(OTHER)).unwrap();
    }
    let look = || {
        let metadata = fs::metadata(&victim).unwrap();
        (fs::read(&victim).unwrap(), metadata.mode(), metadata.uid(), metadata.mtime_nsec())
    };
    let is_planted = || fs::symlink_metadata(planted).map(|found| found.ino()).ok();
    let (was, inode) = (look(), is_planted());
    let was_there = real.exists().then(|| files_below(&real));
    let code = ended(&command);
    let is_there = real.exists().then(|| files_below(&real));
    if look() != was || (was_there != is_there && place != Place::Roots) {
        return "OVERWRITTEN".to_owned();
    }
    match code {
        None => "HANGS",
        Some(0) if planting == Planting::Folder && was_there != is_there => "followed",
        Some(0) if is_planted() == inode => "untouched",
        Some(0) => "replaced",
        Some(_) => "refused",
    }
    .to_owned()
}

/// Compares the listed arguments with the command line's arguments, and plants every kind of entry at
/// every path.
pub(crate) fn nothing_planted_is_followed(model: clap::Command, arguments: &[Argument], all: bool) {
    every_path_is_named(model, arguments);
    if !rustix::process::geteuid().is_root() {
        eprintln!("SKIPPED: needs root: files of another user");
        return;
    }
    let mut wrong = Vec::new();
    for argument in arguments {
        let (prepare, passing): (_, &[&str]) = match argument.role {
            Role::Input => continue,
            Role::Output(prepare) => (prepare, &[]),
            Role::Passing(prepare, names) => (prepare, names),
        };
        let name = format!("{} {}", argument.command, argument.name);
        let cells = row(&name, prepare, passing, all);
        let line: Vec<String> = cells
            .iter()
            .map(|(planting, ends)| {
                let ends: Vec<&str> = ends.keys().map(String::as_str).collect();
                format!("{planting:?} {}", ends.join("+"))
            })
            .collect();
        println!("{name:<28} {}", line.join(", "));
        let bad = cells.into_iter().flat_map(|(planting, ends)| {
            let bad = ends.into_iter().filter(|(end, _)| end.chars().all(char::is_uppercase));
            bad.map(move |(end, places)| (planting, end, places)).collect::<Vec<_>>()
        });
        wrong.extend(bad.map(|bad| format!("{name}: {bad:?}")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The results of the runs, with their paths.
type Ends = BTreeMap<String, Vec<String>>;

fn row(name: &str, prepare: fn(&Stage) -> Command, passing: &[&str], all: bool) -> Vec<(Planting, Ends)> {
    let changes = Changes::of(name, prepare, passing);
    let names = changes.names();
    assert!(!names.is_empty(), "{name} writes nothing");
    let mut cells = Vec::new();
    for planting in Planting::ALL {
        let mut ends = Ends::new();
        let mut seen = BTreeSet::new();
        for (number, file) in names.iter().enumerate() {
            if planting == Planting::Folder && !seen.insert(file.parent()) {
                continue;
            }
            // Without `all`, each name in one folder, in an order that differs between commands.
            let turns = Place::ALL.into_iter().zip(0..Place::ALL.len());
            let is_due = |turn| all || turn == (name.len() + number) % Place::ALL.len();
            for (place, _) in turns.filter(|(_, turn)| is_due(*turn)) {
                let end = tried(prepare, place, planting, file, &changes.likely(file));
                ends.entry(end).or_default().push(format!("{place:?} {}", file.display()));
            }
        }
        cells.push((planting, ends));
    }
    cells
}

fn every_path_is_named(mut model: clap::Command, arguments: &[Argument]) {
    model.build();
    let (mut found, mut unknown) = (BTreeSet::new(), Vec::new());
    collect(&model, "", &mut found);
    let named: BTreeSet<(String, String)> =
        arguments.iter().map(|given| (given.command.to_owned(), given.name.to_owned())).collect();
    unknown.extend(found.symmetric_difference(&named));
    assert!(unknown.is_empty(), "neither an input nor an output, or not there: {unknown:?}");
}

/// Names of values that are paths, independent of their type.
const PATHS: [&str; 6] = ["FILE", "DIR", "FOLDER", "PATH", "FILTER", "TARGET"];

fn collect(command: &clap::Command, way: &str, found: &mut BTreeSet<(String, String)>) {
    for argument in command.get_arguments().filter(|argument| argument.get_action().takes_values()) {
        let values = argument.get_value_names().unwrap_or_default();
        let name = argument.get_long().map(|long| format!("--{long}"));
        let name = name.or_else(|| values.first().map(ToString::to_string)).unwrap_or_default();
        let is_path = argument.get_value_hint() != ValueHint::Unknown && !argument.is_hide_set()
            || values.iter().any(|value| PATHS.contains(&value.as_str()));
        if is_path {
            found.insert((way.to_owned(), name));
        }
    }
    for inner in command.get_subcommands() {
        let way = format!("{way} {}", inner.get_name());
        collect(inner, way.trim(), found);
    }
}
