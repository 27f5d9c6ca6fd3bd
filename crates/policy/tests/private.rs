//! How a filter is opened for questions that are secrets: mapped or copied, by who may read the file.

use std::{
    cell::RefCell,
    fs::{self, File, Permissions},
    io,
    ops::Range,
    os::unix::fs::{FileExt, PermissionsExt},
    path::{Path, PathBuf},
    sync::Mutex,
};

use nearmiss_filters::{
    dictionary::{Buffers, DictionaryFilter, Loading, MAX_COPIED_BYTES, Problem},
    format::{self, Header},
    ladder::LadderFiles,
    storage::Bytes,
    word::Word,
};
use nearmiss_policy::{
    config::{Config, DictionaryRule},
    policy::{Context, Reason},
    site::Site,
};

/// One of the frozen filters with these permission bits.
struct Filter {
    _folder: tempfile::TempDir,
    path: PathBuf,
}

/// The header of a filter without a table of 4-grams.
fn golden() -> Header {
    let bytes = fs::read(Filter::new(0o600).path).unwrap();
    Header { four_gram_pages: 0, ..format::decode(&bytes, bytes.len() as u64).unwrap() }
}

impl Filter {
    fn new(mode: u32) -> Filter {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("words.filter");
        fs::copy(Path::new(env!("CARGO_MANIFEST_DIR")).join("../filters/tests/golden/near-8.filter"), &path)
            .unwrap();
        fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
        Filter { _folder: folder, path }
    }

    /// The same with so many bytes, nearly all of them in a hole.
    fn of_bytes(mode: u32, file_bytes: u64) -> Filter {
        let filter = Filter::new(mode);
        let mut header = golden();
        header.pages = (file_bytes - header.header_bytes() as u64) / 4096;
        let file = File::options().write(true).open(&filter.path).unwrap();
        file.write_all_at(&format::encode(&header), 0).unwrap();
        file.set_len(header.file_bytes()).unwrap();
        filter
    }

    fn config(&self, private_copy: bool) -> Config {
        let dictionaries = vec![DictionaryRule::new(self.path.clone())];
        let ladder = LadderFiles { file: "/nonexistent/ladder".into(), key: "/nonexistent/key".into() };
        Config { dictionaries, private_copy, ladder, ..Config::default() }
    }

    fn is_copied(&self, loading: Loading) -> bool {
        DictionaryFilter::open(&self.path, loading).unwrap().is_copy()
    }
}

#[test]
fn what_others_may_read_is_copied_and_nothing_else_is() {
    for (mode, is_public) in [(0o600, false), (0o640, false), (0o644, true), (0o604, true), (0o400, false)] {
        let filter = Filter::new(mode);
        assert_eq!(filter.is_copied(Loading::Unobserved), is_public, "{mode:o}");
        assert!(filter.is_copied(Loading::Copied) && !filter.is_copied(Loading::Mapped), "{mode:o}");
    }
}

#[test]
fn a_site_copies_what_is_public_or_all_of_it_and_names_what_is_public() {
    for mode in [0o600, 0o640, 0o644] {
        for private_copy in [false, true] {
            let filter = Filter::new(mode);
            let site = Site::new(filter.config(private_copy));
            let is_public = mode == 0o644;
            assert_eq!(site.rules()[0].filter.is_copy(), is_public || private_copy, "{mode:o}");
            let named: Vec<&Path> = site.public_filters().collect();
            let expected = if is_public { vec![filter.path.as_path()] } else { Vec::new() };
            assert_eq!(named, expected, "{mode:o}");
            let decision = site.decide(b"elephqnt", &Context::default());
            let reason = decision.rejection().unwrap().map(|finding| finding.reason);
            assert_eq!(reason, Some(Reason::NearDictionary), "{mode:o}");
        }
    }
}

