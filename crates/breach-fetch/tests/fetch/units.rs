//! The unit of the package: with the program and the folder that it has. filterctl's tests read how closed it
//! is.

use std::{fs, path::PathBuf, process::Command};

fn unit() -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "../../packaging/fetch/nearmiss-fetch.service"].iter().collect()
}

#[test]
fn the_service_starts_the_program_with_options_that_it_knows() {
    let text = fs::read_to_string(unit()).unwrap();
    let line =
        text.lines().find_map(|line| line.strip_prefix("ExecStart=/usr/sbin/nearmiss-fetch ")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().to_str().unwrap();
    let own = line.replace("/var/lib/nearmiss-fetch", place);
    assert!(text.contains("StateDirectory=nearmiss-fetch\n") && own != line);
    // As filterctl breaches enable writes them; nobody listens there.
    let options = own.replace("$OPTIONS", "--kind sha1 --min-count 10 --url https://127.0.0.1:9 --logins");
    let mut command = Command::new(env!("CARGO_BIN_EXE_nearmiss-fetch"));
    let run = crate::end_of(command.args(options.split(' ')).args(["--retry-delay", "0"]));
    assert!(run.code == Some(1) && run.err.contains("range 00000: "), "{run:?}");
}
