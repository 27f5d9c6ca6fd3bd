//! The treatment of an option by its module.

use super::{
    fate::Fate,
    given::{Given, Module},
    passwdqc, pwquality,
};

/// The fate of an option.
pub(super) fn fate(module: Module, option: &Given) -> Fate {
    match module {
        Module::Pwquality | Module::Cracklib => pwquality::fate(option),
        Module::Passwdqc => passwdqc::fate(option),
    }
}

/// The reason why the module refuses the value of an option.
pub(super) fn refusal(module: Module, option: &Given) -> Option<&'static str> {
    match fate(module, option) {
        Fate::Unreadable(why) => Some(why),
        _ => None,
    }
}
