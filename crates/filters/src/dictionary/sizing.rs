//! The size of a filter, and its false rejection rate.

mod cache_lines;
mod certainty;
mod crowding;
mod geometry;
mod groups;
mod rate;

pub use certainty::{MAX_DEMAND_ACCIDENT, MAX_DEMAND_RATE, may_demand};
pub use crowding::{FEWEST_CHARACTERS, MANY_NEAR_WORDS, is_crowded};
pub use geometry::{Counts, Geometry, rounded};
pub use groups::{Crowding, group_bits_for};
pub(crate) use rate::rates_of_accidents;
pub use rate::{
    ActualRates, DEFAULT_FALSE_REJECTION, Demand, MAX_USEFUL_RATE, STATED_CHARACTERS, STATED_LOOKUPS,
    VARIANT_LOOKUPS, is_useless, least_bits_per_word, rates_of_fills,
};
