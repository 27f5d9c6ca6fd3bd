//! The size of a page.

/// Bytes of a page.
pub const PAGE_BYTES: usize = 4096;

/// Bytes of a page that hold bits; the other four are its checksum.
pub const BIT_BYTES: usize = PAGE_BYTES - 4;

/// Bits of a page that hold keys.
pub const PAGE_BITS: u32 = 32_736;

/// A page's bytes.
pub type Page = [u8; PAGE_BYTES];
