//! What a check needs beside its filters is in memory before the first one begins: its code and tables, and
//! the memory that it takes. The number of page faults, which any user can read in `/proc`, then says little
//! about the password.

use std::hint::black_box;

use crate::{
    policy::{Context, Ladders, Policy, Sources},
    storage::mapped::Mapped,
};

/// A password with characters of every kind that is treated in a way of its own.
const EVERY_KIND: &str = "Él3phânt\u{308}ﬁ26!";

/// Bytes of memory that a check takes at most.
const MEMORY_BYTES: usize = 96 << 10;

/// Examines a password without any filter, and gives back as much memory as a check needs.
pub(super) fn rehearse(policy: &Policy) {
    take_memory();
    let names = Context { user: EVERY_KIND.as_bytes(), ..Context::default() };
    let sources = Sources::<Mapped>::new(&[], Ladders::default());
    drop(black_box(policy.examine(EVERY_KIND.as_bytes(), &names, sources)));
}

/// Takes memory from the system and returns it to the allocator, which has it ready when a check asks for
/// more or less of it, by the candidate. Where there is none, the check finds out.
fn take_memory() {
    let mut memory = Vec::new();
    if memory.try_reserve_exact(MEMORY_BYTES).is_ok() {
        memory.resize(MEMORY_BYTES, 1_u8);
    }
    drop(black_box(memory));
}
