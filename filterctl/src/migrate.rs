//! The settings of `pam_pwquality`, `pam_cracklib` and `pam_passwdqc`, and what replaces them.
//!
//! `checkers` collects the options of each line of the stack, `files` the options of files, `pwquality` and
//! `passwdqc` decide the fate of each option, `lists` finds the word lists that they name, `strictest` joins
//! what several lines set, `plan` puts it together.

mod checkers;
mod fate;
mod files;
mod given;
mod lists;
mod options;
mod passwdqc;
mod plan;
mod pwquality;
mod strictest;

pub(crate) use self::{checkers::OtherModule, plan::Migration};
use self::{
    fate::Fate,
    given::{GivenSettings, Module},
};

/// What replaces an option of another module on a line of `pam_nearmiss`.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Counterpart {
    /// The settings of nearmiss.conf(5) that mean the same.
    pub(crate) settings: Vec<(String, String)>,
    /// What is different, or why there is none.
    pub(crate) notes: Vec<String>,
}

/// The counterpart of an argument, if it is an option of `pam_pwquality` or `pam_cracklib`.
pub(crate) fn counterpart(argument: &str) -> Option<Counterpart> {
    let (name, value) = argument.split_once('=').unwrap_or((argument, ""));
    let option = GivenSettings::of(Module::Pwquality, name, value, String::new());
    let mut found = Counterpart { settings: Vec::new(), notes: Vec::new() };
    found.add(pwquality::fate(&option));
    pwquality::is_option(&option.name).then_some(found)
}

impl Counterpart {
    fn add(&mut self, fate: Fate) {
        match fate {
            Fate::Set(settings) => self.settings.extend(settings),
            Fate::Part(note) | Fate::None(note) | Fate::Todo(note) => self.notes.push(note),
            Fate::Unreadable(why) => self.notes.push(why.to_owned()),
            Fate::Same | Fate::List(_) => {}
            Fate::All(all) => all.into_iter().for_each(|fate| self.add(fate)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_option_of_another_module_has_its_settings_and_what_differs() {
        let length = counterpart("minlen=12").unwrap();
        assert_eq!(length.settings, [("min_length".to_owned(), "12".to_owned())]);
        let old = counterpart("difok=3").unwrap();
        assert!(old.settings.is_empty() && old.notes[0].contains("old one"), "{old:?}");
        assert_eq!(counterpart("frobnicate=3"), None);
    }
}
