//! Callers that close standard descriptors: what the module opens must never take their place, since libpam
//! writes its prompts to descriptor 2 and reads the answers from 0.
//!
//! Filter, key and the header of the ladder are the same before and after, byte for byte, and the rest of the
//! ladder too, unless a password was set: then what one record changes, and nothing else.

use nearmiss_tests::{
    artifacts::tool,
    filters::GOOD,
    ladder::{ARRAY, STEPS, scenario},
    pam::{Played, SUCCESS, hex, python},
    report_tried,
    scenario::{
        Answer::{self, Type},
        OLD, Run, Scenario, TESTER,
    },
    skip::{no_namespace, skipped},
};
use serde_json::json;

use super::{PASSWD, WEAK};

/// None, one, two or all of the three.
const SETS: [&[u8]; 8] = [&[], &[0], &[1], &[2], &[0, 1], &[0, 2], &[1, 2], &[0, 1, 2]];
const OF_TESTER: &[&str] = &["/usr/bin/passwd", "tester"];
const CHPASSWD: &[&str] = &["/usr/sbin/chpasswd"];
const OTHERS: &str = "sha256sum /etc/security/words.filter /etc/nearmiss/*";

/// Bytes of the ladder's header, which is a page, and of its 2^20 bits.
const HEADER_BYTES: usize = 4096;
const BIT_BYTES: usize = 1 << 17;
/// Bits that one step changes at most: two are set at the top, two are cleared.
const BITS_OF_A_STEP: u64 = 4;
/// Words of stamps that one record changes at most.
const STAMP_WORDS: usize = 2;

/// The peer, and the protocol.
type Play = fn(Scenario) -> Scenario;

fn from_a_terminal(scenario: Scenario, uid: Option<u32>, command: &[&str]) -> Scenario {
    let new = [
        ("New password: ", Type(WEAK)),
        ("New password: ", Type(GOOD)),
        ("Retype new password: ", Type(GOOD)),
    ];
    let current: &[(&str, Answer)] = if uid.is_some() { &[("Current password: ", Type(OLD))] } else { &[] };
    scenario.talk(uid, command, &[current, &new].concat())
}

/// Plays a command under each set, each time with the ladder, the filter and the accounts of the beginning.
/// After each the differences of the ladder are listed, and the other files' hashes.
fn play(play: Play) -> Vec<(&'static [u8], [Run; 2])> {
    let keep = format!("cp -p {ARRAY} /etc/shadow /run; {OTHERS} > /run/others");
    let mut all = scenario("retry=2 enforce_for_root", &[keep]);
    for set in SETS {
        let look = format!(
            "cmp -l /run/chosen.ladder {ARRAY}; {OTHERS} | cmp /run/others || echo others; \
             cat /run/chosen.ladder > {ARRAY}; cat /run/shadow > /etc/shadow"
        );
        all = play(all).with("close", &json!(set)).shell(&look);
    }
    let runs = all.play();
    SETS.into_iter().zip(runs.as_chunks().0.iter().cloned()).collect()
}

/// The bytes of the ladder that differ: where, before, and after, from `cmp -l`.
fn differences(told: &str) -> Vec<(usize, u8, u8)> {
    let number = |text: &str| u8::from_str_radix(text, 8).unwrap();
    told.lines()
        .map(|line| {
            let parts: Vec<&str> = line.split_whitespace().collect();
            assert_eq!(parts.len(), 3, "{line}");
            (parts[0].parse::<usize>().unwrap() - 1, number(parts[1]), number(parts[2]))
        })
        .collect()
}

