//! The machine's own `passwd`, `chpasswd`, `su` and `login` with a ladder: who is refused, what is recorded,
//! and what is not. Root only, in a private mount namespace.

use std::time::UNIX_EPOCH;

use nearmiss_tests::{
    artifacts::artifacts,
    dialogue::{CURRENT, PASSWD, UNCHANGED, UPDATED, new, retype},
    filters::GOOD,
    ladder::{FIRST_UID, PAPER, RECORD, RUNGS, TALL, accounts, height, remade, risen, scenario, stack},
    scenario::{
        Answer::{self, EndOfFile, Shell, Signal, Type, Wait},
        OLD, Run, Scenario, TESTER,
    },
    skip::{no_namespace, skipped},
};

const CHPASSWD: &[&str] = &["/usr/sbin/chpasswd"];
const SU: &[&str] = &["/bin/su", "tester", "-c", "id"];
const EXPIRE: &str = "sed -i 's/^\\(tester:[^:]*\\):[0-9]*:/\\1:0:/' /etc/shadow";
const NOT_RECORDED: &str = "the password is set, but not recorded in the ladder";

/// `passwd` of a user who types a new password on a pipe.
fn set_by_pipe(scenario: Scenario, uid: u32, password: &str) -> Scenario {
    change_by_pipe(scenario, uid, OLD, password)
}

fn change_by_pipe(scenario: Scenario, uid: u32, old: &str, new: &str) -> Scenario {
    scenario.pipe(Some(uid), PASSWD, &format!("{old}\n{new}\n{new}\n"))
}

/// Plays what must not have a midnight in it (UTC): again, where there was one.
fn within_a_day(play: impl Fn() -> Vec<Run>) -> Vec<Run> {
    let today = || UNIX_EPOCH.elapsed().unwrap().as_secs() / 86_400;
    loop {
        let day = today();
        let runs = play();
        if day == today() {
            return runs;
        }
    }
}

fn set_tester(scenario: Scenario) -> Scenario {
    scenario.talk(Some(TESTER), PASSWD, &[CURRENT, new(GOOD), retype(GOOD), UPDATED])
}

fn log_in(scenario: Scenario, password: &'static str) -> Scenario {
    scenario.talk(Some(TESTER), SU, &[("Password: ", Type(password)), ("uid=4242", Wait)])
}

#[test]
fn users_with_the_same_password_climb_the_ladder_until_one_is_refused() {
    const USERS: u32 = 7;
    if skipped(no_namespace()) {
        return;
    }
    let mut play = scenario("codes", &[accounts(USERS)]).height(GOOD);
    for user in 0..USERS {
        play = set_by_pipe(play, FIRST_UID + user, GOOD).height(GOOD);
    }
    let runs = play.play();
    let mut before = height(&runs[0]);
    for pair in runs[1..].chunks_exact(2) {
        let is_refused = before >= RUNGS;
        pair[0].expect_status(if is_refused { 10 } else { 0 }).expect_shadow_changed(!is_refused);
        let shown = pair[0].transcript.contains("[too-common-here]");
        assert_eq!(shown, is_refused, "at height {before}: {:#?}", pair[0]);
        pair[0].expect_nowhere(GOOD);
        let after = height(&pair[1]);
        assert_eq!(after, if is_refused { before } else { risen(before) });
        before = after;
    }
    assert_eq!(before, RUNGS, "at most six users of one password");
}

/// One user alone, as often as they like: their passwords rise by one record in a day, all together.
#[test]
fn ten_changes_of_one_account_in_a_day_are_one_record() {
    const OTHER: &str = "Qw7-marimba-vortex-31";
    if skipped(no_namespace()) {
        return;
    }
    let runs = within_a_day(|| {
        let mut play = scenario("", &[remade(TALL)]).height(GOOD).height(OTHER);
        let mut now = OLD;
        for turn in 0..10 {
            let next = if turn % 2 == 0 { GOOD } else { OTHER };
            play = change_by_pipe(play, TESTER, now, next);
            now = next;
        }
        play.height(GOOD).height(OTHER).play()
    });
    let [good, other, changes @ .., good_after, other_after] = runs.as_slice() else { panic!("{runs:?}") };
    assert_eq!(changes.len(), 10);
    for change in changes {
        change.expect_status(0).expect_shadow_changed(true);
    }
    assert_eq!(height(good_after), height(good) + 1);
    assert_eq!(height(other_after), height(other));
}

