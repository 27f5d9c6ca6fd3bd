//! Groups of flags that several commands share, and their meaning.

pub(crate) mod input;
pub(crate) mod jobs;
pub(crate) mod output;
pub(crate) mod slow_hash;
pub(crate) mod system;
