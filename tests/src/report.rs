//! The output of `make torture`: a line for each kind of case.

use std::fmt::Display;

/// Prints how many cases of `what` were tried. A test that gets here has stopped at none of them, so all were
/// held.
pub fn report_tried(what: &str, tried: impl Display + Copy) {
    println!("torture: {what}: {tried} tried, {tried} held");
}
