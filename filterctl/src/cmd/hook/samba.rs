//! `filterctl hook samba`: smb.conf's `check password script`.
//!
//! Samba runs the script as root, writes the password to its standard input without a line's end, names the
//! user in the environment, and takes exit status 0 for yes and any other for no. The user never sees the
//! output of the script. (smb.conf(5), source4/dsdb/common/util.c)

use std::{env, ffi::OsString, os::unix::ffi::OsStringExt};

use nearmiss_checker::{Facts, Verdict, names};
use nearmiss_cli::{
    exit::Exit,
    failure::{Outcome, say},
};

use super::{HookPolicy, input};

const AFTER: &str = "\
smb.conf:
  [global]
  check password script = /usr/sbin/filterctl hook samba

  A domain controller runs the script only while its property \"complexity\" is on (samba-tool
  domain passwordsettings set --complexity=on); with a script, Samba skips its own rules. The
  user reads \"does not meet the complexity criteria\"; the code of the reason is written to
  standard error, which is Samba's log. Samba does not run the script for smbpasswd as root.
  To test that the check is on:
  samba-tool user create nearmiss-test password1

Environment:
  SAMBA_CPS_ACCOUNT_NAME, SAMBA_CPS_USER_PRINCIPAL_NAME, SAMBA_CPS_FULL_NAME: set by Samba;
  names that the password must not be near.

Exit status:
  0  the password may be set
  1  it is rejected
  2  it was not checked: a filter, the ladder or the configuration cannot be used";

/// Implements Samba's "check password script": password on standard input, verdict as exit status.
#[derive(clap::Args)]
#[command(after_long_help = AFTER)]
pub(super) struct Args {
    #[command(flatten)]
    policy: HookPolicy,
}

impl Args {
    pub(super) fn run(&self) -> Outcome {
        let names = SambaNames::of_environment();
        let (user, gecos) = (names.user(), names.gecos());
        let password = input::read()?;
        let facts = Facts { user: &user, gecos: &gecos, ..Facts::default() };
        // Samba sets the password only up to a null byte: the rest would be checked, but not set.
        if password.contains(&0) {
            say("password rejected [nul]");
            return Ok(Exit::No);
        }
        let answer = self.policy.check(&password, &facts);
        if !answer.detail.is_empty() {
            say(&answer.detail);
        }
        Ok(match (answer.verdict, answer.reason) {
            (Verdict::Accepted, _) => Exit::Done,
            (Verdict::Rejected, reason) => {
                say(&format!("password rejected [{}]", reason.map_or("other", |reason| reason.code())));
                Exit::No
            }
            _ => Exit::Error,
        })
    }
}

/// The user's names from Samba; each may be missing.
struct SambaNames {
    account: Vec<u8>,
    principal: Vec<u8>,
    full: Vec<u8>,
}

impl SambaNames {
    /// Samba sets these for the script it starts; nothing else is read from the environment.
    fn of_environment() -> SambaNames {
        let value = |name| env::var_os(name).map(OsString::into_vec).unwrap_or_default();
        SambaNames {
            account: value("SAMBA_CPS_ACCOUNT_NAME"),
            principal: value("SAMBA_CPS_USER_PRINCIPAL_NAME"),
            full: value("SAMBA_CPS_FULL_NAME"),
        }
    }

    fn user(&self) -> Vec<u8> {
        let principal = names::of_written_principal(&self.principal);
        let parts = [self.account.clone(), principal].into_iter().filter(|name| !name.is_empty());
        parts.collect::<Vec<_>>().join(&b'\n')
    }

    fn gecos(&self) -> Vec<u8> {
        names::of_values([&self.full[..]])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_are_the_accounts_and_the_persons() {
        let names = |account: &str, principal: &str, full: &str| SambaNames {
            account: account.into(),
            principal: principal.into(),
            full: full.into(),
        };
        let all = names("anna", "annabel@AD.EXAMPLE", "Anna Quist");
        let user = b"anna\nannabel\nannabel@AD.EXAMPLE\nAD.EXAMPLE\nAD\nEXAMPLE".to_vec();
        assert_eq!((all.user(), all.gecos()), (user, b"Anna Quist".to_vec()));
        let principal = names("", "annabel@AD.EXAMPLE", "");
        assert!(principal.user().starts_with(b"annabel\nannabel@") && principal.gecos().is_empty());
        assert_eq!((names("", "", "").user(), names("", "", "").gecos()), (Vec::new(), Vec::new()));
    }
}
