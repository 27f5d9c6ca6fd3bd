//! `filterctl ladder` as scripts use it: exact spellings, JSON, exit codes, files.

use std::{
    ffi::OsString,
    fs,
    io::Write,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{Command, ExitStatus, Output, Stdio},
};

use nearmiss_filters::ladder::{ChosenLadder, Cost, LadderFiles, NewLadder, Params, create};
use serde_json::Value;

use crate::assert_is_described;

fn run(arguments: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_filterctl"))
        .arg("ladder")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A command that fails early does not read its input.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    let output = child.wait_with_output().unwrap();
    let words: Vec<OsString> = [&["ladder"], arguments].concat().into_iter().map(OsString::from).collect();
    assert_is_described(&words, std::str::from_utf8(&output.stdout).unwrap());
    output
}

/// Runs a line of arguments and parses the one JSON object it must print.
fn json(line: &str) -> Value {
    let arguments: Vec<&str> = line.split_whitespace().collect();
    let output = run(&arguments, "");
    assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    let value: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(value["schema"], 1, "{line}");
    value
}

#[test]
fn plans() {
    let plan = json("plan --users 1000 --max-share 0.005 --false-positive 2e-5 --json");
    assert!(plan["false_positive"].as_f64().unwrap() <= 2e-5);
    assert!(plan["table"][5]["refused"].as_f64().unwrap() >= 0.9);
    let preset = json("plan --preset paper-5m --json");
    assert_eq!((&preset["rungs"], &preset["steps"]), (&Value::from(16), &Value::from(3)));
    assert_eq!(json("plan --preset default --users 10000 --json")["bits"], 1 << 27);
    assert_eq!(json("plan --detect 1e-6 --ignore 2e-8 --false-positive 2e-6 --json")["bits"], 1 << 29);
}

#[test]
fn what_cannot_be_is_an_error_of_one_line() {
    for line in
        ["plan --users 1000 --max-share 0.002 --false-positive 1e-30", "plan --detect 1e-8 --ignore 1e-6"]
    {
        let output = run(&line.split_whitespace().collect::<Vec<_>>(), "");
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{line}");
        assert!(told.starts_with("filterctl: ") && told.lines().count() == 1, "{told}");
    }
    for line in [
        "plan --max-share 2",
        "plan --detect 0 --ignore 1e-8",
        "plan --preset none",
        "plan --bits 2^64",
        "init --slow-hash-memory-kib 19455",
    ] {
        let output = run(&line.split_whitespace().collect::<Vec<_>>(), "");
        assert_eq!(output.status.code(), Some(2), "{line}");
    }
}

/// A folder with a ladder and its key.
struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    fn new() -> Place {
        Place { folder: tempfile::tempdir().unwrap() }
    }

    fn array(&self) -> PathBuf {
        self.folder.path().join("state/l.ladder")
    }

    fn run(&self, line: &str, input: &str) -> Output {
        let key = self.folder.path().join("etc/l.key");
        let mut arguments: Vec<&str> = line.split_whitespace().collect();
        let array = self.array();
        arguments.extend(["--file", array.to_str().unwrap(), "--key", key.to_str().unwrap()]);
        run(&arguments, input)
    }

    fn made(line: &str) -> Place {
        let place = Place::new();
        let output = place.run(line, "");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        place
    }
}

impl Place {
    /// `filterctl doctor --only ladder` with this ladder for one of the two kinds, and none of the other.
    fn doctor(&self, is_guessed: bool, more: &[&str]) -> Output {
        let path = |name: &str| self.folder.path().join(name).display().to_string();
        let (array, key, none) = (path("state/l.ladder"), path("etc/l.key"), path("none"));
        let (chosen, guessed) = if is_guessed { (&none, &array) } else { (&array, &none) };
        let text = format!(
            "packaged = false\n[ladder]\nfile = {chosen:?}\nkey = {key:?}\n[guesses]\nfile = {guessed:?}\n"
        );
        let conf = self.folder.path().join("site.conf");
        fs::write(&conf, text).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_filterctl"));
        command.args(["doctor", "--only", "ladder", "--conf"]).arg(conf).args(more).output().unwrap()
    }
}

