use std::{fs, os::unix::fs::PermissionsExt};

use rustix::{
    fs::{Mode, fcntl_getfl, mknodat},
    io::{FdFlags, fcntl_getfd},
};

use super::{super::in_time, *};

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

fn open_for_update(path: &Path) -> File {
    Walk::default().open_for_update(path).unwrap().file
}

fn act_of(result: Result<File, StorageError>) -> Act {
    result.unwrap_err().act
}

#[test]
fn reads_what_passes_the_walk() {
    let dir = folder();
    let path = dir.path().join("good");
    fs::write(&path, "bytes").unwrap();
    assert_eq!(read_trusted(&path, 5).unwrap(), b"bytes");
    assert_eq!(read_trusted(&path, 6).unwrap(), b"bytes");
    assert_eq!(read_trusted(&path, 4).unwrap_err().act, Act::TooLarge);
}

#[test]
fn refuses_relative_paths_and_folders() {
    assert_eq!(act_of(open_trusted(Path::new("etc/passwd"))), Act::NotAbsolute);
    assert_eq!(act_of(open_trusted(Path::new(""))), Act::NotAbsolute);
    for folder in ["/", "/etc", "/etc/..", "/.."] {
        assert_eq!(act_of(open_trusted(Path::new(folder))), Act::NotRegular, "{folder}");
    }
}

#[test]
fn refuses_folders_and_pipes() {
    let dir = folder();
    assert_eq!(act_of(open_trusted(dir.path())), Act::NotRegular);
    let file = dir.path().join("file");
    fs::write(&file, "x").unwrap();
    assert_eq!(act_of(open_trusted(&file.join("below"))), Act::NotRegular);
    let pipe = dir.path().join("pipe");
    mknodat(CWD, &pipe, FileType::Fifo, Mode::RUSR, 0).unwrap();
    assert_eq!(in_time(move || act_of(open_trusted(&pipe))), Act::NotRegular);
}

#[test]
fn a_file_is_opened_without_waiting_and_as_what_was_asked_for() {
    let dir = folder();
    let path = dir.path().join("file");
    fs::write(&path, "x").unwrap();
    let flags = |file: File| fcntl_getfl(file).unwrap();
    let (read, update) = (flags(open_trusted(&path).unwrap()), flags(open_for_update(&path)));
    assert!(read.contains(OFlags::NONBLOCK) && update.contains(OFlags::NONBLOCK | OFlags::RDWR));
    assert!(!read.contains(OFlags::RDWR));
}

/// A walk for which this is the root.
fn walk_from(root: &Path) -> Result<(), StorageError> {
    let root = OwnedFd::from(File::open(root).unwrap());
    let walk = Walk::default();
    let open = || Ok(root.try_clone().unwrap());
    walk.once(Path::new("/"), &open).and_then(|_| walk.way(Path::new("/sub"), None)).map(drop)
}

#[test]
fn the_root_is_checked_as_every_other_folder() {
    let dir = folder();
    fs::create_dir(dir.path().join("sub")).unwrap();
    assert!(walk_from(dir.path()).is_ok());
    fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o777)).unwrap();
    let error = walk_from(dir.path()).unwrap_err();
    assert_eq!((error.act, error.path.as_path()), (Act::OthersMayWrite, Path::new("/")));
    let file = dir.path().join("file");
    fs::write(&file, "x").unwrap();
    assert_eq!(walk_from(&file).unwrap_err().act, Act::NotRegular);
}

