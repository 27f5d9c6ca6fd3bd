//! The decisions in a log as metrics: they agree with the report, and are written in one step for few to
//! read.

use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::PermissionsExt,
    path::Path,
    process::{Command, Output},
};

use nearmiss_tests::{artifacts::workspace, skip::skipped, sshd::program};

use super::{
    awks, run_with,
    week::{Counts, week},
};

const AS_METRICS: [&str; 4] = ["-v", "metrics=1", "-v", "now=1700000000"];

/// The counts of the metrics by some of their labels; the labels of a series are in the order of the text.
fn sums(metrics: &str, name: &str, wanted: impl Fn(&[&str]) -> Option<String>) -> BTreeMap<String, u32> {
    let mut sums = BTreeMap::new();
    for line in metrics.lines().filter_map(|line| line.strip_prefix(name)?.strip_prefix('{')) {
        let (labels, count) = line.split_once("} ").expect("a sample");
        let values: Vec<&str> = labels.split('"').skip(1).step_by(2).collect();
        if let Some(key) = wanted(&values) {
            *sums.entry(key).or_default() += count.parse::<u32>().expect("a count");
        }
    }
    sums
}

fn agree(metrics: &str, counts: &Counts) {
    let decisions = |wanted: &dyn Fn(&[&str]) -> Option<String>| sums(metrics, "nearmiss_decisions", wanted);
    assert_eq!(decisions(&|of| Some(format!("{} {}", of[2], of[0]))), counts.decisions);
    assert_eq!(decisions(&|of| (of[0] == "refuse").then(|| format!("{} {}", of[1], of[3]))), counts.refused);
    assert_eq!(decisions(&|of| (of[0] == "bypassed").then(|| of[1].to_owned())), counts.bypassed);
    assert_eq!(decisions(&|of| (of[1] == "unchecked").then(|| of[3].to_owned())), counts.unchecked);
    let tries = |word: &'static str| {
        sums(metrics, "nearmiss_first_tries", move |of| (of[0] == word).then(|| of[1].to_owned()))
    };
    assert_eq!(tries("reject"), counts.rejected);
    assert_eq!(tries("accept"), [("-".to_owned(), counts.accepted)].into());
    assert!(metrics.contains(&format!("\nnearmiss_decisions_unreadable {}\n", counts.unread)), "{metrics}");
    assert!(metrics.contains(&format!("\nnearmiss_decisions_unattributed {}\n", counts.ended)), "{metrics}");
    assert!(metrics.ends_with("\nnearmiss_decisions_timestamp_seconds 1700000000\n"), "{metrics}");
}

#[test]
fn a_week_as_metrics_agrees_with_its_report() {
    let week = week();
    for awk in awks() {
        for (log, counts) in [(&week.text, &week.of_text), (&week.journal, &week.as_metrics)] {
            let (status, metrics) = run_with(&awk, &AS_METRICS, log);
            assert_eq!(status, Some(0), "{awk:?}: {metrics}");
            agree(&metrics, counts);
        }
    }
}

/// Text of syslog may be anybody's: no value ends a label early, and none makes a series of its own.
#[test]
fn what_others_wrote_is_one_value() {
    let line = |reason: &str| {
        format!(
            "Mar  3 10:00:00 box passwd[7]: pam_nearmiss(passwd:chauthtok): decision=reject reason={reason} \
             enforced=yes try=1 user=u service=passwd rhost=- cause=-\n"
        )
    };
    let log: String = ["a\"b", "c\\", "x1", "Y", "%20", "{"].map(line).concat();
    for awk in awks() {
        let (_, metrics) = run_with(&awk, &AS_METRICS, &log);
        assert!(
            metrics.contains("\nnearmiss_first_tries{decision=\"reject\",reason=\"other\"} 6\n"),
            "{metrics}"
        );
    }
}

/// The journal does not know who wrote an entry if the program ended before it looked: it may be any user's
/// logger. Such an entry raises no alert, whether it can be read or not, and is counted by itself.
#[test]
fn an_entry_of_an_unknown_writer_raises_no_alert() {
    let entry = |fields: &str, message: &str| {
        format!(
            "{{\"_UID\":\"4242\",{fields}\"SYSLOG_FACILITY\":\"10\",\"MESSAGE\":\
             \"pam_nearmiss(passwd:chauthtok): {message}\"}}\n"
        )
    };
    let root = "\"_CAP_EFFECTIVE\":\"1ffffffffff\",";
    for awk in awks() {
        for (fields, unreadable, unattributed) in [("", 0, 2), (root, 2, 0)] {
            let log = [entry(fields, "decision=zzz"), entry(fields, "decision=reject \\\"")].concat();
            let (_, metrics) = run_with(&awk, &AS_METRICS, &log);
            for (name, count) in [("unreadable", unreadable), ("unattributed", unattributed)] {
                let sample = format!("\nnearmiss_decisions_{name} {count}\n");
                assert!(metrics.contains(&sample), "{awk:?} {fields}: {metrics}");
            }
        }
    }
}

