//! The files for monitoring: the script that counts the log, over a simulated week, the rules for Prometheus,
//! and the page and the dashboard of a simulated site.

mod decisions;
mod forms;
mod machine;
mod page;
mod prometheus;
mod site;
mod week;

use std::{
    io::Write,
    path::PathBuf,
    process::{Command, Stdio},
};

use nearmiss_tests::{artifacts::workspace, skip::skipped, sshd::program};
use serde_json::Value;

use self::week::{Counts, week};

/// Each awk that is here, as a command.
fn awks() -> Vec<Vec<&'static str>> {
    let all =
        [vec!["awk"], vec!["mawk"], vec!["gawk", "--posix"], vec!["busybox", "awk"], vec!["original-awk"]];
    let is_here = |words: &Vec<&str>| {
        Command::new(words[0])
            .args(&words[1..])
            .arg("BEGIN { exit 7 }")
            .status()
            .is_ok_and(|s| s.code() == Some(7))
    };
    all.into_iter().filter(is_here).collect()
}

/// The script, before its files are named.
fn command(awk: &[&str]) -> Command {
    let mut command = Command::new(awk[0]);
    command.args(&awk[1..]).arg("-f").arg(workspace().join("packaging/monitor/log-report.awk"));
    command
}

/// Exit status and output of the script.
fn run(awk: &[&str], log: &str) -> (Option<i32>, String) {
    run_with(awk, &[], log)
}

/// The same, with more options.
fn run_with(awk: &[&str], options: &[&str], log: &str) -> (Option<i32>, String) {
    let mut child = command(awk)
        .args(options)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("awk");
    let mut input = child.stdin.take().expect("a pipe");
    let log = log.to_owned();
    let writer = std::thread::spawn(move || input.write_all(log.as_bytes()));
    let output = child.wait_with_output().expect("it ends");
    writer.join().expect("it writes").expect("the log is read");
    assert!(output.stderr.is_empty(), "{awk:?}: {output:?}");
    (output.status.code(), String::from_utf8(output.stdout).expect("text"))
}

/// The output where every line could be read.
fn counted(awk: &[&str], log: &str) -> String {
    let (status, report) = run(awk, log);
    assert_eq!(status, Some(0), "{awk:?}: {report}");
    report
}

#[test]
fn a_week_is_counted_from_syslog_and_from_the_journal() {
    let week = week();
    assert!(week.of_journal.forged > 20 && week.of_journal.ended > 200 && week.of_text.refused.len() == 3);
    let awks = awks();
    assert!(!awks.is_empty(), "no awk");
    for awk in awks {
        assert_eq!(run(&awk, &week.text), (Some(4), week.of_text.report()), "{awk:?}");
        assert_eq!(run(&awk, &week.journal), (Some(4), week.of_journal.report()), "{awk:?}");
    }
}

#[test]
fn an_empty_log_and_junk_are_counted_as_nothing() {
    let nothing = "first tries 0\nfirst tries accepted 0 0.0%\nfirst tries rejected 0 0.0%\n\
                   changes refused 0\nchanges not wholly checked 0\n";
    for log in ["", "\n\n", "{\n", "{\"MESSAGE\":[112,97],\"SYSLOG_FACILITY\":\"10\"}\n", "decision=accept\n"]
    {
        for awk in awks() {
            assert_eq!(counted(&awk, log), nothing, "{awk:?} {log}");
        }
    }
}

