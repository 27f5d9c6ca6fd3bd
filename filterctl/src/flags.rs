//! Groups of flags that several commands have, and what they mean to each.

pub(crate) mod input;
pub(crate) mod jobs;
pub(crate) mod output;
pub(crate) mod system;
