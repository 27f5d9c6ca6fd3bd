//! One connection to one node: how it is made, and what a failed command means.

use std::{net::IpAddr, time::Duration};

use redis::{
    Client, ClientTlsConfig, Cmd, Connection, ConnectionAddr, ConnectionInfo, ErrorKind, IntoConnectionInfo,
    RedisConnectionInfo, RedisError, ServerErrorKind, TlsCertificates, Value, io::tcp::TcpSettings,
};

use super::slots::Address;
use crate::config::{Config, ConfigError, read, read_password};

/// What a node said instead of a reply, or that it said nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Nothing, or not to be understood; the connection is closed.
    Down(String),
    /// It does not have the functions.
    NoLibrary,
    /// Another node has the slot; where the address could be read, which.
    Moved(Option<Address>),
    /// Another node has this key by now.
    Ask(Address),
    /// The slot is on its way, one of the keys there and another not.
    TryAgain,
    /// It cannot serve at present: loading, a replica, a cluster that is down.
    NotNow(String),
    /// Any other error: rights, or something that is not the store this agent knows.
    Refused(String),
}

impl Fault {
    /// What happened, for the log.
    pub fn words(&self) -> String {
        match self {
            Fault::Down(words) | Fault::NotNow(words) | Fault::Refused(words) => words.clone(),
            Fault::NoLibrary => "the functions cannot be loaded".to_owned(),
            Fault::Moved(_) | Fault::Ask(_) => "the slot moves from node to node".to_owned(),
            Fault::TryAgain => "the slot is on its way to another node".to_owned(),
        }
    }
}

/// How connections are made: the same for all nodes.
pub struct Connector {
    tls: Option<TlsCertificates>,
    settings: RedisConnectionInfo,
    timeout: Duration,
}

impl Connector {
    /// As the configuration says; password and certificates are read now.
    ///
    /// # Errors
    /// [`ConfigError`].
    pub fn new(config: &Config) -> Result<Connector, ConfigError> {
        let password = config.password_file.as_deref().map(read_password).transpose()?;
        let password = password.as_ref().map(|password| password.as_str());
        Connector::of(config, &config.user, password, Duration::from_millis(config.timeout_ms))
    }

    /// The same for another user of the store, with another patience.
    ///
    /// # Errors
    /// [`ConfigError`].
    pub fn of(
        config: &Config,
        user: &str,
        password: Option<&str>,
        timeout: Duration,
    ) -> Result<Connector, ConfigError> {
        let mut settings = RedisConnectionInfo::default().set_skip_set_lib_name();
        if let Some(password) = password {
            settings = settings.set_username(user).set_password(password);
        }
        let tls = if config.tls { Some(certificates(config)?) } else { None };
        Ok(Connector { tls, settings, timeout })
    }

    /// A new connection.
    ///
    /// # Errors
    /// [`Fault::Down`]; [`Fault::Refused`] for a password that is wrong, or an address that must not be
    /// spoken to without encryption.
    pub fn connect(&self, node: &Address) -> Result<Connection, Fault> {
        self.client(node).and_then(|client| self.open(&client)).map_err(|error| match fault(&error) {
            Fault::Refused(words) => Fault::Refused(words),
            other => Fault::Down(other.words()),
        })
    }

    fn client(&self, node: &Address) -> Result<Client, RedisError> {
        let Address { host, port } = node.clone();
        let Some(certificates) = &self.tls else {
            if !is_of_this_machine(&host) {
                let words = "without tls nothing but addresses of this machine is spoken to";
                return Err((ErrorKind::InvalidClientConfig, words).into());
            }
            return Client::open(self.info(ConnectionAddr::Tcp(host, port))?);
        };
        let addr = ConnectionAddr::TcpTls { host, port, insecure: false, tls_params: None };
        Client::build_with_tls(self.info(addr)?, certificates.clone())
    }

    fn info(&self, addr: ConnectionAddr) -> Result<ConnectionInfo, RedisError> {
        let tcp = TcpSettings::default().set_nodelay(true);
        let info = addr.into_connection_info()?;
        Ok(info.set_tcp_settings(tcp).set_redis_settings(self.settings.clone()))
    }

