//! The files of a site, so that a replaced one is noticed.

use std::{
    fs::{self, Metadata},
    io::ErrorKind,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

use nearmiss_policy::config::{self, Config};

/// The identity of a file and its last change.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Identity {
    Of([u64; 6]),
    Missing,
    /// It could not be accessed.
    Unknown,
}

/// The state of a site's files before it was opened.
pub(crate) struct Watched {
    files: Vec<WatchedFile>,
    /// The folder that paths begin at, which is another one in a chroot.
    root: Identity,
}

struct WatchedFile {
    path: PathBuf,
    identity_of: IdentityOf,
    was: Identity,
    /// A setting that goes is a change; a filter that goes stays mapped.
    is_setting: bool,
}

/// The properties that identify a file.
type IdentityOf = fn(&Metadata) -> [u64; 6];

impl Watched {
    /// The configuration and its drop-ins, whether or not they exist.
    pub(crate) fn configuration(conf: &Path) -> Watched {
        let mut watched = Watched { files: Vec::new(), root: look(Path::new("/"), by_number) };
        for file in config::main_files(Path::new("/"), conf) {
            watched.add_setting(file);
        }
        let folder = config::drop_in_folder(conf);
        watched.add_setting(folder.clone());
        // A folder that cannot be read makes the configuration unusable anyway; the folder's own time changes
        // when a file is added or removed.
        for file in fs::read_dir(folder).into_iter().flatten().flatten() {
            watched.add_setting(file.path());
        }
        watched
    }

    /// The files that a configuration names.
    pub(crate) fn add_files_of(&mut self, config: &Config) {
        for rule in &config.dictionaries {
            self.add(rule.file.clone(), by_content);
        }
        if let Some(words) = &config.forbidden_words_file {
            self.add_setting(words.clone());
        }
        // Ladders are written to in place.
        self.add(config.ladder.file.clone(), by_number);
        self.add(config.guesses.file.clone(), by_number);
        self.add(config.ladder.key.clone(), by_content);
        for descriptor in [&config.fleet.guessed, &config.fleet.chosen].into_iter().chain(&config.fleet.also)
        {
            self.add(descriptor.clone(), by_content);
        }
    }

    pub(crate) fn add(&mut self, path: PathBuf, identity_of: IdentityOf) {
        self.push(path, identity_of, false);
    }

    fn add_setting(&mut self, path: PathBuf) {
        self.push(path, by_content, true);
    }

    fn push(&mut self, path: PathBuf, identity_of: IdentityOf, is_setting: bool) {
        let was = look(&path, identity_of);
        self.files.push(WatchedFile { path, identity_of, was, is_setting });
    }

    /// True as long as no file was replaced, changed or added, and no setting removed.
    ///
    /// A file that can no longer be accessed does not count as changed: a server that dropped its privileges,
    /// or entered a chroot, keeps the files it opened.
    pub(crate) fn is_unchanged(&self) -> bool {
        look(Path::new("/"), by_number) != self.root || self.files.iter().all(WatchedFile::is_unchanged)
    }
}

impl WatchedFile {
    fn is_unchanged(&self) -> bool {
        match look(&self.path, self.identity_of) {
            Identity::Unknown => true,
            Identity::Missing => !self.is_setting || self.was == Identity::Missing,
            is_now @ Identity::Of(_) => is_now == self.was,
        }
    }
}

fn look(path: &Path, identity_of: IdentityOf) -> Identity {
    match fs::metadata(path) {
        Ok(metadata) => Identity::Of(identity_of(&metadata)),
        Err(error) if error.kind() == ErrorKind::NotFound => Identity::Missing,
        Err(_) => Identity::Unknown,
    }
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
    use nearmiss_policy::config::DictionaryRule;

    use super::*;

    #[test]
    fn a_configuration_that_is_replaced_comes_or_goes_is_noticed() {
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
        assert!(!watched.is_unchanged());
        let in_chroot = Watched { root: Identity::Missing, ..watched };
        assert!(in_chroot.is_unchanged());
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
        let watched = Watched::configuration(&conf);
        fs::remove_dir(drop_ins).unwrap();
        assert!(!watched.is_unchanged());
    }

    #[test]
    fn a_ladder_that_counts_is_the_same_ladder() {
        let folder = tempfile::tempdir().unwrap();
        let mut config = Config::default();
        config.ladder.file = folder.path().join("ladder");
        fs::write(&config.ladder.file, "1").unwrap();
        let mut watched = Watched::configuration(&folder.path().join("nearmiss.conf"));
        watched.add_files_of(&config);
        fs::write(&config.ladder.file, "22").unwrap();
        assert!(watched.is_unchanged());
    }

    #[test]
    fn a_filter_that_goes_stays_open_and_words_that_go_are_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let [filter, words] = ["filter", "words"].map(|name| folder.path().join(name));
        let dictionaries = vec![DictionaryRule::new(filter.clone())];
        let config = Config { dictionaries, forbidden_words_file: Some(words.clone()), ..Config::default() };
        for file in [&filter, &words] {
            fs::write(file, "1").unwrap();
        }
        let mut watched = Watched::configuration(&folder.path().join("nearmiss.conf"));
        watched.add_files_of(&config);
        fs::remove_file(filter).unwrap();
        assert!(watched.is_unchanged());
        fs::write(&words, "22").unwrap();
        assert!(!watched.is_unchanged());
    }
}
