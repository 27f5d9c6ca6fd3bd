//! A PAM application without privilege: libpam, service files in a folder of the test's own, and the built
//! module.

use std::{
    ffi::OsStr,
    fs,
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use serde::Deserialize;
use serde_json::{Value, json};
use tempfile::TempDir;

pub use crate::user::UID;
use crate::{artifacts::copy_readable, filters::set_mode, skip::is_root};

/// `PAM_SUCCESS`
pub const SUCCESS: i32 = 0;
/// `PAM_SERVICE_ERR`
pub const SERVICE_ERR: i32 = 3;
/// `PAM_MAXTRIES`
pub const MAXTRIES: i32 = 11;
/// `PAM_AUTHTOK_ERR`
pub const AUTHTOK_ERR: i32 = 20;
/// `PAM_TRY_AGAIN`
pub const TRY_AGAIN: i32 = 24;
/// `PAM_IGNORE`
pub const IGNORE: i32 = 25;
/// `PAM_ABORT`
pub const ABORT: i32 = 26;

/// `PAM_SILENT`
pub const SILENT: i32 = 0x8000;
/// `PAM_CHANGE_EXPIRED_AUTHTOK`
pub const CHANGE_EXPIRED: i32 = 0x20;
/// `PAM_PRELIM_CHECK`, for direct calls of a hook.
pub const PRELIM: i32 = 0x4000;
/// `PAM_UPDATE_AUTHTOK`, for direct calls of a hook.
pub const UPDATE: i32 = 0x2000;

/// A folder that the unprivileged user owns, with the module and its service files in it.
pub struct Folder {
    folder: TempDir,
}

impl Folder {
    /// A folder with a copy of the module in it.
    pub fn new(module: &Path) -> Folder {
        let folder = tempfile::tempdir().expect("a folder can be made");
        set_mode(folder.path(), 0o755);
        copy_readable(module, &folder.path().join("pam_nearmiss.so"));
        fs::write(folder.path().join("other"), "password required pam_deny.so\n")
            .expect("a file can be written");
        Folder { folder }
    }

    /// The folder's path.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The copy of the module.
    pub fn module(&self) -> PathBuf {
        self.path().join("pam_nearmiss.so")
    }

    /// Writes a file.
    pub fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path().join(name);
        fs::write(&path, text).expect("a file can be written");
        path
    }

    /// Writes a service whose password stack is the module alone.
    pub fn service(&self, name: &str, options: &str) {
        self.write(name, &format!("password required {} {options}\n", self.module().display()));
    }

    /// A case of this folder: a service and the answers to its prompts.
    pub fn case(&self, service: &str, answers: &[&[u8]]) -> Value {
        let answers: Vec<String> = answers.iter().map(|answer| hex(answer)).collect();
        json!({"folder": self.path(), "service": service, "user": hex(b"tester"), "answers": answers})
    }

    /// A direct call of one of the module's six functions.
    pub fn entry(&self, entry: &str, flags: i32, arguments: &[&str]) -> Value {
        json!({"folder": self.path(), "service": "other", "user": hex(b"tester"), "module": self.module(),
            "entry": entry, "flags": flags, "arguments": arguments})
    }
}

/// The result of a case.
#[derive(Debug, Deserialize)]
pub struct Played {
    /// The code of libpam, or of the function called.
    pub code: i32,
    /// The texts that the application is to show, with their styles.
    pub said: Vec<(i32, String)>,
    /// Unrequested responses.
    pub unused: usize,
    /// Descriptors that stayed open from one repetition to the next.
    pub opened: i32,
    /// The findings at descriptors that the application had closed.
    pub taken: Vec<String>,
}

impl Played {
    /// The errors and other messages that were shown, without the prompts.
    pub fn shown(&self) -> Vec<&str> {
        let messages = self.said.iter().filter(|(style, _)| matches!(style, 3 | 4));
        messages.map(|(_, text)| text.as_str()).collect()
    }

    /// The number of questions.
    pub fn prompts(&self) -> usize {
        self.said.iter().filter(|(style, _)| matches!(style, 1 | 2)).count()
    }
}

/// Plays cases as an unprivileged user.
pub fn play(cases: &[Value]) -> Vec<Played> {
    let input = serde_json::to_vec(cases).expect("cases are JSON");
    let output = run(unprivileged(python()).arg("-c").arg(DRIVER), &input);
    serde_json::from_str(&output).expect("the driver prints JSON")
}

/// Plays one case.
pub fn play_one(case: Value) -> Played {
    play(&[case]).pop().expect("one case, one result")
}

/// The driver's source: handed over as text, because the user it runs as may not be able to read the
/// workspace.
const DRIVER: &str = include_str!("../tools/pamdrive.py");

/// Runs a command with this input; gives its output.
pub fn run(command: &mut Command, input: &[u8]) -> String {
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    child.stdin.take().expect("stdin is a pipe").write_all(input).expect("the command reads its input");
    let output = child.wait_with_output().expect("the command ends");
    assert!(output.status.success(), "{command:?}: {}", output.status);
    String::from_utf8(output.stdout).expect("the command prints UTF-8")
}

/// A command that runs as an ordinary user: as [`UID`] if the tests run as root.
pub fn unprivileged(program: impl AsRef<OsStr>) -> Command {
    if !is_root() {
        return Command::new(program);
    }
    let mut command = Command::new("setpriv");
    let uid = UID.to_string();
    command.args(["--reuid", &uid, "--regid", &uid, "--clear-groups"]).arg(program);
    command
}

/// The system's Python, which every user can run; a version manager's may lie in somebody's home.
pub fn python() -> &'static str {
    let system = "/usr/bin/python3";
    if Path::new(system).exists() { system } else { "python3" }
}

/// Bytes as the driver takes them.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}
