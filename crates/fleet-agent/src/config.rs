//! `agent.toml`: the address of the store and the way to connect to it. Every value has a default; unknown
//! keys and invalid values are refused with their line.

use std::{
    error::Error,
    fmt, fs,
    io::{self, Read},
    path::{Path, PathBuf},
};

use nearmiss_cli::{
    failure::Failure,
    keys::{self, Keyed, MessageKey},
};
use nearmiss_filters::text::system_reason;
use serde::{Deserialize, Deserializer, de};
use zeroize::Zeroizing;

use crate::address::Address;

/// The path of the configuration when no other is named.
pub const DEFAULT_PATH: &str = "/etc/nearmiss-agent/agent.toml";
/// The size limit of any file read here, in bytes.
const MAX_BYTES: u64 = 1 << 20;

/// The agent's configuration.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Nodes that are queried for the map of the array; one that can be reached is enough.
    pub nodes: Vec<Address>,
    /// Nodes of a second cluster, at another site, which is stepped and queried as well; none if there is
    /// only one.
    pub far_nodes: Vec<Address>,
    /// The store's user.
    pub user: String,
    /// The file with its password, on one line; none if it has no password.
    pub password_file: Option<PathBuf>,
    /// True if connections are encrypted. Otherwise only addresses of this machine are allowed.
    pub tls: bool,
    /// The CA certificates that sign the certificates of the nodes (PEM).
    pub ca: PathBuf,
    /// The agent's own certificate and its key (PEM), if the nodes require one.
    pub certificate: Option<PathBuf>,
    /// See `certificate`.
    pub key: Option<PathBuf>,
    /// The socket for the PAM module, if systemd passes none.
    pub socket: PathBuf,
    /// Unprivileged user to switch to when root starts the agent.
    pub run_as: String,
    /// The number of threads for the store, each with a connection to every node.
    #[serde(deserialize_with = "workers")]
    pub workers: usize,
    /// Milliseconds for one connection to a node, and for one reply.
    #[serde(deserialize_with = "timeout")]
    pub timeout_ms: u64,
    /// The number of elements at the top of the ladder that are not queried again.
    #[serde(deserialize_with = "hot_elements")]
    pub hot_elements: usize,
    /// For this number of seconds.
    #[serde(deserialize_with = "hot_seconds")]
    pub hot_seconds: u64,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            nodes: vec![Address { host: "127.0.0.1".to_owned(), port: 6379 }],
            far_nodes: Vec::new(),
            user: "nmagent".to_owned(),
            password_file: None,
            tls: true,
            ca: "ca.pem".into(),
            certificate: None,
            key: None,
            socket: "/run/nearmiss/agent.sock".into(),
            run_as: "nearmiss-agent".to_owned(),
            workers: 8,
            timeout_ms: 30,
            hot_elements: 2048,
            hot_seconds: 60,
        }
    }
}

fn bounded<'de, D: Deserializer<'de>>(from: D, least: u64, most: u64) -> Result<u64, D::Error> {
    let number = u64::deserialize(from)?;
    let is_inside = (least..=most).contains(&number);
    if is_inside { Ok(number) } else { Err(de::Error::custom(format!("must be {least} to {most}"))) }
}

fn workers<'de, D: Deserializer<'de>>(from: D) -> Result<usize, D::Error> {
    bounded(from, 1, 64).map(|number| usize::try_from(number).unwrap_or(1))
}

fn timeout<'de, D: Deserializer<'de>>(from: D) -> Result<u64, D::Error> {
    bounded(from, 5, 40)
}

fn hot_elements<'de, D: Deserializer<'de>>(from: D) -> Result<usize, D::Error> {
    bounded(from, 0, 1 << 16).map(|number| usize::try_from(number).unwrap_or(0))
}

fn hot_seconds<'de, D: Deserializer<'de>>(from: D) -> Result<u64, D::Error> {
    bounded(from, 1, 3600)
}

/// A configuration that cannot be used: the file and the reason.
#[derive(Debug)]
pub enum ConfigError {
    /// A file cannot be read.
    Read {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The text is invalid.
    Text {
        /// The file.
        path: PathBuf,
        /// The position and the error, with the line.
        message: String,
    },
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ConfigError::Read { path, source } => write!(f, "{}: {}", path.display(), system_reason(source)),
            ConfigError::Text { path, message } => write!(f, "{}: {message}", path.display()),
        }
    }
}

impl Error for ConfigError {}

impl Keyed for ConfigError {
    fn key(&self) -> MessageKey {
        match self {
            ConfigError::Read { source, .. } => source.key(),
            ConfigError::Text { .. } => keys::CONFIGURATION_MISTAKE,
        }
    }
}

impl From<ConfigError> for Failure {
    fn from(error: ConfigError) -> Failure {
        Failure::plain(&error, error.to_string())
    }
}

impl Config {
    /// Reads the configuration. Files that it names without a leading `/` are relative to its folder.
    ///
    /// # Errors
    /// [`ConfigError`].
    pub fn load(path: &Path) -> Result<Config, ConfigError> {
        let bytes = read(path)?;
        let text = |message: String| ConfigError::Text { path: path.to_owned(), message };
        let written = str::from_utf8(&bytes).map_err(|_| text("is not UTF-8 text".to_owned()))?;
        let mut config = Config::parse(written).map_err(text)?;
        let folder = path.parent().unwrap_or(Path::new("/"));
        let Config { password_file, ca, certificate, key, .. } = &mut config;
        for file in [password_file, certificate, key].into_iter().flatten().chain([ca]) {
            *file = folder.join(&file);
        }
        Ok(config)
    }

