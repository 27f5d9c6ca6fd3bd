//! `filterctl hook`: checks a password for a server, in the protocol of that server.

mod heimdal;
mod input;
mod samba;

use std::path::{Path, PathBuf};

use nearmiss_checker::{Answer, Checker, DEFAULT_PATH, Facts, Setting};
use nearmiss_cli::{commands, paths};

/// The name by which Heimdal starts this program: Heimdal cannot pass arguments of the administrator's.
pub(crate) const HEIMDAL_PROGRAM: &str = "nearmiss-heimdal";

commands! {
    /// Checks a new password for a server that sets passwords without PAM.
    struct Args with Server {
        Samba(samba::Args),
        Heimdal(heimdal::Args),
    }
}

/// The options of every hook.
#[derive(clap::Args)]
struct HookPolicy {
    /// Read the policy from this file instead of /etc/security/nearmiss.conf.
    #[arg(long, value_name = "FILE")]
    conf: Option<PathBuf>,
}

impl HookPolicy {
    /// Checks a password as the PAM module would.
    fn check(&self, password: &[u8], facts: &Facts<'_>) -> Answer {
        let conf = paths::absolute(self.conf.as_deref().unwrap_or(Path::new(DEFAULT_PATH)));
        Checker::open(Setting::of(&conf)).check(password, facts)
    }
}