/// A new account: root gives a password, its owner sets another one the same day. Both are counted, and no
/// number of further changes of that day is, by whomever.
#[test]
fn the_first_password_of_root_and_the_owners_own_are_two_records() {
    const FIRST: &str = "Welcome-uncommon-phrase-5";
    if skipped(no_namespace()) {
        return;
    }
    let runs = within_a_day(|| {
        let both = |play: Scenario| play.height(FIRST).height(GOOD);
        let by_root = |play: Scenario| play.pipe(None, CHPASSWD, &format!("tester:{FIRST}\n"));
        let mut play = both(scenario("", &[remade(TALL)]));
        play = both(change_by_pipe(by_root(play), TESTER, FIRST, GOOD));
        for _ in 0..3 {
            play = change_by_pipe(by_root(play), TESTER, FIRST, GOOD);
        }
        both(play).play()
    });
    let [first, own, by_root, by_owner, first_after, own_after, further @ .., first_last, own_last] =
        runs.as_slice()
    else {
        panic!("{runs:?}")
    };
    for change in [by_root, by_owner].into_iter().chain(further) {
        change.expect_status(0).expect_shadow_changed(true);
    }
    assert_eq!(height(first_after), height(first) + 1, "what root set");
    assert_eq!(height(own_after), height(own) + 1, "what its owner set");
    let last = [height(first_last), height(own_last)];
    assert_eq!(last, [height(first_after), height(own_after)], "the second of each, and all further ones");
}

#[test]
fn ten_accounts_are_ten_records() {
    if skipped(no_namespace()) {
        return;
    }
    let mut play = scenario("", &[remade(TALL), accounts(10)]).height(GOOD);
    for user in 0..10 {
        play = set_by_pipe(play, FIRST_UID + user, GOOD);
    }
    let runs = play.height(GOOD).play();
    for change in &runs[1..11] {
        change.expect_status(0).expect_shadow_changed(true);
    }
    assert_eq!(height(&runs[11]), height(&runs[0]) + 10);
}

#[test]
fn chpasswd_records_each_of_many_users_and_refuses_as_often_as_the_table_says() {
    const PASSWORDS: u32 = 30;
    const USERS_OF_ONE: u32 = 6;
    if skipped(no_namespace()) {
        return;
    }
    let users = || (0..USERS_OF_ONE).flat_map(|turn| (0..PASSWORDS).map(move |password| (turn, password)));
    let input: String = users()
        .map(|(turn, password)| {
            format!("u{}:Vq{password:02}-marimba-{password:02}!\n", turn * PASSWORDS + password)
        })
        .collect();
    let preparations = [remade(PAPER), accounts(PASSWORDS * USERS_OF_ONE)];
    let run = scenario("enforce_for_root", &preparations).pipe(None, CHPASSWD, &input).play_one();
    let refused = |turn: u32| {
        let names = (turn * PASSWORDS..(turn + 1) * PASSWORDS).map(|user| format!("(user u{user})"));
        names.filter(|name| run.transcript.contains(name.as_str())).count()
    };
    // Of 30, 0.0005 0.32 6.8 23.2 29.7 30 are refused; each bound is exceeded less than once in 10^5 runs.
    for (turn, bounds) in (0..).zip([0..=1, 0..=6, 0..=18, 12..=30, 25..=30, 29..=30]) {
        assert!(bounds.contains(&refused(turn)), "{} refused in turn {turn}: {run:#?}", refused(turn));
    }
}

/// The old password is not known then, so that the same one counts again, as any other would: once a day.
#[test]
fn root_who_sets_the_password_there_is_counts_it_once_a_day() {
    if skipped(no_namespace()) {
        return;
    }
    let set = |play: Scenario| play.pipe(None, CHPASSWD, &format!("tester:{GOOD}\n")).height(GOOD);
    let play = set(set(scenario("", &[]).height(GOOD)));
    // In a new ladder the account has recorded nothing today.
    let runs = set(play.shell(&remade(PAPER)).height(GOOD)).play();
    for run in [&runs[1], &runs[3], &runs[7]] {
        run.expect_status(0).expect_shadow_changed(true);
    }
    let heights = [0, 2, 4, 6, 8].map(|run| height(&runs[run]));
    assert_eq!(heights[1], risen(heights[0]));
    assert_eq!(heights[2], heights[1], "the second of a day");
    assert_eq!(heights[4], risen(heights[3]));
}

