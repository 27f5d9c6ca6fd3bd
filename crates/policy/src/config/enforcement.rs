//! How far the verdict binds: what a rejection means, which lines are logged, and what a line of the PAM
//! stack may leave to the configuration.

/// What a password that is found weak means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Enforce {
    /// It is rejected.
    #[default]
    Reject,
    /// Its user reads the reason, and it is accepted.
    Warn,
    /// It is accepted; the log says what would have been rejected.
    Audit,
}

impl Enforce {
    /// Every level, the strictest first.
    pub const ALL: [Enforce; 3] = [Enforce::Reject, Enforce::Warn, Enforce::Audit];

    /// The name of each, with blanks between them.
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

/// Which decisions are logged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LogRule {
    /// All.
    #[default]
    Decisions,
    /// Those that found a password weak.
    Rejections,
    /// None.
    None,
}

/// Options of the checking line that the configuration may give as well; the line's own win.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "independent switches of the configuration")]
pub struct LineRules {
    /// Root's passwords are rejected like everybody else's.
    pub enforce_for_root: bool,
    /// How often the user may try, where it is given.
    pub retry: Option<usize>,
    /// Users who are not in `/etc/passwd` are not checked.
    pub local_users_only: bool,
    /// The reason's code is shown behind the reason.
    pub codes: bool,
    /// More is logged.
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
