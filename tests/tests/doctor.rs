//! `filterctl doctor` on a host whose users are refused, unchecked or weaker checked than configured: never
//! green; and green where nothing is wrong. The host's own libpam; root only, in a private mount namespace.

mod copies;

use nearmiss_tests::{
    artifacts::artifacts,
    scenario::{Run, Scenario},
    skip::{no_namespace, skipped},
};

const OK: i64 = 0;
const WRONG: i64 = 1;
const WARNING: i64 = 3;

/// The stack's line of the scenario, and the way back to a good host.
const LINE: &str =
    "password requisite /etc/security/pam_nearmiss.so filter=/etc/security/words.filter retry=3";
const STACK: &str = "/etc/pam.d/common-password";
const KEEP: &str = "cp -a /etc/security /etc/kept; cp -a /etc/pam.d/common-password /etc/kept/stack";
const BACK: &str = "cp -a /etc/kept/words.filter /etc/kept/pam_nearmiss.so /etc/security/; rm -f \
                    /etc/security/nearmiss.conf; cp -a /etc/kept/stack /etc/pam.d/common-password";

/// A change to the host, the doctor's status after it, and the text that it prints.
struct Case<'c> {
    act: &'c str,
    status: i64,
    says: &'c [&'c str],
}

fn case<'c>(act: &'c str, status: i64, says: &'c [&'c str]) -> Case<'c> {
    Case { act, status, says }
}

fn doctor() -> String {
    format!("{} doctor", artifacts().filterctl.display())
}

/// Builds a filter of the built-in list.
fn common() -> String {
    format!(
        "{} build --quiet --common --output /etc/security/words.filter && chmod 0600 \
         /etc/security/words.filter",
        artifacts().filterctl.display()
    )
}

/// A host with such a filter, which the doctor finds well.
fn host() -> Scenario {
    Scenario::new("retry=3").prepare(&[&common(), KEEP])
}

