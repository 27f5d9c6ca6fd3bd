//! Failed logins: whether one counts, and whether its password is often guessed here.

use std::net::IpAddr;

use nearmiss_filters::ladder::{
    Counter, FailureKey, Fleet, GuessLadder, LadderError, SeenFailures, SeenFile, SystemRandom,
};

use super::{Cause, Site, Unusable};
use crate::{
    config::{GuessRules, Origin, Repeats, network_of},
    policy::MAX_PASSWORD_BYTES,
};

const DAY: u64 = 86_400;

/// The data of a failed login.
#[derive(Clone, Copy)]
pub struct FailedLogin<'a> {
    /// The account's name.
    pub account: &'a [u8],
    /// The typed password.
    pub password: &'a [u8],
    /// The remote host (`PAM_RHOST`); none for a local login.
    pub remote_host: Option<&'a [u8]>,
    /// The time, in seconds since 1970.
    pub now: u64,
}

/// The result of counting a failed login.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guess {
    /// There is no ladder of guessed passwords.
    NoLadder,
    /// It never counts: it is local or from an excluded network, or the password is empty, too long, or the
    /// placeholder of `sshd`.
    LeftOut,
    /// It was examined.
    Seen {
        /// The password was often guessed here before.
        is_frequent: bool,
        /// It was not a repeat: it took a step.
        is_new: bool,
    },
}

impl Site {
    /// Counts a failed login, and returns whether its password is often guessed here. Only rungs and a
    /// fingerprint under a temporary key are stored.
    ///
    /// It is remembered before its step is taken: a process that is killed in between counts too few.
    ///
    /// # Errors
    /// [`Unusable`]: the login is not counted. Never a reason to fail or delay a login.
    pub fn count_guess(&self, login: &FailedLogin<'_>) -> Result<Guess, Unusable> {
        let Some(ladder) = self.guessed().map_err(Clone::clone)? else { return Ok(Guess::NoLadder) };
        counted(ladder, self.fleet(), &self.config.guesses, login)
            .map_err(|error| Unusable::ladder(Cause::Guesses, &error, self.config.ladder_on_error))
    }

    /// Takes the time of a counted login for one that is not to be counted: if the password is right and the
    /// account is locked, for example.
    ///
    /// # Errors
    /// [`Unusable`]: as [`Site::count_guess`].
    pub fn leave_out_guess(&self, login: &FailedLogin<'_>) -> Result<(), Unusable> {
        let has_ladder = self.guessed().map_err(Clone::clone)?.is_some();
        if !has_ladder || share(&self.config.guesses, login) == GuessShare::Nothing {
            return Ok(());
        }
        let looked = self.fleet().look_at_any();
        looked.map_err(|error| Unusable::ladder(Cause::Guesses, &error, self.config.ladder_on_error))
    }

    /// True if a password is often guessed here. Changes nothing. False without a ladder.
    ///
    /// # Errors
    /// [`Unusable`]: the ladder cannot be queried.
    pub fn is_guessed(&self, password: &[u8]) -> Result<bool, Unusable> {
        let Some(ladder) = self.guessed().map_err(Clone::clone)? else { return Ok(false) };
        let is_guessed = ladder.is_guessed(password).and_then(|is_guessed| {
            let by_fleet = self.fleet().is_guessed(password)?;
            Ok(is_guessed || by_fleet)
        });
        is_guessed.map_err(|error| Unusable::ladder(Cause::Guesses, &error, self.config.ladder_on_error))
    }
}

