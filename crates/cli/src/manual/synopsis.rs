//! The synopsis of a command, with the values of its options: `[--conf FILE] [LIST...]`. The renderer of the
//! other sections omits them.

use clap::{Arg, ArgAction, Command, builder::Str};
use clap_mangen::roff::{Inline, Roff, bold, italic, roman};

/// The section.
pub(super) fn section(command: &Command) -> Roff {
    let mut line = vec![bold(command.get_bin_name().unwrap_or_else(|| command.get_name()))];
    let shown = || command.get_arguments().filter(|arg| !arg.is_hide_set());
    let is_optional = |arg: &&Arg| !arg.is_positional() && !arg.is_required_set();
    let is_required = |arg: &&Arg| !arg.is_positional() && arg.is_required_set();
    let positional = |arg: &&Arg| arg.is_positional();
    let in_order =
        shown().filter(is_optional).chain(shown().filter(is_required)).chain(shown().filter(positional));
    for arg in in_order {
        line.push(roman(" "));
        line.extend(argument(arg));
    }
    if command.has_subcommands() {
        let is_needed = command.is_subcommand_required_set() || command.is_arg_required_else_help_set();
        line.push(roman(" "));
        line.extend(bracketed(vec![italic("SUBCOMMAND")], !is_needed));
    }
    let mut roff = Roff::default();
    roff.control("SH", ["SYNOPSIS"]);
    roff.text(line);
    roff
}

/// An option with its values, or a positional argument; in brackets if it is optional.
fn argument(arg: &Arg) -> Vec<Inline> {
    let mut parts = Vec::new();
    if let Some(short) = arg.get_short() {
        parts.push(bold(format!("-{short}")));
    }
    if let Some(long) = arg.get_long() {
        if !parts.is_empty() {
            parts.push(roman("|"));
        }
        parts.push(bold(format!("--{long}")));
    }
    let values = values(arg);
    if !values.is_empty() {
        if !parts.is_empty() {
            parts.push(roman(" "));
        }
        parts.push(italic(values));
    }
    let mut parts = bracketed(parts, !arg.is_required_set());
    if is_repeated(arg) {
        parts.push(roman("..."));
    }
    parts
}

fn bracketed(mut parts: Vec<Inline>, is_optional: bool) -> Vec<Inline> {
    if is_optional {
        parts.insert(0, roman("["));
        parts.push(roman("]"));
    }
    parts
}

/// The names of the values, none for a flag.
fn values(arg: &Arg) -> String {
    if !arg.get_num_args().is_some_and(|range| range.takes_values()) {
        return String::new();
    }
    match arg.get_value_names() {
        Some(names) => names.iter().map(Str::as_str).collect::<Vec<_>>().join(" "),
        None => arg.get_id().to_string(),
    }
}

/// True for an argument that can be repeated.
fn is_repeated(arg: &Arg) -> bool {
    let has_many = arg.get_num_args().is_some_and(|range| range.max_values() > 1);
    has_many || matches!(arg.get_action(), ArgAction::Append | ArgAction::Count)
}

#[cfg(test)]
mod tests {
    use clap::value_parser;

    use super::*;

    /// Without escapes and fonts.
    fn plain(command: Command) -> String {
        let mut command = command;
        command.build();
        let text = section(&command).render();
        let text = ["\\fB", "\\fI", "\\fR", "\\"].iter().fold(text, |text, mark| text.replace(mark, ""));
        text.lines().last().unwrap_or_default().to_owned()
    }

    #[test]
    fn options_have_their_values_and_brackets_what_may_be_left_out() {
        let flag = Arg::new("json").long("json").action(ArgAction::SetTrue);
        let output = Arg::new("output").short('o').long("output").value_name("FILE").required(true);
        let number = Arg::new("n").long("jobs").value_parser(value_parser!(u16));
        let filter = Arg::new("f").long("filter").value_name("FILTER").action(ArgAction::Append);
        let hidden = Arg::new("secret").long("secret").hide(true);
        let lists = Arg::new("list").value_name("LIST").num_args(1..);
        let file = Arg::new("file").value_name("IN").required(true);
        let tool = Command::new("tool").args([flag, output, number, filter, hidden, file, lists]);
        assert_eq!(
            plain(tool),
            "tool [--json] [--jobs n] [--filter FILTER]... [-h|--help] -o|--output FILE IN [LIST]..."
        );
    }

    #[test]
    fn a_command_with_subcommands_names_them() {
        let tool = Command::new("tool").subcommand(Command::new("inner")).disable_help_subcommand(true);
        assert_eq!(plain(tool.clone()), "tool [-h|--help] [SUBCOMMAND]");
        assert_eq!(plain(tool.subcommand_required(true)), "tool [-h|--help] SUBCOMMAND");
    }
}
