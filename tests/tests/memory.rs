//! No copy of the password stays in the heap after it was accepted, refused, mistyped or abandoned; and a
//! small stack is enough.
//!
//! The C sources of `tools/` are compiled with the compiler that cargo links with. Copies of up to 32 bytes
//! in the stack are spilled vector registers; even libc's own `strdup` leaves them.

use std::{
    fs,
    io::Write,
    os::unix::fs::FileExt,
    path::PathBuf,
    process::{Child, ChildStdin, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use nearmiss_tests::{
    artifacts::{PANICS, artifacts},
    faults::compile,
    filters, ladder,
    pam::{self, ABORT, AUTHTOK_ERR, Folder, SUCCESS},
};

/// In the filter's list, lower-cased: refused as a word.
const REFUSED: &[u8] = b"Quokka-Marimba-8842-Zephyr-Vortex";
const ACCEPTED: &[u8] = b"Fjord+Quixote+5519+Bramble+Ukulele";
const MASK: u8 = 0x5a;
const SPILLED_BYTES: usize = 32;

/// A copy of a piece of the password: how long, and in which map of memory.
#[derive(Debug)]
struct Copy {
    bytes: usize,
    place: String,
}

struct Scan {
    code: i32,
    copies: Vec<Copy>,
    /// What the module logged.
    log: Vec<String>,
}

fn scan(password: &[u8], mode: &str, leak: bool) -> Scan {
    scan_in(&folder(), password, mode, leak)
}

fn scan_in(folder: &Folder, password: &[u8], mode: &str, leak: bool) -> Scan {
    let program = compile_in(folder, "memscan");
    let masked: Vec<u8> = password.iter().map(|byte| byte ^ MASK).collect();
    let mut command = pam::unprivileged(&program);
    command.arg(folder.path()).args(["t", "tester", mode]).env("LOG", "1");
    if leak {
        command.env("LEAK", "1");
    }
    read(&pam::run(&mut command, &masked))
}

/// A folder with the module, a filter, and a service `t`.
fn folder() -> Folder {
    let folder = Folder::new(&artifacts().module);
    let filter = filters::build(folder.path());
    let conf = folder.write("nearmiss.conf", "");
    folder.service("t", &format!("conf={} filter={}", conf.display(), filter.display()));
    folder
}

/// The same with a ladder that the user of the test may change, and its recording line.
fn folder_with_ladder() -> Folder {
    let folder = folder();
    let conf = ladder::in_folder(&folder);
    let line = format!("{} conf={}", folder.module().display(), conf.display());
    let check = format!("password required {line} filter={}/words.filter", folder.path().display());
    folder.write("t", &format!("{check}\npassword optional {line} record\n"));
    folder
}

/// Compiles one of the C sources of `tools/` into the folder.
fn compile_in(folder: &Folder, name: &str) -> PathBuf {
    let program = folder.path().join(name);
    compile(&format!("{name}.c"), &["-pthread", "-l:libpam.so.0"], &program);
    program
}

fn read(output: &str) -> Scan {
    let mut scan = Scan { code: -1, copies: Vec::new(), log: Vec::new() };
    for line in output.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        match words.as_slice() {
            ["copy", _, bytes, place] => {
                scan.copies.push(Copy { bytes: bytes.parse().unwrap(), place: (*place).to_owned() });
            }
            ["log", ..] => scan.log.push(line.to_owned()),
            ["code", code, ..] => scan.code = code.parse().unwrap(),
            _ => panic!("memscan said {line:?}"),
        }
    }
    scan
}

fn assert_clean(password: &[u8], mode: &str, code: i32) {
    assert_clean_in(&folder(), password, mode, code);
}

fn assert_clean_in(folder: &Folder, password: &[u8], mode: &str, code: i32) -> Scan {
    let scan = scan_in(folder, password, mode, false);
    assert_eq!(scan.code, code, "{mode}: {:?}", scan.copies);
    let is_spill = |copy: &Copy| copy.place == "[stack]" && copy.bytes <= SPILLED_BYTES;
    let left: Vec<&Copy> = scan.copies.iter().filter(|copy| !is_spill(copy)).collect();
    assert!(left.is_empty(), "{mode}: {left:?}");
    scan
}

#[test]
fn the_scan_finds_a_copy_that_is_left() {
    let scan = scan(ACCEPTED, "accept", true);
    assert!(
        scan.copies.iter().any(|copy| copy.place == "[heap]" && copy.bytes == ACCEPTED.len()),
        "{:?}",
        scan.copies
    );
}

#[test]
fn nothing_stays_of_an_accepted_password() {
    assert_clean(ACCEPTED, "accept", SUCCESS);
}

#[test]
fn nothing_stays_of_a_refused_password() {
    assert_clean(REFUSED, "accept", AUTHTOK_ERR);
}

#[test]
fn nothing_stays_of_a_mistyped_password() {
    assert_clean(ACCEPTED, "mismatch", AUTHTOK_ERR);
}

#[test]
fn nothing_stays_of_an_abandoned_password() {
    assert_clean(ACCEPTED, "abort", AUTHTOK_ERR);
}

#[test]
fn nothing_stays_of_a_password_that_was_recorded() {
    let folder = folder_with_ladder();
    let array = || fs::read(folder.path().join("state/chosen.ladder")).unwrap();
    let before = array();
    assert_clean_in(&folder, ACCEPTED, "accept", SUCCESS);
    assert_ne!(before, array(), "it was recorded");
}

/// A folder whose stack has no check: another module prompts, and the module judges what it finds set.
fn folder_without_check() -> Folder {
    let folder = folder();
    let prompts = folder.path().join("prompts.so");
    compile("prompts.c", &["-shared", "-fPIC"], &prompts);
    let folder_path = folder.path().display();
    let files = format!("conf={folder_path}/nearmiss.conf filter={folder_path}/words.filter");
    let record = format!("{} record {files}", folder.module().display());
    let stack = format!("password required {}\npassword optional {record}\n", prompts.display());
    folder.write("t", &stack);
    folder
}

#[test]
fn nothing_stays_of_a_password_that_bypassed_the_check() {
    let panics = [PANICS.as_bytes(), ACCEPTED].concat();
    for (password, decision) in [
        (REFUSED, "decision=bypassed reason=dictionary"),
        (ACCEPTED, "decision=accept reason=-"),
        (&panics, "decision=bypassed reason=fault"),
    ] {
        let scan = assert_clean_in(&folder_without_check(), password, "accept", SUCCESS);
        assert!(scan.log.iter().any(|line| line.contains(decision)), "{decision}: {:?}", scan.log);
    }
}

#[test]
fn a_thread_with_a_stack_of_32_kib_is_enough() {
    is_enough_for(&folder());
}

#[test]
fn a_thread_with_a_stack_of_32_kib_is_enough_for_the_ladder() {
    is_enough_for(&folder_with_ladder());
}

fn is_enough_for(folder: &Folder) {
    let program = compile_in(folder, "smallstack");
    let mut command = pam::unprivileged(&program);
    // As long as a password can be, and repeating nothing (Lehmer's generator).
    let letters = std::iter::successors(Some(1_u64), |seed| Some(seed * 48_271 % 0x7fff_ffff));
    let long: String = letters.take(510).map(|seed| char::from(b'a' + (seed / 8 % 26) as u8)).collect();
    let passwords = ["butterfly", "elephqnt", "P4ssw0rd2026!", "tnahpele42!", "a good one, is it?", &long];
    command.arg(folder.path()).args(["t", "tester", "32"]).args(passwords);
    assert_eq!(pam::run(&mut command, b""), "20\n20\n20\n20\n0\n0\n");
}

/// Copies of `text` in what a running process may write: heap, stack, buffers.
fn copies_in(process: &Child, text: &[u8]) -> usize {
    let folder = PathBuf::from(format!("/proc/{}", process.id()));
    let maps = fs::read_to_string(folder.join("maps")).unwrap();
    let memory = fs::File::open(folder.join("mem")).unwrap();
    let writable =
        maps.lines().filter(|line| line.split(' ').nth(1).is_some_and(|mode| mode.starts_with("rw")));
    let bytes_of = |line: &str| {
        let (start, end) = line.split(' ').next().unwrap().split_once('-').unwrap();
        let [start, end] = [start, end].map(|number| u64::from_str_radix(number, 16).unwrap());
        let mut bytes = vec![0; usize::try_from(end - start).unwrap()];
        memory.read_exact_at(&mut bytes, start).map(|()| bytes)
    };
    let count = |bytes: Vec<u8>| bytes.windows(text.len()).filter(|part| *part == text).count();
    writable.filter_map(|line| bytes_of(line).ok()).map(count).sum()
}

/// Waits until the process has taken all that was written and waits for more.
fn wait_until_read(process: &Child, pipe: &ChildStdin) {
    let is_asleep = || {
        let stat = fs::read_to_string(format!("/proc/{}/stat", process.id())).unwrap();
        stat.rsplit_once(") ").unwrap().1.starts_with('S')
    };
    let deadline = Instant::now() + Duration::from_secs(300);
    while rustix::io::ioctl_fionread(pipe).unwrap() > 0 || !is_asleep() {
        assert!(Instant::now() < deadline, "filterctl does not read its input");
        thread::sleep(Duration::from_millis(5));
    }
}

/// A configuration with a ladder of the user who runs the tests.
fn own_ladder(folder: &Folder) -> PathBuf {
    let [array, key] = ["own/l.ladder", "own.key"].map(|name| folder.path().join(name));
    let mut init = Command::new(&artifacts().filterctl);
    init.args(["ladder", "init", "--no-slow-hash", "--bits", "2^16", "--file"]).arg(&array);
    assert!(init.arg("--key").arg(&key).output().unwrap().status.success());
    let conf = format!("[ladder]\nfile = \"{}\"\nkey = \"{}\"\n", array.display(), key.display());
    folder.write("own.conf", &conf)
}

/// The line that was read last may still be there; those before it are not.
#[test]
fn nothing_stays_of_the_lines_that_filterctl_has_read() {
    const LINES: [&[u8]; 3] =
        [b"Fjord+Quixote+5519+Bramble+Ukulele\n", b"Quokka=Umbrella=8842=Vortex=Zephyr\n", b"short\n"];
    let folder = Folder::new(&artifacts().module);
    let conf = own_ladder(&folder);
    for command in [&["ladder", "height"][..], &["ladder", "step"], &["check", "--filter"]] {
        let filter = filters::build(folder.path());
        let last = if command[0] == "check" { vec![filter] } else { vec!["--conf".into(), conf.clone()] };
        let mut filterctl = Command::new(&artifacts().filterctl);
        filterctl.args(command).args(last).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = filterctl.spawn().unwrap();
        let mut pipe = child.stdin.take().unwrap();
        for line in LINES {
            pipe.write_all(line).unwrap();
            wait_until_read(&child, &pipe);
        }
        let found = LINES[..2].iter().map(|line| copies_in(&child, line.trim_ascii())).sum::<usize>();
        // The control: what the program works with is found.
        assert!(copies_in(&child, b"--conf") + copies_in(&child, b"--filter") > 0, "{command:?}");
        drop(pipe);
        assert!(child.wait().unwrap().code().is_some_and(|code| code < 2), "{command:?}");
        assert_eq!(found, 0, "{command:?}");
    }
}

/// The message of that panic quotes the password.
#[test]
fn nothing_stays_after_a_panic() {
    let password = [PANICS.as_bytes(), ACCEPTED].concat();
    assert_clean(&password, "accept", ABORT);
}
