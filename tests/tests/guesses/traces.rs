//! The traces of failed logins: nothing of a password, and nothing for another user to look at.

use nearmiss_tests::{
    scenario::{Run, Scenario, TESTER},
    skip::{no_namespace, skipped},
    sshd::ARRAY,
};
use serde_json::json;

use super::{
    COUNTED, REPEATED,
    local::{Logins, PARTS, scenario},
};

/// Spilled vector registers, which even libc's own `strdup` leaves.
const SPILLED_BYTES: usize = 32;

/// Copies that the program found in its memory, by the bytes of each and the map.
fn copies(run: &Run) -> Vec<(usize, &str)> {
    let copy = |line: &'_ str| -> Option<(usize, usize)> {
        let (bytes, place) = line.strip_prefix("copy end ")?.split_once(' ')?;
        Some((bytes.parse().unwrap(), line.len() - place.len()))
    };
    let found = run.transcript.lines().filter_map(|line| copy(line).map(|(bytes, at)| (bytes, &line[at..])));
    found.filter(|(bytes, place)| *place != "[stack]" || *bytes > SPILLED_BYTES).collect()
}

#[test]
fn nothing_of_the_passwords_of_a_thousand_failures_is_left() {
    if skipped(no_namespace()) {
        return;
    }
    let logins = Logins::new();
    let parts: Vec<String> = PARTS.iter().map(|part| format!("-e '{part}'")).collect();
    let look = format!(
        "ls /run/nearmiss/failures {ARRAY} && cat /run/nearmiss/* /var/lib/nearmiss/* /etc/nearmiss/* \
         /var/log/* | grep -a -i -c {}",
        parts.join(" ")
    );
    let scenario = logins.fail(scenario().auth_log(), "1000").shell(&look);
    let runs = logins.fail(scenario, "3").with("environment", &json!({"LEAK": "1"})).play();
    let [failed, files, leaking] = &runs[..] else { panic!("{runs:#?}") };
    assert_eq!(failed.transcript.lines().last(), Some("code 7 prompts 1000"), "{}", failed.transcript);
    let logged = |part: &str| failed.log.iter().filter(|line| line.contains(part)).count();
    // One in some thousand pairs is taken for another that was seen.
    assert_eq!(logged(COUNTED) + logged(REPEATED), 1000);
    assert!(logged(COUNTED) > 990, "{}", logged(COUNTED));
    assert!(copies(failed).is_empty(), "{:?}", copies(failed));
    for line in runs.iter().flat_map(|run| &run.log) {
        assert!(!PARTS.iter().any(|part| line.to_lowercase().contains(part)), "{line}");
    }
    assert_eq!(files.transcript, format!("/run/nearmiss/failures\n{ARRAY}\n0\n"));
    assert!(
        copies(leaking).iter().any(|(_, place)| *place == "[heap]"),
        "the scan finds nothing: {leaking:#?}"
    );
}

/// Another user's view of the files: their names, and nothing that a failure changes.
fn looked_at(scenario: Scenario) -> Scenario {
    let look = format!(
        "cat /run/nearmiss/failures; cat {ARRAY}; cat /etc/nearmiss/ladder.key; ls /run/nearmiss; \
         ls /var/lib/nearmiss; stat -c '%n %a %s %b %h %i %X %Y %Z' /run/nearmiss /var/lib/nearmiss; \
         stat {ARRAY}; stat /run/nearmiss/failures"
    );
    scenario.pipe(Some(TESTER), &["/bin/sh", "-c", &look], "")
}

#[test]
fn another_user_learns_nothing_of_failures_from_the_files() {
    if skipped(no_namespace()) {
        return;
    }
    let logins = Logins::new();
    // The first makes the files; then the same one again, and others.
    let mut scenario = logins.fail(scenario(), "1");
    for count in ["1", "1", "40"] {
        scenario = logins.fail(looked_at(scenario), count);
    }
    let runs = looked_at(scenario).play();
    let looks: Vec<&Run> = runs.iter().skip(1).step_by(2).collect();
    assert_eq!(looks.len(), 4);
    for look in looks {
        assert_eq!(look.transcript, runs[1].transcript, "a failure can be observed");
        assert_eq!(look.transcript.matches("Permission denied").count(), 7, "{look:#?}");
    }
    assert!(runs[6].log.iter().filter(|line| line.contains(COUNTED)).count() > 30, "{:#?}", runs[6]);
}
