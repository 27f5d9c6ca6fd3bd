//! A simulated caller in C: the calls of the unit tests and of the fuzz target through the boundary.

pub(crate) mod ffi;
