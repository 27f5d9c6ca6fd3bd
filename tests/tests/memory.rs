//! No copy of the password stays in the heap after it was accepted, refused, mistyped or abandoned.
//!
//! `tools/memscan.c` is compiled with the C compiler that cargo links with. Copies of up to 32 bytes in the stack are
//! spilled vector registers; even libc's own `strdup` leaves them.
#![forbid(unsafe_code)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test stops at the first thing that is wrong"
)]
#![allow(clippy::indexing_slicing, reason = "a test stops at the first thing that is wrong")]

use std::{path::Path, process::Command};

use nearmiss_tests::{
    artifacts::{artifacts, tool},
    filters,
    pam::{self, AUTHTOK_ERR, Folder, SUCCESS},
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
}

fn scan(password: &[u8], mode: &str, leak: bool) -> Scan {
    let folder = Folder::new(&artifacts().module);
    let filter = filters::build(folder.path());
    let conf = folder.write("nearmiss.conf", "");
    folder.service("t", &format!("conf={} filter={} debug", conf.display(), filter.display()));
    let program = folder.path().join("memscan");
    compile(&program);
    let masked: Vec<u8> = password.iter().map(|byte| byte ^ MASK).collect();
    let mut command = pam::unprivileged(&program);
    command.arg(folder.path()).args(["t", "tester", mode]);
    if leak {
        command.env("LEAK", "1");
    }
    read(&pam::run(&mut command, &masked))
}

fn compile(program: &Path) {
    let compiled = Command::new("cc")
        .args(["-O2", "-o"])
        .arg(program)
        .arg(tool("memscan.c"))
        .arg("-l:libpam.so.0")
        .status();
    assert!(compiled.expect("cc can be run; install gcc").success(), "memscan.c could not be compiled");
}

fn read(output: &str) -> Scan {
    let mut scan = Scan { code: -1, copies: Vec::new() };
    for line in output.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        match words.as_slice() {
            ["copy", _, bytes, place] => {
                scan.copies.push(Copy { bytes: bytes.parse().unwrap(), place: (*place).to_owned() });
            }
            ["code", code, ..] => scan.code = code.parse().unwrap(),
            _ => panic!("memscan said {line:?}"),
        }
    }
    scan
}

fn assert_clean(password: &[u8], mode: &str, code: i32) {
    let scan = scan(password, mode, false);
    assert_eq!(scan.code, code, "{mode}: {:?}", scan.copies);
    let is_spill = |copy: &Copy| copy.place == "[stack]" && copy.bytes <= SPILLED_BYTES;
    let left: Vec<&Copy> = scan.copies.iter().filter(|copy| !is_spill(copy)).collect();
    assert!(left.is_empty(), "{mode}: {left:?}");
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
