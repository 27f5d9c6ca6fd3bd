//! The addresses that guess often, summed over the lines of the system log (`form`).

use std::{collections::HashMap, net::IpAddr};

use serde::Serialize;

use super::form::{Guess, Line, read};

/// The total weight of the guesses of an address or a network.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(super) struct GuessSource {
    pub(super) name: String,
    pub(super) weight: u64,
    pub(super) guesses: u64,
}

/// Weight and number of guesses by address, and the lines that cannot be read.
#[derive(Default)]
pub(super) struct Sources {
    by_address: HashMap<IpAddr, (u64, u64)>,
    /// The guess of the last line, which the next one may repeat.
    before: Option<Guess>,
    lines: u64,
    unread: Option<Unread>,
}

/// Lines of the module whose form is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Unread {
    pub(super) lines: u64,
    /// The number of the first one, from 1.
    pub(super) first: u64,
}

impl Sources {
    /// Counts a line of the log, if it is one of the module's.
    pub(super) fn add(&mut self, line: &[u8]) {
        self.lines = self.lines.saturating_add(1);
        let (guess, times) = match read(line) {
            Line::Guess(guess, times) => (Some(guess), times),
            Line::Again(times) => (self.before, times),
            Line::Other => (None, 0),
            Line::Unread => {
                let unread = self.unread.get_or_insert(Unread { lines: 0, first: self.lines });
                unread.lines = unread.lines.saturating_add(1);
                (None, 0)
            }
        };
        self.before = guess;
        if let Some(Guess { address, weight }) = guess {
            let weight = weight.saturating_mul(times);
            add(self.by_address.entry(address.to_canonical()).or_default(), (weight, times));
        }
    }

    /// The lines that cannot be read.
    pub(super) const fn unread(&self) -> Option<Unread> {
        self.unread
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

#[cfg(test)]
mod tests {
    use super::*;

    const END: &str = ": a password that is guessed often here";

    /// A line that is repeated stands for as many guesses as it says.
    #[test]
    fn a_line_that_was_repeated_counts_as_often() {
        let at = "Nov 22 02:49:01 host sshd[1]: ";
        let message = format!("pam_nearmiss(sshd:auth): guess from 203.0.113.7 weight 5{END}");
        let sum = |lines: &[&str]| {
            let mut sources = Sources::default();
            for line in lines {
                sources.add(line.as_bytes());
            }
            assert_eq!(sources.unread(), None);
            sources.addresses(1).first().map_or((0, 0), |source| (source.guesses, source.weight))
        };
        let guess = format!("{at}{message}");
        let again = "Nov 22 02:49:01 host last message repeated 40 times";
        assert_eq!(sum(&[&guess, again]), (41, 205));
        assert_eq!(sum(&[&guess, again, again]), (81, 405));
        assert_eq!(sum(&[&guess, &format!("{at}another"), again]), (1, 5), "another one is repeated");
        assert_eq!(sum(&[again]), (0, 0));
        assert_eq!(sum(&[&format!("{at}message repeated 40 times: [ {message}]")]), (40, 200));
        let suppressed = format!(
            "Nov 22 02:49:01 host syslog-ng[9]: Last message '{message:.20}' repeated 3 times, \
                                  suppressed by syslog-ng on host"
        );
        assert_eq!(sum(&[&guess, &suppressed]), (4, 20));
    }

    #[test]
    fn lines_that_cannot_be_read_are_counted_from_the_first() {
        let mut sources = Sources::default();
        let verbose = format!("    MESSAGE=pam_nearmiss(sshd:auth): guess from 203.0.113.7 weight 5{END}");
        for line in ["", "a line", &verbose, "", &verbose] {
            sources.add(line.as_bytes());
        }
        assert_eq!(sources.unread(), Some(Unread { lines: 2, first: 3 }));
        assert!(sources.addresses(9).is_empty());
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
