//! Candidates with their users: the columns of lines such as `anna:password`.

use std::{borrow::Cow, ffi::OsStr, os::unix::ffi::OsStrExt, str::FromStr};

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
}
