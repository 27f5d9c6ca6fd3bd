//! The files that an earlier version may have left on a system are read for ever. Each has its checksum here:
//! none may be made anew. A new version of a format gets files of its own, and these stay.

use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use crate::common::word;
use nearmiss_filters::{
    dictionary::{
        DictionaryFilter,
        counters::{Counters, identity_of_parts},
        ranks::Ranks,
    },
    ladder::{AccountChoice, ChosenLadder, Claim, FleetLadder, LadderFiles, Setter},
};
use sha1::{Digest, Sha1};

/// Every file below `golden/`, and its SHA-1.
const FROZEN: &[(&str, &str)] = &[
    ("counted.counts", "7226761b40009cc1ff56f68bd002d0caa081bdac"),
    ("counted.filter", "4b6aaf667ecefe5e5fc10954bbecb877a72944fd"),
    ("exact.filter", "256d581d646200b51c893a18eeb1583b0f29063b"),
    ("fleet.ladder", "2dac3b8cb78de55f21e2827312d76cda8d1c9215"),
    ("format-3.ladder", "503a8bc5dd69af7c1f5cce043c91d42b9a1d3aab"),
    ("ladder.key", "0eecf995ac69811486fd30e654a8fc65456adb4b"),
    ("near-0.filter", "c52ef6377547de38c2d60ad2b326a30160d075b9"),
    ("near-4.filter", "c1c2ca220f48b6a02474ee60456434b1daa34b44"),
    ("near-6.filter", "f070d6ddfe4f17a4517bdd058303aa0251b638c0"),
    ("near-8.filter", "48fe326cb2052454fa624f086472da854753f7e2"),
    ("ntlm-groups.filter", "b6860661e467b75e111bed06755848f31bb69f9b"),
    ("ntlm.filter", "5b9c0177786126e486e4cb5ce76e3c707e3a5770"),
    ("paper.filter", "3a92af881a477e2a76f94331169c595f6a98416b"),
    ("ranked.filter", "4b6aaf667ecefe5e5fc10954bbecb877a72944fd"),
    ("ranked.filter.ranks", "08ad13e0a302954e6815a91600756c881b541ef3"),
    ("sha1-groups.filter", "b54a5e60c2ac713cbf8f11112570cc01794c1545"),
    ("sha1.filter", "506a71105901074cc17638d5400439a40be8477f"),
];

fn golden() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden")
}

fn sha1_of(bytes: &[u8]) -> String {
    Sha1::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn files_below(folder: &Path, found: &mut BTreeMap<String, String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files_below(&path, found);
        } else {
            let name = path.strip_prefix(golden()).unwrap().display().to_string();
            found.insert(name, sha1_of(&fs::read(&path).unwrap()));
        }
    }
}

#[test]
fn no_frozen_file_was_changed_and_none_is_gone() {
    let mut found = BTreeMap::new();
    files_below(&golden(), &mut found);
    let frozen: BTreeMap<String, String> =
        FROZEN.iter().map(|&(name, sum)| (name.to_owned(), sum.to_owned())).collect();
    assert_eq!(found, frozen, "a frozen file is never changed: a new format has new files");
}

fn frozen(name: &str) -> Vec<u8> {
    fs::read(golden().join(name)).unwrap()
}

/// The first digest of the lists of the frozen filters.
const SHA1: &str = "5BAA61E4C9B93F3F0682250B6CF8331B7EE68FD8";
const NTLM: &str = "8846F7EAEE8FB117AD06BDD830B7586C";

#[test]
fn digests_of_every_hash_version_are_found() {
    for (kind, digest) in [("sha1", SHA1), ("ntlm", NTLM)] {
        let names = [kind.to_owned(), format!("{kind}-groups")];
        let byte = |at: usize| u8::from_str_radix(&digest[at..at + 2], 16).unwrap();
        let mut digest: Vec<u8> = (0..digest.len()).step_by(2).map(byte).collect();
        for (name, version) in names.iter().zip(2..) {
            let filter = DictionaryFilter::from_bytes(frozen(&format!("{name}.filter"))).unwrap();
            assert_eq!(filter.header().hash_version.id(), version, "{name}");
            assert!(filter.contains_entry(&digest).unwrap(), "{name}");
            digest[15] ^= 1;
            assert!(!filter.contains_entry(&digest).unwrap(), "{name}");
            digest[15] ^= 1;
        }
    }
}

