//! Near-miss dictionary filters and binomial ladder filters: everything nearmiss decides.
pub mod alphabet;
pub mod checker;
pub mod config;
pub mod dictionary;
pub mod digrams;
pub mod format;
pub mod hash;
pub mod ladder;
pub mod neighbours;
pub mod page;
pub mod policy;
pub mod storage;
pub mod word;
