//! `filterctl build` of files of digests, as an administrator does it, beside the program of another commit.

use std::{
    fs::{self, File},
    path::Path,
    process::Command,
};

use crate::{
    build::seconds_of,
    report::{Target, duration, line, section},
    work::Work,
};

/// Digests of the lists, and how many times as fast as before they are to be read.
const LISTS: [(u64, f64); 2] = [(10_000_000, 4.0), (100_000_000, 3.0)];

/// Builds of each program, in turn; the least time counts.
const TURNS: usize = 3;

/// Runs the measure; without the other program, the time of this one alone.
pub fn run(work: &Work) {
    section("filterctl build of files of SHA-1 digests, 1 %, 2 threads");
    for (count, times) in LISTS {
        let list = work.path("digests.txt");
        write_list(&list, count);
        let programs = ["bin/filterctl", "before/bin/filterctl"].map(|name| work.path(name));
        let (filter, mut least) = (work.path("digests.filter"), [f64::INFINITY; 2]);
        for _ in 0..TURNS {
            for (program, least) in programs.iter().zip(&mut least).filter(|(program, _)| program.exists()) {
                *least = least.min(seconds_of(program, &["--kind", "sha1"], &list, &filter));
            }
        }
        [list, filter].iter().for_each(|file| fs::remove_file(file).expect("the folder of the run"));
        let [now, before] = least;
        let name = format!("{} M digests", count / 1_000_000);
        let ours = duration(now * 1e9);
        if before.is_finite() {
            let theirs = format!("before {}", duration(before * 1e9));
            line(&format!("{name}, before ÷ now"), &ours, &theirs, before / now, Target::AtLeast(times));
        } else {
            line(&format!("{name}, M digests/s"), &ours, "", count as f64 / now / 1e6, Target::None);
        }
    }
}

fn write_list(path: &Path, count: u64) {
    let mut generator = Command::new(std::env::current_exe().expect("this program"));
    generator.args(["digests", &count.to_string()]).stdout(File::create(path).expect("a list"));
    assert!(generator.status().is_ok_and(|status| status.success()), "the generator");
}
