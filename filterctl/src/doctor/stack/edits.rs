//! Edits of PAM files by line: applied to a file of the copy, or printed as the command that makes them.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use nearmiss_filters::text::system_reason;

use crate::{
    doctor::{copy::Edit, remedy},
    host::pam_stack::StackEntry,
};

/// An edit of one line.
#[derive(Clone, Debug, PartialEq, Eq)]
enum EditAct {
    /// These words at its end.
    Append(String),
    /// This text in its place.
    Replace(String),
    /// This word, the first of its kind, becomes another; none takes it away.
    Word(String, String),
    /// This line before it.
    Before(String),
    /// This line behind it.
    After(String),
    /// The line goes.
    Delete,
    /// The line becomes a comment.
    Comment,
    /// The carriage return at its end goes.
    NoReturn,
}

/// Edits of some files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Edits {
    files: BTreeMap<PathBuf, Vec<(usize, EditAct)>>,
}

impl Edits {
    /// Adds words to the end of a line.
    pub(super) fn append(self, line: &StackEntry, words: &str) -> Edits {
        self.add(line, EditAct::Append(words.to_owned()))
    }

    /// Replaces a line.
    pub(super) fn replace(self, line: &StackEntry, text: &str) -> Edits {
        self.add(line, EditAct::Replace(text.to_owned()))
    }

    /// Replaces a word of a line; an empty one takes it away.
    pub(super) fn word(self, line: &StackEntry, from: &str, to: &str) -> Edits {
        self.add(line, EditAct::Word(from.to_owned(), to.to_owned()))
    }

    /// Puts a line before another one.
    pub(super) fn before(self, line: &StackEntry, text: &str) -> Edits {
        self.add(line, EditAct::Before(text.to_owned()))
    }

    /// Puts a line behind another one.
    pub(super) fn after(self, line: &StackEntry, text: &str) -> Edits {
        self.add(line, EditAct::After(text.to_owned()))
    }

    /// Deletes a line.
    pub(super) fn delete(self, line: &StackEntry) -> Edits {
        self.add(line, EditAct::Delete)
    }

    /// Makes a line a comment.
    pub(super) fn comment(self, line: &StackEntry) -> Edits {
        self.add(line, EditAct::Comment)
    }

    /// Takes the carriage return off the end of a line.
    pub(super) fn no_return(self, line: &StackEntry) -> Edits {
        self.add(line, EditAct::NoReturn)
    }

    fn add(mut self, line: &StackEntry, act: EditAct) -> Edits {
        let number = match act {
            // The end of an entry is in the last of its lines.
            EditAct::Append(_) | EditAct::After(_) => line.number.saturating_add(line.further),
            _ => line.number,
        };
        self.files.entry(line.file.clone()).or_default().push((number, act));
        self
    }

    /// These and others, which come behind them.
    pub(super) fn and(mut self, more: &Edits) -> Edits {
        for (file, acts) in &more.files {
            self.files.entry(file.clone()).or_default().extend(acts.iter().cloned());
        }
        self
    }

    /// The files that they change.
    pub(super) fn files(&self) -> impl Iterator<Item = &Path> {
        self.files.keys().map(PathBuf::as_path)
    }

    /// The files as the edits leave them.
    ///
    /// # Errors
    /// A file cannot be read.
    pub(super) fn apply(&self) -> Result<Vec<Edit>, String> {
        let apply = |(file, acts): (&PathBuf, &Vec<(usize, EditAct)>)| {
            let text =
                fs::read(file).map_err(|error| format!("{}: {}", file.display(), system_reason(&error)))?;
            let content = applied(&String::from_utf8_lossy(&text), acts);
            Ok(Edit { file: file.clone(), content })
        };
        self.files.iter().map(apply).collect()
    }

    /// The command that makes the edits (sed(1) of GNU or of `BusyBox`).
    pub(super) fn command(&self) -> String {
        let of_file = |(file, acts): (&PathBuf, &Vec<(usize, EditAct)>)| {
            let scripts: Vec<String> = acts.iter().map(|(number, act)| act.script(*number)).collect();
            let scripts = scripts.iter().map(|script| format!(" -e {}", quoted(script))).collect::<String>();
            // Where the file is a link, its target is edited, and the link stays.
            format!("sed -i{scripts} {}", remedy::quoted(&real(file)))
        };
        self.files.iter().map(of_file).collect::<Vec<_>>().join(" && ")
    }
}

fn real(file: &Path) -> PathBuf {
    file.canonicalize().unwrap_or_else(|_| file.to_owned())
}

/// A text as one word of a shell.
fn quoted(text: &str) -> String {
    remedy::quoted(Path::new(text))
}

