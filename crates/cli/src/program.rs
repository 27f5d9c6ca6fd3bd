//! A tool from its command line to its exit code.

use std::{env, ffi::OsString, io};

use clap::{
    Command, Parser,
    error::{ContextKind, ContextValue},
};

use crate::{
    exit::Exit,
    failure::{self, Failure, Outcome},
    interrupt,
};

/// Reads the command line of the tool called `name` and passes it to `act`. Prints help and version on
/// standard output, usage errors and failures on standard error.
pub fn run<C: Parser>(name: &'static str, act: impl FnOnce(C) -> Outcome) -> Exit {
    run_with(name, env::args_os(), act)
}

/// The same with this command line instead of the program's own.
pub fn run_with<C: Parser>(
    name: &'static str,
    arguments: impl IntoIterator<Item = OsString>,
    act: impl FnOnce(C) -> Outcome,
) -> Exit {
    failure::speak_as(name);
    match C::try_parse_from(arguments) {
        Ok(command_line) => {
            interrupt::watch();
            act(command_line).unwrap_or_else(|failure| failure.report())
        }
        Err(usage) => explain(&without_hidden(usage, &C::command())),
    }
}

/// The error without the names of commands that the program only calls itself.
fn without_hidden(mut usage: clap::Error, definition: &Command) -> clap::Error {
    let names = ContextKind::ValidSubcommand;
    if let Some(ContextValue::Strings(all)) = usage.get(names) {
        let is_hidden = |name: &String| definition.find_subcommand(name).is_some_and(Command::is_hide_set);
        let visible = all.iter().filter(|name| !is_hidden(name)).cloned().collect();
        usage.insert(names, ContextValue::Strings(visible));
    }
    usage
}

fn explain(usage: &clap::Error) -> Exit {
    match usage.print() {
        Ok(()) if usage.use_stderr() => Exit::Error,
        Ok(()) => Exit::Done,
        Err(source) if source.kind() == io::ErrorKind::BrokenPipe && !usage.use_stderr() => Exit::Done,
        Err(source) => Failure::output(source).report(),
    }
}
