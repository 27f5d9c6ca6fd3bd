//! What both tools read and print about binomial ladders.

pub mod numbers;
pub mod refusals;
