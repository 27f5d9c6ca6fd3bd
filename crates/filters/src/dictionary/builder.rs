//! From lists to a filter in two passes: [`Build::survey`] reads the lists and counts their entries,
//! [`Build::builder`] chooses the geometry and fills the pages; for sorted digests
//! [`Build::in_order`] needs one. Filters can also be extended and united.

#![allow(clippy::arithmetic_side_effects, reason = "counts of what was read, positions in memory")]

mod deletion_fingerprints;
mod distinct;
mod error;
mod extend;
mod fill;
mod in_order;
mod outlook;
mod page_ranges;
mod seen;
mod spec;
mod survey;
mod union;

pub use error::{BuildError, OrderError, SizedBy};
pub use fill::Builder;
pub use in_order::{Fit, InOrder, PageWriter};
pub use outlook::{Beginning, Outlook};
pub use spec::{Build, Spec};
pub use survey::{EXACT_EXTENSION, EXACT_WORDS, Findings, Survey};
pub use union::{Difference, UnionError};

pub(super) use fill::empty_pages;
