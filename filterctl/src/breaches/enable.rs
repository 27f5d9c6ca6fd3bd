//! `filterctl breaches enable`: shows the cost, and switches checks against leaked passwords on.

use std::{
    fs,
    io::{self, BufRead, IsTerminal, Write},
    os::unix::fs::PermissionsExt,
    path::Path,
};

use nearmiss_cli::{
    corpus::{DigestName, SERVER},
    exit::Exit,
    failure::{Failure, Outcome},
    keys, paths,
};
use nearmiss_filters::{
    dictionary::{
        Spec,
        sizing::{Demand, group_bits_for},
    },
    format::{Kind, SchemeId},
    page::PAGE_BYTES,
    storage::{Access, Place, Replacement, open_trusted},
};

use super::{BreachTarget, SERVICE, TIMER, TIMER_TARGET, filter::Places, systemctl, url};
use crate::{
    filter_file::watched::Watched,
    host::{syslog, systemd},
};

const AFTER: &str = "\
The package nearmiss-fetch contains the program and its units, and on Debian and Alpine a weekly
script for cron, which fetches where systemd does not run. They run unprivileged; root only installs
the fetched filter, after every page of it was verified. To change an option, run enable again: the
whole list is then fetched again.

Exit status:
  0  the checks are switched on
  1  the question was not answered with yes; nothing is changed
  2  error

Examples:
  filterctl breaches enable
  filterctl breaches enable --min-count 10 --yes
  filterctl breaches enable --url https://mirror.example/pwned";

/// The approximate number of digests in the corpus.
const DIGESTS: u64 = 2_000_000_000;

/// The approximate size of the first download.
const DOWNLOAD: &str = "80 GB";

/// Switches checks against leaked passwords on: the list is fetched now and every week, and passwords are
/// checked against it.
#[derive(clap::Args)]
#[command(after_long_help = AFTER)]
pub(super) struct Args {
    /// Leave out digests with a smaller count: this saves disk space, but downloads as much.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    min_count: u64,
    /// The kind of digests to fetch.
    #[arg(long, value_enum, default_value = "sha1")]
    kind: DigestName,
    /// Fetch from this server, such as a mirror of your own: https, or http on this host.
    #[arg(long, value_name = "BASE", value_parser = url::server)]
    url: Option<String>,
    /// Also trust the certificate authorities in this PEM file, which every user can read.
    #[arg(long, value_name = "FILE", value_parser = ca_file)]
    ca_file: Option<String>,
    /// Send requests through this proxy. The URL must not contain a password, since every user can read it.
    #[arg(long, value_name = "URL", value_parser = url::proxy)]
    proxy: Option<String>,
    /// Also look up passwords at login. The filter then has a false positive rate of 1 in 1,000,000, and is
    /// a quarter larger.
    #[arg(long)]
    logins: bool,
    /// Do not ask for confirmation.
    #[arg(short, long)]
    yes: bool,
    #[command(flatten)]
    target: BreachTarget,
}

/// Folders that nearmiss-fetch.service hides from the program.
const HIDDEN: [&str; 9] = [
    "/home",
    "/root",
    "/run/user",
    "/tmp",
    "/var/tmp",
    "/etc/nearmiss",
    "/var/lib/nearmiss",
    "/var/cache/nearmiss",
    "/run/nearmiss",
];

/// The absolute path of a file that the unprivileged program can read.
fn ca_file(text: &str) -> Result<String, String> {
    let path = paths::absolute(Path::new(text));
    if HIDDEN.iter().any(|folder| path.starts_with(folder)) {
        return Err(
            "nearmiss-fetch.service cannot see this folder; put the file into /etc/ssl, for instance"
                .to_owned(),
        );
    }
    authorities(&path)
}