#[test]
fn a_change_that_does_not_come_about_leaves_the_array_as_it_was() {
    if skipped(no_namespace()) {
        return;
    }
    let tester = |play: Scenario, steps: &[(&str, Answer)]| play.talk(Some(TESTER), PASSWD, steps).digest();
    let play = scenario("retry=1", &[]).configuration("[context]\nold_password = false\n").digest();
    let play = tester(play, &[CURRENT, new("butterfly"), ("BAD PASSWORD", Wait), UNCHANGED]);
    let play = tester(play, &[CURRENT, ("New password: ", EndOfFile), UNCHANGED]);
    let play = tester(play, &[CURRENT, new(GOOD), ("Retype new password: ", EndOfFile), UNCHANGED]);
    let play = tester(play, &[CURRENT, new(GOOD), retype("another-one"), ("do not match", Wait), UNCHANGED]);
    let play = tester(play, &[CURRENT, new(GOOD), ("Retype new password: ", Signal("KILL"))]);
    // pam_unix finds it to be the old one.
    let play = tester(play, &[CURRENT, new(OLD), retype(OLD), UNCHANGED]);
    let runs = set_tester(play).digest().play();
    let before = &runs[0].transcript;
    assert!(before.contains("chosen.ladder"), "{before}");
    let pairs: Vec<(&Run, &str)> =
        runs[1..].chunks_exact(2).map(|pair| (&pair[0], pair[1].transcript.as_str())).collect();
    for (run, after) in &pairs[..6] {
        assert_eq!(run.steps_done, run.steps, "{run:#?}");
        run.expect_shadow_changed(false);
        assert_eq!(after, before, "{run:#?}");
    }
    let (set, after) = pairs[6];
    set.expect_status(0).expect_shadow_changed(true);
    assert_ne!(after, before, "a change that comes about is recorded");
}

/// The checking line, and what follows it.
fn password_stack(rest: &[&str]) -> String {
    let check = "password requisite /etc/security/pam_nearmiss.so filter=/etc/security/words.filter";
    stack("common-password", &[&[check], rest].concat())
}

#[test]
fn the_recording_line_sees_for_itself_whether_the_password_was_set() {
    const SUFFICIENT: &str = "password sufficient pam_unix.so use_authtok sha512";
    const OR_DIE: &str = "password [success=ok new_authtok_reqd=ok ignore=ignore user_unknown=ignore \
                          default=die] pam_unix.so use_authtok sha512";
    const PERMIT: &str = "password required pam_permit.so";
    if skipped(no_namespace()) {
        return;
    }
    let layout = |rest: &[&str], password| {
        let stack = password_stack(rest);
        let play = scenario("", &[stack]).configuration("[context]\nold_password = false\n").height(password);
        let runs = set_by_pipe(play, TESTER, password).height(password).play();
        (runs[1].shadow_changed, height(&runs[0]), height(&runs[2]))
    };
    // RHEL's way with the block that ends the stack on failure: one record, for two lines.
    let (changed, before, after) = layout(&[OR_DIE, RECORD, RECORD], GOOD);
    assert!(changed && after == risen(before), "{before} {after}");
    let (changed, before, after) = layout(&[OR_DIE, RECORD], OLD);
    assert!(!changed && after == before, "{before} {after}");
    // Behind a sufficient pam_unix the line is reached on failure only.
    let (changed, before, after) = layout(&[SUFFICIENT, RECORD], OLD);
    assert!(!changed && after == before, "{before} {after}");
    // Nothing sets the password, yet it is there.
    let (changed, before, after) = layout(&[PERMIT, RECORD], GOOD);
    assert!(!changed && after == before, "{before} {after}");
}

#[test]
fn an_expired_password_is_recorded_at_su_and_login() {
    const LATER: &str = "Later-uncommon-phrase-7";
    if skipped(no_namespace()) {
        return;
    }
    let su = [("Password: ", Type(OLD)), CURRENT, new(GOOD), retype(GOOD), ("uid=4242", Wait)];
    let expired = ("Current password: ", Type(GOOD));
    let login = [("Password: ", Type(GOOD)), expired, new(LATER), retype(LATER), ("$", Type("exit"))];
    let play = scenario("", &[EXPIRE.to_owned()]).height(GOOD).talk(Some(TESTER), SU, &su).height(GOOD);
    // In a new ladder the account has recorded nothing today.
    let play = play.shell(EXPIRE).shell(&remade(PAPER)).height(LATER);
    let runs = play.talk(None, &["/bin/login", "tester"], &login).height(LATER).play();
    runs[1].expect_status(0).expect_shadow_changed(true);
    assert_eq!(runs[6].steps_done, login.len(), "{:#?}", runs[6]);
    assert_eq!(height(&runs[2]), risen(height(&runs[0])));
    assert_eq!(height(&runs[7]), risen(height(&runs[5])));
}

