//! An administrator loads the functions and ends what does not end; an agent's password does neither. A thief
//! of it is tried here, and what honest hosts see of a store that was restarted, poisoned or frozen.

use std::{
    fs,
    path::PathBuf,
    process::{Command, Output},
    thread,
};

use nearmiss_agent::functions::{self, Function};
use nearmiss_filters::ladder::fleet::frame::{Op, Request};
use nearmiss_fleet_tests::{Agent, Descriptor, Server, careful, no_store, wait_for};
use nearmiss_tests::{
    artifacts::{artifacts, program},
    filters::set_mode,
    skip::skipped,
};
use redis::Value;
use tempfile::TempDir;

use super::json_reference::assert_described;
use super::secrets::{BY_SOCKET, PASSWORD, allow, password_file};

/// A store with the packaged users, and hosts before it.
struct Site {
    server: Server,
    folder: TempDir,
    request: Request,
    _descriptor: Descriptor,
}

impl Site {
    fn start() -> Site {
        let limits = ["--proto-max-bulk-len", "1mb", "--busy-reply-threshold", "100"];
        let server = Server::with_functions(&[&careful()[..], &BY_SOCKET, &limits].concat());
        allow(&server, "nmagent");
        for user in ["loader", "watch"] {
            server.ask(&[&["ACL", "SETUSER", user, &format!(">{PASSWORD}")][..], &packaged(user)].concat());
        }
        let folder = tempfile::tempdir().unwrap();
        set_mode(folder.path(), 0o755);
        let descriptor = Descriptor::guessed(19);
        let ladder = descriptor.open();
        let request = ladder.request(&ladder.element(b"x").unwrap(), Op::Step);
        Site { server, folder, request, _descriptor: descriptor }
    }

    /// The agent's configuration, for this user.
    fn configuration(&self, user: &str) -> String {
        let file = self.folder.path().join("password");
        let password = password_file(&file);
        set_mode(&file, 0o644);
        format!("user = \"{user}\"\nhot_elements = 0\n{password}")
    }

    fn host(&self, user: &str) -> Agent {
        Agent::start(&[self.server.socket()], &self.configuration(user))
    }

    fn agent_conf(&self) -> PathBuf {
        let file = self.folder.path().join("agent.toml");
        let nodes =
            format!("tls = false\nnodes = [{:?}]\n{}", self.server.socket(), self.configuration("nmagent"));
        fs::write(&file, nodes).unwrap();
        file
    }

    /// `filterctl fleet init --functions` as this user of the store.
    fn init(&self, user: &str, more: &[&str]) -> Output {
        let mut command = Command::new(&artifacts().filterctl);
        command.args(["fleet", "init", "--functions", "--agent"]).arg(program("nearmiss-agent"));
        command.arg("--agent-conf").arg(self.agent_conf()).args([
            "--store-user",
            user,
            "--store-password-file",
        ]);
        command.arg(self.folder.path().join("password")).args(more).output().unwrap()
    }

    /// `nearmiss-agent` with these words, as this user of the store.
    fn as_user(&self, words: &[&str], user: &str) -> (Option<i32>, String) {
        let mut command = Command::new(program("nearmiss-agent"));
        command.args(words).arg("--conf").arg(self.agent_conf()).args(["--user", user, "--password-file"]);
        let told = command.arg(self.folder.path().join("password")).output().unwrap();
        (told.status.code(), String::from_utf8(told.stdout).unwrap())
    }

    /// The reply to a command from a client with the password of this user.
    fn steal(&self, user: &str, words: &[&str]) -> redis::RedisResult<Value> {
        let mut connection = self.server.connect();
        let _: () = redis::cmd("AUTH").arg(user).arg(PASSWORD).query(&mut connection).unwrap();
        redis::cmd(words[0]).arg(&words[1..]).query(&mut connection)
    }
}

