//! Input and output about binomial ladders, for both tools.

pub mod numbers;
pub mod refusals;
