//! The PAM stacks of a system, as libpam reads them: the lines of a service, with includes replaced by the
//! lines of their files.

mod chain;
mod text;

use std::{
    fs,
    path::{Path, PathBuf},
};

use nearmiss_policy::config::stack_options::{Mistake, Options};

use self::text::joined;
pub(crate) use self::{
    chain::{Chain, Link, included},
    text::decoded,
};
use super::{
    expire::HELPER,
    left_behind::is_left_behind,
    text_file::{is_file_below, read_below},
};

/// The service whose file libpam reads for one without a file.
pub(crate) const FALLBACK: &str = "other";

/// The options by which a line of the module does something else than to check a new password.
const MODES: [&str; 5] = ["record", "submit", "failed", "passed", "notify"];

/// The module whose lines are searched.
pub(crate) const MODULE: &str = "pam_nearmiss.so";

/// The folders in which libpam looks for a service's file; the first hit wins (Linux-PAM's `pam_handlers.c`;
/// the last two where it was built with a vendor directory).
pub(crate) const FOLDERS: [&str; 3] = ["etc/pam.d", "usr/lib/pam.d", "usr/share/pam/pam.d"];

/// A line of a stack: `auth [success=1 default=ignore] pam_unix.so nullok`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StackEntry {
    /// `auth`, `account`, `password` or `session`.
    pub(crate) kind: String,
    /// The action for its result: a word, or `[value=action …]`.
    pub(crate) control: String,
    /// The module, with its path where one is given.
    pub(crate) module: String,
    /// Its arguments.
    pub(crate) arguments: Vec<String>,
    /// The file that has the line.
    pub(crate) file: PathBuf,
    /// Its line number, from 1.
    pub(crate) number: usize,
    /// The number of further lines of the file in which it goes on.
    pub(crate) further: usize,
    /// True if a missing module is ignored: the line begins with `-`.
    pub(crate) is_silent: bool,
    /// False if the line is not UTF-8; its bytes are then taken as Latin-1.
    pub(crate) is_utf8: bool,
}

impl StackEntry {
    /// Parses a line; none if it names no module.
    pub(crate) fn parse(text: &str) -> Option<StackEntry> {
        let text = text.split('#').next()?.trim();
        let (kind, rest) = text.split_once(char::is_whitespace)?;
        let (control, rest) = control_of(rest.trim_start())?;
        let mut words = words(rest).into_iter();
        let (module, is_silent) = (words.next()?, kind.starts_with('-'));
        let kind = kind.trim_start_matches('-').to_ascii_lowercase();
        // libpam allows blanks around the sign, `[success = 1]`, and words in capitals only without brackets.
        let control = control.split('=').map(str::trim).collect::<Vec<_>>().join("=");
        let control = if control.starts_with('[') { control } else { control.to_ascii_lowercase() };
        let arguments = words.collect();
        let (file, number, further, is_utf8) = (PathBuf::new(), 0, 0, true);
        Some(StackEntry { kind, control, module, arguments, file, number, further, is_silent, is_utf8 })
    }

    /// The module without its path.
    pub(crate) fn name(&self) -> &str {
        self.module.rsplit('/').next().unwrap_or(&self.module)
    }

    /// True if the module gets this argument.
    pub(crate) fn has(&self, argument: &str) -> bool {
        self.arguments.iter().any(|own| own == argument)
    }

    /// The argument `name=value`; the last one wins.
    pub(crate) fn value(&self, name: &str) -> Option<&str> {
        self.arguments.iter().rev().find_map(|own| own.strip_prefix(name)?.strip_prefix('='))
    }

    /// True for a line of the module.
    pub(crate) fn is_ours(&self) -> bool {
        self.name() == MODULE
    }

    /// True for the line that makes a password expire.
    pub(crate) fn runs_helper(&self) -> bool {
        self.name() == "pam_exec.so" && self.has(HELPER)
    }

    /// True for the line that checks new passwords.
    pub(crate) fn is_checking(&self) -> bool {
        self.is_ours() && !MODES.iter().any(|mode| self.has(mode))
    }

    /// The arguments that the module does not know.
    pub(crate) fn mistakes(&self) -> Vec<Mistake> {
        self.parsed().1
    }

    /// The options as the module reads them: an argument with a mistake has no effect.
    pub(crate) fn options(&self) -> Options {
        self.parsed().0
    }

    /// The option that was probably meant. On a line that checks passwords, it is none that would take the
    /// check away.
    pub(crate) fn meant(&self, mistake: &Mistake) -> Option<String> {
        let checks = self.kind == "password" && self.is_checking();
        mistake.meant().filter(|meant| !checks || !MODES.contains(&meant.as_str()))
    }

    /// The same, to follow the message.
    pub(crate) fn did_you_mean(&self, mistake: &Mistake) -> String {
        self.meant(mistake).map_or_else(String::new, |meant| format!(" (did you mean `{meant}`?)"))
    }

