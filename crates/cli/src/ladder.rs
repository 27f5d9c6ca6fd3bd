//! Input and output for binomial ladders, for both tools.

pub mod numbers;
pub mod refusals;
