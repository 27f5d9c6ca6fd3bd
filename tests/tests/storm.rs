//! Many processes at once: builds killed at random moments while readers verify, and a ladder stepped by
//! eight processes while the dictionary filter is replaced beside it and passwords are checked against it.
//!
//! `make test` does a short form of each; `make torture` (the ignored tests) 1,000 kills and a minute.

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
    thread,
    time::{Duration, Instant},
};

use nearmiss_filters::{
    dictionary::{Buffers, DictionaryFilter, Loading},
    ladder::{BitStore, ChosenLadder, LadderFiles, NewLadder, Params, create, ones},
    storage::{Access, Replacement},
    word::Word,
};
use nearmiss_policy::{
    config::{Config, DictionaryRule},
    policy::Context,
    site::Site,
};
use nearmiss_tests::{HANGS, artifacts::artifacts, report_tried};

/// Raised when the block it stands in ends, also by a panic: what runs beside it must end too.
struct RaiseAtEnd<'a>(&'a AtomicBool);

impl Drop for RaiseAtEnd<'_> {
    fn drop(&mut self) {
        self.0.store(true, Relaxed);
    }
}

/// Two lists with one word in common, and the filters that they make.
struct Lists {
    folder: tempfile::TempDir,
    made: Vec<Vec<u8>>,
}

const COMMON: &str = "commonword";

impl Lists {
    fn new() -> Lists {
        let mut lists = Lists { folder: tempfile::tempdir().unwrap(), made: Vec::new() };
        for name in ["a", "b"] {
            let words: String = (0..3000).map(|number| format!("{name}{number}word\n")).collect();
            fs::write(lists.path(name), format!("{COMMON}\n{words}")).unwrap();
            assert!(lists.build(name).wait().unwrap().success());
            lists.made.push(fs::read(lists.filter()).unwrap());
        }
        lists
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn filter(&self) -> PathBuf {
        self.path("words.filter")
    }

    fn build(&self, list: &str) -> Child {
        let mut command = Command::new(&artifacts().filterctl);
        command.args(["build", "--key", "000102030405060708090a0b0c0d0e0f", "-o"]).arg(self.filter());
        command.arg(self.path(list)).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    }

    /// A reader of the filter until `is_over`: whole, one of the two, with the word in it. How often it
    /// looked.
    fn verify(&self, is_over: &AtomicBool) -> u64 {
        let (mut looks, mut buffers) = (0, Buffers::default());
        let word = Word::clean(COMMON.as_bytes()).ok().unwrap();
        while !is_over.load(Relaxed) {
            let filter = DictionaryFilter::open(&self.filter(), Loading::Mapped)
                .expect("there is a whole filter at any moment");
            filter.scan(|page, _, is_intact| assert!(is_intact, "page {page} is damaged")).unwrap();
            assert!(filter.contains(&word, &mut buffers).unwrap());
            assert!(self.made.contains(&fs::read(self.filter()).unwrap()), "neither of the two");
            looks += 1;
        }
        looks
    }
}

/// Builds killed at moments spread over the time a build takes; how often they were really killed.
fn kill_builds(kills: u64) {
    let lists = Lists::new();
    let mut took = {
        let start = Instant::now();
        lists.build("a").wait().unwrap();
        start.elapsed().max(Duration::from_millis(2))
    };
    let is_over = AtomicBool::new(false);
    let (mut killed, mut tried) = (0, 0_u32);
    thread::scope(|scope| {
        let readers: Vec<_> = (0..2).map(|_| scope.spawn(|| lists.verify(&is_over))).collect();
        let raise = RaiseAtEnd(&is_over);
        while killed < kills && u64::from(tried) < 4 * kills {
            let mut build = lists.build(if tried.is_multiple_of(2) { "a" } else { "b" });
            thread::sleep(took * (tried * 37 % 101) / 80);
            build.kill().unwrap();
            let was_killed = build.wait().unwrap().code().is_none();
            killed += u64::from(was_killed);
            tried += 1;
            // The time that a build takes changes with what else the machine does: about a third end before
            // the kill.
            took = if was_killed { took * 21 / 20 } else { (took * 9 / 10).max(Duration::from_millis(2)) };
        }
        drop(raise);
        let looks: u64 = readers.into_iter().map(|reader| reader.join().expect("a reader")).sum();
        assert!(looks > kills / 10, "{looks} looks");
    });
    assert!(killed >= kills, "{killed} of {tried} builds were killed");
    assert!(lists.build("a").wait().unwrap().success());
    let hidden = fs::read_dir(lists.folder.path())
        .unwrap()
        .flatten()
        .filter(|it| it.file_name().as_encoded_bytes()[0] == b'.');
    assert_eq!(hidden.count(), 0, "the next build takes over what a killed one left");
    report_tried("builds killed at random moments while readers verify", killed);
}

#[test]
fn thirty_killed_builds() {
    kill_builds(30);
}

#[test]
#[ignore = "make torture"]
fn a_thousand_killed_builds() {
    kill_builds(1000);
}

/// Eight processes that step, one that replaces the filter, four threads that check: for so long.
fn storm(seconds: u64) {
    let lists = Lists::new();
    let files = LadderFiles { file: lists.path("state/l.ladder"), key: lists.path("etc/l.key") };
    let params = Params::new(1 << 20, 16, 16, 2).unwrap();
    create(&files, &NewLadder { params, cost: None, stamps: 256 }, false).unwrap();
    let (is_over, checked, replaced) = (AtomicBool::new(false), AtomicU64::new(0), AtomicU64::new(0));
    let steppers: Vec<Stepper> = (0..8).map(|number| Stepper::start(&lists, &files, number)).collect();
    thread::scope(|scope| {
        let checkers: Vec<_> =
            (0..4).map(|_| scope.spawn(|| check(&lists, &files, &is_over, &checked))).collect();
        let writer = scope.spawn(|| replace(&lists, &is_over, &replaced));
        let raise = RaiseAtEnd(&is_over);
        thread::sleep(Duration::from_secs(seconds));
        // However busy the machine: until there was enough of everything.
        let is_enough = || checked.load(Relaxed) > 100 && replaced.load(Relaxed) > 10;
        let end = Instant::now() + HANGS;
        while !is_enough() && Instant::now() < end {
            thread::sleep(Duration::from_millis(10));
        }
        drop(raise);
        for checker in checkers {
            checker.join().expect("a checker");
        }
        writer.join().expect("the replacer");
    });
    let counts = [checked, replaced].map(AtomicU64::into_inner);
    let steps: u64 = steppers.into_iter().map(Stepper::end).sum();
    check_balance(&files, &params);
    assert!(steps > 1000 && counts[0] > 10 && counts[1] > 10, "{steps} steps, {counts:?}");
    report_tried("steps of eight processes on one ladder", steps);
    report_tried("checks beside them and the replacements", counts[0]);
    report_tried("replacements of the filter", counts[1]);
}

/// The count of ones keeps within six standard deviations of half: √(N / 8) at balance.
fn check_balance(files: &LadderFiles, params: &Params) {
    let ladder = ChosenLadder::open(files).unwrap().unwrap();
    let bits = ladder.ladder().bits();
    let count = ones(bits, 0, bits.byte_count()).unwrap();
    let deviation = (params.bits() as f64 / 8.0).sqrt();
    let off = count as f64 - params.bits() as f64 / 2.0;
    // Concurrent clears of one bit and steps between read and write shift the balance by less than one
    // deviation.
    assert!(off.abs() < 7.0 * deviation, "{count} ones of {}", params.bits());
}

/// A process that steps a ladder for the passwords it is given; it is given new ones all the time.
struct Stepper {
    child: Child,
    feeder: thread::JoinHandle<u64>,
    is_over: &'static AtomicBool,
}

impl Stepper {
    fn start(lists: &Lists, files: &LadderFiles, number: u64) -> Stepper {
        let mut command = Command::new(&artifacts().filterctl);
        command
            .args(["ladder", "step", "--steps", "2", "--file"])
            .arg(&files.file)
            .arg("--key")
            .arg(&files.key);
        command.stdin(Stdio::piped()).stdout(Stdio::null()).current_dir(lists.folder.path());
        let mut child = command.spawn().unwrap();
        let mut input = child.stdin.take().unwrap();
        let is_over: &'static AtomicBool = Box::leak(Box::new(AtomicBool::new(false)));
        let feeder = thread::spawn(move || {
            let mut given = 0;
            while !is_over.load(Relaxed) {
                let lines: String =
                    (given..given + 50).map(|line| format!("password {number} {line}\n")).collect();
                if input.write_all(lines.as_bytes()).is_err() {
                    break;
                }
                given += 50;
            }
            given
        });
        Stepper { child, feeder, is_over }
    }

