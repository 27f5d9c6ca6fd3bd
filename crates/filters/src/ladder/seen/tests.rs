//! The queue set: remembering, forgetting, and false repeats.

use std::cell::Cell;
use std::collections::VecDeque;

use super::*;
use crate::ladder::file::words::MemoryWords;
use crate::random::SeededRandom;

const NOW: u64 = 1_800_000_000;
const WEEK: u64 = 7 * 86_400;

fn set(seed: u64) -> SeenFailures<MemoryWords> {
    let words = MemoryWords::zeros(usize::try_from(SEEN_BYTES / 8).unwrap());
    let mut random = SeededRandom::new(seed);
    for (at, word) in [(MAGIC_AT, MAGIC), (BORN_AT, NOW)] {
        assert!(words.replace(at, 0, word).unwrap());
    }
    for at in KEY_AT {
        assert!(words.replace(at, 0, random.next_word()).unwrap());
    }
    SeenFailures::new(words).unwrap().unwrap()
}

fn of<'a>(account: &'a [u8], password: &'a [u8]) -> FailureKey<'a> {
    FailureKey { account, password, network: b"" }
}

fn is_new(set: &SeenFailures<impl WordStore>, number: u64) -> bool {
    set.is_new(&of(&number.to_le_bytes(), b"password")).unwrap()
}

#[test]
fn a_failure_is_new_once_for_each_account_password_and_network() {
    let set = set(1);
    assert!(set.is_new(&of(b"ann", b"secret")).unwrap());
    assert!(!set.is_new(&of(b"ann", b"secret")).unwrap());
    assert!(set.is_new(&of(b"bob", b"secret")).unwrap());
    assert!(set.is_new(&of(b"ann", b"other")).unwrap());
    assert!(set.is_new(&FailureKey { network: b"net", ..of(b"ann", b"secret") }).unwrap());
    // The boundaries of the parts are part of the hashed message.
    let together = |a: &'static [u8], b: &'static [u8]| message(&of(a, b)).to_vec();
    assert_ne!(together(b"annse", b"cret"), together(b"ann", b"secret"));
    let network = FailureKey { network: b"x", ..of(b"ann", b"secret") };
    assert_ne!(message(&network).to_vec(), together(b"annx", b"secret"));
}

/// The queue of one bucket as a list: the oldest falls out, a repeat moves to the front.
#[derive(Default, Clone)]
struct Model(VecDeque<u8>);

impl Model {
    fn push(&mut self, fingerprint: u8) -> bool {
        let found = self.0.iter().position(|other| *other == fingerprint);
        if let Some(place) = found {
            self.0.remove(place);
        }
        self.0.push_front(fingerprint);
        self.0.truncate(8);
        found.is_none()
    }

    fn word(&self) -> u64 {
        let bytes: Vec<u8> = self.0.iter().copied().chain(std::iter::repeat(0)).take(8).collect();
        u64::from_le_bytes(bytes.try_into().unwrap())
    }
}

#[test]
fn a_million_pushes_are_those_of_a_list() {
    let mut random = SeededRandom::new(2);
    let (mut model, mut bucket) = (Model::default(), 0);
    for _ in 0..1_000_000 {
        let fingerprint = 64 | u8::try_from(random.next_word() & 15).unwrap();
        let (next, is_new) = pushed(bucket, fingerprint);
        assert_eq!((is_new, next), (model.push(fingerprint), model.word()));
        bucket = next;
    }
}

#[test]
fn fingerprints_and_buckets_are_used_evenly() {
    let set = set(3);
    let (mut prints, mut buckets) = ([0_u32; 64], [0_u32; 64]);
    for number in 0_u64..64_000 {
        let (at, print) = set.place(&of(&number.to_le_bytes(), b"password")).unwrap();
        prints[usize::from(print) - 64] += 1;
        buckets[usize::try_from((at - HEADER_WORDS) / 256).unwrap()] += 1;
    }
    // Means of 1000, deviations of 31.4: six of them.
    for counts in [prints, buckets] {
        assert!(counts.iter().all(|count| count.abs_diff(1000) < 190), "{counts:?}");
    }
}