#[test]
fn a_stopped_passwd_delays_no_other() {
    const OTHERS: &str =
        "printf 'u0:Other-uncommon-phrase-1\\nu1:Other-uncommon-phrase-2\\n' | timeout 120 chpasswd";
    if skipped(no_namespace()) {
        return;
    }
    // It holds the open ladder when it is stopped.
    let steps = [
        CURRENT,
        ("New password: ", Signal("STOP")),
        ("", Shell(OTHERS)),
        ("", Signal("CONT")),
        ("", Type(GOOD)),
        retype(GOOD),
        UPDATED,
    ];
    let play = scenario("", &[accounts(2)]).height("Other-uncommon-phrase-2").height(GOOD);
    let runs = play.talk(Some(TESTER), PASSWD, &steps).height("Other-uncommon-phrase-2").height(GOOD).play();
    runs[2].expect_status(0).expect_shadow_changed(true);
    assert_eq!(height(&runs[3]), risen(height(&runs[0])));
    assert_eq!(height(&runs[4]), risen(height(&runs[1])));
}

#[test]
fn a_read_only_folder_costs_the_record_and_one_line_of_the_log() {
    if skipped(no_namespace()) {
        return;
    }
    let play = scenario("", &["mount -o remount,ro /var/lib".to_owned()]).digest();
    let runs = set_tester(play).digest().play();
    runs[1].expect_status(0).expect_shadow_changed(true).expect_one_log("chosen.ladder");
    runs[1].expect_log(NOT_RECORDED).expect_log("read-only");
    assert_eq!(runs[0].transcript, runs[2].transcript);
}

#[test]
fn a_full_disk_does_not_matter() {
    if skipped(no_namespace()) {
        return;
    }
    let fill =
        "dd if=/dev/zero of=/var/lib/full bs=4k 2>/dev/null || true; ! cp /bin/sh /var/lib/more 2>/dev/null";
    let runs = set_tester(scenario("", &[fill.to_owned()]).height(GOOD)).height(GOOD).play();
    runs[1].expect_status(0).expect_shadow_changed(true);
    assert_eq!(height(&runs[2]), risen(height(&runs[0])));
}

#[test]
fn a_missing_key_refuses_or_lets_through_as_configured() {
    const LOSE: &str = "rm /etc/nearmiss/ladder.key";
    if skipped(no_namespace()) {
        return;
    }
    let steps = [("administrator's password filter", Wait), UNCHANGED];
    let reject = "[ladder]\non_error = \"reject\"\n";
    let play = scenario("", &[LOSE.to_owned()]).configuration(reject).digest();
    let runs = play.talk(Some(TESTER), PASSWD, &steps).digest().play();
    runs[1].expect_status(10).expect_shadow_changed(false).expect_nowhere("New password");
    runs[1].expect_one_log("/etc/nearmiss/ladder.key").expect_log("the ladder cannot be used");
    assert_eq!(runs[0].transcript, runs[2].transcript);
    let play = scenario("", &[LOSE.to_owned()]).digest();
    let weak = [CURRENT, new("butterfly"), ("BAD PASSWORD", Wait), UNCHANGED];
    let runs = set_tester(play.talk(Some(TESTER), PASSWD, &weak)).digest().play();
    runs[1].expect_status(10).expect_shadow_changed(false);
    runs[2].expect_status(0).expect_shadow_changed(true).expect_one_log("/etc/nearmiss/ladder.key");
    runs[2].expect_log("is not checked against the ladder");
    assert_eq!(runs[0].transcript, runs[3].transcript);
}

#[test]
fn a_key_lost_during_the_dialogue_costs_the_record_only() {
    if skipped(no_namespace()) {
        return;
    }
    let steps =
        [CURRENT, new(GOOD), ("Retype", Shell("rm /etc/nearmiss/ladder.key")), ("", Type(GOOD)), UPDATED];
    let runs = scenario("", &[]).digest().talk(Some(TESTER), PASSWD, &steps).digest().play();
    runs[1].expect_status(0).expect_shadow_changed(true);
    runs[1].expect_one_log(NOT_RECORDED).expect_one_log("/etc/nearmiss/ladder.key");
    assert_eq!(runs[0].transcript, runs[2].transcript);
}

