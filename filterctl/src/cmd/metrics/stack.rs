//! The PAM stack of the service, and the module that its line names.

use super::Family;
use crate::{pam_module, pam_stack::Stack, system_flags::System};

/// Whether the stack checks passwords, and whether its module can be loaded.
pub(super) fn families(system: &System, stack: Option<&Stack>) -> [Family; 2] {
    let line = stack.and_then(Stack::checking_line);
    let service = [("service", system.service.as_str())];
    let checks = Family::new(
        "nearmiss_stack_checks",
        "Whether a line of the service's password stack is the module that checks.",
    );
    let mut usable =
        Family::new("nearmiss_module_usable", "Whether the module of that line is there and whole.");
    if let Some(line) = line {
        usable.add(&service, pam_module::is_usable(&system.root, &line.module));
    }
    [checks.with(&service, line.is_some()), usable]
}