#[test]
fn prometheus_reads_them() {
    let Some(promtool) = program("/usr/bin/promtool") else {
        skipped(Some("needs promtool (tests/tools/unpack.sh fetches it)"));
        return;
    };
    for log in [week().text, String::new()] {
        let (_, metrics) = run_with(&["awk"], &AS_METRICS, &log);
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("metrics");
        fs::write(&file, &metrics).expect("written");
        let input = fs::File::open(file).expect("it is there");
        let checked =
            Command::new(&promtool).args(["check", "metrics"]).stdin(input).output().expect("promtool");
        assert!(checked.status.success(), "{checked:?}: {metrics}");
    }
}

/// `decisions.sh` with a journal that is a script.
fn write(folder: &Path, journal: &str) -> Output {
    let programs = folder.join("programs");
    fs::create_dir_all(&programs).expect("made");
    let journalctl = programs.join("journalctl");
    fs::write(&journalctl, format!("#!/bin/sh\n{journal}\n")).expect("written");
    fs::set_permissions(&journalctl, fs::Permissions::from_mode(0o755)).expect("set");
    let group = Command::new("id").arg("-gn").output().expect("id");
    Command::new("sh")
        .arg(workspace().join("packaging/monitor/decisions.sh"))
        .arg(folder)
        .arg(String::from_utf8_lossy(&group.stdout).trim())
        .env("PATH", format!("{}:/usr/bin:/bin", programs.display()))
        .env("TMPDIR", &programs)
        .output()
        .expect("sh")
}

#[test]
fn they_are_written_in_one_step_for_few_to_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let names = |folder: &Path| -> Vec<String> {
        let entries =
            fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").file_name());
        let mut names: Vec<String> = entries.map(|name| name.into_string().expect("text")).collect();
        names.sort();
        names
    };
    let entry = "{\"SYSLOG_FACILITY\":\"10\",\"_UID\":\"0\",\"MESSAGE\":\"pam_nearmiss(passwd:chauthtok): \
                 decision=reject reason=dictionary \
                 enforced=yes try=1 user=u service=passwd rhost=- cause=-\"}";
    let done = write(
        folder.path(),
        &format!(
            "case \"$*\" in
                '-q -o json --since -24h SYSLOG_FACILITY=10' | '-q -o json -n 1') echo '{entry}' ;;
                *) exit 1 ;;
            esac"
        ),
    );
    assert!(done.status.success() && done.stderr.is_empty(), "{done:?}");
    let file = folder.path().join("nearmiss-decisions.prom");
    let first = fs::read_to_string(&file).expect("written");
    assert!(first.contains("nearmiss_first_tries{decision=\"reject\",reason=\"dictionary\"} 1\n"), "{first}");
    assert_eq!(fs::metadata(&file).expect("it is there").permissions().mode() & 0o777, 0o640);
    // A journal that cannot be read is not a day without decisions.
    let failed = write(folder.path(), "echo denied >&2; exit 1");
    assert!(!failed.status.success(), "{failed:?}");
    assert_eq!(fs::read_to_string(&file).expect("it is there"), first);
    // Nor is one that keeps nothing.
    let empty = write(folder.path(), "exit 0");
    assert!(String::from_utf8_lossy(&empty.stderr).contains("the journal is empty"), "{empty:?}");
    assert_eq!(fs::read_to_string(&file).expect("it is there"), first);
    assert_eq!(names(folder.path()), ["nearmiss-decisions.prom", "programs"]);
    assert_eq!(names(&folder.path().join("programs")), ["journalctl"]);
}

/// A file that root writes in a folder of another user lands where that user says.
#[test]
fn a_folder_that_others_can_change_is_refused_and_nothing_is_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let (open, link) = (folder.path().join("open"), folder.path().join("link"));
    fs::create_dir(&open).expect("made");
    fs::set_permissions(&open, fs::Permissions::from_mode(0o775)).expect("set");
    std::os::unix::fs::symlink(&open, &link).expect("linked");
    for (path, reason) in [(&open, "no other user may write to it"), (&link, "and no link")] {
        let refused = write(path, "exit 0");
        assert_eq!(refused.status.code(), Some(1), "{refused:?}");
        assert!(String::from_utf8_lossy(&refused.stderr).contains(reason), "{refused:?}");
        assert!(!open.join("nearmiss-decisions.prom").exists());
    }
}