/// One in eight for a full set, even just after a change of the key, when its content is noise.
#[test]
fn one_in_eight_is_taken_for_a_repeat_once_the_set_is_full() {
    const SAMPLES: u64 = 20_000;
    let set = set(4);
    let repeats = |from: u64| (from..from + SAMPLES).filter(|number| !is_new(&set, *number)).count();
    // While the set is empty, hardly any.
    assert!((0..1000).filter(|number| !is_new(&set, *number)).count() < 5);
    for number in 1_000_000..1_000_000 + 4 * SEEN_PAIRS {
        is_new(&set, number);
    }
    assert!(set.taken().unwrap() > SEEN_PAIRS * 99 / 100);
    // Binomial: mean 2500, deviation 46.8; four of them.
    let full = repeats(10_000_000);
    set.forget_if_old(NOW + WEEK + 1, WEEK, &mut SeededRandom::new(5)).unwrap();
    let forgotten = repeats(20_000_000);
    for count in [full, forgotten] {
        assert!(count.abs_diff(2500) < 188, "{full} {forgotten}");
    }
}

#[test]
fn what_is_old_is_forgotten_and_a_clock_that_was_set_back_is_no_reason_to_remember_for_ever() {
    let set = set(6);
    let mut random = SeededRandom::new(7);
    assert!(is_new(&set, 1));
    for now in [NOW, NOW + WEEK, NOW - CLOCK_SLACK] {
        set.forget_if_old(now, WEEK, &mut random).unwrap();
        assert!(!is_new(&set, 1), "{now}");
        assert_eq!(set.born().unwrap(), NOW);
    }
    for now in [NOW + WEEK + 1, NOW - CLOCK_SLACK] {
        set.forget_if_old(now, WEEK, &mut random).unwrap();
        assert!(is_new(&set, 1) && !is_new(&set, 1));
        assert_eq!(set.born().unwrap(), now);
    }
}

/// A store that ends its process at the n-th change.
struct Killed<'a> {
    words: &'a MemoryWords,
    left: Cell<u32>,
}

impl WordStore for Killed<'_> {
    fn load(&self, word: u64) -> io::Result<u64> {
        self.words.load(word)
    }

    fn replace(&self, word: u64, old: u64, new: u64) -> io::Result<bool> {
        let left = self.left.get().checked_sub(1).ok_or(io::ErrorKind::Interrupted)?;
        self.left.set(left);
        self.words.replace(word, old, new)
    }
}

/// If a process is killed after any change, the set still works, and the next process at the latest forgets
/// the failures under the old key.
#[test]
fn a_process_killed_at_any_change_leaves_a_set_that_works() {
    for changes in 0..=3 {
        let set = set(8);
        assert!(is_new(&set, 1));
        let killed = SeenFailures { words: Killed { words: &set.words, left: Cell::new(changes) } };
        let done = killed.forget_if_old(NOW + WEEK + 1, WEEK, &mut SeededRandom::new(9));
        assert_eq!(done.is_ok(), changes == 3);
        set.forget_if_old(NOW + WEEK + 1, WEEK, &mut SeededRandom::new(10)).unwrap();
        assert_eq!(set.born().unwrap(), NOW + WEEK + 1);
        assert!(is_new(&set, 1) && !is_new(&set, 1));
    }
    let set = set(11);
    let killed = SeenFailures { words: Killed { words: &set.words, left: Cell::new(0) } };
    assert!(killed.is_new(&of(b"ann", b"secret")).is_err());
    assert!(set.is_new(&of(b"ann", b"secret")).unwrap());
}

/// A word that others change after each read.
struct Contended(MemoryWords);

impl WordStore for Contended {
    fn load(&self, word: u64) -> io::Result<u64> {
        self.0.load(word)
    }

    fn replace(&self, _: u64, _: u64, _: u64) -> io::Result<bool> {
        Ok(false)
    }
}

#[test]
fn after_eight_lost_races_a_failure_counts() {
    let set = SeenFailures { words: Contended(set(12).words) };
    assert!(is_new(&set, 1));
    set.add(Counter::Failures).unwrap();
    assert_eq!(set.count(Counter::Failures).unwrap(), 0);
}

