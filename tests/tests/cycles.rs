//! Many password changes in one process, each from `pam_start` to `pam_end` with the module loaded again:
//! nothing grows, no descriptor stays open, and neither valgrind nor AddressSanitizer finds anything.
//!
//! `make test` does a short form, `make torture` (the ignored tests) 10,000 changes and the two tools.

use std::{fs, path::Path, process::Command};

use nearmiss_tests::{
    artifacts::artifacts,
    faults::compile,
    filters::{self, GOOD, set_mode},
    ladder,
    pam::{self, Folder},
    report_tried,
    skip::skipped,
};

/// So many changes by `cycles.c`, compiled with these flags and run by this command.
fn cycle(count: u32, by: &[&str], flags: &[&str]) -> String {
    let folder = Folder::new(&artifacts().module);
    let filter = filters::build(folder.path());
    let conf = folder.write("nearmiss.conf", "");
    folder.service("t", &format!("conf={} filter={}", conf.display(), filter.display()));
    let output = cycle_in(&folder, "tester", count, by, flags, &[]);
    assert!(output.ends_with("codes 0 20 20 20\n"), "{output}");
    output
}

/// The same for a user with the service `t` of this folder.
fn cycle_in(folder: &Folder, user: &str, count: u32, by: &[&str], flags: &[&str], more: &[&str]) -> String {
    let program = folder.path().join("cycles");
    compile("cycles.c", &[flags, &["-l:libpam.so.0"]].concat(), &program);
    let words = [by, &[program.to_str().unwrap()]].concat();
    let (first, rest) = words.split_first().unwrap();
    let mut command = pam::unprivileged(first);
    command
        .args(rest)
        .arg(folder.path())
        .args(["t", user])
        .arg(count.to_string())
        .args([GOOD, "elephqnt"])
        .args(more);
    pam::run(&mut command, b"")
}

/// Resident KiB and open descriptors.
fn sizes(output: &str, when: &str) -> (i64, i64) {
    let line = output.lines().find_map(|line| line.strip_prefix(when)).unwrap();
    let (kib, descriptors) = line.trim().split_once(' ').unwrap();
    (kib.parse().unwrap(), descriptors.parse().unwrap())
}

fn assert_no_growth(count: u32) {
    let output = cycle(count, &[], &[]);
    let (early, end) = (sizes(&output, "early"), sizes(&output, "end"));
    assert_eq!(early.1, end.1, "descriptors");
    // The allocator may keep a little more; a lost block of 32 bytes a change would be 280 KiB of 10,000
    // changes.
    assert!(end.0 - early.0 <= 128, "{} KiB resident, then {}", early.0, end.0);
    report_tried("changes from pam_start to pam_end without growth", count);
}

/// KiB that a process may keep of any number of accepted changes with a ladder, above what it has after the
/// first.
const KEPT_KIB: i64 = 8 << 10;

/// Each change takes 19 MiB twice for its slow hashes; each password is recorded.
fn assert_that_the_ladder_keeps_no_memory(count: u32) {
    let folder = Folder::new(&artifacts().module);
    let filter = filters::build(folder.path());
    let conf = ladder::in_folder(&folder);
    let line = format!("{} conf={}", folder.module().display(), conf.display());
    let check = format!("password required {line} filter={}", filter.display());
    folder.write("t", &format!("{check}\npassword optional {line} record\n"));
    let output = cycle_in(&folder, "tester", count, &[], &[], &["all-accepted"]);
    assert!(output.ends_with("codes 0 -1 -1 -1\n"), "{output}");
    assert_eq!(
        stamps(&folder.path().join("state/chosen.ladder")),
        count,
        "accounts that recorded a password"
    );
    let (first, end) = (sizes(&output, "first"), sizes(&output, "end"));
    assert_eq!(first.1, end.1, "descriptors");
    assert!(end.0 - first.0 <= KEPT_KIB, "{} KiB resident, then {}", first.0, end.0);
    println!(
        "{} KiB resident after the first of {count} changes with a ladder, {} at the end",
        first.0, end.0
    );
    report_tried("changes with a ladder that leave no memory behind", count);
}

/// Stamps in a ladder of 2^20 bits: the second of the two words behind the bits is the mark of what was
/// recorded. Root does not open a ladder of another user.
fn stamps(ladder: &Path) -> u32 {
    let file = fs::read(ladder).unwrap();
    let stamps = file[4096 + (1 << 17)..].as_chunks::<16>().0;
    stamps.iter().map(|stamp| u32::from(stamp[8..] != [0; 8])).sum()
}

#[test]
fn thirty_changes_with_a_ladder_keep_no_memory() {
    assert_that_the_ladder_keeps_no_memory(30);
}

#[test]
#[ignore = "make torture"]
fn three_hundred_changes_with_a_ladder_keep_no_memory() {
    assert_that_the_ladder_keeps_no_memory(300);
}

