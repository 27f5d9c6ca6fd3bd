//! The configuration with the settings that can be kept, and the fate of the others.

use std::{
    io::{self, Write},
    path::Path,
};

use nearmiss_cli::failure::printable;
use serde::Serialize;

use super::{
    fate::Fate,
    given::{Checker, Given, Module},
    lists::List,
    passwdqc, pwquality,
};
use crate::report::{Report, wrapped};

/// The treatment of an option, and its reason.
#[derive(Debug, Serialize)]
struct Note {
    option: String,
    note: String,
}

impl Note {
    fn of(option: &Given, note: impl Into<String>) -> Note {
        Note { option: option.to_string(), note: note.into() }
    }
}

/// A setting and its source.
#[derive(Debug, Serialize)]
struct KeptSetting {
    key: String,
    value: String,
    from: String,
}

/// The configuration, and the options that it lacks.
#[derive(Debug, Default, Serialize)]
pub(super) struct Migration {
    settings: Vec<KeptSetting>,
    lists: Vec<Note>,
    partly: Vec<Note>,
    without_counterpart: Vec<Note>,
    /// Options whose values cannot be read.
    unreadable: Vec<Note>,
    /// Options that need no setting.
    unneeded: Vec<Note>,
    to_do: Vec<String>,
}

impl Migration {
    /// The treatment of all options of these modules.
    pub(super) fn of(checkers: &[Checker], root: &Path) -> Migration {
        let mut plan = Migration::default();
        for checker in checkers {
            for option in &checker.options {
                plan.take(option, checker.fate(option));
            }
            plan.mention_the_others(checker);
            for (name, value) in checker.defaults() {
                let place = "pam_passwdqc's default".to_owned();
                let option = Given { name: name.to_owned(), value: value.to_owned(), place };
                plan.take(&option, checker.fate(&option));
            }
            plan.to_do.extend(checker.lines.iter().map(|(place, name)| {
                format!(
                    "the line of {name} ({place}): replace it by pam_nearmiss.so, or keep both; then run \
                     filterctl doctor, which reports whether passwords are checked"
                )
            }));
        }
        plan.settings.sort_by_key(|kept| kept.key.contains('.'));
        plan.find_lists(root);
        plan
    }

    fn take(&mut self, option: &Given, fate: Fate) {
        let text = option.to_string();
        match fate {
            Fate::Same => self.unneeded.push(Note::of(option, "always on in nearmiss, or no effect")),
            Fate::Set(settings) => self.keep(settings, &text),
            Fate::List(file) => self.lists.push(Note::of(option, file)),
            Fate::Part(part) => self.partly.push(Note::of(option, part)),
            Fate::Todo(what) => self.to_do.push(format!("{text}: {what}")),
            Fate::None(why) => self.without_counterpart.push(Note::of(option, why)),
            Fate::Unreadable(what) => self.unreadable.push(Note::of(option, what)),
            Fate::All(all) => all.into_iter().for_each(|fate| self.take(option, fate)),
        }
    }

    /// Options that are overridden, and options that belong to the line.
    fn mention_the_others(&mut self, checker: &Checker) {
        for (lost, holder) in &checker.replaced {
            self.unneeded.push(Note::of(lost, format!("overridden by {holder}")));
        }
        for option in &checker.of_the_line {
            self.unneeded.push(Note::of(option, "it concerns the line in the stack, not the check"));
        }
    }

    /// The lists, with paths that `filterctl update` can read.
    fn find_lists(&mut self, root: &Path) {
        for mut list in std::mem::take(&mut self.lists) {
            let found = List::at(root, &list.note);
            self.to_do.extend(found.note.map(|note| format!("{}: {note}", list.option)));
            if let Some(path) = found.path {
                list.note = path;
                self.lists.push(list);
            }
        }
    }

    /// If two modules set the same option, the longer minimum length is effective, and else the first value.
    fn keep(&mut self, settings: Vec<(String, String)>, from: &str) {
        for (key, value) in settings {
            let kept = KeptSetting { key, value, from: from.to_owned() };
            match self.settings.iter_mut().find(|own| own.key == kept.key) {
                None => self.settings.push(kept),
                Some(own) => {
                    let number = |kept: &KeptSetting| kept.value.parse::<i64>().unwrap_or_default();
                    if kept.value == own.value {
                        let note = format!("{} sets the same value", own.from);
                        self.unneeded.push(Note { option: kept.from, note });
                        continue;
                    }
                    let is_longer = kept.key == "min_length" && number(&kept) > number(own);
                    let lost = if is_longer { std::mem::replace(own, kept) } else { kept };
                    let note = format!("{} sets another value", own.from);
                    self.without_counterpart.push(Note { option: lost.from, note });
                }
            }
        }
    }
}

impl Checker {
    fn fate(&self, option: &Given) -> Fate {
        match self.module {
            Module::Pwquality => pwquality::fate(option),
            Module::Passwdqc => passwdqc::fate(option),
        }
    }

    /// The default.
    fn defaults(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let defaults = if self.module == Module::Passwdqc { &passwdqc::DEFAULTS[..] } else { &[] };
        let is_given = |name: &str| self.options.iter().any(|option| option.name == name);
        defaults.iter().copied().filter(move |(name, _)| !is_given(name))
    }
}

impl Report for Migration {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        comment(out, "nearmiss.conf(5), printed by filterctl migrate. Nothing was changed.")?;
        let mut section = "";
        for KeptSetting { key, value, from } in &self.settings {
            let (own, key) = key.split_once('.').unwrap_or(("", key));
            if own != section {
                writeln!(out, "\n[{own}]")?;
                section = own;
            } else if section.is_empty() {
                writeln!(out)?;
            }
            comment(out, from)?;
            writeln!(out, "{key} = {value}")?;
        }
        self.write_lists(out)?;
        notes(out, "Kept in part:", &self.partly)?;
        notes(out, "No counterpart:", &self.without_counterpart)?;
        notes(out, "CANNOT BE PARSED, and is ignored:", &self.unreadable)?;
        notes(out, "Nothing to set:", &self.unneeded)?;
        let to_do = self.to_do.iter().map(String::as_str);
        listed(out, "To do:", to_do)
    }
}

impl Migration {
    fn write_lists(&self, out: &mut dyn Write) -> io::Result<()> {
        if self.lists.is_empty() {
            return Ok(());
        }
        writeln!(out, "\n[update]")?;
        for list in &self.lists {
            comment(out, &list.option)?;
        }
        let files: Vec<String> = self.lists.iter().map(|list| format!("{:?}", list.note)).collect();
        writeln!(out, "lists = [{}]", files.join(", "))
    }
}

fn comment(out: &mut dyn Write, text: &str) -> io::Result<()> {
    wrapped(&printable(text), "# ", "# ", out)
}

fn notes(out: &mut dyn Write, title: &str, notes: &[Note]) -> io::Result<()> {
    let texts: Vec<String> = notes.iter().map(|note| format!("{}: {}", note.option, note.note)).collect();
    listed(out, title, texts.iter().map(String::as_str))
}

fn listed<'a>(out: &mut dyn Write, title: &str, texts: impl Iterator<Item = &'a str>) -> io::Result<()> {
    let mut texts = texts.peekable();
    if texts.peek().is_some() {
        writeln!(out, "\n# {title}")?;
    }
    texts.try_for_each(|text| wrapped(&printable(text), "# - ", "#   ", out))
}
