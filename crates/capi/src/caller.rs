//! A caller in C, played: what the unit tests and the fuzz target ask through the boundary.

pub(crate) mod ffi;
