//! A site of 500 simulated hosts, seven of them bad in seven ways, as samples of the last hours.
//!
//! What the hosts send is what `filterctl metrics` and the script that counts decisions really print, on a
//! host that is well and on one that is bad in each way; each host varies it.

use std::{
    collections::HashMap,
    fmt::Write as _,
    fs::File,
    io::{BufWriter, Write as _},
    path::Path,
};

use super::{
    machine::{self, TOO_OLD},
    run_with,
    week::Random,
};

/// The hosts of the site.
pub(super) const HOSTS: u32 = 500;
/// The time between two samples, in seconds: Prometheus takes one for missing after five minutes.
const STEP: u64 = 240;
/// The number of samples of each series.
const STEPS: u64 = 38;

/// A way of being bad.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Way {
    /// No line of the PAM stack checks passwords.
    NotInStack,
    /// A page of the filter is damaged, so users are refused.
    FilterDamaged,
    /// Passwords were set that the check would have rejected.
    Bypassed,
    /// The host sends nothing.
    Silent,
    /// The filter is too old.
    FilterOld,
    /// The store of the fleet does not reply.
    StoreUnreachable,
    /// The leaked passwords could not be refreshed.
    BreachesFailed,
}

impl Way {
    pub(super) const ALL: [Way; 7] = [
        Way::NotInStack,
        Way::FilterDamaged,
        Way::Bypassed,
        Way::Silent,
        Way::FilterOld,
        Way::StoreUnreachable,
        Way::BreachesFailed,
    ];

    /// The alert that is to fire, and the words of the page.
    pub(super) fn alert(self) -> (&'static str, &'static str) {
        match self {
            Way::NotInStack => ("NearmissNotInStack", "the PAM stack does not check new passwords"),
            Way::FilterDamaged => ("NearmissFilterDamaged", "a filter is missing or damaged"),
            Way::Bypassed => ("NearmissBypassed", "weak passwords were set past the check"),
            Way::Silent => ("NearmissHostLost", "the host sends no metrics any more"),
            Way::FilterOld => ("NearmissFilterOld", "a filter is older than 400 days"),
            Way::StoreUnreachable => {
                ("NearmissStoreUnreachable", "a node of the fleet&#39;s store does not serve this host")
            }
            Way::BreachesFailed => ("NearmissBreachesFailed", "the leaked passwords could not be refreshed"),
        }
    }

    /// True if users are refused, unchecked or unlogged, or the host is silent.
    pub(super) fn is_critical(self) -> bool {
        matches!(self, Way::NotInStack | Way::FilterDamaged | Way::Bypassed | Way::Silent)
    }

    /// The time since the host went bad, in seconds: after the oldest sample, and longer ago than any of
    /// these alerts waits.
    fn lasts(self) -> u64 {
        Way::ALL
            .into_iter()
            .zip([95, 61, 33, 47, 20, 78, 110])
            .find(|(way, _)| *way == self)
            .map_or(0, |(_, m)| m * 60)
    }
}

/// A host of the site.
pub(super) struct Host {
    /// The label `instance`.
    pub(super) name: String,
    /// The label `job`.
    pub(super) job: &'static str,
    /// The way in which it is bad.
    pub(super) way: Option<Way>,
    /// The filter's age at the end, in seconds.
    age: u64,
    /// A number that is this host's.
    number: u32,
}

/// The hosts of the site, always the same.
pub(super) fn hosts() -> Vec<Host> {
    let mut random = Random(47);
    let mut hosts: Vec<Host> = (0..HOSTS)
        .map(|number| Host {
            name: format!(
                "{}-{:03}",
                ["web", "mail", "db", "login", "build"][random.below(5) as usize],
                number + 1
            ),
            job: if number % 5 < 3 { "campus" } else { "clinic" },
            way: None,
            age: u64::from(1 + random.below(120) + random.below(120)) * 86_400,
            number,
        })
        .collect();
    for way in Way::ALL {
        let free: Vec<usize> = (0..hosts.len()).filter(|&at| hosts[at].way.is_none()).collect();
        let host = &mut hosts[free[random.below(u32::try_from(free.len()).expect("few")) as usize]];
        host.way = Some(way);
        if way == Way::FilterOld {
            host.age = TOO_OLD - 86_400 + way.lasts();
        }
    }
    hosts
}

/// What the hosts really print.
struct Printed {
    metrics: HashMap<Option<Way>, Vec<(String, f64)>>,
    decisions: HashMap<Option<Way>, Vec<Vec<(String, f64)>>>,
}

impl Printed {
    fn new() -> Printed {
        let ways = || Way::ALL.into_iter().map(Some).chain([None]);
        let days = |way| (0..9).map(|day| samples(&decisions(way, day))).collect();
        Printed {
            metrics: ways().map(|way| (way, samples(&machine::metrics(way)))).collect(),
            decisions: ways().map(|way| (way, days(way))).collect(),
        }
    }