impl EditAct {
    /// The same as a script of sed(1).
    fn script(&self, number: usize) -> String {
        match self {
            EditAct::Append(words) => format!("{number}s/$/ {}/", escaped(words)),
            EditAct::Replace(text) => format!("{number}s/.*/{}/", escaped(text)),
            EditAct::Word(from, to) => {
                let to = if to.is_empty() { String::new() } else { format!(" {}", escaped(to)) };
                format!("{number}s/[[:space:]]{}\\([[:space:]]\\|$\\)/{to}\\1/", pattern(from))
            }
            EditAct::Before(text) => format!("{number}i\\{}", text.replace('\\', r"\\")),
            EditAct::After(text) => format!("{number}a\\{}", text.replace('\\', r"\\")),
            EditAct::Delete => format!("{number}d"),
            EditAct::Comment => format!("{number}s/^/#/"),
            EditAct::NoReturn => format!("{number}s/\\r$//"),
        }
    }
}

/// The left side of sed's `s/…/…/` for a text.
fn pattern(text: &str) -> String {
    text.chars().flat_map(|one| r"\[]/.*^$".contains(one).then_some('\\').into_iter().chain([one])).collect()
}

/// The right side of sed's `s/…/…/`.
fn escaped(text: &str) -> String {
    text.replace('\\', r"\\").replace('/', r"\/").replace('&', r"\&")
}

/// A text with these edits, by the numbers of its lines.
fn applied(text: &str, acts: &[(usize, EditAct)]) -> String {
    let mut out = String::new();
    for (number, line) in (1..).zip(text.split_inclusive('\n')) {
        let (body, end) = line.strip_suffix('\n').map_or((line, ""), |body| (body, "\n"));
        let (mut body, mut is_deleted, mut behind) = (body.to_owned(), false, String::new());
        for (_, act) in acts.iter().filter(|(own, _)| *own == number) {
            match act {
                EditAct::Append(words) => body.extend([" ", words]),
                EditAct::Replace(text) => body.clone_from(text),
                EditAct::Word(from, to) => body = with_word(&body, from, to),
                EditAct::Before(text) => out.extend([text, "\n"]),
                EditAct::After(text) => behind.extend([text, "\n"]),
                EditAct::Delete => is_deleted = true,
                EditAct::Comment => body.insert(0, '#'),
                EditAct::NoReturn => body = body.trim_end_matches('\r').to_owned(),
            }
        }
        if !is_deleted {
            out.extend([body.as_str(), if behind.is_empty() { end } else { "\n" }]);
        }
        out.push_str(&behind);
    }
    out
}

/// A line with its first word of this kind replaced.
fn with_word(line: &str, from: &str, to: &str) -> String {
    let is_word = |at: &usize| {
        let (head, rest) = (line.get(..*at), line.get(at.saturating_add(from.len())..));
        let is_end = rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace));
        is_end && head.is_some_and(|head| head.ends_with(char::is_whitespace))
    };
    let at = line.match_indices(from).map(|(at, _)| at).find(is_word);
    let Some((head, rest)) = at.and_then(|at| line.split_at_checked(at)) else { return line.to_owned() };
    let head = head.get(..head.len().saturating_sub(1)).unwrap_or(head);
    let rest = rest.get(from.len()..).unwrap_or_default();
    if to.is_empty() { format!("{head}{rest}") } else { format!("{head} {to}{rest}") }
}

/// A line as its file may have it.
pub(super) fn text_of(line: &StackEntry) -> String {
    let arguments = line.arguments.iter().map(|argument| format!(" {}", bracketed(argument)));
    format!("password {} {}{}", line.control, line.module, arguments.collect::<String>())
}

/// An argument as a line has it.
pub(super) fn bracketed(argument: &str) -> String {
    let is_plain =
        !argument.is_empty() && !argument.contains(char::is_whitespace) && !argument.starts_with('[');
    if is_plain { argument.to_owned() } else { format!("[{}]", argument.replace(']', "\\]")) }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    /// What is tried in the copy is what the printed command does.
    #[test]
    fn the_command_makes_the_file_that_was_tried() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a b");
        let text = "# head\npassword requisite pam_a.so retry=3 use_authtok\r\n\
                    password [success=1 default=ignore] pam_b.so\npassword required pam_c.so /x&y";
        let line = |number| {
            let line = StackEntry::parse("password required pam_a.so").unwrap();
            StackEntry { file: file.clone(), number, ..line }
        };
        for edits in [
            Edits::default().append(&line(2), "a/b&c\\d"),
            Edits::default().replace(&line(3), "password required pam_debug.so"),
            Edits::default().word(&line(2), "use_authtok", "retry=5"),
            Edits::default().word(&line(2), "retry=3", ""),
            Edits::default().word(&line(3), "[success=1 default=ignore]", "requisite"),
            Edits::default().before(&line(2), "password requisite pam_n.so retry=3").delete(&line(3)),
            Edits::default().after(&line(4), "password required pam_deny.so"),
            Edits::default().comment(&line(2)).comment(&line(4)),
            Edits::default().no_return(&line(2)),
        ] {
            fs::write(&file, text).unwrap();
            let tried = edits.apply().unwrap().remove(0).content;
            assert_ne!(tried, text);
            let command = edits.command();
            assert!(Command::new("sh").args(["-c", &command]).status().unwrap().success(), "{command}");
            assert_eq!(fs::read_to_string(&file).unwrap(), tried, "{command}");
        }
    }
}
