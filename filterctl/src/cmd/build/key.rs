//! The hash key of a new filter: given, read from a file, or random.

use std::path::Path;

pub(super) use nearmiss_cli::key::parse;
use nearmiss_filters::{
    hash::Key,
    storage::{Access, Replacement, StorageError, read_trusted},
    text::system_reason,
};

use nearmiss_cli::{failure::Failure, keys, paths};

/// Returns the given key, the one in the key file, or a random one.
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
    Key::random().map_err(|e| {
        Failure::plain(keys::OUT_OF_MEMORY, format!("cannot choose a key: {}", system_reason(&e)))
    })
}

/// The key in this file; if there is no file, a random key, which is written to it.
fn kept(file: &Path) -> Result<Key, Failure> {
    let file = paths::written(file);
    match read_trusted(&file, 128) {
        Ok(bytes) => {
            let text = String::from_utf8_lossy(&bytes);
            parse(text.trim())
                .map_err(|error| Failure::plain(keys::KEY_FILE, format!("{}: {error}", file.display())))
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
