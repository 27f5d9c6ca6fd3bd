//! Results on standard output: lines of text, or one JSON object with `"schema": 1` for programs.

pub mod access;
#[cfg(feature = "tools")]
pub mod header;
#[cfg(feature = "tools")]
mod numbers;

use std::io::{self, IsTerminal as _, Write};

use serde::Serialize;

#[cfg(feature = "tools")]
pub use self::numbers::{about, counted, digits, number, things};
pub use crate::text::wrapped;
use crate::{failure::Failure, text};

/// The version of the tool's JSON: under one version, fields may be added, but not removed or redefined.
pub const SCHEMA: u32 = 1;

/// The first bytes of the tools' JSON, also of their records in files.
pub const START: &[u8] = b"{\"schema\":";

/// A result that can be printed either way.
pub trait Report: Serialize {
    /// Writes the result as text.
    ///
    /// # Errors
    /// The errors of `out`.
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()>;
}

#[derive(Serialize)]
struct Versioned<'a, R> {
    schema: u32,
    #[serde(flatten)]
    report: &'a R,
}

/// Writes a line of a text report to `out`. If standard output is a terminal, it is wrapped to its width, and
/// all lines but the first are indented by this number.
///
/// # Errors
/// The errors of `out`.
pub fn write_line(text: &str, indent: usize, out: &mut dyn Write) -> io::Result<()> {
    if io::stdout().is_terminal() {
        let columns = text::columns(io::stdout());
        text::wrapped_to(columns, text, ("", &" ".repeat(indent)), out)
    } else {
        writeln!(out, "{text}")
    }
}

/// Writes `report` to `out`, as one line of JSON or as text.
///
/// # Errors
/// The errors of `out`.
pub fn write<R: Report>(report: &R, as_json: bool, out: &mut dyn Write) -> io::Result<()> {
    if !as_json {
        return report.write_text(out);
    }
    serde_json::to_writer(&mut *out, &Versioned { schema: SCHEMA, report })?;
    writeln!(out)
}

/// Prints `report` on standard output, if it still has a reader.
///
/// # Errors
/// A [`Failure`] if standard output cannot be written.
pub fn print<R: Report>(report: &R, as_json: bool) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    read_enough(write(report, as_json, &mut out).and_then(|()| out.flush()))
}

/// Prints bytes on standard output, if it still has a reader.
///
/// # Errors
/// A [`Failure`] if standard output cannot be written.
pub fn print_bytes(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    read_enough(out.write_all(bytes).and_then(|()| out.flush()))
}

/// A reader that has read enough ends neither the work that is left nor what its exit status says.
fn read_enough(written: io::Result<()>) -> Result<(), Failure> {
    match written {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written.map_err(Failure::output),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Serialize)]
    struct Count {
        words: u64,
    }

    impl Report for Count {
        fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
            writeln!(out, "{} words", self.words)
        }
    }

    #[test]
    fn json_is_one_object_with_a_schema() {
        let mut out = Vec::new();
        write(&Count { words: 3 }, true, &mut out).unwrap();
        assert_eq!(out, b"{\"schema\":1,\"words\":3}\n");
    }

    #[test]
    fn text_is_for_people() {
        let mut out = Vec::new();
        write(&Count { words: 3 }, false, &mut out).unwrap();
        assert_eq!(out, b"3 words\n");
    }
}