#[test]
fn counters_count() {
    let set = set(13);
    let all = [Counter::Failures, Counter::Counted, Counter::Frequent, Counter::LeftOut];
    for (counter, times) in all.into_iter().zip(1..) {
        (0..times).for_each(|_| set.add(counter).unwrap());
    }
    assert_eq!(all.map(|counter| set.count(counter).unwrap()), [1, 2, 3, 4]);
    assert!(is_new(&set, 1));
}

#[test]
fn words_that_do_not_begin_with_the_magic_are_no_set() {
    let words = MemoryWords::zeros(usize::try_from(SEEN_BYTES / 8).unwrap());
    assert!(SeenFailures::new(words).unwrap().is_none());
}

mod files {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;
    use std::path::PathBuf;

    use super::*;
    use crate::ladder::file::error::LadderError;

    fn place() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("nearmiss/failures");
        (folder, path)
    }

    #[test]
    #[cfg_attr(miri, ignore = "miri cannot map files")]
    fn the_first_failure_makes_the_file_and_the_next_finds_it() {
        let (_folder, path) = place();
        assert!(SeenFailures::open(&path).unwrap().is_none());
        assert!(is_new(&SeenFailures::open_or_make(&path, NOW).unwrap(), 1));
        let again = SeenFailures::open_or_make(&path, NOW).unwrap();
        assert!(!is_new(&again, 1));
        assert_eq!((again.born().unwrap(), again.taken().unwrap()), (NOW, 1));
        let metadata = fs::metadata(&path).unwrap();
        assert_eq!((metadata.len(), metadata.permissions().mode() & 0o777), (SEEN_BYTES, 0o600));
    }

    /// The layout of FORMAT-LADDER.md.
    #[test]
    #[cfg_attr(miri, ignore = "miri cannot map files")]
    fn the_file_is_as_the_format_text_says() {
        let (_folder, path) = place();
        let set = SeenFailures::open_or_make(&path, NOW).unwrap();
        set.add(Counter::LeftOut).unwrap();
        let bytes = fs::read(&path).unwrap();
        assert_eq!(bytes.len(), 4096 + (1 << 17));
        assert_eq!((&bytes[..8], &bytes[8..16]), (b"NMRECENT".as_slice(), NOW.to_le_bytes().as_slice()));
        assert_ne!(bytes[16..24], bytes[24..32]);
        let left_out = [&[0; 24][..], &[1, 0, 0, 0, 0, 0, 0, 0]].concat();
        assert_eq!(bytes[32..64], left_out);
        let other = place();
        SeenFailures::open_or_make(&other.1, NOW).unwrap();
        assert_ne!(bytes[16..32], fs::read(&other.1).unwrap()[16..32], "two files with one key");
    }

    #[test]
    #[cfg_attr(miri, ignore = "miri cannot map files")]
    fn what_is_not_such_a_file_is_not_used_and_not_replaced() {
        let (_folder, path) = place();
        SeenFailures::open_or_make(&path, NOW).unwrap();
        let good = fs::read(&path).unwrap();
        let foreign = [b"other".as_slice(), &good[5..]].concat();
        for bytes in [b"".as_slice(), &good[..4096], &[&good[..], &[0]].concat(), &foreign] {
            fs::write(&path, bytes).unwrap();
            for opened in
                [SeenFailures::open(&path).map(drop), SeenFailures::open_or_make(&path, NOW).map(drop)]
            {
                assert!(matches!(opened, Err(LadderError::NotSeen { .. })), "{opened:?}");
            }
            assert_eq!(fs::read(&path).unwrap(), bytes);
        }
        fs::write(&path, &good).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o666)).unwrap();
        assert!(matches!(SeenFailures::open(&path), Err(LadderError::Storage(_))));
    }
}

/// Reallocation would leave a copy of the password behind, which is not wiped.
#[test]
fn the_room_for_the_parts_is_set_aside_before_they_come() {
    for password in [&b""[..], b"x", b"Summer2026!x", &[b'x'; 300]] {
        let message = message(&of(b"", password));
        assert_eq!((message.len(), message.capacity()), (24 + password.len(), 24 + password.len()));
    }
}
