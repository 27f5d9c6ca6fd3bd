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
    match read(&file)? {
        Some(key) => Ok(key),
        None => made(&file),
    }
}

/// The key in this file; none if it is missing.
fn read(file: &Path) -> Result<Option<Key>, Failure> {
    match read_trusted(file, 128) {
        Ok(bytes) => {
            let text = String::from_utf8_lossy(&bytes);
            let key = parse(text.trim())
                .map_err(|error| Failure::plain(keys::KEY_FILE, format!("{}: {error}", file.display())));
            key.map(Some)
        }
        Err(error) if error.is_missing() => Ok(None),
        Err(error) => Err(Failure::new("cannot read the key", error)),
    }
}

/// A random key, written to this file; the one in it, if another build has written one meanwhile: a key that
/// is in no file could never build the same filter again.
fn made(file: &Path) -> Result<Key, Failure> {
    let key = random()?;
    let text: String = key.bytes().iter().map(|byte| format!("{byte:02x}")).collect();
    let unwritable = |e: StorageError| Failure::new("cannot write the key", e);
    let mut new = Replacement::create(file, Access::Private).map_err(unwritable)?;
    new.write(format!("{text}\n").as_bytes()).map_err(unwritable)?;
    if new.commit_new().map_err(unwritable)? {
        return Ok(key);
    }
    let missing = || Failure::plain(keys::KEY_FILE, format!("{}: was removed meanwhile", file.display()));
    read(file)?.ok_or_else(missing)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two builds that both find no key: the second one is here where it chooses its own.
    #[test]
    fn a_key_that_another_build_has_written_meanwhile_is_taken() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("site.key");
        assert!(read(&file).unwrap().is_none());
        let first = kept(&file).unwrap();
        let second = made(&file).unwrap();
        assert!(first.bytes() == second.bytes());
        assert!(read(&file).unwrap().unwrap().bytes() == first.bytes());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
