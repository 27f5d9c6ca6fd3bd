//! Named evil files: the bytes of each, made here, and what the library gives for it.

use nearmiss_filters::{
    format::FormatError,
    ladder::{HeaderError, KeyProblem},
};

mod counts;
mod dictionary;
pub mod ladder;

/// What opening (or asking) such a file comes to.
#[derive(Clone, Copy, Debug)]
pub enum Expected {
    /// A filter is refused.
    Format(FormatError),
    /// It opens, and asking finds this page damaged.
    DamagedPage(u64),
    /// It opens and answers, but for words at distance 2: then this page is found damaged.
    DamagedFourGrams(u64),
    /// It is legal: every word is found in it, or none is, and each answer comes.
    Answers(bool),
    /// A counts file is refused with a problem that shows so; it is taken where there is none.
    Counts(&'static str),
    /// A ladder is refused.
    Ladder(HeaderError),
    /// A ladder is refused with this key.
    OtherKey,
    /// It is legal: every element stands so high, and steps end.
    Height(u32),
    /// A key is refused.
    Key(KeyProblem),
}

/// A file and what it comes to.
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

/// All of them; no two have one name.
pub fn all() -> Vec<Evil> {
    [dictionary::all(), counts::all(), ladder::all(), ladder::keys()].into_iter().flatten().collect()
}
