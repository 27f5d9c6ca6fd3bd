//! The command `completions` of a tool: shell completions for its command line.

use clap::{Command, ValueEnum};
use clap_complete::{Shell, generate};

use crate::{exit::Exit, failure::Outcome, report};

/// Prints the completions for a shell.
#[derive(clap::Args)]
pub struct Args {
    /// The shell.
    shell: KnownShell,
}

/// The supported shells.
#[derive(Clone, Copy, ValueEnum)]
enum KnownShell {
    /// GNU bash, with bash-completion.
    Bash,
    /// The Z shell.
    Zsh,
    /// The friendly interactive shell.
    Fish,
}

impl Args {
    /// Prints the completions of the tool with this definition.
    ///
    /// # Errors
    /// Standard output cannot be written.
    pub fn run(&self, definition: &Command) -> Outcome {
        let mut script = Vec::new();
        let name = definition.get_name().to_owned();
        generate(self.shell.generator(), &mut shown(definition), name, &mut script);
        report::print_bytes(&script)?;
        Ok(Exit::Done)
    }
}

impl KnownShell {
    fn generator(self) -> Shell {
        match self {
            KnownShell::Bash => Shell::Bash,
            KnownShell::Zsh => Shell::Zsh,
            KnownShell::Fish => Shell::Fish,
        }
    }
}

/// The definition without its hidden subcommands, which the generators would offer: a copy of the data that
/// they read.
fn shown(command: &Command) -> Command {
    let below = command.get_subcommands().filter(|below| !below.is_hide_set()).map(shown);
    let copy =
        Command::new(command.get_name().to_owned()).args(command.get_arguments().cloned()).subcommands(below);
    let copy = match command.get_version() {
        Some(version) => copy.version(version.to_owned()),
        None => copy,
    };
    // A longer help text changes the description of --help.
    let copy = match command.get_after_long_help() {
        Some(text) => copy.after_long_help(text.clone()),
        None => copy,
    };
    match command.get_about() {
        Some(text) => copy.about(text.clone()),
        None => copy,
    }
}

#[cfg(test)]
mod tests {
    use clap::Arg;

    use super::*;

    fn script(shell: Shell, mut command: Command) -> String {
        let mut script = Vec::new();
        generate(shell, &mut command, "tool", &mut script);
        String::from_utf8(script).unwrap()
    }

    /// The completions without the hidden command equal the completions of a program that has none.
    #[test]
    fn hidden_commands_are_left_out_and_nothing_else() {
        let deep = Arg::new("deep").long("deep").short('d').help("How deep").value_parser(["a", "b"]);
        let outer = Command::new("outer")
            .about("Does more")
            .after_long_help("More")
            .subcommand(Command::new("inner").arg(deep));
        let tool = Command::new("tool").version("1.2").about("Is one").subcommand(outer);
        let with_hidden =
            tool.clone().subcommand(Command::new("gone").hide(true).arg(Arg::new("lost").long("lost")));
        for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
            assert_eq!(script(shell, shown(&with_hidden)), script(shell, tool.clone()), "{shell}");
        }
    }
}
