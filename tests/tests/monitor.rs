//! The files for monitoring: the script that counts the log, over a simulated week, and the rules for
//! Prometheus.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    io::Write,
    path::PathBuf,
    process::{Command, Stdio},
};

use nearmiss_tests::{artifacts::workspace, skip::skipped};
use serde_json::{Value, json};

/// The writer of a line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Writer {
    /// A process of root.
    Root,
    /// A setuid program that a user called.
    Setuid,
    /// The same, which had ended before the journal looked.
    Ended,
    /// A user who pretends.
    Forger,
}

/// A week of two logs with the same lines, and what is to be counted in either.
#[derive(Default)]
struct Week {
    text: String,
    journal: String,
    of_text: Counts,
    of_journal: Counts,
    lines: u32,
}

/// The expected counts, made with the lines.
#[derive(Default)]
struct Counts {
    accepted: u32,
    rejected: BTreeMap<String, u32>,
    refused: BTreeMap<String, u32>,
    unchecked: BTreeMap<String, u32>,
    decisions: BTreeMap<String, u32>,
    forged: u32,
    ended: u32,
}

/// A decision, as the module words it.
#[derive(Clone, Copy)]
struct Decision {
    word: &'static str,
    reason: &'static str,
    enforced: &'static str,
    cause: &'static str,
}

const ACCEPT: Decision = Decision { word: "accept", reason: "-", enforced: "yes", cause: "-" };

const fn reject(reason: &'static str, enforced: &'static str) -> Decision {
    Decision { word: "reject", reason, enforced, cause: "-" }
}

impl Counts {
    fn add(&mut self, decision: Decision, number: u32) {
        let Decision { word, reason, enforced, cause } = decision;
        let count = |table: &mut BTreeMap<String, u32>, key: String| *table.entry(key).or_default() += 1;
        count(&mut self.decisions, format!("{enforced} {word}"));
        match word {
            "refuse" => return count(&mut self.refused, format!("{reason} {cause}")),
            "accept" if reason == "unchecked" => count(&mut self.unchecked, cause.to_owned()),
            _ => {}
        }
        if number == 1 && word == "accept" {
            self.accepted += 1;
        } else if number == 1 {
            count(&mut self.rejected, reason.to_owned());
        }
    }

    fn report(&self) -> String {
        let rejected: u32 = self.rejected.values().sum();
        let tries = self.accepted + rejected;
        let share = |part: u32| format!("{:.1}%", 100.0 * f64::from(part) / f64::from(tries));
        let sum = |table: &BTreeMap<String, u32>| table.values().sum::<u32>();
        let mut out = format!("first tries {tries}\n");
        let _ = writeln!(out, "first tries accepted {} {}", self.accepted, share(self.accepted));
        let _ = writeln!(out, "first tries rejected {rejected} {}", share(rejected));
        for (reason, &count) in &self.rejected {
            let _ = writeln!(out, "first tries rejected for {reason} {count} {}", share(count));
        }
        for (title, table) in
            [("changes refused", &self.refused), ("changes not wholly checked", &self.unchecked)]
        {
            let _ = writeln!(out, "{title} {}", sum(table));
            for (key, count) in table {
                let _ = writeln!(out, "{title} for {key} {count}");
            }
        }
        for (key, count) in &self.decisions {
            let _ = writeln!(out, "decisions {key} {count}");
        }
        if self.forged > 0 {
            let _ = writeln!(out, "left out, written by other users {}", self.forged);
        }
        if self.ended > 0 {
            let _ = writeln!(out, "counted, but the writer ended before the journal looked {}", self.ended);
        }
        out
    }
}

impl Week {
    /// A line of any program, in both logs.
    fn line(&mut self, writer: Writer, program: &str, message: &str) {
        self.lines += 1;
        let (pid, second) = (1000 + self.lines % 3000, self.lines % 60);
        let head = match self.lines % 3 {
            0 => format!("Nov  3 01:02:{second:02} box {program}[{pid}]"),
            1 => format!("2026-11-13T01:02:{second:02}.123456+01:00 box.example.org {program}[{pid}]"),
            _ => format!("Nov 23 01:02:{second:02} box authpriv.info {program}"),
        };
        let _ = writeln!(self.text, "{head}: {message}");
        let mut entry = json!({
            "__CURSOR": format!("s=1;i={}", self.lines), "SYSLOG_FACILITY": "10", "PRIORITY": "6",
            "MESSAGE": message, "SYSLOG_IDENTIFIER": program,
            "_UID": if writer == Writer::Root { "0" } else { "1000" },
            // Values that a user can put into a field of the journal.
            "_CMDLINE": "x \",\"_UID\":\"0\",\"_CAP_EFFECTIVE\":\"1ff\",\"MESSAGE\":\"pam_nearmiss(",
        });
        let power = match writer {
            Writer::Root | Writer::Setuid => Some("1ffffffffff"),
            Writer::Forger => Some("0"),
            Writer::Ended => None,
        };
        if let Some(power) = power {
            entry["_CAP_EFFECTIVE"] = json!(power);
        }
        let _ = writeln!(self.journal, "{entry}");
    }

    fn decision(&mut self, writer: Writer, program: &str, decision: Decision, number: u32) {
        let Decision { word, reason, enforced, cause } = decision;
        let mut message = format!(
            "pam_nearmiss({program}:chauthtok): decision={word} reason={reason} enforced={enforced} \
             try={number} user=u%20{} service={program} rhost=-",
            self.lines
        );
        // Before there were causes the line ended here.
        if cause != "-" || !self.lines.is_multiple_of(7) {
            let _ = write!(message, " cause={cause}");
        }
        self.line(writer, program, &message);
        self.of_text.add(decision, number);
        match writer {
            Writer::Forger => self.of_journal.forged += 1,
            _ => self.of_journal.add(decision, number),
        }
        self.of_journal.ended += u32::from(writer == Writer::Ended);
    }

