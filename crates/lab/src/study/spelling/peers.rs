//! Other spelling checkers, where they are installed: asked as editors ask them, a word a line.

use std::{
    io::{self, Write},
    process::{Command, Stdio},
    thread,
};

use super::is_one_edit;

/// A checker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SpellPeer {
    Aspell,
    Hunspell,
}

impl SpellPeer {
    /// Those that are compared.
    pub(crate) const ALL: [SpellPeer; 2] = [SpellPeer::Aspell, SpellPeer::Hunspell];

    /// Its program.
    pub(crate) fn program(self) -> &'static str {
        match self {
            SpellPeer::Aspell => "aspell",
            SpellPeer::Hunspell => "hunspell",
        }
    }

    /// Both answer as ispell did.
    fn arguments(self) -> &'static [&'static str] {
        match self {
            SpellPeer::Aspell => &["-a", "--lang=en_US", "--encoding=utf-8"],
            SpellPeer::Hunspell => &["-a", "-d", "en_US", "-i", "utf-8"],
        }
    }

    /// The words it does not know, each with whether it suggests one that is one edit away.
    ///
    /// # Errors
    /// The program cannot be run, or did not return a result for each word.
    pub(super) fn unknown(self, words: &[String]) -> io::Result<Vec<(String, bool)>> {
        let mut command = Command::new(self.program());
        command.args(self.arguments());
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        // A circumflex makes a line text that begins like a command.
        let lines: String = words.iter().map(|word| format!("^{word}\n")).collect();
        let input = child.stdin.take();
        let writer =
            thread::spawn(move || input.map_or(Ok(()), |mut input| input.write_all(lines.as_bytes())));
        let output = child.wait_with_output()?;
        let text = String::from_utf8_lossy(&output.stdout);
        let answers = answers(&text);
        if answers.len() < words.len() || writer.join().is_err() {
            let program = self.program();
            let message =
                format!("{program} did not return a result for each word; is its English list installed?");
            return Err(io::Error::other(message));
        }
        let unknown = words.iter().zip(answers).filter(|(_, answer)| answer.is_unknown());
        Ok(unknown.map(|(word, answer)| (word.clone(), answer.has_near(word))).collect())
    }
}

/// The lines for one word.
#[derive(Debug, PartialEq, Eq)]
struct PeerAnswer<'t>(Vec<&'t str>);

impl PeerAnswer<'_> {
    fn is_unknown(&self) -> bool {
        self.0.iter().any(|line| line.starts_with(['&', '?', '#']))
    }

    /// After the colon: `& word 2 0: first, second`.
    fn has_near(&self, word: &str) -> bool {
        let suggestions = self.0.iter().filter_map(|line| line.split_once(": "));
        suggestions.flat_map(|(_, words)| words.split(", ")).any(|suggested| is_one_edit(word, suggested))
    }
}

/// A greeting, then for each word its lines and an empty one.
fn answers(text: &str) -> Vec<PeerAnswer<'_>> {
    let mut answers = Vec::new();
    let mut lines = Vec::new();
    for line in text.lines().skip(1) {
        if line.is_empty() {
            answers.push(PeerAnswer(std::mem::take(&mut lines)));
        } else {
            lines.push(line);
        }
    }
    answers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_those_of_ispell() {
        let text = "@(#) greeting\n*\n\n& teh 2 1: the, tech\n\n# qqqq 1\n\n+ dog\n\n";
        let answers = answers(text);
        let told: Vec<(bool, bool)> =
            answers.iter().map(|answer| (answer.is_unknown(), answer.has_near("teh"))).collect();
        assert_eq!(told, [(false, false), (true, true), (true, false), (false, false)]);
    }
}