/// The path, if only root can write the file, and every user can read it.
fn authorities(path: &Path) -> Result<String, String> {
    let file = open_trusted(path).map_err(|error| error.to_string())?;
    let mode = |metadata: io::Result<fs::Metadata>| metadata.map_or(0, |found| found.permissions().mode());
    let is_open = |folder: &Path| mode(fs::metadata(folder)) & 0o001 != 0;
    if mode(file.metadata()) & 0o004 == 0 || !path.ancestors().skip(1).all(is_open) {
        return Err("not every user can read it".to_owned());
    }
    let path = path.display().to_string();
    let refused = "expected a path of only letters, digits and - . _ ~ : / [ ]";
    if url::is_plain(&path) { Ok(path) } else { Err(refused.to_owned()) }
}

impl Args {
    /// Shows the cost, asks for confirmation, and switches the checks on.
    ///
    /// # Errors
    /// The package is missing, there is no confirmation, a file cannot be written, or systemd cannot start
    /// the units.
    pub(super) fn run(&self) -> Outcome {
        let places = self.target.places()?;
        if !places.has_program() {
            return Err(Failure::plain(
                keys::BREACHES_STALE,
                "there is no program nearmiss-fetch; install the package nearmiss-fetch",
            ));
        }
        let say = |text: &str| writeln!(io::stdout(), "{text}").map_err(Failure::output);
        for line in self.costs() {
            say(&line)?;
        }
        if !self.yes && !agreed()? {
            say("nothing was changed")?;
            return Ok(Exit::No);
        }
        let is_new = !places.options.exists();
        let unwritable = |e| Failure::new("cannot write the options", e);
        let mut file = Replacement::create(&places.options, Access::Public).map_err(unwritable)?;
        file.write(self.options().as_bytes()).map_err(unwritable)?;
        let watched = Watched::new(&places.options);
        watched.told(file.commit().map_err(unwritable))?;
        let start = self.start(&places).inspect_err(|_| {
            // Nothing is switched on: the options would say that it is.
            if is_new {
                let _ = Place::of(&places.options).and_then(|place| place.remove());
            }
        });
        let start = watched.told(start)?;
        syslog::changed("leaked passwords are switched on");
        watched.told(say(&start.said(places.script())))?;
        Ok(Exit::Done)
    }

    /// Starts the units, or lets them start with the system: an image is booted later.
    fn start(&self, places: &Places) -> Result<Start, Failure> {
        if self.target.is_running() {
            systemctl(&["enable", "--now", TIMER])?;
            systemctl(&["start", "--no-block", SERVICE])?;
            return Ok(Start::Now);
        }
        if !places.timer.exists() {
            return Ok(Start::WithoutTimer);
        }
        let enabled = systemd::enable(&self.target.root, TIMER_TARGET, TIMER);
        enabled.map(|()| Start::AtBoot).map_err(|error| Failure::new("cannot enable the timer", error))
    }

    /// The content of the file of options.
    fn options(&self) -> String {
        let kind = self.kind.name();
        let mut options = format!("--kind {kind} --min-count {}", self.min_count);
        for (name, value) in [("--url", &self.url), ("--ca-file", &self.ca_file), ("--proxy", &self.proxy)] {
            if let Some(value) = value {
                options = format!("{options} {name} {value}");
            }
        }
        if self.logins {
            options += " --logins";
        }
        format!("# Written by filterctl breaches enable.\nOPTIONS=\"{options}\"\n")
    }

    /// The cost, in sentences.
    fn costs(&self) -> [String; 3] {
        let bytes = filter_bytes(self.logins).unwrap_or(0);
        let most = if self.min_count > 1 { "at most " } else { "about " };
        let gigabytes = |times: u64| format!("{:.1} GB", bytes.saturating_mul(times) as f64 / 1e9);
        let from = self.url.as_deref().unwrap_or(SERVER);
        [
            format!("fetched from {from}: about {DOWNLOAD} the first time, then only changes"),
            format!(
                "disk: {most}{size} for the fetched filter, {size} for the installed one, {size} for the",
                size = gigabytes(1)
            ),
            format!("previous one; {most}{} during a refresh", gigabytes(5)),
        ]
    }
}

/// When the first run starts.
enum Start {
    /// It has started.
    Now,
    /// When systemd starts the system: the timer is enabled.
    AtBoot,
    /// There is no timer: cron fetches, if it has a script for that.
    WithoutTimer,
}

