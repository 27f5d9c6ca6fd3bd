//! `filterctl fleet join`: installs the descriptor and the key of a ladder that another host has.

use std::{
    fs::File,
    io::{self, Read},
    path::{Path, PathBuf},
};

use nearmiss_cli::{
    exit::Exit,
    failure::{Failure, Outcome, printable},
    paths,
};
use nearmiss_filters::{
    keys::Keyed,
    ladder::{
        FleetLadder, LadderError,
        fleet::{BUNDLE_BYTES, Bundle},
    },
    storage::{Act, StorageError, Walk},
};
use nearmiss_policy::config::DEFAULT_PATH;
use zeroize::Zeroizing;

use super::{descriptor, functions::AGENT_CONF, init::DescriptorReport, user};
use crate::{
    filter_file::{replaceable::FileKind, watched::Watched},
    host::{
        shell::{self, on_files},
        syslog,
    },
    report,
};

const AFTER: &str = "\
If this host has already joined with the same bundle, nothing is changed: configuration management
may run this command repeatedly.

The bundle contains the key. It must belong to root with mode 0600, in a folder that no other user
can write to; otherwise it is refused, with the command that fixes it.

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
        let bytes = read(&self.bundle)?;
        let bundle = Bundle::decode(&self.bundle, &bytes);
        let bundle = bundle.map_err(|e| Failure::new("cannot use the bundle", e))?;
        let file = descriptor(self.file.as_ref(), &self.conf, bundle.kind())?;
        if self.replace {
            FileKind::Ladder.refuse_others(&file)?;
        }
        FileKind::LadderKey.refuse_other_files(&FleetLadder::key_of(&file))?;
        Watched::new(&file).told(self.join(&bundle, &file))
    }

    fn join(&self, bundle: &Bundle, file: &Path) -> Outcome {
        let is_there = || file.symlink_metadata().is_ok();
        let was_there = is_there();
        let joined = bundle.join(file, self.replace);
        let is_new = joined.map_err(|error| not_joined(error, was_there && !is_there()))?;
        let name = printable(&file.display().to_string());
        if is_new {
            syslog::changed(&format!("joined the fleet's ladder of {name}"));
        }
        let watched = Watched::new(&self.agent_conf);
        if let Some(user) = &self.user {
            if watched.told(user::set(&self.agent_conf, user))? {
                syslog::changed(&format!("the agent uses the store's user {user} once it is restarted"));
            }
        }
        watched.told(report::print(&DescriptorReport::of(name, bundle.header()), self.json))?;
        Ok(Exit::Done)
    }
}

fn not_joined(error: LadderError, has_gone: bool) -> Failure {
    let act = match error {
        _ if has_gone => {
            "the old ladder was removed, but the new one is not in place; run this command again"
        }
        LadderError::Exists { .. } => "a different ladder exists; use --replace to overwrite it",
        _ => "cannot join",
    };
    Failure::new(act, error)
}

/// Reads one byte more than a bundle has, at most.
fn read(path: &Path) -> Result<Zeroizing<Vec<u8>>, Failure> {
    let mut bytes = Zeroizing::new(Vec::with_capacity(BUNDLE_BYTES.saturating_mul(2)));
    let most = (BUNDLE_BYTES as u64).saturating_add(1);
    let read = if path == Path::new("-") {
        io::stdin().lock().take(most).read_to_end(&mut bytes)
    } else {
        opened(&paths::absolute(path))?.take(most).read_to_end(&mut bytes)
    };
    let unreadable = |e| Failure::new(format!("cannot read the bundle {}", path.display()), e);
    read.map_err(unreadable).map(|_| bytes)
}

/// Opens a bundle as the module opens a key: whoever reads it has the key, and whoever writes it chooses it.
fn opened(path: &Path) -> Result<File, Failure> {
    let opened = Walk::default().open(path).and_then(|file| file.refuse_others(path).map(|()| file.file));
    opened.map_err(|error| refused(path, &error))
}

/// The failure with the command that ends it: a folder of others is theirs, and the bundle leaves it.
fn refused(path: &Path, error: &StorageError) -> Failure {
    let command = match error.act {
        Act::Open | Act::Read | Act::NotRegular => None,
        _ if error.path == path => shell::of_storage(error),
        _ => Some(format!("{} /root/", on_files("install -m 0600", [path]))),
    };
    let command = command.map_or_else(String::new, |command| format!(": {command}"));
    Failure::plain(error.key(), format!("cannot use the bundle: {error}{command}"))
}
