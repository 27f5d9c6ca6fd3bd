//! Panics in a library that foreign programs load: a panic is caught, prints nothing, and becomes an error.
//!
//! The standard library's own hook would print the message on the terminal of a setuid program, and the
//! message of a slice off a character boundary quotes the string: the password.

use std::{
    any::Any,
    panic::{self, AssertUnwindSafe, PanicHookInfo},
    sync::atomic::{AtomicU8, Ordering},
    thread,
};

use zeroize::Zeroize;

/// Installs a hook that passes the location of a panic to `log`, never its message. It is private to the
/// shared object that this library is linked into, which has its own copy of the standard library, so the
/// application's hook (if it is a Rust program) stays in effect.
///
/// Waits for another thread that is installing it, but not forever: in the child of a program that forked
/// meanwhile, that thread does not exist.
pub fn silence_panics(log: fn(&str)) {
    static STATE: AtomicU8 = AtomicU8::new(MISSING);
    const MISSING: u8 = 0;
    const BEGUN: u8 = 1;
    const INSTALLED: u8 = 2;
    /// Far longer than the installation takes.
    const MAX_WAITS: usize = 10_000;
    match STATE.compare_exchange(MISSING, BEGUN, Ordering::AcqRel, Ordering::Acquire) {
        Ok(_) => {
            panic::set_hook(Box::new(move |info| log(&place(info))));
            STATE.store(INSTALLED, Ordering::Release);
        }
        Err(BEGUN) => {
            let is_begun = || STATE.load(Ordering::Acquire) == BEGUN;
            (0..MAX_WAITS).take_while(|_| is_begun()).for_each(|_| thread::yield_now());
        }
        Err(_) => {}
    }
}

fn place(info: &PanicHookInfo<'_>) -> String {
    line(info.location().map(|at| (at.file(), at.line())))
}

fn line(location: Option<(&str, u32)>) -> String {
    let (file, line) = location.unwrap_or(("unknown", 0));
    let name = file.rsplit('/').next().unwrap_or(file);
    format!("internal error at {name} line {line}")
}

/// The action panicked; only the log has more about it.
#[derive(Debug, PartialEq, Eq)]
pub struct Panicked;

/// Runs `act` and turns a panic into an error. Data that `act` borrowed mutably is only cleared or dropped
/// afterwards.
///
/// # Errors
/// [`Panicked`].
pub fn catch<T>(act: impl FnOnce() -> T) -> Result<T, Panicked> {
    panic::catch_unwind(AssertUnwindSafe(act)).map_err(forget_payload)
}

/// The payload is the message, which may quote the password: wiped before it is freed. A payload whose own
/// drop panics would leave the guard; ours are strings, which do not.
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
        assert_eq!(line(Some(("/home/me/src/site.rs", 7))), "internal error at site.rs line 7");
        assert_eq!(line(None), "internal error at unknown line 0");
    }

    /// The message may quote the password; the standard library's hook prints it.
    #[test]
    #[cfg_attr(miri, ignore = "miri starts no programs")]
    fn nothing_is_printed_of_a_panic_but_its_place() {
        let name = concat!(module_path!(), "::nothing_is_printed_of_a_panic_but_its_place");
        match crate::alone::alone(name, "") {
            None => {
                silence_panics(|line| println!("{line}"));
                silence_panics(|_| println!("the second hook"));
                assert_eq!(catch(|| panic!("{}", "secret word")), Err(Panicked));
            }
            Some(output) => {
                let text = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
                assert!(text[0].contains("internal error at guard.rs line"), "{text:?}");
                assert!(!text.concat().contains("secret") && !text[0].contains("second"), "{text:?}");
            }
        }
    }
}
