use std::{fs, os::unix::fs::MetadataExt};

use super::*;

#[test]
fn replaces_only_at_commit() {
    let dir = tempfile::tempdir().unwrap();
    let target = dir.path().join("file");
    fs::write(&target, "old").unwrap();
    let mut new = Replacement::create(&target, Access::Public).unwrap();
    new.write(b"new").unwrap();
    assert_eq!(fs::read(&target).unwrap(), b"old");
    new.commit().unwrap();
    assert_eq!(fs::read(&target).unwrap(), b"new");
    assert_eq!(fs::metadata(&target).unwrap().mode() & 0o777, 0o644);
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
}

#[test]
fn the_start_is_written_again_and_all_of_it_after_a_restart() {
    let dir = tempfile::tempdir().unwrap();
    let target = dir.path().join("file");
    let mut new = Replacement::create(&target, Access::Private).unwrap();
    new.write(b"a longer first try").unwrap();
    new.restart().unwrap();
    new.write(b"____ and").unwrap();
    new.write_start(b"head").unwrap();
    new.write(b" tail").unwrap();
    new.commit().unwrap();
    assert_eq!(fs::read(&target).unwrap(), b"head and tail");
}

#[test]
fn all_that_a_file_has_is_copied_behind_what_was_written() {
    let dir = tempfile::tempdir().unwrap();
    let target = dir.path().join("file");
    let length = usize::try_from(2 * BLOCK_BYTES + 1).unwrap();
    let content: Vec<u8> = (0_u8..=255).cycle().take(length).collect();
    let mut new = Replacement::create(&target, Access::Private).unwrap();
    new.write(b"head").unwrap();
    new.copy(content.as_slice()).unwrap();
    new.commit().unwrap();
    assert!(fs::read(&target).unwrap() == [b"head".as_slice(), &content].concat());
}

#[test]
fn nobody_else_reads_the_new_file_before_it_is_complete() {
    let dir = tempfile::tempdir().unwrap();
    let [target, temporary] = ["file", ".file.new"].map(|name| dir.path().join(name));
    fs::write(&temporary, "left by a killed writer").unwrap();
    Access::Public.allow(&File::open(&temporary).unwrap()).unwrap();
    let group = fs::metadata(&temporary).unwrap().gid();
    for (access, mode) in [(Access::Public, 0o644), (Access::Group(group), 0o640)] {
        let mut new = Replacement::create(&target, access).unwrap();
        new.write(b"new").unwrap();
        assert_eq!(fs::metadata(&temporary).unwrap().mode() & 0o7777, 0o600);
        new.commit().unwrap();
        let metadata = fs::metadata(&target).unwrap();
        assert_eq!((metadata.mode() & 0o7777, metadata.gid()), (mode, group));
    }
}

#[test]
fn what_was_created_meanwhile_stays_where_a_new_file_is_to_be() {
    let dir = tempfile::tempdir().unwrap();
    let target = dir.path().join("file");
    let new = |bytes: &[u8]| {
        let mut new = Replacement::create(&target, Access::Private).unwrap();
        new.write(bytes).unwrap();
        new
    };
    let (first, meanwhile) = (new(b"one"), || fs::write(&target, "meanwhile").unwrap());
    meanwhile();
    assert_eq!(first.commit_new().ok(), Some(false));
    assert_eq!(
        (fs::read(&target).unwrap(), fs::read_dir(dir.path()).unwrap().count()),
        (b"meanwhile".into(), 1)
    );
    fs::remove_file(&target).unwrap();
    assert_eq!(new(b"two").commit_new().ok(), Some(true));
    assert_eq!((fs::read(&target).unwrap(), fs::read_dir(dir.path()).unwrap().count()), (b"two".into(), 1));
}

#[test]
fn only_what_was_read_is_replaced() {
    let dir = tempfile::tempdir().unwrap();
    let [target, other] = ["file", "other"].map(|name| dir.path().join(name));
    fs::write(&target, "old").unwrap();
    let seen = Occupant::of(&target).unwrap();
    let new = Replacement::create(&target, Access::Private).unwrap();
    new.refuse_another(&seen).unwrap();
    fs::write(&other, "another").unwrap();
    fs::rename(&other, &target).unwrap();
    let refused = new.refuse_another(&seen).unwrap_err();
    assert_eq!((refused.act, refused.path), (Act::Replaced, target));
}

#[test]
fn leaves_nothing_behind_when_dropped() {
    let dir = tempfile::tempdir().unwrap();
    let target = dir.path().join("file");
    drop(Replacement::create(&target, Access::Public).unwrap());
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
}

#[test]
fn a_second_writer_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let target = dir.path().join("file");
    let _first = Replacement::create(&target, Access::Public).unwrap();
    assert_eq!(Replacement::create(&target, Access::Public).unwrap_err().act, Act::Busy);
}

#[test]
fn takes_over_what_a_killed_writer_left() {
    let dir = tempfile::tempdir().unwrap();
    let target = dir.path().join("file");
    fs::write(dir.path().join(".file.new"), "a long half-written rest").unwrap();
    let mut new = Replacement::create(&target, Access::Private).unwrap();
    new.write(b"new").unwrap();
    new.commit().unwrap();
    assert_eq!(fs::read(&target).unwrap(), b"new");
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
}

#[test]
fn others_may_read_it_only_when_it_is_complete() {
    let dir = tempfile::tempdir().unwrap();
    let [target, temporary] = ["file", ".file.new"].map(|name| dir.path().join(name));
    let mode = |path: &Path| fs::metadata(path).unwrap().mode() & 0o777;
    let mut new = Replacement::create(&target, Access::Public).unwrap();
    assert_eq!(mode(&temporary), 0o600);
    new.write(b"half").unwrap();
    assert_eq!(mode(&temporary), 0o600);
    new.commit().unwrap();
    assert_eq!(mode(&target), 0o644);
}

#[test]
fn a_temporary_file_that_was_renamed_meanwhile_replaces_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let [target, temporary, other] = ["file", ".file.new", "other"].map(|name| dir.path().join(name));
    fs::write(&target, "old").unwrap();
    let mut new = Replacement::create(&target, Access::Public).unwrap();
    new.write(b"new").unwrap();
    fs::rename(&temporary, &other).unwrap();
    fs::write(&temporary, "another's").unwrap();
    assert_eq!(new.commit().unwrap_err().act, Act::Displaced);
    assert_eq!(
        (fs::read(&target).unwrap(), fs::read(&temporary).unwrap()),
        (b"old".into(), b"another's".into())
    );
}

#[test]
fn refuses_a_folder_and_a_missing_folder() {
    let dir = tempfile::tempdir().unwrap();
    assert_eq!(Replacement::create(dir.path(), Access::Public).unwrap_err().act, Act::NotRegular);
    let nowhere = dir.path().join("none").join("file");
    assert_eq!(Replacement::create(&nowhere, Access::Public).unwrap_err().act, Act::Create);
}
