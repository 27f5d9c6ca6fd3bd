//! The files of a site, so that a replaced one is noticed.

use std::{
    fs::{self, Metadata},
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

use nearmiss_policy::config::{self, Config};

/// The identity of a file and its last change. None if it could not be accessed.
type Identity = Option<[u64; 6]>;

/// The state of a site's files before it was opened.
pub(crate) struct Watched(Vec<(PathBuf, IdentityOf, Identity)>);

/// The properties that identify a file.
type IdentityOf = fn(&Metadata) -> [u64; 6];

impl Watched {
    /// The configuration and its drop-ins, whether or not they exist.
    pub(crate) fn configuration(conf: &Path) -> Watched {
        let mut watched = Watched(Vec::new());
        for file in config::main_files(Path::new("/"), conf) {
            watched.add(file, by_content);
        }
        let folder = config::drop_in_folder(conf);
        watched.add(folder.clone(), by_content);
        // A folder that cannot be read makes the configuration unusable anyway; the folder's own time changes
        // when a file is added or removed.
        for file in fs::read_dir(folder).into_iter().flatten().flatten() {
            watched.add(file.path(), by_content);
        }
        watched
    }

    /// The files that a configuration names.
    pub(crate) fn add_files_of(&mut self, config: &Config) {
        for rule in &config.dictionaries {
            self.add(rule.file.clone(), by_content);
        }
        // Ladders are written to in place, and their key is only ever replaced together with them.
        self.add(config.ladder.file.clone(), by_number);
        self.add(config.guesses.file.clone(), by_number);
    }

    pub(crate) fn add(&mut self, path: PathBuf, identity_of: IdentityOf) {
        let identity = look(&path, identity_of);
        self.0.push((path, identity_of, identity));
    }

    /// True as long as no file was replaced, changed or added.
    ///
    /// A file that can no longer be accessed does not count as changed: a server that dropped its privileges,
    /// or entered a chroot, keeps the files it opened.
    pub(crate) fn is_unchanged(&self) -> bool {
        self.0.iter().all(|(path, identity_of, was)| {
            let is_now = look(path, *identity_of);
            is_now.is_none() || is_now == *was
        })
    }
}

fn look(path: &Path, identity_of: IdentityOf) -> Identity {
    fs::metadata(path).ok().map(|metadata| identity_of(&metadata))
}

/// For files that are replaced, never written in place; their inode may be reused when no process maps it.
pub(crate) fn by_content(metadata: &Metadata) -> [u64; 6] {
    let [inode, device, ..] = by_number(metadata);
    let times = [metadata.ctime(), metadata.ctime_nsec(), metadata.mtime_nsec()]
        .map(|time| u64::from_ne_bytes(time.to_ne_bytes()));
    let [seconds, part, modified] = times;
    [inode, device, metadata.size(), seconds, part, modified]
}

fn by_number(metadata: &Metadata) -> [u64; 6] {
    [metadata.ino(), metadata.dev(), 0, 0, 0, 0]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_replaced_or_comes_is_noticed_and_what_goes_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let conf = folder.path().join("nearmiss.conf");
        let watched = Watched::configuration(&conf);
        assert!(watched.is_unchanged());
        fs::write(&conf, "").unwrap();
        assert!(!watched.is_unchanged());
        let watched = Watched::configuration(&conf);
        assert!(watched.is_unchanged());
        let next = folder.path().join("next");
        fs::write(&next, "").unwrap();
        fs::rename(&next, &conf).unwrap();
        assert!(!watched.is_unchanged());
        let watched = Watched::configuration(&conf);
        fs::remove_file(&conf).unwrap();
        assert!(watched.is_unchanged());
    }

    #[test]
    fn a_drop_in_that_comes_changes_or_goes_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let conf = folder.path().join("nearmiss.conf");
        let drop_ins = folder.path().join("nearmiss.conf.d");
        fs::create_dir(&drop_ins).unwrap();
        let watched = Watched::configuration(&conf);
        fs::write(drop_ins.join("10.conf"), "").unwrap();
        assert!(!watched.is_unchanged());
        let watched = Watched::configuration(&conf);
        fs::write(drop_ins.join("10.conf"), "min_length = 9\n").unwrap();
        assert!(!watched.is_unchanged());
        let watched = Watched::configuration(&conf);
        fs::remove_file(drop_ins.join("10.conf")).unwrap();
        assert!(!watched.is_unchanged());
    }

    #[test]
    fn a_ladder_that_counts_is_the_same_ladder() {
        let folder = tempfile::tempdir().unwrap();
        let mut config = Config::default();
        config.ladder.file = folder.path().join("ladder");
        fs::write(&config.ladder.file, "1").unwrap();
        let mut watched = Watched(Vec::new());
        watched.add_files_of(&config);
        fs::write(&config.ladder.file, "22").unwrap();
        assert!(watched.is_unchanged());
    }
}