/// System calls of this number of changes within one transaction, counted by strace; without those that only
/// a build with debug assertions makes, at every close.
fn system_calls(folder: &Folder, count: u32) -> u32 {
    let summary = folder.write("summary", "");
    set_mode(&summary, 0o666);
    let by = ["strace", "-f", "-qq", "-c", "-e", "trace=!fcntl", "-o", summary.to_str().unwrap()];
    let output = cycle_in(folder, "nobody", count, &by, &[], &["one-handle"]);
    assert!(output.ends_with("codes 0 -1 -1 -1\n"), "{output}");
    let summary = fs::read_to_string(summary).unwrap();
    let total = summary.lines().rfind(|line| line.ends_with(" total")).expect("strace counts calls");
    total.split_whitespace().nth(3).unwrap().parse().unwrap()
}

const MAX_CALLS: u32 = 110;

/// The key decides for how many variants something is proposed by accident, with three calls for each.
const KEY: &str = "000102030405060708090a0b0c0d0e0f";

/// Not all kernels before 6.17 make the pages of a large filter readable together: two calls for each.
fn most_calls_for_pages() -> u32 {
    let release = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap();
    let mut numbers = release.split(|c: char| !c.is_ascii_digit()).map(|number| number.parse().unwrap_or(0));
    let version: (u32, u32) = (numbers.next().unwrap(), numbers.next().unwrap());
    if version < (6, 17) { 2 * MAX_CALLS } else { MAX_CALLS }
}

/// The service `t` with the built-in list in a filter that has room for so many words, and files two folders
/// deeper than the packages'.
fn with_filter_of(capacity: &str) -> Folder {
    let folder = Folder::new(&artifacts().module);
    let (etc, cache) = (folder.path().join("etc/security"), folder.path().join("var/cache/nearmiss"));
    for made in [&etc, &cache, &folder.path().join("var/lib/nearmiss")] {
        fs::create_dir_all(made).unwrap();
    }
    let filter = cache.join("words.filter");
    let mut build = Command::new(&artifacts().filterctl);
    build.args(["build", "--quiet", "--common", "--capacity", capacity, "--key", KEY, "--output"]);
    build.arg(&filter);
    assert!(build.status().unwrap().success());
    filters::make_private(&filter);
    let conf = etc.join("nearmiss.conf");
    let ladder = folder.path().join("var/lib/nearmiss/chosen.ladder");
    let [filter, ladder] = [filter, ladder].map(|path| path.display().to_string());
    let text =
        format!("packaged = false\ndictionary = [{{ file = '{filter}' }}]\nladder.file = '{ladder}'\n");
    fs::write(&conf, text).unwrap();
    folder.service("t", &format!("conf={}", conf.display()));
    folder
}

/// The calls of one more change in a transaction, without a ladder.
/// The host's own share, the accounts that are looked up among it, is about 20.
#[test]
fn a_change_takes_few_system_calls() {
    if skipped(lacks("strace")) {
        return;
    }
    // A filter of up to 8 MiB is made readable whole; of a larger one, the pages that are read, with
    // three calls for all that are known to be needed together.
    for (capacity, most) in [("100000", MAX_CALLS), ("800000", most_calls_for_pages())] {
        let folder = with_filter_of(capacity);
        let calls = (system_calls(&folder, 12) - system_calls(&folder, 2)).div_ceil(10);
        println!("{calls} system calls of a change with a filter of {capacity} words");
        assert!(calls <= most, "{calls} system calls with a filter of {capacity} words");
    }
    report_tried("system calls of a change", 2);
}

/// A service whose system calls are filtered may be ended for one that is not on the list.
#[test]
fn a_program_whose_calls_are_filtered_is_not_ended_by_the_module() {
    let folder = with_filter_of("800000");
    let filtered = folder.path().join("filtered");
    compile("filtered.c", &["-Wall"], &filtered);
    let output = cycle_in(&folder, "nobody", 2, &[filtered.to_str().unwrap()], &[], &["one-handle"]);
    assert!(output.ends_with("codes 0 -1 -1 -1\n"), "{output}");
}

#[test]
fn two_hundred_changes_leave_nothing_behind() {
    assert_no_growth(200);
}

#[test]
#[ignore = "make torture"]
fn ten_thousand_changes_leave_nothing_behind() {
    assert_no_growth(10_000);
}

/// The reason why a tool that runs programs cannot be used here, if it cannot.
fn lacks(tool: &str) -> Option<&'static str> {
    let runs = Command::new(tool).arg("true").output().is_ok_and(|output| output.status.success());
    (!runs).then_some("needs valgrind or strace, and the right to trace processes")
}

/// Valgrind sees every access and every block: no error, no block lost for good.
#[test]
#[ignore = "make torture"]
fn valgrind_finds_no_error_and_no_leak() {
    if skipped(lacks("valgrind")) {
        return;
    }
    let by =
        ["valgrind", "-q", "--error-exitcode=9", "--leak-check=full", "--errors-for-leak-kinds=definite"];
    cycle(40, &by, &[]);
    report_tried("changes under valgrind", 40);
}

/// The application under AddressSanitizer: the module's blocks come from its allocator too, which finds
/// double frees, damage around a block at its free, and leaks.
#[test]
#[ignore = "make torture"]
fn address_sanitizer_finds_no_error_and_no_leak() {
    cycle(400, &["env", "ASAN_OPTIONS=detect_leaks=1:exitcode=9"], &["-g", "-fsanitize=address"]);
    report_tried("changes under AddressSanitizer's allocator", 400);
}
