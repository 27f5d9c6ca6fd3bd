//! Rights: the agent's user may only do its work, and no other user may observe it.

use nearmiss_cli::{finding::Finding, keys};
use redis::Value;

use super::{Node, texts, wrong};
use crate::{config::Config, functions::Function};

/// The ACL line of an agent's user: the functions by their names, and the commands that these run, since
/// functions run with the rights of their caller.
fn line(user: &str) -> String {
    let calls: Vec<String> = Function::ALL
        .map(|function| format!("+{}|{}", function.caller().to_lowercase(), function.name()))
        .to_vec();
    format!(
        "user {user} on #<sha256 of the password> ~nm1:* ~nm1r:* -@all {} +function|list +cluster|slots \
         +asking +strlen +getrange +bitfield +append +ping",
        calls.join(" ")
    )
}

/// The commands of the agent in addition to its calls, and the commands of its functions.
const NEEDED: [&[&str]; 7] = [
    &["FUNCTION", "LIST"],
    &["CLUSTER", "SLOTS"],
    &["ASKING"],
    &["STRLEN", "nm1:{0.0}"],
    &["GETRANGE", "nm1:{0.0}", "0", "1"],
    &["BITFIELD", "nm1:{0.0}", "SET", "u1", "0", "1"],
    &["APPEND", "nm1:{0.0}", "x"],
];

/// Commands with which a stolen password of the agent could do more than spoil the array.
const TOO_MUCH: [&[&str]; 19] = [
    &["GET", "nm1:{0.0}"],
    &["SET", "nm1:{0.0}", "x"],
    &["SETRANGE", "nm1:{0.0}", "0", "x"],
    &["SETBIT", "nm1:{0.0}", "0", "1"],
    &["BITFIELD", "other", "SET", "u1", "0", "1"],
    &["DUMP", "nm1:{0.0}"],
    &["DEL", "nm1:{0.0}"],
    &["KEYS", "*"],
    &["CONFIG", "GET", "*"],
    &["FLUSHALL"],
    &["FCALL", "another", "1", "nm1:{0.0}"],
    &["FUNCTION", "LOAD", "x"],
    &["FUNCTION", "DELETE", "x"],
    &["FUNCTION", "FLUSH"],
    &["EVAL", "return 1", "0"],
    &["SCRIPT", "LOAD", "x"],
    &["MONITOR"],
    &["SLOWLOG", "GET"],
    &["SHUTDOWN"],
];

/// Commands that reveal positions of rungs, and those by which a user could allow itself to run them.
const WATCHING: [&[&str]; 7] = [
    &["MONITOR"],
    &["SLOWLOG", "GET"],
    &["CONFIG", "SET", "slowlog-log-slower-than", "0"],
    &["COMMANDLOG", "GET", "1", "slow"],
    &["ACL", "SETUSER", "another"],
    &["DEBUG", "HELP"],
    &["MODULE", "LOAD", "x"],
];

/// Commands that read the array: what differs in two copies are the positions of the steps between them.
const READING: [&[&str]; 4] = [
    &["GETBIT", "nm1:{0.0}", "0"],
    &["GETRANGE", "nm1:{0.0}", "0", "1"],
    &["GET", "nm1:{0.0}"],
    &["DUMP", "nm1:{0.0}"],
];

/// The findings about the rights at a node.
pub(super) fn examine(node: &mut Node, config: &Config) -> Vec<Finding> {
    let (users, me) =
        match (node.ask(redis::cmd("ACL").arg("USERS")), node.ask(redis::cmd("ACL").arg("WHOAMI"))) {
            (Ok(users), Ok(me)) => (texts(&users), texts(&me)),
            (Err(error), _) | (_, Err(error)) => {
                let words = format!("its users cannot be read: {error}");
                return vec![wrong(keys::STORE_ACCOUNT, words, "name a user that may run ACL with --user")];
            }
        };
    let mut findings = Vec::new();
    findings.extend(open_door(node));
    if users.contains(&config.user) {
        findings.extend(of_agent(node, &config.user));
    } else {
        findings.push(wrong(
            keys::STORE_RIGHTS,
            format!("there is no user {}", config.user),
            line(&config.user),
        ));
    }
    for user in users.iter().filter(|user| **user != config.user && !me.contains(user)) {
        findings.extend(of_other(node, user));
    }
    findings
}

