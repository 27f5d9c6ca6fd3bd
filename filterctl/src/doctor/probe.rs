//! The passwords of the probe: a weak one, and random ones.

use nearmiss_filters::ladder::{RandomSource, SystemRandom};

/// A password that the packaged filter and nearly every other filter reject.
pub(super) const WEAK: &str = "password1";

/// Characters of a random password.
pub(super) const LENGTH: usize = 24;

/// Characters of four kinds, used in turn, so that no rule of another module about kinds, runs or repetitions
/// rejects a random password.
const KINDS: [&[u8; 8]; 4] = [b"bdghkmtz", b"CFJLQRVX", b"23456789", b"-_.:+@%,"];

/// Random passwords of 72 bits; fewer if the system has no random bytes yet.
pub(super) fn random(count: usize) -> Vec<String> {
    (0..count).filter_map(|_| one()).collect()
}

fn one() -> Option<String> {
    let mut bytes = [0_u8; LENGTH];
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
        let passwords = random(2);
        assert_ne!(passwords[0], passwords[1]);
        for password in passwords {
            assert_eq!(password.len(), LENGTH);
            for kind in KINDS {
                assert_eq!(password.bytes().filter(|byte| kind.contains(byte)).count(), LENGTH / 4);
            }
        }
    }
}
