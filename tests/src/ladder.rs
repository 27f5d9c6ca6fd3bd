//! Ladders made by the real `filterctl`, with the paper's parameters (16 rungs, 3 steps a password) and the
//! weakest slow hash it makes: for scenarios with the real `passwd` where the module looks for them by
//! default, in a private `/var/lib`; for tests without privilege in a folder.

use std::{
    fs,
    os::unix::fs::chown,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::Value;

use crate::{
    artifacts::artifacts,
    filters::set_mode,
    pam::{Folder, UID},
    scenario::{Run, Scenario},
    skip::is_root,
};

/// The array.
pub const ARRAY: &str = "/var/lib/nearmiss/chosen.ladder";
/// Steps that one password takes.
pub const STEPS: u64 = 3;
/// Rungs, and the height that is refused.
pub const RUNGS: u64 = 16;
/// The first uid of [`accounts`].
pub const FIRST_UID: u32 = 5000;

/// The module's two lines of the password stack.
pub const RECORD: &str = "password optional /etc/security/pam_nearmiss.so record";

/// The parameters for `filterctl ladder`.
const INIT: [&str; 7] =
    ["init", "--preset", "paper-5m", "--bits", "2^20", "--slow-hash-ms=1", "--slow-hash-memory-kib=19456"];

/// Makes a ladder in a folder, for the user the module runs as there; gives a configuration that names it.
pub fn in_folder(folder: &Folder) -> PathBuf {
    in_folder_by(folder, &INIT)
}

/// The same with a ladder that these arguments of `filterctl ladder` make.
pub fn in_folder_by(folder: &Folder, init: &[&str]) -> PathBuf {
    let state = folder.path().join("state");
    fs::create_dir(&state).expect("a folder can be made");
    let (array, key) = (state.join("chosen.ladder"), folder.path().join("ladder.key"));
    let mut command = Command::new(&artifacts().filterctl);
    command.arg("ladder").args(init).arg("--file").arg(&array).arg("--key").arg(&key);
    let output = command.output().expect("filterctl can be run");
    assert!(output.status.success(), "ladder init: {}", String::from_utf8_lossy(&output.stderr));
    set_mode(&state, 0o700);
    for path in [&state, &array, &key] {
        give(path);
    }
    let text = format!("[ladder]\nfile = \"{}\"\nkey = \"{}\"\n", array.display(), key.display());
    folder.write("ladder.conf", &text)
}

fn give(path: &Path) {
    if is_root() {
        chown(path, Some(UID), Some(UID)).expect("root may give files away");
    }
}

/// A command that makes another ladder in place of the one there is: of these parameters, and without a slow
/// hash. No account has counted a password in it.
pub fn remade(parameters: &str) -> String {
    format!("{} ladder init --replace --no-slow-hash {parameters} >&2", artifacts().filterctl.display())
}

/// Parameters of a ladder in which the height of a password shows how often it was counted: 48 rungs, a step
/// each, so many bits that none of the rungs is cleared meanwhile (once in 30,000 runs).
pub const TALL: &str = "--preset guesses --bits 2^24";
/// The parameters of [`scenario`]'s ladder.
pub const PAPER: &str = "--preset paper-5m --bits 2^20";

/// Commands that make the ladder.
pub fn made() -> Vec<String> {
    let filterctl = artifacts().filterctl.display();
    let init = INIT.join(" ");
    vec![
        "mount -t tmpfs -o mode=755,size=4m none /var/lib".to_owned(),
        format!("{filterctl} ladder {init} >&2"),
        // The system's own hash at its lowest cost: many passwords are set here.
        "sed -i 's/yescrypt/yescrypt rounds=1/' /etc/pam.d/common-password".to_owned(),
    ]
}

/// A command that adds the users `u0`, `u1` … with the tester's password.
pub fn accounts(count: u32) -> String {
    format!(
        "field=$(sed -n 's/^tester:\\([^:]*\\):.*/\\1/p' /etc/shadow); i=0; while [ $i -lt {count} ]; do \
         uid=$(({FIRST_UID} + i)); echo \"u$i:x:$uid:$uid::/tmp:/bin/sh\" >> /etc/passwd; \
         echo \"u$i:$field:19000:0:99999:7:::\" >> /etc/shadow; i=$((i + 1)); done"
    )
}

/// A command that makes these lines a stack (`common-password`, `common-auth`).
pub fn stack(name: &str, lines: &[&str]) -> String {
    let lines: Vec<String> = lines.iter().map(|line| format!("'{line}'")).collect();
    format!("printf '%s\\n' {} > /etc/pam.d/{name}", lines.join(" "))
}

/// A scenario with the module's two lines, a dictionary, a ladder, and these further preparations.
pub fn scenario(options: &str, further: &[String]) -> Scenario {
    let commands: Vec<String> = made().into_iter().chain(further.iter().cloned()).collect();
    let commands: Vec<&str> = commands.iter().map(String::as_str).collect();
    Scenario::new(options).extra(&[RECORD]).prepare(&commands)
}

impl Scenario {
    /// Reads the height of a password, in a run of its own: see [`height`].
    pub fn height(self, password: &str) -> Scenario {
        let filterctl = artifacts().filterctl.to_str().expect("the workspace's path is UTF-8");
        self.pipe(None, &[filterctl, "ladder", "height", "--json"], &format!("{password}\n"))
    }

    /// Hashes the array, in a run of its own whose transcript is the hash.
    pub fn digest(self) -> Scenario {
        self.pipe(None, &["/usr/bin/sha256sum", ARRAY], "")
    }

    /// Runs a shell command as root, in a run of its own.
    pub fn shell(self, command: &str) -> Scenario {
        self.pipe(None, &["/bin/sh", "-c", command], "")
    }
}

/// The height that [`Scenario::height`] read.
pub fn height(run: &Run) -> u64 {
    let told: Value =
        serde_json::from_str(&run.transcript).unwrap_or_else(|error| panic!("{error}: {run:#?}"));
    told.pointer("/heights/0").and_then(Value::as_u64).unwrap_or_else(|| panic!("no height: {run:#?}"))
}

/// The height after one more password was recorded.
pub fn risen(height: u64) -> u64 {
    height.saturating_add(STEPS).min(RUNGS)
}
