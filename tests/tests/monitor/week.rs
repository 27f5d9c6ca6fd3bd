//! A simulated week of password changes, as the text of syslog and as the journal, and what is to be counted.

use std::{collections::BTreeMap, fmt::Write as _};

use serde_json::json;

use super::forms;

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
pub(super) struct Week {
    pub(super) text: String,
    pub(super) journal: String,
    pub(super) of_text: Counts,
    pub(super) of_journal: Counts,
    /// As metrics of the journal: without the decisions of which nobody knows the writer.
    pub(super) as_metrics: Counts,
    lines: u32,
}

/// The expected counts, made with the lines.
#[derive(Default)]
pub(super) struct Counts {
    pub(super) accepted: u32,
    pub(super) rejected: BTreeMap<String, u32>,
    pub(super) refused: BTreeMap<String, u32>,
    pub(super) bypassed: BTreeMap<String, u32>,
    pub(super) unchecked: BTreeMap<String, u32>,
    pub(super) decisions: BTreeMap<String, u32>,
    pub(super) forged: u32,
    pub(super) ended: u32,
    pub(super) unread: u32,
    pub(super) first_unread: u32,
}

/// A decision, as the module words it.
#[derive(Clone, Copy)]
pub(super) struct Decision {
    word: &'static str,
    reason: &'static str,
    enforced: &'static str,
    cause: &'static str,
}

pub(super) const ACCEPT: Decision = Decision { word: "accept", reason: "-", enforced: "yes", cause: "-" };

const fn reject(reason: &'static str, enforced: &'static str) -> Decision {
    Decision { word: "reject", reason, enforced, cause: "-" }
}

impl Counts {
    pub(super) fn add(&mut self, decision: Decision, number: u32) {
        let Decision { word, reason, enforced, cause } = decision;
        let count = |table: &mut BTreeMap<String, u32>, key: String| *table.entry(key).or_default() += 1;
        count(&mut self.decisions, format!("{enforced} {word}"));
        match word {
            "refuse" => return count(&mut self.refused, format!("{reason} {cause}")),
            "bypassed" => return count(&mut self.bypassed, reason.to_owned()),
            "accept" if reason == "unchecked" => count(&mut self.unchecked, cause.to_owned()),
            _ => {}
        }
        if number == 1 && word == "accept" {
            self.accepted += 1;
        } else if number == 1 {
            count(&mut self.rejected, reason.to_owned());
        }
    }

    pub(super) fn report(&self) -> String {
        let rejected: u32 = self.rejected.values().sum();
        let tries = self.accepted + rejected;
        let share = |part: u32| format!("{:.1}%", 100.0 * f64::from(part) / f64::from(tries.max(1)));
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
        if !self.bypassed.is_empty() {
            let _ = writeln!(out, "passwords set past the check {}", sum(&self.bypassed));
            for (reason, count) in &self.bypassed {
                let _ = writeln!(out, "passwords set past the check for {reason} {count}");
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
        if self.unread > 0 {
            let _ = writeln!(out, "lines that could not be read {}", self.unread);
            let _ = writeln!(out, "the first of them is line {}", self.first_unread);
        }
        out
    }
}

impl Week {
    /// A line of any program, in both logs.
    fn line(&mut self, writer: Writer, program: &str, message: &str) {
        self.lines += 1;
        let _ = writeln!(self.text, "{}", forms::line(self.lines, program, message));
        self.entry(writer, program, message);
    }

    /// An entry of the journal.
    fn entry(&mut self, writer: Writer, program: &str, message: &str) {
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
        self.count(writer, decision, number);
        let times = self.lines % 5;
        if self.lines.is_multiple_of(7) && times > 0 {
            self.again(writer, program, &message, times);
            (0..times).for_each(|_| self.count(writer, decision, number));
        }
    }

    fn count(&mut self, writer: Writer, decision: Decision, number: u32) {
        self.of_text.add(decision, number);
        match writer {
            Writer::Forger => self.of_journal.forged += 1,
            _ => self.of_journal.add(decision, number),
        }
        if !matches!(writer, Writer::Forger | Writer::Ended) {
            self.as_metrics.add(decision, number);
        }
        self.as_metrics.ended += u32::from(writer == Writer::Ended);
        self.of_journal.ended += u32::from(writer == Writer::Ended);
    }

    /// The last message a few times more: one line of text, and an entry of the journal each.
    fn again(&mut self, writer: Writer, program: &str, message: &str, times: u32) {
        self.lines += 1;
        let _ = writeln!(self.text, "{}", forms::again(self.lines, program, message, times));
        (0..times).for_each(|_| self.entry(writer, program, message));
    }

    /// A line that begins as a decision and is none.
    fn broken(&mut self, message: &str) {
        self.line(Writer::Root, "app", message);
        for (counts, log) in [(&mut self.of_text, &self.text), (&mut self.of_journal, &self.journal)] {
            if counts.unread == 0 {
                counts.first_unread = u32::try_from(log.lines().count()).expect("a number of lines");
            }
            counts.unread += 1;
        }
        self.as_metrics.unread += 1;
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
            5 => self.broken(&format!("{line} and \"more\"")),
            6 => self.broken(&line.replace("try=1", "try=one")),
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
            0..=7 => self.decision(writer, "passwd", ACCEPT, 1),
            // Another module prompted behind the check, or no line checked.
            8 => {
                self.decision(writer, "passwd", ACCEPT, 1);
                self.decision(writer, "passwd", Decision { word: "bypassed", ..reject(reason, "yes") }, 2);
            }
            9 => self.decision(writer, "passwd", Decision { word: "bypassed", ..reject(reason, "root") }, 1),
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
pub(super) struct Random(pub(super) u64);

impl Random {
    /// A number below `limit`.
    pub(super) fn below(&mut self, limit: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        u32::try_from((self.0 >> 33) % u64::from(limit)).expect("below a number of 32 bits")
    }
}

pub(super) fn week() -> Week {
    let (mut week, mut random) = (Week::default(), Random(26));
    for _ in 0..2000 {
        week.change(&mut random);
        let noise = random.below(20);
        week.noise(noise);
    }
    week
}
