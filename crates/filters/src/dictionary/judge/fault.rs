//! The contradictions between a filter's header and its pages.

use std::fmt;

use crate::page::PAGE_BITS;

/// A contradiction between the pages of a filter and its header.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Fault {
    /// It rejects more often than it states.
    Rate {
        /// The probability that a check rejects a good password, by the pages.
        actual: f64,
        /// The same, by the header.
        stated: f64,
    },
    /// It contains strings that were drawn at random.
    Strangers {
        /// The number of them that it contains.
        found: u64,
        /// The number of strings that were drawn.
        tried: u64,
    },
    /// A page has more or fewer ones than chance explains.
    Page {
        /// Its index, from 0.
        index: u64,
        /// Its ones.
        ones: u32,
        /// The lowest number that chance explains.
        least: u32,
        /// The highest.
        most: u32,
        /// The number of such pages.
        outside: u64,
    },
    /// All pages together have more or fewer ones than the entries explain.
    Fill {
        /// The mean number of ones of a page.
        mean: f64,
        /// The lowest number that the entries explain.
        least: f64,
        /// The highest.
        most: f64,
        /// The entries that the header claims.
        entries: u64,
    },
    /// It lacks passwords that every list of its kind contains.
    Known {
        /// The number of them that it contains.
        found: u64,
        /// The number of passwords that were looked up.
        tried: u64,
    },
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Fault::Rate { actual, stated } => write!(
                f,
                "it rejects {} of good passwords by accident, but its header states {}",
                percent(actual),
                percent(stated)
            ),
            Fault::Strangers { found, tried } => {
                write!(
                    f,
                    "it contains {found} of {tried} random strings: its pages were not built from a list"
                )
            }
            Fault::Page { index, ones, least, most, outside } => {
                write!(
                    f,
                    "page {index} has {ones} of {PAGE_BITS} bits set, but the entries that it claims to \
                     contain would set {least} to {most}"
                )?;
                if outside > 1 {
                    write!(f, "; so have {} other pages", outside.saturating_sub(1))
                } else {
                    Ok(())
                }
            }
            Fault::Fill { mean, least, most, entries } => write!(
                f,
                "its pages have {mean:.0} bits set on average, but the {entries} entries that it claims to \
                 contain would set {least:.0} to {most:.0}"
            ),
            Fault::Known { found, tried } => {
                write!(
                    f,
                    "it contains {found} of the {tried} most common passwords: it is not the list it claims"
                )
            }
        }
    }
}

/// A probability as a percentage, with two significant digits.
fn percent(part: f64) -> String {
    let percent = part * 100.0;
    let shown = if percent >= 0.1 { format!("{percent:.1}") } else { format!("{percent:.1e}") };
    format!("{shown} %")
}