#[test]
fn a_folder_is_walked_to_once_and_a_refused_one_each_time() {
    let dir = folder();
    let [one, two] = ["one", "two"].map(|name| dir.path().join("sub").join(name));
    fs::create_dir(dir.path().join("sub")).unwrap();
    for file in [&one, &two] {
        fs::write(file, file.as_os_str().as_encoded_bytes()).unwrap();
    }
    let loose = |mode| fs::set_permissions(dir.path(), fs::Permissions::from_mode(mode)).unwrap();
    let walk = Walk::default();
    loose(0o777);
    assert_eq!(walk.open(&one).unwrap_err().act, Act::OthersMayWrite);
    assert_eq!(walk.open(&one).unwrap_err().act, Act::OthersMayWrite, "nothing of it is remembered");
    loose(0o755);
    assert!(walk.open(&one).is_ok());
    // The folder that was checked is the one the next file is opened in, wherever its name leads by now.
    fs::rename(dir.path().join("sub"), dir.path().join("moved")).unwrap();
    assert_eq!(walk.read(&two, 1000).unwrap(), two.as_os_str().as_encoded_bytes());
    let count = walk.folders.lock().unwrap().len();
    walk.forget();
    assert!(walk.open(&two).unwrap_err().is_missing());
    assert_eq!(walk.folders.lock().unwrap().len(), count - 1, "all but the one that is gone");
}

#[test]
fn an_opened_file_is_what_it_was_when_it_was_checked() {
    let dir = folder();
    let path = dir.path().join("file");
    fs::write(&path, "bytes").unwrap();
    for (mode, is_private, access) in
        [(0o600, true, Access::Private), (0o604, false, Access::Public), (0o610, false, Access::Private)]
    {
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        let trusted = Walk::default().open(&path).unwrap();
        assert_eq!((trusted.length, trusted.access), (5, access));
        assert_eq!(
            trusted.refuse_others(&path).map_err(|error| error.act).err(),
            (!is_private).then_some(Act::OthersMayRead)
        );
    }
}

#[test]
fn refuses_what_others_may_write() {
    let dir = folder();
    let path = dir.path().join("loose");
    fs::write(&path, "x").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o666)).unwrap();
    assert_eq!(act_of(open_trusted(&path)), Act::OthersMayWrite);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
    fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o777)).unwrap();
    assert_eq!(act_of(open_trusted(&path)), Act::OthersMayWrite);
}

#[test]
fn a_sticky_folder_is_trusted_and_a_sticky_file_is_not() {
    let dir = folder();
    let path = dir.path().join("file");
    fs::write(&path, "x").unwrap();
    fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o1777)).unwrap();
    assert!(open_trusted(&path).is_ok());
    for mode in [0o1666, 0o620, 0o602] {
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        assert_eq!(act_of(open_trusted(&path)), Act::OthersMayWrite, "{mode:o}");
    }
}

#[test]
fn root_and_the_own_user_are_trusted_and_nobody_else() {
    for (owner, own, is_trusted) in
        [(0, 0, true), (0, 7, true), (7, 7, true), (7, 0, false), (7, 8, false), (u32::MAX, 0, false)]
    {
        assert_eq!(is_trusted_owner(owner, own), is_trusted, "{owner} {own}");
    }
}

#[test]
fn folders_are_opened_as_places_only_and_nothing_stays_open_in_a_child() {
    let dir = folder();
    let path = dir.path().join("file");
    fs::write(&path, "x").unwrap();
    let root = open_root().unwrap();
    let etc = enter(&root, Path::new("/etc")).unwrap();
    for place in [&root, &etc] {
        assert!(fcntl_getfl(place).unwrap().contains(OFlags::PATH));
        assert!(fcntl_getfd(place).unwrap().contains(FdFlags::CLOEXEC));
    }
    for file in [open_trusted(&path).unwrap(), open_for_update(&path)] {
        assert!(fcntl_getfd(&file).unwrap().contains(FdFlags::CLOEXEC));
    }
}

#[test]
fn says_that_a_file_is_missing() {
    let error = open_trusted(&folder().path().join("none")).unwrap_err();
    assert!(error.is_missing());
    assert!(error.to_string().contains("cannot be opened"), "{error}");
}

#[test]
fn nobody_waits_for_a_thread_that_holds_the_folders() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    fs::write(&path, "content").unwrap();
    let walk = Walk::default();
    // As in a child forked while another thread held them.
    let held = walk.folders.try_lock().unwrap();
    assert_eq!(walk.read(&path, 100).unwrap(), b"content");
    walk.forget();
    assert!(held.is_empty());
    drop(held);
    assert_eq!(walk.read(&path, 100).unwrap(), b"content");
    assert!(!walk.folders.try_lock().unwrap().is_empty());
}
