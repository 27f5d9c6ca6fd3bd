//! Another user who watches the page cache: the program that does (`tools/spy.c`), a filter where it can, and
//! what it finds out.

use std::{
    cell::RefCell,
    collections::BTreeSet,
    fs, io,
    ops::Range,
    path::{Path, PathBuf},
    process::Command,
    rc::Rc,
};

use nearmiss_filters::{
    dictionary::DictionaryFilter,
    format::{self, Header, Match},
    page::page_of,
    storage::Bytes,
    word::Word,
};
use nearmiss_policy::policy::{
    Context, Examination, Ladders, OpenDictionary, Policy, StructureRules, variants,
};
use tempfile::TempDir;

use crate::{artifacts::artifacts, faults::compile, filters::set_mode};

/// A user who is neither the tester nor root.
pub const SPY: u32 = 4343;

/// The mount point of the folder of a [`Scene`].
pub const PLACE: &str = "/run/spied";
/// The same folder, by a path at which a module with debug assertions reads page by page.
pub const PAGE_BY_PAGE_PLACE: &str = "/run/page-by-page";

const PAGE_BYTES: usize = 4096;

/// A folder on a disk with a filter and the spy's program in it.
pub struct Scene {
    folder: TempDir,
}

impl Scene {
    /// A folder whose pages can be taken out of the page cache, with a filter of 21 MiB that is written with
    /// these options of `filterctl build`; none if there is no such folder (a file system in memory has no
    /// other place for pages).
    pub fn new(options: &[&str]) -> Option<Scene> {
        let scene = Scene { folder: on_a_disk()? };
        let mut build = Command::new(&artifacts().filterctl);
        build.args(["build", "--quiet", "--common", "--capacity", "1500000", "--output"]);
        let status = build.arg(scene.filter()).args(options).status().expect("filterctl can be run");
        assert!(status.success(), "filterctl build {options:?}");
        Some(scene)
    }

    /// The filter, outside the scenario.
    pub fn filter(&self) -> PathBuf {
        self.folder.path().join("words.filter")
    }

    /// The command that mounts the folder in the scenario.
    pub fn mount(&self) -> String {
        let mount =
            |place| format!("mkdir {place} && mount --bind '{}' {place}", self.folder.path().display());
        [mount(PLACE), mount(PAGE_BY_PAGE_PLACE)].join(" && ")
    }
}

/// The first of these folders whose pages can be dropped: of the workspace, or of the system.
fn on_a_disk() -> Option<TempDir> {
    let target = crate::artifacts::workspace().join("target/tmp");
    [target.as_path(), Path::new("/var/tmp")].into_iter().find_map(|parent| {
        fs::create_dir_all(parent).ok()?;
        let folder = tempfile::tempdir_in(parent).ok()?;
        set_mode(folder.path(), 0o755);
        let spy = folder.path().join("spy");
        compile("spy.c", &["-Wall"], &spy);
        let file = folder.path().join("tried");
        fs::write(&file, vec![7; 64 * PAGE_BYTES]).ok()?;
        fs::File::open(&file).ok()?.sync_all().ok()?;
        let pages = |act| Command::new(&spy).arg(act).arg(&file).output().ok().map(|output| output.stdout);
        pages("drop")?;
        pages("look")?.is_empty().then_some(folder)
    })
}

/// The numbers that `spy look` prints: pages of the file that are in the page cache, the pages of the header
/// less.
pub fn pages_seen(transcript: &str, header: &Header) -> BTreeSet<u64> {
    let first = (header.header_bytes() / PAGE_BYTES) as u64;
    let pages = transcript.lines().map(|line| line.parse::<u64>().expect("the spy prints numbers"));
    pages.filter_map(|page| page.checked_sub(first)).collect()
}

/// The pages of whose lines `spy watch` saw one come back.
///
/// # Errors
/// The reason why the spy sees nothing.
pub fn lines_seen(transcript: &str, header: &Header) -> Result<BTreeSet<u64>, String> {
    if let Some(reason) = transcript.lines().find_map(|line| line.strip_prefix("blind ")) {
        return Err(reason.to_owned());
    }
    let indices: Vec<&str> = transcript.lines().filter_map(|line| line.strip_prefix("line ")).collect();
    assert!(!indices.is_empty(), "the spy says neither what it saw nor that it is blind: {transcript}");
    Ok(pages_seen(&indices.join("\n"), header))
}

/// The facts that a reader of the filter can compute.
pub struct Attacker {
    bytes: Vec<u8>,
    header: Header,
}

