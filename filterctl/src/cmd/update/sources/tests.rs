use std::{cell::Cell, fs, os::unix::fs::PermissionsExt};

use super::*;

/// A file whose first read fails.
struct Failing(Cell<Option<io::ErrorKind>>, File);

impl FileExt for Failing {
    fn read_at(&self, buffer: &mut [u8], at: u64) -> io::Result<usize> {
        self.0.take().map_or_else(|| self.1.read_at(buffer, at), |kind| Err(kind.into()))
    }

    fn write_at(&self, _: &[u8], _: u64) -> io::Result<usize> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

fn lists_in(folder: &Path) -> ListFolder {
    super::lists_in(folder, |path| path.ends_with("own")).unwrap()
}

fn names(found: &ListFolder) -> Vec<&str> {
    found.lists.iter().map(|list| list.path.file_name().unwrap().to_str().unwrap()).collect()
}

#[test]
fn only_lists_are_lists() {
    let folder = tempfile::tempdir().unwrap();
    let lists = ["#hashtags", "american-english", "c#", "cracklib-small", "web2.gz"];
    let others = [
        "README.select-wordlist",
        "readme",
        ".hidden",
        "words~",
        "words.bak",
        "words.dpkg-old",
        "words.rpmsave",
        "#words#",
        "words.swp",
    ];
    for name in lists.iter().chain(&others) {
        fs::write(folder.path().join(name), "word\n").unwrap();
    }
    std::os::unix::fs::symlink("american-english", folder.path().join("words")).unwrap();
    fs::create_dir(folder.path().join("sub")).unwrap();
    let found = lists_in(folder.path());
    assert_eq!(names(&found), lists);
    assert_eq!((found.others.len(), found.refused.len()), (others.len() + 2, 0));
    let reason =
        |name: &str| found.others.iter().find(|skip| skip.file.ends_with(name)).unwrap().reason.clone();
    assert_eq!((reason("/words"), reason("/sub")), ("is a symbolic link".into(), "is a folder".into()));
}

#[test]
fn a_dictionary_of_a_relative_folder_has_its_rules() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("xx.dic"), "1\nzebra/S\n").unwrap();
    fs::write(folder.path().join("xx.aff"), "SFX S Y 1\nSFX S 0 land .\n").unwrap();
    let up = std::env::current_dir().unwrap().components().skip(1).map(|_| "..").collect::<PathBuf>();
    let found = lists_in(&up.join(folder.path().strip_prefix("/").unwrap()));
    let lists: Vec<_> = found.lists.iter().map(|list| list.affixes.is_some()).collect();
    assert_eq!((lists, found.refused.len()), (vec![true], 0));
}

#[test]
fn what_others_may_write_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    for (name, mode) in [("good", 0o644), ("shared", 0o664), ("open", 0o666), ("own", 0o666)] {
        fs::write(folder.path().join(name), "word\n").unwrap();
        fs::set_permissions(folder.path().join(name), fs::Permissions::from_mode(mode)).unwrap();
    }
    let found = lists_in(folder.path());
    let refused: Vec<_> = found.refused.iter().map(|(list, error)| (error.act, list.clone())).collect();
    let expected = ["open", "shared"].map(|name| (Act::OthersMayWrite, folder.path().join(name)));
    assert_eq!((names(&found), refused), (vec!["good"], expected.to_vec()));
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o775)).unwrap();
    let error = super::lists_in(folder.path(), |_| false).err().unwrap();
    assert_eq!((error.act, error.path.as_path()), (Act::OthersMayWrite, folder.path()));
}

/// The path of a list is compared with the recorded paths, character by character.
#[test]
fn a_list_that_is_refused_has_the_path_that_names_it() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("open"), "word\n").unwrap();
    fs::set_permissions(folder.path().join("open"), fs::Permissions::from_mode(0o666)).unwrap();
    let found = lists_in(&folder.path().join("."));
    let path = |(list, _): &(PathBuf, StorageError)| list.as_os_str().to_owned();
    assert_eq!(
        found.refused.iter().map(path).collect::<Vec<_>>(),
        [folder.path().join("./open").into_os_string()]
    );
    for (named, act) in
        [("open", Act::OthersMayWrite), ("none/list", Act::Open), ("open/list", Act::NotRegular)]
    {
        let named = folder.path().join(named);
        assert_eq!(list_at(&named).err().unwrap().act, act);
    }
}

#[test]
fn a_fingerprint_is_of_names_contents_and_settings() {
    let folder = tempfile::tempdir().unwrap();
    let of = |settings: &str, files: &[&str]| {
        let mut fingerprint = Fingerprint::new(settings);
        let found = lists_in(folder.path());
        for list in found.lists.iter().filter(|list| files.iter().any(|name| list.path.ends_with(name))) {
            fingerprint.add_list(list);
        }
        fingerprint.finish()
    };
    fs::write(folder.path().join("a"), "one").unwrap();
    fs::write(folder.path().join("b"), "one").unwrap();
    let first = of("s", &["a"]);
    assert_eq!(of("s", &["a"]), first);
    assert!(of("t", &["a"]) != first && of("s", &["b"]) != first && of("s", &["a", "b"]) != first);
    fs::write(folder.path().join("a"), "two").unwrap();
    assert_ne!(of("s", &["a"]), first);
}

/// A new version of the program may bring another list.
#[test]
fn a_fingerprint_is_of_the_built_in_list() {
    let of = |lists: &[&str]| {
        let mut fingerprint = Fingerprint::new("s");
        for list in lists {
            fingerprint.add_bytes(list.as_bytes());
        }
        fingerprint.finish()
    };
    assert_eq!(of(&["one"]), of(&["one"]));
    assert!(of(&["one"]) != of(&["two"]) && of(&["one"]) != of(&[]));
}

/// A half-read list has no fingerprint, and an interruption is not a fault of the file.
#[test]
fn a_fault_of_reading_is_no_content_and_an_interruption_is_no_fault() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("list");
    fs::write(&path, "word\n").unwrap();
    let failing = |kind| Failing(Cell::new(Some(kind)), File::open(&path).unwrap());
    let whole = content(&File::open(&path).unwrap()).unwrap();
    assert_eq!(content(&failing(io::ErrorKind::Interrupted)).unwrap(), whole);
    for kind in [io::ErrorKind::UnexpectedEof, io::ErrorKind::PermissionDenied, io::ErrorKind::Other] {
        assert_eq!(content(&failing(kind)).unwrap_err().kind(), kind);
    }
}