impl Start {
    fn said(&self, script: Option<String>) -> String {
        let cron = script.map(|script| {
            format!("without systemd, cron fetches every week; for the first run now: {script}")
        });
        match (self, cron) {
            (Start::Now, _) => {
                "switched on; the first run has started: filterctl breaches status shows its progress"
                    .to_owned()
            }
            (Start::AtBoot, Some(cron)) => format!("switched on; {AT_BOOT}; {cron}"),
            (Start::AtBoot, None) => format!("switched on; {AT_BOOT}"),
            (Start::WithoutTimer, Some(cron)) => format!("switched on; {cron}"),
            (Start::WithoutTimer, None) => "switched on; there is neither nearmiss-fetch.timer nor a script \
                                            for cron: as an unprivileged user run nearmiss-fetch, then as \
                                            root filterctl breaches install"
                .to_owned(),
        }
    }
}

const AT_BOOT: &str = "systemd does not run here: nearmiss-fetch.timer is enabled and fetches once it does";

/// Bytes of a filter of the whole corpus.
fn filter_bytes(is_for_logins: bool) -> Option<u64> {
    let usual = Spec::of_digests(Kind::Sha1);
    let Spec { stated, .. } = if is_for_logins { usual.for_logins() } else { usual };
    let demand = Demand { scheme: SchemeId::Whole, deletion_bits: 0, stated, symbols: 0 };
    let geometry = demand.grouped_geometry(DIGESTS, group_bits_for(DIGESTS))?;
    Some(geometry.pages.saturating_mul(PAGE_BYTES as u64))
}

fn agreed() -> Result<bool, Failure> {
    if !io::stdin().is_terminal() {
        return Err(Failure::plain(keys::NO_TERMINAL, "there is no terminal to confirm on; pass --yes"));
    }
    let mut out = io::stdout().lock();
    write!(out, "Continue? [y/N] ").and_then(|()| out.flush()).map_err(Failure::output)?;
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer).map_err(|e| Failure::new("cannot read the answer", e))?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_disk_that_it_takes_is_that_of_the_design() {
        let [usual, logins] = [false, true].map(|logins| filter_bytes(logins).unwrap() as f64 / 1e9);
        assert!((5.6..6.4).contains(&usual) && (7.0..8.6).contains(&logins), "{usual} {logins}");
    }

    #[test]
    fn a_file_of_authorities_is_readable() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("ca.pem");
        fs::write(&file, "").unwrap();
        let is_usable = |of_folder, of_file| {
            for (path, mode) in [(folder.path(), of_folder), (&file, of_file)] {
                fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
            }
            authorities(&file).is_ok()
        };
        assert!(is_usable(0o755, 0o644));
        assert!(!is_usable(0o755, 0o600) && !is_usable(0o700, 0o644) && !is_usable(0o755, 0o666));
        for hidden in ["/root/ca.pem", "/etc/nearmiss/ca.pem", "/home/a/ca.pem"] {
            assert!(ca_file(hidden).unwrap_err().contains("cannot see"), "{hidden}");
        }
        assert!(ca_file("/nonexistent/ca.pem").is_err() && ca_file("/etc").is_err());
    }

    /// The unit's own words: `ProtectHome=` hides /home, /root and /run/user, `PrivateTmp=` the two of
    /// temporary files (systemd.exec(5)).
    #[test]
    fn every_folder_that_the_unit_hides_is_refused() {
        let unit = include_str!("../../../packaging/fetch/nearmiss-fetch.service");
        assert!(unit.contains("\nProtectHome=yes\n") && unit.contains("\nPrivateTmp=yes\n"));
        let paths = unit.lines().find_map(|line| line.strip_prefix("InaccessiblePaths=")).unwrap();
        let named = paths.split(' ').map(|path| path.trim_start_matches('-'));
        let mut hidden = ["/home", "/root", "/run/user", "/tmp", "/var/tmp"].into_iter().chain(named);
        assert!(hidden.all(|folder| HIDDEN.contains(&folder)));
        assert_eq!(HIDDEN.len(), 5 + paths.split(' ').count(), "none that it shows");
    }
}
