//! The lines of the other modules in a stack: a checker for each, since libpam runs them all.

use std::{
    fs,
    path::{Path, PathBuf},
};

use nearmiss_cli::{failure::Failure, keys};

use super::{
    files,
    given::{GivenSettings, Module},
    options, pwquality,
};
use crate::host::{
    pam_stack::StackEntry,
    text_file::{exists_below, read_at_most},
};

/// A line of a module in the stack, or the files of a module that no line names.
#[derive(Debug)]
pub(crate) struct OtherModule {
    pub(super) module: Module,
    /// The file and line of its line in the stack, and the module that it names.
    pub(super) line: Option<(String, String)>,
    /// Its options: the effective one of each name.
    pub(super) options: Vec<GivenSettings>,
    /// Options that are overridden, each with the effective one.
    pub(super) replaced: Vec<(GivenSettings, GivenSettings)>,
    /// Options that the module refuses, and why: an earlier value stays.
    pub(super) broken: Vec<(GivenSettings, &'static str)>,
    /// Options that belong to the line of the stack.
    pub(super) of_the_line: Vec<GivenSettings>,
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

impl OtherModule {
    /// The modules that are there.
    ///
    /// # Errors
    /// A file cannot be read.
    pub(crate) fn all(root: &Path, lines: &[StackEntry]) -> Result<Vec<OtherModule>, Failure> {
        let (read, unread) = pwquality_options(root)?;
        let mut all = Vec::new();
        for line in lines {
            let Some(module) = Module::of(line) else { continue };
            let own = options_of(root, module, line);
            let mut options = Vec::new();
            match module {
                Module::Pwquality => options.extend(read.iter().cloned().chain(own)),
                Module::Cracklib => options.extend(own),
                Module::Passwdqc => with_files(root, own, DEEPEST, &mut options)?,
            }
            let place = (place(root, &line.file, line.number), line.name().to_owned());
            all.push(OtherModule::of(module, Some(place), options));
        }
        let has_line = all.iter().any(|checker| checker.module == Module::Pwquality);
        let is_configured = !read.is_empty() || !unread.is_empty();
        if is_configured && !has_line {
            all.push(OtherModule::of(Module::Pwquality, None, read));
        }
        if let Some(first) = all.iter_mut().find(|checker| checker.module == Module::Pwquality) {
            first.broken.extend(unread.into_iter().map(|option| (option, UNREAD)));
        }
        Ok(all)
    }

    /// The last option of each name that the module accepts is effective.
    fn of(module: Module, line: Option<(String, String)>, all: Vec<GivenSettings>) -> OtherModule {
        let is_of_the_line = |option: &GivenSettings| OF_THE_STACK.contains(&option.name.as_str());
        let (of_the_line, all): (Vec<GivenSettings>, Vec<GivenSettings>) =
            all.into_iter().partition(is_of_the_line);
        let (mut options, mut replaced): (Vec<GivenSettings>, Vec<GivenSettings>) = (Vec::new(), Vec::new());
        let mut broken = Vec::new();
        for option in all {
            if let Some(why) = options::refusal(module, &option) {
                broken.push((option, why));
                continue;
            }
            let is_same = |own: &GivenSettings| own.name == option.name;
            if let Some(at) = options.iter().position(is_same) {
                replaced.push(options.remove(at));
            }
            options.push(option);
        }
        let with_holder = |lost: GivenSettings| {
            let holder = options.iter().find(|own| own.name == lost.name).cloned();
            holder.map(|holder| (lost, holder))
        };
        let replaced = replaced.into_iter().filter_map(with_holder).collect();
        OtherModule { module, line, options, replaced, broken, of_the_line }
    }
}

/// libpwquality stops at the first line that it cannot parse (`settings.c`): no later one, and no later file.
const UNREAD: &str = "libpwquality does not read it: it stops at a line that it cannot parse";

/// Collects options, with the options of each `config=` file before that option.
fn with_files(
    root: &Path,
    options: impl Iterator<Item = GivenSettings>,
    deepest: usize,
    all: &mut Vec<GivenSettings>,
) -> Result<(), Failure> {
    for option in options {
        if option.name == "config" {
            let deeper = deepest.checked_sub(1).ok_or_else(|| {
                Failure::plain(
                    keys::MIGRATE,
                    format!("{option}: the files include each other with config= in an endless loop"),
                )
            })?;
            let path = below(root, &option.value);
            let file = files::passwdqc(&place_of(root, &path), &read(root, &path)?);
            with_files(root, file.into_iter(), deeper, all)?;
        }
        all.push(option);
    }
    Ok(())
}

/// The options that libpwquality reads, and those that it does not read any more. Drop-ins come before the
/// file itself, which wins (libpwquality's `settings.c`).
fn pwquality_options(root: &Path) -> Result<(Vec<GivenSettings>, Vec<GivenSettings>), Failure> {
    let folder = root.join("etc/security/pwquality.conf.d");
    let entries = fs::read_dir(&folder).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    files.retain(|file| file.extension().is_some_and(|end| end == "conf"));
    files.sort();
    let main = root.join("etc/security/pwquality.conf");
    if exists_below(root, &main) {
        files.push(main);
    }
    let (mut options, mut unread, mut has_ended) = (Vec::new(), Vec::new(), false);
    for file in &files {
        for (option, is_whole) in files::pwquality(&place_of(root, file), &read(root, file)?) {
            has_ended |= !is_whole;
            if has_ended {
                unread.push(option);
                continue;
            }
            has_ended = pwquality::stops(&option);
            options.push(option);
        }
    }
    Ok((options, unread))
}

/// The most bytes of a file of settings.
const MAX_BYTES: u64 = 1 << 20;

/// A whole regular file of the system below `root`.
fn read(root: &Path, file: &Path) -> Result<Vec<u8>, Failure> {
    let bytes = read_at_most(root, file, MAX_BYTES);
    bytes.map_err(|error| Failure::new(format!("cannot read {}", file.display()), error))
}

fn options_of(root: &Path, module: Module, line: &StackEntry) -> impl Iterator<Item = GivenSettings> {
    line.arguments.iter().map(move |argument| {
        let (name, value) = argument.split_once('=').unwrap_or((argument, ""));
        let place = place(root, &line.file, line.number);
        GivenSettings { is_utf8: line.is_utf8, ..GivenSettings::of(module, name, value, place) }
    })
}

/// A file, as the system below `root` names it.
fn place_of(root: &Path, file: &Path) -> String {
    format!("/{}", file.strip_prefix(root).unwrap_or(file).display())
}

/// A line of a file, as the system below `root` names it.
pub(super) fn place(root: &Path, file: &Path, number: usize) -> String {
    format!("{}:{number}", place_of(root, file))
}

/// A path of the system that lies below `root`.
pub(super) fn below(root: &Path, path: &str) -> PathBuf {
    root.join(path.trim_start_matches('/'))
}
