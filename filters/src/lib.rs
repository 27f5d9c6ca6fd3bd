//! Near-miss dictionary filters and binomial ladder filters: everything nearmiss decides.
pub mod hash;
pub mod storage;
