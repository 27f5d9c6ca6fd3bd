//! What a check needs beside its filters is in memory before the first one begins: its code and tables, and
//! the memory that it takes. The number of page faults, which any user can read in `/proc`, then says little
//! about the password.

use std::{
    hint::black_box,
    sync::atomic::{AtomicI32, Ordering},
};

use nearmiss_filters::storage::mapped::Mapped;
use rustix::process::getpid;

use crate::policy::{Context, Examination, Ladders, Policy};

/// A password with characters of every kind that is treated in a way of its own.
const EVERY_KIND: &str = "Él3phânt\u{308}ﬁ26!";

/// Bytes of memory that a check takes at most.
const MEMORY_BYTES: usize = 160 << 10;

/// Gives back as much memory as a check needs, and once in a process examines a password by every rule
/// without any filter.
pub(super) fn rehearse() {
    take_memory();
    if is_first() {
        let names = Context { user: EVERY_KIND.as_bytes(), ..Context::default() };
        let examination = Examination::<Mapped>::new(&[], Ladders::default());
        drop(black_box(Policy::all().examine(EVERY_KIND.as_bytes(), &names, examination)));
    }
}

/// True for the first call in a process: the child of one that called before maps the code anew.
fn is_first() -> bool {
    static LAST: AtomicI32 = AtomicI32::new(0);
    let own = getpid().as_raw_nonzero().get();
    LAST.swap(own, Ordering::Relaxed) != own
}

/// Takes memory from the system and returns it to the allocator, which has it ready when a check asks for
/// more or less of it, by the candidate. Where there is none, the check finds out.
///
/// glibc takes a block of 128 KiB or more from the system and gives it back at once; from the first that it
/// gives back it learns to keep blocks of that size (mallopt(3), `M_MMAP_THRESHOLD`). So a larger one goes
/// ahead, which is never touched.
fn take_memory() {
    drop(black_box(reserved(2 * MEMORY_BYTES)));
    let mut memory = reserved(MEMORY_BYTES);
    memory.resize(memory.capacity(), 1);
    drop(black_box(memory));
}

fn reserved(bytes: usize) -> Vec<u8> {
    let mut memory = Vec::new();
    // An empty one where there is no memory.
    let _ = memory.try_reserve_exact(bytes);
    memory
}
