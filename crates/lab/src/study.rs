//! The measurements that a choice of parameters rests on, as CSV and plots.
//!
//! `bloom` is the object of study: a Bloom filter of any size, page size and number of probes, over the
//! library's keyed hash. `formulas` is what theory says of it, `lists` where its words come from; `catch`,
//! `guessing`, `false_positives`, `structures`, `locality`, `spelling` and `toy` are the studies; `output`
//! writes what they found.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    clippy::arithmetic_side_effects,
    reason = "floating-point measurements, and counts far below 2⁵³"
)]

mod bloom;
pub(crate) mod catch;
pub(crate) mod checker;
mod clock;
pub(crate) mod extension;
pub(crate) mod false_positives;
mod formulas;
pub(crate) mod guessing;
mod lists;
pub(crate) mod locality;
mod output;
pub(crate) mod spelling;
mod steps;
pub(crate) mod structures;
pub(crate) mod toy;
mod tree;

pub(crate) use lists::read_words;
pub(crate) use output::OutputFolder;
pub(crate) use steps::Steps;