/// A line that a user writes under the same name is not a decision.
#[test]
fn logins_with_a_leaked_password_are_counted() {
    let line = "decision=listed reason=breached enforced=warn try=1 user=- service=sshd rhost=- cause=-";
    let head = "Mar  3 10:00:00 box sshd[7]: pam_nearmiss(sshd:auth): ";
    let entry = |uid: u32| {
        format!(
            "{{\"SYSLOG_FACILITY\":\"10\",\"_UID\":\"{uid}\",\"_CAP_EFFECTIVE\":\"0\",\
             \"MESSAGE\":\"pam_nearmiss(sshd:auth): {line}\"}}\n"
        )
    };
    let text = format!("{head}{line}\n{head}guess from 203.0.113.7 weight 5: x {line}\n{head}{line}\n");
    for awk in awks() {
        for (log, logins) in [(text.clone(), Some(2)), (entry(0), Some(1)), (entry(1000), None)] {
            let told = counted(&awk, &log);
            let last = told.lines().last().unwrap().strip_prefix("logins with a leaked password ");
            assert_eq!(last.and_then(|count| count.parse().ok()), logins, "{awk:?} {log}: {told}");
            assert!(told.starts_with("first tries 0\n") && !told.contains("decisions"), "{told}");
        }
    }
}

#[test]
fn the_page_shows_what_the_script_prints() {
    let page = std::fs::read_to_string(workspace().join("docs/monitor.md")).expect("the page");
    let sample = page.split("A week may look like this:").nth(1).expect("a sample");
    let lines: Vec<&str> = sample.lines().skip(2).take_while(|line| line.starts_with("    ")).collect();
    let mut counts = Counts { accepted: 1650, ..Counts::default() };
    counts.rejected = [("dictionary".to_owned(), 160), ("near-dictionary".to_owned(), 83)].into();
    counts.refused = [("filter missing".to_owned(), 2)].into();
    let decisions = [("audit reject", 243), ("yes accept", 1650), ("yes refuse", 2)];
    counts.decisions = decisions.map(|(key, count)| (key.to_owned(), count)).into();
    let shown: Vec<&str> = lines.iter().map(|line| line.trim_start()).collect();
    assert_eq!(shown, counts.report().lines().collect::<Vec<_>>());
}

#[test]
fn the_rules_fire_where_they_are_to_and_nowhere_else() {
    let Some(promtool) = program("/usr/bin/promtool") else {
        skipped(Some("needs promtool (tests/tools/unpack.sh fetches it)"));
        return;
    };
    let test = |folder: PathBuf| {
        let mut command = Command::new(&promtool);
        command
            .args(["test", "rules", "nearmiss.rules.test.yml"])
            .current_dir(folder)
            .output()
            .expect("promtool")
    };
    let folder = workspace().join("packaging/monitor");
    let done = test(folder.clone());
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&[done.stdout, done.stderr].concat()));
    // Each rule is tested: where all have other names, each one that is to fire is missed.
    let rules = std::fs::read_to_string(folder.join("nearmiss.rules.yml")).expect("the rules");
    let names: Vec<&str> = rules.lines().filter_map(|line| line.trim().strip_prefix("- alert: ")).collect();
    let tests = std::fs::read_to_string(folder.join("nearmiss.rules.test.yml")).expect("the tests");
    assert!(names.len() >= 20, "{names:?}");
    let other = tempfile::tempdir().expect("a folder");
    let spoiled = rules.replace("- alert: ", "- alert: Other");
    std::fs::write(other.path().join("nearmiss.rules.yml"), spoiled).expect("written");
    std::fs::write(other.path().join("nearmiss.rules.test.yml"), &tests).expect("written");
    let missed = test(other.path().to_owned());
    let said = String::from_utf8_lossy(&[missed.stdout, missed.stderr].concat()).into_owned();
    assert!(!missed.status.success(), "{said}");
    for name in names {
        for of in [name, &format!("Other{name}")] {
            let fires = format!("{{alertname=\"{of}\", instance=\"{name}\"");
            assert!(said.contains(&fires), "{name} is not tested: {said}");
        }
    }
}

/// The files are JSON and name what they need.
#[test]
fn the_dashboard_has_a_row_for_each_host() {
    let board = std::fs::read_to_string(workspace().join("packaging/monitor/grafana-nearmiss.json"));
    let board: Value = serde_json::from_str(&board.expect("the dashboard")).expect("JSON");
    let text = board["panels"].to_string();
    for part in ["nearmiss:host_state", "nearmiss_filter_damaged_pages", "nearmiss_update_failed"] {
        assert!(text.contains(part), "{part}");
    }
}
