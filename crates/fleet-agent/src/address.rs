//! Addresses of nodes.

use std::{fmt, path::Path, str::FromStr};

use serde::Deserialize;

/// The address of a node: a host and its port, or the path of a UNIX socket.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize)]
#[serde(try_from = "String")]
pub struct Address {
    /// A name or an address, an IPv6 one without brackets; or a path.
    pub host: String,
    /// The port; 0 for a path.
    pub port: u16,
}

impl FromStr for Address {
    type Err = String;

    fn from_str(text: &str) -> Result<Address, String> {
        let wrong = || format!("`{text}` is not HOST:PORT");
        if text.starts_with('/') {
            return Ok(Address { host: text.to_owned(), port: 0 });
        }
        let (host, port) = text.rsplit_once(':').ok_or_else(wrong)?;
        let inner = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
        let host = inner.unwrap_or(host);
        let port = port.parse().ok().filter(|port| *port > 0).ok_or_else(wrong)?;
        let is_legal = !host.is_empty() && host.len() <= 255 && !host.contains(['[', ']', ' ']);
        if is_legal { Ok(Address { host: host.to_owned(), port }) } else { Err(wrong()) }
    }
}

impl Address {
    /// The path of its socket, if it is reached by one.
    pub fn path(&self) -> Option<&Path> {
        Some(Path::new(&self.host)).filter(|path| path.is_absolute())
    }
}

impl TryFrom<String> for Address {
    type Error = String;

    fn try_from(text: String) -> Result<Address, String> {
        text.parse()
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Address { host, port } = self;
        if self.path().is_some() {
            return f.write_str(host);
        }
        if host.contains(':') { write!(f, "[{host}]:{port}") } else { write!(f, "{host}:{port}") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Address {
        text.parse().unwrap()
    }

    #[test]
    fn addresses_are_read_and_written_alike() {
        for text in ["127.0.0.1:6379", "[2001:db8::1]:7000", "redis-1.example:1", "/run/redis/redis.sock"] {
            assert_eq!(at(text).to_string(), text);
        }
        for text in ["", ":1", "a", "a:", "a:0", "a:65536", "[::1]", "a b:1"] {
            assert!(text.parse::<Address>().is_err(), "{text}");
        }
    }
}
