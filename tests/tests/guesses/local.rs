//! Failed logins without a server: the program `memscan` as the login program, `pam_unix` and our line.

use std::path::PathBuf;

use nearmiss_tests::{
    artifacts::artifacts, faults::compile, ladder::stack, scenario::Scenario, sshd::FAILED,
};
use tempfile::TempDir;

/// The typed text, except for the last three characters, which differ at each login.
const PASSWORD: &str = "Vortex+Ukulele+5519+Bramble+abc";
/// The texts to look for in files.
pub(super) const PARTS: [&str; 3] = ["vortex", "ukulele+5519", "bramble"];
/// As the password is handed to the program.
const MASK: u8 = 0x5a;

/// The login program.
pub(super) struct Logins {
    _folder: TempDir,
    pub(super) program: PathBuf,
}

impl Logins {
    pub(super) fn new() -> Logins {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("memscan");
        compile("memscan.c", &["-l:libpam.so.0"], &program);
        Logins { _folder: folder, program }
    }

    /// So many logins of the tester with wrong passwords, from 203.0.113.7, in one process, which then looks
    /// for them in its memory.
    pub(super) fn fail(&self, scenario: Scenario, count: &str) -> Scenario {
        let masked: String = PASSWORD.bytes().map(|byte| char::from(byte ^ MASK)).collect();
        let program = self.program.to_str().unwrap();
        scenario.pipe(None, &[program, "/etc/pam.d", "scan", "tester", count], &masked)
    }
}

/// The stack `scan`, a ladder of guessed passwords, and a hash that is quickly compared.
pub(super) fn scenario() -> Scenario {
    let init = format!("{} ladder init --guessed >&2", artifacts().filterctl.display());
    let lines = ["auth [default=ignore] pam_unix.so nodelay", FAILED, "auth requisite pam_deny.so"];
    Scenario::new("").prepare(&[
        "mount -t tmpfs -o mode=755,size=16m none /var/lib",
        &init,
        &stack("scan", &lines),
        "sed -i 's,^tester:[^:]*,tester:$1$saltsalt$qjXMvbEw8oaL.CzflDtaK/,' /etc/shadow",
    ])
}
