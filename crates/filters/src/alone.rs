//! A test in its own process, for properties of a whole process, such as its umask, its limits, its
//! descriptors and its panic hook.

use std::{
    env,
    process::{Command, Output},
};

/// Set in the separate process of a test.
const IS_ALONE: &str = "NEARMISS_TEST_IS_ALONE";

/// Runs the named test of this program again, after these shell commands, with the emulator that
/// `NEARMISS_TEST_RUNNER` names if this machine cannot run the program. Returns the output of that process;
/// none in that process itself, which then does the test's work. The child must have run one test, and passed
/// it.
pub(crate) fn alone(name: &str, before: &str) -> Option<Output> {
    if env::var_os(IS_ALONE).is_some() {
        return None;
    }
    let (_, own) = name.split_once("::").unwrap();
    let script = format!("{before}\nexec ${{NEARMISS_TEST_RUNNER:-}} \"$0\" --exact {own} --nocapture");
    let mut shell = Command::new("sh");
    shell.args(["-c", &script]).arg(env::current_exe().unwrap()).env(IS_ALONE, "1");
    let output = shell.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.contains("1 passed"), "{said}{errors}");
    Some(output)
}
