//! A host in a folder, well or bad in one way, and what `filterctl metrics` really prints there.

use std::{
    fs::{self, File},
    io::{Read, Write},
    os::unix::{fs::PermissionsExt, net::UnixListener},
    path::{Path, PathBuf},
    process::Command,
    thread,
    time::{Duration, SystemTime},
};

use nearmiss_tests::{artifacts::artifacts, filters};
use tempfile::TempDir;

use super::site::Way;

/// What the agent of a fleet replies while its store does.
const STORE_REPLIES: &str = r#"{"answered":700,"counted":300,"unavailable":2,"late":1,"turned_away":0,
    "slots_without_node":0,"nodes":[{"node":"192.0.2.1:6379","faults":0,"is_suspended":false,
    "serves":true,"trouble":null}]}"#;
/// What it replies while it has stopped to ask.
const STORE_IS_SILENT: &str = r#"{"answered":700,"counted":300,"unavailable":90,"late":7,"turned_away":0,
    "slots_without_node":0,"nodes":[{"node":"192.0.2.1:6379","faults":44,"is_suspended":true,
    "serves":false,"trouble":"no reply"}]}"#;
/// A filter of this age is too old, in seconds.
pub(super) const TOO_OLD: u64 = 401 * 86_400;

/// The samples that `filterctl metrics` prints on a host that is bad in this way, or well, as lines.
pub(super) fn metrics(way: Option<Way>) -> String {
    let host = Machine::new();
    host.spoil(way);
    let told = if way == Some(Way::StoreUnreachable) { STORE_IS_SILENT } else { STORE_REPLIES };
    host.agent(told);
    let text = host.filterctl(&["metrics", "--root", &host.named("root")]);
    text.replace(&host.named(""), "/var/cache/nearmiss/")
}

struct Machine(TempDir);

impl Machine {
    /// A host with everything: stack, module, filter, both ladders, a fleet, leaked passwords.
    fn new() -> Machine {
        let host = Machine(tempfile::tempdir().expect("a folder"));
        let filter = filters::build(host.0.path());
        let stack =
            "password requisite pam_nearmiss.so\npassword required pam_unix.so use_authtok yescrypt\n";
        host.put("root/etc/pam.d/passwd", stack);
        // Any shared object does for the module behind ours.
        for name in ["pam_nearmiss.so", "pam_unix.so"] {
            let module = host.path("root/usr/lib/x86_64-linux-gnu/security").join(name);
            fs::create_dir_all(module.parent().expect("a folder")).expect("made");
            fs::copy(&artifacts().module, module).expect("copied");
        }
        let place = host.named("");
        host.put(
            "n.conf",
            &format!(
                "packaged = false\n[[dictionary]]\nfile = \"{}\"\n\
                 [ladder]\nfile = \"{place}chosen\"\nkey = \"{place}keys/key\"\n\
                 [guesses]\nfile = \"{place}guessed\"\n\
                 [fleet]\nguessed = \"{place}fleet\"\nchosen = \"{place}none\"\nsocket = \"{place}socket\"\n",
                filter.display()
            ),
        );
        fs::create_dir(host.path("keys")).expect("made");
        host.filterctl(&["ladder", "init", "--users", "100", "--no-slow-hash"]);
        host.filterctl(&["ladder", "init", "--guessed", "--bits", "2^20"]);
        host.filterctl(&["fleet", "init", "--guessed", "--bits", "2^26"]);
        let lists = r#""lists":[{"path":"/srv/lists/words","words":6,"modified":1690000000}]"#;
        host.put_private("words.filter.update", &format!("{{\"schema\":1,\"rebuilt\":1700000000,{lists}}}"));
        host.put("root/etc/nearmiss-fetch.env", "");
        host.breaches(None);
        host.filterctl(&["verify", "--all", "--record", &host.named("root/var/cache/nearmiss/verified")]);
        host.examined(0);
        host
    }

    /// Makes the host bad; the ways that are not here are not in what filterctl prints.
    fn spoil(&self, way: Option<Way>) {
        let filter = self.path("words.filter");
        match way {
            Some(Way::NotInStack) => {
                self.put("root/etc/pam.d/passwd", "password required pam_unix.so\n");
                self.examined(1);
            }
            Some(Way::FilterDamaged) => {
                self.examined(1);
                let mut bytes = fs::read(&filter).expect("the filter");
                *bytes.last_mut().expect("it is not empty") ^= 1;
                fs::write(filter, bytes).expect("written");
            }
            Some(Way::FilterOld) => {
                let then = SystemTime::now() - Duration::from_secs(TOO_OLD);
                File::options()
                    .write(true)
                    .open(filter)
                    .expect("the filter")
                    .set_modified(then)
                    .expect("set");
            }
            Some(Way::BreachesFailed) => self.breaches(Some("the server replied with status 503")),
            Some(Way::StoreUnreachable | Way::Bypassed | Way::Silent) | None => {}
        }
    }

    /// The state that nearmiss-fetch left an hour ago.
    fn breaches(&self, failed: Option<&str>) {
        let hour_ago =
            SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).expect("after 1970").as_secs() - 3600;
        let state = serde_json::json!({"schema": 1, "ended": hour_ago, "fresh": hour_ago, "failed": failed});
        self.put_private("root/var/cache/nearmiss/leaked.state", &state.to_string());
    }

    /// The record of a run of the doctor, which makes no changes in a folder: it has this many WRONG.
    fn examined(&self, wrong: u32) {
        let [root, conf] = ["root", "n.conf"].map(|name| self.named(name));
        let run = serde_json::json!({
            "schema": 1, "root": root, "conf": conf, "at": 1, "wrong": wrong, "warning": 0, "unjudged": 0
        });
        self.put_private("root/var/cache/nearmiss/examined", &run.to_string());
    }

    /// An agent with the same reply for every request.
    fn agent(&self, told: &'static str) {
        let listener = UnixListener::bind(self.path("socket")).expect("a socket");
        thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.expect("a caller");
                stream.read_exact(&mut [0; 16]).expect("a request");
                stream.write_all(told.as_bytes()).expect("a reply");
            }
        });
    }

    fn filterctl(&self, arguments: &[&str]) -> String {
        let mut command = Command::new(&artifacts().filterctl);
        let output =
            command.args(arguments).args(["--conf", &self.named("n.conf")]).output().expect("filterctl");
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        String::from_utf8(output.stdout).expect("text")
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn named(&self, name: &str) -> String {
        format!("{}/{name}", self.0.path().display())
    }

    fn put(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap_or(Path::new("/"))).expect("made");
        fs::write(path, text).expect("written");
    }

    fn put_private(&self, name: &str, text: &str) {
        self.put(name, text);
        fs::set_permissions(self.path(name), fs::Permissions::from_mode(0o600)).expect("set");
    }
}
