//! The URLs that a line of options for nearmiss-fetch may have: of a server, and of a proxy.

use std::net::Ipv6Addr;

/// True for a text without characters that systemd would interpret, and without a name and password (`@`).
pub(super) fn is_plain(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~:/[]".contains(&byte))
}

/// The URL of a server: nearmiss-fetch uses http on this host only.
///
/// # Errors
/// It is none, in words.
pub(super) fn server(text: &str) -> Result<String, String> {
    let is_server = match scheme_and_host(text) {
        Some(("https", _)) => true,
        Some(("http", host)) => ["127.0.0.1", "[::1]", "localhost"].contains(&host),
        _ => false,
    };
    let refused = "expected a URL that begins with https:// and the name or address of a server, or with \
                   http:// and this host's name or address, and contains only letters, digits and \
                   - . _ ~ : / [ ]";
    if is_server { Ok(text.to_owned()) } else { Err(refused.to_owned()) }
}

/// The URL of a proxy.
///
/// # Errors
/// It is none, in words.
pub(super) fn proxy(text: &str) -> Result<String, String> {
    let is_proxy = matches!(scheme_and_host(text), Some(("http" | "https", _)));
    let refused = "expected a URL that begins with http:// or https:// and the name or address of a proxy, \
                   and contains only letters, digits and - . _ ~ : / [ ]";
    if is_proxy { Ok(text.to_owned()) } else { Err(refused.to_owned()) }
}

/// The scheme and the host of a plain URL; an address of version 6 has its brackets.
fn scheme_and_host(text: &str) -> Option<(&str, &str)> {
    let (scheme, rest) = text.split_once("://").filter(|_| is_plain(text))?;
    let authority = rest.split('/').next()?;
    let host = match authority.rsplit_once(':') {
        Some((host, port)) if !authority.ends_with(']') => {
            port.parse::<u16>().ok().filter(|&port| port > 0).map(|_| host)
        }
        _ => Some(authority),
    }?;
    is_host(host).then_some((scheme, host))
}

/// True for an address of version 6 in brackets, and for what may be a name or an address of version 4.
fn is_host(text: &str) -> bool {
    match text.strip_prefix('[').and_then(|inner| inner.strip_suffix(']')) {
        Some(address) => address.parse::<Ipv6Addr>().is_ok(),
        None => text.bytes().any(|byte| byte.is_ascii_alphanumeric()) && !text.contains(['[', ']', ':', '~']),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_named_and_brings_no_other_options() {
        for good in [
            "https://mirror.example/pwned",
            "https://[::1]:8443/a_b~c",
            "https://192.0.2.1:443",
            "http://127.0.0.1",
            "http://[::1]:80/a",
            "http://localhost/a",
        ] {
            assert!(server(good).is_ok(), "{good}");
        }
        for bad in [
            "http://a",
            "http://127.0.0.1.example",
            "http://localhost.example",
            "https://a b",
            "https://a\"",
            "https://a$b",
            "https://a%20",
            "https://a\n",
            "https://name:pw@a",
            "https://",
            "https:///pwned",
            "https://:443",
            "https://a:https",
            "https://a:0",
            "https://a:70000",
            "https://..",
            "https://[::1",
            "https://[a]",
            "https://::1",
            "ftp://a",
            "-x",
        ] {
            assert!(server(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn a_proxy_is_named_and_has_no_password() {
        assert!(proxy("http://proxy.example:3128").is_ok() && proxy("https://[::1]:1").is_ok());
        for bad in
            ["proxy.example:3128", "http://name:pw@proxy", "http://a b", "socks5://a", "http://", "http://:1"]
        {
            assert!(proxy(bad).is_err(), "{bad}");
        }
    }
}
