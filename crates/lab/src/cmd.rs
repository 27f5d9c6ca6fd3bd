//! The subcommands, one file each: its flags, and its implementation.

pub(crate) mod ladder;
pub(crate) mod render;
pub(crate) mod spell;
pub(crate) mod study;
