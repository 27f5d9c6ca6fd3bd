//! The shared object as it is shipped: what it exports, what it needs, and how it is hardened.

use std::{fs, path::Path, process::Command};

use nearmiss_tests::artifacts::{PAGE_BY_PAGE, artifacts, workspace};

const EXPORTS: [&str; 6] = [
    "pam_sm_acct_mgmt",
    "pam_sm_authenticate",
    "pam_sm_chauthtok",
    "pam_sm_close_session",
    "pam_sm_open_session",
    "pam_sm_setcred",
];

/// The libraries allowed at run time: libpam, the unwinder, libc, and the loader that libc names.
const NEEDED: [&str; 4] = ["libpam.so.0", "libgcc_s.so.1", "libc.so.6", "ld-linux"];
/// Some thousand bytes beyond what it takes; each frozen format that is read for ever adds some hundred.
const MAX_BYTES: u64 = 995_000;

fn output(program: &str, arguments: &[&str]) -> String {
    let module: &Path = &artifacts().module;
    let output = Command::new(program).args(arguments).arg(module).output();
    let output = output.unwrap_or_else(|error| panic!("{program}: {error}; install binutils"));
    assert!(output.status.success(), "{program} failed");
    String::from_utf8(output.stdout).unwrap()
}

fn dynamic(tag: &str) -> Vec<String> {
    let tag = format!("({tag})");
    let section = output("readelf", &["-dW"]);
    section.lines().filter(|line| line.contains(&tag)).map(ToOwned::to_owned).collect()
}

#[test]
fn exports_the_six_entry_points_and_nothing_else() {
    let symbols = output("nm", &["-D", "--defined-only"]);
    let mut names: Vec<&str> = symbols.lines().filter_map(|line| line.split_whitespace().last()).collect();
    names.sort_unstable();
    assert_eq!(names, EXPORTS);
}

#[test]
fn needs_libpam_libc_and_the_unwinder_only() {
    let needed = dynamic("NEEDED");
    assert!(needed.iter().any(|line| line.contains("libpam.so.0")), "{needed:?}");
    let is_known = |line: &String| NEEDED.iter().any(|name| line.contains(name));
    assert!(needed.iter().all(is_known), "{needed:?}");
}

#[test]
fn is_bound_at_load_time_and_stays_loaded() {
    let flags = [dynamic("FLAGS"), dynamic("FLAGS_1")].concat().join(" ");
    for flag in ["NOW", "NODELETE"] {
        assert!(flags.contains(flag), "{flag} is not in {flags}");
    }
    assert!(!flags.contains("STATIC_TLS"), "{flags}");
    assert!(dynamic("TEXTREL").is_empty());
}

#[test]
fn looks_for_libraries_in_no_folder_of_its_own() {
    assert!(dynamic("RPATH").is_empty());
    assert!(dynamic("RUNPATH").is_empty());
}

#[test]
fn has_read_only_relocations_and_no_executable_stack() {
    let segments = output("readelf", &["-lW"]);
    assert!(segments.contains("GNU_RELRO"), "{segments}");
    let stack = segments.lines().find(|line| line.contains("GNU_STACK")).expect("a GNU_STACK segment");
    assert!(stack.contains(" RW ") && !stack.contains("RWE"), "{stack}");
}

/// A generator opened as a file would stay open, in the place of standard input where that is closed.
#[test]
fn opens_no_generator_of_random_numbers_as_a_file() {
    let bytes = fs::read(&artifacts().module).unwrap();
    for name in [&b"/dev/random"[..], b"/dev/urandom"] {
        assert!(!bytes.windows(name.len()).any(|window| window == name), "it names a generator's file");
    }
}

/// Code that only the end-to-end tests need is compiled with debug assertions.
#[test]
fn has_no_hook_of_the_tests() {
    let bytes = fs::read(&artifacts().module).unwrap();
    for mark in ["panic-injection", PAGE_BY_PAGE] {
        assert!(!bytes.windows(mark.len()).any(|window| window == mark.as_bytes()), "{mark} is in it");
    }
}

#[test]
fn is_stripped_and_small() {
    let bytes = fs::metadata(&artifacts().module).unwrap().len();
    assert!(bytes <= MAX_BYTES, "{bytes} bytes");
    assert!(!output("readelf", &["-SW"]).contains(".symtab"));
}

#[test]
fn names_no_folder_of_the_machine_it_was_built_on() {
    let bytes = fs::read(&artifacts().module).unwrap();
    let home = workspace().to_str().unwrap().as_bytes();
    let found = bytes.windows(home.len()).any(|window| window == home);
    assert!(!found, "the workspace's path is in the shared object");
}
