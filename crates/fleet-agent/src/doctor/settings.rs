//! Settings that write positions of rungs to disk or memory, or that make the loss of a node worse.

use nearmiss_cli::{
    finding::{Finding, State},
    keys,
};

use super::{CHECK, Node, texts, wrong};
use crate::config::Config;

/// A setting, its recommended value, and the message for any other. A setting that a server lacks is skipped.
struct Rule {
    name: &'static str,
    wanted: &'static str,
    words: &'static str,
    /// True if nothing is revealed, but more is lost than necessary.
    is_of_loss: bool,
}

impl Rule {
    fn finding(&self) -> Finding {
        let state = if self.is_of_loss { State::Warning } else { State::Wrong };
        Finding::new(keys::STORE_SETTINGS, CHECK, state, self.words).fix(line(self.name, self.wanted))
    }
}

const RULES: [Rule; 8] = [
    Rule {
        name: "appendonly",
        wanted: "no",
        words: "the append-only file stores every array position of every step, in order",
        is_of_loss: false,
    },
    Rule {
        name: "save",
        wanted: "",
        words: "snapshots (RDB) are written to disk; two of them, with the key, reveal what was recorded \
                between them",
        is_of_loss: false,
    },
    Rule {
        name: "slowlog-log-slower-than",
        wanted: "-1",
        words: "the slow log stores the array positions of slow steps",
        is_of_loss: false,
    },
    Rule {
        name: "commandlog-execution-slower-than",
        wanted: "-1",
        words: "the command log stores the array positions of slow steps",
        is_of_loss: false,
    },
    Rule {
        name: "commandlog-request-larger-than",
        wanted: "-1",
        words: "the command log stores large requests: shards as they are created",
        is_of_loss: false,
    },
    Rule {
        name: "commandlog-reply-larger-than",
        wanted: "-1",
        words: "the command log stores large replies",
        is_of_loss: false,
    },
    Rule {
        name: "maxmemory-policy",
        wanted: "noeviction",
        words: "shards may be evicted when memory runs out",
        is_of_loss: true,
    },
    Rule {
        name: "cluster-require-full-coverage",
        wanted: "no",
        words: "the loss of one node stops all nodes",
        is_of_loss: true,
    },
];

const OF_TLS: [Rule; 3] = [
    Rule { name: "port", wanted: "0", words: "the unencrypted port is open", is_of_loss: false },
    Rule {
        name: "tls-cluster",
        wanted: "yes",
        words: "nodes communicate with each other unencrypted",
        is_of_loss: false,
    },
    Rule { name: "tls-replication", wanted: "yes", words: "replication is unencrypted", is_of_loss: false },
];

/// A setting that limits the damage of a stolen password of an agent: a number, which should be above zero
/// and at most this.
struct Ceiling {
    name: &'static str,
    most: u64,
    /// The value to set, in the syntax of a configuration file.
    wanted: &'static str,
    words: &'static str,
}

const CEILINGS: [Ceiling; 3] = [
    Ceiling {
        name: "maxmemory",
        most: u64::MAX,
        wanted: "256mb",
        words: "its memory is unlimited: with an agent's stolen password, a client could fill all of it",
    },
    Ceiling {
        name: "proto-max-bulk-len",
        most: 1 << 20,
        wanted: "1mb",
        words: "one command may create a key larger than any shard",
    },
    Ceiling {
        name: "busy-reply-threshold",
        most: 100,
        wanted: "100",
        words: "runaway functions are detected late",
    },
];

/// The findings about the settings of a node.
pub(super) fn examine(node: &mut Node, config: &Config) -> Vec<Finding> {
    let all = match setting(node, "*") {
        Ok(all) if !all.is_empty() => all,
        Ok(_) => {
            return vec![wrong(
                keys::STORE_ACCOUNT,
                "its settings are empty",
                "allow the user to run CONFIG GET *",
            )];
        }
        Err(error) => {
            let words = format!("its settings cannot be read: {error}");
            return vec![wrong(
                keys::STORE_ACCOUNT,
                words,
                "name a user that may run CONFIG GET with --user",
            )];
        }
    };
    judge(&all, config.tls)
}

