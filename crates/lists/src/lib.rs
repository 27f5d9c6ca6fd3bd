//! Lists of words and digests as people publish them: their form, their charset, and the words in their
//! lines.

#![forbid(unsafe_code)]

pub mod hunspell;