    /// The series and values of a host while it is well, or as bad as it is.
    fn of(&self, host: &Host, way: Option<Way>) -> impl Iterator<Item = (String, f64)> {
        let days = &self.decisions[&way];
        let counted = &days[host.number as usize % days.len()];
        let own = self.metrics[&way].iter().chain(counted);
        own.map(|(series, value)| (host.labelled(series), *value))
    }
}

/// The samples in a text, without its comments.
fn samples(text: &str) -> Vec<(String, f64)> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let parts = lines.map(|line| line.rsplit_once(' ').expect("a sample"));
    parts.map(|(series, value)| (series.to_owned(), value.parse().expect("a number"))).collect()
}

/// The decisions of a day on a host, as the script counts them: each day is another.
fn decisions(way: Option<Way>, day: u32) -> String {
    let mut random = Random(u64::from(day) + 1);
    let mut log = String::new();
    let mut decide = |times: u32, decision: &str, reason: &str, cause: &str| {
        for _ in 0..times {
            let _ = writeln!(
                log,
                "Mar  3 10:00:00 box passwd[7]: pam_nearmiss(passwd:chauthtok): decision={decision} \
                 reason={reason} enforced=yes try=1 user=u service=passwd rhost=- cause={cause}"
            );
        }
    };
    decide(20 + random.below(30), "accept", "-", "-");
    let reasons =
        [("dictionary", 4), ("near-dictionary", 3), ("breached", 3), ("too-short", 2), ("near-user-name", 2)];
    for (reason, most) in reasons {
        decide(random.below(most), "reject", reason, "-");
    }
    match way {
        Some(Way::FilterDamaged) => decide(14, "refuse", "filter", "damaged"),
        Some(Way::Bypassed) => decide(3, "bypassed", "dictionary", "-"),
        _ => {}
    }
    let (status, text) = run_with(&["awk"], &["-v", "metrics=1", "-v", "now=1700000000"], &log);
    assert_eq!(status, Some(0), "{text}");
    text
}

impl Host {
    /// A series with the labels of this host; a part of the hosts have an earlier version.
    fn labelled(&self, series: &str) -> String {
        let own = format!("job=\"{}\",instance=\"{}\"", self.job, self.name);
        let (name, labels) = series.split_once('{').unwrap_or((series, "}"));
        let comma = if labels == "}" { "" } else { "," };
        if name == "nearmiss_info" && self.number.is_multiple_of(11) {
            return format!("{name}{{{own},version=\"0.9.9\"}}");
        }
        format!("{name}{{{own}{comma}{labels}")
    }

    /// The value at a time before the end: times and ages move, counters grow, and the rest is as printed.
    fn value(&self, series: &str, printed: f64, end: u64, before: u64) -> f64 {
        let (at, passed) = (end - before, (STEPS * STEP - before) as f64);
        let name = series.split('{').next().unwrap_or(series);
        match name {
            "nearmiss_metrics_timestamp_seconds" | "nearmiss_decisions_timestamp_seconds" => {
                (at - at % 300) as f64
            }
            "nearmiss_doctor_run_timestamp_seconds" => (at - at % 3600) as f64,
            "nearmiss_filter_age_seconds" => self.age as f64 - before as f64,
            "nearmiss_update_success_timestamp_seconds" => (end - self.age) as f64,
            "nearmiss_breaches_age_seconds" => f64::from(self.number % 6 * 86_400) + passed,
            _ if name.ends_with("_total") => {
                printed + (passed * f64::from(1 + self.number % 7) / 60.0).floor()
            }
            _ => printed,
        }
    }
}

/// Writes the samples of all hosts, the last of them at `end`, in the form that promtool makes blocks of.
pub(super) fn write(hosts: &[Host], end: u64, file: &Path) {
    let printed = Printed::new();
    let mut out = BufWriter::new(File::create(file).expect("made"));
    for host in hosts {
        let lasts = host.way.map_or(0, Way::lasts);
        let mut put = |way: Option<Way>, times: &dyn Fn(u64) -> bool| {
            for (series, value) in printed.of(host, way) {
                for before in (0..STEPS).rev().map(|step| step * STEP).filter(|before| times(*before)) {
                    let value = host.value(&series, value, end, before);
                    writeln!(out, "{series} {value} {}", end - before).expect("written");
                }
            }
        };
        // The first part of a series comes before the second.
        put(None, &|before| host.way.is_none() || before >= lasts);
        if host.way.is_some_and(|way| way != Way::Silent) {
            put(host.way, &|before| before < lasts);
        }
    }
    writeln!(out, "# EOF").expect("written");
    out.flush().expect("written");
}
