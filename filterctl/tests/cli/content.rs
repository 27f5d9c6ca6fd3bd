//! Every command that reads a filter checks its content: files with matching checksums that were not built
//! from a list are refused by name, and what was there stays.

use std::{
    fs::{self, File},
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
};

use nearmiss_cli::input::common_passwords;
use nearmiss_filters::{
    chunks::chunks_mut,
    dictionary::{DictionaryFilter, sizing::rounded},
    ladder::SeededRandom,
    page::{Layer, PAGE_BYTES, accident, seal},
};
use sha1::{Digest as _, Sha1};

use crate::{Folder, KEY, Run, run};

/// The SHA-1 digests of the first passwords of the built-in list, in hexadecimal digits.
pub(crate) fn common_digests(count: usize) -> Vec<String> {
    let digest = |word: Vec<u8>| Sha1::digest(word).iter().map(|byte| format!("{byte:02X}")).collect();
    common_passwords(count).into_iter().map(digest).collect()
}

/// A folder with a system, and filters of digests.
struct Place {
    folder: Folder,
}

const OPTIONS: &str = "root/etc/nearmiss-fetch.env";
const INSTALLED: &str = "root/var/cache/nearmiss/leaked.filter";
const FETCHED: &str = "root/var/lib/private/nearmiss-fetch/leaked.filter";

/// Bytes of the header of a filter of digests.
const HEADER: usize = 4096;

impl Place {
    /// Leaked passwords are switched on, and an honest filter is fetched and installed.
    fn new() -> Place {
        let place = Place { folder: Folder::new() };
        for name in [FETCHED, OPTIONS, INSTALLED, "root/etc/security/nearmiss.conf.d/x"] {
            fs::create_dir_all(place.path(name).parent().unwrap()).unwrap();
        }
        place.options("--kind sha1");
        fs::write(place.path(FETCHED), place.digests("sha1", 30_000, &[])).unwrap();
        assert_eq!(place.breaches_install().code, 0);
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path(name)
    }

    fn options(&self, options: &str) {
        fs::write(self.path(OPTIONS), format!("OPTIONS=\"{options}\"\n")).unwrap();
    }

    fn breaches_install(&self) -> Run {
        run(["breaches", "install", "--root", self.path("root").to_str().unwrap()])
    }

    /// The bytes of a filter with this number of digests, with the most common passwords if the kind is
    /// SHA-1.
    fn digests(&self, kind: &str, count: usize, more: &[&str]) -> Vec<u8> {
        let common = if kind == "sha1" { common_digests(1000) } else { Vec::new() };
        let length = if kind == "sha1" { 40 } else { 32 };
        let others = (0..).map(|i: usize| {
            let whole: String =
                Sha1::digest(i.to_le_bytes()).iter().map(|byte| format!("{byte:02X}")).collect();
            whole[..length].to_owned()
        });
        let lines: String = common.into_iter().chain(others).take(count).map(|line| line + "\n").collect();
        let (list, file) = (self.folder.file("digests", &lines), self.path("built"));
        let files = ["--key", KEY, "-o", file.to_str().unwrap(), list.to_str().unwrap()];
        let built = run([&["build", "-q", "--kind", kind][..], more, &files].concat());
        assert_eq!(built.code, 0, "{built:?}");
        fs::read(file).unwrap()
    }

    /// Files that are no honest filter, each with a name and what is said of it.
    fn foreign(&self) -> Vec<(&'static str, Content, &'static str)> {
        let good = self.digests("sha1", 30_100, &[]);
        let pages = |byte: u8, part: usize| Content::Bytes(pages_filled(&good, byte, part));
        vec![
            ("all ones", pages(0xff, 1), "it rejects 100.0 % of good passwords by accident"),
            ("all zeros", pages(0, 1), "page 0 has 0 of 32736 bits set"),
            ("half of the pages emptied", pages(0, 2), "page 0 has 0 of 32736 bits set"),
            (
                "one page in ten filled",
                pages(0xff, 10),
                "of good passwords by accident, but its header states 0.1 %",
            ),
            ("another kind", Content::Bytes(self.digests("ntlm", 30_100, &[])), "of kind ntlm"),
            ("a sparse giant", Content::Sparse(good), "it has holes, and a filter has none"),
        ]
    }
}

