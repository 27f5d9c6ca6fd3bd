//! Another user of the machine, who watches the page cache while somebody changes a password with the
//! machine's own `passwd`: a packaged filter cannot be opened; a public one is read whole, so that nothing is
//! to be seen; and where neither holds, the spy finds the password, which shows that the other two tests can
//! fail. Root only, in a private mount namespace.

use std::{collections::BTreeSet, sync::Mutex};

use nearmiss_tests::{
    dialogue::{PASSWD, UPDATED},
    scenario::{
        Answer::{self, Shell, Type, Wait},
        OLD, Run, Scenario, TESTER,
    },
    skip::{no_namespace, skipped},
    spy::{
        Attacker, MARKED, PAGE_BY_PAGE_PLACE, PLACE, SPY, Scene, lines_seen, pages_seen, part_of, passwords,
    },
};

const NO_DISK: &str = "needs a folder on a disk whose pages can be dropped from the page cache";

/// Two of [`passwords`].
const FIRST: &str = "MarblevqGondola47";
const SECOND: &str = "VelvetvqOyster83";

/// Changes while the spy watches lines: it does not see each of them on a busy machine.
const CHANGES: usize = 8;
/// The system's own hash at its lowest cost.
const CHEAP_HASH: &str = "sed -i 's/yescrypt/yescrypt rounds=1/' /etc/pam.d/common-password";
/// Spy and `passwd` run before other programs, where that is allowed: what these read takes the place of
/// lines in the caches.
const PRIORITY: &str = "renice -n -15 -p $PPID > /dev/null 2>&1 || true";

/// The rules about the structure of a password read so many pages that a filter is read whole.
const NO_STRUCTURE: &str = "[policy]\ntwo_words = false\ndigits_max = 0\nrepetition = false\n\
                            sequences = false\ndistance_2 = false\n";

/// The file that the spy writes, and the file that ends it.
const WATCHED: &str = "/run/watched";
const STOP: &str = "/run/stop";
const AWAIT_WATCHER: &str =
    "for i in $(seq 6000); do grep -q 'watching\\|blind' /run/watched && break; sleep 0.05; done";

const AWAIT_END: &str =
    "for i in $(seq 6000); do grep -q 'line\\|blind' /run/watched && break; sleep 0.05; done";

/// The tests take turns: each measures what the others would disturb.
static TURN: Mutex<()> = Mutex::new(());

fn scenario(scene: &Scene, place: &str, further: &[&str]) -> Scenario {
    let mount = scene.mount();
    let commands: Vec<&str> = [mount.as_str()].into_iter().chain(further.iter().copied()).collect();
    Scenario::without_filter("")
        .options(&format!("retry=1 filter={place}/words.filter"))
        .configuration(NO_STRUCTURE)
        .prepare(&commands)
}

fn spy(scenario: Scenario, act: &str) -> Scenario {
    let (program, filter) = (format!("{PLACE}/spy"), format!("{PLACE}/words.filter"));
    scenario.pipe(Some(SPY), &[&program, act, &filter], "")
}

#[test]
fn a_packaged_filter_cannot_be_opened_by_another_user() {
    if skipped(no_namespace()) {
        return;
    }
    let _turn = TURN.lock();
    for options in [&["--group", "4141"][..], &[]] {
        let Some(scene) = Scene::new(options) else {
            skipped(Some(NO_DISK));
            return;
        };
        let scenario = spy(scenario(&scene, PLACE, &[]), "drop");
        let runs = spy(change(scenario, PASSWD, OLD, FIRST, Wait), "look").play();
        for refused in [&runs[0], &runs[2]] {
            refused.expect_status(1).expect_shown("words.filter: Permission denied");
        }
        runs[1].expect_status(0).expect_shadow_changed(true).expect_nowhere("any user may read");
    }
}

/// A password change; `before` is done once `passwd` runs, before anything is typed.
fn change(
    scenario: Scenario,
    command: &[&str],
    old: &'static str,
    new: &'static str,
    before: Answer,
) -> Scenario {
    let steps = [
        ("Current password: ", before),
        ("", Type(old)),
        ("New password: ", Type(new)),
        ("Retype new password: ", Type(new)),
        UPDATED,
    ];
    scenario.talk(Some(TESTER), command, &steps)
}

/// The spy's view of password changes: pages of one to [`FIRST`], and lines, or why none, of others to
/// [`SECOND`] and back.
struct Seen {
    pages: BTreeSet<u64>,
    lines: Result<BTreeSet<u64>, String>,
    runs: Vec<Run>,
}