/// The user that every connection is before it has authenticated.
fn open_door(node: &mut Node) -> Option<Finding> {
    let flags = texts(&node.ask(redis::cmd("ACL").arg("GETUSER").arg("default")).ok()?);
    let is_open = flags.iter().any(|flag| flag == "nopass") && flags.iter().any(|flag| flag == "on");
    is_open.then(|| {
        wrong(
            keys::STORE_RIGHTS,
            "user default has no password: anyone who can connect may do everything",
            "user default off",
        )
    })
}

fn of_agent(node: &mut Node, user: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    let line = line(user);
    let calls = Function::ALL.map(|function| [function.caller(), function.name(), "1", "nm1:{0.0}"]);
    let needed = calls.iter().map(|call| &call[..]).chain(NEEDED);
    if let Some(act) = needed.into_iter().find(|act| !may(node, user, act)) {
        let words = format!("user {user} may not run {}, which the agent needs", act.join(" "));
        findings.push(wrong(keys::STORE_RIGHTS, words, line.clone()));
    }
    if let Some(act) = TOO_MUCH.iter().find(|act| may(node, user, act)) {
        let words = format!("user {user} may run {}, which the agent does not need", act.join(" "));
        findings.push(wrong(keys::STORE_RIGHTS, words, line.clone()));
    }
    let flags = node.ask(redis::cmd("ACL").arg("GETUSER").arg(user)).map(|value| texts(&value));
    if flags.is_ok_and(|flags| flags.iter().any(|flag| flag == "nopass")) {
        findings.push(wrong(keys::STORE_RIGHTS, format!("user {user} has no password"), line));
    }
    findings
}

/// Another user, unless it has the rights of another host's agent.
fn of_other(node: &mut Node, user: &str) -> Vec<Finding> {
    if of_agent(node, user).is_empty() {
        return Vec::new();
    }
    let ways = [(&WATCHING[..], "-@admin"), (&READING, "resetkeys ~PREFIX-OF-ITS-OWN-KEYS:*")];
    let found = ways.into_iter().filter_map(|(acts, fix)| {
        let act = acts.iter().find(|act| may(node, user, act))?.join(" ");
        let words =
            format!("user {user} may run {act}, by which the array positions of steps can be watched");
        Some(wrong(keys::STORE_RIGHTS, words, format!("ACL SETUSER {user} {fix}")))
    });
    found.collect()
}

/// True if a user may run a command; the server does not run it.
fn may(node: &mut Node, user: &str, act: &[&str]) -> bool {
    let mut command = redis::cmd("ACL");
    command.arg("DRYRUN").arg(user).arg(act);
    matches!(node.ask(&command), Ok(Value::Okay))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake_node::{FakeNode, connector, late, texts};

    /// The doctor's line for the administrator equals the one in the packages.
    #[test]
    fn the_line_of_the_agents_user_is_the_packaged_one() {
        let shipped = include_str!("../../../../packaging/fleet/users.acl");
        let packaged = shipped.lines().find(|line| line.starts_with("user nmagent ")).unwrap();
        let is_password = |word: &&str| word.starts_with('#');
        let hash = packaged.split(' ').find(is_password).unwrap();
        assert_eq!(line("nmagent"), packaged.replace(hash, "#<sha256 of the password>"));
        assert!(line("host7").starts_with("user host7 on #"));
    }

    /// Redis and Valkey abort at the start over any other line of this file: it knows no comments.
    #[test]
    fn each_line_of_the_packaged_users_is_a_user() {
        let shipped = include_str!("../../../../packaging/fleet/users.acl");
        let others: Vec<&str> = shipped.lines().filter(|line| !line.starts_with("user ")).collect();
        assert!(others.is_empty() && shipped.ends_with('\n'), "{others:?}");
    }

    /// Every connection starts as the user `default`: it must be off or have a password.
    #[test]
    fn a_store_that_asks_for_no_password_is_an_open_door() {
        let door = |flags: &[&str]| {
            let flags = texts(flags);
            let node = FakeNode::start(move |words| match words {
                ["ACL", "GETUSER", "default"] => [b"*2\r\n$5\r\nflags\r\n", &flags[..]].concat(),
                _ => b"-ERR no\r\n".to_vec(),
            });
            open_door(&mut Node(connector().connect(&node.address, late()).unwrap()))
        };
        let open = door(&["on", "nopass"]).unwrap();
        assert!(open.message.contains("has no password"), "{}", open.message);
        assert_eq!(open.fix.as_deref(), Some("user default off"));
        for flags in [&["off", "nopass"][..], &["on", "sanitize-payload"], &["off"], &[]] {
            assert_eq!(door(flags), None, "{flags:?}");
        }
    }
}
