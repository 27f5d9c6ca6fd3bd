//! States of a node in which it replies, and refuses every step: its memory is full, it takes no writes, or
//! too few replicas are there.

use nearmiss_cli::{finding::Finding, keys};

use super::{Node, texts, wrong};

/// The findings on what a node does now.
pub(super) fn examine(node: &mut Node) -> Vec<Finding> {
    match node.ask(redis::cmd("INFO").arg("everything")) {
        Ok(reply) => judge(&texts(&reply).concat()),
        Err(error) => vec![wrong(
            keys::STORE_ACCOUNT,
            format!("its state cannot be read: {error}"),
            "name a user that may run INFO with --user",
        )],
    }
}

/// The findings on the reply to `INFO`: lines of the form `name:value`.
fn judge(info: &str) -> Vec<Finding> {
    let value = |name: &str| {
        info.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':')).map(str::trim_end)
    };
    let number = |name: &str| value(name)?.parse::<u64>().ok();
    let unreachable = |message: String, fix: String| wrong(keys::STORE_UNREACHABLE, message, fix);
    let mut findings = Vec::new();
    if let (Some(used), Some(most @ 1..)) = (number("used_memory"), number("maxmemory")) {
        // The last tenth is gone before anybody looks again.
        if used >= most.saturating_sub(most / 10) {
            let message = format!(
                "its memory is full, or nearly so ({used} of maxmemory {most} bytes): it refuses every step \
                 then; find out what fills it, for instance with redis-cli --memkeys"
            );
            findings.push(unreachable(
                message,
                format!("CONFIG SET maxmemory {}", used.max(most).saturating_mul(2)),
            ));
        }
    }
    let (is_replica, is_cluster) = (value("role") == Some("slave"), value("cluster_enabled") == Some("1"));
    if is_replica && value("master_link_status") == Some("down") {
        let message = "it is a replica, and its master is away: it has no later steps, and takes none";
        findings
            .push(unreachable(message.to_owned(), "start its master, or CLUSTER FAILOVER TAKEOVER".into()));
    } else if is_replica && !is_cluster {
        let message = "it is a replica: it takes no steps, and no master of it is in nodes";
        findings
            .push(unreachable(message.to_owned(), "REPLICAOF NO ONE, or name its master in nodes".into()));
    }
    // A replica has the line, too, and no replicas of its own.
    if !is_replica && number("min_slaves_good_slaves") == Some(0) {
        let message =
            "min-replicas-to-write is set, and it has no replica that keeps up: it refuses every step";
        findings.push(unreachable(message.to_owned(), "min-replicas-to-write 0".into()));
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_that_refuses_every_step_is_wrong() {
        let found = |info: &str| {
            let text = info.split(' ').collect::<Vec<_>>().join("\r\n");
            judge(&text).into_iter().filter_map(|finding| finding.fix).collect::<Vec<_>>()
        };
        for well in [
            "used_memory:100 maxmemory:0 role:master connected_slaves:0",
            "used_memory:899 maxmemory:1000 role:master",
            "role:slave cluster_enabled:1 master_link_status:up",
            "role:master connected_slaves:1 min_slaves_good_slaves:1",
            "role:slave cluster_enabled:1 master_link_status:up connected_slaves:0 min_slaves_good_slaves:0",
            "",
        ] {
            assert!(found(well).is_empty(), "{well}");
        }
        for (info, fix) in [
            ("used_memory:900 maxmemory:1000", "CONFIG SET maxmemory 2000"),
            ("used_memory:2000 maxmemory:1000", "CONFIG SET maxmemory 4000"),
            ("role:slave cluster_enabled:0 master_link_status:up", "REPLICAOF NO ONE"),
            ("role:slave cluster_enabled:1 master_link_status:down", "start its master"),
            ("role:master connected_slaves:0 min_slaves_good_slaves:0", "min-replicas-to-write 0"),
            ("role:master connected_slaves:1 min_slaves_good_slaves:0", "min-replicas-to-write 0"),
        ] {
            let [line] = &found(info)[..] else { panic!("{info}: {:?}", found(info)) };
            assert!(line.starts_with(fix), "{info}: {line}");
        }
    }
}