    fn open(&self, client: &Client) -> Result<Connection, RedisError> {
        let connection = client.get_connection_with_timeout(self.timeout)?;
        connection.set_read_timeout(Some(self.timeout))?;
        connection.set_write_timeout(Some(self.timeout))?;
        Ok(connection)
    }
}

fn certificates(config: &Config) -> Result<TlsCertificates, ConfigError> {
    let client_tls = match (&config.certificate, &config.key) {
        (Some(certificate), Some(key)) => Some(ClientTlsConfig {
            client_cert: read(certificate)?.to_vec(),
            client_key: read(key)?.to_vec(),
        }),
        _ => None,
    };
    Ok(TlsCertificates { client_tls, root_cert: Some(read(&config.ca)?.to_vec()) })
}

fn is_of_this_machine(host: &str) -> bool {
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// The reply to a command, which is sent after `ASKING` where the node only takes over the slot.
///
/// # Errors
/// [`Fault`]; after [`Fault::Down`] the connection must not be used any more.
pub fn reply(connection: &mut Connection, command: &Cmd, asking: bool) -> Result<Value, Fault> {
    if asking {
        redis::cmd("ASKING").query::<Value>(connection).map_err(|error| fault(&error))?;
    }
    command.query::<Value>(connection).map_err(|error| fault(&error))
}

/// What an error of the crate means.
fn fault(error: &RedisError) -> Fault {
    let words = || error.to_string();
    let target = || error.redirect_node().and_then(|(address, _)| address.parse().ok());
    match error.kind() {
        ErrorKind::Server(ServerErrorKind::Moved) => Fault::Moved(target()),
        ErrorKind::Server(ServerErrorKind::Ask) => {
            target().map_or_else(|| Fault::Refused(words()), Fault::Ask)
        }
        ErrorKind::Server(ServerErrorKind::TryAgain) => Fault::TryAgain,
        ErrorKind::Server(
            ServerErrorKind::BusyLoading
            | ServerErrorKind::ClusterDown
            | ServerErrorKind::MasterDown
            | ServerErrorKind::ReadOnly,
        ) => Fault::NotNow(words()),
        ErrorKind::Server(_) if words().contains("Function not found") => Fault::NoLibrary,
        ErrorKind::Server(_) | ErrorKind::InvalidClientConfig | ErrorKind::AuthenticationFailed => {
            Fault::Refused(words())
        }
        // A server's error with a code of its own.
        _ if error.code().is_some() => Fault::Refused(words()),
        _ => Fault::Down(words()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(code: &str, detail: &str) -> Fault {
        fault(&redis::make_extension_error(code.to_owned(), Some(detail.to_owned())))
    }

    #[test]
    fn whoever_replies_is_not_down() {
        assert!(matches!(of("WRONGPASS", "invalid"), Fault::Refused(_)));
        let io = RedisError::from(std::io::Error::from(std::io::ErrorKind::TimedOut));
        assert!(matches!(fault(&io), Fault::Down(_)));
        let parse: RedisError = (ErrorKind::Parse, "not a reply").into();
        assert!(matches!(fault(&parse), Fault::Down(_)));
    }

    #[test]
    fn without_encryption_nothing_leaves_the_machine() {
        let connector = Connector::new(&Config { tls: false, ..Config::default() }).unwrap();
        for host in ["192.0.2.1", "example.org", "2001:db8::1", "127.0.0.1.example.org"] {
            let node = Address { host: host.to_owned(), port: 6379 };
            assert!(matches!(connector.connect(&node), Err(Fault::Refused(_))), "{host}");
        }
        assert!(is_of_this_machine("127.0.0.9") && is_of_this_machine("::1"));
    }

    #[test]
    fn certificates_that_are_not_there_are_named() {
        let config = Config { ca: "/nonexistent/ca.pem".into(), ..Config::default() };
        assert!(Connector::new(&config).err().unwrap().to_string().contains("/nonexistent/ca.pem"));
    }
}
