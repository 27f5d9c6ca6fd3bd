//! Hashes of passwords, by their shape. Only SHA-1 and NTLM digests can be looked up; salted and slow hashes
//! are named.

/// A kind of hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hash {
    /// 40 hexadecimal digits.
    Sha1,
    /// 32 hexadecimal digits: NTLM or MD5, which look the same.
    Digits32,
    /// A kind that no filter can use, or not in this form.
    Other(&'static str),
}

/// Fewer hexadecimal digits may be a word.
pub(crate) const FEWEST_DIGITS: usize = 28;

/// The digests of LDAP and of Apache, which a filter can use as hexadecimal digits.
pub(crate) const SHA1_IN_BASE64: &str = "SHA-1 digests in base64 ({SHA})";

/// Prefixes of crypt(3) and of other programs, and their names.
const PREFIXES: [(&str, &str); 25] = [
    ("$1$", "MD5 crypt hashes ($1$)"),
    ("$2a$", "bcrypt hashes"),
    ("$2b$", "bcrypt hashes"),
    ("$2x$", "bcrypt hashes"),
    ("$2y$", "bcrypt hashes"),
    ("$5$", "SHA-256 crypt hashes ($5$)"),
    ("$6$", "SHA-512 crypt hashes ($6$)"),
    ("$7$", "scrypt hashes ($7$)"),
    ("$y$", "yescrypt hashes ($y$)"),
    ("$gy$", "gost-yescrypt hashes ($gy$)"),
    ("$apr1$", "Apache MD5 hashes ($apr1$)"),
    ("$argon2", "Argon2 hashes"),
    ("$P$", "phpass hashes"),
    ("$H$", "phpass hashes"),
    ("$pbkdf2", "PBKDF2 hashes"),
    ("pbkdf2_", "PBKDF2 hashes of Django"),
    ("bcrypt_", "bcrypt hashes of Django"),
    ("{SHA}", SHA1_IN_BASE64),
    ("{SSHA", "salted digests of LDAP ({SSHA})"),
    ("{SMD5}", "salted digests of LDAP ({SMD5})"),
    ("{CRYPT}", "crypt(3) hashes of LDAP ({CRYPT})"),
    ("$LM$", "LM hashes"),
    ("$DCC2$", "domain cached credentials"),
    ("$krb5", "Kerberos hashes"),
    ("$NETNTLM", "NetNTLM responses"),
];

/// The kind of hash that the whole text is.
pub fn of(text: &str) -> Option<Hash> {
    let has_prefix =
        |(prefix, _): &&(&str, &str)| text.starts_with(prefix) && text.len() > prefix.len().saturating_add(8);
    if let Some((_, name)) = PREFIXES.iter().find(has_prefix).filter(|_| !text.contains(' ')) {
        return Some(Hash::Other(name));
    }
    if is_crypt(text.as_bytes()) {
        return Some(Hash::Other("crypt(3) hashes"));
    }
    if text.strip_prefix('*').is_some_and(|digits| is_hex(digits, 40)) {
        return Some(Hash::Other("MySQL hashes"));
    }
    let kind = match text.len() {
        32 => Hash::Digits32,
        40 => Hash::Sha1,
        56 => Hash::Other("SHA-224 digests"),
        64 => Hash::Other("SHA-256 digests"),
        96 => Hash::Other("SHA-384 digests"),
        128 => Hash::Other("SHA-512 digests"),
        _ => return None,
    };
    is_hex(text, text.len()).then_some(kind)
}

/// True for the form of crypt(5): `$id$salt$hash`, of any kind.
pub fn is_crypt(hash: &[u8]) -> bool {
    let id = hash.strip_prefix(b"$").and_then(|rest| rest.split(|&byte| byte == b'$').next());
    id.is_some_and(|id| {
        (1..=8).contains(&id.len()) && id.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'-')
    }) && memchr::memchr_iter(b'$', hash).count() >= 3
}

/// `user:number:LM:NTLM:::`.
pub(crate) fn is_pwdump(line: &[u8]) -> bool {
    let fields: Vec<&[u8]> = line.split(|&byte| byte == b':').collect();
    let is_hash = |at: usize| {
        fields.get(at).is_some_and(|hash| {
            hash.len() == 32 && hash.iter().all(|byte| byte.is_ascii_hexdigit() || *byte == b'*')
        })
    };
    fields.len() >= 4 && is_hash(2) && is_hash(3)
}

/// Hexadecimal digits, not all the same: 40 times the digit 1 may be a password.
fn is_hex(text: &str, length: usize) -> bool {
    let digits = text.as_bytes();
    digits.len() == length
        && digits.iter().all(u8::is_ascii_hexdigit)
        && digits.iter().any(|digit| !digits.starts_with(&[*digit]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_known_by_their_shape() {
        let sha256 = "5e884898da28047151d0e56f8dc6292773603d0d6aabbdd62a11ef721d1542d8";
        for (text, name) in [
            (sha256, "SHA-256 digests"),
            (&[sha256, sha256].concat(), "SHA-512 digests"),
            ("$2y$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy", "bcrypt hashes"),
            ("$1$salt$qJH7.N4xYta3aEG/dfqo/0", "MD5 crypt hashes ($1$)"),
            ("$5$salt$Gcm6FsVtF/Qa77ZKD.iwsJlCVPY0XSMgLJL0Hnww/c1", "SHA-256 crypt hashes ($5$)"),
            (
                "$6$salt$IxDD3jeSOb5eB1CX5LBsqZFVkJdido3OUILO5Ifz5iwMuTS4XMS130MTSuDDl3aCI6WouIL9",
                "SHA-512 crypt hashes ($6$)",
            ),
            (
                "$y$j9T$F5Jx5fExrKuPp53xLKQ..1$X3DX6M94c7o.9agCG9G317fhZg9SqC.5i5rd.RhAtQ7",
                "yescrypt hashes ($y$)",
            ),
        ] {
            assert_eq!(of(text), Some(Hash::Other(name)), "{text}");
        }
        assert_eq!(of("5BAA61E4C9B93F3F0682250B6CF8331B7EE68FD8"), Some(Hash::Sha1));
        assert_eq!(of("$sha1$40000$salt$hash"), Some(Hash::Other("crypt(3) hashes")));
        for text in ["password", "$HEX[70617373]", "$6$ is money", &"1".repeat(40), "$2b$"] {
            assert_eq!(of(text), None, "{text}");
        }
    }
}
