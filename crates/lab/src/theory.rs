//! The ladder's mathematics and forms that no file has: what decisions about the ladder rest on.
//!
//! [`odds`] and [`longrun`] compute by matrices how likely an element is found frequent; [`ExactLadder`] and
//! [`StickyLadder`] are the paper's other forms, in memory. `[SH §IV]` and the places of the paper's text
//! that are wrong are named in [`nearmiss_filters::ladder`].

mod exact;
pub mod longrun;
mod matrix;
pub mod odds;
mod sticky;
mod walk;

pub use exact::ExactLadder;
pub use sticky::StickyLadder;
pub use walk::Memory;
