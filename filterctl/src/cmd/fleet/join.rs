//! `filterctl fleet join`: installs the descriptor and the key of a ladder that another host has.

use std::{
    fs::File,
    io::{self, Read},
    path::{Path, PathBuf},
};

use nearmiss_cli::{
    exit::Exit,
    failure::{Failure, Outcome, printable},
};
use nearmiss_filters::ladder::{
    FleetLadder, LadderError,
    fleet::{BUNDLE_BYTES, Bundle},
};
use nearmiss_policy::config::DEFAULT_PATH;
use zeroize::Zeroizing;

use super::{descriptor, functions::AGENT_CONF, init::DescriptorReport, user};
use crate::{filter_file::replaceable::FileKind, host::syslog, report};

const AFTER: &str = "\
If this host has already joined with the same bundle, nothing is changed: configuration management
may run this command repeatedly.

If each host has its own user of the store, --user writes this host's into agent.toml; restart the
agent afterwards (systemctl try-restart nearmiss-agent). ACL DELUSER in the store revokes a user
(docs/fleet.md).

Exit status:
  0  the files are written, or were the same already
  2  error

Examples:
  filterctl fleet join /root/guessed.bundle
  filterctl fleet join --user host1 /root/guessed.bundle
  systemd-creds decrypt guessed.cred - | filterctl fleet join -";

/// Writes descriptor and key to the paths that the configuration names.
#[derive(clap::Args)]
#[command(after_long_help = AFTER)]
pub(crate) struct Args {
    /// The output of filterctl fleet export; - for standard input.
    #[arg(value_name = "BUNDLE")]
    bundle: PathBuf,
    /// Read the paths from this configuration.
    #[arg(long, value_name = "FILE", default_value = DEFAULT_PATH)]
    conf: PathBuf,
    /// The descriptor, instead of the configured one; for instance one that `also` lists while one ladder
    /// replaces another.
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
    /// Overwrite a different ladder, but no other file.
    #[arg(long)]
    replace: bool,
    /// Also write this host's own user of the store into the agent's configuration.
    #[arg(long, value_name = "NAME", value_parser = user::name)]
    user: Option<String>,
    /// With --user: the agent's configuration.
    #[arg(long, value_name = "FILE", default_value = AGENT_CONF)]
    agent_conf: PathBuf,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
}

impl Args {
    /// Joins.
    ///
    /// # Errors
    /// The bundle is damaged or its key does not fit, a file cannot be written, or the agent's
    /// configuration cannot be changed.
    pub(crate) fn run(&self) -> Outcome {
        let bytes = read(&self.bundle).map_err(|e| {
            Failure::new(
                format!("cannot read the bundle {}", printable(&self.bundle.display().to_string())),
                e,
            )
        })?;
        let bundle = Bundle::decode(&self.bundle, &bytes);
        let bundle = bundle.map_err(|e| Failure::new("cannot use the bundle", e))?;
        let file = descriptor(self.file.as_ref(), &self.conf, bundle.kind())?;
        if self.replace {
            FileKind::Ladder.refuse_others(&file)?;
        }
        FileKind::LadderKey.refuse_other_files(&FleetLadder::key_of(&file))?;
        let is_new = bundle.join(&file, self.replace).map_err(not_joined)?;
        let name = printable(&file.display().to_string());
        if is_new {
            syslog::changed(&format!("joined the fleet's ladder of {name}"));
        }
        if let Some(user) = &self.user {
            if user::set(&self.agent_conf, user)? {
                syslog::changed(&format!("the agent uses the store's user {user} once it is restarted"));
            }
        }
        report::print(&DescriptorReport::of(name, bundle.header()), self.json)?;
        Ok(Exit::Done)
    }
}

fn not_joined(error: LadderError) -> Failure {
    let act = match error {
        LadderError::Exists { .. } => "a different ladder exists; use --replace to overwrite it",
        _ => "cannot join",
    };
    Failure::new(act, error)
}

/// Reads one byte more than a bundle has, at most.
fn read(path: &Path) -> io::Result<Zeroizing<Vec<u8>>> {
    let mut bytes = Zeroizing::new(Vec::with_capacity(BUNDLE_BYTES.saturating_mul(2)));
    let most = (BUNDLE_BYTES as u64).saturating_add(1);
    if path == Path::new("-") {
        io::stdin().lock().take(most).read_to_end(&mut bytes)?;
    } else {
        File::open(path)?.take(most).read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}