impl Attacker {
    /// One who has read this file.
    pub fn new(filter: &Path) -> Attacker {
        let bytes = fs::read(filter).expect("the filter is there");
        let header = format::decode(&bytes, bytes.len() as u64).expect("it is a filter");
        Attacker { bytes, header }
    }

    /// The filter's header.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The pages that a check of this password reads.
    pub fn pages_of(&self, password: &str) -> BTreeSet<u64> {
        let asked = Rc::default();
        let watched = Watched { bytes: &self.bytes, asked: Rc::clone(&asked) };
        let filter = DictionaryFilter::from_bytes(watched).expect("it is a filter");
        let rules = [OpenDictionary { filter, matching: Match::Near }];
        let sources = Examination::new(&rules, Ladders::default());
        let examined = policy().examine(password.as_bytes(), &Context::default(), sources);
        drop(examined.complete().expect("nothing is damaged"));
        let first = self.header.header_bytes();
        asked.take().into_iter().map(|start| ((start - first) / PAGE_BYTES) as u64).collect()
    }

    /// The passwords of which at least this part of the pages was seen.
    pub fn left<'p>(&self, passwords: &'p [String], seen: &BTreeSet<u64>, part: f64) -> Vec<&'p str> {
        let is_possible = |password: &&String| {
            part_of(&self.words_of(password), seen) >= part - 0.2
                && part_of(&self.pages_of(password), seen) >= part
        };
        passwords.iter().filter(is_possible).map(String::as_str).collect()
    }

    /// The pages of the variants of a password as words: a few of all, found at the cost of a hash each.
    fn words_of(&self, password: &str) -> BTreeSet<u64> {
        let word = Word::clean(password.as_bytes()).expect("a short password");
        let variants = variants::of(word, Policy::default().variants);
        let looked_up = variants.iter().filter(|variant| variant.may_match(4));
        let page = |bytes| page_of(self.header.key.hash(bytes), self.header.pages);
        looked_up.map(|variant| page(variant.word.as_bytes())).collect()
    }
}

/// The default policy without the rules for what a password is made of.
fn policy() -> Policy {
    Policy { structure: StructureRules::NONE, ..Policy::default() }
}

/// The pages that `spy watch` needs for itself, at the end of the file.
pub const MARKED: u64 = 64;

/// The part of these pages that was seen.
pub fn part_of(pages: &BTreeSet<u64>, seen: &BTreeSet<u64>) -> f64 {
    pages.intersection(seen).count() as f64 / pages.len().max(1) as f64
}

/// Bytes of a filter that record which of them are read.
struct Watched<'b> {
    bytes: &'b [u8],
    asked: Rc<RefCell<Vec<usize>>>,
}

impl Bytes for Watched<'_> {
    fn bytes(&self) -> &[u8] {
        self.bytes
    }

    fn populate(&self, range: Range<usize>) -> io::Result<()> {
        assert_eq!(range.len(), PAGE_BYTES, "the filter is large enough to be read page by page");
        self.asked.borrow_mut().push(range.start);
        Ok(())
    }
}

/// A hundred thousand passwords of a kind: two words with letters between them and a number, near to no word.
pub fn passwords() -> Vec<String> {
    const FIRST: [&str; 25] = [
        "Marble", "Copper", "Velvet", "Thunder", "Silent", "Crooked", "Golden", "Hollow", "Jagged", "Lonely",
        "Mellow", "Narrow", "Orange", "Purple", "Quiet", "Rusty", "Sudden", "Tidy", "Upper", "Violet",
        "Wicked", "Yellow", "Zesty", "Amber", "Brisk",
    ];
    const SECOND: [&str; 40] = [
        "Gondola", "Trombone", "Walrus", "Lantern", "Pickle", "Glacier", "Meadow", "Saddle", "Anchor",
        "Bucket", "Cactus", "Dragon", "Engine", "Falcon", "Garlic", "Hammer", "Island", "Jungle", "Kettle",
        "Ladder", "Magnet", "Needle", "Oyster", "Parrot", "Quarry", "Rocket", "Spider", "Tunnel", "Urchin",
        "Valley", "Wagon", "Yogurt", "Zipper", "Basket", "Candle", "Donkey", "Fiddle", "Goblet", "Harbor",
        "Icicle",
    ];
    let pairs = FIRST.iter().flat_map(|first| SECOND.iter().map(move |second| (first, second)));
    pairs.flat_map(|(first, second)| (0..100).map(move |n| format!("{first}vq{second}{n:02}"))).collect()
}