    /// Lets the process come to its end; how many passwords it took.
    fn end(mut self) -> u64 {
        self.is_over.store(true, Relaxed);
        let given = self.feeder.join().expect("a feeder");
        assert!(self.child.wait().unwrap().success(), "a stepper failed");
        given
    }
}

/// Replaces the filter every 10 ms by the one or the other.
fn replace(lists: &Lists, is_over: &AtomicBool, replaced: &AtomicU64) {
    while !is_over.load(Relaxed) {
        let mut file = Replacement::create(&lists.filter(), Access::Private).unwrap();
        let which = usize::try_from(replaced.load(Relaxed) % 2).unwrap();
        file.write(&lists.made[which]).unwrap();
        file.commit().unwrap();
        replaced.fetch_add(1, Relaxed);
        thread::sleep(Duration::from_millis(10));
    }
}

/// Checks as the module does, from the opening on: what is in both lists is rejected, what is in neither is
/// accepted.
fn check(lists: &Lists, files: &LadderFiles, is_over: &AtomicBool, checks: &AtomicU64) {
    let rule = DictionaryRule::new(lists.filter());
    let config = Config { dictionaries: vec![rule], ladder: files.clone(), ..Config::default() };
    while !is_over.load(Relaxed) {
        let site = Site::without_ladder(config.clone());
        for (password, is_accepted) in
            [("c0mmonword!", false), ("commonwor", false), ("Zz9-uncommon-phrase", true)]
        {
            let decision = site.decide(password.as_bytes(), &Context::default());
            let rejection = decision.rejection().expect("there is a whole filter at any moment");
            assert_eq!(rejection.is_none(), is_accepted, "{password}");
            checks.fetch_add(1, Relaxed);
        }
    }
}

#[test]
fn three_seconds_of_steps_replacements_and_checks() {
    storm(3);
}

#[test]
#[ignore = "make torture"]
fn a_minute_of_steps_replacements_and_checks() {
    storm(60);
}

/// The file that a builder replaces only whole: the path of the filter is never anything but a filter.
#[test]
fn two_builds_at_once_make_one_whole_filter() {
    let lists = Lists::new();
    for _ in 0..10 {
        let (mut one, mut two) = (lists.build("a"), lists.build("b"));
        let done = [one.wait().unwrap(), two.wait().unwrap()];
        assert!(done.iter().any(ExitStatus::success) && done.iter().all(|status| status.code().is_some()));
        assert!(lists.made.contains(&fs::read(lists.filter()).unwrap()));
        assert!(Path::new(&lists.filter()).exists());
    }
}
