//! `libnearmiss.so.1` as it is shipped: what it needs, what it imports, and how it is hardened.

use std::{fs, path::PathBuf, process::Command};

use nearmiss_tests::artifacts::{library, workspace};

/// The size limit of the library: 904 kB of code, and the catalogues of fifteen languages (22 kB for the last
/// five of them), which servers have no locale for.
const MAX_BYTES: u64 = 1_002_000;

fn file() -> PathBuf {
    library().join("libnearmiss.so.1")
}

fn output(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).arg(file()).output();
    let output = output.unwrap_or_else(|error| panic!("{program}: {error}; install binutils"));
    assert!(output.status.success(), "{program} failed");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_shared_object_is_hardened_small_and_needs_little() {
    let section = output("readelf", &["-dW"]);
    let needed: Vec<&str> = section.lines().filter(|line| line.contains("(NEEDED)")).collect();
    let is_known =
        |line: &&str| ["libgcc_s.so.1", "libc.so.6", "ld-linux"].iter().any(|name| line.contains(name));
    assert!(needed.iter().all(is_known), "{needed:?}");
    assert!(section.contains("soname: [libnearmiss.so.1]"), "{section}");
    assert!(section.contains("NODELETE") && section.contains("NOW"), "{section}");
    for unwanted in ["TEXTREL", "RPATH", "RUNPATH", "STATIC_TLS"] {
        assert!(!section.contains(unwanted), "{unwanted}: {section}");
    }
    let segments = output("readelf", &["-lW"]);
    let stack = segments.lines().find(|line| line.contains("GNU_STACK")).expect("a GNU_STACK segment");
    assert!(segments.contains("GNU_RELRO") && !stack.contains("RWE"), "{segments}");
    let bytes = fs::read(file()).unwrap();
    assert!(bytes.len() as u64 <= MAX_BYTES, "{} bytes", bytes.len());
    let home = workspace().to_str().unwrap().as_bytes();
    assert!(!bytes.windows(home.len()).any(|window| window == home), "the workspace's path is in it");
}

/// The library takes nothing from the environment and does not change the locale, fork or execute.
#[test]
fn nothing_that_touches_the_process_is_imported() {
    let symbols = output("nm", &["-D", "--undefined-only"]);
    let names: Vec<&str> =
        symbols.lines().filter_map(|line| line.split_whitespace().nth(1)?.split('@').next()).collect();
    for unwanted in [
        "setlocale",
        "fork",
        "vfork",
        "execve",
        "execvp",
        "posix_spawn",
        "posix_spawnp",
        "system",
        "dlopen",
        "openlog",
        "syslog",
        "socket",
        "connect",
    ] {
        assert!(!names.contains(&unwanted), "{unwanted} is called");
    }
}
