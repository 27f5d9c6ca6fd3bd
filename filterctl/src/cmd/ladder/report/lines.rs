//! The lines of the system log that name an address that guesses often.
//!
//! A user can make another program log the same words, in a user name for instance; only the module's own
//! message is parsed here, and nothing before or after it.

use std::{collections::HashMap, net::IpAddr};

use serde::Serialize;

const START: &str = "pam_nearmiss(";
const AFTER_SERVICE: &str = ":auth): guess from ";
const BEFORE_WEIGHT: &str = " weight ";
const END: &str = ": a password that is guessed often here";

/// The total weight of the guesses of an address or a network.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(super) struct GuessSource {
    pub(super) name: String,
    pub(super) weight: u64,
    pub(super) guesses: u64,
}

/// Weight and number of guesses by address.
#[derive(Default)]
pub(super) struct Sources {
    by_address: HashMap<IpAddr, (u64, u64)>,
}

impl Sources {
    /// Counts a line of the log, if it is one of the module's.
    pub(super) fn add(&mut self, line: &[u8]) {
        if let Some((address, weight)) = std::str::from_utf8(line).ok().and_then(guess) {
            add(self.by_address.entry(address.to_canonical()).or_default(), (weight, 1));
        }
    }

    /// The addresses with most weight.
    pub(super) fn addresses(&self, most: usize) -> Vec<GuessSource> {
        heaviest(self.by_address.iter().map(|(address, sums)| (address.to_string(), *sums)).collect(), most)
    }

    /// The networks with most weight: of 24 bits in IPv4 and 48 in IPv6.
    pub(super) fn networks(&self, most: usize) -> Vec<GuessSource> {
        let mut by_network: HashMap<String, (u64, u64)> = HashMap::new();
        for (address, sums) in &self.by_address {
            add(by_network.entry(network(*address)).or_default(), *sums);
        }
        heaviest(by_network, most)
    }
}

fn add(sums: &mut (u64, u64), (weight, guesses): (u64, u64)) {
    *sums = (sums.0.saturating_add(weight), sums.1.saturating_add(guesses));
}

fn heaviest(sums: HashMap<String, (u64, u64)>, most: usize) -> Vec<GuessSource> {
    let mut sources: Vec<GuessSource> =
        sums.into_iter().map(|(name, (weight, guesses))| GuessSource { name, weight, guesses }).collect();
    sources.sort_unstable_by(|a, b| b.weight.cmp(&a.weight).then_with(|| a.name.cmp(&b.name)));
    sources.truncate(most);
    sources
}

fn network(address: IpAddr) -> String {
    match address {
        IpAddr::V4(address) => {
            let [a, b, c, _] = address.octets();
            format!("{a}.{b}.{c}.0/24")
        }
        IpAddr::V6(address) => {
            let [a, b, c, ..] = address.segments();
            format!("{}/48", std::net::Ipv6Addr::new(a, b, c, 0, 0, 0, 0, 0))
        }
    }
}

/// The address and the weight of a line that is the module's from its name to its end.
fn guess(line: &str) -> Option<(IpAddr, u64)> {
    let (before, message) = line.split_at(line.find(START)?);
    // A time stamp, the host and the program, which end at the line's first colon with a space; or nothing.
    let is_prefix =
        before.is_empty() || before.find(": ").is_some_and(|at| before.len() == at.saturating_add(2));
    let (service, rest) = message.strip_prefix(START)?.split_once(AFTER_SERVICE)?;
    let is_service = service.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-./".contains(&byte));
    let (address, weight) = rest.strip_suffix(END)?.split_once(BEFORE_WEIGHT)?;
    (is_prefix && is_service).then_some((address.parse().ok()?, weight.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MESSAGE: &str = "guess from 203.0.113.7 weight 5: a password that is guessed often here";

    #[test]
    fn the_modules_own_lines_are_read() {
        let found = Some(("203.0.113.7".parse().unwrap(), 5));
        for prefix in [
            "Nov 22 02:49:01 host sshd[123]: pam_nearmiss(sshd:auth): ",
            "2026-11-22T02:49:01.123456+00:00 host sshd-session[1]: pam_nearmiss(sshd:auth): ",
            "Nov 22 02:49:01 host dovecot: pam_nearmiss(dovecot:auth): ",
            "pam_nearmiss(sshd:auth): ",
        ] {
            assert_eq!(guess(&format!("{prefix}{MESSAGE}")), found, "{prefix}");
        }
        let v6 =
            "pam_nearmiss(sshd:auth): guess from 2001:db8::7 weight 5: a password that is guessed often here";
        assert_eq!(guess(v6), Some(("2001:db8::7".parse().unwrap(), 5)));
    }

    #[test]
    fn what_a_client_wrote_is_not() {
        let at = "Nov 22 02:49:01 host sshd[1]";
        for line in [
            format!("{at}: Invalid user pam_nearmiss(sshd:auth): {MESSAGE} from 192.0.2.1"),
            format!("{at}: Invalid user : pam_nearmiss(sshd:auth): {MESSAGE}"),
            format!("{at}: pam_unix(sshd:auth): failure; user=: pam_nearmiss(sshd:auth): {MESSAGE}"),
            format!("{at}: pam_unix(sshd:auth): {MESSAGE}"),
            format!("{at}: pam_nearmiss(a b:auth): {MESSAGE}"),
            "host sshd[1]: pam_nearmiss(sshd:auth): guess from no address weight 5: a password that is \
             guessed often here"
                .to_owned(),
            "host sshd[1]: pam_nearmiss(sshd:auth): a failed login is counted".to_owned(),
        ] {
            assert_eq!(guess(&line), None, "{line}");
        }
    }

    #[test]
    fn the_heaviest_come_first() {
        let mut sources = Sources::default();
        for (address, times) in
            [("203.0.113.7", 2), ("203.0.113.9", 2), ("198.51.100.1", 3), ("2001:db8::1", 1)]
        {
            for _ in 0..times {
                let line = format!("pam_nearmiss(sshd:auth): guess from {address} weight 5{END}");
                sources.add(line.as_bytes());
            }
        }
        sources.add(b"\xff");
        let named = |sources: Vec<GuessSource>| -> Vec<(String, u64)> {
            sources.into_iter().map(|source| (source.name, source.weight)).collect()
        };
        let expected =
            [("198.51.100.1", 15), ("203.0.113.7", 10)].map(|(name, weight)| (name.to_owned(), weight));
        assert_eq!(named(sources.addresses(2)), expected);
        let expected = [("203.0.113.0/24", 20), ("198.51.100.0/24", 15), ("2001:db8::/48", 5)];
        assert_eq!(named(sources.networks(9)), expected.map(|(name, weight)| (name.to_owned(), weight)));
    }
}
