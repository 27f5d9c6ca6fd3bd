//! A command line that is not understood, as one line that says what is wrong and what to do.
//!
//! An argument may be a password that was typed at the wrong place, and the line is in terminals and logs: it
//! repeats no argument. It names the place of the argument, and options, commands and values that exist.

use std::{error::Error as _, ffi::OsString, io, num::IntErrorKind, num::ParseIntError};

use clap::{
    Command, Error, Parser,
    error::{ContextKind, ContextValue, ErrorKind},
};

use crate::{
    exit::Exit,
    failure::{self, Failure, warn},
    keys, output,
};

/// Begins the tool called `name`: refuses a standard output that is closed, and reads the command line.
/// Prints help and version on standard output, and what is wrong with it on standard error.
///
/// # Errors
/// The exit status, if there is nothing to run.
pub fn read<C: Parser>(name: &'static str, arguments: impl IntoIterator<Item = OsString>) -> Result<C, Exit> {
    failure::speak_as(name);
    output::refuse_closed();
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    C::try_parse_from(&arguments).map_err(|error| explain(&arguments, &error, &C::command()))
}

fn explain(arguments: &[OsString], usage: &Error, definition: &Command) -> Exit {
    if usage.use_stderr() {
        warn(keys::USAGE, &Place::find(arguments, usage, definition).line(usage));
        return Exit::Error;
    }
    match usage.print() {
        Err(source) if source.kind() != io::ErrorKind::BrokenPipe => Failure::output(source).report(),
        _ => Exit::Done,
    }
}

/// The command whose arguments are not understood.
struct Place<'d> {
    command: &'d Command,
    /// The words that call it.
    words: String,
    /// The number of the argument that is not understood, if it is known. The program's name has number 0.
    number: Option<usize>,
}

impl<'d> Place<'d> {
    fn find(arguments: &[OsString], usage: &Error, definition: &'d Command) -> Place<'d> {
        let unknown = text(usage, ContextKind::InvalidSubcommand).or(text(usage, ContextKind::InvalidArg));
        let is_unknown = |argument: &OsString| {
            let option = argument.to_str().and_then(|argument| argument.split('=').next());
            unknown.is_some_and(|unknown| argument == unknown || option == Some(unknown))
        };
        let given = arguments.get(1..).unwrap_or_default();
        let before = given.iter().position(is_unknown);
        let mut place = Place {
            command: definition,
            words: definition.get_name().to_owned(),
            number: before.and_then(|before| before.checked_add(1)),
        };
        for argument in given.iter().take(before.unwrap_or(given.len())) {
            if let Some(next) = argument.to_str().and_then(|name| place.command.find_subcommand(name)) {
                place.words = format!("{} {}", place.words, next.get_name());
                place.command = next;
            }
        }
        place
    }

    fn line(&self, usage: &Error) -> String {
        let option = text(usage, ContextKind::InvalidArg).unwrap_or("an option");
        match usage.kind() {
            ErrorKind::UnknownArgument => self.unknown(usage),
            ErrorKind::InvalidSubcommand => self.unknown_command(usage),
            ErrorKind::MissingSubcommand | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
                format!("missing: a command of {}: {}", self.words, self.commands())
            }
            ErrorKind::InvalidValue | ErrorKind::ValueValidation => {
                format!("{option}: {}; {}", wanted(usage), self.help())
            }
            ErrorKind::TooManyValues if option.contains('<') => {
                format!("{option}: too many values; {}", self.help())
            }
            ErrorKind::TooManyValues => format!("{option} takes no value; {}", self.help()),
            ErrorKind::TooFewValues | ErrorKind::WrongNumberOfValues => {
                format!("{option} needs {}; {}", count(usage), self.help())
            }
            ErrorKind::NoEquals => format!("{option} needs '=' before its value; {}", self.help()),
            ErrorKind::MissingRequiredArgument => {
                format!("missing: {}; {}", texts(usage, ContextKind::InvalidArg).join(", "), self.help())
            }
            ErrorKind::ArgumentConflict => self.conflict(option, usage),
            ErrorKind::InvalidUtf8 => format!("an argument is not in UTF-8; {}", self.help()),
            _ => format!("the arguments are not understood; {}", self.help()),
        }
    }

    fn unknown(&self, usage: &Error) -> String {
        let argument = self.argument();
        if text(usage, ContextKind::InvalidArg).is_some_and(|unknown| unknown.starts_with('-')) {
            let similar = text(usage, ContextKind::SuggestedArg).map(|name| format!("did you mean {name}? "));
            let similar = similar.unwrap_or_default();
            return format!("{argument} is no option of {}; {similar}{}", self.words, self.help());
        }
        let fix = if self.reads_standard_input() {
            "passwords are read from standard input, never from arguments, which others can see"
        } else {
            &self.help()
        };
        format!("{argument} is neither an option of {} nor the value of one; {fix}", self.words)
    }

