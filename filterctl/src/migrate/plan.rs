//! The configuration with the settings that can be kept, and the fate of the others.
//!
//! libpam runs every line, so that a password must pass all of them: the strictest setting of all lines is
//! kept, and one that switches a check off only if every line has it off.

use std::{
    io::{self, Write},
    path::Path,
};

use nearmiss_cli::failure::printable;
use serde::Serialize;

use super::{
    checkers::OtherModule,
    fate::Fate,
    given::{GivenSettings, Module},
    lists::List,
    options::fate,
    passwdqc, pwquality,
    strictest::{KeptSetting, strictest},
};
use crate::report::{Report, wrapped};

/// The treatment of an option, and its reason.
#[derive(Debug, PartialEq, Serialize)]
struct Note {
    option: String,
    note: String,
}

impl Note {
    fn of(option: &GivenSettings, note: impl Into<String>) -> Note {
        Note { option: option.to_string(), note: note.into() }
    }
}

/// The configuration, and the options that it lacks.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Migration {
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
    pub(crate) fn of(checkers: &[OtherModule], root: &Path) -> Migration {
        let mut plan = Migration::default();
        let mut of_lines = Vec::new();
        for checker in checkers {
            let mut kept = Vec::new();
            for option in &checker.options {
                plan.take(option, fate(checker.module, option), &mut kept);
            }
            plan.mention_the_others(checker);
            for option in checker.defaults() {
                plan.take(&option, fate(checker.module, &option), &mut kept);
            }
            plan.to_do.extend(checker.line.iter().map(|(place, name)| {
                format!(
                    "the line of {name} ({place}): replace it by pam_nearmiss.so, or keep both; then run \
                     filterctl doctor, which reports whether passwords are checked"
                )
            }));
            of_lines.push(kept);
        }
        let (settings, notes) = strictest(of_lines);
        plan.settings = settings;
        for (option, note) in notes {
            add(&mut plan.unneeded, Note { option, note });
        }
        plan.settings.sort_by_key(|kept| kept.key.contains('.'));
        plan.find_lists(root);
        plan
    }

    fn take(&mut self, option: &GivenSettings, fate: Fate, kept: &mut Vec<KeptSetting>) {
        let text = option.to_string();
        match fate {
            Fate::Same => add(&mut self.unneeded, Note::of(option, "always on in nearmiss, or no effect")),
            Fate::Set(settings) => kept.extend(settings.into_iter().map(|(key, value)| KeptSetting {
                key,
                value,
                from: text.clone(),
            })),
            Fate::List(file) => add(&mut self.lists, Note::of(option, file)),
            Fate::Part(part) => add(&mut self.partly, Note::of(option, part)),
            Fate::Todo(what) => {
                let text = format!("{text}: {what}");
                if !self.to_do.contains(&text) {
                    self.to_do.push(text);
                }
            }
            Fate::None(why) => add(&mut self.without_counterpart, Note::of(option, why)),
            Fate::Unreadable(what) => add(&mut self.unreadable, Note::of(option, what)),
            Fate::All(all) => all.into_iter().for_each(|fate| self.take(option, fate, kept)),
        }
    }

    /// Options that are overridden, and options that belong to the line.
    fn mention_the_others(&mut self, checker: &OtherModule) {
        for (lost, holder) in &checker.replaced {
            add(&mut self.unneeded, Note::of(lost, format!("overridden by {holder}")));
        }
        for (option, why) in &checker.broken {
            add(&mut self.unreadable, Note::of(option, *why));
        }
        for option in &checker.of_the_line {
            add(&mut self.unneeded, Note::of(option, "it concerns the line in the stack, not the check"));
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
}

/// Adds a note once: several lines read the same file.
fn add(notes: &mut Vec<Note>, note: Note) {
    if !notes.contains(&note) {
        notes.push(note);
    }
}

impl OtherModule {
    /// The module's defaults that differ from nearmiss's, or may be stricter than another line.
    fn defaults(&self) -> Vec<GivenSettings> {
        let (name, defaults) = match self.module {
            Module::Pwquality => ("libpwquality", &pwquality::DEFAULTS[..]),
            Module::Cracklib => ("pam_cracklib", &pwquality::OF_CRACKLIB[..]),
            Module::Passwdqc => ("pam_passwdqc", &passwdqc::DEFAULTS[..]),
        };
        let is_given = |name: &str| self.options.iter().any(|option| option.name == name);
        let missing = defaults.iter().filter(|(name, _)| !is_given(name));
        missing
            .map(|(key, value)| GivenSettings::of(self.module, key, value, format!("{name}'s default")))
            .collect()
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
