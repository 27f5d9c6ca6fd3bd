//! Enforcement: the effect of a rejection, the decisions that are logged, and the options that a line of the
//! PAM stack may leave to the configuration.

/// The effect of a password that is found weak.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Enforce {
    /// It is rejected.
    #[default]
    Reject,
    /// The user sees the reason, and it is accepted.
    Warn,
    /// It is accepted; the log reports that it would have been rejected.
    Audit,
}

impl Enforce {
    /// Every level, the strictest first.
    pub const ALL: [Enforce; 3] = [Enforce::Reject, Enforce::Warn, Enforce::Audit];

    /// Their names, separated by blanks.
    pub(super) const NAMES: &str = "reject warn audit";

    /// The name in configurations and on lines of the stack.
    pub fn name(self) -> &'static str {
        match self {
            Enforce::Reject => "reject",
            Enforce::Warn => "warn",
            Enforce::Audit => "audit",
        }
    }

    /// The level of this name.
    pub fn of(name: &[u8]) -> Option<Enforce> {
        Enforce::ALL.into_iter().find(|level| level.name().as_bytes() == name)
    }
}

/// The decisions that are logged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LogRule {
    /// All.
    #[default]
    Decisions,
    /// Decisions that found a password weak.
    Rejections,
    /// None.
    None,
}

/// Options of the checking line that may also be set in the configuration; those on the line win.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "independent switches of the configuration")]
pub struct LineRules {
    /// Root's passwords are rejected like any user's.
    pub enforce_for_root: bool,
    /// The number of attempts that a user has, if configured.
    pub retry: Option<usize>,
    /// Users who are not in `/etc/passwd` are not checked.
    pub local_users_only: bool,
    /// The reason's code is shown after the reason.
    pub codes: bool,
    /// Debugging lines are logged.
    pub debug: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_of_all_levels_are_in_their_order() {
        assert_eq!(Enforce::ALL.map(Enforce::name).join(" "), Enforce::NAMES);
    }
}