/// A file to be planted.
enum Content {
    Bytes(Vec<u8>),
    /// The header of this filter, changed so that it says 256 GB, and a hole of that length.
    Sparse(Vec<u8>),
}

impl Content {
    fn write(&self, file: &Path) {
        let _ = fs::remove_file(file);
        match self {
            Content::Bytes(bytes) => fs::write(file, bytes).unwrap(),
            Content::Sparse(good) => {
                let pages = 62_500_000_u64;
                let mut header = good[..HEADER].to_vec();
                header[64..72].copy_from_slice(&pages.to_le_bytes());
                header[16..20].fill(0);
                let sum = crc32(&header).to_le_bytes();
                header[16..20].copy_from_slice(&sum);
                let file = File::create(file).unwrap();
                file.write_all_at(&header, 0).unwrap();
                file.set_len(HEADER as u64 + pages * 4096).unwrap();
            }
        }
    }
}

/// CRC-32 (IEEE 802.3), bit by bit.
fn crc32(bytes: &[u8]) -> u32 {
    let step = |sum: u32| if sum & 1 == 1 { sum >> 1 ^ 0xedb8_8320 } else { sum >> 1 };
    !bytes.iter().fold(!0, |sum, &byte| (0..8).fold(sum ^ u32::from(byte), |sum, _| step(sum)))
}

/// The filter with one page in `part` filled with a byte, and checksums that are right.
fn pages_filled(filter: &[u8], byte: u8, part: usize) -> Vec<u8> {
    let mut bytes = filter.to_vec();
    let (pages, _) = chunks_mut::<_, _, PAGE_BYTES>(&mut bytes[HEADER..]);
    for page in pages.iter_mut().step_by(part) {
        page.fill(byte);
        seal(page);
    }
    bytes
}

/// The file system says how much room is left; a giant would show. The state, which says how the last run
/// ended, is left out.
fn blocks_in(folder: &Path) -> u64 {
    use std::os::unix::fs::MetadataExt;
    let mut entries: Vec<_> = fs::read_dir(folder).unwrap().map(Result::unwrap).collect();
    entries.retain(|entry| entry.file_name() != "leaked.state");
    entries.iter().map(|entry| entry.metadata().unwrap().blocks()).sum()
}

#[test]
fn breaches_install_refuses_what_nobody_built_and_keeps_the_old_filter() {
    let place = Place::new();
    let old = fs::read(place.path(INSTALLED)).unwrap();
    let cache = place.path("root/var/cache/nearmiss");
    let blocks = blocks_in(&cache);
    for (name, content, says) in place.foreign() {
        content.write(&place.path(FETCHED));
        let refused = place.breaches_install();
        // If the options are enough to refuse it, the giant is refused before the check for holes.
        let says = if name == "a sparse giant" { "no corpus needs more than" } else { says };
        assert!(refused.error_line().contains("refused the fetched filter: "), "{name}: {refused:?}");
        assert!(refused.error_line().contains(says), "{name}: {refused:?}");
        assert!(fs::read(place.path(INSTALLED)).unwrap() == old, "{name}");
        assert!(!place.path(&format!("{INSTALLED}.candidate")).exists(), "{name}");
        assert_eq!(blocks_in(&cache), blocks, "{name}");
    }
}

