//! A real `sshd` on the loopback of a private network, and logins to it.
//!
//! The server is this machine's, or one that was unpacked beside the build and never installed
//! (`tools/unpack.sh`): an installed one would listen.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::json;

use crate::{
    artifacts::{artifacts, variable, workspace},
    ladder::{accounts, stack},
    scenario::Scenario,
};

/// The folder of unpacked packages; `NEARMISS_UNPACKED` names another than that of this build.
pub fn unpacked() -> PathBuf {
    variable("NEARMISS_UNPACKED").map_or_else(|| workspace().join("target/unpacked"), PathBuf::from)
}

/// The shared libraries of what was unpacked.
pub fn libraries() -> PathBuf {
    unpacked().join("usr/lib/x86_64-linux-gnu")
}

/// A program of the machine, or of what was unpacked.
pub fn program(path: &str) -> Option<PathBuf> {
    let places = [PathBuf::from(path), unpacked().join(path.trim_start_matches('/'))];
    places.into_iter().find(|place| place.exists())
}

/// The reason why there is no server to log in to, if there is none.
pub fn no_server() -> Option<&'static str> {
    let missing = program("/usr/sbin/sshd").is_none() || !Path::new("/usr/bin/ssh").exists();
    missing.then_some("needs ssh and sshd (tests/tools/unpack.sh fetches openssh-server)")
}

/// The module's line for logins that failed.
pub const FAILED: &str = "auth [default=ignore] /etc/security/pam_nearmiss.so failed debug";
/// Its line for those that succeeded.
pub const PASSED: &str = "auth optional /etc/security/pam_nearmiss.so passed debug";
/// Its line that notifies the user.
pub const TOLD: &str = "account optional /etc/security/pam_nearmiss.so notify";
/// The array that failed logins feed.
pub const ARRAY: &str = "/var/lib/nearmiss/guessed.ladder";

/// Debian's order of the authentication lines, with ours.
pub const AUTH: [&str; 5] = [
    "auth [success=2 default=ignore] pam_unix.so nullok nodelay",
    FAILED,
    "auth requisite pam_deny.so",
    "auth required pam_permit.so",
    PASSED,
];
/// Debian's order of the account lines, with ours.
pub const ACCOUNT: [&str; 4] = [
    "account [success=1 new_authtok_reqd=done default=ignore] pam_unix.so",
    "account requisite pam_deny.so",
    "account required pam_permit.so",
    TOLD,
];

/// A helper that types a password, a script that logs in with it, and the server's configuration. The random
/// address of each guess is its own: `-b`.
const SETUP: &str = r#"
ip link set lo up
grep -q ^sshd: /etc/passwd || echo 'sshd:x:774:65534::/run/sshd:/usr/sbin/nologin' >> /etc/passwd
mkdir -p /run/sshd /etc/ssh; chmod 755 /run/sshd
printf '#!/bin/sh\nprintf "%%s\\n" "$TYPED"\n' > /etc/askpass
cat > /etc/try <<'TRY'
#!/bin/sh
# try USER PASSWORD ADDRESS [COMMAND]: one login with ssh
SSH_ASKPASS=/etc/askpass SSH_ASKPASS_REQUIRE=force TYPED="$2" exec timeout 300 ssh -b "$3" ${FLAGS:-} \
    -o PreferredAuthentications=${METHOD:-password} -o NumberOfPasswordPrompts=1 -o StrictHostKeyChecking=no \
    -o UserKnownHostsFile=/dev/null -o LogLevel=INFO "$1@127.0.0.1" "${4-echo logged in}" < /dev/null 2>&1
TRY
chmod 755 /etc/askpass /etc/try
ssh-keygen -q -t ed25519 -N '' -f /etc/ssh/test_key
cat > /etc/ssh/sshd_test <<'CONF'
ListenAddress 127.0.0.1
HostKey /etc/ssh/test_key
UsePAM yes
PasswordAuthentication yes
KbdInteractiveAuthentication yes
PermitRootLogin prohibit-password
AuthorizedKeysFile /etc/ssh/keys/%u
MaxStartups 200:30:400
LogLevel VERBOSE
UseDNS no
PidFile none
CONF
printf '%s\n' '@include common-auth' 'account required pam_nologin.so' '@include common-account' \
    'session optional pam_unix.so' '@include common-password' > /etc/pam.d/sshd
"#;

/// A scenario with a server, these stacks, this many accounts `u0`, `u1` … with the tester's password, a
/// ladder of guessed passwords, and further preparations.
pub fn scenario(auth: &[&str], account: &[&str], users: u32, further: &[String]) -> Scenario {
    let filterctl = artifacts().filterctl.display();
    let sshd = program("/usr/sbin/sshd").expect("see no_server").display().to_string();
    let libraries = libraries();
    let mut commands = vec![
        "mount -t tmpfs -o mode=755,size=16m none /var/lib".to_owned(),
        format!("{filterctl} ladder init --guessed >&2"),
        SETUP.to_owned(),
        stack("common-auth", auth),
        stack("common-account", account),
        accounts(users),
        "sed -i 's/yescrypt/yescrypt rounds=1/' /etc/pam.d/common-password".to_owned(),
    ];
    commands.extend(further.iter().cloned());
    // Nothing it writes is read: what it logs goes to the system log. It ends with its namespace.
    commands.push(format!(
        "LD_LIBRARY_PATH={} setsid {sshd} -f /etc/ssh/sshd_test -D < /dev/null > /dev/null 2>&1 & \
         timeout 300 sh -c 'until ssh-keyscan -T 60 127.0.0.1 2>/dev/null | grep -q .; do sleep 0.1; done'",
        libraries.display()
    ));
    let commands: Vec<&str> = commands.iter().map(String::as_str).collect();
    Scenario::new("retry=1 codes debug")
        .set_namespaces(&["-n", "-p", "-f", "--kill-child", "--mount-proc"])
        .prepare(&commands)
}

impl Scenario {
    /// One login with this password from this address of the loopback, running a command that prints `logged
    /// in`.
    pub fn log_in(self, user: &str, password: &str, from: &str) -> Scenario {
        self.pipe(None, &["/etc/try", user, password, from], "")
    }

    /// The same by the keyboard-interactive method.
    pub fn log_in_by_keyboard(self, user: &str, password: &str, from: &str) -> Scenario {
        self.log_in(user, password, from).with("environment", &json!({"METHOD": "keyboard-interactive"}))
    }

    /// Hashes the array of guessed passwords, in a run whose transcript is the hash.
    pub fn guessed_digest(self) -> Scenario {
        self.pipe(None, &["/usr/bin/sha256sum", ARRAY], "")
    }

    /// Reads the height of a password, in a separate run: see [`height`](crate::ladder::height).
    pub fn guessed_height(self, password: &str) -> Scenario {
        let filterctl = artifacts().filterctl.display().to_string();
        self.pipe(None, &[&filterctl, "ladder", "height", "--guessed", "--json"], &format!("{password}\n"))
    }
}

/// The text of a packaged file.
pub fn packaged(path: &str) -> String {
    let path = workspace().join("packaging").join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