    /// The configuration in this text.
    ///
    /// # Errors
    /// The position and the error, with the line.
    pub fn parse(text: &str) -> Result<Config, String> {
        let config: Config = toml::from_str(text).map_err(|error| mistake(text, &error))?;
        if config.nodes.is_empty() {
            return Err("nodes must name at least one node".to_owned());
        }
        if config.certificate.is_some() != config.key.is_some() {
            return Err("certificate and key must be given together".to_owned());
        }
        Ok(config)
    }
}

/// A mistake on one line, in the form of errors and log lines.
fn mistake(text: &str, error: &toml::de::Error) -> String {
    let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
    let line = before.bytes().filter(|byte| *byte == b'\n').count().saturating_add(1);
    format!("line {line}: {}", error.message())
}

/// Reads a whole file.
///
/// # Errors
/// [`ConfigError::Read`]: missing, not readable, or larger than 1 MiB.
pub fn read(path: &Path) -> Result<Zeroizing<Vec<u8>>, ConfigError> {
    let failed = |source| ConfigError::Read { path: path.to_owned(), source };
    let mut bytes = Zeroizing::new(Vec::new());
    let file = fs::File::open(path).map_err(failed)?;
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(failed(io::ErrorKind::FileTooLarge.into()));
    }
    Ok(bytes)
}

/// The password in a file: its first line.
///
/// # Errors
/// [`ConfigError`].
pub fn read_password(path: &Path) -> Result<Zeroizing<String>, ConfigError> {
    let bytes = read(path)?;
    let line = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let text = str::from_utf8(line).ok().filter(|line| !line.is_empty());
    let message = || "contains no password on its first line".to_owned();
    text.map(|line| Zeroizing::new(line.to_owned()))
        .ok_or_else(|| ConfigError::Text { path: path.to_owned(), message: message() })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The keys without a default.
    const OPTIONAL: [&str; 3] = ["password_file", "certificate", "key"];

    /// The text that the packages ship, every value being the default.
    #[test]
    fn the_documented_file_is_the_default() {
        let text = include_str!("../../../packaging/fleet/agent.toml");
        assert_eq!(Config::parse(text).unwrap(), Config::default());
        let is_value = |rest: &&str| !rest.starts_with([' ', '#']);
        let values = |optional: bool| -> String {
            let lines = text.lines().filter_map(|line| line.strip_prefix('#').filter(is_value));
            let kept = lines.filter(|line| optional || !OPTIONAL.iter().any(|key| line.starts_with(key)));
            kept.flat_map(|line| [line, "\n"]).collect()
        };
        assert_eq!(Config::parse(&values(false)).unwrap(), Config::default());
        // Every key is present.
        assert_eq!(values(true).lines().count(), 14);
        let full = Config::parse(&values(true)).unwrap();
        assert!(full.password_file.is_some() && full.certificate.is_some() && full.key.is_some());
    }

    #[test]
    fn what_is_wrong_is_refused_with_its_line() {
        for (text, line, says) in [
            ("tls = true\nnode = []\n", "line 2", "unknown field `node`"),
            ("\n\nworkers = 0\n", "line 3", "must be 1 to 64"),
            ("timeout_ms = 45\n", "line 1", "must be 5 to 40"),
            ("hot_seconds = \"1\"\n", "line 1", "invalid type: string"),
            ("\nnodes = [\"a:1\", \"b\"]\n", "line 2", "`b` is not HOST:PORT"),
            ("tls = yes\n", "line 1", ""),
        ] {
            let message = Config::parse(text).unwrap_err();
            assert!(message.contains(line) && message.contains(says), "{message}");
        }
        assert!(Config::parse("nodes = []").unwrap_err().contains("at least one"));
        assert!(Config::parse("key = \"k.pem\"").unwrap_err().contains("together"));
    }

    #[test]
    fn a_file_is_read_whole_or_refused() {
        let file = tempfile::NamedTempFile::new().unwrap();
        for (length, is_read) in [(MAX_BYTES, true), (MAX_BYTES + 1, false), (2 * MAX_BYTES, false)] {
            file.as_file().set_len(length).unwrap();
            let bytes = read(file.path()).ok().map(|bytes| bytes.len() as u64);
            assert_eq!(bytes, is_read.then_some(length));
        }
    }

    #[test]
    fn files_lie_beside_the_configuration() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("agent.toml");
        fs::write(&path, "password_file = \"pw\"\ncertificate = \"/c.pem\"\nkey = \"k.pem\"\n").unwrap();
        let config = Config::load(&path).unwrap();
        assert_eq!(config.password_file, Some(folder.path().join("pw")));
        assert_eq!((config.ca, config.certificate), (folder.path().join("ca.pem"), Some("/c.pem".into())));
        assert!(Config::load(&path.with_file_name("none")).unwrap_err().to_string().contains("none"));
        fs::write(folder.path().join("pw"), "secret\nrest\n").unwrap();
        assert_eq!(*read_password(&folder.path().join("pw")).unwrap(), "secret");
        fs::write(folder.path().join("pw"), "\n").unwrap();
        assert!(read_password(&folder.path().join("pw")).is_err());
    }
}