/// A hole is seen by itself, and so is a disk that would be filled up.
#[test]
fn breaches_install_refuses_a_hole_and_what_the_disk_has_no_room_for() {
    let place = Place::new();
    let old = fs::read(place.path(INSTALLED)).unwrap();
    let good = place.digests("sha1", 30_100, &[]);
    let file = File::create(place.path(FETCHED)).unwrap();
    file.write_all_at(&good[..HEADER], 0).unwrap();
    file.set_len(good.len() as u64).unwrap();
    let refused = place.breaches_install();
    assert!(
        refused.error_line().contains("it has holes, and a filter has none; nothing was copied"),
        "{refused:?}"
    );
    assert!(fs::read(place.path(INSTALLED)).unwrap() == old);
}

#[test]
fn a_list_that_lacks_the_most_common_passwords_is_not_the_corpus() {
    let place = Place::new();
    let old = fs::read(place.path(INSTALLED)).unwrap();
    let lines: String =
        (0..31_000_u32).map(|i| format!("{:08X}{i:032X}\n", i.wrapping_mul(2_654_435_761))).collect();
    let list = place.folder.file("others", &lines);
    let fetched = place.path(FETCHED);
    let files = ["-o", fetched.to_str().unwrap(), list.to_str().unwrap()];
    // With any key one of a hundred such filters has one of the passwords by accident.
    assert_eq!(run([&["build", "-q", "--kind", "sha1", "--key", KEY][..], &files].concat()).code, 0);
    let refused = place.breaches_install();
    assert!(refused.error_line().contains("contains 0 of the 1000 most common passwords"), "{refused:?}");
    assert!(fs::read(place.path(INSTALLED)).unwrap() == old);
    // A site's own server may have a list of its own.
    place.options("--kind sha1 --url https://mirror.example/p");
    assert_eq!(place.breaches_install().code, 0);
}

#[test]
fn what_the_options_do_not_give_is_refused() {
    let place = Place::new();
    for (options, more, says) in [
        ("--kind sha1", &["--false-rejection", "0.02"][..], "its false positive rate per lookup is"),
        ("--kind sha1 --logins", &[], "its false positive rate per lookup is"),
        ("--kind ntlm", &[], "of kind sha1, and the options name ntlm"),
    ] {
        place.options(options);
        fs::write(place.path(FETCHED), place.digests("sha1", 30_200, more)).unwrap();
        let refused = place.breaches_install();
        assert!(refused.error_line().contains(says), "{options}: {refused:?}");
    }
    place.options("--kind sha1 --logins");
    fs::write(place.path(FETCHED), place.digests("sha1", 30_200, &["--logins"])).unwrap();
    assert_eq!(place.breaches_install().code, 0);
}

#[test]
fn install_refuses_what_nobody_built_and_keeps_the_old_filter() {
    let place = Place::new();
    let [source, target] = ["new.filter", "site/site.filter"].map(|name| place.path(name));
    fs::write(&source, place.digests("sha1", 30_000, &[])).unwrap();
    let install = || run(["install", source.to_str().unwrap(), target.to_str().unwrap()]);
    assert_eq!(install().code, 0);
    let old = fs::read(&target).unwrap();
    let blocks = blocks_in(target.parent().unwrap());
    for (name, content, says) in place.foreign() {
        content.write(&source);
        let refused = install();
        assert!(refused.error_line().contains(says), "{name}: {refused:?}");
        assert!(fs::read(&target).unwrap() == old, "{name}");
        assert_eq!(blocks_in(target.parent().unwrap()), blocks, "{name}");
    }
    let words = place.folder.filter("elephant\n");
    let refused = run(["install", words.to_str().unwrap(), target.to_str().unwrap()]);
    assert!(
        refused.error_line().contains("of kind words, and the installed one is of kind sha1"),
        "{refused:?}"
    );
}

