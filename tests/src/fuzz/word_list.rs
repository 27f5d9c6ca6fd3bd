//! A list of any bytes, read as `filterctl build` reads it.

use std::io::{self, Write};

use nearmiss_cli::{
    input::{self, Expected, ListName},
    progress::Progress,
};
use nearmiss_filters::format::Kind;

/// The lines of a list with these stored bytes, as UTF-8, or the line told on standard error; at most about
/// `most` bytes of them, since compressed lists may be far longer than they look.
///
/// # Errors
/// If the temporary file that stands for the list cannot be written.
pub(super) fn read_list(stored: &[u8], most: usize) -> io::Result<Result<Vec<u8>, String>> {
    let mut file = tempfile::NamedTempFile::new()?;
    file.write_all(stored)?;
    Ok(text(ListName::Path(file.path().to_owned()), most).map_err(|error| error.to_string()))
}

fn text(name: ListName, most: usize) -> Result<Vec<u8>, input::InputError> {
    let progress = Progress::hidden();
    let mut text = Vec::new();
    for list in input::open(&[name], &Expected::of(Kind::Words), &progress)? {
        let mut reading = list.read(&progress)?;
        while let Some(block) = reading.next_block()? {
            text.extend_from_slice(block);
            if text.len() > most {
                return Ok(text);
            }
        }
    }
    Ok(text)
}
