//! Entries of an LDIF file (RFC 2849), as `ldapsearch`, `slapcat` and `ldbsearch` print them.

use std::mem;

use data_encoding::BASE64;
use nearmiss_filters::format::Kind;
use zeroize::Zeroizing;

use super::{
    account::{self, Account, Stored},
    lines::of_scheme,
};

/// `userAccountControl`: the account is disabled (`ADS_UF_ACCOUNTDISABLE`).
const UF_ACCOUNTDISABLE: u64 = 2;

/// True for a file whose first line that is no comment begins an entry or states the version.
pub(super) fn is_ldif(lines: &[u8]) -> bool {
    let is_first = |line: &&[u8]| !line.trim_ascii().is_empty() && !line.starts_with(b"#");
    let first = lines.split(|&byte| byte == b'\n').find(is_first).unwrap_or_default();
    [&b"dn:"[..], b"version:"]
        .iter()
        .any(|start| first.get(..start.len()).is_some_and(|own| own.eq_ignore_ascii_case(start)))
}

/// The entries, line by line.
#[derive(Default)]
pub(super) struct Entries {
    /// The line so far: a line that begins with a blank continues it.
    line: Zeroizing<Vec<u8>>,
    entry: Entry,
}

/// An entry so far.
#[derive(Default)]
struct Entry {
    /// Its name, and how well it names the account: the lower, the better.
    name: Option<(usize, String)>,
    is_disabled: bool,
    has_lm: bool,
    stored: Vec<Stored>,
}

/// Attributes that name an account, best first.
const NAMES: [&str; 4] = ["samaccountname", "uid", "cn", "dn"];

impl Entries {
    /// Takes a line; returns the accounts of an entry that it ends.
    pub(super) fn push(&mut self, line: &[u8]) -> Vec<Account> {
        if let Some(rest) = line.strip_prefix(b" ") {
            self.line.extend_from_slice(rest);
            return Vec::new();
        }
        self.take_line();
        if line.is_empty() {
            return mem::take(&mut self.entry).accounts();
        }
        self.line.extend_from_slice(line);
        Vec::new()
    }

    /// The accounts of the last entry.
    pub(super) fn finish(&mut self) -> Vec<Account> {
        self.take_line();
        mem::take(&mut self.entry).accounts()
    }

    fn take_line(&mut self) {
        let line = mem::take(&mut self.line);
        if !line.starts_with(b"#") {
            self.entry.add(&line);
        }
    }
}

impl Entry {
    /// Adds an attribute: `name: value`, or `name:: ` and the value in base64.
    fn add(&mut self, line: &[u8]) {
        let Some(colon) = line.iter().position(|&byte| byte == b':') else { return };
        let (attribute, value) = (line.get(..colon), line.get(colon.saturating_add(1)..));
        let attribute = String::from_utf8_lossy(attribute.unwrap_or_default()).to_ascii_lowercase();
        // An attribute may have options: `userPassword;x-hash`.
        let attribute = attribute.split(';').next().unwrap_or_default();
        let value = value.unwrap_or_default();
        let value = match value.strip_prefix(b":") {
            Some(encoded) => BASE64.decode(encoded.trim_ascii()).unwrap_or_default(),
            None => value.trim_ascii().to_vec(),
        };
        self.set(attribute, &Zeroizing::new(value));
    }

    fn set(&mut self, attribute: &str, bytes: &[u8]) {
        let text = Zeroizing::new(String::from_utf8_lossy(bytes).into_owned());
        let text = text.as_str();
        match attribute {
            "userpassword" => self.stored.push(of_scheme(text).unwrap_or(Stored::ClearText)),
            "sambantpassword" => {
                self.stored.push(Stored::of_nt_field(text).unwrap_or(Stored::Other("damaged NTLM digests")));
            }
            // Samba's own database: the 16 bytes of the NT hash.
            "unicodepwd" => self.stored.push(if bytes.len() == 16 {
                Stored::of_digest(Kind::Ntlm, Zeroizing::new(bytes.to_vec()))
            } else {
                Stored::Other("damaged NTLM digests")
            }),
            "sambalmpassword" => self.has_lm |= account::is_lm(text),
            "sambaacctflags" => self.is_disabled |= text.contains('D'),
            "useraccountcontrol" => {
                let flags: u64 = text.parse().unwrap_or_default();
                self.is_disabled |= flags & UF_ACCOUNTDISABLE != 0;
            }
            _ => self.name(attribute, text),
        }
    }

    fn name(&mut self, attribute: &str, text: &str) {
        let Some(rank) = NAMES.iter().position(|name| *name == attribute) else { return };
        if self.name.as_ref().is_none_or(|(own, _)| rank < *own) {
            self.name = Some((rank, text.to_owned()));
        }
    }

    fn accounts(self) -> Vec<Account> {
        let name = self.name.map(|(_, name)| name).unwrap_or_default();
        let account = |stored| Account {
            is_disabled: self.is_disabled,
            has_lm: self.has_lm,
            ..Account::new(&name, stored)
        };
        self.stored.into_iter().map(account).collect()
    }
}
