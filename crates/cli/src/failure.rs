//! The error of a tool: the failed action and the reason, on a single line on stderr.

use std::{
    error::Error,
    fmt::{self, Write as _},
    io::{self, IsTerminal as _, Write as _},
    sync::{
        OnceLock,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
};

use nearmiss_filters::{
    keys::{self, Keyed, MessageKey},
    storage::{Act, StorageError},
    text::{is_steering, system_reason},
};

use crate::{
    exit::Exit,
    shell::on_files,
    text::{columns, wrapped_to},
};

/// The name of the program, at the beginning of each line on standard error.
static PROGRAM: OnceLock<&str> = OnceLock::new();

/// True if the program was started without standard output.
static OUTPUT_CLOSED: AtomicBool = AtomicBool::new(false);

/// A failed action, and the reason.
#[derive(Debug)]
pub struct Failure {
    key: MessageKey,
    act: String,
    source: Option<Box<dyn Error>>,
    /// Lines shown below it on a terminal.
    excerpt: Option<String>,
}

/// The result of a command, or its failure.
pub type Outcome = Result<Exit, Failure>;

impl Failure {
    /// `act` failed because of `source`, whose key it has.
    pub fn new(act: impl Into<String>, source: impl Into<Box<dyn Error>> + Keyed) -> Failure {
        Failure { key: source.key(), act: act.into(), source: Some(source.into()), excerpt: None }
    }

    /// A failure that needs no further reason.
    pub fn plain(key: impl Keyed, message: impl Into<String>) -> Failure {
        Failure { key: key.key(), act: message.into(), source: None, excerpt: None }
    }

    /// The same with lines of a file that are shown below it on a terminal; otherwise an error is one line.
    #[must_use]
    pub fn with_excerpt(self, excerpt: String) -> Failure {
        Failure { excerpt: Some(excerpt), ..self }
    }

    /// The error that caused it, if that is an `E`.
    pub fn source_as<E: Error + 'static>(&self) -> Option<&E> {
        self.source.as_ref()?.downcast_ref()
    }

    /// The same after something that was done, and stays so.
    #[must_use]
    pub fn although(self, done: &str) -> Failure {
        Failure { act: format!("{done}, but {}", self.act), ..self }
    }

    /// Writing results failed.
    pub fn output(source: io::Error) -> Failure {
        if OUTPUT_CLOSED.load(Relaxed) {
            return Failure::plain(keys::FILE_UNWRITABLE, "cannot write to standard output: it is closed");
        }
        Failure::new("cannot write to standard output", source)
    }

    /// Reports the failure on stderr, and returns the exit code. There is no message about a closed pipe: its
    /// reader has read enough.
    pub fn report(&self) -> Exit {
        if self.is_broken_pipe() {
            return Exit::Error;
        }
        warn(self.key, &self.to_string());
        if let Some(excerpt) = self.excerpt.as_ref().filter(|_| io::stderr().is_terminal()) {
            for line in excerpt.lines() {
                let _ = writeln!(io::stderr(), "{}", printable(line));
            }
        }
        Exit::Error
    }

    fn is_broken_pipe(&self) -> bool {
        let source = self.source.as_ref().and_then(|source| source.downcast_ref::<io::Error>());
        source.is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
    }
}

impl Keyed for Failure {
    fn key(&self) -> MessageKey {
        self.key
    }
}

/// Without the key, so that it can be a part of another message.
impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.source {
            None => f.write_str(&self.act),
            Some(source) => match source.downcast_ref::<io::Error>() {
                Some(error) => write!(f, "{}: {}", self.act, system_reason(error)),
                None => write!(f, "{}: {source}{}", self.act, folder_advice(source.as_ref())),
            },
        }
    }
}

/// The command that makes the missing folder of a file that was to be written; empty for any other error.
fn folder_advice(error: &(dyn Error + 'static)) -> String {
    let storage = error.downcast_ref::<StorageError>();
    let unmade = storage.filter(|error| error.act == Act::Create && error.is_missing());
    match unmade.and_then(|error| error.path.parent()).filter(|folder| !folder.exists()) {
        Some(folder) => format!("; make its folder: {}", on_files("mkdir -p", [folder])),
        None => String::new(),
    }
}

/// States the reason why nothing can be written to standard output: the program was started without one.
pub fn output_is_closed() {
    OUTPUT_CLOSED.store(true, Relaxed);
}

/// Sets the name of the program for [`Failure::report`] and [`warn`]. The first name stays.
pub fn speak_as(program: &'static str) {
    PROGRAM.get_or_init(|| program);
}

/// Warns on stderr about a skipped part of an action that succeeds: on one line, which is wrapped on a
/// terminal, with the key at its end.
pub fn warn(key: impl Keyed, message: &str) {
    say(&format!("{} {}", printable(message), key.key()));
}

/// The same without a key: for a result, or for termination by a signal.
pub fn say(message: &str) {
    let program = PROGRAM.get().copied().unwrap_or("nearmiss");
    let message = format!("{program}: {}", printable(message));
    // A failure to write to stderr cannot be reported.
    let _ = if io::stderr().is_terminal() {
        wrapped_to(columns(io::stderr()), &message, ("", "  "), &mut io::stderr())
    } else {
        writeln!(io::stderr(), "{message}")
    };
}

/// `text` on one line, with escaped characters that could control a terminal or change the reading direction:
/// file names may contain any.
pub fn printable(text: &str) -> String {
    text.trim_end().chars().fold(String::with_capacity(text.len()), |mut line, character| {
        if is_steering(character) {
            // Writing to a string cannot fail.
            let _ = write!(line, "{}", character.escape_default());
        } else {
            line.push(character);
        }
        line
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys;

    #[test]
    fn one_line_with_act_and_reason() {
        let failure = Failure::new("cannot read a\nb", io::Error::other("no \u{1b}[31mluck"));
        assert_eq!(printable(&failure.to_string()), "cannot read a\\nb: no \\u{1b}[31mluck");
        assert_eq!(failure.key().as_str(), "system-error");
        assert_eq!(Failure::plain(keys::ARGUMENTS, "nothing to do").to_string(), "nothing to do");
    }

    #[test]
    fn text_is_kept_but_for_what_steers() {
        assert_eq!(printable("élephant/日本"), "élephant/日本");
        assert_eq!(printable("a\u{202e}b\u{9b}c"), "a\\u{202e}b\\u{9b}c");
    }

    #[test]
    fn work_that_ended_with_its_reader_is_not_done() {
        let gone = Failure::output(io::Error::from(io::ErrorKind::BrokenPipe));
        assert_eq!(gone.report(), Exit::Error);
    }
}
