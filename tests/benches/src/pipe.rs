//! A list of digests that is longer than the memory, through a pipe: `filterctl build` of ordered, distinct
//! digests with counts, made while they are read.

use std::{
    fs,
    process::{Child, Command, Stdio},
    thread::sleep,
    time::{Duration, Instant},
};

use crate::{
    report::{Target, bytes, duration, line, section},
    work::Work,
};

/// Digests of the full measure: as many as the longest breach list has.
const BILLION: u64 = 1_000_000_000;

/// A first try, to see how long the full measure will take.
const TENTH: u64 = BILLION / 10;

/// Seconds of processor time that a builder of [`BILLION`] digests may take.
const MAX_SECONDS: f64 = 150.0;

/// MiB that a builder may take.
const MAX_MIB: f64 = 64.0;

/// How often the builder is looked at.
const PAUSE: Duration = Duration::from_millis(20);

/// Clock ticks a second in `/proc`, which Linux shows to programs whatever its own are.
const TICKS: f64 = 100.0;

/// Runs the measure with 10⁹ digests.
pub fn run(work: &Work) {
    measure(work, BILLION);
}

/// Runs the measure with 10⁸ digests.
pub fn run_tenth(work: &Work) {
    measure(work, TENTH);
}

fn measure(work: &Work, count: u64) {
    section(&format!("filterctl build of {count} SHA-1 digests through a pipe, 2 threads"));
    let filter = work.path("pipe.filter");
    let start = Instant::now();
    let mut generator = Command::new(std::env::current_exe().expect("this program"))
        .args(["digests", &count.to_string()])
        .stdout(Stdio::piped())
        .spawn()
        .expect("this program");
    let mut builder = Command::new(work.path("bin/filterctl"))
        .args(["build", "--quiet", "--kind", "sha1", "--false-rejection", "0.001", "--jobs", "2"])
        .arg("--output")
        .arg(&filter)
        .arg("-")
        .stdin(generator.stdout.take().expect("a pipe"))
        .spawn()
        .expect("filterctl, which bench.sh builds for this measure");
    let seen = watch(&mut builder);
    let elapsed = start.elapsed().as_secs_f64();
    assert!(generator.wait().is_ok_and(|status| status.success()), "the generator");
    let size = fs::metadata(&filter).expect("a filter").len() as f64;
    fs::remove_file(&filter).expect("the folder of the run");
    let share = count as f64 / BILLION as f64;
    let clock = format!("{} on the clock, generator included", duration(elapsed * 1e9));
    let target = Target::AtMost(MAX_SECONDS * share);
    line("the builder's processor time, s", &duration(seen.seconds * 1e9), &clock, seen.seconds, target);
    let sizes = format!("peak {}, filter {}", bytes(seen.peak), bytes(size));
    let peak = seen.peak / f64::from(1 << 20);
    line("peak of memory, MiB", &sizes, "", peak, Target::AtMost(MAX_MIB));
    line("M digests a second on the clock", &clock, "", count as f64 / elapsed / 1e6, Target::None);
}

/// What `/proc` showed of a process last.
#[derive(Default)]
pub struct Seen {
    /// Processor time.
    pub seconds: f64,
    /// Most resident bytes.
    pub peak: f64,
}

/// Waits for the process.
pub fn watch(process: &mut Child) -> Seen {
    let mut seen = Seen::default();
    loop {
        if let Some(now) = look(process.id()) {
            seen = now;
        }
        if let Some(status) = process.try_wait().expect("a child") {
            assert!(status.success(), "filterctl build: {status}");
            return seen;
        }
        sleep(PAUSE);
    }
}

fn look(process: u32) -> Option<Seen> {
    let file = |name: &str| fs::read_to_string(format!("/proc/{process}/{name}")).ok();
    // The fields behind the program's name, which may have spaces in it, from the third on.
    let stat = file("stat")?;
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = |at: usize| fields.get(at)?.parse::<f64>().ok();
    let status = file("status")?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: f64 = peak.split_whitespace().next()?.parse().ok()?;
    Some(Seen { seconds: (ticks(11)? + ticks(12)?) / TICKS, peak: kib * 1024.0 })
}
