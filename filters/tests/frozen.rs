//! The files that an earlier version may have left on a system are read for ever. Each has its checksum here:
//! none may be made anew. A new version of a format gets files of its own, and these stay.

use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use crate::by_the_text::{PAGE, Reading};
use crate::common::word;
use nearmiss_filters::{
    dictionary::{
        Buffers, Build, DictionaryFilter,
        build::BuildError,
        counters::{Counters, identity_of_parts},
        ranks::Ranks,
    },
    hash::HashVersion,
    ladder::{AccountChoice, ChosenLadder, Claim, FleetLadder, LadderFiles, Setter, StampForm, migrate},
};
use sha1::{Digest, Sha1};

/// Every file below `golden/`, and its SHA-1.
const FROZEN: &[(&str, &str)] = &[
    ("counted.counts", "db84b206e1af26d62136a8187482255082cfe7b7"),
    ("counted.filter", "4b6aaf667ecefe5e5fc10954bbecb877a72944fd"),
    ("exact.filter", "256d581d646200b51c893a18eeb1583b0f29063b"),
    ("fleet.ladder", "2dac3b8cb78de55f21e2827312d76cda8d1c9215"),
    ("format-1.ladder", "3783b5d23808e4bdc6eff2ffbc1604db51ddbf73"),
    ("format-2.ladder", "12b509781aedec2b898bfc639fed2bb8717721d6"),
    ("format-3.ladder", "503a8bc5dd69af7c1f5cce043c91d42b9a1d3aab"),
    ("hash-1/exact.filter", "359e1cfa7a5dfad071ea862b24949862162747a0"),
    ("hash-1/large-0.filter", "a0cdcf1fb886a85f5b5a119dc635feafc858e58d"),
    ("hash-1/large-2.filter", "ba505d2e7355e4002707b64c89b579998a9f47ca"),
    ("hash-1/large-6.filter", "30210a3e5580d53cfc9d1d5c626686d8fe7a5499"),
    ("hash-1/large-8.filter", "523d8027a1ae9aa1595702e3c297617148cce3e4"),
    ("hash-1/large-exact.filter", "634946c41d9812b2db5f6d0e94a38cdd4005abe1"),
    ("hash-1/near-0.filter", "de79fb58e6bc52dfc75046ba9133fbd7eac36467"),
    ("hash-1/near-4.filter", "29356dcd06f9d036d3cd56f71966279e9abffaeb"),
    ("hash-1/near-8.filter", "d314ef83e1c6ea26e7d344693bcb4d5e0303c2e6"),
    ("hash-1/ntlm.filter", "a26d2a7fc0ae763c439e51adbaafe15060eec034"),
    ("hash-1/paper.filter", "814786cfaf171c41e18ac5085acd6622121dcd0a"),
    ("hash-1/sha1.filter", "14e3167b04b7a4dbca3d37ddc068ac6c47eb24b6"),
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

const WORDS: [&str; 7] = ["aegean", "accommodate", "elephant", "guess", "password", "éléphant", "日本語"];

/// The words of the large files: many pages, and places of the deletion layer beyond 64 and 128.
fn many_words() -> Vec<String> {
    let long = ["abcdefghij".repeat(9), "0123456789é".repeat(23)];
    (0..600).map(|i| format!("wört{i}x{}", i * 7)).chain(long).collect()
}

#[test]
fn filters_of_hash_version_1_answer_as_they_did() {
    let mut buffers = Buffers::default();
    for name in ["near-8", "near-4", "near-0", "paper", "exact"] {
        let filter = DictionaryFilter::from_bytes(frozen(&format!("hash-1/{name}.filter"))).unwrap();
        assert_eq!(filter.header().hash_version, HashVersion::First);
        for listed in WORDS {
            assert!(filter.contains(&word(listed), &mut buffers).unwrap(), "{name}: {listed}");
        }
        let mut near = |query: &str| filter.nearest(&word(query), false, &mut buffers).unwrap().is_some();
        for query in ["Ae-ean", "accomodate", "elephqnt", "gue;ss", "pass.word", "日語"] {
            assert_eq!(near(query), name != "exact", "{name}: {query}");
        }
        assert!(!near("elzhant") && !near("stranger"), "{name}");
    }
}

#[test]
fn large_filters_of_hash_version_1_know_each_word_and_its_neighbours() {
    let mut buffers = Buffers::default();
    for name in ["large-8", "large-6", "large-2", "large-0", "large-exact"] {
        let filter = DictionaryFilter::from_bytes(frozen(&format!("hash-1/{name}.filter"))).unwrap();
        for listed in many_words() {
            assert!(filter.contains(&word(&listed), &mut buffers).unwrap(), "{name}: {listed}");
            if name == "large-exact" {
                continue;
            }
            let characters: Vec<char> = listed.chars().collect();
            for at in [0, characters.len() / 2, characters.len() - 1] {
                let less: String = [&characters[..at], &characters[at + 1..]].concat().iter().collect();
                let other: String =
                    [&characters[..at], &['w'], &characters[at + 1..]].concat().iter().collect();
                for near in [less, other] {
                    let found = filter.nearest(&word(&near), false, &mut buffers).unwrap();
                    assert!(found.is_some(), "{name}: {near}");
                }
            }
        }
        let strangers = (0..1000).filter(|i| {
            let query = word(format!("fremd{}", i * 977));
            filter.nearest(&query, false, &mut buffers).unwrap().is_some()
        });
        assert!(strangers.count() < 30, "{name}");
    }
}

#[test]
fn the_pages_of_hash_version_1_are_those_of_the_text_of_the_format() {
    let small: Vec<String> = WORDS.map(str::to_owned).into();
    let of_small = ["near-8", "near-4", "near-0", "paper", "exact"].map(|name| (name, small.clone()));
    let of_large =
        ["large-8", "large-6", "large-2", "large-0", "large-exact"].map(|name| (name, many_words()));
    for (name, words) in of_small.into_iter().chain(of_large) {
        let file = frozen(&format!("hash-1/{name}.filter"));
        let reading = Reading::of(&file);
        let mut pages = vec![0; PAGE * usize::try_from(reading.pages).unwrap()];
        for (page, bit) in words.iter().flat_map(|word| reading.bits(word.as_bytes())) {
            pages[page * PAGE + bit / 8] |= 1 << (bit % 8);
        }
        let header_bytes = u32::from_le_bytes(file[12..16].try_into().unwrap()) as usize;
        let mut read = file[header_bytes..].to_vec();
        read.chunks_mut(PAGE).for_each(|page| page[PAGE - 4..].fill(0));
        assert!(read == pages, "{name}");
    }
}

/// The first digest of the lists of the frozen filters.
const SHA1: &str = "5BAA61E4C9B93F3F0682250B6CF8331B7EE68FD8";
const NTLM: &str = "8846F7EAEE8FB117AD06BDD830B7586C";

#[test]
fn digests_of_every_hash_version_are_found() {
    for (kind, digest) in [("sha1", SHA1), ("ntlm", NTLM)] {
        let names = [format!("hash-1/{kind}"), kind.to_owned(), format!("{kind}-groups")];
        let byte = |at: usize| u8::from_str_radix(&digest[at..at + 2], 16).unwrap();
        let mut digest: Vec<u8> = (0..digest.len()).step_by(2).map(byte).collect();
        for (name, version) in names.iter().zip(1..) {
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
fn nothing_is_added_to_a_filter_of_hash_version_1() {
    let filter = DictionaryFilter::from_bytes(frozen("hash-1/near-8.filter")).unwrap();
    let (header, pages) = (filter.header().clone(), filter.copied_pages().unwrap());
    let build = Build::of(&header);
    let findings = build.survey().finish();
    assert_eq!(build.extending(header, pages, &findings).err(), Some(BuildError::FirstVersion));
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

/// What both frozen ladders hold: one password at the top, another one hardly recorded.
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
fn a_ladder_of_format_1_is_read_and_counts_nothing() {
    let (_folder, files) = ladder("format-1.ladder");
    let opened = ChosenLadder::open(&files).unwrap().unwrap();
    has_the_frozen_heights(&opened);
    assert_eq!(count(&opened, "alice", b"another field"), Claim::FirstFormat);
    assert!(fs::read(&files.file).unwrap() == frozen("format-1.ladder"));
}

const ACCOUNTS: [&[u8]; 4] = [b"root", b"alice", b"bob", b"nobody"];

#[test]
fn ladders_of_earlier_formats_are_migrated_to_the_frozen_one_of_format_3() {
    for (name, format, dropped) in [("format-1.ladder", 1, 1), ("format-2.ladder", 2, 0)] {
        let (folder, files) = ladder(name);
        let migrated = migrate(&files, "7", ACCOUNTS.into_iter()).unwrap().unwrap();
        assert_eq!((migrated.accounts, migrated.dropped), (2, dropped));
        assert!(fs::read(&files.file).unwrap() == frozen("format-3.ladder"), "{name}");
        assert_eq!(migrated.kept, folder.path().join(format!("{name}.format-{format}-7")));
        assert!(fs::read(&migrated.kept).unwrap() == frozen(name));
        assert_eq!(fs::metadata(&files.file).unwrap().permissions().mode() & 0o777, 0o600);
        assert!(migrate(&files, "8", ACCOUNTS.into_iter()).unwrap().is_none(), "once is enough");
    }
}

#[test]
fn what_was_counted_in_earlier_formats_is_counted_in_later_ones() {
    for (name, form) in [("format-2.ladder", StampForm::OneDay), ("format-3.ladder", StampForm::TwoDays)] {
        let (_folder, files) = ladder(name);
        let opened = ChosenLadder::open(&files).unwrap().unwrap();
        assert_eq!(opened.header().stamp_form, form);
        has_the_frozen_heights(&opened);
        assert_eq!(opened.stamped_accounts().unwrap(), 2);
        for account in ["alice", "bob"] {
            assert_eq!(count(&opened, account, FIELD), Claim::Counted, "{account}");
        }
        assert_eq!(count(&opened, "gone", FIELD), Claim::Granted);
        assert_eq!(count(&opened, "alice", b"$6$salt$other"), Claim::Granted);
        assert_eq!(count(&opened, "alice", b"$6$salt$third"), Claim::Today);
        let roots = if form == StampForm::OneDay { Claim::Today } else { Claim::Granted };
        assert_eq!(count_by(&opened, "alice", b"$6$salt$fourth", Setter::Root), roots);
    }
}

#[test]
fn a_ladder_of_another_key_is_not_migrated() {
    let (_folder, files) = ladder("format-1.ladder");
    let mut other = frozen("ladder.key");
    other[16] ^= 1;
    let sum = crc32fast::hash(&other[..48]);
    other[48..52].copy_from_slice(&sum.to_le_bytes());
    fs::write(&files.key, other).unwrap();
    assert!(migrate(&files, "7", ACCOUNTS.into_iter()).is_err());
    assert!(fs::read(&files.file).unwrap() == frozen("format-1.ladder"), "nothing is changed");
}

#[test]
fn the_descriptor_of_a_fleet_is_read() {
    let (folder, file) = trusted("fleet.ladder");
    let key = folder.path().join("fleet.key");
    fs::write(&key, frozen("ladder.key")).unwrap();
    fs::set_permissions(&key, fs::Permissions::from_mode(0o600)).unwrap();
    let opened = FleetLadder::open(&file).unwrap().unwrap();
    assert_eq!(opened.header().params.bits(), 1 << 19);
    assert!(opened.header().is_elsewhere && opened.header().stamp_form == StampForm::OneDay);
}