#[test]
fn counts_are_read_and_are_those_of_their_filter() {
    let file = frozen("counted.filter");
    let filter = DictionaryFilter::from_bytes(file).unwrap();
    let counters = Counters::open(&trusted("counted.counts").1).unwrap();
    let pages = filter.copied_pages().unwrap();
    assert!(counters.belong_to(identity_of_parts(filter.header(), &pages)));
    assert!(counters.filter_pages().unwrap() == pages);
    assert_eq!(counters.counts().words, 7);
}

#[test]
fn ranks_are_read() {
    let filter = DictionaryFilter::from_bytes(frozen("ranked.filter")).unwrap();
    let ranks = Ranks::decode(&frozen("ranked.filter.ranks"), &filter.header().key).unwrap();
    let rank = |of: &str| ranks.rank(&word(of));
    assert_eq!([rank("aegean"), rank("guess"), rank("stranger")], [Some(1), Some(4), None]);
}

/// A copy of a frozen file, in a folder as private as a system's.
fn trusted(name: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    fs::write(&path, frozen(name)).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    (folder, path)
}

/// A frozen ladder with its key, and where they are.
fn ladder(name: &str) -> (tempfile::TempDir, LadderFiles) {
    let (folder, file) = trusted(name);
    let key = folder.path().join("etc").join("ladder.key");
    fs::create_dir(key.parent().unwrap()).unwrap();
    fs::write(&key, frozen("ladder.key")).unwrap();
    fs::set_permissions(&key, fs::Permissions::from_mode(0o600)).unwrap();
    (folder, LadderFiles { file, key })
}

/// What the frozen ladder holds: one password at the top, another one hardly recorded.
fn has_the_frozen_heights(ladder: &ChosenLadder) {
    for (password, height) in [("too common", 16), ("password", 5)] {
        let element = ladder.element(password.as_bytes()).unwrap();
        assert_eq!(ladder.height(&element).unwrap(), height, "{password}");
        assert_eq!(ladder.is_too_common(&element).unwrap(), height >= 14, "{password}");
    }
}

const FIELD: &[u8] = b"$6$salt$hash";

fn count(ladder: &ChosenLadder, account: &str, field: &[u8]) -> Claim {
    count_by(ladder, account, field, Setter::Owner)
}

fn count_by(ladder: &ChosenLadder, account: &str, field: &[u8], by: Setter) -> Claim {
    let choice = AccountChoice { account: account.as_bytes(), shadow_field: Some(field), day: 20_000, by };
    ladder.count(b"rare", &choice).unwrap()
}

#[test]
fn what_a_ladder_counted_is_counted() {
    let (_folder, files) = ladder("format-3.ladder");
    let opened = ChosenLadder::open(&files).unwrap().unwrap();
    has_the_frozen_heights(&opened);
    assert_eq!(opened.stamped_accounts().unwrap(), 2);
    for account in ["alice", "bob"] {
        assert_eq!(count(&opened, account, FIELD), Claim::Counted, "{account}");
    }
    assert_eq!(count(&opened, "gone", FIELD), Claim::Granted);
    assert_eq!(count(&opened, "alice", b"$6$salt$other"), Claim::Granted);
    assert_eq!(count(&opened, "alice", b"$6$salt$third"), Claim::Today);
    assert_eq!(count_by(&opened, "alice", b"$6$salt$fourth", Setter::Root), Claim::Granted);
}

#[test]
fn the_descriptor_of_a_fleet_is_read() {
    let (folder, file) = trusted("fleet.ladder");
    let key = folder.path().join("fleet.key");
    fs::write(&key, frozen("ladder.key")).unwrap();
    fs::set_permissions(&key, fs::Permissions::from_mode(0o600)).unwrap();
    let opened = FleetLadder::open(&file).unwrap().unwrap();
    assert_eq!(opened.header().params.bits(), 1 << 19);
    assert!(opened.header().is_elsewhere && opened.header().stamps == 0);
}