#[test]
fn limits_of_the_caller_write_nothing_by_halves_and_are_no_way_past_the_ladder() {
    if skipped(no_namespace()) {
        return;
    }
    let filterctl = artifacts().filterctl.display();
    let prime = format!("echo common-common-0 | {filterctl} ladder step --steps 16 >&2");
    for limit in ["-f 0", "-v 20000", "-n 5"] {
        let shell = format!("ulimit {limit}; exec /usr/bin/passwd");
        let input = format!("{OLD}\ncommon-common-0\ncommon-common-0\n");
        let play =
            scenario("", std::slice::from_ref(&prime)).configuration("on_error = \"allow\"\n").digest();
        let runs = play.pipe(Some(TESTER), &["/bin/sh", "-c", &shell], &input).digest().play();
        runs[1].expect_shadow_changed(false);
        assert_ne!(runs[1].status, 0, "{limit}: {:#?}", runs[1]);
        assert_eq!(runs[0].transcript, runs[2].transcript, "{limit}");
    }
}

#[test]
fn a_limit_of_no_file_bytes_sets_and_records_or_neither() {
    if skipped(no_namespace()) {
        return;
    }
    let input = format!("{OLD}\n{GOOD}\n{GOOD}\n");
    let play = scenario("", &[]).height(GOOD);
    let runs =
        play.pipe(Some(TESTER), &["/bin/sh", "-c", "ulimit -f 0; exec passwd"], &input).height(GOOD).play();
    let before = height(&runs[0]);
    let wanted = if runs[1].shadow_changed { risen(before) } else { before };
    assert_eq!(height(&runs[2]), wanted, "{:#?}", runs[1]);
}

const AUTH: [&str; 4] = [
    "auth [success=1 default=ignore] pam_unix.so nullok",
    "auth requisite pam_deny.so",
    "auth optional /etc/security/pam_nearmiss.so submit",
    "auth required pam_permit.so",
];

#[test]
fn a_login_submits_a_password_that_was_set_before_once() {
    if skipped(no_namespace()) {
        return;
    }
    let wrong = [("Password: ", Type("Not-the-old-pw-at-all")), ("Authentication failure", Wait)];
    let runs = within_a_day(|| {
        let play = scenario("", &[stack("common-auth", &AUTH)]).digest().height(OLD);
        let play = log_in(play.talk(Some(TESTER), SU, &wrong).digest(), OLD).height(OLD).digest();
        let play = set_tester(log_in(play, OLD).digest()).digest();
        log_in(play, GOOD).digest().play()
    });
    runs[2].expect_status(1);
    assert_eq!(runs[0].transcript, runs[3].transcript, "a wrong password is not recorded");
    assert_eq!(height(&runs[5]), risen(height(&runs[1])));
    assert_ne!(runs[3].transcript, runs[6].transcript);
    assert_eq!(runs[6].transcript, runs[8].transcript, "the second login changes nothing");
    runs[9].expect_shadow_changed(true);
    assert_eq!(runs[8].transcript, runs[10].transcript, "this account has recorded one today");
    assert_eq!(runs[10].transcript, runs[12].transcript, "and a login does not get round that");
    for login in [4, 7, 11] {
        runs[login].expect_status(0);
    }
}

#[test]
fn a_login_does_not_record_again_what_was_recorded_when_it_was_set() {
    if skipped(no_namespace()) {
        return;
    }
    let play = set_tester(scenario("", &[stack("common-auth", &AUTH)]).digest()).digest();
    let runs = log_in(play, GOOD).digest().play();
    runs[3].expect_status(0);
    assert_ne!(runs[0].transcript, runs[2].transcript);
    assert_eq!(runs[2].transcript, runs[4].transcript);
}

#[test]
fn a_login_under_a_limit_of_no_file_bytes_submits_too() {
    if skipped(no_namespace()) {
        return;
    }
    let shell = ["/bin/sh", "-c", "ulimit -f 0; exec su tester -c id"];
    let steps = [("Password: ", Type(OLD)), ("uid=4242", Wait)];
    let play = scenario("", &[stack("common-auth", &AUTH)]).height(OLD);
    let runs = play.talk(Some(TESTER), &shell, &steps).height(OLD).play();
    runs[1].expect_status(0);
    assert_eq!(height(&runs[2]), risen(height(&runs[0])));
}

#[test]
fn a_submitting_line_that_fails_stops_no_login() {
    if skipped(no_namespace()) {
        return;
    }
    let preparations = [stack("common-auth", &AUTH), "rm /etc/nearmiss/ladder.key".to_owned()];
    let runs = log_in(scenario("", &preparations).digest(), OLD).digest().play();
    runs[1].expect_status(0).expect_one_log("not recorded in the ladder");
    runs[1].expect_one_log("/etc/nearmiss/ladder.key");
    assert_eq!(runs[0].transcript, runs[2].transcript);
}
