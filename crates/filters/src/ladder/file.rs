//! The files of a ladder, and the two ladders that the PAM module uses.
//!
//! * the formats: `header`, `words`, `key_file`; `array` creates and opens a ladder's file, `opened`
//!   puts file and key together;
//! * chosen passwords: `slow_hash`, `stamps`, `chosen`;
//! * guessed passwords: `guesses`.

pub(super) mod array;
pub(super) mod chosen;
pub(super) mod error;
pub(super) mod guesses;
pub(super) mod header;
pub(super) mod key_file;
pub(super) mod opened;
pub(super) mod slow_hash;
pub(super) mod stamps;
pub(super) mod words;
