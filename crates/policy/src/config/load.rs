//! From the files to a configuration: the defaults, then the main file, then each drop-in.

use std::{
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
};

use nearmiss_filters::storage::{Act, Folder, StorageError, Walk, with_ending};

use super::{
    Config, ConfigError, DEFAULT_PATH, DictionaryRule, PACKAGED, VENDOR_PATH,
    apply::{apply, utf8},
    document::Mistake,
};
use crate::policy::NeverWords;

/// The most bytes of a configuration file.
pub const MAX_BYTES: usize = 64 << 10;

/// The root of the running system.
const ROOT: &str = "/";

/// The highest number of times that the drop-ins are listed while others change them.
const MAX_LISTINGS: u8 = 8;

/// The highest number of drop-ins.
const MAX_DROP_INS: usize = 256;

impl Config {
    /// Reads `path` and its drop-ins (`path` + `.d/*.conf`). A missing [`DEFAULT_PATH`] means
    /// `VENDOR_PATH`, and without that the defaults; any other file must exist.
    ///
    /// # Errors
    /// [`ConfigError`]: a file is missing, not trusted, too large, not UTF-8, not TOML, or has an unknown
    /// key, a wrong type or an invalid value.
    pub fn load(path: &Path) -> Result<Config, ConfigError> {
        Config::load_on(&Walk::default(), path)
    }

    /// [`Config::load`] on a walk that is used for further files.
    pub(crate) fn load_on(walk: &Walk, path: &Path) -> Result<Config, ConfigError> {
        Config::load_of(walk, Path::new(ROOT), path)
    }

    /// [`Config::load_on`] of the system below `root`.
    pub(super) fn load_of(walk: &Walk, root: &Path, path: &Path) -> Result<Config, ConfigError> {
        let mut config = Config::without_dictionaries();
        for (file, bytes) in files_of(walk, root, path)? {
            apply(&file, &bytes, &mut config)?;
        }
        if let Some(file) = &config.forbidden_words_file {
            let file = at(root, file);
            let bytes = walk.read(&file, MAX_BYTES).map_err(ConfigError::Storage)?;
            add_never_words(&file, &bytes, &mut config.policy.never)?;
        }
        Ok(config.with_packaged())
    }

    /// The configuration in this text alone, without the words of a `forbidden_words_file`; `path` only names
    /// it in errors.
    ///
    /// # Errors
    /// [`ConfigError`], except the errors of reading files.
    pub fn parse(path: &Path, text: &[u8]) -> Result<Config, ConfigError> {
        let mut config = Config::without_dictionaries();
        apply(path, text, &mut config)?;
        Ok(config.with_packaged())
    }

    fn without_dictionaries() -> Config {
        Config { dictionaries: Vec::new(), ..Config::default() }
    }

    /// The packaged filters are queried first, unless they are switched off, or listed with settings of their
    /// own.
    fn with_packaged(mut self) -> Config {
        for packaged in PACKAGED.into_iter().rev().map(Path::new) {
            if self.packaged && !self.dictionaries.iter().any(|rule| rule.file == packaged) {
                self.dictionaries.insert(0, DictionaryRule::new(packaged.to_owned()));
            }
        }
        self
    }
}

/// Adds the words of a `forbidden_words_file`, one a line; empty lines and lines that begin with `#` are
/// skipped.
#[inline(never)]
fn add_never_words(path: &Path, bytes: &[u8], words: &mut NeverWords) -> Result<(), ConfigError> {
    let text = utf8(path, bytes)?;
    let mut start = 0_usize;
    for line in bytes.split(|&byte| byte == b'\n') {
        let end = start.saturating_add(line.len());
        let word = line.trim_ascii();
        if !matches!(word, [] | [b'#', ..]) {
            let mistake = |words: &str| Mistake::at(start..end, words);
            words.add(word).map_err(|words| ConfigError::value(path, text, mistake(words)))?;
        }
        start = end.saturating_add(1);
    }
    Ok(())
}

/// The files of a configuration, in the order of their application: `path`, then its drop-ins. If
/// [`DEFAULT_PATH`] does not exist, `VENDOR_PATH` is used, if that exists.
///
/// # Errors
/// [`ConfigError::Storage`]: a file is missing (but [`DEFAULT_PATH`], which need not exist), not trusted or
/// too large.
pub fn files(path: &Path) -> Result<Vec<(PathBuf, Vec<u8>)>, ConfigError> {
    files_below(Path::new(ROOT), path)
}

