//! Where the system makes no thread: a limit on the processes of a user, a service or a container.

use std::{fs, process::Command};

use crate::{Folder, KEY};

/// Runs filterctl in the folder; its threads ask for a stack that no machine has, so that none is made.
fn alone(folder: &Folder, words: &str) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_filterctl"));
    command.args(words.split(' ')).env("RUST_MIN_STACK", "140000000000000").current_dir(folder.path(""));
    let output = command.output().unwrap();
    let [out, err] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    (output.status.code(), out, err)
}

#[test]
fn the_work_of_many_threads_is_done_by_one() {
    let folder = Folder::new();
    let words: String = (0..5000).map(|n| format!("word{n}\nmot-é{n}\n")).collect();
    folder.file("list", words);
    let digests: String =
        (0..5000_u64).map(|n| format!("{:016X}{n:024X}\n", n * (u64::MAX / 5000))).collect();
    folder.file("digests", digests);
    for (name, arguments) in [
        ("f", format!("build -q --key {KEY} --jobs 4 -o f list")),
        ("g", format!("build -q --key {KEY} --jobs 4 --kind sha1 --group-bits 3 -o g digests")),
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_filterctl"));
        let done = command.args(arguments.split(' ')).current_dir(folder.path("")).output().unwrap();
        assert!(done.status.success(), "{done:?}");
        let whole = fs::read(folder.path(name)).unwrap();
        fs::remove_file(folder.path(name)).unwrap();
        let (code, _, err) = alone(&folder, &arguments);
        assert_eq!(code, Some(0), "{arguments}: {err}");
        assert!(fs::read(folder.path(name)).unwrap() == whole, "{arguments}: another filter");
    }
    folder.file("more", "zebrapassword\n");
    for arguments in ["add -q --jobs 4 f more", "verify f", "check --jobs 4 --list list --filter f"] {
        let (code, _, err) = alone(&folder, arguments);
        assert_eq!(code, Some(0), "{arguments}: {err}");
    }
}
