//! A ladder on disk: made, opened, refused, recorded in, remembered per account.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "a test may fail loudly"
)]

use std::fs;
use std::os::unix::fs::{FileExt, PermissionsExt};
use std::path::Path;

use nearmiss_filters::ladder::LadderFiles;
use nearmiss_filters::ladder::{
    BitStore, ChosenLadder, Cost, HeaderError, LadderError, NewLadder, Params, create, ones,
};
use nearmiss_filters::storage::Act;

struct Place {
    folder: tempfile::TempDir,
    files: LadderFiles,
}

fn place() -> Place {
    let folder = tempfile::tempdir().unwrap();
    let files =
        LadderFiles { file: folder.path().join("state/l.ladder"), key: folder.path().join("etc/l.key") };
    Place { folder, files }
}

const SMALL: NewLadder = NewLadder {
    params: match Params::new(1 << 16, 16, 16, 2) {
        Ok(params) => params,
        Err(_) => panic!(),
    },
    cost: None,
    stamps: 512,
};

/// A small ladder with a quick slow hash, open.
fn made(new: &NewLadder) -> (Place, ChosenLadder) {
    let place = place();
    create(&place.files, new, false).unwrap();
    let ladder = ChosenLadder::open(&place.files).unwrap().unwrap();
    (place, ladder)
}