fn parsed(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The ladder of guessed passwords beside that of chosen ones, with one key.
#[test]
fn the_ladder_of_guesses_from_init_to_report() {
    let place = Place::made("init --guessed");
    let info = parsed(&place.run("info --guessed --json", ""));
    assert_eq!((&info["rungs"], &info["threshold"], &info["steps"]), (&48.into(), &44.into(), &1.into()));
    assert_eq!((&info["bits"], &info["slow_hash"]), (&(1 << 24).into(), &Value::Null));
    assert_eq!(info["stamps"], 0);
    let described = [place.run("info", ""), place.run("info --guessed", "")].map(|output| output.stdout);
    assert!(described[0] == described[1], "its file tells that it counts guesses");
    let taken = parsed(&place.run("step --guessed --steps 48 --json", "Summer2026!x\n"));
    assert_eq!(taken["steps"], 48);
    let height = place.run("height --guessed", "Summer2026!x\nSummer2026!y\n");
    let shown = String::from_utf8(height.stdout).unwrap();
    assert!(shown.lines().next().unwrap().ends_with("of 48  guessed often"), "{shown}");
    assert!(!shown.lines().nth(1).unwrap().contains("guessed"), "{shown}");
    assert_eq!(height.status.code(), Some(1));
    let doctor = parsed(&place.doctor(true, &["--json"]));
    let checks: Vec<&str> = doctor["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|finding| finding["check"].as_str().unwrap())
        .collect();
    assert!(checks.contains(&"guesses: density") && checks.contains(&"guesses: pam lines"), "{checks:?}");
    assert!(!checks.contains(&"guesses: slow hash") && !checks.contains(&"guesses: stamps"), "{checks:?}");
    for (line, bits) in [("--preset guesses-action", 1 << 24), ("--failures-per-day 200000", 1 << 26)] {
        let made = parsed(&place.run(&format!("init --guessed --replace --json {line}"), ""));
        assert_eq!(made["bits"], bits, "{line}");
    }
    for line in ["--preset default", "--users 5000", "--failures-per-day 9 --bits 2^24"] {
        let output = place.run(&format!("init --guessed --replace {line}"), "");
        assert_eq!(output.status.code(), Some(2), "{line}");
    }
    // One with a slow hash is for chosen passwords: no failed login may wait for it.
    let chosen = Place::made("init --slow-hash-ms 1");
    let doctor = chosen.doctor(true, &[]);
    let shown = String::from_utf8(doctor.stdout).unwrap();
    assert!(doctor.status.code() == Some(1) && shown.contains("has a slow hash"), "{shown}");
}

/// Its counts are of failed logins, not of accounts that have the password.
#[test]
fn a_ladder_of_guesses_is_described_as_one() {
    let place = Place::new();
    for line in [
        "init --guessed",
        "info",
        "plan --preset guesses",
        "plan --detect 1e-4 --ignore 1e-6 --false-positive 1e-6",
    ] {
        let told = if line.starts_with("plan") {
            run(&line.split(' ').collect::<Vec<_>>(), "")
        } else {
            place.run(line, "")
        };
        let shown = String::from_utf8(told.stdout).unwrap();
        for words in ["guessed often from ", "for each failed login that counts", "counted attempts"] {
            assert!(shown.contains(words), "{line}: {shown}");
        }
        assert!(
            !shown.contains("users with the password") && !shown.contains("account has"),
            "{line}: {shown}"
        );
    }
    let chosen = run(&["plan", "--preset", "default"], "");
    assert!(String::from_utf8(chosen.stdout).unwrap().contains("users with the password"));
}

#[test]
fn a_plan_for_guesses_says_what_a_host_can_see() {
    let plan = |line: &str| {
        let line = format!("plan --guessed --json {line}");
        run(&line.split_whitespace().collect::<Vec<_>>(), "")
    };
    let enough = plan("--accounts 40 --failures-per-day 60000");
    let planned = parsed(&enough);
    assert_eq!((enough.status.code(), &planned["bits"]), (Some(0), &(1 << 24).into()));
    assert_eq!((&planned["can_detect"], &planned["attempts"][1]["attempt"]), (&true.into(), &21.into()));
    assert!((planned["half_life_days"].as_f64().unwrap() - 97.0).abs() < 1.0);
    let few = plan("--accounts 5 --failures-per-day 100");
    assert_eq!((few.status.code(), &parsed(&few)["can_detect"]), (Some(1), &false.into()));
    let text = run(&["plan", "--guessed", "--accounts", "5", "--failures-per-day", "100"], "");
    let text = String::from_utf8(text.stdout).unwrap();
    assert!(text.contains("NOTHING CAN BE DETECTED") && text.contains("account-and-network"), "{text}");
    assert_eq!(plan("--accounts 5").status.code(), Some(2));
    assert_eq!(plan("--accounts 0 --failures-per-day 1").status.code(), Some(2));
}

#[test]
fn a_report_sums_the_addresses_of_the_log() {
    let line = |address: &str| {
        format!(
            "Nov 22 02:49:01 host sshd[1]: pam_nearmiss(sshd:auth): guess from {address} weight 5: \
             a password that \
             is guessed often here\n"
        )
    };
    let log =
        [line("203.0.113.7"), line("203.0.113.7"), line("203.0.113.9"), "unrelated\n".to_owned()].concat();
    let place = Place::made("init --guessed");
    let report = place.run("report - --json", &log);
    let reported = parsed(&report);
    let network = &reported["networks"][0];
    assert_eq!((&network["name"], &network["weight"]), (&"203.0.113.0/24".into(), &15.into()));
    assert_eq!(reported["addresses"][0]["guesses"], 2);
    let text = String::from_utf8(place.run("report -", &log).stdout).unwrap();
    assert!(text.contains("      10         2   203.0.113.7\n"), "{text}");
    let verbose = "    MESSAGE=pam_nearmiss(sshd:auth): guess from 203.0.113.7 weight 5: a password\n";
    let unread = place.run("report -", &format!("{log}{verbose}"));
    let text = String::from_utf8(unread.stdout).unwrap();
    assert_eq!(unread.status.code(), Some(4), "{text}");
    assert!(text.contains("not read         1 line with guesses"), "{text}");
    let packed = place.run("report -", "BZh91AY&SY");
    assert_eq!(packed.status.code(), Some(2), "{packed:?}");
    assert!(String::from_utf8_lossy(&packed.stderr).contains("bzcat FILE | filterctl ladder report -"));
    assert_eq!(place.run("report /nonexistent/log", "").status.code(), Some(2));
}

#[test]
fn a_ladder_from_init_to_doctor() {
    let place = Place::made("init --slow-hash-ms 1");
    let info = parsed(&place.run("info --json", ""));
    assert_eq!((&info["bits"], &info["rungs"], &info["steps"]), (&(1 << 22).into(), &16.into(), &2.into()));
    assert!((info["density"].as_f64().unwrap() - 0.5).abs() < 0.0025);
    assert_eq!((&info["slow_hash"]["memory_kib"], &info["slow_hash"]["passes"]), (&19_456.into(), &2.into()));

    let primed = place.run("step --steps 16 --json", "letmein\n\nhunter2\nhunter2\n");
    assert_eq!(parsed(&primed)["steps"], 48);
    let heights = place.run("height --json", "hunter2\n");
    assert_eq!((parsed(&heights)["heights"][0].as_u64(), heights.status.code()), (Some(16), Some(1)));
    // As `check` and `build` read it: the bytes of hunter2 and of tr:umpet.
    let heights = place.run("height --json", "$HEX[68756e74657232]\n");
    assert_eq!(parsed(&heights)["heights"][0].as_u64(), Some(16));
    place.run("step --steps 16", "$HEX[74723a756d706574]\n");
    assert_eq!(parsed(&place.run("height --json", "tr:umpet\n"))["heights"][0].as_u64(), Some(16));
    let heights = place.run("height", "not one of them, for certain\n");
    let told = String::from_utf8(heights.stdout).unwrap();
    assert!(told.ends_with(" of 16\n") && !told.contains("certain"), "{told}");

    let doctor = place.doctor(false, &["--json"]);
    // A slow hash of the least cost takes about as long as a login, on some machines less.
    let problems = [wrong(&place), warned(&place)].concat();
    assert!(problems.iter().all(|check| check == "slow hash"), "{problems:?}");
    assert_eq!(parsed(&doctor)["findings"].as_array().unwrap().len(), 15);
}

#[test]
fn a_ladder_is_not_forgotten_by_mistake() {
    let place = Place::made("init --no-slow-hash --bits 2^16");
    let before = fs::read(place.array()).unwrap();
    let again = place.run("init --no-slow-hash --bits 2^16", "");
    assert_eq!(again.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&again.stderr).contains("--replace"));
    assert_eq!(fs::read(place.array()).unwrap(), before);
    assert!(place.run("init --no-slow-hash --bits 2^16 --replace", "").status.success());
    assert_ne!(fs::read(place.array()).unwrap(), before);
}

/// The path may be mistyped: nothing but a ladder, or a file without content, is lost.
#[test]
fn another_file_is_not_replaced_by_a_ladder() {
    let place = Place::new();
    fs::create_dir_all(place.array().parent().unwrap()).unwrap();
    for option in ["--replace", "--fix"] {
        let init = || place.run(&format!("init --no-slow-hash --bits 2^16 {option}"), "");
        for content in ["notes", "\x7fELF and so on", "NMLADKEY"] {
            fs::write(place.array(), content).unwrap();
            let refused = init();
            let told = String::from_utf8_lossy(&refused.stderr).into_owned();
            assert!(refused.status.code() == Some(2) && told.contains("is not a ladder; refused"), "{told}");
            assert_eq!(fs::read(place.array()).unwrap(), content.as_bytes(), "{option}");
        }
        assert_eq!(fs::read_dir(place.array().parent().unwrap()).unwrap().count(), 1, "none is renamed");
        for content in [&b""[..], b"NMLADDER of any version", &[0; 4096]] {
            fs::write(place.array(), content).unwrap();
            let made = init();
            assert!(made.status.success(), "{option}: {}", String::from_utf8_lossy(&made.stderr));
        }
        fs::remove_dir_all(place.array().parent().unwrap()).unwrap();
        fs::create_dir_all(place.array().parent().unwrap()).unwrap();
    }
}

/// The doctor's findings in this state, each with the line that fixes it.
fn found(place: &Place, state: &str) -> Vec<String> {
    let output = place.doctor(false, &["--json"]);
    let told = parsed(&output);
    let findings = told["findings"].as_array().unwrap().clone();
    let has = |state: &str| findings.iter().any(|finding| finding["state"] == state);
    let status = match (has("wrong"), has("warning")) {
        (true, _) => 1,
        (false, true) => 3,
        (false, false) => 0,
    };
    assert_eq!(output.status.code(), Some(status), "{told}");
    for finding in findings.iter().filter(|finding| finding["state"] != "fine") {
        assert!(finding["fix"].as_str().is_some_and(|fix| !fix.is_empty()), "{finding}");
    }
    let of_state = findings.iter().filter(|finding| finding["state"] == state);
    of_state.map(|finding| finding["check"].as_str().unwrap().to_owned()).collect()
}

fn wrong(place: &Place) -> Vec<String> {
    found(place, "wrong")
}

fn warned(place: &Place) -> Vec<String> {
    found(place, "warning")
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn doctor_finds_what_is_wrong() {
    let place = Place::made("init --no-slow-hash --bits 2^18");
    let state = place.folder.path().join("state");
    assert!(wrong(&place).is_empty());
    set_mode(&state, 0o755);
    assert_eq!(wrong(&place), ["folder mode"]);
    set_mode(&state, 0o700);
    fs::write(state.join("l.ladder~"), "").unwrap();
    assert!(wrong(&place).is_empty() && warned(&place).contains(&"copies".to_owned()));
    fs::remove_file(state.join("l.ladder~")).unwrap();
    for (folder, name, content) in [
        ("state", "before.PNG", ""),
        ("etc", "ladder.png", ""),
        ("state", "picture", "\u{89}PNG\r\n\u{1a}\n and so on"),
    ] {
        let picture = place.folder.path().join(folder).join(name);
        // One character, one byte: U+0089 is the first byte of a picture.
        fs::write(&picture, content.chars().map(|c| u8::try_from(c).unwrap()).collect::<Vec<_>>()).unwrap();
        assert!(warned(&place).contains(&"copies".to_owned()), "{name}");
        let told = String::from_utf8(place.doctor(false, &[]).stdout).unwrap();
        assert!(told.contains(&format!("fix: shred -u {}", picture.display())), "{told}");
        fs::remove_file(picture).unwrap();
    }
    set_mode(&place.array(), 0o640);
    assert_eq!(wrong(&place), ["open", "array mode"]);
    set_mode(&place.array(), 0o600);
    let mut bytes = fs::read(place.array()).unwrap();
    bytes[4096..4096 + 4096].fill(0xff);
    fs::write(place.array(), bytes).unwrap();
    assert_eq!(wrong(&place), ["density", "pages"]);
    fs::write(place.array(), "").unwrap();
    assert_eq!(wrong(&place), ["open"]);
    fs::remove_file(place.array()).unwrap();
    assert_eq!(wrong(&place), ["open"]);
}

/// A ladder whose slow hash is too weak stays usable, and doctor is red about it.
#[test]
fn doctor_finds_a_weak_slow_hash() {
    let place = Place::new();
    let files = LadderFiles { file: place.array(), key: place.folder.path().join("etc/l.key") };
    let params = Params::new(1 << 18, 16, 16, 2).unwrap();
    for cost in [(1024, 1), (19_456, 1), (8192, 8)] {
        create(&files, &NewLadder { params, cost: Cost::new(cost.0, cost.1), stamps: 8192 }, true).unwrap();
        assert_eq!(wrong(&place), ["slow hash"], "{cost:?}");
        assert!(place.run("height", "a password\n").status.code().is_some_and(|code| code < 2));
    }
    create(&files, &NewLadder { params, cost: None, stamps: 0 }, true).unwrap();
    assert_eq!((wrong(&place).len(), warned(&place)), (0, vec!["slow hash".into(), "stamps".into()]));
    let told = place.doctor(false, &[]).stdout;
    assert!(String::from_utf8_lossy(&told).contains("WARNING  slow hash"));
}

/// Two at once, many times: whichever succeeds, the ladder opens with the key that is there.
#[test]
fn of_two_inits_at_once_the_ladder_has_its_key() {
    const RACES: usize = 30;
    let mut both_failed = 0;
    for race in 0..RACES {
        let place = Place::new();
        if race % 2 == 1 {
            // The folders are there already, so that nothing keeps the two apart.
            for folder in ["state", "etc"] {
                fs::create_dir(place.folder.path().join(folder)).unwrap();
            }
        }
        let init = || {
            let mut command = Command::new(env!("CARGO_BIN_EXE_filterctl"));
            command.args(["ladder", "init", "--no-slow-hash", "--bits", "2^16", "--replace", "--file"]);
            command.arg(place.array()).arg("--key").arg(place.folder.path().join("etc/l.key"));
            command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
        };
        let mut pair = [init(), init()];
        let done = pair.each_mut().map(|child| child.wait().unwrap());
        assert!(done.iter().all(|status| matches!(status.code(), Some(0 | 2))), "{done:?}");
        both_failed += usize::from(done.iter().all(|status| !status.success()));
        let files = LadderFiles { file: place.array(), key: place.folder.path().join("etc/l.key") };
        let opened = ChosenLadder::open(&files).unwrap_or_else(|error| panic!("race {race}: {error}"));
        assert_eq!(opened.is_some(), done.iter().any(ExitStatus::success), "race {race}");
    }
    assert!(both_failed < RACES / 2, "{both_failed} times both gave way");
}

#[test]
fn doctor_wants_the_key_elsewhere() {
    let folder = tempfile::tempdir().unwrap();
    let (array, key) = (folder.path().join("l.ladder"), folder.path().join("l.key"));
    let place = ["--file", array.to_str().unwrap(), "--key", key.to_str().unwrap()];
    let init = ["init", "--no-slow-hash", "--bits", "2^16"];
    assert_eq!(run(&[&init, &place[..]].concat(), "").status.code(), Some(2));
    let apart = folder.path().join("k/l.key");
    let apart_place = ["--file", array.to_str().unwrap(), "--key", apart.to_str().unwrap()];
    assert!(run(&[&init, &apart_place[..]].concat(), "").status.success());
    fs::rename(apart, &key).unwrap();
    let conf = folder.path().join("site.conf");
    fs::write(&conf, format!("[ladder]\nfile = {array:?}\nkey = {key:?}\n")).unwrap();
    let mut doctor = Command::new(env!("CARGO_BIN_EXE_filterctl"));
    let doctor = doctor.args(["doctor", "--only", "ladder", "--conf"]).arg(conf).output().unwrap();
    let told = String::from_utf8(doctor.stdout).unwrap();
    assert!(told.contains("WRONG    key apart"), "{told}");
    assert_eq!(doctor.status.code(), Some(1));
}

#[test]
fn info_tells_what_is_damaged() {
    let place = Place::made("init --no-slow-hash --bits 2^16");
    let mut bytes = fs::read(place.array()).unwrap();
    bytes[100] ^= 1;
    fs::write(place.array(), bytes).unwrap();
    let info = place.run("info --json", "");
    assert_eq!(info.status.code(), Some(1));
    assert!(parsed(&info)["problem"].as_str().unwrap().contains("damaged"));
    fs::remove_file(place.array()).unwrap();
    let missing = place.run("info", "");
    assert_eq!(missing.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&missing.stderr).contains("ladder init"));
}

#[test]
fn the_configuration_names_the_ladder() {
    let place = Place::made("init --no-slow-hash --bits 2^16");
    let key = place.folder.path().join("etc/l.key");
    let conf = place.folder.path().join("nearmiss.conf");
    fs::write(&conf, format!("[ladder]\nfile = {:?}\nkey = {key:?}\n", place.array())).unwrap();
    let info = run(&["info", "--conf", conf.to_str().unwrap(), "--json"], "");
    assert_eq!(parsed(&info)["bits"], 1 << 16, "{}", String::from_utf8_lossy(&info.stderr));
}