/// [`files`] of the system below `root`, whose default files are there.
///
/// # Errors
/// As [`files`].
pub fn files_below(root: &Path, path: &Path) -> Result<Vec<(PathBuf, Vec<u8>)>, ConfigError> {
    files_of(&Walk::default(), root, path)
}

/// The candidates for the main file of a configuration, of which the first existing one is used: `path`, and
/// for [`DEFAULT_PATH`] below `root` also `VENDOR_PATH` there.
pub fn main_files(root: &Path, path: &Path) -> impl Iterator<Item = PathBuf> {
    let vendor = is_default(root, path).then(|| at(root, Path::new(VENDOR_PATH)));
    [path.to_owned()].into_iter().chain(vendor)
}

/// The place of an absolute path of the system below `root`; one that is below it already stays as it is.
pub fn at(root: &Path, path: &Path) -> PathBuf {
    // The module knows this root alone, and has nothing of what follows.
    if root.as_os_str() == ROOT || path.starts_with(root) {
        return path.to_owned();
    }
    root.join(path.strip_prefix("/").unwrap_or(path))
}

fn is_default(root: &Path, path: &Path) -> bool {
    path.as_os_str() == at(root, Path::new(DEFAULT_PATH)).as_os_str()
}

/// The folder of a configuration's drop-ins: `path` + `.d`.
pub fn drop_in_folder(path: &Path) -> PathBuf {
    with_ending(path, ".d")
}

fn files_of(walk: &Walk, root: &Path, path: &Path) -> Result<Vec<(PathBuf, Vec<u8>)>, ConfigError> {
    let mut files = Vec::new();
    let is_default = is_default(root, path);
    for main in main_files(root, path) {
        match walk.read(&main, MAX_BYTES) {
            Ok(bytes) => {
                files.push((main, bytes));
                break;
            }
            Err(error) if error.is_missing() && is_default => {}
            Err(error) => return Err(ConfigError::Storage(error)),
        }
    }
    files.append(&mut drop_ins(walk, path, &|file| walk.read(file, MAX_BYTES))?);
    Ok(files)
}

/// The drop-ins of a configuration, by name, and what `read` gives for them. One that another process removes
/// or renames after the listing is no error: the folder is listed again.
pub(super) fn drop_ins(
    walk: &Walk,
    path: &Path,
    read: &dyn Fn(&Path) -> Result<Vec<u8>, StorageError>,
) -> Result<Vec<(PathBuf, Vec<u8>)>, ConfigError> {
    let mut left = MAX_LISTINGS;
    loop {
        left = left.saturating_sub(1);
        let mut files = listed(walk, path)?;
        let read: Result<(), StorageError> = files.iter_mut().try_for_each(|(file, bytes)| {
            *bytes = read(file)?;
            Ok(())
        });
        match read {
            Err(error) if error.is_missing() && left > 0 => {}
            read => return read.map(|()| files).map_err(ConfigError::Storage),
        }
    }
}

/// The drop-ins of a configuration, by name, without their content. A name that begins with a dot is hidden:
/// a lock of an editor, or a file that is not complete yet.
fn listed(walk: &Walk, path: &Path) -> Result<Vec<(PathBuf, Vec<u8>)>, ConfigError> {
    let path = drop_in_folder(path);
    let folder = match Folder::open_trusted_on(walk, &path) {
        Err(error) if error.is_missing() => return Ok(Vec::new()),
        other => other.map_err(ConfigError::Storage)?,
    };
    let mut found: Vec<(PathBuf, Vec<u8>)> = Vec::new();
    for name in folder.names().map_err(ConfigError::Storage)? {
        let name = name.map_err(ConfigError::Storage)?;
        let bytes = name.as_bytes();
        if bytes.ends_with(b".conf") && !bytes.starts_with(b".") {
            let file = folder.join(&name);
            // In their order: sorting them would be 6 KB of code.
            let place = found.binary_search_by(|(own, _)| own.cmp(&file)).unwrap_or_else(|place| place);
            found.insert(place, (file, Vec::new()));
        }
        if found.len() > MAX_DROP_INS {
            return Err(ConfigError::Storage(StorageError::rule(&path, Act::TooLarge)));
        }
    }
    Ok(found)
}