fn judge(all: &[(String, String)], tls: bool) -> Vec<Finding> {
    let value = |name: &str| all.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str());
    let rules = RULES.iter().chain(if tls { OF_TLS.iter() } else { [].iter() });
    let is_cluster = value("cluster-enabled") == Some("yes");
    let is_asked =
        |rule: &&Rule| is_cluster || !["cluster-require-full-coverage", "tls-cluster"].contains(&rule.name);
    let wrong =
        rules.filter(is_asked).filter(|rule| value(rule.name).is_some_and(|value| value != rule.wanted));
    let mut findings: Vec<Finding> = wrong.map(Rule::finding).collect();
    findings.extend(CEILINGS.iter().filter_map(|ceiling| above(ceiling, value(ceiling.name)?)));
    findings.extend(crash_log(value("hide-user-data-from-log"), value("crash-log-enabled")));
    findings
}

/// A limit that is off or too high: it reveals nothing.
fn above(ceiling: &Ceiling, value: &str) -> Option<Finding> {
    let is_well = value.parse::<u64>().is_ok_and(|value| value > 0 && value <= ceiling.most);
    let finding = || Finding::warning(keys::STORE_SETTINGS, CHECK, ceiling.words);
    (!is_well).then(|| finding().fix(line(ceiling.name, ceiling.wanted)))
}

/// The setting for the log of a crash, which contains the arguments of the command unless they are hidden.
fn crash_log(hides: Option<&str>, writes: Option<&str>) -> Option<Finding> {
    let (name, wanted) = match (hides, writes) {
        (Some("yes"), _) | (_, Some("no")) => return None,
        (Some(_), _) => ("hide-user-data-from-log", "yes"),
        (None, _) => ("crash-log-enabled", "no"),
    };
    let words = "a crash during a step writes its array positions to the log";
    Some(wrong(keys::STORE_SETTINGS, words, line(name, wanted)))
}

fn line(name: &str, value: &str) -> String {
    if value.is_empty() { format!("{name} \"\"") } else { format!("{name} {value}") }
}

/// Settings that match a pattern, with their values.
fn setting(node: &mut Node, pattern: &str) -> Result<Vec<(String, String)>, String> {
    let texts = texts(&node.ask(redis::cmd("CONFIG").arg("GET").arg(pattern))?);
    Ok(texts.as_chunks().0.iter().map(|[name, value]| (name.clone(), value.clone())).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(settings: &[(&str, &str)], tls: bool) -> Vec<String> {
        let all: Vec<_> =
            settings.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
        judge(&all, tls).into_iter().filter_map(|finding| finding.fix).collect()
    }

    #[test]
    fn each_setting_is_mended_by_its_line() {
        let careless = [
            ("appendonly", "yes"),
            ("save", "3600 1"),
            ("slowlog-log-slower-than", "10000"),
            ("maxmemory-policy", "allkeys-lru"),
            ("maxmemory", "0"),
            ("proto-max-bulk-len", "536870912"),
            ("busy-reply-threshold", "5000"),
            ("cluster-enabled", "yes"),
            ("cluster-require-full-coverage", "yes"),
            ("crash-log-enabled", "yes"),
            ("port", "6379"),
            ("tls-cluster", "no"),
            ("tls-replication", "no"),
        ];
        let lines = [
            "appendonly no",
            "save \"\"",
            "slowlog-log-slower-than -1",
            "maxmemory-policy noeviction",
            "cluster-require-full-coverage no",
            "port 0",
            "tls-cluster yes",
            "tls-replication yes",
            "maxmemory 256mb",
            "proto-max-bulk-len 1mb",
            "busy-reply-threshold 100",
            "crash-log-enabled no",
        ];
        assert_eq!(of(&careless, true), lines);
        assert_eq!(of(&careless, false), [&lines[..5], &lines[8..]].concat());
    }

    #[test]
    fn what_is_set_as_recommended_is_well() {
        let settings = [
            ("appendonly", "no"),
            ("save", ""),
            ("hide-user-data-from-log", "yes"),
            ("crash-log-enabled", "yes"),
            ("maxmemory", "268435456"),
            ("proto-max-bulk-len", "1048576"),
            ("busy-reply-threshold", "100"),
        ];
        assert!(of(&settings, true).is_empty());
        assert_eq!(of(&[("hide-user-data-from-log", "no")], true), ["hide-user-data-from-log yes"]);
    }
}
