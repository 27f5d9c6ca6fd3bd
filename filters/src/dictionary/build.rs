//! From lists to a filter: survey them, choose the geometry, fill the pages; extend and unite filters.

mod builder;
mod deletion_fingerprints;
mod distinct;
mod extend;
mod page_ranges;
mod survey;
mod union;

pub use builder::{BuildError, Builder, Settings};
pub use survey::{Findings, Survey};
pub use union::{Difference, UnionError};

pub(super) use builder::empty_pages;
pub(super) use survey::scheme_of;
