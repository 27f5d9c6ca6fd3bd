//! Descriptors, the questions made from them, and what is done without an agent.

use super::*;
use crate::ladder::file::array::{LadderFiles, NewLadder, create, open_array};
use crate::ladder::file::error::HeaderError;
use crate::ladder::file::header::HEADER_BYTES;
use crate::ladder::file::slow_hash::Cost;
use crate::ladder::structure::params::Params;

/// Seven days.
const WEEK: u64 = 604_800;

fn made(bits: u64, cost: Option<Cost>) -> (tempfile::TempDir, LadderFiles, Result<Header, LadderError>) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("e/fleet.ladder");
    let files = LadderFiles { key: FleetLadder::key_of(&file), file };
    let params = Params::new(bits, 48, 44, 1).unwrap();
    let header = create_descriptor(&files, &NewLadder { params, cost, stamps: 0 });
    (folder, files, header)
}

fn failure(account: &'static [u8]) -> FailureKey<'static> {
    FailureKey { account, password: b"Summer2026!x", network: b"" }
}

#[test]
fn a_descriptor_is_read_back_with_its_key_and_names_no_bits() {
    let (_folder, files, header) = made(1 << 33, None);
    let ladder = FleetLadder::open(&files.file).unwrap().unwrap();
    assert_eq!((ladder.header(), ladder.kind()), (&header.unwrap(), Kind::Guessed));
    assert_eq!(std::fs::metadata(&files.file).unwrap().len(), 4096);
    assert!(FleetLadder::open(&files.file.with_file_name("none.ladder")).unwrap().is_none());
    let again = create_descriptor(&files, &NewLadder { params: ladder.header.params, cost: None, stamps: 0 });
    assert!(matches!(again, Err(LadderError::Exists { .. })), "a fleet's key is never replaced");
    // What the ladder of one host is read by refuses it, and the other way round.
    let problem = |error: LadderError| match error {
        LadderError::File { problem, .. } => problem,
        other => panic!("{other}"),
    };
    assert_eq!(problem(open_array(&files.file).err().unwrap()), HeaderError::OfAFleet);
    let local = LadderFiles { file: files.file.with_file_name("local.ladder"), key: files.key.clone() };
    let params = Params::new(1 << 19, 48, 44, 1).unwrap();
    create(&local, &NewLadder { params, cost: None, stamps: 0 }, false).unwrap();
    assert_eq!(problem(FleetLadder::open(&local.file).err().unwrap()), HeaderError::NotOfAFleet);
}

/// A key would be as good as the passwords that are tried with it.
#[test]
fn what_is_shown_of_a_ladder_is_its_header() {
    let (_folder, files, header) = made(1 << 29, None);
    let ladder = FleetLadder::open(&files.file).unwrap().unwrap();
    assert_eq!(format!("{ladder:?}"), format!("FleetLadder {{ header: {:?}, .. }}", header.unwrap()));
}

#[test]
fn another_key_or_none_is_refused() {
    let (_folder, files, _) = made(1 << 29, None);
    let (_other_folder, other, _) = made(1 << 29, None);
    std::fs::copy(&other.key, &files.key).unwrap();
    assert!(matches!(FleetLadder::open(&files.file), Err(LadderError::OtherKey { .. })));
    std::fs::remove_file(&files.key).unwrap();
    assert!(matches!(FleetLadder::open(&files.file), Err(LadderError::Storage(error)) if error.is_missing()));
}

#[test]
fn what_a_fleet_cannot_have_is_not_made() {
    let (_folder, files, header) = made(1 << 18, None);
    assert!(matches!(header, Err(LadderError::File { problem: HeaderError::NotOfAFleet, .. })));
    assert!(!files.file.exists() && !files.key.exists());
}

#[test]
fn a_question_has_the_rungs_of_the_element_in_its_page() {
    let (_folder, files, _) = made(1 << 29, None);
    let ladder = FleetLadder::open(&files.file).unwrap().unwrap();
    let request = ladder.request(&Element::plain(b"Summer2026!x"), Op::Step);
    assert_eq!((request.places.len(), request.log_bits, request.steps), (48, 29, 1));
    assert_eq!(request.tag, ladder.header.id[..4]);
    let rungs = ladder.finder.rungs_of(b"Summer2026!x");
    let first_bit = u64::from(request.page) << 15;
    let bits: Vec<u64> = request.places.iter().map(|place| first_bit + u64::from(*place)).collect();
    let expected: Vec<u64> =
        rungs.places().map(|place| place.byte * 8 + u64::from(place.mask.trailing_zeros())).collect();
    assert_eq!(bits, expected);
    assert_eq!(Request::decode(&request.encode()), Some(request));
}

#[test]
fn a_failure_is_the_same_on_every_host_for_a_week() {
    let (_folder, files, _) = made(1 << 29, None);
    let [host, other] = [(), ()].map(|()| FleetLadder::open(&files.file).unwrap().unwrap());
    let op = host.observation(&failure(b"ann"), 3 * WEEK);
    assert_eq!(op, other.observation(&failure(b"ann"), 4 * WEEK - 1));
    assert_ne!(op, host.observation(&failure(b"ann"), 4 * WEEK));
    assert_ne!(op, host.observation(&failure(b"bob"), 3 * WEEK));
    let legal = |op| matches!(op, Op::Observe { bucket: 0..BUCKETS, fingerprint: 64..=127 });
    assert!((0..200).all(|week| legal(host.observation(&failure(b"ann"), week * WEEK))));
}

/// Failures that fall together are taken for one.
#[test]
fn failures_are_spread_over_the_buckets_and_the_fingerprints() {
    let (_folder, files, _) = made(1 << 29, None);
    let host = FleetLadder::open(&files.file).unwrap().unwrap();
    let [mut buckets, mut fingerprints] = [(), ()].map(|()| std::collections::HashSet::new());
    for week in 0..1_000 {
        let Op::Observe { bucket, fingerprint } = host.observation(&failure(b"ann"), week * WEEK) else {
            panic!("no observation")
        };
        buckets.insert(bucket);
        fingerprints.insert(u16::from(fingerprint));
    }
    assert!(buckets.len() > 500 && fingerprints.len() == 64, "{} {}", buckets.len(), fingerprints.len());
}

#[test]
fn a_host_joins_by_a_bundle_whose_key_fits() {
    let (folder, files, header) = made(1 << 29, Cost::new(64, 1));
    let bytes = Bundle::of(&files.file).unwrap().unwrap().encode();
    let source = Path::new("/bundle");
    let bundle = Bundle::decode(source, &bytes).unwrap();
    assert_eq!((bundle.kind(), bundle.header()), (Kind::Chosen, &header.unwrap()));
    let there = folder.path().join("h/fleet.ladder");
    assert!(bundle.join(&there, false).unwrap() && !bundle.join(&there, false).unwrap());
    let [ours, theirs] = [&files.file, &there].map(|file| FleetLadder::open(file).unwrap().unwrap());
    let element = Element::plain(b"x");
    assert_eq!(ours.request(&element, Op::Step), theirs.request(&element, Op::Step));
    // Another ladder gives way only where that is asked for.
    let (_other, others, _) = made(1 << 29, None);
    let other = Bundle::of(&others.file).unwrap().unwrap();
    assert!(matches!(other.join(&there, false), Err(LadderError::Exists { .. })));
    assert!(other.join(&there, true).unwrap());
    let folder = there.with_file_name("folder.ladder");
    std::fs::create_dir(&folder).unwrap();
    assert!(other.join(&folder, true).is_err() && !FleetLadder::key_of(&folder).exists());
    assert_eq!(FleetLadder::open(&there).unwrap().unwrap().kind(), Kind::Guessed);
    // Nothing that is cut, longer, changed or put together from two is taken.
    assert!((0..bytes.len()).all(|length| Bundle::decode(source, &bytes[..length]).is_err()));
    assert!(Bundle::decode(source, &[&bytes[..], &[0]].concat()).is_err());
    let mixed = [&bytes[..HEADER_BYTES], &other.encode()[HEADER_BYTES..]].concat();
    assert!(matches!(Bundle::decode(source, &mixed), Err(LadderError::OtherKey { .. })));
    for byte in 0..bytes.len() {
        let mut changed = bytes.to_vec();
        changed[byte] ^= 1;
        assert!(Bundle::decode(source, &changed).is_err(), "byte {byte}");
    }
}

/// Without its ladder a host counts nothing: it has one at each moment, whatever cannot be written.
#[test]
fn a_ladder_stays_until_the_one_that_replaces_it_is_written() {
    let (_folder, files, header) = made(1 << 29, None);
    let header = header.unwrap();
    let (_other, others, _) = made(1 << 29, None);
    let other = Bundle::of(&others.file).unwrap().unwrap();
    for name in [".fleet.key.new", ".fleet.ladder.new"] {
        let in_the_way = files.file.with_file_name(name);
        std::fs::create_dir(&in_the_way).unwrap();
        assert!(other.join(&files.file, true).is_err(), "{name}");
        let there = FleetLadder::open(&files.file).unwrap();
        assert_eq!(there.as_ref().map(FleetLadder::header), Some(&header), "{name}");
        std::fs::remove_dir(&in_the_way).unwrap();
    }
    assert!(other.join(&files.file, true).unwrap());
    assert_eq!(FleetLadder::open(&files.file).unwrap().unwrap().header(), other.header());
    assert_eq!(std::fs::read_dir(files.file.parent().unwrap()).unwrap().count(), 2);
}

/// What cannot be trusted is not taken for a fleet that was never joined: nobody would ask it any more.
#[test]
fn a_descriptor_that_others_may_write_is_an_error() {
    use std::{fs, os::unix::fs::PermissionsExt};

    let (_folder, files, _) = made(1 << 29, None);
    fs::set_permissions(&files.file, fs::Permissions::from_mode(0o666)).unwrap();
    let refused = FleetLadder::open(&files.file).map(|found| found.is_some());
    assert!(matches!(&refused, Err(LadderError::Storage(error)) if !error.is_missing()), "{refused:?}");
    fs::remove_file(&files.file).unwrap();
    assert!(FleetLadder::open(&files.file).unwrap().is_none(), "it was never joined");
}

/// Nobody listens: the verdict is that of this host, and no slow hash is computed.
#[test]
#[cfg_attr(miri, ignore = "miri has no such sockets")]
fn without_an_agent_nothing_is_frequent_and_nothing_fails() {
    let (folder, files, _) = made(1 << 29, Cost::new(65_536, 1024));
    let (_other, guessed, _) = made(1 << 29, None);
    let mut fleet = Fleet::new(Agent::new(folder.path().join("none.sock")));
    for file in [&files.file, &guessed.file] {
        fleet.add(FleetLadder::open(file).unwrap().unwrap());
    }
    assert!(!fleet.is_too_common(b"password").unwrap() && !fleet.is_guessed(b"password").unwrap());
    assert!(!fleet.count_guess(&failure(b"ann"), 0).unwrap());
    fleet.count_chosen(b"password").unwrap();
    assert!(fleet.agent().trouble().is_some());
}

/// While one ladder takes the place of another, the password is frequent where either says so.
#[test]
#[cfg_attr(miri, ignore = "miri has no such sockets")]
fn of_two_ladders_of_a_kind_one_is_enough() {
    use std::io::{Read, Write};

    let (folder, old, _) = made(1 << 29, None);
    let (_other, new, _) = made(1 << 29, None);
    let path = folder.path().join("agent.sock");
    let listener = std::os::unix::net::UnixListener::bind(&path).unwrap();
    let first = FleetLadder::open(&old.file).unwrap().unwrap().header.id[..4].to_vec();
    std::thread::spawn(move || {
        for mut peer in listener.incoming().flatten() {
            let mut request = [0; 16 + 96];
            peer.read_exact(&mut request).unwrap();
            let height = if request[4..8] == first { 44 } else { 43 };
            // Whoever asked may have gone meanwhile.
            let _ = peer.write_all(&[1, 0, height, 1]);
        }
    });
    for (files, expected) in
        [([&old, &new], true), ([&new, &old], true), ([&new, &new], false), ([&old, &old], true)]
    {
        let asked = || {
            let mut fleet = Fleet::new(Agent::new(path.clone()));
            for files in files {
                fleet.add(FleetLadder::open(&files.file).unwrap().unwrap());
            }
            let said = [fleet.is_guessed(b"Summer2026!x"), fleet.count_guess(&failure(b"ann"), 0)];
            // Beside load, the agent of this test may reply too late.
            fleet.agent().trouble().is_none().then_some(said.map(Result::unwrap))
        };
        assert_eq!((0..1000).find_map(|_| asked()), Some([expected; 2]));
    }
}
