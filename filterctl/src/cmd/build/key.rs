//! The hash key of a new filter: given, kept in a file, or random.

use std::path::Path;

use nearmiss_filters::{
    chunks::chunks,
    hash::{KEY_BYTES, Key},
    storage::{Access, Replacement, StorageError, read_trusted},
};

use crate::{failure::Failure, paths};

/// The key that is given, the one kept in a file, or a random one.
///
/// # Errors
/// The file cannot be read or written, has no key, or the system has no random bytes.
pub(super) fn choose(given: Option<&Key>, file: Option<&Path>) -> Result<Key, Failure> {
    match (file, given) {
        (Some(file), _) => kept(file),
        (None, Some(key)) => Ok(key.clone()),
        (None, None) => random(),
    }
}

fn random() -> Result<Key, Failure> {
    Key::random().map_err(|e| Failure::plain(format!("cannot choose a key: {e}")))
}

/// The key that 32 hexadecimal digits state.
///
/// # Errors
/// There are more or fewer, or others.
pub(super) fn parse(text: &str) -> Result<Key, String> {
    let digits: Option<Vec<u8>> =
        text.chars().map(|c| c.to_digit(16).and_then(|digit| u8::try_from(digit).ok())).collect();
    let bytes = digits.map(|digits| chunks(&digits).0.iter().map(|[a, b]| a << 4 | b).collect::<Vec<u8>>());
    let bytes = bytes.and_then(|bytes| <[u8; KEY_BYTES]>::try_from(bytes).ok());
    let bytes = bytes.filter(|_| text.len() == 2 * KEY_BYTES);
    bytes.map(Key::new).ok_or_else(|| format!("expected {} hexadecimal digits", 2 * KEY_BYTES))
}

/// The key in this file; where there is none, a random one that is written to it.
fn kept(file: &Path) -> Result<Key, Failure> {
    let file = paths::real(file);
    match read_trusted(&file, 128) {
        Ok(bytes) => {
            let text = String::from_utf8_lossy(&bytes);
            parse(text.trim()).map_err(|error| Failure::plain(format!("{}: {error}", file.display())))
        }
        Err(error) if error.is_missing() => {
            let key = random()?;
            let text: String = key.bytes().iter().map(|byte| format!("{byte:02x}")).collect();
            let unwritable = |e: StorageError| Failure::new("cannot write the key", e);
            let mut new = Replacement::create(&file, Access::Private).map_err(unwritable)?;
            new.write(format!("{text}\n").as_bytes()).and_then(|()| new.commit()).map_err(unwritable)?;
            Ok(key)
        }
        Err(error) => Err(Failure::new("cannot read the key", error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_32_hexadecimal_digits() {
        let parsed = parse("000102030405060708090a0b0c0d0eFF").unwrap();
        assert_eq!(parsed.bytes(), &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 255]);
        for wrong in ["", "00", "000102030405060708090a0b0c0d0e0g", "000102030405060708090a0b0c0d0e0f0"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
