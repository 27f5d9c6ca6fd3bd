//! The demonstration judges its examples as the README says, with the built-in list and as an ordinary user.
#![forbid(unsafe_code)]

use std::{fs, path::PathBuf, process::Command};

use nearmiss_tests::{
    artifacts::{artifacts, tool, workspace},
    filters::make_private,
    pam::{Folder, python, run, unprivileged},
};
use serde_json::{Value, json};

/// The module, a filter of the built-in list, and the demonstration's source.
fn prepared() -> (Folder, PathBuf, String) {
    let folder = Folder::new(&artifacts().module);
    let filter = folder.path().join("common.filter");
    let built =
        Command::new(&artifacts().filterctl).args(["build", "--common", "--output"]).arg(&filter).output();
    assert!(built.unwrap().status.success(), "filterctl build --common");
    make_private(&filter);
    let source = fs::read_to_string(workspace().join("packaging/demo/demo.py")).unwrap();
    (folder, filter, source)
}

#[test]
fn judges_every_example_as_expected() {
    let (folder, filter, source) = prepared();
    let mut demo = unprivileged(python());
    let shown = run(demo.arg("-c").arg(source).arg(folder.module()).arg(&filter), b"");
    let count = |word| shown.lines().filter(|line| line.trim_start().starts_with(word)).count();
    assert_eq!((count("refused"), count("accepted")), (10, 2), "{shown}");
    assert!(shown.contains("BAD PASSWORD: "), "{shown}");
}

#[test]
fn goes_on_after_a_good_password_until_the_input_ends() {
    const GOOD: &str = "Vq7#mzt0Lp2x";
    let (folder, filter, source) = prepared();
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
    terminal.arg(driver).args([python(), "-c", &source]).arg(folder.module()).arg(&filter);
    let played: Value = serde_json::from_str(&run(&mut terminal, steps.to_string().as_bytes())).unwrap();
    assert_eq!((&played["status"], &played["steps_done"]), (&json!(0), &json!(5)), "{played}");
    let shown = played["transcript"].as_str().unwrap();
    assert_eq!(shown.matches("would have been set").count(), 1, "{shown}");
    assert_eq!(shown.matches("BAD PASSWORD: ").count(), 2, "{shown}");
    assert!(!shown.contains(GOOD) && !shown.contains("elephqnt"), "{shown}");
}