/// Plays the cases, each on a good host.
fn play(cases: &[Case<'_>]) -> Vec<Run> {
    let mut scenario = host();
    for case in cases {
        scenario = scenario.shell(&format!("{BACK}; {}\n{}", case.act, doctor()));
    }
    let runs = scenario.play();
    for (case, run) in cases.iter().zip(&runs) {
        assert_eq!(run.status.as_i64(), Some(case.status), "{}: {run:#?}", case.act);
        for says in case.says {
            assert!(run.transcript.contains(says), "{}: {says:?} is not in {run:#?}", case.act);
        }
        let is_problem = |line: &&str| line.starts_with("WRONG") || line.starts_with("WARNING");
        let lines: Vec<&str> = run.transcript.lines().collect();
        for (line, next) in
            lines.iter().zip(lines.iter().skip(1).chain([&""])).filter(|(line, _)| is_problem(line))
        {
            assert!(next.trim_start().starts_with("fix: "), "no fix below {line:?}: {run:#?}");
        }
    }
    runs
}

#[test]
fn a_host_without_faults_is_green_and_nothing_is_left_or_logged() {
    if skipped(no_namespace()) {
        return;
    }
    let left = "ls -A /run /tmp /var/tmp | grep nearmiss-doctor";
    let runs =
        host().shell(&format!("{} && {} --only-problems --json && ! {left}", doctor(), doctor())).play();
    let run = &runs[0];
    run.expect_status(OK).expect_shadow_changed(false);
    run.expect_shown("in a copy of this machine, \"password1\" is rejected, a random password is set");
    assert!(run.log.iter().all(|line| !line.contains("pam_") && !line.contains("doctor")), "{run:#?}");
}

#[test]
fn damaged_pages_are_wrong_however_few() {
    if skipped(no_namespace()) {
        return;
    }
    let damage = |pages: u32| {
        format!(
            "dd if=/dev/urandom of=/etc/security/words.filter bs=4096 seek=9 count={pages} conv=notrunc \
             status=none"
        )
    };
    let acts = [1, 5, 50, 300].map(|pages| (damage(pages), format!(": {pages} of ")));
    let says: Vec<[&str; 2]> = acts.iter().map(|(_, count)| [count.as_str(), "page"]).collect();
    let cases: Vec<Case<'_>> =
        acts.iter().zip(&says).map(|((act, _), says)| case(act, WRONG, says)).collect();
    for run in play(&cases) {
        run.expect_nowhere("is accepted: no dictionary");
    }
}

#[test]
fn a_module_that_cannot_be_loaded_is_wrong_and_no_crash() {
    if skipped(no_namespace()) {
        return;
    }
    let module = "/etc/security/pam_nearmiss.so";
    let truncate = |bytes: u32| format!("truncate -s {bytes} {module}");
    let [most, few, none] = [200_000, 70_000, 0].map(truncate);
    let junk = format!("echo junk > {module}");
    let gone = format!("rm {module}");
    let other = format!("cp $(ls -d /lib*/*/libm.so.6 /lib*/libm.so.6 2>/dev/null | head -1) {module}");
    let unix = "rm -f /etc/security/x; sed -i 's|pam_unix.so|/etc/security/pam_unix.so|' ".to_owned() + STACK;
    let other_line = format!("echo 'password optional pam_unheard_of.so' >> {STACK}");
    let of_sessions = format!("sed -i '2i password required pam_limits.so' {STACK}");
    let silent = format!("echo '-password optional pam_unheard_of.so' >> {STACK}");
    play(&[
        case(&most, WRONG, &[module, "nobody can change a password"]),
        case(&few, WRONG, &[module, "nobody can change a password"]),
        case(&none, WRONG, &["cannot be loaded", module]),
        case(&junk, WRONG, &["cannot be loaded", "passwd as an ordinary user"]),
        case(&gone, WRONG, &["is not installed", "passwd as root"]),
        case(&other, WRONG, &["has no pam_sm_chauthtok"]),
        case(&unix, WRONG, &["pam_unix.so: is not installed; nobody can change a password"]),
        case(&other_line, WARNING, &["pam_unheard_of.so: is not installed; the line does nothing"]),
        case(&of_sessions, WRONG, &["no module for passwords", &format!("fix: vi +2 {STACK}")]),
        case(&silent, OK, &[]),
    ]);
}

/// One source: metrics count what the doctor finds of a module, and what is printed below it brings it back.
#[test]
fn metrics_and_the_doctor_agree_on_a_module_and_no_editor_is_printed_for_it() {
    if skipped(no_namespace()) {
        return;
    }
    let module = "/etc/security/pam_nearmiss.so";
    let inside = format!("dd if=/dev/urandom of={module} bs=4096 seek=1 count=20 conv=notrunc status=none");
    let gone = format!("rm {module}");
    let filterctl = artifacts().filterctl.display();
    let metrics = format!("{filterctl} metrics | grep -E '^nearmiss_(module_usable|findings.*wrong)'");
    let reinstall = "fix: apt-get install --reinstall libpam-nearmiss";
    let apt = "test -e /usr/bin/apt-get || { : > /usr/bin/apt-get; } 2>/dev/null";
    let mut scenario = host();
    for act in [&inside, &gone] {
        let doctor = format!("{} --only stack --only-problems | tr -d '\\n'", doctor());
        scenario = scenario.shell(&format!("{BACK}; {apt}; {act}\n{doctor}\n{metrics}"));
    }
    for (run, words) in scenario.play().iter().zip(["pam_nearmiss.so: ", "is not installed"]) {
        run.expect_shown(words).expect_shown(reinstall).expect_nowhere("fix: vi");
        run.expect_shown("nearmiss_module_usable{service=\"passwd\"} 0");
        run.expect_nowhere("nearmiss_findings{state=\"wrong\"} 0");
    }
}

/// A jump over the check: no reader of the lines sees it, so metrics count what the doctor ran, and nothing
/// of what it did not run.
#[test]
fn metrics_are_not_green_where_a_jump_over_the_check_sets_weak_passwords() {
    if skipped(no_namespace()) {
        return;
    }
    let filterctl = artifacts().filterctl.display();
    let jump = format!("sed -i '/pam_nearmiss/i password [success=1 default=ignore] pam_permit.so' {STACK}");
    let own = format!("sed -i 's/use_authtok//' {STACK}");
    // The record is written into a folder of memory that only this scenario has.
    let cache = "mount -t tmpfs none /var/cache && mkdir -m 711 /var/cache/nearmiss";
    let metrics = format!("{filterctl} metrics | grep '^nearmiss_findings'");
    let record = "--only-problems --record /var/cache/nearmiss/examined";
    let runs = host()
        .prepare(&[&common(), KEEP, cache])
        .shell(&format!("{BACK}; {jump}; {own}; {metrics} || echo none"))
        .shell(&format!("{} {record} > /dev/null; echo doctor=$?; {metrics}", doctor()))
        .shell(&format!("{BACK}; {} {record}; echo doctor=$?; {metrics}", doctor()))
        .play();
    runs[0].expect_shown("none").expect_nowhere("nearmiss_findings");
    runs[1].expect_shown("doctor=1").expect_nowhere("{state=\"wrong\"} 0");
    runs[2]
        .expect_shown("doctor=0")
        .expect_shown("{state=\"wrong\"} 0")
        .expect_shown("{state=\"unjudged\"} 0");
}

#[test]
fn a_misspelt_option_is_wrong_with_its_line_and_the_right_spelling() {
    if skipped(no_namespace()) {
        return;
    }
    let misspelt = [
        ("retyr=3", "retry=3"),
        ("enforce=Audit", "enforce=audit"),
        ("Enforce=audit", "enforce=audit"),
        ("enforce=adit", "enforce=audit"),
        ("enfroce=warn", "enforce=warn"),
        ("RETRY=3", "retry=3"),
        ("retries=3", ""),
        ("retry=0", ""),
        ("retry:3", "retry=3"),
        ("enforce-for-root", "enforce_for_root"),
        ("enforce_for_roots", "enforce_for_root"),
        ("local_user_only", "local_users_only"),
        ("use_authtoks", "use_authtok"),
        ("debug=1", ""),
        ("Debug", "debug"),
        ("hints", "hint"),
        ("sugest=2", "suggest=2"),
        ("suggest=ten", ""),
        ("minlen=9", "min_length = 9"),
        ("filter=words.filter", ""),
    ];
    let acts: Vec<String> =
        misspelt.iter().map(|(option, _)| format!("sed -i '1s|$| {option}|' {STACK}")).collect();
    let says: Vec<Vec<String>> = misspelt
        .iter()
        .map(|(option, meant)| {
            let fix = match *meant {
                "" => format!("fix: vi +1 {STACK}"),
                setting if setting.contains(" = ") => format!("it is an option of pam_pwquality: {setting}"),
                meant => format!("(did you mean `{meant}`?)"),
            };
            vec![format!("{STACK}:1: "), (*option).to_owned(), fix]
        })
        .collect();
    let says: Vec<Vec<&str>> = says.iter().map(|one| one.iter().map(String::as_str).collect()).collect();
    let cases: Vec<Case<'_>> = acts.iter().zip(&says).map(|(act, says)| case(act, WRONG, says)).collect();
    play(&cases);
}

/// No module has that name: nobody can change a password, and what is printed corrects it. A tool that would
/// change nothing is no fix for a line that is not there.
#[test]
fn a_stack_without_the_check_is_tried_and_has_a_fix_that_does_something() {
    if skipped(no_namespace()) {
        return;
    }
    let misspell = format!("sed -i s/pam_nearmiss.so/pam_nearmis.so/ {STACK}");
    let fix = "$(DOCTOR --only stack | sed -n 's/^ *fix: sed/sed/p' | head -1)".replace("DOCTOR", &doctor());
    let unknown = "is refused before anything is typed: Module is unknown";
    let respelt = format!("{misspell}; eval \"{fix}\"");
    let removed = format!("sed -i 1d {STACK}");
    let meaning = "so that no line checks new passwords; nobody can change a password";
    let runs = play(&[
        case(&misspell, WRONG, &["pam_nearmis.so is not pam_nearmiss.so", meaning, unknown]),
        case(&respelt, OK, &["\"password1\" is rejected"]),
        case(&removed, WRONG, &["so nothing is checked"]),
    ]);
    runs[2].expect_nowhere("pam-auth-update --enable nearmiss");
}

/// A part of the check that refuses everything is mended where it is, not at a line of the stack.
#[test]
fn a_filter_that_refuses_every_password_is_the_first_fix() {
    if skipped(no_namespace()) {
        return;
    }
    let filter = "/etc/security/words.filter";
    let open = format!("chmod o+w {filter}");
    let runs = play(&[case(&open, WRONG, &["cannot be used, so passwords cannot be changed now"])]);
    let first = runs[0].transcript.lines().find(|line| line.trim_start().starts_with("fix: "));
    assert_eq!(first.map(str::trim), Some(format!("fix: chmod go-w {filter}").as_str()), "{:#?}", runs[0]);
}

/// The lines of other services and of other kinds are read, too, and what is printed fixes them.
#[test]
fn every_line_of_the_module_is_read_and_the_fix_can_be_typed() {
    if skipped(no_namespace()) {
        return;
    }
    let act = "echo 'auth optional /etc/security/pam_nearmiss.so faild' >> /etc/pam.d/sshd-x";
    let fix = "$(DOCTOR --only stack | sed -n 's/^ *fix: sed/sed/p')".replace("DOCTOR", &doctor());
    let fixed = format!("{act}; eval \"{fix}\"; rm -f /etc/kept/x; tail -1 /etc/pam.d/sshd-x");
    let remove = "rm /etc/pam.d/sshd-x";
    play(&[
        case(act, WRONG, &["/etc/pam.d/sshd-x:1", "(did you mean `failed`?)"]),
        // The line is right now, and has no ladder.
        case(&format!("{remove}; {fixed}"), WARNING, &["pam_nearmiss.so failed", "every option is known"]),
    ]);
}

#[test]
fn what_the_stack_does_with_the_verdict_is_tried() {
    if skipped(no_namespace()) {
        return;
    }
    let line = |new: &str| format!("sed -i '1s|.*|{new}|' {STACK}");
    let uncounted = line(&LINE.replace("requisite", "[success=ok default=ignore]"));
    let jumped = format!("sed -i '1i password [success=1 default=ignore] pam_permit.so' {STACK}");
    let denied = format!("sed -i '1i password requisite pam_deny.so' {STACK}");
    let audit = line(&format!("{LINE} enforce=audit"));
    let for_root = line(&format!("{LINE} enforce_for_root"));
    let behind = format!("sed -i '1a password required pam_pwhistory.so remember=5 retry=3' {STACK}");
    // The account of a copy is one person, and jumps.
    let for_some = format!(
        "sed -i -e '1a password [success=ignore default=1] pam_succeed_if.so quiet user = nobody' \
         -e '1a password required pam_pwhistory.so remember=5 retry=3' {STACK}"
    );
    let hidden = "printf '%s\\n' '# C:\\' 'password required pam_unix.so' > /etc/pam.d/hidden";
    let included = format!("sed -i '1a password include gone' {STACK}");
    play(&[
        case(
            &behind,
            WRONG,
            &["used before was rejected: pam_pwhistory.so (/etc/pam.d/common-password:2) prompts again"],
        ),
        case(&for_some, WARNING, &["common-password:2 leads to a module behind it that prompts again"]),
        case(
            &included,
            WRONG,
            &[
                "common-password:2: includes gone, which does not exist; nobody can",
                "fix: sed -i -e '2s/^/#/'",
            ],
        ),
        // What was rejected is gone, so that pam_unix, which may not prompt, sets nothing.
        case(&uncounted, OK, &["\"password1\" is rejected"]),
        // pam_unix may not prompt, and nothing before it does.
        case(&jumped, WRONG, &["a random password is refused after it was typed"]),
        case(&denied, WRONG, &["a random password is refused before anything is typed"]),
        case(&audit, WARNING, &["WARNING  settings", "in a copy of this machine, a random password is set"]),
        case(
            &for_root,
            OK,
            &["in a copy of this machine, \"password1\" is rejected, a random password is set"],
        ),
        case("rm /etc/security/words.filter", WRONG, &["users cannot change passwords", "before anything"]),
        case("echo 'min_lenght = 9' > /etc/security/nearmiss.conf", WRONG, &["did you mean `min_length`?"]),
        case("chmod 0666 /etc/security/words.filter", WRONG, &["fix: chmod go-w /etc/security/words.filter"]),
        case("echo 'log = \"none\"' > /etc/security/nearmiss.conf", WARNING, &["decisions are not logged"]),
        // The comment does not go on in the next line. The file stays, so this is the last case.
        case(hidden, WRONG, &["hidden at a login that demands a change: a weak password is set"]),
    ]);
}

/// A level of one dictionary, settings without rules, and files that are not read.
#[test]
fn settings_that_accept_weak_passwords_are_told_though_nothing_else_is_wrong() {
    if skipped(no_namespace()) {
        return;
    }
    let line = LINE.replace(" filter=/etc/security/words.filter", "");
    let conf =
        |text: &str| format!("sed -i '1s|.*|{line}|' {STACK}; printf '{text}' > /etc/security/nearmiss.conf");
    let listed = "packaged = false\\n[[dictionary]]\\nfile = \"/etc/security/words.filter\"\\n";
    let off = "[variants]\\nleet = false\\naccents = false\\nreversed = false\\ndoubled = false\\naffixes = \
               false\\n";
    let audit = conf(&format!("{listed}enforce = \"audit\"\\n"));
    let [reject, plain] = [conf(listed), conf(&format!("{listed}{off}"))];
    play(&[
        case(&reject, OK, &["\"password1\" is rejected"]),
        case(
            &audit,
            WARNING,
            &[
                "enforce = \"audit\" of /etc/security/words.filter",
                "what only this finds weak is accepted [settings-level]",
                "\"password1\" is found weak, and accepted",
                "one in disguise (\"Password-1\") [settings-level]",
            ],
        ),
        case(&plain, WARNING, &["[variants]: everything is off"]),
    ]);
}

/// Ladder and key are on a disk; the module reads a ladder that cannot be written, and counts nothing.
#[test]
fn a_ladder_that_cannot_count_or_be_used_is_told() {
    if skipped(no_namespace()) {
        return;
    }
    let disk = tempfile::tempdir_in(artifacts().filterctl.parent().unwrap()).unwrap();
    let filterctl = artifacts().filterctl.display();
    let mount = format!(
        "mount -t tmpfs -o mode=755 none /var/lib; mkdir -m 700 /var/lib/nearmiss; mount --bind {} \
         /var/lib/nearmiss; chmod 700 /var/lib/nearmiss; {filterctl} ladder init >/dev/null",
        disk.path().display()
    );
    let doctor = format!("{} --only ladder", doctor());
    let (remount, folder) = ("mount -o remount,bind", "/var/lib/nearmiss");
    let runs = host()
        .shell(&format!("{mount}; {doctor}"))
        .shell(&format!("{remount},ro {folder}; {doctor}; s=$?; {remount},rw {folder}; exit $s"))
        .shell(&format!("echo junk > /etc/nearmiss/ladder.key; {doctor}"))
        .shell(&format!("{filterctl} ladder init --fix; {doctor}"))
        .shell(&format!("eval \"$({doctor} | sed -n 's/^ *fix: shred/shred/p')\"; {doctor}"))
        .play();
    runs[0].expect_status(OK);
    runs[1].expect_status(WARNING).expect_shown("passwords are compared, but not counted");
    runs[2].expect_status(WRONG).expect_shown("fix: filterctl ladder init --fix");
    runs[3].expect_status(WARNING).expect_shown("fix: shred -u ");
    runs[4].expect_status(OK);
}
