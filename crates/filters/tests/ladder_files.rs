//! A ladder on disk: made, opened, refused, recorded in, remembered per account.

use std::fs;
use std::os::unix::fs::{FileExt, PermissionsExt};
use std::path::Path;

use nearmiss_filters::chunks::chunks;
use nearmiss_filters::ladder::LadderFiles;
use nearmiss_filters::ladder::{
    AccountChoice, BitStore, ChosenLadder, Claim, Cost, HeaderError, LadderError, NewLadder, Params, Setter,
    create, ones, open_array,
};
use nearmiss_filters::storage::{Act, FolderLock};

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
    stamps: 256,
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
    for file in [&place.files.file, &place.files.key] {
        assert_eq!(mode(file.parent().unwrap()), 0o700);
    }
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
fn bits_are_set_and_cleared_in_the_file_and_nowhere_outside_the_array() {
    let (place, _) = made(&SMALL);
    let (header, bits) = open_array(&place.files.file).unwrap().unwrap();
    let count = header.params.bits() / 8;
    assert_eq!(bits.byte_count(), count);
    let in_file = |byte: u64| fs::read(&place.files.file).unwrap()[4096 + usize::try_from(byte).unwrap()];
    for byte in [0, count - 1] {
        let old = in_file(byte);
        assert_eq!((bits.set(byte, 0x18).unwrap(), in_file(byte)), (old, old | 0x18));
        assert_eq!((bits.clear(byte, 0x10).unwrap(), in_file(byte)), (old | 0x18, (old | 0x18) & !0x10));
        assert_eq!(bits.load(byte).unwrap(), in_file(byte));
    }
    assert!(bits.load(count).is_err() && bits.set(count, 1).is_err() && bits.clear(count, 1).is_err());
    fs::remove_file(&place.files.file).unwrap();
    assert!(open_array(&place.files.file).unwrap().is_none());
}

