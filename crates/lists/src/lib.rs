//! Lists of words as people publish them: their form, their charset, and the words in their lines.
//!
//! [`recognise`] finds the form from a list's beginning, [`CharsetSurvey`] the charset from all of it,
//! [`Reader`] gives the words, and [`judge`] says from a sample whether people type them. [`simple`] reads a
//! line in another way, for a proof that a finished filter has what its lists say.
//!
//! Charsets are decoded by `encoding_rs` and estimated by `chardetng`, quotes are `csv-core`'s, JSON is
//! `serde_json`'s.

#![forbid(unsafe_code)]

mod charset;
mod columns;
mod cracked;
mod digests;
mod form;
pub mod hashes;
pub mod hex;
pub mod hunspell;
pub mod json;
mod judge;
pub mod known;
mod line;
pub mod login;
mod reader;
mod recognise;
mod records;
mod refusal;
pub mod simple;
mod sums;
mod table;
mod tally;
mod visible;

pub use charset::{Charset, CharsetSurvey, Charsets};
pub use columns::{Columns, Role};
pub use digests::{DigestColumns, recognise_digests};
pub use form::{Form, FormName, Wanted};
pub use judge::{Judgement, is_escaped, judge};
pub use reader::{Block, Reader, Reading, is_plain_text};
pub use recognise::{PASSWORD_NAMES, recognise};
pub use records::Records;
pub use refusal::{Refusal, Way};
pub use table::{Separator, Table};
pub use tally::{LeftOut, Reason, Tally};
