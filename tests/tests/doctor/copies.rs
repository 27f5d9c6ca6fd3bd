//! What the copies of the machine leave behind, in which passwords are changed: nothing, however they end.

use nearmiss_tests::{
    ladder,
    scenario::Scenario,
    skip::{no_namespace, skipped},
};
use serde_json::json;

use super::{KEEP, OK, common, doctor};

/// The files of a scenario with owner, mode, size and times, their content, and what is mounted.
const EVERYTHING: &str = "{ find /etc /run /var/log /var/mail /var/lib /home /tmp /dev \
                          -printf '%p %M %U %G %s %T@ %C@\\n' | sort; \
                          find /etc /run /var/log /var/mail /var/lib /home /tmp -type f \
                          -exec sha256sum {} + | sort; \
                          cat /proc/self/mountinfo; }";

/// Folders that other programs of the machine write are the scenario's own. In `/var/lib` is a ladder, which
/// a change would count in.
const OWN_FOLDERS: &str = "mount -t tmpfs none /home; mount -t tmpfs -o mode=1777 none /tmp; \
                           touch /home/file /tmp/file /run/utmp";

/// Runs doctor this often, most of them killed at some moment, and compares the machine before and after.
fn nothing_is_left_of(runs: u32) {
    if skipped(no_namespace()) {
        return;
    }
    // Random moments of the first second; later ones meet a doctor that has ended.
    let killed = format!(
        "awk 'BEGIN {{ srand(1); for (i = 0; i < {runs}; i++) print rand() }}' | while read moment; do \
         timeout -s KILL $moment {} --only stack > /dev/null 2>&1; done",
        doctor()
    );
    let whole = format!("{} --only stack > /dev/null", doctor());
    let compare = format!(
        "before=$({EVERYTHING}); {killed}; {whole}; after=$({EVERYTHING}); [ \"$before\" = \"$after\" ]"
    );
    // A tenth of it is used where nothing else runs.
    let seconds = 120 + 10 * runs;
    let build = common();
    let prepare = [ladder::made(), vec![build, KEEP.to_owned(), OWN_FOLDERS.to_owned()]].concat();
    let prepare: Vec<&str> = prepare.iter().map(String::as_str).collect();
    let host = Scenario::new("retry=3").extra(&[ladder::RECORD]).prepare(&prepare);
    let played = host.shell(&compare).with("seconds", &json!(seconds)).play();
    played[0].expect_status(OK).expect_shadow_changed(false);
    // What the host is made by is logged.
    let is_of_host = |line: &String| {
        let made = ["]: replaced /etc/security/", "]: made the ladder "];
        line.contains("filterctl[") && made.iter().any(|words| line.contains(words))
    };
    assert!(played[0].log.iter().all(is_of_host), "{:#?}", played[0]);
    println!("torture: copies of the machine: {runs} killed, {runs} left nothing");
}

#[test]
fn a_copy_leaves_nothing_however_it_ends() {
    nothing_is_left_of(12);
}

#[test]
#[ignore = "make torture: a thousand copies"]
fn a_thousand_copies_leave_nothing_however_they_end() {
    nothing_is_left_of(1000);
}
