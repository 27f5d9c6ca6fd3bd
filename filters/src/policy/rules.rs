//! What a site asks of passwords.

use super::variants::VariantRules;

/// The rules of a site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    /// Least number of characters (Unicode scalar values), not bytes.
    pub min_length: usize,
    /// Which variants of a candidate are looked up.
    pub variants: VariantRules,
    /// Which parts of the context a candidate must not be near.
    pub context: ContextRules,
}

impl Default for Policy {
    fn default() -> Policy {
        Policy { min_length: 8, variants: VariantRules::default(), context: ContextRules::default() }
    }
}

/// Which parts of the context a candidate must not be near.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "independent switches of the configuration")]
pub struct ContextRules {
    /// The user name.
    pub user: bool,
    /// The words of the GECOS field.
    pub gecos: bool,
    /// The host name.
    pub host: bool,
    /// The old password.
    pub old_password: bool,
}

impl Default for ContextRules {
    fn default() -> ContextRules {
        ContextRules { user: true, gecos: true, host: true, old_password: true }
    }
}
