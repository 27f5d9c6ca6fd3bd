//! The machine's own `passwd`, `chpasswd`, `su` and `login` with the built module, in a mount namespace where
//! `/etc`, `/dev`, `/run`, `/var/log` and `/var/mail` are throw-away copies (`tools/scenario.py` sets it up).
//!
//! The user is `tester`, uid 4242, with the password [`OLD`]; the module is `/etc/security/pam_nearmiss.so`,
//! and a filter, if any, `/etc/security/words.filter`.

use std::{fs, path::Path, process::Command};

use serde::Deserialize;
use serde_json::{Map, Value, json};
use tempfile::TempDir;

use crate::{
    artifacts::{artifacts, tool, workspace},
    filters::{self, Spoiled},
};

/// The tester's password.
pub const OLD: &str = "Orig-0ld-pw";
/// Among the expected texts: any prompt for a password, in whatever language.
pub const ANY_PROMPT: &str = "\0prompt";
/// The tester's uid.
pub const TESTER: u32 = 4242;

/// The command, for [`Scenario::prepare`], that installs the program which expires a password.
pub fn install_expire() -> String {
    let program = workspace().join("packaging/expire/expire");
    let installed = "/usr/libexec/nearmiss/expire";
    format!("mount -t tmpfs none /usr/libexec && install -D -m 755 {} {installed}", program.display())
}

/// The installation, and the dialogues that are played one after the other.
#[must_use]
pub struct Scenario {
    folder: TempDir,
    setting: Map<String, Value>,
    runs: Vec<Value>,
    /// The private namespaces in addition to the mounts: options of unshare(1).
    namespaces: Vec<&'static str>,
}

/// The result of one dialogue.
#[derive(Clone, Debug, Deserialize)]
pub struct Run {
    /// All that was shown.
    pub transcript: String,
    /// The exit status; negative for a signal, a text when the command had to be killed.
    pub status: Value,
    /// The number of expected texts that appeared, in their order.
    pub steps_done: usize,
    /// The lines sent to the system log.
    pub log: Vec<String>,
    /// True when `/etc/shadow` is another than before the dialogue.
    pub shadow_changed: bool,
    /// The number of expected texts; the script does not report it.
    #[serde(skip)]
    pub steps: usize,
}

impl Scenario {
    /// The module with a good filter and these further options on its line.
    pub fn new(options: &str) -> Scenario {
        let scenario = Scenario::without_filter(options);
        let filter = filters::build(scenario.folder.path());
        scenario.filter(&filter)
    }

    /// The same, but the filter that the line names is not there.
    pub fn without_filter(options: &str) -> Scenario {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let scenario = Scenario { folder, setting: Map::new(), runs: Vec::new(), namespaces: Vec::new() };
        scenario
            .module(&artifacts().module)
            .options(&format!("filter=/etc/security/words.filter {options}"))
            .extra(&[])
            .prepare(&[])
            .set("filter", Value::Null)
            .set("configuration", Value::Null)
    }

    /// The filter with damage in every page.
    pub fn with_damaged_pages(options: &str) -> Scenario {
        let scenario = Scenario::new(options);
        Spoiled::DamagedPages.apply(&scenario.folder.path().join("words.filter"));
        scenario
    }

    /// Another build of the module.
    pub fn module(self, module: &Path) -> Scenario {
        self.set("module", json!(module))
    }

    fn filter(self, filter: &Path) -> Scenario {
        self.set("filter", json!(filter))
    }

    /// All options of the checking line, instead of the options of [`Scenario::new`].
    pub fn options(self, options: &str) -> Scenario {
        self.set("options", json!(options))
    }

    /// A configuration file, installed as `/etc/security/nearmiss.conf`.
    pub fn configuration(self, text: &str) -> Scenario {
        let file = self.folder.path().join("nearmiss.conf");
        fs::write(&file, text).expect("a file can be written");
        self.set("configuration", json!(file))
    }

    /// Further lines at the end of the password stack.
    pub fn extra(self, lines: &[&str]) -> Scenario {
        self.set("extra", json!(lines))
    }

    /// Shell commands that are run in the namespace before the first dialogue.
    pub fn prepare(self, commands: &[&str]) -> Scenario {
        self.set("prepare", json!(commands))
    }

    /// Writes what is logged to `/var/log/auth.log` too, as a daemon does.
    pub fn auth_log(self) -> Scenario {
        self.set("auth_log", json!(true))
    }

