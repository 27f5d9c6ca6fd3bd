//! An option of another module, with its file and line.

use crate::host::pam_stack::StackEntry;

/// An option with its file and line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct GivenSettings {
    /// Its name, in lower case.
    pub(super) name: String,
    /// The text after `=`; empty if there is none.
    pub(super) value: String,
    /// The whole number that the module reads.
    pub(super) number: Option<i64>,
    /// False if the line is not UTF-8; its bytes are then shown as Latin-1.
    pub(super) is_utf8: bool,
    /// File and line.
    pub(super) place: String,
}

impl GivenSettings {
    /// An option of this module.
    pub(super) fn of(module: Module, name: &str, value: &str, place: String) -> GivenSettings {
        let (name, value) = (name.to_ascii_lowercase(), value.to_owned());
        GivenSettings { number: module.number(&value), name, value, is_utf8: true, place }
    }
}

/// The option as written, with its file and line.
impl std::fmt::Display for GivenSettings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let GivenSettings { name, value, place, .. } = self;
        if value.is_empty() { write!(f, "{name} ({place})") } else { write!(f, "{name} = {value} ({place})") }
    }
}

/// The module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Module {
    /// `pam_pwquality`.
    Pwquality,
    /// `pam_cracklib`, which reads no file.
    Cracklib,
    /// `pam_passwdqc`.
    Passwdqc,
}

impl Module {
    /// The module that a line names.
    pub(super) fn of(line: &StackEntry) -> Option<Module> {
        match line.name() {
            "pam_pwquality.so" => Some(Module::Pwquality),
            "pam_cracklib.so" => Some(Module::Cracklib),
            "pam_passwdqc.so" => Some(Module::Passwdqc),
            _ => None,
        }
    }

    /// The number that the module reads: `strtol(3)` skips blanks, and `pam_cracklib` ignores what follows.
    fn number(self, value: &str) -> Option<i64> {
        let text = value.trim_start_matches(|one: char| one.is_ascii_whitespace() || one == '\x0b');
        let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
        let end = digits.find(|one: char| !one.is_ascii_digit()).filter(|_| self == Module::Cracklib);
        let end = end.map_or(text.len(), |end| text.len().saturating_sub(digits.len()).saturating_add(end));
        let number = text.get(..end)?.parse().ok()?;
        // Both ends of the range of an `int` are errors of libpwquality.
        (i64::from(i32::MIN) < number && number < i64::from(i32::MAX)).then_some(number)
    }
}
