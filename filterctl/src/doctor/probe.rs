//! The passwords of the probe: a weak one, and random ones.

use nearmiss_filters::ladder::{RandomSource, SystemRandom};

/// A password that the packaged filter and nearly every other filter reject.
pub(super) const WEAK: &str = "password1";

/// Characters of a random password, if no more are required.
const LENGTH: usize = 24;

/// Characters of four kinds, used in turn, so that no rule of another module about kinds, runs or repetitions
/// rejects a random password.
const KINDS: [&[u8; 8]; 4] = [b"bdghkmtz", b"CFJLQRVX", b"23456789", b"-_.:+@%,"];

/// Random passwords of 72 bits or more, with at least so many characters; fewer if the system has no random
/// bytes yet.
pub(super) fn random(count: usize, min_length: usize) -> Vec<String> {
    (0..count).filter_map(|_| one(LENGTH.max(min_length))).collect()
}

fn one(length: usize) -> Option<String> {
    let mut bytes = vec![0_u8; length];
    SystemRandom.fill(&mut bytes).ok()?;
    let kinds = KINDS.iter().cycle();
    let chosen = bytes.iter().zip(kinds).map(|(byte, kind)| kind.get(usize::from(byte & 7)));
    Some(chosen.flatten().copied().map(char::from).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_passwords_differ_and_have_every_kind() {
        for (min_length, length) in [(8, LENGTH), (24, LENGTH), (32, 32)] {
            let passwords = random(2, min_length);
            assert_ne!(passwords[0], passwords[1]);
            for password in passwords {
                assert_eq!(password.len(), length);
                for kind in KINDS {
                    assert_eq!(password.bytes().filter(|byte| kind.contains(byte)).count(), length / 4);
                }
            }
        }
    }
}
