//! The targets of fuzzing, and their properties: a function a target. `tests/fuzz/` drives them
//! with libFuzzer, `tests/fuzz.rs` replays the kept inputs and tries random ones on every run.
//!
//! A function returns when all is well and panics when something does not hold.

#[allow(clippy::unwrap_used, unreachable_pub, missing_docs, reason = "tests")]
#[path = "../../crates/filters/tests/common/mod.rs"]
mod common;
#[allow(clippy::unwrap_used, unreachable_pub, missing_docs, reason = "tests")]
#[path = "../../crates/filters/tests/damage/format.rs"]
mod format;

mod files;
mod input;
mod lists;
mod word_list;
mod words;

pub use files::{header, ladder, page_lookup};
pub use lists::{digests, lines, list};
pub use words::{cleaning, configuration, module_options, neighbourhood, policy};

/// A target: a function of any bytes.
pub type Target = fn(&[u8]);

/// Every target by the name of its binary and of its folder of seeds.
pub const TARGETS: [(&str, Target); 11] = [
    ("header", header),
    ("page_lookup", page_lookup),
    ("neighbourhood", neighbourhood),
    ("cleaning", cleaning),
    ("policy", policy),
    ("configuration", configuration),
    ("list", list),
    ("lines", lines),
    ("digests", digests),
    ("ladder", ladder),
    ("module_options", module_options),
];
