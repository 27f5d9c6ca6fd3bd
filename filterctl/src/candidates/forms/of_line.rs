//! The forms of a line that has more than a password, or a password in another dress. Nothing is copied.

use data_encoding::{BASE32, BASE64, Encoding, HEXLOWER_PERMISSIVE};
use nearmiss_lists::PASSWORD_NAMES;
use zeroize::Zeroizing;

/// Fewer digits may be a password that decodes to a text by chance.
const SOME_DIGITS: usize = 8;

/// The most bytes that a group of digits is decoded to: eight of base32 are five.
const GROUP_BYTES: usize = 5;

pub(super) fn is_between(line: &[u8], first: u8, last: u8) -> bool {
    let line = line.trim_ascii();
    line.len() > 2 && line.first() == Some(&first) && line.last() == Some(&last)
}

pub(super) fn is_json(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    let line = line.strip_suffix(b",").unwrap_or(line);
    line.contains(&b'"') && (is_between(line, b'{', b'}') || is_between(line, b'[', b']'))
}

pub(super) fn is_quoted(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    let line = line.strip_suffix(b",").unwrap_or(line);
    is_between(line, b'"', b'"') || is_between(line, b'\'', b'\'')
}

/// A mail address and more after a colon.
pub(super) fn is_login(line: &[u8]) -> bool {
    split(line, b':').is_some_and(|(user, rest)| is_mail(user) && !rest.is_empty())
}

/// A mail address and more after a blank or another sign.
pub(super) fn has_mail_before(line: &[u8]) -> bool {
    let at = line.iter().position(|byte| matches!(byte, b' ' | b'\t' | b'|' | b';' | b','));
    let parts = at.and_then(|at| line.split_at_checked(at));
    parts.is_some_and(|(mail, rest)| is_mail(mail) && rest.len() > 1)
}

/// A mail address after a colon.
pub(super) fn has_mail_after(line: &[u8]) -> bool {
    split(line, b':').is_some_and(|(_, rest)| is_mail(rest.trim_ascii()))
}

fn is_mail(text: &[u8]) -> bool {
    split(text, b'@').is_some_and(|(name, host)| !name.is_empty() && host.contains(&b'.'))
}

/// The name of a password before an equals sign or a colon, also at the end of a name: `login_password`.
pub(super) fn has_label(line: &[u8]) -> bool {
    let Some(at) = line.iter().position(|byte| matches!(byte, b'=' | b':')) else { return false };
    let Some((label, value)) = line.split_at_checked(at) else { return false };
    let label = label.trim_ascii();
    let is_end = |name: &&str| {
        let start = label.len().checked_sub(name.len());
        let end = start.and_then(|start| label.get(start..));
        end.is_some_and(|end| end.eq_ignore_ascii_case(name.as_bytes()))
    };
    value.len() > 1 && PASSWORD_NAMES.iter().any(is_end)
}

/// A digest, and more after a blank, as `md5sum` writes it.
pub(super) fn has_digest_before(line: &[u8]) -> bool {
    split(line, b' ').is_some_and(|(digest, rest)| is_digest(digest) && !rest.is_empty())
}

/// A digest before a colon, in the place of a user.
pub(super) fn has_digest(line: &[u8]) -> bool {
    split(line, b':').is_some_and(|(digest, _)| is_digest(digest))
}

fn is_digest(text: &[u8]) -> bool {
    matches!(text.len(), 32 | 40 | 64 | 128) && text.iter().all(u8::is_ascii_hexdigit)
}

/// What is in the place of a user, with its colon.
pub(super) fn user(line: &[u8]) -> Option<&[u8]> {
    line.get(..=memchr::memchr(b':', line)?)
}

/// Columns with several blanks between.
pub(super) fn has_wide_blanks(line: &[u8]) -> bool {
    memchr::memmem::find(line.trim_ascii(), b"  ").is_some()
}

/// A row between bars.
pub(super) fn is_row(line: &[u8]) -> bool {
    is_between(line, b'|', b'|')
}

/// A number after a colon, and nothing else: a count, perhaps with thousands.
pub(super) fn has_number_behind(line: &[u8]) -> bool {
    let at = memchr::memrchr(b':', line).and_then(|at| line.split_at_checked(at.saturating_add(1)));
    let Some((before, number)) = at else { return false };
    let number = number.trim_ascii();
    let is_of_number = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b',' | b'.');
    before.len() > 1 && number.first().is_some_and(u8::is_ascii_digit) && number.iter().all(is_of_number)
}

/// What a line begins with, up to the first sign or blank, which most lines may have in common.
pub(super) fn beginning(line: &[u8]) -> Option<&[u8]> {
    let is_sign = |byte: &u8| matches!(byte, b' ' | b'\t' | b':' | b'=' | b'|' | b';' | b',');
    let at = line.iter().position(is_sign).filter(|&at| at > 1)?;
    line.get(..=at)
}

/// A name, an equals sign between blanks, and more.
pub(super) fn has_name_before_equals(line: &[u8]) -> bool {
    after_name(line, b" = ").is_some_and(|rest| rest.first().is_some_and(|byte| !byte.is_ascii_whitespace()))
}

