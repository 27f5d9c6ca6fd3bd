//! Everything that a check needs apart from its filters is loaded before the first one begins: its code, its
//! tables, and its memory. The number of page faults, which any user can read in `/proc`, then reveals little
//! about the password.

use std::{
    hint::black_box,
    sync::atomic::{AtomicI32, Ordering},
};

use nearmiss_filters::storage::mapped::Mapped;
use rustix::process::getpid;

use crate::policy::{Context, Examination, Ladders, Policy};

/// The smallest page of memory: one byte written in each takes it from the system.
const PAGE_BYTES: usize = 4096;

/// A password with characters of every kind that has its own code path.
const EVERY_KIND: &str = "Él3phânt\u{308}ﬁ26!";

/// The most memory that a check takes, in bytes.
const MEMORY_BYTES: usize = 160 << 10;

/// Allocates and frees the memory of a check, and once in a process examines a password by every rule without
/// filters.
pub(super) fn rehearse() {
    take_memory();
    if is_first() {
        let names = Context { user: EVERY_KIND.as_bytes(), ..Context::default() };
        let examination = Examination::<Mapped>::new(&[], Ladders::default());
        drop(black_box(Policy::all().examine(EVERY_KIND.as_bytes(), &names, examination)));
    }
}

/// True for the first call in a process: a forked child maps the code again.
fn is_first() -> bool {
    static LAST: AtomicI32 = AtomicI32::new(0);
    let own = getpid().as_raw_nonzero().get();
    LAST.swap(own, Ordering::Relaxed) != own
}

/// Takes memory from the system and returns it to the allocator, which then has it ready for the check, whose
/// need depends on the candidate. If there is none, the check will fail by itself.
///
/// glibc takes a block of 128 KiB or more from the system and gives it back at once; after the first one that
/// is freed, it keeps blocks of that size (mallopt(3), `M_MMAP_THRESHOLD`). So a larger block, which is never
/// touched, is allocated and freed first.
fn take_memory() {
    drop(black_box(reserved(2 * MEMORY_BYTES)));
    let mut memory = reserved(MEMORY_BYTES);
    for page in memory.spare_capacity_mut().chunks_mut(PAGE_BYTES) {
        if let Some(first) = page.first_mut() {
            first.write(1);
        }
    }
    drop(black_box(memory));
}

fn reserved(bytes: usize) -> Vec<u8> {
    let mut memory = Vec::new();
    // It stays empty if there is no memory.
    let _ = memory.try_reserve_exact(bytes);
    memory
}
