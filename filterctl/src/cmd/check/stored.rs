//! `filterctl check --audit` of stored hashes, as directories, Samba and their tools print them: the NTLM and
//! SHA-1 digests of accounts are looked up in the filters of their kind. No hash is shown.

mod account;
mod ldif;
mod lines;
mod report;

use nearmiss_cli::{
    exit::Exit,
    failure::{Failure, warn},
    keys,
};
use nearmiss_filters::{dictionary::FilterError, format::Kind};
use nearmiss_policy::site::Site;

use self::{
    account::{Account, Stored},
    ldif::Entries,
    lines::Line,
    report::{Quality, Verdict},
};
use crate::{
    candidates::reader::{self, Candidates},
    report::{self as output, counted},
};

/// The hashes on standard input, and what the filters found.
pub(super) struct Hashes<'s> {
    site: &'s Site,
    /// The entries of an LDIF file; none for a file with a line for each account.
    entries: Option<Entries>,
    quality: Quality,
    /// Lines of no known form.
    unknown: u64,
    is_ambiguous: bool,
}

impl<'s> Hashes<'s> {
    /// The audit of standard input, by its first lines; none if they do not contain digests that a filter may
    /// have.
    pub(super) fn of(site: &'s Site, lines: &[u8]) -> Option<Hashes<'s>> {
        let entries = ldif::is_ldif(lines).then(Entries::default);
        let is_audit = entries.is_some() || lines::are_hashes(lines);
        is_audit.then(|| Hashes {
            site,
            entries,
            quality: Quality::default(),
            unknown: 0,
            is_ambiguous: false,
        })
    }

    /// Looks up the hashes of whole lines.
    ///
    /// # Errors
    /// A filter is damaged.
    pub(super) fn read(&mut self, lines: &[u8]) -> Result<(), Failure> {
        for line in reader::each(lines) {
            let account = match &mut self.entries {
                Some(entries) => {
                    let accounts = entries.push(line);
                    accounts.into_iter().try_for_each(|account| self.judge(account))?;
                    continue;
                }
                None => lines::parse(line),
            };
            match account {
                Line::Account(account, is_ambiguous) => {
                    self.is_ambiguous |= is_ambiguous;
                    self.judge(account)?;
                }
                Line::Skipped => {}
                Line::Unknown => self.unknown = self.unknown.saturating_add(1),
            }
        }
        Ok(())
    }

    /// Looks up the hashes of the lines that follow, and prints the report.
    ///
    /// # Errors
    /// Standard input or a filter cannot be read, or nothing could be judged.
    pub(super) fn finish(mut self, candidates: &mut Candidates, is_json: bool) -> Result<Exit, Failure> {
        while let Some(lines) = candidates.next_lines()? {
            self.read(lines)?;
        }
        let last = self.entries.as_mut().map(Entries::finish).unwrap_or_default();
        last.into_iter().try_for_each(|account| self.judge(account))?;
        if !self.quality.has_judged() {
            return Err(self.nothing_judged());
        }
        if self.is_ambiguous {
            warn(
                keys::STANDARD_INPUT,
                "hashes of 32 hexadecimal digits were looked up as NTLM; MD5 digests look the same and are \
                 never found",
            );
        }
        if self.unknown > 0 {
            let lines = counted(self.unknown, "line");
            warn(keys::STANDARD_INPUT, &format!("{lines} of no known form not judged"));
        }
        self.quality.unknown_lines = self.unknown;
        output::print(&self.quality, is_json)?;
        Ok(self.quality.exit())
    }

    fn judge(&mut self, account: Account) -> Result<(), Failure> {
        let verdict = match &account.stored {
            Stored::Digest(kind, digest) => match self.look_up(*kind, digest) {
                Ok(Some(true)) => Verdict::Found,
                Ok(Some(false)) => Verdict::Accepted,
                Ok(None) => Verdict::NotJudged(no_filter(*kind)),
                Err(error) => return Err(Failure::new("cannot check", error)),
            },
            Stored::Empty => Verdict::Empty,
            Stored::NoPassword => Verdict::NoPassword,
            Stored::ClearText => Verdict::ClearText,
            Stored::Other(form) => Verdict::NotJudged(form),
        };
        self.quality.count(account, verdict);
        Ok(())
    }

    /// True if a filter of this kind has the digest; none without such a filter. Every filter is looked up.
    fn look_up(&self, kind: Kind, digest: &[u8]) -> Result<Option<bool>, FilterError> {
        let mut found = None;
        for rule in self.site.rules().iter().filter(|rule| rule.filter.header().kind == kind) {
            let is_entry = rule.filter.contains_entry(digest)?;
            found = Some(found.unwrap_or(false) | is_entry);
        }
        Ok(found)
    }

    fn nothing_judged(&self) -> Failure {
        let reasons = self.quality.reasons();
        let kind = if reasons.contains(no_filter(Kind::Sha1)) { Kind::Sha1 } else { Kind::Ntlm };
        let kind = kind.name();
        Failure::plain(
            keys::STANDARD_INPUT,
            format!(
                "no hash of standard input could be judged: {reasons}; build a filter of their kind \
                 (filterctl build --kind {kind} --output leaked.filter LIST) and name it with --filter"
            ),
        )
    }
}

fn no_filter(kind: Kind) -> &'static str {
    match kind {
        Kind::Ntlm => "NTLM digests, and no filter of this kind",
        Kind::Sha1 => "SHA-1 digests, and no filter of this kind",
        Kind::Words => "words",
    }
}
