//! The configuration of a role or a policy of a server: `FOLDER/NAME.conf`, if that exists.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
    sync::{Arc, RwLock, TryLockError},
};

use crate::{checker::Checker, opened::Setting};

/// The longest name that can have one, in bytes.
const MAX_BYTES: usize = 128;

/// The configuration for a name: that of the name if there is one, else `default`. A name with bytes other
/// than ASCII letters, digits, `_`, `-`, and dots after the first byte has none: no name of a role leads out
/// of the folder.
///
/// A file that cannot be accessed is chosen: it is unusable and rejects, while the default might accept.
pub fn configuration(folder: &Path, name: &[u8], default: &Path) -> PathBuf {
    let Some(file) = file_of(name).map(|file| folder.join(file)) else { return default.to_owned() };
    match fs::symlink_metadata(&file) {
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            default.to_owned()
        }
        _ => file,
    }
}

fn file_of(name: &[u8]) -> Option<String> {
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-.".contains(byte);
    let is_usable = name.len() <= MAX_BYTES
        && name.iter().all(is_plain)
        && name.first().is_some_and(|first| *first != b'.');
    let name = std::str::from_utf8(name).ok().filter(|_| is_usable)?;
    Some(format!("{name}.conf"))
}

/// The checkers of a process, one for each configuration, opened by the first check that needs it.
///
/// Like [`Shared`](crate::Shared) it never waits: if another thread holds the list, or held it when this
/// process was forked, a checker is opened for this call alone.
pub struct Named(RwLock<BTreeMap<PathBuf, Arc<Checker>>>);

impl Named {
    /// Nothing is opened yet.
    pub const fn new() -> Named {
        Named(RwLock::new(BTreeMap::new()))
    }

    /// The checker of this configuration.
    pub fn of(&self, conf: &Path) -> Arc<Checker> {
        let known = match self.0.try_read() {
            Ok(all) => all.get(conf).cloned(),
            Err(TryLockError::Poisoned(all)) => all.into_inner().get(conf).cloned(),
            Err(TryLockError::WouldBlock) => None,
        };
        known.unwrap_or_else(|| {
            let opened = Arc::new(Checker::open(Setting::of(conf)));
            if let Ok(mut all) = self.0.try_write() {
                if !all.is_empty() {
                    // The first checker of the process has reported it.
                    opened.leave_untold();
                }
                all.insert(conf.to_owned(), Arc::clone(&opened));
            }
            opened
        })
    }
}

impl Default for Named {
    fn default() -> Named {
        Named::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_its_own_configuration_where_that_exists() {
        let folder = tempfile::tempdir().unwrap();
        let default = Path::new("/etc/security/nearmiss.conf");
        let of = |name: &str| configuration(folder.path(), name.as_bytes(), default);
        assert_eq!(of("app"), default);
        fs::write(folder.path().join("app.conf"), "").unwrap();
        assert_eq!(of("app"), folder.path().join("app.conf"));
        // Folding the case is up to the server.
        assert_eq!(of("App"), default);
        let nowhere = configuration(Path::new("/nowhere"), b"app", default);
        assert_eq!(nowhere, default, "no such folder");
        std::os::unix::fs::symlink("/nowhere/else", folder.path().join("dangling.conf")).unwrap();
        assert_eq!(of("dangling"), folder.path().join("dangling.conf"), "unusable, not left out");
    }

    /// Its configuration may exist and reject passwords that the default accepts.
    #[test]
    fn a_configuration_that_cannot_be_looked_at_is_not_replaced_by_the_default() {
        let folder = tempfile::tempdir().unwrap();
        let circle = folder.path().join("circle");
        std::os::unix::fs::symlink(&circle, &circle).unwrap();
        assert_eq!(configuration(&circle, b"app", Path::new("/default")), circle.join("app.conf"));
    }

    #[test]
    fn no_name_leads_out_of_the_folder() {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("roles");
        fs::create_dir(&inner).unwrap();
        for file in ["up.conf", "roles/.conf", "roles/.hidden.conf"] {
            fs::write(folder.path().join(file), "").unwrap();
        }
        let default = Path::new("/default");
        let long = vec![b'a'; MAX_BYTES + 1];
        for name in [&b"../up"[..], b"", b".hidden", b"a/../../up", b"\xff", b"nul\0", &long] {
            assert_eq!(configuration(&inner, name, default), default, "{name:?}");
        }
        assert_eq!(file_of(b"app_1-x.y").as_deref(), Some("app_1-x.y.conf"));
    }

    #[test]
    fn a_checker_is_opened_once_for_each_configuration() {
        let named = Named::new();
        let [first, again, other] =
            ["/nowhere/a", "/nowhere/a", "/nowhere/b"].map(|conf| named.of(Path::new(conf)));
        assert!(Arc::ptr_eq(&first, &again) && !Arc::ptr_eq(&first, &other));
        assert!(!first.has_told() && other.has_told(), "the first says what a process goes without");
        let _held = named.0.write();
        assert!(!Arc::ptr_eq(&first, &named.of(Path::new("/nowhere/a"))), "nothing is waited for");
    }
}