    /// Lines of other programs in between, some of them forged to be counted.
    fn noise(&mut self, number: u32) {
        let line = "pam_nearmiss(passwd:chauthtok): decision=accept reason=- enforced=yes try=1 user=x \
                    service=passwd rhost=- cause=-";
        match number {
            0 => self.line(
                Writer::Root,
                "sshd",
                "pam_nearmiss(sshd:auth): guess from 203.0.113.7 weight 5: a \
                                                  password that is guessed often here",
            ),
            1 => self.line(
                Writer::Root,
                "sshd",
                &format!("Invalid user box[1]: {line} from 203.0.113.7 port 4"),
            ),
            2 => self.line(Writer::Root, "passwd", "pam_unix(passwd:chauthtok): password changed for u1"),
            3 => self.line(
                Writer::Root,
                "passwd",
                "pam_nearmiss(passwd:chauthtok): password change refused: a \
                                                    filter cannot be used; filterctl doctor says why",
            ),
            4 => self.line(Writer::Forger, "logger", "decision=accept reason=- enforced=yes try=1 user=x"),
            5 => self.line(Writer::Root, "app", &format!("{line} and \"more\"")),
            6 => self.line(Writer::Root, "app", &line.replace("try=1", "try=one")),
            7 => self.line(Writer::Root, "app", "said \"decision=refuse reason=filter\" \\ back"),
            8 => self.decision(Writer::Forger, "logger", ACCEPT, 1),
            _ => {}
        }
    }

    fn change(&mut self, random: &mut Random) {
        const REASONS: [&str; 4] = ["dictionary", "near-dictionary", "too-short", "near-user-name"];
        let reason = REASONS[random.below(4) as usize];
        let writer =
            [Writer::Setuid, Writer::Setuid, Writer::Setuid, Writer::Ended][random.below(4) as usize];
        let refused = |reason, cause| Decision { word: "refuse", reason, enforced: "yes", cause };
        match random.below(20) {
            // The repetition was mistyped: one accept. Or what was typed first was rejected.
            0..=9 => self.decision(writer, "passwd", ACCEPT, 1),
            10..=12 => {
                let rejections = 1 + random.below(3);
                (1..=rejections).for_each(|at| self.decision(writer, "passwd", reject(reason, "yes"), at));
                if rejections < 3 {
                    self.decision(writer, "passwd", ACCEPT, rejections + 1);
                }
            }
            13 => self.decision(Writer::Root, "chpasswd", reject(reason, "root"), 1),
            14 => self.decision(Writer::Root, "chpasswd", reject(reason, "yes"), 1),
            15 => self.decision(writer, "passwd", reject(reason, "audit"), 1),
            16 => self.decision(writer, "passwd", refused("filter", "missing"), 1),
            17 => self.decision(writer, "passwd", refused("configuration", "mistake"), 1),
            18 => {
                let unchecked = Decision { reason: "unchecked", cause: "damaged", ..ACCEPT };
                self.decision(Writer::Root, "sshd", unchecked, 1);
            }
            _ => {
                self.decision(writer, "passwd", reject(reason, "yes"), 1);
                self.decision(writer, "passwd", refused("ladder", "system"), 2);
            }
        }
    }
}

/// A generator whose numbers are the same each time.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        u32::try_from((self.0 >> 33) % u64::from(limit)).expect("below a number of 32 bits")
    }
}

fn week() -> Week {
    let (mut week, mut random) = (Week::default(), Random(26));
    for _ in 0..2000 {
        week.change(&mut random);
        let noise = random.below(20);
        week.noise(noise);
    }
    week
}

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

fn counted(awk: &[&str], log: &str) -> String {
    let mut command = Command::new(awk[0]);
    let script = workspace().join("packaging/monitor/log-report.awk");
    command.args(&awk[1..]).arg("-f").arg(script).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("awk");
    let mut input = child.stdin.take().expect("a pipe");
    let log = log.to_owned();
    let writer = std::thread::spawn(move || input.write_all(log.as_bytes()));
    let output = child.wait_with_output().expect("it ends");
    writer.join().expect("it writes").expect("the log is read");
    assert!(output.status.success(), "{awk:?}: {output:?}");
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn a_week_is_counted_from_syslog_and_from_the_journal() {
    let week = week();
    assert!(week.of_journal.forged > 20 && week.of_journal.ended > 200 && week.of_text.refused.len() == 3);
    let awks = awks();
    assert!(!awks.is_empty(), "no awk");
    for awk in awks {
        assert_eq!(counted(&awk, &week.text), week.of_text.report(), "{awk:?}");
        assert_eq!(counted(&awk, &week.journal), week.of_journal.report(), "{awk:?}");
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

/// Prometheus' own tool: this machine's, or unpacked beside the build (`tools/unpack.sh`).
fn promtool() -> Option<PathBuf> {
    let unpacked = workspace().join("target/unpacked/usr/bin/promtool");
    ["/usr/bin/promtool".into(), unpacked].into_iter().find(|path: &PathBuf| path.exists())
}

#[test]
fn the_rules_fire_where_they_are_to_and_nowhere_else() {
    let Some(promtool) = promtool() else {
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