/// The rights of a user in packaging/fleet/users.acl.
fn packaged(user: &str) -> Vec<&'static str> {
    let shipped = include_str!("../../../packaging/fleet/users.acl");
    let head = format!("user {user} ");
    let line = shipped.lines().find_map(|line| line.strip_prefix(&head)).unwrap();
    line.split(' ').filter(|word| !word.starts_with('#')).collect()
}

/// A server aborts at the start over a line of this file that is no user: it knows no comments.
#[test]
fn a_server_starts_with_the_packaged_users() {
    if skipped(no_store()) {
        return;
    }
    let shipped = include_str!("../../../packaging/fleet/users.acl");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("users.acl");
    let hash = format!("#{}", "0".repeat(64));
    fs::write(&file, shipped.replace(&hash, ">known")).unwrap();
    set_mode(folder.path(), 0o755);
    set_mode(&file, 0o644);
    let server = Server::start(&[&careful()[..], &["--aclfile", file.to_str().unwrap()]].concat());
    assert!(server.try_ask(&["PING"]).is_err(), "a connection has no rights before it has a user");
    let mut connection = server.connect();
    let _: () = redis::cmd("AUTH").arg("admin").arg("known").query(&mut connection).unwrap();
    let mut users: Vec<String> = redis::cmd("ACL").arg("USERS").query(&mut connection).unwrap();
    users.sort();
    assert_eq!(users, ["admin", "default", "loader", "nmagent", "replica", "watch"]);
}

/// Another library under the name of the functions, whose functions say "at the top" of everything.
fn evil() -> String {
    let one = |function: Function| {
        format!("redis.register_function('{}', function() return 48 end)\n", function.name())
    };
    format!("#!lua name={}\n{}", functions::library(), Function::ALL.map(one).concat())
}

const ENDLESS: &str = "#!lua name=endless\n\
    redis.register_function('endless', function() while true do end end)\n";

