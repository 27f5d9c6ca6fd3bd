//! `filterctl hook heimdal`: the `external-check` of Heimdal's `[password_quality]`.
//!
//! Heimdal starts the program with the principal as its argument, writes three lines, and reads the first
//! line of the output: `APPROVED`, or a text for the user. The exit status is 0 in both cases; another one is
//! reported as a failure of the program (`lib/kadm5/password_quality.c`).

use std::ffi::OsString;

use nearmiss_checker::{Facts, Verdict, names};
use nearmiss_cli::{
    exit::Exit,
    failure::{Failure, Outcome, say},
    keys,
};

use super::{HookPolicy, input};
use crate::report;

const AFTER: &str = "\
krb5.conf:
  [password_quality]
  policies = builtin:external-check
  external_program = /usr/lib/nearmiss/nearmiss-heimdal

  Heimdal cannot pass arguments to the program: nearmiss-heimdal is a link to filterctl, and means
  `filterctl hook heimdal`. kadmind and kpasswdd run it; `kadmin -l add` and `kadmin -l cpw` do not.
  The password must not be near the principal, its parts or its realm. To test that the check is on:
  kadmin -l verify-password-quality anna@EXAMPLE.ORG 'a password'

Exit status:
  0  the result was printed: APPROVED, or the reason for a rejection
  2  a filter, the ladder or the configuration cannot be used, or standard input is not a request of
     Heimdal";

/// Implements Heimdal's external password check: three lines on standard input, one line of output.
#[derive(clap::Args)]
#[command(after_long_help = AFTER)]
pub(super) struct Args {
    /// The user; standard input names the same one.
    #[arg(allow_hyphen_values = true)]
    principal: Option<OsString>,
    #[command(flatten)]
    policy: HookPolicy,
}

impl Args {
    pub(super) fn run(&self) -> Outcome {
        let input = input::read()?;
        let asked = HeimdalRequest::of(&input).ok_or_else(|| {
            Failure::plain(
                keys::STANDARD_INPUT,
                "standard input is not a request of Heimdal: expected the lines principal, new-password and \
                 end",
            )
        })?;
        let user = asked.user();
        let facts = Facts { user: &user, ..Facts::default() };
        let answer = self.policy.check(asked.password, &facts);
        if !answer.detail.is_empty() {
            say(&answer.detail);
        }
        let is_accepted = answer.verdict == Verdict::Accepted;
        let line = if is_accepted { "APPROVED" } else { answer.sentence.as_str() };
        report::print_bytes(format!("{line}\n").as_bytes())?;
        Ok(if matches!(answer.verdict, Verdict::Accepted | Verdict::Rejected) {
            Exit::Done
        } else {
            Exit::Error
        })
    }
}

/// Heimdal's request.
struct HeimdalRequest<'a> {
    principal: &'a [u8],
    password: &'a [u8],
}

impl<'a> HeimdalRequest<'a> {
    /// Parses a request; none if the text is not one. The end may be missing behind a password that is too
    /// long to be read whole.
    fn of(input: &'a [u8]) -> Option<HeimdalRequest<'a>> {
        let mut lines = input.split(|byte| *byte == b'\n');
        let principal = lines.next()?.strip_prefix(b"principal: ")?;
        let password = lines.next()?.strip_prefix(b"new-password: ")?;
        let is_whole = match lines.next() {
            Some(end) => end == b"end",
            None => password.len() > nearmiss_checker::MAX_PASSWORD_BYTES,
        };
        is_whole.then_some(HeimdalRequest { principal, password })
    }

    /// The names in the principal: `anna`, `admin`, the whole and the realm of `anna/admin@EXAMPLE.ORG`.
    fn user(&self) -> Vec<u8> {
        names::of_written_principal(self.principal)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_question_is_read_as_heimdal_writes_it() {
        let asked =
            HeimdalRequest::of(b"principal: anna/admin@EX.ORG\nnew-password: two words \nend\n").unwrap();
        let user = b"anna\nadmin\nanna/admin@EX.ORG\nEX.ORG\nEX\nORG".to_vec();
        assert_eq!((asked.user(), asked.password), (user, &b"two words "[..]));
        let empty = HeimdalRequest::of(b"principal: anna\nnew-password: \nend\n").unwrap();
        assert_eq!((empty.user(), empty.password), (b"anna".to_vec(), &b""[..]));
        for other in [
            &b""[..],
            b"new-password: x\nend\n",
            b"principal: anna\nend\n",
            b"principal: anna\nnew-password: x\n",
            b"principal: anna\nnew-password: x\nmore\nend\n",
        ] {
            assert!(HeimdalRequest::of(other).is_none(), "{:?}", String::from_utf8_lossy(other));
        }
        let long = [&b"principal: anna\nnew-password: "[..], &[b'q'; 8000]].concat();
        assert_eq!(HeimdalRequest::of(&long).unwrap().password.len(), 8000);
        let cut = [b'q'; nearmiss_checker::MAX_PASSWORD_BYTES];
        let cut = [&b"principal: anna\nnew-password: "[..], &cut].concat();
        assert!(HeimdalRequest::of(&cut).is_none(), "as long as it may be, and without an end");
    }
}
