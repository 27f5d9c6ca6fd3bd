//! The subcommands, one file each: its flags and its code.

pub(crate) mod add;
pub(crate) mod build;
pub(crate) mod check;
pub(crate) mod config;
pub(crate) mod doctor;
pub(crate) mod fleet;
pub(crate) mod hook;
pub(crate) mod info;
pub(crate) mod install;
pub(crate) mod ladder;
pub(crate) mod metrics;
pub(crate) mod migrate;
pub(crate) mod plan;
pub(crate) mod remove;
pub(crate) mod suggest;
pub(crate) mod union;
pub(crate) mod update;
pub(crate) mod verify;
