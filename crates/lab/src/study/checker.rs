//! Other checkers of passwords, through programs that read one a line and answer with a line each.

use std::{
    io::{self, Write},
    process::{Command, Stdio},
    thread,
};

use nearmiss_cli::failure::Failure;

/// A policy that a program checks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Checker {
    /// Its name in results.
    pub(crate) name: String,
    program: String,
    arguments: Vec<String>,
}

impl Checker {
    /// Reads `NAME=COMMAND`, for command lines. The command is split at spaces.
    ///
    /// # Errors
    /// There is no name or no command.
    pub(crate) fn parse(text: &str) -> Result<Checker, String> {
        let (name, command) = text.split_once('=').filter(|(name, _)| !name.is_empty()).unwrap_or_default();
        let mut words = command.split_whitespace().map(str::to_owned);
        let program = words.next().ok_or("expected NAME=COMMAND")?;
        Ok(Checker { name: name.to_owned(), program, arguments: words.collect() })
    }

    /// True for each of these passwords that it rejects: a line that begins with `OK` accepts.
    ///
    /// # Errors
    /// The program cannot be run, or did not return a result for each password.
    pub(crate) fn rejects(&self, passwords: &[&[u8]]) -> Result<Vec<bool>, Failure> {
        let mut command = Command::new(&self.program);
        rejected_by_program(command.args(&self.arguments), passwords)
            .map_err(|error| Failure::new(format!("cannot run {} for {}", self.program, self.name), error))
    }
}

fn rejected_by_program(command: &mut Command, passwords: &[&[u8]]) -> io::Result<Vec<bool>> {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let (input, text) = (child.stdin.take(), passwords.join(&b'\n'));
    let writer = thread::spawn(move || match input {
        Some(mut input) => ignore_closed(input.write_all(&text).and_then(|()| input.write_all(b"\n"))),
        None => Ok(()),
    });
    let output = child.wait_with_output()?;
    writer.join().unwrap_or(Ok(()))?;
    let lines = output.stdout.split_inclusive(|&byte| byte == b'\n');
    let verdicts: Vec<bool> = lines.map(|line| !line.starts_with(b"OK")).collect();
    match verdicts.get(..passwords.len()) {
        Some(verdicts) => Ok(verdicts.to_vec()),
        None => Err(io::Error::other("it did not return a result for each password")),
    }
}

/// A program that has decided may close its input before it has read everything.
fn ignore_closed(written: io::Result<()>) -> io::Result<()> {
    match written {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}
