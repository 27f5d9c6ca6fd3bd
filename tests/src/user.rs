//! The user without privilege of the tests.

/// The user that programs run as when the tests are started by root.
pub const UID: u32 = 4242;