#[test]
fn a_key_that_cannot_be_used_is_never_replaced() {
    let place = place();
    create(&place.files, &SMALL, false).unwrap();
    let key = fs::read(&place.files.key).unwrap();
    fs::set_permissions(&place.files.key, fs::Permissions::from_mode(0o644)).unwrap();
    let error = create(&place.files, &SMALL, true).unwrap_err();
    assert!(matches!(&error, LadderError::Storage(error) if error.act == Act::OthersMayRead), "{error}");
    assert_eq!(fs::read(&place.files.key).unwrap(), key);
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
fn a_readable_resized_or_lost_array_is_an_error() {
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
    fs::remove_file(&moved).unwrap();
    let LadderError::Storage(error) = refusal(&place.files) else { panic!() };
    assert_eq!(error.act, Act::DanglingLink);
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

/// The height of a password.
fn height(ladder: &ChosenLadder, password: &[u8]) -> u32 {
    ladder.height(&ladder.element(password).unwrap()).unwrap()
}

/// 64 rungs, one step a choice: heights can be counted in choices.
fn tall() -> (Place, ChosenLadder) {
    made(&NewLadder { params: Params::new(1 << 22, 64, 64, 1).unwrap(), ..SMALL })
}

const TODAY: u64 = 20_000;

fn count(ladder: &ChosenLadder, password: &[u8], account: &str, field: Option<&str>, day: u64) -> Claim {
    count_by(ladder, Setter::Owner, password, account, field, day)
}

fn count_by(
    ladder: &ChosenLadder,
    by: Setter,
    password: &[u8],
    account: &str,
    field: Option<&str>,
    day: u64,
) -> Claim {
    let choice =
        AccountChoice { account: account.as_bytes(), shadow_field: field.map(str::as_bytes), day, by };
    ladder.count(password, &choice).unwrap()
}

/// The commonest first change: root gives a password, its owner changes it the same day. Both count, and no
/// number of further changes of that day does, whoever makes them.
#[test]
fn a_first_password_of_root_and_the_owners_own_count_both_on_one_day() {
    let (_place, ladder) = tall();
    let heights = || [b"first".as_slice(), b"own"].map(|password| height(&ladder, password));
    let before = heights();
    let roots = |field: &str, day| count_by(&ladder, Setter::Root, b"first", "alice", Some(field), day);
    let owners = |field: &str, day| count(&ladder, b"own", "alice", Some(field), day);
    assert_eq!([roots("$y$1", TODAY), owners("$y$2", TODAY)], [Claim::Granted; 2]);
    for turn in 3..13 {
        assert_eq!(owners(&format!("$y${turn}o"), TODAY), Claim::Today);
        assert_eq!(roots(&format!("$y${turn}r"), TODAY), Claim::Today);
    }
    assert_eq!(heights(), before.map(|height| height + 1));
    for day in 1..=5 {
        assert_eq!(owners(&format!("$y$later{day}"), TODAY + day), Claim::Granted);
        assert_eq!(owners(&format!("$y$again{day}"), TODAY + day), Claim::Today);
    }
    assert_eq!(heights(), [before[0] + 1, before[1] + 6]);
}

#[test]
fn ten_changes_of_one_account_count_once_and_ten_accounts_ten_times() {
    let (_place, ladder) = tall();
    for (account, field) in [("alice", Some("$y$")), ("of-a-directory", None)] {
        let before = height(&ladder, account.as_bytes());
        let claims: Vec<Claim> = (0..10)
            .map(|turn| {
                let field = field.map(|field| format!("{field}{turn}"));
                count(&ladder, account.as_bytes(), account, field.as_deref(), TODAY)
            })
            .collect();
        assert_eq!((claims[0], &claims[1..]), (Claim::Granted, &[Claim::Today; 9][..]));
        assert_eq!(height(&ladder, account.as_bytes()), before + 1);
    }
    let before = height(&ladder, b"of many");
    for account in 0..10 {
        let account = format!("account {account}");
        assert_eq!(count(&ladder, b"of many", &account, Some("$y$"), TODAY), Claim::Granted);
    }
    assert_eq!(height(&ladder, b"of many"), before + 10);
    // One account on ten days.
    let before = height(&ladder, b"of one");
    for day in 1..=10 {
        let field = format!("$y${day}");
        assert_eq!(count(&ladder, b"of one", "alice", Some(&field), TODAY + day), Claim::Granted);
    }
    assert_eq!(height(&ladder, b"of one"), before + 10);
}

/// Changes and logins in turn: they share the account's one count of the day.
#[test]
fn what_was_left_out_today_is_counted_by_a_login_on_a_later_day() {
    let (place, ladder) = tall();
    let before = height(&ladder, b"second");
    assert_eq!(count(&ladder, b"first", "alice", Some("$y$1"), TODAY), Claim::Granted);
    for _ in 0..5 {
        // The change, then a login.
        assert_eq!(count(&ladder, b"second", "alice", Some("$y$2"), TODAY), Claim::Today);
        assert_eq!(count(&ladder, b"second", "alice", Some("$y$2"), TODAY), Claim::Today);
    }
    assert_eq!(height(&ladder, b"second"), before);
    let later = ChosenLadder::open(&place.files).unwrap().unwrap();
    assert_eq!(count(&later, b"second", "alice", Some("$y$2"), TODAY + 1), Claim::Granted);
    for day in 1..30 {
        assert_eq!(count(&later, b"second", "alice", Some("$y$2"), TODAY + day), Claim::Counted);
    }
    assert_eq!(height(&ladder, b"second"), before + 1);
    assert_eq!(later.stamped_accounts().unwrap(), 1);
}

#[test]
fn an_account_without_room_for_a_stamp_is_not_counted() {
    let (_place, ladder) = tall();
    for account in 0..256 {
        assert_eq!(count(&ladder, b"x", &account.to_string(), Some("$y$"), TODAY), Claim::Granted);
    }
    assert_eq!(ladder.stamped_accounts().unwrap(), 256);
    let before = height(&ladder, b"rare");
    assert_eq!(count(&ladder, b"rare", "one more", Some("$y$"), TODAY), Claim::NoRoom);
    assert_eq!(count(&ladder, b"rare", "one more", None, TODAY), Claim::NoRoom);
    assert_eq!(height(&ladder, b"rare"), before);
    assert_eq!(count(&ladder, b"rare", "7", Some("$y$new"), TODAY + 1), Claim::Granted);
    let (_place, without) = made(&NewLadder { stamps: 0, ..SMALL });
    assert_eq!(count(&without, b"rare", "alice", Some("$y$"), TODAY), Claim::NoRoom);
}

#[test]
fn of_many_processes_of_one_account_at_once_one_takes_the_steps() {
    let (_place, ladder) = made(&NewLadder { stamps: 8192, ..SMALL });
    for account in 0_u32..50 {
        let account = account.to_string();
        let granted = std::thread::scope(|scope| {
            let count = |field: String| {
                let account = &account;
                let ladder = &ladder;
                move || count(ladder, b"x", account, Some(&field), TODAY) == Claim::Granted
            };
            let threads: Vec<_> = (0..4).map(|turn| scope.spawn(count(format!("$6${}", turn % 2)))).collect();
            threads.into_iter().map(|thread| usize::from(thread.join().unwrap())).sum::<usize>()
        });
        assert_eq!(granted, 1);
    }
    assert_eq!(ladder.stamped_accounts().unwrap(), 50);
}

/// What another user can see without the key, in two copies of the file: that an account counted. Not the
/// day, nor that two accounts did so on the same one, nor that a field is the same.
#[test]
fn no_day_stands_in_the_file() {
    let (place, ladder) = made(&SMALL);
    for account in ["alice", "bob", "carol"] {
        count(&ladder, b"x", account, Some("$y$"), TODAY);
    }
    let bytes = fs::read(&place.files.file).unwrap();
    let words = chunks(&bytes[4096 + 8192..]).0.iter().map(|word| u64::from_le_bytes(*word));
    let words: Vec<u64> = words.filter(|word| *word != 0).collect();
    assert_eq!(words.len(), 6);
    let marks = words.iter().skip(1).step_by(2);
    let days: std::collections::HashSet<u64> = marks.clone().map(|mark| mark & 0xffff_ffff).collect();
    assert!(days.len() > 1, "equal days look different");
    let hashes = words.iter().step_by(2).flat_map(|name| [name >> 32, name & 0xffff_ffff]);
    let hashes: std::collections::HashSet<u64> = hashes.chain(marks.map(|mark| mark >> 32)).collect();
    assert_eq!(hashes.len(), 9, "nothing is twice there");
    assert!(hashes.is_disjoint(&[TODAY, TODAY * 86_400].into()));
}

#[test]
fn a_ladder_that_another_process_is_making_is_left_alone() {
    let place = place();
    create(&place.files, &SMALL, false).unwrap();
    let before = [&place.files.file, &place.files.key].map(|path| fs::read(path).unwrap());
    for file in [&place.files.file, &place.files.key] {
        let _lock = FolderLock::of(&[file]).unwrap();
        let Err(LadderError::Storage(error)) = create(&place.files, &SMALL, true) else { panic!() };
        assert_eq!(error.act, Act::Busy);
    }
    assert_eq!(before, [&place.files.file, &place.files.key].map(|path| fs::read(path).unwrap()));
    assert!(create(&place.files, &SMALL, true).is_ok());
    // Both in one folder: not in its own way.
    let folder = place.folder.path().join("one");
    create(&LadderFiles { file: folder.join("l"), key: folder.join("k") }, &SMALL, false).unwrap();
}
