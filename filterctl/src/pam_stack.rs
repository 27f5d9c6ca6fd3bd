//! The PAM stacks of a system, as libpam reads them: the lines of a service, those of included files in their
//! place.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// The module whose lines are looked for.
pub(crate) const MODULE: &str = "pam_nearmiss.so";

/// Where libpam looks for a service's file, the first that has it winning (Linux-PAM's `pam_handlers.c`; the
/// last two where it was built with a vendor directory).
pub(crate) const FOLDERS: [&str; 3] = ["etc/pam.d", "usr/lib/pam.d", "usr/share/pam/pam.d"];

/// The deepest chain of includes that is followed.
const DEEPEST: usize = 16;

/// A line of a stack: `auth [success=1 default=ignore] pam_unix.so nullok`.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    /// `auth`, `account`, `password` or `session`.
    pub(crate) kind: String,
    /// What comes of its result: a word, or `[value=action …]`.
    pub(crate) control: String,
    /// The module, with its path where one is given.
    pub(crate) module: String,
    /// What is given to it.
    pub(crate) arguments: Vec<String>,
    /// The file that has the line.
    pub(crate) file: PathBuf,
    /// Its number there, from 1.
    pub(crate) number: usize,
}

impl Line {
    /// The line in this text; none where it is not of a module.
    pub(crate) fn parse(text: &str) -> Option<Line> {
        let text = text.split('#').next()?.trim();
        let (kind, rest) = text.split_once(char::is_whitespace)?;
        let (control, rest) = control_of(rest.trim_start())?;
        let mut words = rest.split_whitespace().map(str::to_owned);
        let (module, kind) = (words.next()?, kind.trim_start_matches('-').to_owned());
        let (control, arguments) = (control.to_owned(), words.collect());
        Some(Line { kind, control, module, arguments, file: PathBuf::new(), number: 0 })
    }

    /// The module without its path.
    pub(crate) fn name(&self) -> &str {
        self.module.rsplit('/').next().unwrap_or(&self.module)
    }

    /// True when this is given to the module.
    pub(crate) fn has(&self, argument: &str) -> bool {
        self.arguments.iter().any(|own| own == argument)
    }

    /// What is given to the module as `name=value`; the last one wins.
    pub(crate) fn value(&self, name: &str) -> Option<&str> {
        self.arguments.iter().rev().find_map(|own| own.strip_prefix(name)?.strip_prefix('='))
    }

    /// True for a line of the module.
    pub(crate) fn is_ours(&self) -> bool {
        self.name() == MODULE
    }

    /// True for the line that checks new passwords.
    pub(crate) fn is_checking(&self) -> bool {
        self.is_ours()
            && !["record", "submit", "failed", "passed", "guessed"].iter().any(|mode| self.has(mode))
    }

    /// Where it stands.
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

/// The password stack of a service.
pub(crate) struct Stack {
    /// The service's file.
    pub(crate) file: PathBuf,
    /// Its lines.
    pub(crate) lines: Vec<Line>,
}

impl Stack {
    /// The stack of a service below `root`, or of `other` where the service has none.
    pub(crate) fn of_service(root: &Path, service: &str) -> Option<Stack> {
        let file = file_of(root, service).or_else(|| file_of(root, "other"))?;
        let mut lines = Vec::new();
        read(root, &file, &mut lines, 0);
        Some(Stack { file, lines })
    }

    /// Where the first line stands that checks new passwords.
    pub(crate) fn checking(&self) -> Option<usize> {
        self.lines.iter().position(Line::is_checking)
    }

    /// That line.
    pub(crate) fn checking_line(&self) -> Option<&Line> {
        self.lines.iter().find(|line| line.is_checking())
    }
}

fn file_of(root: &Path, service: &str) -> Option<PathBuf> {
    let mut files = FOLDERS.iter().map(|folder| root.join(folder).join(service));
    files.find(|file| file.is_file())
}

/// The lines of a text with their numbers; those that end in a backslash go on in the next one.
fn joined(text: &str) -> Vec<(usize, String)> {
    let (mut lines, mut open) = (Vec::<(usize, String)>::new(), false);
    for (number, line) in (1..).zip(text.lines()) {
        let (part, goes_on) = line.strip_suffix('\\').map_or((line, false), |part| (part, true));
        match lines.last_mut().filter(|_| open) {
            Some((_, last)) => last.extend([" ", part]),
            None => lines.push((number, part.to_owned())),
        }
        open = goes_on;
    }
    lines
}

/// The password lines of a file, those of included files in their place.
fn read(root: &Path, file: &Path, lines: &mut Vec<Line>, depth: usize) {
    let text = fs::read(file).unwrap_or_default();
    let included = |name: &str, lines: &mut Vec<Line>| {
        if let Some(file) = file_of(root, name).filter(|_| depth < DEEPEST) {
            read(root, &file, lines, depth.saturating_add(1));
        }
    };
    for (number, text) in joined(&String::from_utf8_lossy(&text)) {
        if let Some(name) = text.split('#').next().unwrap_or_default().trim().strip_prefix("@include") {
            included(name.trim(), lines);
            continue;
        }
        let Some(line) = Line::parse(&text).filter(|line| line.kind == "password") else { continue };
        if line.control == "include" || line.control == "substack" {
            included(&line.module, lines);
        } else {
            lines.push(Line { file: file.to_owned(), number, ..line });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_its_words() {
        let line = Line::parse("-password [success=1 default=ignore] /lib/pam_x.so a b=1 b=2 # c").unwrap();
        assert_eq!((line.kind.as_str(), line.control.as_str()), ("password", "[success=1 default=ignore]"));
        assert_eq!((line.name(), line.has("a"), line.value("b")), ("pam_x.so", true, Some("2")));
        for none in ["", "# password", "password", "password required", "password [x pam_x.so"] {
            assert!(Line::parse(none).is_none(), "{none}");
        }
    }

    #[test]
    fn included_lines_stand_where_they_are_included() {
        let root = tempfile::tempdir().unwrap();
        for (name, text) in [
            (
                "etc/pam.d/passwd",
                "auth required pam_a.so\n@include common-password\npassword include vendor\n",
            ),
            ("etc/pam.d/common-password", "\npassword required \\\n  pam_b.so x\npassword substack loop\n"),
            ("etc/pam.d/loop", "password include loop\n"),
            ("usr/share/pam/pam.d/vendor", "password optional pam_c.so\n"),
        ] {
            let path = root.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let stack = Stack::of_service(root.path(), "passwd").unwrap();
        let told: Vec<_> = stack.lines.iter().map(|line| (line.name(), line.number)).collect();
        assert_eq!(told, [("pam_b.so", 2), ("pam_c.so", 1)]);
        assert!(stack.lines[0].place().ends_with("etc/pam.d/common-password:2") && stack.lines[0].has("x"));
        assert!(Stack::of_service(root.path(), "none").is_none());
    }
}
