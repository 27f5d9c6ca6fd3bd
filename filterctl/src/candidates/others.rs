//! Input that is no list of passwords: compressed, in UTF-16, with other line ends, or hashes. To check its
//! lines would accept everything.

use nearmiss_cli::{failure::Failure, input::packed, keys};
use nearmiss_lists::hashes::{self, Hash};

use super::{columns::CandidateColumns, reader};

/// The fewest lines of hashes that are refused where a line may be a password that looks like one.
const FEWEST_HASHES: usize = 3;

/// The byte-order marks of UTF-16.
const MARKS: [&[u8]; 2] = [b"\xff\xfe", b"\xfe\xff"];

/// Requires that the beginning of the input is lines of text.
///
/// # Errors
/// It is compressed, in UTF-16, or its lines end otherwise; the message has the command that converts it.
pub(crate) fn refuse_no_lines(lines: &[u8]) -> Result<(), Failure> {
    if let Some((name, command)) = packed(lines) {
        return Err(refused(&format!("is packed ({name}); unpack it: {command} FILE | filterctl check")));
    }
    let text = || reader::each(lines);
    let most = |is_so: fn(&[u8]) -> bool| {
        let so = text().filter(|line| is_so(line)).count();
        so > 0 && so.saturating_mul(2) >= text().count()
    };
    let zeros = memchr::memchr_iter(0, lines).count();
    // Every second byte of Latin text.
    let is_utf16 = zeros > 0 && zeros.saturating_mul(3) >= lines.len()
        || MARKS.iter().any(|mark| lines.starts_with(mark));
    let advice = if is_utf16 {
        "is in UTF-16; convert it: iconv -f UTF-16 -t UTF-8 FILE | filterctl check"
    } else if most(|line| line.contains(&0)) {
        "has NUL bytes between the passwords; convert it: tr '\\0' '\\n' < FILE | filterctl check"
    } else if most(|line| line.contains(&b'\r')) {
        "has carriage returns as line ends; convert it: tr '\\r' '\\n' < FILE | filterctl check"
    } else {
        return Ok(());
    };
    Err(refused(advice))
}

fn refused(advice: &str) -> Failure {
    Failure::plain(keys::STANDARD_INPUT, format!("standard input {advice}"))
}

/// True for a text that no password is: libpam ends it at a NUL byte, and nobody types a carriage return.
pub(crate) fn is_no_password(text: &[u8]) -> bool {
    text.contains(&0) || text.contains(&b'\r')
}

/// Refuses lines most of which contain hashes instead of passwords. If the whole line is the password, a few
/// of them are not refused, except lines of a shadow file: a text that looks like a hash may be a password.
/// `are_said` is true if the command line says that each line is a password.
///
/// # Errors
/// Most lines contain hashes; the message has the alternative.
pub(crate) fn refuse_hashes(lines: &[u8], columns: CandidateColumns, are_said: bool) -> Result<(), Failure> {
    let lines: Vec<&[u8]> = reader::each(lines).filter(|line| !line.trim_ascii().is_empty()).collect();
    let is_most = |count: usize| count > 0 && count.saturating_mul(2) >= lines.len();
    let has_users = columns != CandidateColumns::Password;
    if is_most(lines.iter().filter(|line| is_of_account(line, has_users)).count()) {
        return Err(salted());
    }
    let hashes: Vec<Hash> = lines.iter().filter_map(|line| hash_of(line, columns)).collect();
    if are_said || hashes.len() < FEWEST_HASHES || !is_most(hashes.len()) {
        return Ok(());
    }
    let digests = match hashes.iter().find(|hash| !matches!(hash, Hash::Other(_))) {
        None => return Err(salted()),
        Some(Hash::Sha1) => "SHA-1 digests",
        Some(_) => "NTLM or MD5 digests",
    };
    Err(Failure::plain(
        keys::STANDARD_INPUT,
        format!(
            "standard input contains {digests}, not passwords: filterctl check --audit looks up lines such \
             as user:HASH in a filter of their kind; if each line is a password, pass --columns password"
        ),
    ))
}

fn salted() -> Failure {
    Failure::plain(
        keys::STANDARD_INPUT,
        "standard input contains password hashes, as in /etc/shadow, which cannot be checked; pass users \
         and plain passwords, or set enforce = \"audit\" in nearmiss.conf and read in the log which new \
         passwords would be rejected",
    )
}

/// The kind of hash that a line has in place of the password, with or without a user.
pub(crate) fn hash_of(line: &[u8], columns: CandidateColumns) -> Option<Hash> {
    let text = std::str::from_utf8(line).ok()?.trim();
    let of_account = || hashes::of(text.split(':').nth(1)?.trim_start());
    match columns {
        CandidateColumns::Password => hashes::of(text).or_else(of_account),
        CandidateColumns::UserPassword => of_account(),
        CandidateColumns::UserGecosPassword => hashes::of(text.split(':').nth(2)?),
    }
}

/// True for the line of an account in a shadow file, locked or not (shadow(5), crypt(5)), and, if `others`
/// count, for `user:$6$salt$hash` with or without more fields.
fn is_of_account(line: &[u8], counts_others: bool) -> bool {
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
    fn a_password_may_look_like_a_hash() {
        let list = b"x:$1$salt$hash\n";
        assert!(refuse_hashes(list, CandidateColumns::Password, false).is_ok());
        assert!(refuse_hashes(list, CandidateColumns::UserPassword, false).is_err());
        let digests = "5baa61e4c9b93f3f0682250b6cf8331b7ee68fd8\n".repeat(FEWEST_HASHES);
        assert!(refuse_hashes(digests.as_bytes(), CandidateColumns::Password, false).is_err());
        assert!(refuse_hashes(digests.as_bytes(), CandidateColumns::Password, true).is_ok());
    }

    #[test]
    fn hashes_are_refused_and_passwords_are_not() {
        let refuse = |list: &str| refuse_hashes(list.as_bytes(), CandidateColumns::UserPassword, false);
        for list in [
            "root:*:19000:0:99999:7:::\nanna:$y$j9T$salt$hash:19000:0:99999:7:::\n",
            "anna:$6$salt$hash\nbob:$5$rounds=5000$salt$hash\n",
            "anna:!$6$salt$hash:19000:0:99999:7:::\nbob:!:19000:0:99999:7:::\n",
        ] {
            let error = refuse(list).unwrap_err().to_string();
            assert!(error.contains("/etc/shadow") && error.contains("audit"), "{error}");
        }
        for list in
            ["", "anna:$ecret\nbob:$a$b\n", "password\n$1$x\n", "anna:pass:word\n", "a:b:c:d:e:f:g:h:i\n"]
        {
            assert!(refuse(list).is_ok(), "{list}");
        }
    }

    #[test]
    fn text_is_not_refused_for_one_strange_line() {
        for text in [
            "",
            "password\n",
            "pass\0word\npassword\npassword\n",
            "a\r\nb\r\n",
            "a\rb\nc\nd\n",
            "\u{feff}a\n",
        ] {
            assert!(refuse_no_lines(text.as_bytes()).is_ok(), "{text:?}");
        }
    }
}
