//! Lines of cracked passwords and of logins: the potfiles of hashcat and john, and addresses of sites with
//! user and password.

use crate::hashes;

/// The password in a line of a potfile.
///
/// hashcat writes `hash[:salt]:plain`, with `$HEX[…]` for a plain text that has a colon, so that the last
/// colon divides. john writes `$FORMAT$hash:plain`, with any plain text, so that the first one does; but
/// tickets of Kerberos have colons before their digits.
pub fn of_potfile(line: &[u8]) -> Option<&[u8]> {
    let first = memchr::memchr(b':', line).filter(|&at| at > 0)?;
    let (hash, _) = line.split_at_checked(first)?;
    if !matches!(hash.first(), Some(b'$' | b'{')) {
        let last = memchr::memrchr(b':', line)?;
        return line.get(last.checked_add(1)?..);
    }
    let mut plain = after(line)?;
    while let Some(next) = after(plain).filter(|next| has_digits_before(plain, next)) {
        plain = next;
    }
    Some(plain)
}

/// True if the text between these has the digits of a hash.
fn has_digits_before(plain: &[u8], next: &[u8]) -> bool {
    let before = plain.len().checked_sub(next.len()).and_then(|end| plain.get(..end)).unwrap_or_default();
    before.split(|byte| !byte.is_ascii_hexdigit()).any(|digits| digits.len() >= hashes::FEWEST_DIGITS)
}

/// True for a line that begins with a hash that was cracked, or has a count.
pub fn is_of_potfile(line: &[u8]) -> bool {
    let hash = line.split(|&byte| byte == b':').next().unwrap_or_default();
    is_hash(hash) && of_potfile(line).is_some()
}

/// True for a hash as a potfile has it, perhaps with the name of its kind before it.
pub(crate) fn is_hash(field: &[u8]) -> bool {
    let is_tagged =
        field.starts_with(b"$") && memchr::memchr_iter(b'$', field).count() >= 2 && field.len() > 8;
    is_tagged || std::str::from_utf8(field).is_ok_and(|hash| hashes::of(hash).is_some())
}

/// True for a line that ends with a number: a count, if nearly all lines have one. A list of digests with
/// counts holds no passwords, but many passwords are numbers.
pub fn has_count(line: &[u8]) -> bool {
    of_potfile(line).is_some_and(|plain| crate::table::number(plain).is_some())
}

/// True for a user and a password before the other fields of passwd(5) or of pwdump, as `john --show` writes
/// them: the password may have colons, and these fields have none.
pub fn is_account(line: &[u8]) -> bool {
    const FIELDS: usize = 6;
    let mut fields = line.trim_ascii_end().rsplitn(FIELDS.saturating_add(1), |&byte| byte == b':');
    let last: [&[u8]; FIELDS] = std::array::from_fn(|_| fields.next().unwrap_or_default());
    let is_number = |text: &[u8]| !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    let is_path = |text: &[u8]| text.is_empty() || text.starts_with(b"/");
    let is_nt = |text: &[u8]| text.len() == 32 && text.iter().all(u8::is_ascii_hexdigit);
    let Some(login) = fields.next() else { return false };
    match last {
        [b"", b"", b"", nt, _, rid] if is_nt(nt) => login.contains(&b':') && is_number(rid),
        [shell, home, _, gid, uid, password] => {
            let is_shadowed = matches!(password, b"x" | b"*" | b"!" | b"!!");
            is_number(uid) && is_number(gid) && is_path(home) && is_path(shell) && !is_shadowed
        }
    }
}

/// The password in a line `url:user:password`.
pub fn of_url(line: &[u8]) -> Option<&[u8]> {
    let after_scheme = memchr::memmem::find(line, b"://").and_then(|at| at.checked_add(3)).unwrap_or(0);
    let mut rest = after(line.get(after_scheme..)?)?;
    let is_port = {
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        (1..=5).contains(&digits) && rest.get(digits) == Some(&b'/')
    };
    if is_port {
        rest = after(rest)?;
    }
    after(rest)
}

/// True for a line that begins with an address of a site, and has a user and a password.
pub fn is_of_url(line: &[u8]) -> bool {
    let site = line.split(|&byte| byte == b':').next().unwrap_or_default();
    let is_scheme =
        site.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'));
    let has_scheme = is_scheme && memchr::memmem::find(line, b"://").is_some_and(|at| at == site.len());
    let is_host = site.contains(&b'.')
        && !site.iter().any(|byte| matches!(byte, b'@' | b'"') || byte.is_ascii_whitespace());
    (has_scheme || is_host) && of_url(line).is_some_and(|word| !word.is_empty())
}

/// The text after the first colon.
fn after(text: &[u8]) -> Option<&[u8]> {
    let colon = memchr::memchr(b':', text)?;
    text.get(colon.checked_add(1)?..)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MD5: &str = "5f4dcc3b5aa765d61d8327deb882cf99";

    #[test]
    fn potfiles_have_the_plain_text_at_the_end() {
        let of = |line: String| {
            of_potfile(line.as_bytes()).map(|plain| String::from_utf8(plain.to_vec()).unwrap())
        };
        assert_eq!(of(format!("{MD5}:password")).as_deref(), Some("password"));
        assert_eq!(of(format!("{MD5}:salt:password")).as_deref(), Some("password"));
        assert_eq!(of(format!("$dynamic_0${MD5}:a:b")).as_deref(), Some("a:b"));
        assert_eq!(of(format!("$NT${MD5}:$HEX[613a62]")).as_deref(), Some("$HEX[613a62]"));
        assert_eq!(of("none".to_owned()), None);
        assert!(is_of_potfile(format!("{MD5}:word").as_bytes()) && !is_of_potfile(b"anna:word"));
        assert!(has_count(format!("{MD5}:12").as_bytes()) && !has_count(format!("{MD5}:a").as_bytes()));
    }

    #[test]
    fn accounts_have_a_password_before_their_other_fields() {
        for line in [
            "anna:pass:1000:1000:Anna B,,,:/home/anna:/bin/sh".to_owned(),
            "anna:p:a:ss:1000:1000:Anna:/home/anna:".to_owned(),
            format!("anna:pass:1000:{MD5}:{MD5}:::"),
            format!("anna:p:ass:1000::{MD5}:::"),
        ] {
            assert!(is_account(line.as_bytes()), "{line}");
        }
        for line in [
            "anna:x:1000:1000:Anna:/home/anna:/bin/sh".to_owned(),
            "pass:1000:1000:Anna:/home/anna:/bin/sh".to_owned(),
            format!("pass:1000:{MD5}:{MD5}:::"),
            "anna:p:a:s:s:w:o".to_owned(),
            "anna,pass,10:11:12:13:14:15".to_owned(),
        ] {
            assert!(!is_account(line.as_bytes()), "{line}");
        }
    }

    #[test]
    fn addresses_may_have_a_scheme_and_a_port() {
        for line in [
            "https://example.org/login:anna:p:w",
            "https://example.org:8443/login:anna:p:w",
            "example.org:anna:p:w",
            "android://key@com.example/:anna:p:w",
        ] {
            assert_eq!(of_url(line.as_bytes()), Some(&b"p:w"[..]), "{line}");
            assert!(is_of_url(line.as_bytes()), "{line}");
        }
        for line in ["a@example.org:b:c", "anna:b:c", "http://a", "12:34:56"] {
            assert!(!is_of_url(line.as_bytes()), "{line}");
        }
    }
}
