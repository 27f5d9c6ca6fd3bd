//! Hostile callers of the machine's own setuid `passwd` and of `su`: limits, closed descriptors, signals and
//! environments.
//!
//! Holds if a weak password is never set, nothing hangs, a stopped program delays no other user, and
//! nothing that was typed is on a terminal or in a log. `make test` tries a part, `make torture` all.

mod closed;

use nearmiss_tests::{
    dialogue::{CURRENT, PASSWD},
    filters::GOOD,
    report_tried,
    scenario::{
        Answer::{self, Shell, Signal, Type, Wait},
        OLD, Run, Scenario, TESTER,
    },
    skip::{no_namespace, skipped},
};
use serde_json::{Value, json};

const SU: &[&str] = &["/bin/su", "tester", "-c", "id"];
const WEAK: &str = "Elephqnt2026!";
const EXPIRE: &str = "sed -i 's/^\\(tester:[^:]*\\):19000:/\\1:0:/' /etc/shadow";

/// The actions of a caller, in words and as fields of a dialogue.
type Hostility = (String, Vec<(&'static str, Value)>);

fn limit(name: &str, value: u64) -> Hostility {
    (format!("{name} {value}"), vec![("limits", json!({name: [value, value]}))])
}

fn limits() -> Vec<Hostility> {
    let mut all = Vec::new();
    let mut range = |name: &str, values: &mut dyn Iterator<Item = u64>| {
        all.extend(values.map(|value| limit(name, value)));
    };
    range("NOFILE", &mut (0..=16).chain([20, 32]));
    range("AS", &mut (4..=40).step_by(2).map(|mib| mib << 20));
    range("DATA", &mut (0..=4).map(|quarters| quarters << 18));
    range("FSIZE", &mut [0, 1, 1000, 4096].into_iter());
    range("STACK", &mut (4..=9).map(|power| 1 << (10 + power)));
    range("CPU", &mut [0, 1].into_iter());
    range("MEMLOCK", &mut [0].into_iter());
    range("NPROC", &mut [0, 1].into_iter());
    range("SIGPENDING", &mut [0].into_iter());
    range("CORE", &mut [0, u64::MAX >> 1].into_iter());
    all
}

fn descriptors() -> Vec<Hostility> {
    let sets: [&[u32]; 7] = [&[0], &[1], &[2], &[0, 1], &[0, 2], &[1, 2], &[0, 1, 2]];
    sets.iter().map(|set| (format!("closed {set:?}"), vec![("close", json!(set))])).collect()
}

fn signals_and_masks() -> Vec<Hostility> {
    vec![
        ("all signals blocked".to_owned(), vec![("blocked", json!(true))]),
        ("an alarm at once".to_owned(), vec![("alarm", json!(0.01))]),
        ("an alarm in the middle".to_owned(), vec![("alarm", json!(0.4))]),
        ("umask 0777".to_owned(), vec![("umask", json!(0o777))]),
        (
            "blocked, umask, no files".to_owned(),
            vec![
                ("blocked", json!(true)),
                ("umask", json!(0o777)),
                ("limits", json!({"NOFILE": [7, 7], "FSIZE": [0, 0]})),
            ],
        ),
    ]
}

fn environments() -> Vec<Hostility> {
    let pairs = [
        ("LANGUAGE", "../../../../tmp/%s%n"),
        ("LC_ALL", "tr_TR.UTF-8"),
        ("TZ", ":/etc/shadow"),
        ("TMPDIR", "/nonexistent/%n"),
        ("RUST_BACKTRACE", "full"),
        ("RUST_LOG", "trace"),
        ("LD_PRELOAD", "/etc/security/pam_nearmiss.so"),
        ("LD_LIBRARY_PATH", "/tmp"),
        ("LD_AUDIT", "/etc/security/pam_nearmiss.so"),
        ("LD_BIND_NOT", "1"),
        ("MALLOC_PERTURB_", "165"),
        ("GLIBC_TUNABLES", "glibc.malloc.tcache_count=0:glibc.malloc.mmap_threshold=1"),
        ("HOME", "/root"),
        ("PATH", "/tmp"),
        ("TERM", "%n%n%n"),
    ];
    pairs
        .iter()
        .map(|(name, value)| (format!("{name}={value}"), vec![("environment", json!({*name: value}))]))
        .collect()
}

/// Plays the same dialogue under each hostility, all in one namespace.
fn play(hostilities: &[Hostility], command: &[&str], steps: &[(&str, Answer)], prepare: &[&str]) -> Vec<Run> {
    let mut scenario = Scenario::new("retry=1").prepare(prepare);
    for (_, fields) in hostilities {
        scenario = scenario.talk(Some(TESTER), command, steps);
        for (name, value) in fields {
            scenario = scenario.with(name, value);
        }
    }
    scenario.play()
}

/// A weak password is never set, whatever the caller does: with a message or not, the program ends by itself
/// with a failure.
fn check_weak(hostilities: &[Hostility]) {
    let passwd = [CURRENT, ("New password: ", Type(WEAK)), ("Retype new password: ", Type(WEAK))];
    let su = [&[("Password: ", Type(OLD))][..], &passwd].concat();
    for (command, steps, prepare) in [(PASSWD, &passwd[..], &[][..]), (SU, &su, &[EXPIRE])] {
        let runs = play(hostilities, command, steps, prepare);
        for (run, (name, _)) in runs.iter().zip(hostilities) {
            assert!(!run.shadow_changed, "{command:?} under {name}: {run:#?}");
            assert!(run.has_failed_by_itself(), "{command:?} under {name}: {run:#?}");
            check_silent(run);
        }
    }
}

fn check_silent(run: &Run) {
    run.expect_nowhere(WEAK).expect_nowhere("lephqnt").expect_nowhere(GOOD);
    run.expect_nowhere("panicked").expect_nowhere("pam_nearmiss: internal");
    // The terminal echoes text that is typed at the prompt of a program that has ended, after all the
    // program said.
    let echo = format!("{OLD}\n");
    let shown = run.transcript.strip_suffix(&echo).filter(|_| run.steps_done < run.steps);
    let shown = shown.unwrap_or(&run.transcript);
    assert!(!shown.contains(OLD) && run.log.iter().all(|line| !line.contains(OLD)), "{run:#?}");
}

#[test]
fn some_hostile_callers_set_no_weak_password() {
    if skipped(no_namespace()) {
        return;
    }
    let all = [limits(), descriptors(), signals_and_masks(), environments()].concat();
    let some: Vec<Hostility> = all.into_iter().step_by(12).collect();
    check_weak(&some);
    report_tried("some hostile callers", 2 * some.len());
}

#[test]
#[ignore = "make torture"]
fn no_hostile_caller_sets_a_weak_password() {
    let all = [limits(), descriptors(), signals_and_masks(), environments()].concat();
    assert!(all.len() >= 80, "{}", all.len());
    for part in all.chunks(20) {
        check_weak(part);
    }
    report_tried(
        "hostile callers of passwd and su: limits, descriptors, signals, environments",
        2 * all.len(),
    );
}

/// An environment must not keep a good password from being set either.
#[test]
#[ignore = "make torture"]
fn no_environment_keeps_a_good_password_from_being_set() {
    let steps = [CURRENT, ("New password: ", Type(GOOD)), ("Retype new password: ", Type(GOOD))];
    let back = [
        ("Current password: ", Type(GOOD)),
        ("New password: ", Type(OLD)),
        ("Retype new password: ", Type(OLD)),
    ];
    let hostilities: Vec<Hostility> =
        environments().into_iter().filter(|(name, _)| !name.starts_with('L')).collect();
    for (name, fields) in &hostilities {
        let mut scenario = Scenario::new("retry=1").talk(Some(TESTER), PASSWD, &steps);
        for (field, value) in fields {
            scenario = scenario.with(field, value);
        }
        // The filter has nothing against the tester's old password; its nearness to the present one does not
        // matter.
        let runs = scenario.talk(Some(TESTER), PASSWD, &back).play();
        assert!(runs.iter().all(|run| run.shadow_changed && run.status == json!(0)), "{name}: {runs:#?}");
        runs.iter().for_each(check_silent);
    }
    report_tried("good passwords under hostile environments", hostilities.len());
}

/// A user who has closed descriptor 2 sees no prompt, yet may type: the module decides as always, and a good
/// password is set.
#[test]
#[ignore = "make torture"]
fn closed_descriptors_for_output_keep_no_good_password_from_being_set() {
    let steps = [CURRENT, ("New password: ", Type(GOOD)), ("Retype new password: ", Type(GOOD))];
    let closed = [json!([1]), json!([2]), json!([1, 2])];
    for set in &closed {
        let run = Scenario::new("retry=1").talk(Some(TESTER), PASSWD, &steps).with("close", set).play_one();
        run.expect_status(0).expect_shadow_changed(true);
        check_silent(&run);
    }
    report_tried("good passwords with closed descriptors", closed.len());
}

const PROMPTS: [&str; 3] = ["Current password: ", "New password: ", "Retype new password: "];

/// The dialogue up to a prompt, at which something else happens than an answer.
fn up_to(prompt: usize, happens: Answer) -> Vec<(&'static str, Answer)> {
    let answers = [OLD, GOOD, GOOD].map(Type);
    let mut steps: Vec<_> = PROMPTS.into_iter().zip(answers).take(prompt + 1).collect();
    steps[prompt].1 = happens;
    steps
}

/// Sends signals at every prompt, then changes the password as if nothing had been. The program may ignore a
/// signal other than KILL: it is killed then after some seconds.
fn interrupt(signals: &[&'static str]) {
    let mut scenario = Scenario::new("retry=3");
    for prompt in 0..PROMPTS.len() {
        for signal in signals {
            let steps = up_to(prompt, Signal(signal));
            scenario = scenario.talk(Some(TESTER), PASSWD, &steps);
        }
    }
    let good = [
        CURRENT,
        ("New password: ", Type(GOOD)),
        ("Retype new password: ", Type(GOOD)),
        ("updated successfully", Wait),
    ];
    let runs = scenario.talk(Some(TESTER), PASSWD, &good).play();
    let (last, interrupted) = runs.split_last().unwrap();
    for (run, signal) in interrupted.iter().zip(signals.iter().cycle()) {
        assert!(
            !run.shadow_changed && run.status != json!(0) && run.steps_done == run.steps,
            "{signal}: {run:#?}"
        );
        assert!(*signal != "KILL" || run.status == json!(-9), "{run:#?}");
        check_silent(run);
    }
    last.expect_status(0).expect_shadow_changed(true);
    report_tried(&format!("{} at every prompt", signals.join(", ")), interrupted.len());
}

#[test]
fn a_kill_at_any_prompt_changes_nothing_and_the_next_change_works() {
    if skipped(no_namespace()) {
        return;
    }
    interrupt(&["KILL"]);
}

#[test]
#[ignore = "make torture"]
fn no_signal_at_any_prompt_changes_anything() {
    interrupt(&["TERM", "QUIT", "HUP", "ALRM", "SEGV", "XCPU"]);
}

/// While one user's program is stopped at a prompt, another user's password is changed within seconds.
#[test]
fn a_stop_at_any_prompt_keeps_nobody_else_waiting() {
    if skipped(no_namespace()) {
        return;
    }
    let other = "echo 'other:x:4343:4343::/tmp:/bin/sh' >> /etc/passwd; \
                 echo 'other:*:19000:0:99999:7:::' >> /etc/shadow";
    let change = Shell("echo 'other:Zz9-uncommon-phrase' | timeout 120 /usr/sbin/chpasswd");
    for prompt in 0..PROMPTS.len() {
        let mut steps = up_to(prompt, Signal("STOP"));
        steps.extend([("", change), ("", Signal("CONT")), ("", Signal("KILL"))]);
        let run = Scenario::new("retry=3 enforce_for_root")
            .prepare(&[other])
            .talk(Some(TESTER), PASSWD, &steps)
            .play_one();
        assert_eq!((run.steps_done, run.status.clone()), (run.steps, json!(-9)), "{run:#?}");
        assert!(run.shadow_changed, "the other user's password was changed: {run:#?}");
        check_silent(&run);
    }
    report_tried("stops at every prompt with another user's change meanwhile", PROMPTS.len());
}
