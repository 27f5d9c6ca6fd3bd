//! A hint to the processor.

#![allow(unsafe_code, reason = "the instruction takes an address")]

/// Tells the processor that the bytes around this one will be read soon; nothing where it takes no such hint.
#[inline]
pub fn fetch_ahead(byte: &u8) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch reads nothing into the program and never faults, whatever the address (Intel SDM
        // volume 2, PREFETCHh); SSE, which has it, is part of every x86-64.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(byte).cast()) };
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = byte;
}
