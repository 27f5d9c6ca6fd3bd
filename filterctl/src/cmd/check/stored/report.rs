//! The report on stored hashes: what administrators of directories expect of such an audit.

use std::{
    cmp::Ordering,
    collections::{BTreeMap, BTreeSet},
    io::{self, Write},
};

use indicatif::HumanCount;
use nearmiss_cli::{exit::Exit, failure::printable};
use nearmiss_filters::digest::Digest;
use serde::{Serialize, Serializer};

use super::account::{Account, Stored};
use crate::report::Report;

/// The verdict on one hash.
#[derive(Clone, Copy)]
pub(super) enum Verdict {
    /// No filter has it.
    Accepted,
    /// A filter has it.
    Found,
    /// It is the hash of the empty password.
    Empty,
    /// The account has no password.
    NoPassword,
    /// The password itself is stored.
    ClearText,
    /// It was not looked up, with the reason.
    NotJudged(&'static str),
}

/// A digest that accounts may share; digests of different kinds have different lengths.
#[derive(PartialEq, Eq)]
struct DigestKey(Digest);

impl Ord for DigestKey {
    fn cmp(&self, other: &DigestKey) -> Ordering {
        self.0.as_slice().cmp(other.0.as_slice())
    }
}

impl PartialOrd for DigestKey {
    fn partial_cmp(&self, other: &DigestKey) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The accounts of each verdict.
#[derive(Default, Serialize)]
pub(super) struct Quality {
    checked: u64,
    accepted: u64,
    /// Accounts whose password is in a filter.
    breached: Vec<String>,
    /// Accounts that need no password.
    empty: Vec<String>,
    /// Accounts whose password is stored as it is, or encrypted.
    clear_text: Vec<String>,
    /// Accounts with an earlier password that is in a filter.
    breached_earlier: BTreeSet<String>,
    /// Accounts with an LM hash, which reveals the password.
    lm_hash: BTreeSet<String>,
    /// Accounts that nobody can log in to with a password.
    no_password: Vec<String>,
    /// Groups of accounts with the same password.
    #[serde(serialize_with = "write_groups")]
    same_password: BTreeMap<DigestKey, BTreeSet<String>>,
    /// Accounts that were not judged, by the reason.
    not_judged: BTreeMap<&'static str, Vec<String>>,
    pub(super) unknown_lines: u64,
}

impl Quality {
    /// Counts the hash of an account.
    pub(super) fn count(&mut self, account: Account, verdict: Verdict) {
        self.checked = self.checked.saturating_add(1);
        let disabled = if account.is_disabled { " (disabled)" } else { "" };
        let name = format!("{}{disabled}", account.name);
        if account.has_lm && !account.is_earlier {
            self.lm_hash.insert(name.clone());
        }
        if let (Stored::Digest(_, digest), false) = (account.stored, account.is_earlier) {
            self.same_password.entry(DigestKey(digest)).or_default().insert(name.clone());
        }
        match verdict {
            Verdict::Accepted => self.accepted = self.accepted.saturating_add(1),
            Verdict::Found if account.is_earlier => _ = self.breached_earlier.insert(name),
            Verdict::Found => self.breached.push(name),
            Verdict::Empty => self.empty.push(name),
            Verdict::NoPassword => self.no_password.push(name),
            Verdict::ClearText => self.clear_text.push(name),
            Verdict::NotJudged(reason) => self.not_judged.entry(reason).or_default().push(name),
        }
    }

    /// True if a hash was judged.
    pub(super) fn has_judged(&self) -> bool {
        let not: usize = self.not_judged.values().map(Vec::len).sum();
        self.checked > not as u64
    }

    /// The reasons why hashes were not judged, for a message.
    pub(super) fn reasons(&self) -> String {
        let reasons: Vec<&str> = self.not_judged.keys().copied().collect();
        if reasons.is_empty() { "it contains no hash of a password".to_owned() } else { reasons.join(", ") }
    }

    /// No, if a password is weak; done only if everything was judged.
    pub(super) fn exit(&self) -> Exit {
        if !(self.breached.is_empty() && self.empty.is_empty() && self.clear_text.is_empty()) {
            return Exit::No;
        }
        if self.not_judged.is_empty() && self.unknown_lines == 0 { Exit::Done } else { Exit::Unjudged }
    }
}

/// The groups, in the order of their first names: that of the hashes would tell something of them.
fn groups(all: &BTreeMap<DigestKey, BTreeSet<String>>) -> BTreeSet<&BTreeSet<String>> {
    all.values().filter(|users| users.len() > 1).collect()
}

fn write_groups<S: Serializer>(
    all: &BTreeMap<DigestKey, BTreeSet<String>>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(groups(all))
}

fn write_users<'u>(
    out: &mut dyn Write,
    label: &str,
    users: impl ExactSizeIterator<Item = &'u String>,
) -> io::Result<()> {
    if users.len() == 0 {
        return Ok(());
    }
    write_count(out, label, users.len() as u64)?;
    users.into_iter().try_for_each(|user| writeln!(out, "  {}", printable(user)))
}

fn write_count(out: &mut dyn Write, label: &str, count: u64) -> io::Result<()> {
    writeln!(out, "{label:<28} {:>14}", HumanCount(count).to_string())
}

impl Report for Quality {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        write_count(out, "hashes", self.checked)?;
        write_count(out, "accepted", self.accepted)?;
        write_users(out, "breached", self.breached.iter())?;
        write_users(out, "no password needed", self.empty.iter())?;
        write_users(out, "stored in clear text", self.clear_text.iter())?;
        write_users(out, "breached earlier passwords", self.breached_earlier.iter())?;
        write_users(out, "LM hash stored", self.lm_hash.iter())?;
        write_users(out, "no login by password", self.no_password.iter())?;
        for users in groups(&self.same_password) {
            write_users(out, "same password", users.iter())?;
        }
        for (reason, users) in &self.not_judged {
            write_users(out, &format!("not judged: {reason}"), users.iter())?;
        }
        if self.unknown_lines > 0 {
            write_count(out, "not judged: unknown lines", self.unknown_lines)?;
        }
        Ok(())
    }
}
