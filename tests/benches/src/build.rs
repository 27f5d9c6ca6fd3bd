//! Build: words a second and peak memory, on one and two threads, in processes of their own.

use std::{path::Path, process::Command, time::Instant};

use crate::{
    child::{self, Measured, Passes},
    harness::median,
    peers,
    report::{Target, bytes, duration, figure, line, section},
    work::{PASSWORDS, Work},
};

/// Words of the long lists.
const LONG: usize = 10_000_000;
const LONGEST: usize = 14_000_000;

/// Digests of the hash list that is really built.
const DIGESTS: u64 = 100_000_000;

/// Runs the measure.
pub fn run(work: &Work) {
    beside_peers(work);
    long_lists(work);
    digests(work, 10_000_000, true);
    digests(work, DIGESTS, false);
}

/// The median by time of three builds.
fn built(work: &Work, kind: &str, threads: usize, list: &Path) -> Measured {
    let mut runs = [(); 3].map(|()| child::resident(work, kind, threads, list));
    runs.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
    runs[1]
}

fn speed(words: usize, seconds: f64) -> String {
    format!("{} M words/s", figure(words as f64 / seconds / 1e6))
}

fn beside_peers(work: &Work) {
    section("build, 1 M passwords, from a file in the page cache (survey and insertion)");
    let list = work.list_file(PASSWORDS);
    let ours = built(work, "near", 2, &list);
    let name = format!("near, 2 threads, {}, peak {}", speed(PASSWORDS, ours.seconds), bytes(ours.peak));
    let show = |peer: String, seconds: f64| {
        let theirs = format!("{peer} {}", speed(PASSWORDS, seconds));
        line("seconds, ours ÷ theirs", &name, &theirs, ours.seconds / seconds, Target::None);
    };
    for (kind, threads) in
        [("near", 1), ("compact", 1), ("compact", 2), ("paper", 1), ("paper", 2), ("exact", 2), ("fst", 1)]
    {
        let theirs = built(work, kind, threads, &list);
        show(format!("{kind}, {threads} threads, peak {},", bytes(theirs.peak)), theirs.seconds);
    }
    for peer in ["cracklib-packer", "pwqfilter --create"] {
        let times = [(); 3].map(|()| {
            let start = Instant::now();
            if peer.starts_with("pwq") {
                peers::pwqfilter(work, &list, PASSWORDS);
            } else {
                peers::cracklib(work, &list, "crack-build");
            }
            start.elapsed().as_secs_f64()
        });
        show(peer.to_owned(), median(times.to_vec()));
    }
}

fn long_lists(work: &Work) {
    section("build, long lists");
    let list = work.list_file(LONG);
    let [one, two] = [1, 2].map(|threads| built(work, "near", threads, &list));
    let rate = LONG as f64 / two.seconds / 1e6;
    line("near, 10 M words, 2 threads, M words/s", &speed(LONG, two.seconds), "", rate, Target::AtLeast(3.0));
    let speedup = one.seconds / two.seconds;
    line(
        "near, 1 thread ÷ 2 threads",
        &duration(two.seconds * 1e9),
        &duration(one.seconds * 1e9),
        speedup,
        Target::AtLeast(1.5),
    );
    let over = (two.peak - two.bytes) / f64::from(1 << 20);
    let sizes = (format!("peak {}", bytes(two.peak)), format!("filter {}", bytes(two.bytes)));
    line("near, MiB over the filter", &sizes.0, &sizes.1, over, Target::AtMost(64.0));
    let list = work.list_file(LONGEST);
    let near = child::resident(work, "near", 2, &list);
    let name =
        format!("{}, peak {}, filter {}", duration(near.seconds * 1e9), bytes(near.peak), bytes(near.bytes));
    line(
        "near, 14 M words, 2 threads, M words/s",
        &name,
        "",
        LONGEST as f64 / near.seconds / 1e6,
        Target::None,
    );
    let compact = built(work, "compact", 2, &list);
    let rate = LONGEST as f64 / compact.seconds / 1e6;
    line("compact, 14 M words, 2 threads, M words/s", &bytes(compact.bytes), "", rate, Target::AtLeast(10.0));
    filterctl(work, &list, near);
}

/// The same by the tool, writing the file included, when it is built.
fn filterctl(work: &Work, list: &Path, library: Measured) {
    let tool = work.path("bin/filterctl");
    if !tool.exists() {
        return;
    }
    let seconds = seconds_of(&tool, &[], list, &work.path("tool.filter"));
    let names = (duration(seconds * 1e9), format!("library alone {}", duration(library.seconds * 1e9)));
    line(
        "filterctl build, 14 M words ÷ library",
        &names.0,
        &names.1,
        seconds / library.seconds,
        Target::None,
    );
}

/// The seconds in which this filterctl builds a filter of a list, the file written.
pub fn seconds_of(program: &Path, options: &[&str], list: &Path, filter: &Path) -> f64 {
    let mut command = Command::new(program);
    command.args(["build", "--quiet", "--key", "000102030405060708090a0b0c0d0e0f"]).args(options);
    command.args(["--false-rejection", "0.01", "--characters", "8", "--no-variants", "--jobs", "2", "-o"]);
    command.arg(filter).arg(list);
    let start = Instant::now();
    peers::output(&mut command, b"").expect("filterctl build");
    start.elapsed().as_secs_f64()
}

/// A filter of synthetic digests, in a process of its own; the time to make them is not counted.
fn digests(work: &Work, count: u64, is_goal: bool) {
    section(&format!("build, sha1 exact, {} M digests, 1 %, 2 threads", count / 1_000_000));
    let Passes { seconds, peak, bytes: size } = child::digests(work, count);
    let (parts, total) = (seconds.map(|pass| duration(pass * 1e9)), seconds[0] + seconds[1]);
    let parts = format!("survey {}, insertion {}", parts[0], parts[1]);
    let sizes = format!("{} filter, peak {}", bytes(size), bytes(peak));
    let targets =
        if is_goal { (Target::AtLeast(10.0), Target::AtLeast(200.0)) } else { (Target::None, Target::None) };
    let text = count as f64 * 44.0;
    line("M entries/s, both passes", &parts, &sizes, count as f64 / total / 1e6, targets.0);
    line("MB/s of input text, both passes", &parts, "", text / total / 1e6, targets.1);
    line("MiB over the filter", &parts, &sizes, (peak - size) / f64::from(1 << 20), Target::AtMost(64.0));
    let billion = 1e9 / count as f64;
    line("calculated for 10⁹ digests, s", &parts, &bytes(size * billion), total * billion, Target::None);
}
