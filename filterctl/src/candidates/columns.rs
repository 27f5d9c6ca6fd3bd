//! Candidates with their users: the columns of lines such as `anna:password`; and lists of hashes, which
//! contain no candidates.

use std::{borrow::Cow, ffi::OsStr, os::unix::ffi::OsStrExt, str::FromStr};

use nearmiss_cli::{failure::Failure, keys};
use nearmiss_lists::hashes;
use nearmiss_policy::policy::Context;

use crate::host::user;

/// The columns of a candidate's line, separated by colons.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum CandidateColumns {
    /// The password.
    #[default]
    Password,
    /// Its user, and the password.
    UserPassword,
    /// Its user, the user's GECOS field, and the password.
    UserGecosPassword,
}

impl FromStr for CandidateColumns {
    type Err = String;

    fn from_str(text: &str) -> Result<CandidateColumns, String> {
        match text {
            "password" | "word" => Ok(CandidateColumns::Password),
            "user,password" | "user,word" => Ok(CandidateColumns::UserPassword),
            "user,gecos,password" => Ok(CandidateColumns::UserGecosPassword),
            _ => Err("expected password, user,password or user,gecos,password".to_owned()),
        }
    }
}

/// A candidate, and the facts about its user in the same line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct OwnedCandidate<'a> {
    /// The user's name, where there is one.
    pub(crate) user: Option<&'a [u8]>,
    gecos: Option<&'a [u8]>,
    /// The candidate.
    pub(crate) password: &'a [u8],
}

impl CandidateColumns {
    /// The columns of a line; none for a line that has fewer, or no user.
    pub(crate) fn split(self, line: &[u8]) -> Option<OwnedCandidate<'_>> {
        if self == CandidateColumns::Password {
            return Some(OwnedCandidate { user: None, gecos: None, password: line });
        }
        let (user, rest) = split_once(line).filter(|(user, _)| !user.is_empty())?;
        let (gecos, password) = match self {
            CandidateColumns::UserGecosPassword => {
                split_once(rest).map(|(gecos, rest)| (Some(gecos), rest))?
            }
            _ => (None, rest),
        };
        Some(OwnedCandidate { user: Some(user), gecos, password })
    }
}

impl OwnedCandidate<'_> {
    /// The GECOS field of the line, or the one that this system has.
    pub(crate) fn gecos(&self, looks_up: bool) -> Option<Cow<'_, [u8]>> {
        let known = || self.user.filter(|_| looks_up).map(|user| user::gecos(OsStr::from_bytes(user)));
        self.gecos.map(Cow::Borrowed).or_else(|| known().map(Cow::Owned))
    }

    /// The texts that the password must not be near: the ones of the line, else the ones in `all`.
    pub(crate) fn context<'c>(&'c self, gecos: Option<&'c [u8]>, all: &Context<'c>) -> Context<'c> {
        Context { user: self.user.unwrap_or(all.user), gecos: gecos.unwrap_or(all.gecos), ..*all }
    }
}

fn split_once(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = line.iter().position(|&byte| byte == b':')?;
    Some((line.get(..at)?, line.get(at.saturating_add(1)..)?))
}

/// Refuses lines most of which contain hashes instead of passwords. If the whole line is the password, only
/// lines of a shadow file are refused: a text that looks like a hash may be a password.
///
/// # Errors
/// Most lines contain hashes; the message has the alternative.
pub(crate) fn refuse_hashes(lines: &[u8], columns: CandidateColumns) -> Result<(), Failure> {
    let lines = || lines.split(|&byte| byte == b'\n').filter(|line| !line.trim_ascii().is_empty());
    let hashes = lines().filter(|line| has_hash(line, columns != CandidateColumns::Password)).count();
    if hashes > 0 && hashes.saturating_mul(2) >= lines().count() {
        return Err(Failure::plain(
            keys::STANDARD_INPUT,
            "standard input contains password hashes, as in /etc/shadow, which cannot be checked; pass users \
             and plain passwords, or set enforce = \"audit\" in nearmiss.conf and read in the log which \
             new passwords would be rejected",
        ));
    }
    Ok(())
}

/// True for the line of an account in a shadow file, locked or not (shadow(5), crypt(5)), and, if `others`
/// count, for `user:$6$salt$hash` with or without more fields.
fn has_hash(line: &[u8], counts_others: bool) -> bool {
    let mut fields = line.split(|&byte| byte == b':');
    let (_, hash) = (fields.next(), fields.next().unwrap_or_default());
    let is_shadow = fields.count() == 7;
    let is_locked = hash.is_empty() || hash.starts_with(b"!") || hash == b"*";
    let is_hash = hashes::is_crypt(hash.trim_ascii_start());
    is_hash && counts_others || is_shadow && (is_hash || is_locked)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_its_columns() {
        let split = |columns: &str, line: &'static [u8]| {
            let columns: CandidateColumns = columns.parse().unwrap();
            columns.split(line).map(|owned| (owned.user, owned.gecos, owned.password))
        };
        let (a, none) = (Some(&b"a"[..]), None::<&[u8]>);
        assert_eq!(split("password", b"a:b"), Some((none, none, &b"a:b"[..])));
        assert_eq!(split("user,password", b"a:b:c"), Some((a, none, &b"b:c"[..])));
        assert_eq!(split("user,password", b"a:"), Some((a, none, &b""[..])));
        let gecos = Some(&b"A B,,"[..]);
        assert_eq!(split("user,gecos,password", b"a:A B,,:c:d"), Some((a, gecos, &b"c:d"[..])));
        for (columns, line) in
            [("user,password", "ab"), ("user,password", ":b"), ("user,gecos,password", "a:b")]
        {
            assert_eq!(split(columns, line.as_bytes()), None, "{columns}");
        }
        assert!("gecos".parse::<CandidateColumns>().is_err());
    }

    #[test]
    fn a_password_may_look_like_a_hash() {
        let list = b"x:$1$salt$hash\n";
        assert!(refuse_hashes(list, CandidateColumns::Password).is_ok());
        assert!(refuse_hashes(list, CandidateColumns::UserPassword).is_err());
    }

    #[test]
    fn hashes_are_refused_and_passwords_are_not() {
        for list in [
            "root:*:19000:0:99999:7:::\nanna:$y$j9T$salt$hash:19000:0:99999:7:::\n",
            "anna:$6$salt$hash\nbob:$5$rounds=5000$salt$hash\n",
            "anna:!$6$salt$hash:19000:0:99999:7:::\nbob:!:19000:0:99999:7:::\n",
        ] {
            let error =
                refuse_hashes(list.as_bytes(), CandidateColumns::UserPassword).unwrap_err().to_string();
            assert!(error.contains("/etc/shadow") && error.contains("audit"), "{error}");
        }
        for list in
            ["", "anna:$ecret\nbob:$a$b\n", "password\n$1$x\n", "anna:pass:word\n", "a:b:c:d:e:f:g:h:i\n"]
        {
            assert!(refuse_hashes(list.as_bytes(), CandidateColumns::UserPassword).is_ok(), "{list}");
        }
    }
}