    fn parsed(&self) -> (Options, Vec<Mistake>) {
        Options::parse(self.arguments.iter().map(String::as_bytes))
    }

    /// The options in force that replace settings about the verdict: `conf`, `filter` and `enforce`.
    pub(crate) fn overriding(&self) -> Vec<String> {
        let Options { conf, filter, enforce, .. } = self.options();
        let path = |name: &str, path: PathBuf| format!("{name}={}", path.display());
        let conf = conf.map(|file| path("conf", file));
        let filter = filter.map(|file| path("filter", file));
        let enforce = enforce.map(|level| format!("enforce={}", level.name()));
        [conf, filter, enforce].into_iter().flatten().collect()
    }

    /// Its file and line.
    pub(crate) fn place(&self) -> String {
        format!("{}:{}", self.file.display(), self.number)
    }
}

/// The control of a line, one word or `[value=action …]`, and what follows.
fn control_of(rest: &str) -> Option<(&str, &str)> {
    let end =
        if rest.starts_with('[') { rest.find(']')?.checked_add(1)? } else { rest.find(char::is_whitespace)? };
    let (control, rest) = rest.split_at_checked(end)?;
    Some((control, rest.trim_start()))
}

/// The words of a line; one in brackets may have spaces in it, and `\]` in place of a bracket.
fn words(rest: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut rest = rest.trim_start();
    while !rest.is_empty() {
        let (word, behind) = if let Some(inner) = rest.strip_prefix('[') {
            bracketed(inner)
        } else {
            let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
            let (word, behind) = rest.split_at_checked(end).unwrap_or((rest, ""));
            (word.to_owned(), behind)
        };
        words.push(word);
        rest = behind.trim_start();
    }
    words
}

/// The word up to its closing bracket, and what follows.
fn bracketed(inner: &str) -> (String, &str) {
    let mut word = String::new();
    let mut characters = inner.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        match character {
            ']' => return (word, inner.get(at.saturating_add(1)..).unwrap_or_default()),
            '\\' if characters.next_if(|(_, next)| *next == ']').is_some() => word.push(']'),
            _ => word.push(character),
        }
    }
    (word, "")
}

/// The lines of a file, without what it includes.
pub(crate) fn entries_of_file(root: &Path, file: &Path) -> Vec<StackEntry> {
    let text = read_below(root, file).unwrap_or_default();
    joined(&text).iter().filter_map(|line| line.parse(file)).collect()
}

/// Every line of the module, of any kind, in the service files of the system below `root`.
pub(crate) fn entries_of_module(root: &Path) -> Vec<StackEntry> {
    let files =
        FOLDERS.iter().flat_map(|folder| fs::read_dir(root.join(folder)).into_iter().flatten().flatten());
    let mut files: Vec<PathBuf> =
        files.map(|entry| entry.path()).filter(|path| is_in_use(root, path)).collect();
    files.sort();
    // A link beside its file is no second line.
    let mut seen = Vec::new();
    files.retain(|file| {
        let real = file.canonicalize().unwrap_or_else(|_| file.clone());
        let is_new = !seen.contains(&real);
        seen.push(real);
        is_new
    });
    files.iter().flat_map(|file| entries_of_file(root, file)).filter(StackEntry::is_ours).collect()
}

fn is_in_use(root: &Path, file: &Path) -> bool {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    is_file_below(root, file) && !is_left_behind(&name)
}

/// The password stack of a service.
pub(crate) struct Stack {
    /// The service's file.
    pub(crate) file: PathBuf,
    /// Its lines.
    pub(crate) lines: Vec<StackEntry>,
    /// The lines that include a file which is not there; the module is the file's name.
    pub(crate) missing: Vec<StackEntry>,
}

impl Stack {
    /// The stack of a service below `root`, or of `other` if the service has none.
    pub(crate) fn of_service(root: &Path, service: &str) -> Option<Stack> {
        let Chain { file, links, missing, .. } = Chain::in_force(root, service, "password")?;
        let lines = links.into_iter().filter(|link| !link.is_head()).map(|link| link.line).collect();
        Some(Stack { file, lines, missing })
    }

    /// True for the same lines of the same files, whatever the links on the way.
    pub(crate) fn is_same(&self, other: &Stack) -> bool {
        let real = |line: &StackEntry| {
            let file = line.file.canonicalize().unwrap_or_else(|_| line.file.clone());
            StackEntry { file, ..line.clone() }
        };
        self.lines.iter().map(real).eq(other.lines.iter().map(real))
    }

    /// The index of the first line that checks new passwords.
    pub(crate) fn checking(&self) -> Option<usize> {
        self.lines.iter().position(StackEntry::is_checking)
    }

    /// That line.
    pub(crate) fn checking_entry(&self) -> Option<&StackEntry> {
        self.lines.iter().find(|line| line.is_checking())
    }
}

#[cfg(test)]
mod tests;