fn counted(
    ladder: &GuessLadder,
    fleet: &Fleet,
    rules: &GuessRules,
    login: &FailedLogin<'_>,
) -> Result<Guess, LadderError> {
    let reached = |source| LadderError::Access { path: rules.seen.clone(), source };
    let seen = SeenFailures::<SeenFile>::open_or_make(&rules.seen, login.now)?;
    match share(rules, login) {
        GuessShare::Counted => {}
        share => {
            seen.add(Counter::LeftOut).map_err(reached)?;
            if share == GuessShare::Time {
                fleet.look_at_any()?;
            }
            return Ok(Guess::LeftOut);
        }
    }
    let age = u64::from(rules.memory_days).saturating_mul(DAY);
    seen.forget_if_old(login.now, age, &mut SystemRandom).map_err(reached)?;
    let network = network(rules.repeats, login.remote_host);
    let FailedLogin { account, password, .. } = *login;
    let failure = FailureKey { account, password, network: &network };
    let is_new = seen.is_new(&failure).map_err(reached)?;
    let is_frequent = if is_new {
        ladder.count(password)? | fleet.count_guess(&failure, login.now)?
    } else {
        ladder.is_guessed(password)? | fleet.is_guess(password)?
    };
    let counters = [(true, Counter::Failures), (is_new, Counter::Counted), (is_frequent, Counter::Frequent)];
    for (_, counter) in counters.into_iter().filter(|(is_counted, _)| *is_counted) {
        seen.add(counter).map_err(reached)?;
    }
    Ok(Guess::Seen { is_frequent, is_new })
}

/// The steps of the counting that a failed login takes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum GuessShare {
    /// All steps.
    Counted,
    /// The time only. The placeholder of `sshd` for the password of a user that does not exist is not
    /// counted; if the fleet were queried about other passwords only, strangers could learn which users
    /// exist.
    Time,
    /// None, for any user.
    Nothing,
}

fn share(rules: &GuessRules, login: &FailedLogin<'_>) -> GuessShare {
    let address = login.remote_host.and_then(address);
    let is_excepted = address.is_some_and(|address| rules.not_from.iter().any(|net| net.contains(address)));
    let is_from_outside = !is_excepted && (rules.from == Origin::All || login.remote_host.is_some());
    // The placeholder of `sshd` has the length of the typed password.
    if !is_from_outside || !(1..=MAX_PASSWORD_BYTES).contains(&login.password.len()) {
        GuessShare::Nothing
    } else if is_junk_of_sshd(login.password) {
        GuessShare::Time
    } else {
        GuessShare::Counted
    }
}

/// The network by which a failure is remembered, in addition to account and password.
fn network(repeats: Repeats, remote_host: Option<&[u8]>) -> Vec<u8> {
    match (repeats, remote_host) {
        (Repeats::Account, _) | (_, None) => Vec::new(),
        (Repeats::AccountAndNetwork, Some(host)) => {
            address(host).map_or_else(|| host.to_vec(), |address| network_of(address).to_be_bytes().to_vec())
        }
    }
}

/// The numeric address in a remote host, if it is one.
pub fn address(remote_host: &[u8]) -> Option<IpAddr> {
    std::str::from_utf8(remote_host).ok()?.parse().ok()
}

/// True for the string that `sshd` passes to PAM instead of the password of a user that it will not let in:
/// this pattern, repeated up to the length of the typed password (`auth-pam.c`).
pub fn is_junk_of_sshd(password: &[u8]) -> bool {
    const PATTERN: &[u8] = b"\x08\n\r\x7fINCORRECT";
    password.iter().eq(PATTERN.iter().cycle().take(password.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn junk_is_the_pattern_at_any_length() {
        let junk = b"\x08\n\r\x7fINCORRECT\x08\n\r\x7fINCORRECT";
        assert!((0..=junk.len()).all(|length| is_junk_of_sshd(&junk[..length])));
        assert!(!is_junk_of_sshd(b"INCORRECT") && !is_junk_of_sshd(b"\x08\n\r\x7fINCORRECt"));
    }

    #[test]
    fn only_a_numeric_address_is_one() {
        assert!(address(b"203.0.113.7").is_some() && address(b"2001:db8::7").is_some());
        for text in
            [&b""[..], b"localhost", b"dead.beef", b"1.2.3", b"203.0.113.7 x", b"fe80::1%eth0", b"\xff"]
        {
            assert_eq!(address(text), None, "{text:?}");
        }
    }
}