#[test]
fn verify_and_doctor_name_what_nobody_built() {
    let place = Place::new();
    let filter = place.path(INSTALLED);
    let shown = filter.to_str().unwrap();
    let root = place.path("root");
    let (root, none) = (root.to_str().unwrap(), place.path("none"));
    let none = none.display();
    let conf = place.folder.file(
        "site.conf",
        format!(
            "packaged = false\n[[dictionary]]\nfile = \"{shown}\"\n[ladder]\nfile = \"{none}\"\n\
             key = \"{none}\"\n[guesses]\nfile = \"{none}\"\n"
        ),
    );
    let verify = || run(["verify", "--root", root, shown]);
    let doctor =
        || run(["doctor", "--only", "filters", "--json", "--root", root, "--conf", conf.to_str().unwrap()]);
    assert_eq!(verify().code, 0, "{:?}", verify());
    assert!(doctor().out.contains("pages read, all intact"), "{:?}", doctor());
    for (name, content, says) in place.foreign() {
        content.write(&filter);
        let verified = verify();
        assert_ne!(verified.code, 0, "{name}: {verified:?}");
        let text = format!("{}{}", verified.out, verified.err);
        assert!(text.contains(says) && !text.contains("intact,"), "{name}: {verified:?}");
        let examined = doctor();
        assert_eq!(examined.code, 1, "{name}: {examined:?}");
        assert!(examined.out.contains(says), "{name}: {examined:?}");
    }
}

/// A generator of numbers with a fixed seed.
struct Chance(SeededRandom);

impl Chance {
    fn below(&mut self, end: u64) -> u64 {
        self.0.next_word() % end
    }

    /// From 0 to 1.
    fn part(&mut self) -> f64 {
        self.below(1 << 32) as f64 / f64::from(u32::MAX)
    }

    fn one_of<T: Copy>(&mut self, values: &[T]) -> T {
        values[self.below(values.len() as u64) as usize]
    }
}

/// Sets a field of a header.
fn put(header: &mut [u8], at: usize, value: &[u8]) {
    header[at..at + value.len()].copy_from_slice(value);
}

/// Makes the checksum of a header right.
fn sum_header(bytes: &mut [u8]) {
    bytes[16..20].fill(0);
    let sum = crc32(&bytes[..HEADER]).to_le_bytes();
    put(bytes, 16, &sum);
}

/// A filter with this part of its bits set, as a list of random digests would have them.
fn fill_evenly(bytes: &mut [u8], fill: f64, chance: &mut Chance) {
    let (pages, _) = chunks_mut::<_, _, PAGE_BYTES>(&mut bytes[HEADER..]);
    for page in pages {
        page.fill(0);
        for at in 0..32_736 {
            if chance.part() < fill {
                page[at / 8] |= 1 << (at % 8);
            }
        }
        seal(page);
    }
}

