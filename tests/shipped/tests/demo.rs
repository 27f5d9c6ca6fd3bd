//! The demonstrations: one checks its examples as the README describes, with the built-in list and as an
//! ordinary user; the demonstrations of a fleet and of leaked passwords show what they say at their ends.

use std::{
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::Command,
};

use nearmiss_tests::{
    artifacts::{artifacts, program, tool, workspace},
    filters::{make_private, set_mode},
    pam::{Folder, python, run, unprivileged},
    skip::{no_namespace, skipped},
    sshd::libraries,
    store::{no_store, server_program},
};
use serde_json::{Value, json};
use tempfile::TempDir;

/// The key of the filters.
const KEY: &str = "000102030405060708090a0b0c0d0e0f";

/// The module, filters of the built-in lists, and the demonstration's source.
fn prepared() -> (Folder, [PathBuf; 2], String) {
    let folder = Folder::new(&artifacts().module);
    let filters = [("--common", "near"), ("--everyday", "exact")].map(|(list, matching)| {
        let filter = folder.path().join(matching);
        let mut build = Command::new(&artifacts().filterctl);
        // With a key of its own, one good example in a thousand would be rejected by accident.
        build.args(["build", list, "--match", matching, "--key", KEY, "--output"]).arg(&filter);
        assert!(build.output().unwrap().status.success(), "filterctl build {list}");
        make_private(&filter);
        filter
    });
    let source = fs::read_to_string(workspace().join("packaging/demo/demo.py")).unwrap();
    (folder, filters, source)
}

#[test]
fn judges_every_example_as_expected() {
    let (folder, filters, source) = prepared();
    let mut demo = unprivileged(python());
    let shown = run(demo.arg("-c").arg(source).arg(folder.module()).args(&filters), b"");
    let count = |word| shown.lines().filter(|line| line.trim_start().starts_with(word)).count();
    assert_eq!((count("rejected"), count("accepted")), (13, 2), "{shown}");
    assert!(shown.contains("BAD PASSWORD: "), "{shown}");
}

#[test]
fn goes_on_after_a_good_password_until_the_input_ends() {
    const GOOD: &str = "Vq7#mzt0Lp2x";
    let (folder, filters, source) = prepared();
    let steps = json!([
        ["New password: ", "elephqnt"],
        ["New password: ", GOOD],
        ["Retype new password: ", GOOD],
        ["New password: ", "passwordpassword"],
        ["New password: ", {"eof": true}],
    ]);
    // An ordinary user may not read the workspace.
    let copied = |name| folder.write(name, &fs::read_to_string(tool(name)).unwrap());
    let [driver, _] = ["dialogue.py", "reader.py"].map(copied);
    let mut terminal = unprivileged(python());
    terminal.arg(driver).args([python(), "-c", &source]).arg(folder.module()).args(&filters);
    let played: Value = serde_json::from_str(&run(&mut terminal, steps.to_string().as_bytes())).unwrap();
    assert_eq!((&played["status"], &played["steps_done"]), (&json!(0), &json!(5)), "{played}");
    let shown = played["transcript"].as_str().unwrap();
    assert_eq!(shown.matches("would have been set").count(), 1, "{shown}");
    assert_eq!(shown.matches("BAD PASSWORD: ").count(), 2, "{shown}");
    assert!(!shown.contains(GOOD) && !shown.contains("elephqnt"), "{shown}");
}

/// A folder with the module, filterctl and a third program.
fn programs(name: &str, program: &Path) -> TempDir {
    let programs = tempfile::tempdir().unwrap();
    set_mode(programs.path(), 0o755);
    let built = [
        ("libpam_nearmiss.so", &*artifacts().module),
        ("filterctl", &artifacts().filterctl),
        (name, program),
    ];
    for (name, file) in built {
        symlink(file, programs.path().join(name)).unwrap();
    }
    programs
}

#[test]
fn the_last_lines_of_the_fleets_demonstration_say_what_was_shown() {
    if skipped(no_store().or_else(no_namespace)) {
        return;
    }
    let programs = programs("nearmiss-agent", &program("nearmiss-agent"));
    let mut demo = Command::new(python());
    demo.arg(workspace().join("packaging/fleet/demo/demo.py")).arg(server_program().unwrap());
    let shown =
        run(demo.arg(programs.path()).arg(tool("scenario.py")).env("LD_LIBRARY_PATH", libraries()), b"");
    let lines: Vec<&str> = shown.lines().collect();
    let [.., last_choice, "", first, last] = lines[..] else { panic!("{shown}") };
    let other = "tundra-Sextant-88-fog";
    assert!(
        first.starts_with("Shown: \"marimba-Vortex-31-quay\", which too many chose on host A"),
        "{shown}"
    );
    assert!(last.contains(&format!("The last one tried, \"{other}\", is another password")), "{shown}");
    assert_eq!(last_choice, format!("  user 1 chooses \"{other}\": taken"), "{shown}");
}

#[test]
fn the_demonstration_of_leaked_passwords_shows_a_refusal_and_a_later_leak() {
    if skipped(no_namespace()) {
        return;
    }
    let programs = programs("nearmiss-fetch", &program("nearmiss-fetch"));
    let mut demo = Command::new(python());
    demo.arg(workspace().join("packaging/fetch/demo/demo.py"));
    let shown = run(demo.arg(programs.path()).arg(tool("scenario.py")), b"");
    let [leaked, other] = ["glacier-Tandem-67-onyx", "harbour-Lintel-52-mocha"];
    let said =
        ["4,096 ranges", "BAD PASSWORD: it is in a dictionary of leaked", "  taken", "  nothing is said"];
    let then = [
        "refreshed, 983,042 digests",
        "Your password is in a list of leaked passwords.",
        &format!("Shown: \"{leaked}\" is rejected because it was leaked. \"{other}\" was taken"),
    ];
    let mut rest = &*shown;
    for line in said.iter().chain(&then) {
        let at = rest.find(line).unwrap_or_else(|| panic!("{line:?} is not there, or too early: {shown}"));
        rest = &rest[at..];
    }
}
