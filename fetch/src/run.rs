//! A run: what is there already, what is missing, and the new filter put in place when it is whole.

mod marks;

#[allow(clippy::arithmetic_side_effects, reason = "numbers of ranges and digests, far below 2⁶⁴")]
mod act;

pub(crate) use act::{Failed, Settings, now, run};