fn refusal(files: &LadderFiles) -> LadderError {
    match ChosenLadder::open(files) {
        Err(error) => error,
        Ok(_) => panic!("the ladder was opened"),
    }
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

#[test]
fn a_ladder_that_was_never_made_is_off() {
    let place = place();
    assert!(ChosenLadder::open(&place.files).unwrap().is_none());
    fs::create_dir(place.folder.path().join("state")).unwrap();
    assert!(ChosenLadder::open(&place.files).unwrap().is_none());
}

#[test]
fn a_new_ladder_is_private_allocated_and_half_ones() {
    let new = NewLadder { params: Params::new(1 << 22, 16, 16, 2).unwrap(), ..SMALL };
    let (place, ladder) = made(&new);
    assert_eq!((mode(&place.files.file), mode(&place.files.key)), (0o600, 0o600));
    assert_eq!(mode(place.files.file.parent().unwrap()), 0o700);
    let metadata = fs::metadata(&place.files.file).unwrap();
    assert_eq!(metadata.len(), 4096 + (1 << 19) + 4096);
    assert!(std::os::unix::fs::MetadataExt::blocks(&metadata) * 512 >= metadata.len());
    let bits = ladder.ladder().bits();
    let count = ones(bits, 0, bits.byte_count()).unwrap();
    // Six standard deviations of 1,024.
    assert!(count.abs_diff(1 << 21) < 6144, "{count}");
    assert!(ladder.header().created > 1_600_000_000);
}

#[test]
fn a_ladder_is_replaced_only_on_demand_and_keeps_its_key() {
    let (place, ladder) = made(&SMALL);
    assert!(matches!(create(&place.files, &SMALL, false), Err(LadderError::Exists { .. })));
    let key = fs::read(&place.files.key).unwrap();
    let again = create(&place.files, &SMALL, true).unwrap();
    assert_eq!(fs::read(&place.files.key).unwrap(), key);
    assert_ne!(again.id, ladder.header().id);
    // The old map still shows the old file.
    assert!(ladder.height(&ladder.element(b"x").unwrap()).is_ok());
}

#[test]
fn parameters_a_file_cannot_have_make_no_file() {
    let place = place();
    for new in [
        NewLadder { params: Params::new(1 << 14, 16, 16, 2).unwrap(), ..SMALL },
        NewLadder { stamps: 100, ..SMALL },
    ] {
        assert!(matches!(create(&place.files, &new, false), Err(LadderError::File { .. })));
        assert!(!place.files.file.exists());
    }
}

#[test]
fn passwords_become_too_common_and_stay_so_for_the_next_process() {
    let (place, ladder) = made(&NewLadder {
        params: Params::new(1 << 24, 16, 16, 2).unwrap(),
        cost: Cost::new(64, 1),
        ..SMALL
    });
    let element = ladder.element(b"Tr0ub4dor&3").unwrap();
    let start = ladder.height(&element).unwrap();
    assert!(!ladder.is_too_common(&element).unwrap() || start == 16);
    assert_eq!(ladder.record(&element).unwrap(), start);
    for _ in 0..8 {
        ladder.record(&element).unwrap();
    }
    let other = ChosenLadder::open(&place.files).unwrap().unwrap();
    assert!(other.is_too_common(&other.element(b"Tr0ub4dor&3").unwrap()).unwrap());
    let element = other.element(b"Tr0ub4dor&4").unwrap();
    assert!(other.height(&element).unwrap() < 16);
    assert_eq!(other.step(&element, 0, &mut nearmiss_filters::ladder::SystemRandom).unwrap(), None);
}

#[test]
fn checking_and_refusing_change_no_bit() {
    let (place, ladder) = made(&SMALL);
    let before = fs::read(&place.files.file).unwrap();
    for password in 0_u32..500 {
        ladder.is_too_common(&ladder.element(&password.to_le_bytes()).unwrap()).unwrap();
        ladder.is_recorded(&password.to_le_bytes(), b"$y$...").unwrap();
    }
    assert_eq!(fs::read(&place.files.file).unwrap(), before);
}

#[test]
fn a_missing_foreign_or_readable_key_is_an_error() {
    let (place, _) = made(&SMALL);
    let key = fs::read(&place.files.key).unwrap();
    fs::remove_file(&place.files.key).unwrap();
    let LadderError::Storage(error) = refusal(&place.files) else { panic!() };
    assert!(error.is_missing());
    nearmiss_filters::ladder::create_key(&place.files.key).unwrap();
    let error = refusal(&place.files);
    assert!(matches!(error, LadderError::OtherKey { .. }), "{error}");
    fs::write(&place.files.key, key).unwrap();
    fs::set_permissions(&place.files.key, fs::Permissions::from_mode(0o644)).unwrap();
    let LadderError::Storage(error) = refusal(&place.files) else { panic!() };
    assert_eq!(error.act, Act::OthersMayRead);
}

#[test]
fn a_readable_linked_or_resized_array_is_an_error() {
    let (place, _) = made(&SMALL);
    fs::set_permissions(&place.files.file, fs::Permissions::from_mode(0o604)).unwrap();
    let LadderError::Storage(error) = refusal(&place.files) else { panic!() };
    assert_eq!(error.act, Act::OthersMayRead);
    fs::set_permissions(&place.files.file, fs::Permissions::from_mode(0o600)).unwrap();

    let length = fs::metadata(&place.files.file).unwrap().len();
    let file = fs::OpenOptions::new().write(true).open(&place.files.file).unwrap();
    for wrong in [0, 1, 4095, 4096, length - 1, length + 1] {
        file.set_len(wrong).unwrap();
        let error = refusal(&place.files);
        assert!(matches!(error, LadderError::File { .. }), "{wrong}: {error}");
    }
    let moved = place.folder.path().join("moved");
    fs::rename(&place.files.file, &moved).unwrap();
    std::os::unix::fs::symlink(&moved, &place.files.file).unwrap();
    let LadderError::Storage(error) = refusal(&place.files) else { panic!() };
    assert_eq!(error.act, Act::NotRegular);
}

#[test]
fn a_damaged_header_is_an_error_and_a_damaged_bit_is_none() {
    let (place, ladder) = made(&SMALL);
    let file = fs::OpenOptions::new().read(true).write(true).open(&place.files.file).unwrap();
    let mut byte = [0];
    file.read_exact_at(&mut byte, 5000).unwrap();
    file.write_all_at(&[!byte[0]], 5000).unwrap();
    assert!(ChosenLadder::open(&place.files).unwrap().is_some());
    file.write_all_at(b"?", 33).unwrap();
    let LadderError::File { problem, .. } = refusal(&place.files) else { panic!() };
    assert!(matches!(problem, HeaderError::Params(_)), "{problem}");
    drop(ladder);
}

#[test]
fn stamps_follow_the_shadow_field() {
    let (place, ladder) = made(&SMALL);
    assert!(!ladder.is_recorded(b"alice", b"$y$1").unwrap());
    assert!(ladder.mark_recorded(b"alice", b"$y$1").unwrap());
    assert!(!ladder.mark_recorded(b"alice", b"$y$1").unwrap());
    let other = ChosenLadder::open(&place.files).unwrap().unwrap();
    assert!(other.is_recorded(b"alice", b"$y$1").unwrap());
    assert!(!other.is_recorded(b"alice", b"$y$2").unwrap());
    assert!(!other.is_recorded(b"bob", b"$y$1").unwrap());
    assert!(other.mark_recorded(b"alice", b"$y$2").unwrap());
    assert!(!other.is_recorded(b"alice", b"$y$1").unwrap());
    assert_eq!(other.stamped_accounts().unwrap(), 1);
}

#[test]
fn nobody_is_backfilled_at_every_login_when_there_is_no_room() {
    let (_place, ladder) = made(&SMALL);
    for account in 0_u32..512 {
        assert!(ladder.mark_recorded(&account.to_le_bytes(), b"$y$").unwrap());
    }
    assert_eq!(ladder.stamped_accounts().unwrap(), 512);
    assert!(ladder.is_recorded(b"one more", b"$y$").unwrap());
    assert!(!ladder.mark_recorded(b"one more", b"$y$").unwrap());
    assert!(ladder.is_recorded(&7_u32.to_le_bytes(), b"$y$").unwrap());
    let (_place, without) = made(&NewLadder { stamps: 0, ..SMALL });
    assert!(without.is_recorded(b"alice", b"$y$").unwrap());
}

#[test]
fn of_many_logins_at_once_one_takes_the_steps() {
    let (_place, ladder) = made(&NewLadder { stamps: 8192, ..SMALL });
    for account in 0_u32..50 {
        let marks = std::thread::scope(|scope| {
            let mark = || ladder.mark_recorded(&account.to_le_bytes(), b"$6$x").unwrap();
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(mark)).collect();
            threads.into_iter().map(|thread| usize::from(thread.join().unwrap())).sum::<usize>()
        });
        assert_eq!(marks, 1);
    }
    assert_eq!(ladder.stamped_accounts().unwrap(), 50);
}
