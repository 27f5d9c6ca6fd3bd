//! Memory maps, and with them all unsafe code of the library.
//!
//! * [`Mapped`]: a filter, which is read, from a shared map or a private copy;
//! * [`SharedBits`]: a ladder, which is changed in place;
//! * [`HashMemory`]: the working memory of one slow hash;
//! * [`fetch_ahead`]: a hint to the processor.

mod fetch_ahead;
mod filter;
mod hash_memory;
mod shared_bits;

pub use fetch_ahead::fetch_ahead;
pub use filter::Mapped;
pub use hash_memory::HashMemory;
pub use shared_bits::SharedBits;
