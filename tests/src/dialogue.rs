//! The dialogue of `passwd` with a user: its texts, and the answers to them.

use crate::scenario::{
    Answer::{self, Type, Wait},
    OLD,
};

/// The program that changes the password of its user.
pub const PASSWD: &[&str] = &["/usr/bin/passwd"];

/// The first prompt, which the tester answers rightly.
pub const CURRENT: (&str, Answer) = ("Current password: ", Type(OLD));

/// The text after a change.
pub const UPDATED: (&str, Answer) = ("password updated successfully", Wait);

/// The text after the last rejection.
pub const UNCHANGED: (&str, Answer) = ("password unchanged", Wait);

/// The prompt for a new password, and this answer.
pub const fn new(password: &'static str) -> (&'static str, Answer) {
    ("New password: ", Type(password))
}

/// The prompt for the new password again, and this answer.
pub const fn retype(password: &'static str) -> (&'static str, Answer) {
    ("Retype new password: ", Type(password))
}
