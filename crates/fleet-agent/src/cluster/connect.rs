//! Connecting to a node.

use std::{
    net::IpAddr,
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use rustix::{
    fs::{lstat, stat},
    io::Errno,
    process::geteuid,
};
use rustls::{
    ClientConfig, RootCertStore,
    crypto::ring,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
};
use zeroize::Zeroizing;

use super::{connection::Connection, fault::Fault, names::HostNames};
use crate::address::Address;
use crate::config::{Config, ConfigError, read, read_password};
use crate::functions::{self, Held};

/// The write permissions of group and others.
const OTHERS_WRITE: u32 = 0o022;
/// The permission bit of a folder whose entries only their owners may rename.
const STICKY: u32 = 0o1000;

/// The parameters of connections, the same for all nodes.
pub struct Connector {
    tls: Option<Arc<ClientConfig>>,
    user: String,
    password: Option<Zeroizing<String>>,
    timeout: Duration,
    names: HostNames,
    /// True if a node that lacks the functions is refused.
    checks_functions: bool,
}

impl Connector {
    /// Created from the configuration; password and certificates are read now.
    ///
    /// # Errors
    /// [`ConfigError`].
    pub fn new(config: &Config) -> Result<Connector, ConfigError> {
        let password = config.password_file.as_deref().map(read_password).transpose()?;
        let password = password.as_ref().map(|password| password.as_str());
        let timeout = Duration::from_millis(config.timeout_ms);
        let connector = Connector::of(config, &config.user, password, timeout)?;
        Ok(Connector { checks_functions: true, ..connector })
    }

    /// The same for another user of the store, with another timeout; nodes may lack functions.
    ///
    /// # Errors
    /// [`ConfigError`].
    pub fn of(
        config: &Config,
        user: &str,
        password: Option<&str>,
        timeout: Duration,
    ) -> Result<Connector, ConfigError> {
        let tls = if config.tls { Some(Arc::new(encryption(config)?)) } else { None };
        let password = password.map(|password| Zeroizing::new(password.to_owned()));
        Ok(Connector {
            tls,
            user: user.to_owned(),
            password,
            timeout,
            names: HostNames::new(),
            checks_functions: false,
        })
    }

    /// The deadline of the reply to a command that is sent now, at most `end`.
    pub fn until(&self, end: Instant) -> Instant {
        in_time(self.timeout, end)
    }

    /// Checks that the agent may connect to a node. While a store is down, any user of this machine can
    /// listen on its port, but not in the folder of its socket: without encryption, a password is only sent
    /// through a UNIX socket.
    ///
    /// # Errors
    /// [`Fault::Refused`]; [`Fault::Unreachable`] for the folder of a socket that cannot be examined.
    pub(crate) fn check_way(&self, node: &Address) -> Result<(), Fault> {
        let refused = |words: &str| Err(Fault::Refused(words.to_owned()));
        match (node.path(), &self.tls) {
            (Some(path), _) => check_folder(path),
            (None, None) if !is_of_this_machine(&node.host) => {
                refused("without tls, only addresses of this machine are allowed; set tls")
            }
            (None, None) if self.password.is_some() => refused(
                "without tls, a password is only sent through a UNIX socket: name its path in nodes, or set \
                 tls",
            ),
            (None, _) => Ok(()),
        }
    }

    /// A new connection, authenticated, before `end`.
    ///
    /// # Errors
    /// [`Fault::Unreachable`]; [`Fault::Late`]; [`Fault::Refused`] for a password that is wrong, or an
    /// address that requires encryption; [`Fault::NoFunctions`]; [`Fault::OtherFunctions`].
    pub fn connect(&self, node: &Address, end: Instant) -> Result<Connection, Fault> {
        self.connect_within(node, end, self.timeout)
    }

    /// The same, with this timeout for each step.
    ///
    /// # Errors
    /// As [`Connector::connect`].
    pub(super) fn connect_within(
        &self,
        node: &Address,
        end: Instant,
        timeout: Duration,
    ) -> Result<Connection, Fault> {
        self.check_way(node)?;
        let until = || in_time(timeout, end);
        let end = until();
        let mut connection = match node.path() {
            Some(path) => Connection::open_local(node, path, end)?,
            None => Connection::open(node, &self.names.addresses(node, end)?, self.tls.as_ref(), end)?,
        };
        if let Some(password) = &self.password {
            let mut command = redis::cmd("AUTH");
            command.arg(&self.user).arg(password.as_str());
            connection.round_trip(&[&command], until())?.into_iter().try_for_each(|reply| reply.map(drop))?;
        }
        if self.checks_functions {
            check_functions(&mut connection, until())?;
        }
        Ok(connection)
    }
}

/// This time from now, at most `end`.
fn in_time(timeout: Duration, end: Instant) -> Instant {
    Instant::now().checked_add(timeout).map_or(end, |own| own.min(end))
}

/// Checks the functions of a node, since its replies depend on them.
fn check_functions(connection: &mut Connection, end: Instant) -> Result<(), Fault> {
    let replies = connection.round_trip(&[&functions::list()], end)?;
    match functions::held(&replies.into_iter().next().unwrap_or(Err(Fault::Timeout))?) {
        Held::Same => Ok(()),
        Held::Missing => Err(Fault::NoFunctions),
        Held::Different => Err(Fault::OtherFunctions),
    }
}

/// Checks that only root, this agent's user or the owner of the last folder, to which root gave it for the
/// store, can have created the socket: no other user may write to a folder on the path, or own one. In a
/// sticky folder such as /tmp, others can create a folder of any name: entries in it must be owned by root or
/// the agent.
fn check_folder(path: &Path) -> Result<(), Fault> {
    let of = |error: Errno| Fault::Unreachable(error.to_string());
    let refused = |folder: &Path, words: &str| Err(Fault::Refused(format!("{}: {words}", folder.display())));
    // A link on the path is followed once, here, and its target is examined.
    let last = path.parent().unwrap_or(Path::new("/"));
    let last = last.canonicalize().map_err(|error| Fault::Unreachable(error.to_string()))?;
    let store = stat(&last).map_err(of)?.st_uid;
    let ours = [0, geteuid().as_raw()];
    let is_foreign = |uid: u32| uid != store && !ours.contains(&uid);
    let foreign = "it is owned neither by root, nor by the agent's user, nor by the owner of the socket's \
                   folder";
    let mut within = None;
    for folder in last.ancestors() {
        let found = stat(folder).map_err(of)?;
        let is_passed = found.st_mode & STICKY != 0 && within.is_some_and(|uid| ours.contains(&uid));
        if found.st_mode & OTHERS_WRITE != 0 && !is_passed {
            return refused(folder, "users other than its owner may write to it");
        }
        if is_foreign(found.st_uid) {
            return refused(folder, foreign);
        }
        within = Some(found.st_uid);
    }
    if is_foreign(lstat(path).map_err(of)?.st_uid) { refused(path, foreign) } else { Ok(()) }
}

/// Only certificates signed by the configured authorities are trusted.
fn encryption(config: &Config) -> Result<ClientConfig, ConfigError> {
    let wrong = |path: &Path, message: String| ConfigError::Text { path: path.to_owned(), message };
    let mut roots = RootCertStore::empty();
    for certificate in certificates(&config.ca)? {
        roots.add(certificate).map_err(|error| wrong(&config.ca, error.to_string()))?;
    }
    if roots.is_empty() {
        return Err(wrong(&config.ca, "contains no certificate".to_owned()));
    }
    let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let builder = builder.with_safe_default_protocol_versions();
    let builder =
        builder.map_err(|error| wrong(&config.ca, error.to_string()))?.with_root_certificates(roots);
    let (Some(own), Some(key)) = (&config.certificate, &config.key) else {
        return Ok(builder.with_no_client_auth());
    };
    let secret = PrivateKeyDer::from_pem_slice(&read(key)?).map_err(|error| wrong(key, error.to_string()))?;
    builder.with_client_auth_cert(certificates(own)?, secret).map_err(|error| wrong(own, error.to_string()))
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, ConfigError> {
    let bytes = read(path)?;
    let read: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&bytes).collect();
    read.map_err(|error| ConfigError::Text { path: path.to_owned(), message: error.to_string() })
}

fn is_of_this_machine(host: &str) -> bool {
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests;