#[test]
fn a_damaged_page_of_a_copy_is_found() {
    let filter = Filter::new(0o644);
    let file = File::options().write(true).open(&filter.path).unwrap();
    file.write_all_at(&[0xff], 4096 + 77).unwrap();
    let copy = DictionaryFilter::open(&filter.path, Loading::Unobserved).unwrap();
    let problem = copy.contains_entry(b"elephant").unwrap_err().problem;
    assert!(copy.is_copy() && matches!(problem, Problem::DamagedPage { index: 0 }), "{problem:?}");
}

/// Held by the tests that take much memory, one of which measures it.
static MEMORY: Mutex<()> = Mutex::new(());

#[test]
fn up_to_64_mib_are_copied() {
    let _alone = MEMORY.lock();
    assert!(Filter::of_bytes(0o644, MAX_COPIED_BYTES).is_copied(Loading::Unobserved));
    for (mode, loading, is_why) in
        [(0o644, Loading::Unobserved, true), (0o644, Loading::Copied, true), (0o600, Loading::Copied, false)]
    {
        let filter = Filter::of_bytes(mode, MAX_COPIED_BYTES + 4096);
        assert!(!filter.is_copied(Loading::Mapped));
        let error = DictionaryFilter::open(&filter.path, loading).unwrap_err();
        let told = error.to_string();
        assert!(
            matches!(error.problem, Problem::TooLargeToCopy { is_public } if is_public == is_why),
            "{told}"
        );
        let advice = if is_why { "without --public" } else { "private_copy = false" };
        assert!(told.contains("64 MiB") && told.contains(advice), "{told}");
    }
}

/// Bytes that note which ranges are made readable.
struct Watched<'b> {
    bytes: &'b [u8],
    ranges: RefCell<Vec<Range<usize>>>,
}

impl Bytes for &Watched<'_> {
    fn bytes(&self) -> &[u8] {
        self.bytes
    }

    fn populate(&self, range: Range<usize>) -> io::Result<()> {
        self.ranges.borrow_mut().push(range);
        Ok(())
    }
}

/// What a filter of so many pages makes readable for these questions, until a page turns out to be empty.
fn populated(pages: u64, words: &[&str]) -> Vec<Range<usize>> {
    let mut header = golden();
    header.pages = pages;
    let mut bytes = format::encode(&header);
    bytes.resize(usize::try_from(header.file_bytes()).unwrap(), 0);
    let watched = Watched { bytes: &bytes, ranges: RefCell::default() };
    let filter = DictionaryFilter::from_bytes(&watched).unwrap();
    for word in words {
        let word = Word::clean(word.as_bytes()).ok().unwrap();
        assert!(filter.contains(&word, &mut Buffers::default()).is_err(), "pages without a checksum");
        let _ = filter.nearest(&word, true, &mut Buffers::default());
    }
    watched.ranges.take()
}

/// The number of page faults is for every user to read.
#[test]
fn a_filter_of_up_to_8_mib_is_made_readable_whole_whatever_is_asked() {
    let _alone = MEMORY.lock();
    let whole = 4096..4096 + (8 << 20);
    for word in ["elephant", "password"] {
        assert_eq!(populated(2048, &[word]), std::slice::from_ref(&whole), "{word}");
        let pages = populated(2049, &[word]);
        assert!(pages.iter().all(|page| page.len() == 4096), "{word}: {pages:?}");
    }
    assert_eq!(populated(2048, &["elephant", "password", "stranger"]), [whole], "once");
}

/// What a copy took goes back to the system, not to the allocator: a server checks many passwords.
#[test]
fn the_memory_of_a_copy_is_given_back() {
    let _alone = MEMORY.lock();
    let filter = Filter::of_bytes(0o644, 32 << 20);
    let before = resident_kib();
    let copy = DictionaryFilter::open(&filter.path, Loading::Unobserved).unwrap();
    let during = resident_kib();
    assert!(during - before > 31 << 10, "{before} KiB, then {during}");
    drop(copy);
    let after = resident_kib();
    assert!(during - after > 31 << 10, "{during} KiB, then {after}");
}

fn resident_kib() -> i64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}
