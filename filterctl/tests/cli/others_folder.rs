//! A folder that others may write: what they put where the temporary file must be is neither written to nor
//! replaced.

use std::{
    fs,
    os::unix::fs::{MetadataExt, PermissionsExt, chown},
    path::{Path, PathBuf},
};

use crate::{Folder, Run, build_arguments, run};

/// The other user.
const OTHER: u32 = 4343;

/// A folder such as /tmp, and in it this file of another user, whom root alone can bring into it.
fn with_file_of_another(name: &str) -> Option<(Folder, PathBuf)> {
    let folder = Folder::new();
    fs::set_permissions(folder.0.path(), fs::Permissions::from_mode(0o1777)).unwrap();
    let file = folder.file(name, "");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o666)).unwrap();
    if chown(&file, Some(OTHER), Some(OTHER)).is_err() {
        eprintln!("SKIPPED: needs root: a file that belongs to another user");
        return None;
    }
    Some((folder, file))
}

/// Makes a ladder and a key, each in its folder.
fn init(of_ladder: &Folder, of_key: &Folder) -> Run {
    let (array, key) = (of_ladder.path("chosen.ladder"), of_key.path("ladder.key"));
    let fixed = ["ladder", "init", "--no-slow-hash", "--bits", "32768", "--file"].map(PathBuf::from);
    run(fixed.into_iter().chain([array, "--key".into(), key]))
}

fn build(folder: &Folder) -> Run {
    let list = folder.file("list", "elephant\n");
    run(build_arguments(&folder.path("words.filter"), &[&list]))
}

fn is_in_the_way(told: &Run, file: &Path) {
    let line = told.error_line();
    assert!(line.contains(&format!("{}: blocks the temporary file", file.display())), "{line}");
    assert!(line.ends_with("remove it [file-occupied]"), "{line}");
}

#[test]
fn a_key_is_not_written_into_the_file_of_another() {
    let Some((folder, theirs)) = with_file_of_another(".ladder.key.new") else { return };
    let apart = Folder::new();
    is_in_the_way(&init(&apart, &folder), &theirs);
    assert_eq!((fs::read(&theirs).unwrap(), fs::metadata(&theirs).unwrap().uid()), (Vec::new(), OTHER));
    assert_eq!(folder.names(), [".ladder.key.new"], "neither ladder nor key");
    fs::remove_file(&theirs).unwrap();
    assert_eq!(apart.names(), [""; 0]);
    assert_eq!(init(&apart, &folder).code, 0);
    let key = fs::metadata(folder.path("ladder.key")).unwrap();
    assert_eq!((key.uid(), key.mode() & 0o777), (0, 0o600));
}

#[test]
fn the_random_bits_of_a_ladder_are_not_written_into_the_file_of_another() {
    let Some((folder, theirs)) = with_file_of_another(".chosen.ladder.new") else { return };
    is_in_the_way(&init(&folder, &Folder::new()), &theirs);
    assert_eq!(fs::read(&theirs).unwrap(), b"");
}

#[test]
fn a_filter_does_not_belong_to_another() {
    let Some((folder, theirs)) = with_file_of_another(".words.filter.new") else { return };
    is_in_the_way(&build(&folder), &theirs);
    assert_eq!(fs::read(&theirs).unwrap(), b"");
    assert_eq!(folder.names(), [".words.filter.new", "list"], "no filter");
    fs::remove_file(&theirs).unwrap();
    assert_eq!(build(&folder).code, 0);
    assert_eq!(fs::metadata(folder.path("words.filter")).unwrap().uid(), 0);
}

#[test]
fn a_second_name_gets_no_other_file_overwritten() {
    let folder = Folder::new();
    let other = folder.file("other", "not to be touched");
    let link = folder.path(".words.filter.new");
    fs::hard_link(&other, &link).unwrap();
    is_in_the_way(&build(&folder), &link);
    assert_eq!(fs::read(&other).unwrap(), b"not to be touched");
    assert_eq!(folder.names(), [".words.filter.new", "list", "other"]);
    let link = folder.path(".ladder.key.new");
    fs::hard_link(&other, &link).unwrap();
    is_in_the_way(&init(&Folder::new(), &folder), &link);
    assert_eq!(fs::read(&other).unwrap(), b"not to be touched");
}

#[test]
fn what_a_killed_build_left_is_no_hindrance() {
    let folder = Folder::new();
    folder.file(".words.filter.new", "half a filter");
    assert_eq!(build(&folder).code, 0);
    assert_eq!(folder.names(), ["list", "words.filter"]);
}