    fn unknown_command(&self, usage: &Error) -> String {
        let similar = texts(usage, ContextKind::SuggestedSubcommand);
        let similar: Vec<_> =
            similar.into_iter().filter(|name| self.shown().any(|shown| shown == *name)).collect();
        let fix = if similar.is_empty() {
            format!("its commands: {}", self.commands())
        } else {
            format!("did you mean {}? {}", similar.join(" or "), self.help())
        };
        format!("{} is no command of {}; {fix}", self.argument(), self.words)
    }

    fn conflict(&self, option: &str, usage: &Error) -> String {
        let others = texts(usage, ContextKind::PriorArg);
        if others == [option] {
            return format!("{option} cannot be given twice; {}", self.help());
        }
        let option = if text(usage, ContextKind::InvalidArg).is_some() { option } else { "the command" };
        let others = if others.is_empty() { "other options".to_owned() } else { others.join(", ") };
        format!("{option} cannot be used with {others}; {}", self.help())
    }

    fn argument(&self) -> String {
        self.number.map_or_else(|| "an argument".to_owned(), |number| format!("argument {number}"))
    }

    fn help(&self) -> String {
        format!("{} --help lists what it takes", self.words)
    }

    fn commands(&self) -> String {
        self.shown().collect::<Vec<_>>().join(", ")
    }

    /// The names of commands, without those that the program only calls itself.
    fn shown(&self) -> impl Iterator<Item = &'d str> {
        self.command.get_subcommands().filter(|command| !command.is_hide_set()).map(Command::get_name)
    }

    /// Whether the help says so, of a command that has only options.
    fn reads_standard_input(&self) -> bool {
        let texts = [self.command.get_about(), self.command.get_after_long_help()];
        let says = |text: &clap::builder::StyledStr| text.to_string().contains("standard input");
        self.command.get_positionals().next().is_none() && texts.into_iter().flatten().any(says)
    }
}

/// What the value must be.
fn wanted(usage: &Error) -> String {
    let values = texts(usage, ContextKind::ValidValue);
    if text(usage, ContextKind::InvalidValue).is_none_or(str::is_empty) {
        return "needs a value".to_owned() + &one_of(": ", &values);
    }
    let similar = text(usage, ContextKind::SuggestedValue);
    let similar = similar.map(|value| format!("; did you mean {value}?")).unwrap_or_default();
    match usage.source() {
        None => format!("unknown value{}{similar}", one_of("; expected ", &values)),
        Some(source) => of_source(source, text(usage, ContextKind::InvalidValue).unwrap_or_default()),
    }
}

/// The reason of a parser, without the value.
fn of_source(source: &(dyn std::error::Error + 'static), value: &str) -> String {
    if let Some(number) = source.downcast_ref::<ParseIntError>() {
        return match number.kind() {
            IntErrorKind::PosOverflow | IntErrorKind::NegOverflow => "the number is too large".to_owned(),
            _ => "expected a number without a sign or a unit".to_owned(),
        };
    }
    let reason = source.to_string();
    let range = reason.strip_prefix(value).and_then(|rest| rest.strip_prefix(" is not in "));
    match range.and_then(|range| range.split_once("..")) {
        None => reason,
        Some((least, "")) => format!("expected a number from {least}"),
        Some((least, most)) => format!("expected a number from {least} to {}", most.trim_start_matches('=')),
    }
}

fn one_of(before: &str, values: &[&str]) -> String {
    if values.is_empty() { String::new() } else { format!("{before}{}", values.join(", ")) }
}

fn count(usage: &Error) -> String {
    let number = |kind| match usage.get(kind) {
        Some(ContextValue::Number(number)) => Some(*number),
        _ => None,
    };
    match (number(ContextKind::MinValues), number(ContextKind::ExpectedNumValues)) {
        (Some(least), _) => format!("at least {least} values"),
        (None, Some(expected)) => format!("{expected} values"),
        (None, None) => "another number of values".to_owned(),
    }
}

fn text(usage: &Error, kind: ContextKind) -> Option<&str> {
    match usage.get(kind) {
        Some(ContextValue::String(text)) => Some(text),
        _ => None,
    }
}

fn texts(usage: &Error, kind: ContextKind) -> Vec<&str> {
    match usage.get(kind) {
        Some(ContextValue::String(text)) => vec![text],
        Some(ContextValue::Strings(texts)) => texts.iter().map(String::as_str).collect(),
        _ => Vec::new(),
    }
}
