//! The configuration of another system, such as an image: every file that it names is below the root of that
//! system.

use std::path::{Path, PathBuf};

use nearmiss_filters::storage::{Act, StorageError, Walk};

use super::{
    Config, ConfigError,
    load::{at, drop_in_folder, files_below, main_files},
};

impl Config {
    /// The configuration at `path` of the system below `root`: see [`Config::load`]. Every path in it is one
    /// below `root`.
    ///
    /// # Errors
    /// As [`Config::load`], and `Act::LeadsOut` if a link leads to a file of the running system, by which
    /// the other system must not be judged.
    pub fn load_below(root: &Path, path: &Path) -> Result<Config, ConfigError> {
        if root == Path::new("/") {
            return Config::load(path);
        }
        for main in main_files(root, path) {
            see_that_it_stays(root, &main)?;
        }
        see_that_it_stays(root, &drop_in_folder(path))?;
        for (file, _) in files_below(root, path)? {
            see_that_it_stays(root, &file)?;
        }
        let mut config = Config::load_of(&Walk::default(), root, path)?;
        for path in config.paths_mut() {
            *path = at(root, path);
            see_that_it_stays(root, path)?;
        }
        Ok(config)
    }

    /// Every path of a file that it names.
    fn paths_mut(&mut self) -> impl Iterator<Item = &mut PathBuf> {
        let own = [
            &mut self.ladder.file,
            &mut self.ladder.key,
            &mut self.guesses.file,
            &mut self.guesses.seen,
            &mut self.fleet.socket,
            &mut self.fleet.guessed,
            &mut self.fleet.chosen,
            &mut self.guidance.suggest_words,
        ];
        let filters = self.dictionaries.iter_mut().map(|rule| &mut rule.file);
        own.into_iter().chain(filters).chain(&mut self.fleet.also).chain(&mut self.forbidden_words_file)
    }
}

/// Requires that a path leads to no file outside of `root`.
///
/// # Errors
/// `Act::LeadsOut`.
fn see_that_it_stays(root: &Path, path: &Path) -> Result<(), ConfigError> {
    stays_below(root, path).map_err(ConfigError::Storage)
}

/// Requires that the symbolic links of a path lead to nothing outside of `root`: a link of an image
/// means a file of its own system, and the running one has another file of that name.
///
/// # Errors
/// `Act::LeadsOut`.
pub fn stays_below(root: &Path, path: &Path) -> Result<(), StorageError> {
    // Of a missing file, the folder that would have it.
    let real = path.ancestors().find_map(|part| part.canonicalize().ok());
    if real.zip(root.canonicalize().ok()).is_none_or(|(real, root)| real.starts_with(root)) {
        return Ok(());
    }
    Err(StorageError::rule(path, Act::LeadsOut))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_below_the_root_once() {
        for (root, path, expected) in [
            ("/", "/etc/n.conf", "/etc/n.conf"),
            ("/img", "/etc/n.conf", "/img/etc/n.conf"),
            ("/img", "/img/etc/n.conf", "/img/etc/n.conf"),
            ("/img", "/image/n.conf", "/img/image/n.conf"),
        ] {
            assert_eq!(at(Path::new(root), Path::new(path)), Path::new(expected), "{root} {path}");
        }
    }
}