    /// Makes more private than the mounts: options of unshare(1).
    pub fn set_namespaces(mut self, options: &[&'static str]) -> Scenario {
        self.namespaces = options.to_vec();
        self
    }

    fn set(mut self, name: &str, value: Value) -> Scenario {
        self.setting.insert(name.to_owned(), value);
        self
    }

    /// A dialogue under a terminal, as root or as a user: expected texts and what is answered.
    pub fn talk(mut self, uid: Option<u32>, command: &[&str], steps: &[(&str, Answer)]) -> Scenario {
        let steps: Vec<Value> = steps.iter().map(|(text, answer)| json!([text, answer.to_json()])).collect();
        self.runs.push(json!({"command": command, "uid": uid, "steps": steps}));
        self
    }

    /// The caller's signal to the program of the last dialogue, or the timeout: see
    /// `tools/scenario.py`.
    pub fn with(mut self, name: &str, value: &Value) -> Scenario {
        self.runs.last_mut().expect("a dialogue")[name] = value.clone();
        self
    }

    /// A command that reads a pipe.
    pub fn pipe(mut self, uid: Option<u32>, command: &[&str], input: &str) -> Scenario {
        self.runs.push(json!({"command": command, "uid": uid, "input": input}));
        self
    }

    /// Plays all dialogues.
    pub fn play(mut self) -> Vec<Run> {
        let count = |run: &Value| run.get("steps").and_then(Value::as_array).map_or(0, Vec::len);
        let steps: Vec<usize> = self.runs.iter().map(count).collect();
        self.setting.insert("runs".to_owned(), Value::Array(self.runs));
        let file = self.folder.path().join("scenario.json");
        fs::write(&file, Value::Object(self.setting).to_string()).expect("a file can be written");
        let output = Command::new("unshare")
            .args(["-m", "--propagation", "private"])
            .args(&self.namespaces)
            .arg("python3")
            .arg(tool("scenario.py"))
            .arg(&file)
            .output()
            .expect("unshare can be run");
        assert!(output.status.success(), "the scenario failed: {}", String::from_utf8_lossy(&output.stderr));
        let runs: Vec<Run> = serde_json::from_slice(&output.stdout).expect("the script reports each run");
        runs.into_iter().zip(steps).map(|(run, steps)| Run { steps, ..run }).collect()
    }

    /// Plays the only dialogue.
    pub fn play_one(self) -> Run {
        let mut runs = self.play();
        assert_eq!(runs.len(), 1, "one dialogue");
        runs.remove(0)
    }
}

/// The action when an expected text has appeared.
#[derive(Clone, Copy, Debug)]
pub enum Answer {
    /// Type this and Enter.
    Type(&'static str),
    /// Nothing: the text only has to be there.
    Wait,
    /// End the input.
    EndOfFile,
    /// Run this shell command as root, beside the dialogue.
    Shell(&'static str),
    /// Send the program this signal (its name without `SIG`).
    Signal(&'static str),
}

impl Answer {
    fn to_json(self) -> Value {
        match self {
            Answer::Type(text) => json!(text),
            Answer::Wait => Value::Null,
            Answer::EndOfFile => json!({"eof": true}),
            Answer::Shell(command) => json!({"shell": command}),
            Answer::Signal(name) => json!({"signal": name}),
        }
    }
}

impl Run {
    /// Every expected text appeared and the command ended with this status.
    pub fn expect_status(&self, status: i64) -> &Run {
        assert_eq!(self.steps_done, self.steps, "steps done of expected: {self:#?}");
        assert_eq!(self.status, json!(status), "{self:#?}");
        self
    }

    /// Whether the command ended by itself, and not well: it neither hung nor asked for more than was
    /// answered.
    pub fn has_failed_by_itself(&self) -> bool {
        self.status.as_i64().is_some_and(|status| status != 0)
    }

    /// The password was or was not set.
    pub fn expect_shadow_changed(&self, changed: bool) -> &Run {
        assert_eq!(self.shadow_changed, changed, "/etc/shadow: {self:#?}");
        self
    }

    /// A line of the system log contains this.
    pub fn expect_log(&self, part: &str) -> &Run {
        assert!(self.log.iter().any(|line| line.contains(part)), "no line with {part:?}: {self:#?}");
        self
    }

    /// Exactly one line of the system log contains this.
    pub fn expect_one_log(&self, part: &str) -> &Run {
        let count = self.log.iter().filter(|line| line.contains(part)).count();
        assert_eq!(count, 1, "lines with {part:?}: {self:#?}");
        self
    }

    /// Nothing that was shown or logged contains this.
    pub fn expect_nowhere(&self, part: &str) -> &Run {
        let all = self.log.iter().chain([&self.transcript]);
        assert!(all.into_iter().all(|text| !text.contains(part)), "{part:?} is in {self:#?}");
        self
    }

    /// The user was shown this.
    pub fn expect_shown(&self, part: &str) -> &Run {
        assert!(self.transcript.contains(part), "{part:?} was not shown: {self:#?}");
        self
    }
}
