//! The treatment of an option by its module.

use super::{
    fate::Fate,
    given::{GivenSettings, Module},
    passwdqc, pwquality,
};

/// The fate of an option.
pub(super) fn fate(module: Module, option: &GivenSettings) -> Fate {
    match module {
        Module::Pwquality | Module::Cracklib => pwquality::fate(option),
        Module::Passwdqc => passwdqc::fate(option),
    }
}

/// The reason why the module refuses the value of an option.
pub(super) fn refusal(module: Module, option: &GivenSettings) -> Option<&'static str> {
    match fate(module, option) {
        Fate::Unreadable(why) => Some(why),
        _ => None,
    }
}
