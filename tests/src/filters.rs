//! Filters for the tests: built by the real `filterctl` from a short list, and spoiled in the ways that
//! matter.

use std::{
    fs,
    os::unix::fs::{PermissionsExt, chown, symlink},
    path::{Path, PathBuf},
    process::Command,
    sync::OnceLock,
};

use crate::{artifacts::artifacts, skip::is_root, user::UID};

/// The words the tests' filter is made of.
pub const WORDS: &str =
    "password\nmonkey\nelephant\naccommodate\nbutterfly\nquokka-marimba-8842-zephyr-vortex\n";

/// A password that is near to no word of the list.
pub const GOOD: &str = "Zz9-uncommon-phrase";

/// Writes a filter of [`WORDS`] into the folder, readable only by the user that the tests run as; its
/// key is fixed.
pub fn build(folder: &Path) -> PathBuf {
    static BUILT: OnceLock<Vec<u8>> = OnceLock::new();
    let filter = folder.join("words.filter");
    fs::write(&filter, BUILT.get_or_init(build_once)).expect("a file can be written");
    make_private(&filter);
    filter
}

/// Lets only the user that the tests run as read a filter.
pub fn make_private(filter: &Path) {
    if is_root() {
        chown(filter, None, Some(UID)).expect("root may give files away");
    }
    set_mode(filter, 0o640);
}

fn build_once() -> Vec<u8> {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let (list, filter) = (folder.path().join("words.txt"), folder.path().join("words.filter"));
    fs::write(&list, WORDS).expect("the list can be written");
    let mut command = Command::new(&artifacts().filterctl);
    command.args(["build", "--key", "000102030405060708090a0b0c0d0e0f", "--output"]).args([&filter, &list]);
    let output = command.output().expect("filterctl can be run");
    assert!(output.status.success(), "filterctl build: {}", String::from_utf8_lossy(&output.stderr));
    fs::read(&filter).expect("filterctl wrote the filter")
}

/// The faults of a filter file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spoiled {
    /// There is none.
    Absent,
    /// Nothing is in it.
    Empty,
    /// One bit of its header is another.
    DamagedHeader,
    /// One bit of every page is another.
    DamagedPages,
    /// Its second half is missing.
    Truncated,
    /// It is far longer than its header says (a hole: it takes no room on the disk).
    Huge,
    /// Everybody may write it.
    WorldWritable,
    /// Its group may write it.
    GroupWritable,
    /// It is a symbolic link to a file that is not there.
    Symlink,
    /// It is a folder.
    Folder,
    /// It belongs to a user who is neither root nor the one who reads it.
    ForeignOwner,
}

impl Spoiled {
    /// All ways but [`Spoiled::ForeignOwner`], which takes root.
    pub const BY_ANYBODY: [Spoiled; 10] = [
        Spoiled::Absent,
        Spoiled::Empty,
        Spoiled::DamagedHeader,
        Spoiled::DamagedPages,
        Spoiled::Truncated,
        Spoiled::Huge,
        Spoiled::WorldWritable,
        Spoiled::GroupWritable,
        Spoiled::Symlink,
        Spoiled::Folder,
    ];

    /// Spoils the filter at `path`.
    pub fn apply(self, path: &Path) {
        match self {
            Spoiled::Absent => fs::remove_file(path).expect("the filter is there"),
            Spoiled::Empty => set_length(path, 0),
            Spoiled::DamagedHeader => flip(path, 40, usize::MAX),
            Spoiled::DamagedPages => flip(path, PAGE_BYTES + 1000, PAGE_BYTES),
            Spoiled::Truncated => set_length(path, length(path) / 2),
            Spoiled::Huge => set_length(path, 1 << 40),
            Spoiled::WorldWritable => set_mode(path, 0o646),
            Spoiled::GroupWritable => set_mode(path, 0o664),
            Spoiled::Symlink => move_behind_link(path),
            Spoiled::Folder => replace_by_folder(path),
            Spoiled::ForeignOwner => chown(path, Some(FOREIGN_UID), None).expect("root may give files away"),
        }
    }
}

/// A user who is neither root nor the tests' own.
const FOREIGN_UID: u32 = 4343;
const PAGE_BYTES: usize = 4096;

/// Flips one bit at `first` and, as far as the file reaches, every `step` bytes after it.
fn flip(path: &Path, first: usize, step: usize) {
    let mut bytes = fs::read(path).expect("the filter is there");
    assert!(bytes.len() > first, "{} is shorter than the place to spoil", path.display());
    bytes.iter_mut().skip(first).step_by(step).for_each(|byte| *byte ^= 4);
    fs::write(path, bytes).expect("the filter can be written");
}

fn length(path: &Path) -> u64 {
    fs::metadata(path).expect("the filter is there").len()
}

fn set_length(path: &Path, bytes: u64) {
    let file = fs::OpenOptions::new().write(true).open(path).expect("the filter is there");
    file.set_len(bytes).expect("a file can be cut and stretched");
}

fn move_behind_link(path: &Path) {
    fs::rename(path, path.with_extension("real")).expect("the filter is there");
    symlink(path.with_extension("gone"), path).expect("a link can be made");
}

fn replace_by_folder(path: &Path) {
    fs::remove_file(path).expect("the filter is there");
    fs::create_dir(path).expect("a folder can be made");
}

/// Sets the permission bits of a file or folder.
pub fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("the owner may change the mode");
}