/// Changes with a public filter. While lines are watched, spy and `passwd` share a processor, so that what
/// the one brings into a cache is there for the other, whichever caches the processors share.
fn watch(scene: &Scene, place: &str, attacker: &Attacker) -> Seen {
    let cpu = first_processor();
    let watcher = format!(
        "setpriv --reuid {SPY} --regid {SPY} --clear-groups {PLACE}/spy watch {PLACE}/words.filter {cpu} \
         {STOP} > {WATCHED} 2> /dev/null < /dev/null & {AWAIT_WATCHER}"
    );
    let watcher = Shell(Box::leak(watcher.into_boxed_str()));
    let passwd = ["taskset", "-c", &cpu, PASSWD[0]];
    let scenario = spy(scenario(scene, place, &[CHEAP_HASH, PRIORITY]), "drop");
    let mut scenario = spy(change(scenario, PASSWD, OLD, FIRST, Wait), "look");
    for number in 0..CHANGES {
        let before = if number == 0 { watcher } else { Wait };
        let (old, new) = if number % 2 == 0 { (FIRST, SECOND) } else { (SECOND, FIRST) };
        scenario = change(scenario, &passwd, old, new, before);
    }
    let end = format!("touch {STOP}; {AWAIT_END}; cat {WATCHED}");
    let runs = scenario.pipe(None, &["/bin/sh", "-c", &end], "").play();
    runs[0].expect_status(0).expect_shown("dropped");
    for run in runs.iter().filter(|run| run.steps > 0) {
        run.expect_status(0).expect_shadow_changed(true);
    }
    let pages = pages_seen(&runs[2].transcript, attacker.header());
    let lines = lines_seen(&runs[runs.len() - 1].transcript, attacker.header());
    Seen { pages, lines, runs }
}

/// A processor that this process may run on.
fn first_processor() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let list = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).unwrap();
    list.trim().split([',', '-']).next().unwrap().to_owned()
}

/// The part that the spy saw of the pages read by checks of these passwords, and of all others.
fn parts(attacker: &Attacker, passwords: &[&str], seen: &BTreeSet<u64>) -> (f64, f64) {
    let observed = 0..attacker.header().pages - MARKED;
    let read: BTreeSet<u64> = passwords.iter().flat_map(|password| attacker.pages_of(password)).collect();
    let (read, others) = observed.partition(|page| read.contains(page));
    (part_of(&read, seen), part_of(&others, seen))
}

#[test]
fn what_is_asked_through_the_page_cache_tells_the_password() {
    if skipped(no_namespace()) {
        return;
    }
    let _turn = TURN.lock();
    let Some(scene) = Scene::new(&["--public"]) else {
        skipped(Some(NO_DISK));
        return;
    };
    let attacker = Attacker::new(&scene.filter());
    let seen = watch(&scene, PAGE_BY_PAGE_PLACE, &attacker);
    let (read, others) = parts(&attacker, &[FIRST], &seen.pages);
    assert!(read >= 0.9 && others < 0.05, "{read} of the pages read, {others} of the others");
    let passwords = passwords();
    assert_eq!((passwords.len(), attacker.left(&passwords, &seen.pages, 0.9)), (100_000, vec![FIRST]));
    match &seen.lines {
        Err(reason) => drop(skipped(Some(&blind(reason)))),
        Ok(lines) => {
            let (read, others) = parts(&attacker, &[FIRST, SECOND], lines);
            assert!(read >= 0.3 && others < 0.1, "lines: {read} of the pages read, {others} of the others");
        }
    }
}

fn blind(reason: &str) -> String {
    format!("cache lines cannot be watched here ({reason}); pages were")
}

#[test]
fn what_is_read_whole_tells_nothing() {
    if skipped(no_namespace()) {
        return;
    }
    let _turn = TURN.lock();
    let Some(scene) = Scene::new(&["--public"]) else {
        skipped(Some(NO_DISK));
        return;
    };
    let attacker = Attacker::new(&scene.filter());
    let seen = watch(&scene, PLACE, &attacker);
    assert_eq!(seen.pages, (0..attacker.header().all_pages()).collect(), "every page was read");
    for change in seen.runs.iter().filter(|run| run.steps > 0) {
        change.expect_one_log("words.filter: any user may read this filter");
    }
    match &seen.lines {
        Err(reason) => drop(skipped(Some(&blind(reason)))),
        Ok(lines) => {
            let (read, others) = parts(&attacker, &[FIRST, SECOND], lines);
            assert!((read - others).abs() < 0.2, "lines: {read} of the pages read, {others} of the others");
        }
    }
}