/// A file that another user may write: a valid filter of which fields and pages are changed, or one that was
/// made to look as honest as it can. Every checksum is right.
fn of_another_user(good: &[u8], chance: &mut Chance) -> Vec<u8> {
    let mut bytes = good.to_vec();
    let pages = (bytes.len() - HEADER) / PAGE_BYTES;
    let word_bits = chance.one_of(&[1, 2, 4, 8, 10, 12, 16, 20, 64]);
    match chance.below(4) {
        // Some pages are filled, emptied or mixed with others.
        0 => {
            let (byte, part) =
                (chance.one_of(&[0, 0xff, 0x55, 0x77, 0x7f]), 1 + chance.below(pages as u64 + 1));
            bytes = pages_filled(&bytes, byte, part as usize);
        }
        // Fields are changed.
        1 => {
            for _ in 0..=chance.below(3) {
                match chance.below(8) {
                    0 => put(&mut bytes, 48, &[word_bits]),
                    1 => put(&mut bytes, 52, &(1 + chance.below(200) as u16).to_le_bytes()),
                    2 => {
                        put(
                            &mut bytes,
                            72,
                            &chance.one_of(&[0, 1, 2000, 3000, 6000, u64::MAX]).to_le_bytes(),
                        );
                    }
                    3 => put(&mut bytes, 80, &chance.0.next_word().to_le_bytes()),
                    4 => put(&mut bytes, 104, &chance.one_of(&[1e-9, 1e-3, 0.5, 1.0_f64]).to_le_bytes()),
                    5 => put(&mut bytes, 96, &chance.0.next_word().to_le_bytes()),
                    6 => put(&mut bytes, 32, &chance.0.next_word().to_le_bytes()),
                    _ => put(&mut bytes, 112, &(1 + chance.below(1 << 33)).to_le_bytes()),
                }
            }
        }
        // As full as anybody likes, by a header that claims just the entries for it.
        2 => {
            let fill = chance.one_of(&[0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 0.97]) * (0.9 + 0.1 * chance.part());
            fill_evenly(&mut bytes, fill, chance);
            let entries = -(1.0 - fill).ln() * 32_736.0 * pages as f64 / f64::from(word_bits);
            put(&mut bytes, 48, &[word_bits]);
            for at in [72, 80, 96] {
                put(&mut bytes, at, &rounded(entries).to_le_bytes());
            }
        }
        // A tenth more than honest, and one page full.
        _ => {
            let fill = 0.5 + 0.1 * chance.part();
            fill_evenly(&mut bytes, fill, chance);
            let page = chance.below(pages as u64) as usize;
            let (all, _) = chunks_mut::<_, _, PAGE_BYTES>(&mut bytes[HEADER..]);
            all[page].fill(0xff);
            seal(&mut all[page]);
        }
    }
    sum_header(&mut bytes);
    bytes
}

/// Whatever another user leaves: where `breaches install` takes it, a check rejects a random password at most
/// ten times as often as the options promise. Computed from the pages, and tried.
#[test]
fn no_file_of_another_user_rejects_random_passwords() {
    const RATE: f64 = 0.001;
    const LOOKUPS: i32 = 64;
    let place = Place::new();
    place.options("--kind sha1 --url https://mirror.example/p");
    let goods = [2000, 4000].map(|count| place.digests("sha1", count, &[]));
    let (mut chance, mut taken) = (Chance(SeededRandom::new(2026)), 0);
    for case in 0..150 {
        let good = &goods[case % 2];
        let file = if case < 2 { good.clone() } else { of_another_user(good, &mut chance) };
        for old in ["", ".previous"] {
            let _ = fs::remove_file(place.path(&format!("{INSTALLED}{old}")));
        }
        fs::write(place.path(FETCHED), &file).unwrap();
        let installed = place.breaches_install();
        assert!(!installed.err.contains("internal"), "{installed:?}");
        if installed.code != 0 {
            assert!(!place.path(INSTALLED).exists(), "{installed:?}");
            continue;
        }
        taken += 1;
        let filter = DictionaryFilter::from_bytes(fs::read(place.path(INSTALLED)).unwrap()).unwrap();
        let probes = filter.header().probes(Layer::Word);
        let (mut sum, mut pages) = (0.0, 0.0);
        filter
            .scan(|_, page, _| {
                sum += accident(page, probes);
                pages += 1.0;
            })
            .unwrap();
        let rate = 1.0 - (1.0_f64 - sum / pages).powi(LOOKUPS);
        assert!(rate <= 10.0 * RATE, "case {case}: {rate}");
        let random = (0..20_000).map(|_| [chance.0.next_word(), chance.0.next_word(), chance.0.next_word()]);
        let digests = random.map(|words| words.map(u64::to_le_bytes).concat()[..20].to_vec());
        let found = digests.filter(|digest| filter.contains_entry(digest).unwrap()).count() as f64;
        let expected = 20_000.0 * 10.0 * RATE / f64::from(LOOKUPS);
        assert!(found <= expected + 6.0 * expected.sqrt(), "case {case}: {found}");
    }
    assert!((5..140).contains(&taken), "{taken} of 150 were taken");
}