/// A name and the sign, and a letter or a digit after it, as no smiley has.
pub(super) fn has_name_before(line: &[u8], sign: u8) -> bool {
    let is_of_word = |byte: &u8| byte.is_ascii_alphanumeric() || !byte.is_ascii();
    after_name(line, &[sign]).is_some_and(|rest| rest.first().is_some_and(is_of_word))
}

/// The rest of a line that begins with a name and this text.
fn after_name<'a>(line: &'a [u8], text: &[u8]) -> Option<&'a [u8]> {
    let (name, rest) = line.split_at_checked(memchr::memmem::find(line, text)?)?;
    rest.strip_prefix(text).filter(|_| is_name(name))
}

/// A name and the rest, with a blank between and no other.
pub(super) fn pair(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let (name, rest) = split(line.strip_suffix(b"\r").unwrap_or(line), b' ')?;
    let is_one = !rest.is_empty() && !rest.iter().any(u8::is_ascii_whitespace);
    (is_one && is_name(name)).then_some((name, rest))
}

/// A name of a user, or a mail address.
fn is_name(text: &[u8]) -> bool {
    const MOST: usize = 32;
    let is_of_name =
        |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-' | b'@' | b'\\');
    (1..=MOST).contains(&text.len()) && text.iter().all(is_of_name)
}

/// Text on both sides of the sign.
pub(super) fn has_columns(line: &[u8], sign: u8) -> bool {
    let line = line.trim_ascii();
    split(line, sign).is_some_and(|(before, after)| !before.is_empty() && !after.is_empty())
}

pub(super) fn has_three_columns(line: &[u8]) -> bool {
    split(line, b':').is_some_and(|(_, rest)| split(rest, b':').is_some())
}

pub(super) fn has_five_columns(line: &[u8]) -> bool {
    memchr::memchr_iter(b':', line).count() >= 4
}

/// As `uniq -c` writes it.
pub(super) fn has_count_before(line: &[u8]) -> bool {
    split(line.trim_ascii(), b' ').is_some_and(|(count, word)| is_number(count) && !word.is_empty())
}

pub(super) fn has_count_after(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    let at = line.iter().rposition(|&byte| byte == b' ' || byte == b'\t');
    let parts = at.and_then(|at| line.split_at_checked(at));
    parts.is_some_and(|(word, count)| !word.is_empty() && is_number(count.trim_ascii()))
}

/// As lists are numbered: `7. word`.
pub(super) fn has_number_before(line: &[u8]) -> bool {
    let Some((number, word)) = split(line.trim_ascii(), b' ') else { return false };
    let digits =
        number.strip_suffix(b".").or_else(|| number.strip_suffix(b")")).or_else(|| number.strip_suffix(b":"));
    digits.is_some_and(is_number) && !word.is_empty()
}

/// A text in base64: random bytes are a key of a generator.
pub(super) fn is_base64(line: &[u8]) -> bool {
    (line.last() == Some(&b'=') || line.len() >= SOME_DIGITS) && is_text_in(&BASE64, 4, line)
}

/// A text in base32, as [`is_base64`].
pub(super) fn is_base32(line: &[u8]) -> bool {
    (line.last() == Some(&b'=') || line.len() >= SOME_DIGITS) && is_text_in(&BASE32, 8, line)
}

/// A text as pairs of digits, letters among them: digits alone may be a password, and random bytes are a key
/// of a generator.
pub(super) fn is_hex(line: &[u8]) -> bool {
    let line = line.strip_prefix(b"0x").unwrap_or(line);
    line.len() >= 8
        && line.iter().any(u8::is_ascii_digit)
        && line.iter().any(u8::is_ascii_alphabetic)
        && is_text_in(&HEXLOWER_PERMISSIVE, 2, line)
}

/// True if a line is printable ASCII in this encoding, of which so many digits are a few bytes: these are
/// decoded at a time, so that no memory has the line.
pub(super) fn is_text_in(encoding: &Encoding, digits: usize, line: &[u8]) -> bool {
    let is_text = |part: &[u8]| {
        let mut bytes = Zeroizing::new([0; GROUP_BYTES]);
        let length = encoding.decode_len(part.len()).ok().filter(|length| *length <= bytes.len());
        let room = length.and_then(|length| bytes.get_mut(..length));
        let Some(length) = room.and_then(|room| encoding.decode_mut(part, room).ok()) else { return false };
        bytes.iter().take(length).all(|byte| matches!(byte, b' '..=b'~'))
    };
    line.chunks(digits).all(is_text)
}

pub(super) fn is_item(line: &[u8]) -> bool {
    let line = line.trim_ascii_start();
    [&b"- "[..], b"* ", b"+ ", "\u{2022} ".as_bytes()].iter().any(|sign| line.starts_with(sign))
}

pub(super) fn is_number(text: &[u8]) -> bool {
    !text.is_empty() && text.iter().all(u8::is_ascii_digit)
}

pub(super) fn split(text: &[u8], sign: u8) -> Option<(&[u8], &[u8])> {
    let at = memchr::memchr(sign, text)?;
    Some((text.get(..at)?, text.get(at.saturating_add(1)..)?))
}
