//! A line for each account: pwdump, secretsdump, smbpasswd(5) as `pdbedit -L -w` prints it, `user:hash`, and
//! shadow(5).

use nearmiss_lists::hashes::{self, Hash};
use zeroize::Zeroizing;

use super::account::{self, Account, Stored};
use nearmiss_filters::format::Kind;

/// The content of a line.
pub(super) enum Line {
    /// An account; true if its hash has the form of several kinds.
    Account(Account, bool),
    /// A comment, an empty line, or further keys of an account.
    Skipped,
    /// A line of no known form.
    Unknown,
}

/// Starts of lines that tools print between the accounts.
const COMMENTS: [&str; 5] = ["#", "[*]", "[+]", "[-]", "[!]"];

/// The second field of lines of secretsdump that hold other keys of an account (Kerberos).
const OTHER_KEYS: [&str; 7] = [
    "aes256-cts-hmac-sha1-96",
    "aes128-cts-hmac-sha1-96",
    "des-cbc-md5",
    "des-cbc-crc",
    "rc4_hmac",
    "dec-cbc-crc",
    "plain_password_hex",
];

/// Fields of a line of shadow(5).
const SHADOW_FIELDS: usize = 9;

/// True if most lines are accounts and one of them has a digest that filters may have.
pub(super) fn are_hashes(lines: &[u8]) -> bool {
    let (mut accounts, mut others, mut has_digest) = (0_usize, 0_usize, false);
    for line in lines.split(|&byte| byte == b'\n') {
        match parse(line) {
            Line::Account(account, _) => {
                accounts = accounts.saturating_add(1);
                has_digest |= matches!(account.stored, Stored::Digest(..));
            }
            Line::Skipped => {}
            Line::Unknown => others = others.saturating_add(1),
        }
    }
    has_digest && accounts > others
}

/// Reads a line.
pub(super) fn parse(line: &[u8]) -> Line {
    let text = Zeroizing::new(String::from_utf8_lossy(line).into_owned());
    let text = text.trim();
    if text.is_empty() || COMMENTS.iter().any(|start| text.starts_with(start)) {
        return Line::Skipped;
    }
    let mut fields = text.split(':');
    let name = fields.next().unwrap_or_default();
    let fields: Vec<&str> = fields.collect();
    match fields.as_slice() {
        _ if name.is_empty() => Line::Unknown,
        [kind, ..] if OTHER_KEYS.iter().any(|key| kind.eq_ignore_ascii_case(key)) => Line::Skipped,
        ["CLEARTEXT", ..] => Line::Account(Account::new(name, Stored::ClearText), false),
        [number, lm, nt, rest @ ..] if is_number(number) && account::is_lm_field(lm) => {
            of_pwdump(name, lm, nt, rest)
        }
        [hash, rest @ ..] => of_hash(name, hash, rest.len().saturating_add(2) >= SHADOW_FIELDS),
        [] => Line::Unknown,
    }
}

fn is_number(field: &str) -> bool {
    !field.is_empty() && field.bytes().all(|byte| byte.is_ascii_digit())
}

/// A line of pwdump, with the additions of secretsdump (`_history0`, `(status=Disabled)`) and of smbpasswd(5)
/// (flags in brackets, in which D is a disabled account).
fn of_pwdump(name: &str, lm: &str, nt: &str, rest: &[&str]) -> Line {
    let Some(stored) = Stored::of_nt_field(nt) else {
        let lm_alone = account::is_lm(lm).then(|| Account::new(name, Stored::Other("LM hashes alone")));
        return lm_alone.map_or(Line::Unknown, |account| Line::Account(account, false));
    };
    let (user, number) = name.rsplit_once("_history").unwrap_or((name, ""));
    let is_earlier = is_number(number);
    let has_flag = |field: &&str| field.starts_with('[') && field.contains('D');
    let account = Account {
        is_disabled: rest.iter().any(|field| has_flag(field) || field.contains("status=Disabled")),
        is_earlier,
        has_lm: account::is_lm(lm),
        ..Account::new(if is_earlier { user } else { name }, stored)
    };
    Line::Account(account, false)
}

/// `user:hash`, with more fields behind it or not.
fn of_hash(name: &str, hash: &str, is_shadow: bool) -> Line {
    let account = |stored| Line::Account(Account::new(name, stored), false);
    if let Some(digits) = hash.strip_prefix("$NT$") {
        return Stored::of_nt_field(digits).map_or(Line::Unknown, account);
    }
    if let Some(stored) = of_scheme(hash) {
        return account(stored);
    }
    match hashes::of(hash) {
        Some(Hash::Sha1) => account::hex(hash, 20)
            .map_or(Line::Unknown, |digest| account(Stored::of_digest(Kind::Sha1, digest))),
        Some(Hash::Digits32) => {
            let stored = Stored::of_nt_field(hash);
            stored.map_or(Line::Unknown, |stored| Line::Account(Account::new(name, stored), true))
        }
        Some(Hash::Other(form)) => account(Stored::Other(form)),
        None if is_shadow && hash.is_empty() => account(Stored::Empty),
        None if is_shadow && hash.starts_with(['!', '*']) => account(Stored::NoPassword),
        None => Line::Unknown,
    }
}

/// A value with its scheme in braces (RFC 2307, section 5.3): of those, `{SHA}` is a digest that filters may
/// have.
pub(super) fn of_scheme(value: &str) -> Option<Stored> {
    let (scheme, rest) = value.strip_prefix('{')?.split_once('}')?;
    if scheme.eq_ignore_ascii_case("SHA") {
        let digest = data_encoding::BASE64.decode(rest.as_bytes()).ok().map(Zeroizing::new);
        return Some(match digest.filter(|digest| digest.len() == 20) {
            Some(digest) => Stored::of_digest(Kind::Sha1, digest),
            None => Stored::Other("damaged {SHA} values"),
        });
    }
    if scheme.eq_ignore_ascii_case("CLEARTEXT") || scheme.eq_ignore_ascii_case("PLAIN") {
        return Some(Stored::ClearText);
    }
    let known = SCHEMES.iter().find(|(name, _)| scheme.eq_ignore_ascii_case(name));
    Some(Stored::Other(known.map_or("hashes of an unknown scheme", |(_, form)| form)))
}

/// Schemes of directories whose values no filter can have, and their names.
const SCHEMES: [(&str, &str); 11] = [
    ("SSHA", "salted SHA-1 hashes ({SSHA})"),
    ("SSHA256", "salted SHA-256 hashes ({SSHA256})"),
    ("SSHA512", "salted SHA-512 hashes ({SSHA512})"),
    ("SHA256", "SHA-256 digests ({SHA256})"),
    ("SHA512", "SHA-512 digests ({SHA512})"),
    ("MD5", "MD5 digests ({MD5})"),
    ("SMD5", "salted MD5 hashes ({SMD5})"),
    ("CRYPT", "crypt(3) hashes ({CRYPT})"),
    ("ARGON2", "Argon2 hashes ({ARGON2})"),
    ("PBKDF2_SHA256", "PBKDF2 hashes ({PBKDF2_SHA256})"),
    ("SASL", "passwords of another server ({SASL})"),
];
