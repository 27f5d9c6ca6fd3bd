//! Other checkers, where they are installed: asked through their own programs, with their own settings.

use std::{
    io::{self, Write},
    process::{Command, Stdio},
    thread,
};

/// A checker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Peer {
    /// libpwquality's `pwscore`: rejects with an exit status, one password a run.
    PwScore,
    /// passwdqc's `pwqcheck`: prints a line for each password.
    PwqCheck,
}

impl Peer {
    const ALL: [Peer; 2] = [Peer::PwScore, Peer::PwqCheck];

    /// Its program.
    pub(crate) fn program(self) -> &'static str {
        match self {
            Peer::PwScore => "pwscore",
            Peer::PwqCheck => "pwqcheck",
        }
    }

    /// True for each of these passwords that it rejects.
    ///
    /// # Errors
    /// The program cannot be run, or did not return a result for each password.
    pub(crate) fn rejects(self, passwords: &[&[u8]]) -> io::Result<Vec<bool>> {
        match self {
            Peer::PwScore => passwords.iter().map(|password| is_rejected_by_pwscore(password)).collect(),
            Peer::PwqCheck => {
                let mut command = Command::new(self.program());
                rejected_by_program(command.args(["-1", "--multi"]).stderr(Stdio::null()), passwords)
            }
        }
    }
}

/// The checkers whose programs can be run.
pub(crate) fn installed() -> impl Iterator<Item = Peer> {
    let can_be_run = |peer: &Peer| {
        let mut command = Command::new(peer.program());
        command.arg("--help").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok()
    };
    Peer::ALL.into_iter().filter(can_be_run)
}

fn is_rejected_by_pwscore(password: &[u8]) -> io::Result<bool> {
    let mut command = Command::new(Peer::PwScore.program());
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn()?;
    if let Some(mut input) = child.stdin.take() {
        ignore_closed(input.write_all(&[password, b"\n"].concat()))?;
    }
    Ok(!child.wait()?.success())
}

/// True for each of these passwords that a program rejects, which reads one a line and answers with a line
/// each: one that begins with `OK` accepts.
///
/// # Errors
/// The program cannot be run, or did not return a result for each password.
pub(crate) fn rejected_by_program(command: &mut Command, passwords: &[&[u8]]) -> io::Result<Vec<bool>> {
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