/// Checks the files after each run; returns how many passwords were set.
fn check(runs: &[(&'static [u8], [Run; 2])]) -> usize {
    for (set, [run, look]) in runs {
        let bytes = differences(&look.transcript);
        assert!(
            bytes.iter().all(|(at, ..)| *at >= HEADER_BYTES),
            "closed {set:?}: the header: {run:#?} {look:#?}"
        );
        assert!(
            run.shadow_changed || bytes.is_empty(),
            "closed {set:?}: nothing was set: {run:#?} {look:#?}"
        );
        let is_bit = |at: usize| at < HEADER_BYTES + BIT_BYTES;
        let bits: u32 =
            bytes.iter().filter(|(at, ..)| is_bit(*at)).map(|(_, old, new)| (old ^ new).count_ones()).sum();
        let mut stamps: Vec<usize> =
            bytes.iter().filter(|(at, ..)| !is_bit(*at)).map(|(at, ..)| at / 8).collect();
        stamps.dedup();
        assert!(u64::from(bits) <= STEPS * BITS_OF_A_STEP, "closed {set:?}: {bits} bits: {look:#?}");
        assert!(stamps.len() <= STAMP_WORDS, "closed {set:?}: {look:#?}");
        assert!(!run.shadow_changed || bits > 0, "closed {set:?}: set and not recorded: {run:#?}");
        assert!(run.status.is_i64(), "closed {set:?}: {run:#?}");
        run.expect_nowhere("panicked");
        // A terminal that is not read as descriptor 0 is not switched to silence, and shows what is typed.
        let said = run.log.iter().chain((!set.contains(&0)).then_some(&run.transcript));
        assert!(said.into_iter().all(|text| !text.contains(WEAK) && !text.contains(GOOD)), "{run:#?}");
    }
    runs.iter().filter(|(_, [run, _])| run.shadow_changed).count()
}

/// Plays one transaction of an application that has closed these descriptors; returns what lay there, at each
/// prompt and after it.
fn places(scenario: Scenario, set: &[u8]) -> (Played, Run) {
    let answers = [WEAK, GOOD, GOOD].map(|answer| hex(answer.as_bytes()));
    let user = hex(b"tester");
    let case = json!([{"folder": "/etc/pam.d", "service": "passwd", "user": user, "answers": answers,
        "close": set}]);
    let driver = tool("pamdrive.py");
    let run = scenario.pipe(None, &[python(), driver.to_str().unwrap()], &case.to_string()).play_one();
    let mut played: Vec<Played> = serde_json::from_str(&run.transcript).unwrap();
    (played.remove(0), run)
}

/// The ladder is open while it is prompted for the new password once more.
#[test]
fn no_file_is_opened_in_the_place_of_a_closed_descriptor() {
    if skipped(no_namespace()) {
        return;
    }
    for set in SETS {
        let (played, run) = places(scenario("retry=2 enforce_for_root", &[]), set);
        assert_eq!((played.code, played.unused), (SUCCESS, 0), "closed {set:?}: {played:#?} {run:#?}");
        // pam_unix, which writes to the log first, has its connection there in the end.
        assert!(played.taken.iter().all(|place| place.starts_with("socket:")), "closed {set:?}: {played:#?}");
    }
    report_tried("closed descriptors of an application: what lies there", SETS.len());
}

/// The connection to the system log stays open.
#[test]
fn the_log_is_not_opened_in_the_place_of_a_closed_descriptor() {
    if skipped(no_namespace()) {
        return;
    }
    for set in SETS {
        let (played, run) = places(Scenario::without_filter("retry=2 enforce_for_root"), set);
        run.expect_log("words.filter");
        assert!(played.taken.is_empty(), "closed {set:?}: {played:#?} {run:#?}");
    }
    report_tried("closed descriptors of an application: the log", SETS.len());
}

/// A user or root at a terminal who keeps descriptor 0 can set a good password, whatever else is closed.
fn check_terminal(runs: &[(&'static [u8], [Run; 2])]) {
    assert_eq!(check(runs), 4, "{runs:#?}");
    for (set, [run, _]) in runs {
        assert_eq!(run.shadow_changed, !set.contains(&0), "closed {set:?}: {run:#?}");
    }
    report_tried("closed descriptors: ladder, key and filter but for what was recorded", runs.len());
}

#[test]
fn a_user_who_closes_descriptors_changes_nothing_but_what_is_recorded() {
    if !skipped(no_namespace()) {
        check_terminal(&play(|all| from_a_terminal(all, Some(TESTER), PASSWD)));
    }
}

#[test]
fn root_who_closes_descriptors_changes_nothing_but_what_is_recorded() {
    if !skipped(no_namespace()) {
        check_terminal(&play(|all| from_a_terminal(all, None, OF_TESTER)));
    }
}

/// Without a terminal, too: prompts go to descriptor 2 as ever.
#[test]
fn passwd_and_chpasswd_on_a_pipe_change_nothing_but_what_is_recorded() {
    if skipped(no_namespace()) {
        return;
    }
    let passwd = play(|all| all.pipe(None, OF_TESTER, &format!("{WEAK}\n{GOOD}\n{GOOD}\n")));
    let chpasswd = play(|all| all.pipe(None, CHPASSWD, &format!("tester:{GOOD}\n")));
    assert_eq!((check(&passwd), check(&chpasswd)), (4, 4), "{passwd:#?} {chpasswd:#?}");
    report_tried("closed descriptors on a pipe: ladder, key and filter", passwd.len() + chpasswd.len());
}
