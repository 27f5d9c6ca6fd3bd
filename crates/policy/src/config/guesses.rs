//! `[guesses]`: measures against passwords that attackers are guessing.

use std::{
    net::{IpAddr, Ipv6Addr},
    path::PathBuf,
};

/// The ladder of guessed passwords, fed by failed logins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GuessRules {
    /// The array; its key is that of `[ladder]`.
    pub file: PathBuf,
    /// The file of recent failures and their counters. Not configurable: it is in `/run`, where the packages
    /// prepare a folder for it.
    pub seen: PathBuf,
    /// Whether a guessed password is rejected when a user chooses it.
    pub reject: bool,
    /// The failures that count as repeats.
    pub repeats: Repeats,
    /// The logins that are examined.
    pub from: Origin,
    /// Networks whose failures do not count.
    pub not_from: Vec<Network>,
    /// Days after which a failure is forgotten.
    pub memory_days: u32,
}

/// The file that stores recent failures.
pub const SEEN_FAILURES: &str = "/run/nearmiss/failures";

/// The array of guessed passwords.
pub(super) const DEFAULT_GUESSED: &str = "/var/lib/nearmiss/guessed.ladder";

impl Default for GuessRules {
    fn default() -> GuessRules {
        GuessRules {
            file: DEFAULT_GUESSED.into(),
            seen: SEEN_FAILURES.into(),
            reject: true,
            repeats: Repeats::default(),
            from: Origin::default(),
            not_from: Vec::new(),
            memory_days: 7,
        }
    }
}

/// The failed logins that are repeats of a counted one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Repeats {
    /// Logins with the same password for the same account. A password counts at most once for each account.
    #[default]
    Account,
    /// Logins that also come from the same network: for hosts with few accounts.
    AccountAndNetwork,
}

/// The logins that are examined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Origin {
    /// Logins with a remote host: passwords mistyped at `su`, `sudo` and the console are ignored.
    #[default]
    Remote,
    /// All.
    All,
}

/// A network: the addresses that begin with the same bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Network {
    first: u128,
    mask: u128,
}

/// Bits before an IPv4 address that is written as one of IPv6 (RFC 4291, section 2.5.5.2).
const MAPPED_BITS: u32 = 96;

impl Network {
    /// The network written as `10.0.0.0/8`, `2001:db8::/32` or one address. The bits of the address beyond
    /// the prefix must be zeros: otherwise the author of the line probably meant another network.
    pub fn parse(text: &str) -> Option<Network> {
        let (address, bits) =
            text.split_once('/').map_or((text, None), |(address, bits)| (address, Some(bits)));
        let address: IpAddr = address.parse().ok()?;
        let (most, before) = if address.is_ipv4() { (32, MAPPED_BITS) } else { (128, 0) };
        let bits = bits.map_or(Some(most), |bits| bits.parse().ok().filter(|bits| *bits <= most))?;
        let mask = leading(before.saturating_add(bits));
        let first = number(address);
        (first & !mask == 0).then_some(Network { first, mask })
    }

    /// True if the network contains this address.
    pub fn contains(&self, address: IpAddr) -> bool {
        number(address) & self.mask == self.first
    }
}

/// The network of an address as a number of 128 bits: the first 24 bits of an IPv4 address, the first 48 of
/// an IPv6 address.
pub(crate) fn network_of(address: IpAddr) -> u128 {
    let number = number(address);
    let is_mapped = number >> 32 == 0xffff;
    number & leading(if is_mapped { MAPPED_BITS.saturating_add(24) } else { 48 })
}

/// The address as one of IPv6.
fn number(address: IpAddr) -> u128 {
    let address = match address {
        IpAddr::V4(address) => address.to_ipv6_mapped(),
        IpAddr::V6(address) => address,
    };
    u128::from(Ipv6Addr::from(address.octets()))
}

/// This many ones, then zeros.
fn leading(bits: u32) -> u128 {
    !u128::MAX.checked_shr(bits).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(network: &str, address: &str) -> bool {
        Network::parse(network).unwrap().contains(address.parse().unwrap())
    }

    #[test]
    fn a_network_holds_the_addresses_that_begin_with_its_bits() {
        assert!(holds("10.0.0.0/8", "10.255.1.2") && !holds("10.0.0.0/8", "11.0.0.0"));
        assert!(holds("192.0.2.7", "192.0.2.7") && !holds("192.0.2.7", "192.0.2.6"));
        assert!(holds("192.0.2.0/25", "192.0.2.127") && !holds("192.0.2.0/25", "192.0.2.128"));
        assert!(holds("0.0.0.0/0", "203.0.113.9") && !holds("0.0.0.0/0", "2001:db8::1"));
        assert!(holds("2001:db8::/32", "2001:db8:ffff::1") && !holds("2001:db8::/32", "2001:db9::"));
        assert!(holds("::/0", "::1") && holds("::/0", "127.0.0.1"));
        assert!(holds("10.0.0.0/8", "::ffff:10.1.2.3"), "the same address");
    }

    #[test]
    fn what_is_not_a_network_is_none() {
        for text in
            ["", "10.0.0.0/33", "10.0.0.1/8", "10.0.0/8", "::/129", "a", "10.0.0.0/", "/8", "10.0.0.0/-1"]
        {
            assert_eq!(Network::parse(text), None, "{text}");
        }
    }

    #[test]
    fn addresses_of_a_network_are_remembered_alike() {
        let same = |a: &str, b: &str| network_of(a.parse().unwrap()) == network_of(b.parse().unwrap());
        assert!(same("192.0.2.1", "192.0.2.254") && !same("192.0.2.1", "192.0.3.1"));
        assert!(same("192.0.2.1", "::ffff:192.0.2.9"));
        assert!(same("2001:db8:1:2::3", "2001:db8:1:ffff::") && !same("2001:db8:1::", "2001:db8:2::"));
    }
}
