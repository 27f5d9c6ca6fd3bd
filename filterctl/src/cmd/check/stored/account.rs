//! An account and its stored password.

use data_encoding::HEXLOWER_PERMISSIVE;
use nearmiss_filters::{
    digest::{Digest, digest_of},
    format::Kind,
};
use zeroize::Zeroizing;

/// The LM hash of the empty password, which Windows stores where it stores none.
const EMPTY_LM: &str = "aad3b435b51404eeaad3b435b51404ee";

/// An account of a directory, with one stored password.
pub(super) struct Account {
    pub(super) name: String,
    pub(super) is_disabled: bool,
    /// True for a password that was in use before.
    pub(super) is_earlier: bool,
    /// True if an LM hash of the password is stored as well.
    pub(super) has_lm: bool,
    pub(super) stored: Stored,
}

/// A stored password.
pub(super) enum Stored {
    /// A digest that filters may have.
    Digest(Kind, Digest),
    /// The empty password.
    Empty,
    /// None: nobody can log in with a password.
    NoPassword,
    /// The password itself, or an encryption of it.
    ClearText,
    /// A hash of another form, by its name.
    Other(&'static str),
}

impl Account {
    /// An enabled account with its current password.
    pub(super) fn new(name: &str, stored: Stored) -> Account {
        Account { name: name.to_owned(), is_disabled: false, is_earlier: false, has_lm: false, stored }
    }
}

impl Stored {
    /// A digest, or the empty password if it is that one's.
    pub(super) fn of_digest(kind: Kind, digest: Digest) -> Stored {
        if digest_of(kind, b"").is_some_and(|empty| empty == digest) {
            Stored::Empty
        } else {
            Stored::Digest(kind, digest)
        }
    }

    /// The NT hash of a line of smbpasswd(5): 32 hexadecimal digits, `NO PASSWORD` or 32 times an X.
    pub(super) fn of_nt_field(field: &str) -> Option<Stored> {
        if field.starts_with("NO PASSWORD") {
            return Some(Stored::Empty);
        }
        if is_disabled_hash(field) {
            return Some(Stored::NoPassword);
        }
        Some(Stored::of_digest(Kind::Ntlm, hex(field, 16)?))
    }
}

/// The bytes of hexadecimal digits, if there are this many bytes.
pub(super) fn hex(text: &str, bytes: usize) -> Option<Digest> {
    let decoded = HEXLOWER_PERMISSIVE.decode(text.as_bytes()).ok().map(Zeroizing::new)?;
    (decoded.len() == bytes).then_some(decoded)
}

/// True for a stored LM hash of a password that is not empty.
pub(super) fn is_lm(field: &str) -> bool {
    hex(field, 16).is_some() && !field.eq_ignore_ascii_case(EMPTY_LM)
}

/// True for the field of a line of pwdump or smbpasswd(5) that holds an LM hash or stands for none.
pub(super) fn is_lm_field(field: &str) -> bool {
    hex(field, 16).is_some()
        || is_disabled_hash(field)
        || field.starts_with("NO PASSWORD")
        || field.is_empty()
        || field.bytes().all(|byte| byte == b'*')
}

/// smbpasswd(5): "the account cannot log in with a password".
fn is_disabled_hash(field: &str) -> bool {
    field.len() == 32 && field.bytes().all(|byte| byte == b'X')
}
