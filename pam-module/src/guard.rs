//! What happens to a panic: it is caught, prints nothing, and becomes an error of PAM.
//!
//! The standard library's own hook would print the message on the terminal of a setuid program, and the message of
//! a slice off a character boundary quotes the string: the password.

use std::{
    any::Any,
    panic::{self, AssertUnwindSafe, PanicHookInfo},
    sync::Once,
};

use zeroize::Zeroize;

use crate::ffi;

#[cfg(not(panic = "unwind"))]
compile_error!("pam_nearmiss must be built with panic = \"unwind\": an abort would kill passwd");

/// Installs the silent hook. It is private to this shared object, which has its own copy of the standard library,
/// so the application's hook (if it is a Rust program) stays what it is.
pub(crate) fn silence_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| panic::set_hook(Box::new(log_place)));
}

/// Logs where, never what.
fn log_place(info: &PanicHookInfo<'_>) {
    ffi::log_critical(&place(info.location().map(|at| (at.file(), at.line()))));
}

fn place(location: Option<(&str, u32)>) -> String {
    let (file, line) = location.unwrap_or(("unknown", 0));
    let name = file.rsplit('/').next().unwrap_or(file);
    format!("pam_nearmiss: internal error at {name} line {line}")
}

/// The check panicked; nothing more is known of it outside the log.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Panicked;

/// Runs `act` and turns a panic into an error. What `act` borrowed mutably is only cleared or dropped afterwards.
pub(crate) fn catch<T>(act: impl FnOnce() -> T) -> Result<T, Panicked> {
    panic::catch_unwind(AssertUnwindSafe(act)).map_err(forget_payload)
}

/// The payload is the message, which may quote the password: wiped before it is freed. A payload whose own drop panics would leave
/// the guard; ours are strings, which do not.
fn forget_payload(payload: Box<dyn Any + Send>) -> Panicked {
    if let Ok(mut message) = payload.downcast::<String>() {
        message.zeroize();
    }
    Panicked
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_an_error() {
        let result = catch(|| -> u8 { panic!("expected by this test") });
        assert_eq!(result, Err(Panicked));
        assert_eq!(catch(|| 7), Ok(7));
    }

    #[test]
    fn the_log_names_file_and_line_and_no_folder() {
        assert_eq!(
            place(Some(("/home/me/src/checker.rs", 7))),
            "pam_nearmiss: internal error at checker.rs line 7"
        );
        assert_eq!(place(None), "pam_nearmiss: internal error at unknown line 0");
    }
}
