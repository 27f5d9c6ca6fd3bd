//! Lines that include a file which is not there.

use nearmiss_cli::{
    finding::{Finding, State},
    keys,
};

use super::{CHECK, edits::Edits};
use crate::host::pam_stack::{Stack, StackEntry};

/// Such a line fails, as one of a module that is missing does: libpam needs every file.
pub(super) fn examine(stack: &Stack) -> Vec<Finding> {
    let finding = |line: &StackEntry| {
        let message = format!(
            "{}: includes {}, which does not exist; nobody can change a password",
            line.place(),
            line.module
        );
        Finding::new(keys::PAM_MODULE, CHECK, State::Wrong, message)
            .fix(Edits::default().comment(line).command())
    };
    stack.missing.iter().map(finding).collect()
}