fn shown(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// The attack: the password of one agent, and a store that was restarted and has no functions.
#[test]
fn a_stolen_password_of_an_agent_loads_nothing_into_a_store_that_was_restarted() {
    if skipped(no_store()) {
        return;
    }
    let mut site = Site::start();
    let host = site.host("nmagent");
    host.ask_until_answered(&site.request);
    let users = site.server.ask(&["ACL", "LIST"]);
    site.server.restart_empty();
    // The settings that the file with the users makes in a packaged store.
    let Value::Array(users) = users else { panic!() };
    for user in users.iter().map(nearmiss_fleet_tests::text) {
        let words: Vec<&str> = user.split(' ').skip(1).collect();
        site.server.ask(&[&["ACL", "SETUSER"][..], &words].concat());
    }
    let load = evil();
    for act in [
        &["FUNCTION", "LOAD", &load][..],
        &["FUNCTION", "LOAD", "REPLACE", &load],
        &["FUNCTION", "DELETE", functions::library()],
        &["FUNCTION", "FLUSH"],
        &["FUNCTION", "RESTORE", "x"],
        &["EVAL", "return 1", "0"],
        &["SCRIPT", "LOAD", "return 1"],
        &["SET", "nm1:{0.0}", "x"],
        &["SETRANGE", "nm1:{0.0}", "737000000", "x"],
        &["SETBIT", "nm1:{0.0}", "4000000000", "1"],
        &["CONFIG", "SET", "maxmemory", "0"],
        &["ACL", "SETUSER", "nmagent", "+@all"],
    ] {
        let refused = site.steal("nmagent", act).unwrap_err().to_string();
        assert!(refused.to_uppercase().contains("NOPERM"), "{act:?}: {refused}");
    }
    // The commands that it may write with make no key longer than the packaged limit.
    let long = (8_u32 << 20).to_string();
    assert!(site.steal("nmagent", &["BITFIELD", "nm1:{0.0}", "SET", "u1", &long, "1"]).is_err());
    // Honest hosts go alone, and their log says what mends it.
    wait_for("a line in the log", || {
        assert!(host.ask(&site.request).is_none());
        host.log().contains("filterctl fleet init --functions loads them")
    });
    assert_eq!(site.server.ask(&["FUNCTION", "LIST"]), Value::Array(Vec::new()), "the agent loads nothing");
    // The agent's user does not, an administrator does, and a second time there is nothing to do.
    assert_eq!(site.init("nmagent", &[]).status.code(), Some(1));
    let told = site.init("loader", &[]);
    assert!(
        told.status.code() == Some(0) && shown(&told).contains("loaded the functions"),
        "{}",
        shown(&told)
    );
    host.ask_until_answered(&site.request);
    let told = site.init("loader", &["--json"]);
    let report: serde_json::Value = serde_json::from_slice(&told.stdout).unwrap();
    assert_described("nearmiss-agent", &["load-functions".to_owned()], &report);
    assert_eq!((told.status.code(), &report["nodes"][0]["done"]), (Some(0), &"nothing".into()), "{report}");
}

#[test]
fn a_poisoned_store_is_believed_by_no_agent_and_named_by_doctor() {
    if skipped(no_store()) {
        return;
    }
    let site = Site::start();
    site.server.ask(&["FUNCTION", "LOAD", "REPLACE", &evil()]);
    let host = site.host("nmagent");
    wait_for("a line in the log", || {
        assert!(host.ask(&site.request).is_none());
        host.log().contains("differ from this agent's")
    });
    let (status, told) = site.as_user(&["doctor"], "default");
    assert!(status == Some(1) && told.contains("differ from this agent's; filterctl fleet init"), "{told}");
    let told = site.init("loader", &[]);
    assert!(
        told.status.success() && shown(&told).contains("replaced different functions"),
        "{}",
        shown(&told)
    );
    host.ask_until_answered(&site.request);
}

/// A runaway function, loaded by a user who may load functions: hosts decide alone until the watch kills it.
#[test]
fn a_function_that_does_not_end_is_ended_by_the_watch() {
    if skipped(no_store()) {
        return;
    }
    let site = Site::start();
    let host = site.host("nmagent");
    host.ask_until_answered(&site.request);
    let watch = |longer: &str| site.as_user(&["end-functions", "--longer-than", longer], "watch");
    assert_eq!(watch("200").0, Some(0), "nothing runs");
    site.server.ask(&["FUNCTION", "LOAD", ENDLESS]);
    let mut connection = site.server.connect();
    let caller =
        thread::spawn(move || redis::cmd("FCALL").arg("endless").arg(0).query::<Value>(&mut connection));
    let is_busy = || site.server.try_ask(&["PING"]).is_err_and(|error| error.to_string().contains("BUSY"));
    wait_for("a store that is busy", is_busy);
    assert!(host.ask(&site.request).is_none(), "the host goes alone");
    assert_eq!(
        watch("1000000000"),
        (Some(0), format!("ok       {}: no function has been running for too long\n", site.server.socket()))
    );
    assert!(is_busy());
    wait_for("the end of the function", || watch("200").1.contains("ended the function endless"));
    assert!(caller.join().unwrap().is_err(), "it was ended");
    host.ask_until_answered(&site.request);
    for act in [&["FUNCTION", "LOAD", ENDLESS][..], &["GET", "nm1:{0.0}"], &["FCALL", "endless", "0"]] {
        assert!(site.steal("watch", act).is_err(), "{act:?}");
    }
}

#[test]
fn one_user_a_host_is_taken_back_by_one_line() {
    if skipped(no_store()) {
        return;
    }
    let site = Site::start();
    for user in ["host1", "host2"] {
        allow(&site.server, user);
    }
    let hosts = ["host1", "host2"].map(|user| site.host(user));
    for host in &hosts {
        host.ask_until_answered(&site.request);
    }
    site.server.ask(&["ACL", "DELUSER", "host1"]);
    for _ in 0..10 {
        assert!(hosts[0].ask(&site.request).is_none());
    }
    hosts[1].ask_until_answered(&site.request);
}
