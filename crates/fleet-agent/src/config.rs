//! `agent.toml`: the address of the store and the way to connect to it. Every value has a default; unknown
//! keys and invalid values are refused with their line.

use std::{
    error::Error,
    fmt, fs,
    io::{self, Read},
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

use nearmiss_cli::{
    failure::Failure,
    keys::{self, Keyed, MessageKey},
    shell,
};
use nearmiss_filters::{
    storage::{Act, StorageError},
    text::system_reason,
};
use serde::{Deserialize, Deserializer, de};
use zeroize::Zeroizing;

use crate::address::Address;

/// The path of the configuration when no other is named.
pub const DEFAULT_PATH: &str = "/etc/nearmiss-agent/agent.toml";
/// The configuration with every default, as the packages install it a second time.
pub const EXAMPLE: &str = "/usr/share/doc/nearmiss-agent/examples/agent.toml";
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
    /// There is no configuration yet.
    Missing {
        /// Its path.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// Others can read or write a secret.
    Open(StorageError),
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
            ConfigError::Missing { path, source } => {
                write!(
                    f,
                    "{}: {}; copy the example (cp {EXAMPLE} {}) and name the store's nodes in it",
                    path.display(),
                    system_reason(source),
                    shell::quoted(path)
                )
            }
            ConfigError::Open(error) => error.fmt(f),
            ConfigError::Text { path, message } => write!(f, "{}: {message}", path.display()),
        }
    }
}

impl Error for ConfigError {}

impl ConfigError {
    /// The same for the configuration, of which there is an example.
    fn or_none_yet(self, path: &Path) -> ConfigError {
        match self {
            ConfigError::Read { source, .. } if source.kind() == io::ErrorKind::NotFound => {
                ConfigError::Missing { path: path.to_owned(), source }
            }
            other => other,
        }
    }
}

impl Keyed for ConfigError {
    fn key(&self) -> MessageKey {
        match self {
            ConfigError::Read { source, .. } | ConfigError::Missing { source, .. } => source.key(),
            ConfigError::Open(error) => error.key(),
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
        let bytes = read(path).map_err(|error| error.or_none_yet(path))?;
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
    format!("line {line}: {}", advice(error.message()))
}

/// What to write instead of a value of another type; any other error in the parser's own words.
fn advice(said: &str) -> &str {
    let expected = said.strip_prefix("invalid type").and_then(|said| said.rsplit_once("expected "));
    match expected.map(|(_, expected)| expected) {
        Some("u64") => "write a whole number, without quotes",
        Some("a boolean") => "write true or false, without quotes",
        Some("a string" | "path string") => "write text, in quotes",
        Some("a sequence") => "write a list: texts in quotes, between [ and ]",
        _ => said,
    }
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

/// Checks that users other than the owner and the group of a secret cannot read it, and that only the owner
/// can write it. Who can read the store's password can act as the agent.
///
/// # Errors
/// [`ConfigError`].
pub fn check_secret(path: &Path) -> Result<(), ConfigError> {
    check_writers(path)?;
    let may_read = mode(path)? & 0o004 != 0;
    if may_read { Err(ConfigError::Open(StorageError::rule(path, Act::OthersMayRead))) } else { Ok(()) }
}

/// Checks that only the owner of a file can write it. Who writes the configuration names the nodes that the
/// positions are sent to.
///
/// # Errors
/// [`ConfigError`].
pub fn check_writers(path: &Path) -> Result<(), ConfigError> {
    let may_write = mode(path)? & 0o022 != 0;
    if may_write { Err(ConfigError::Open(StorageError::rule(path, Act::OthersMayWrite))) } else { Ok(()) }
}

fn mode(path: &Path) -> Result<u32, ConfigError> {
    let failed = |source| ConfigError::Read { path: path.to_owned(), source };
    fs::metadata(path).map(|file| file.mode()).map_err(failed)
}

/// The password in a file: its first line.
///
/// # Errors
/// [`ConfigError`].
pub fn read_password(path: &Path) -> Result<Zeroizing<String>, ConfigError> {
    let bytes = read(path)?;
    let line = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
    // An editor of Windows ends lines so, and no password.
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let text = str::from_utf8(line).ok().filter(|line| !line.is_empty());
    let message = || "contains no password on its first line".to_owned();
    text.map(|line| Zeroizing::new(line.to_owned()))
        .ok_or_else(|| ConfigError::Text { path: path.to_owned(), message: message() })
}

#[cfg(test)]
mod tests;
