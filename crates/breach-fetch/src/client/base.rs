//! The URL from which ranges are requested.

use std::net::IpAddr;

use reqwest::Url;

/// The URL of a server.
#[derive(Clone, Debug)]
pub(crate) struct Base {
    text: String,
    host: String,
    redirect_port: Option<u16>,
}

impl Base {
    /// Parses a URL. Without TLS, anyone on the network could remove or add digests: it is only accepted for
    /// a server on this machine, or if it is explicitly allowed.
    ///
    /// # Errors
    /// The URL is invalid, or must not be used: in words.
    pub(crate) fn new(text: &str, allows_http: bool) -> Result<Base, String> {
        let url = Url::parse(text).map_err(|e| format!("'{text}' is not a URL: {e}"))?;
        let host = url.host_str().ok_or_else(|| format!("'{text}' names no server"))?.to_owned();
        if !url.username().is_empty() || url.password().is_some() {
            return Err("any user of this machine could read the password in the URL; remove it".to_owned());
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err(format!("'{text}': remove the part from '?' or '#' on"));
        }
        match url.scheme() {
            "https" => {}
            "http" if allows_http || is_loopback(&host) => {}
            "http" => {
                return Err(format!(
                    "'{text}': without https, anyone on the network can change the digests; use https, or \
                     --insecure-http"
                ));
            }
            other => return Err(format!("'{text}': the scheme '{other}' is not supported; use https")),
        }
        // From http without a port, https on its own.
        let is_plain = url.scheme() == "http" && url.port().is_none();
        let redirect_port = if is_plain { Some(443) } else { url.port_or_known_default() };
        Ok(Base { redirect_port, text: url.as_str().trim_end_matches('/').to_owned(), host })
    }

    /// The URL as text.
    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    /// The name of the server.
    pub(super) fn host(&self) -> &str {
        &self.host
    }

    /// The port that a redirect may lead to.
    pub(super) fn redirect_port(&self) -> Option<u16> {
        self.redirect_port
    }
}

fn is_loopback(host: &str) -> bool {
    let number = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    host == "localhost" || number.is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_redirect_stays_on_the_port_or_goes_from_http_to_https() {
        for (text, port) in [
            ("https://a.example", 443),
            ("https://a.example:8443/x", 8443),
            ("http://localhost", 443),
            ("http://localhost:8080", 8080),
        ] {
            assert_eq!(Base::new(text, false).unwrap().redirect_port(), Some(port), "{text}");
        }
    }

    #[test]
    fn https_is_asked_and_http_only_here_or_by_name() {
        for text in ["https://a.example", "https://a.example/", "https://a.example:8443/x/"] {
            let base = Base::new(text, false).unwrap();
            assert_eq!(base.as_str(), text.trim_end_matches('/'));
        }
        for text in ["http://localhost:1", "http://127.0.0.1:1", "http://127.9.9.9", "http://[::1]:80"] {
            assert!(Base::new(text, false).is_ok(), "{text}");
        }
        for text in ["http://a.example", "http://10.0.0.1", "http://localhost.example"] {
            assert!(Base::new(text, false).unwrap_err().contains("--insecure-http"), "{text}");
            assert!(Base::new(text, true).is_ok(), "{text}");
        }
        for text in [
            "",
            "a.example",
            "ftp://a.example",
            "file:///etc",
            "https://u:p@a.example",
            "https://u@a.example",
            "https://a.example/?x",
            "https://a.example/#x",
        ] {
            assert!(Base::new(text, true).is_err(), "{text}");
        }
    }
}
