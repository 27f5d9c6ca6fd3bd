//! The options of the other modules, with their file and line.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use nearmiss_cli::{failure::Failure, keys};

use crate::host::pam_stack::StackEntry;

/// An option with its file and line.
#[derive(Clone, Debug)]
pub(super) struct Given {
    /// Its name, in lower case.
    pub(super) name: String,
    /// The text after `=`; empty if there is none.
    pub(super) value: String,
    /// File and line.
    pub(super) place: String,
}

impl Given {
    /// The whole number that it is set to.
    pub(super) fn number(&self) -> Option<i64> {
        self.value.parse().ok()
    }
}

/// The option as written, with its file and line.
impl std::fmt::Display for Given {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Given { name, value, place } = self;
        if value.is_empty() { write!(f, "{name} ({place})") } else { write!(f, "{name} = {value} ({place})") }
    }
}

/// The module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Module {
    /// `pam_pwquality`, or `pam_cracklib` with fewer of its options.
    Pwquality,
    /// `pam_passwdqc`.
    Passwdqc,
}

/// A module that is in the stack, or configured.
#[derive(Debug)]
pub(super) struct Checker {
    pub(super) module: Module,
    /// The file and line of each of its lines in the stack, and the module that it names.
    pub(super) lines: Vec<(String, String)>,
    /// Its options: the effective one of each name.
    pub(super) options: Vec<Given>,
    /// Options that are overridden, each with the effective one.
    pub(super) replaced: Vec<(Given, Given)>,
    /// Options that belong to the line of the stack.
    pub(super) of_the_line: Vec<Given>,
}

/// The maximum depth of files that include each other with `config=`.
const DEEPEST: usize = 16;

/// Options about the cooperation of a module with others in the stack.
const OF_THE_STACK: [&str; 9] = [
    "use_authtok",
    "use_first_pass",
    "try_first_pass",
    "authtok_type",
    "type",
    "debug",
    "audit",
    "noaudit",
    "config",
];

impl Checker {
    /// The modules that are there.
    ///
    /// # Errors
    /// A file cannot be read.
    pub(super) fn all(root: &Path, lines: &[StackEntry]) -> Result<Vec<Checker>, Failure> {
        let of = |names: &[&str]| -> Vec<StackEntry> {
            lines.iter().filter(|line| names.contains(&line.name())).cloned().collect()
        };
        let (pwquality, passwdqc) = (of(&["pam_pwquality.so", "pam_cracklib.so"]), of(&["pam_passwdqc.so"]));
        let places = |lines: &[StackEntry]| -> Vec<(String, String)> {
            let place = |line: &StackEntry| (place(root, &line.file, line.number), line.name().to_owned());
            lines.iter().map(place).collect()
        };
        let files = pwquality_options(root)?;
        let mut all = Vec::new();
        if !pwquality.is_empty() || !files.is_empty() {
            let on_lines = pwquality.iter().flat_map(|line| options_of(root, line));
            let options = files.into_iter().chain(on_lines);
            all.push(Checker::of(Module::Pwquality, places(&pwquality), options));
        }
        if !passwdqc.is_empty() {
            let mut options = Vec::new();
            for line in &passwdqc {
                with_files(root, options_of(root, line), DEEPEST, &mut options)?;
            }
            all.push(Checker::of(Module::Passwdqc, places(&passwdqc), options.into_iter()));
        }
        Ok(all)
    }

    /// The last option of each name is effective.
    fn of(module: Module, lines: Vec<(String, String)>, all: impl Iterator<Item = Given>) -> Checker {
        let is_of_the_line = |option: &Given| OF_THE_STACK.contains(&option.name.as_str());
        let (of_the_line, all): (Vec<Given>, Vec<Given>) = all.partition(is_of_the_line);
        let (mut options, mut replaced): (Vec<Given>, Vec<Given>) = (Vec::new(), Vec::new());
        for option in all {
            let is_same = |own: &Given| own.name == option.name;
            if let Some(at) = options.iter().position(is_same) {
                replaced.push(options.remove(at));
            }
            options.push(option);
        }
        let with_holder = |lost: Given| {
            let holder = options.iter().find(|own| own.name == lost.name).cloned();
            holder.map(|holder| (lost, holder))
        };
        let replaced = replaced.into_iter().filter_map(with_holder).collect();
        Checker { module, lines, options, replaced, of_the_line }
    }
}

/// Collects options, with the options of each `config=` file before that option.
fn with_files(
    root: &Path,
    options: impl Iterator<Item = Given>,
    deepest: usize,
    all: &mut Vec<Given>,
) -> Result<(), Failure> {
    for option in options {
        if option.name == "config" {
            let deeper = deepest.checked_sub(1).ok_or_else(|| {
                Failure::plain(
                    keys::MIGRATE,
                    format!("{option}: the files include each other with config= in an endless loop"),
                )
            })?;
            let file = file_options(root, &below(root, &option.value))?;
            with_files(root, file.into_iter(), deeper, all)?;
        }
        all.push(option);
    }
    Ok(())
}

/// Drop-ins come before the file itself, which wins (libpwquality's `settings.c`).
fn pwquality_options(root: &Path) -> Result<Vec<Given>, Failure> {
    let folder = root.join("etc/security/pwquality.conf.d");
    let entries = fs::read_dir(&folder).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    files.retain(|file| file.extension().is_some_and(|end| end == "conf"));
    files.sort();
    let main = root.join("etc/security/pwquality.conf");
    if main.exists() {
        files.push(main);
    }
    let options: Result<Vec<_>, _> = files.iter().map(|file| file_options(root, file)).collect();
    Ok(options?.concat())
}

/// The options of a file: `name = value`, `name value` or `name`, with comments after `#`.
fn file_options(root: &Path, file: &Path) -> Result<Vec<Given>, Failure> {
    let unreadable = |error: io::Error| Failure::new(format!("cannot read {}", file.display()), error);
    let text = fs::read(file).map_err(unreadable)?;
    let text = String::from_utf8_lossy(&text);
    let option = |(number, line): (usize, &str)| {
        let line = line.split('#').next().unwrap_or_default().trim();
        let (name, value) = line.split_once([' ', '\t', '=']).unwrap_or((line, ""));
        let value = value.trim_start_matches([' ', '\t', '=']);
        let place = place(root, file, number);
        // A line without a name is kept unchanged, so that the output mentions it.
        let name = if name.is_empty() { line } else { name };
        (!line.is_empty()).then(|| Given { name: name.to_ascii_lowercase(), value: value.to_owned(), place })
    };
    Ok((1..).zip(text.lines()).filter_map(option).collect())
}

fn options_of(root: &Path, line: &StackEntry) -> impl Iterator<Item = Given> {
    line.arguments.iter().map(move |argument| {
        let (name, value) = argument.split_once('=').unwrap_or((argument, ""));
        Given {
            name: name.to_ascii_lowercase(),
            value: value.to_owned(),
            place: place(root, &line.file, line.number),
        }
    })
}

/// A line of a file, as the system below `root` names it.
pub(super) fn place(root: &Path, file: &Path, number: usize) -> String {
    format!("/{}:{number}", file.strip_prefix(root).unwrap_or(file).display())
}

/// A path of the system that lies below `root`.
pub(super) fn below(root: &Path, path: &str) -> PathBuf {
    root.join(path.trim_start_matches('/'))
}
