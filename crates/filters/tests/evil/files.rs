//! Named evil files: the bytes of each, generated here, and the expected result of the library.

use nearmiss_filters::{
    format::FormatError,
    ladder::{HeaderError, KeyProblem},
};

mod counts;
mod dictionary;
pub mod ladder;

/// The result of opening (or querying) such a file.
#[derive(Clone, Copy, Debug)]
pub enum Expected {
    /// A filter is refused.
    Format(FormatError),
    /// It opens, and a lookup finds this page damaged.
    DamagedPage(u64),
    /// It opens, and lookups work except for words at distance 2, which find this page damaged.
    DamagedFourGrams(u64),
    /// It is valid: every word is found in it, or none is, and each lookup returns.
    Answers(bool),
    /// A counts file is refused with this problem; it is accepted without one.
    Counts(&'static str),
    /// A ladder is refused.
    Ladder(HeaderError),
    /// A ladder is refused with this key.
    OtherKey,
    /// It is valid: every element has this height, and steps end.
    Height(u32),
    /// A key is refused.
    Key(KeyProblem),
}

/// A file and its expected result.
pub struct Evil {
    pub name: String,
    pub bytes: Vec<u8>,
    pub expected: Expected,
}

impl Evil {
    fn new(name: &str, ending: &str, bytes: Vec<u8>, expected: Expected) -> Evil {
        Evil { name: format!("{name}.{ending}"), bytes, expected }
    }
}

/// All files, with distinct names.
pub fn all() -> Vec<Evil> {
    [dictionary::all(), counts::all(), ladder::all(), ladder::keys()].into_iter().flatten().collect()
}
