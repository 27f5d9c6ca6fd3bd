//! Whether a file looks like one of hunspell, by its beginning.

use super::charset::BOM;
use super::entry;
use super::rule::Kind;

/// What the lines of `.aff` files begin with.
const KEYWORDS: &[&str] = &[
    "AF",
    "AM",
    "BREAK",
    "CHECKCOMPOUNDCASE",
    "CHECKCOMPOUNDDUP",
    "CHECKCOMPOUNDPATTERN",
    "CHECKCOMPOUNDREP",
    "CHECKCOMPOUNDTRIPLE",
    "CHECKSHARPS",
    "CIRCUMFIX",
    "COMPLEXPREFIXES",
    "COMPOUNDBEGIN",
    "COMPOUNDEND",
    "COMPOUNDFLAG",
    "COMPOUNDFORBIDFLAG",
    "COMPOUNDLAST",
    "COMPOUNDMIDDLE",
    "COMPOUNDMIN",
    "COMPOUNDMORESUFFIXES",
    "COMPOUNDPERMITFLAG",
    "COMPOUNDROOT",
    "COMPOUNDRULE",
    "COMPOUNDSYLLABLE",
    "COMPOUNDWORDMAX",
    "FIRST",
    "FLAG",
    "FORBIDDENWORD",
    "FORBIDWARN",
    "FORCEUCASE",
    "FULLSTRIP",
    "HOME",
    "ICONV",
    "IGNORE",
    "KEEPCASE",
    "KEY",
    "LANG",
    "LEMMA_PRESENT",
    "MAP",
    "MAXCPDSUGS",
    "MAXDIFF",
    "MAXNGRAMSUGS",
    "NAME",
    "NEEDAFFIX",
    "NOSPLITSUGS",
    "NOSUGGEST",
    "OCONV",
    "ONLYINCOMPOUND",
    "ONLYMAXDIFF",
    "PFX",
    "PHONE",
    "PSEUDOROOT",
    "REP",
    "SET",
    "SFX",
    "SIMPLIFIEDTRIPLE",
    "SUBSTANDARD",
    "SUGSWITHDOTS",
    "SYLLABLENUM",
    "TRY",
    "VERSION",
    "WARN",
    "WORDCHARS",
];

/// Whether `keyword` begins a line of an `.aff` file.
pub(super) fn is_keyword(keyword: &[u8]) -> bool {
    KEYWORDS.iter().any(|known| known.as_bytes() == keyword)
}

/// Whether a file with this beginning looks like an `.aff` file: nearly all of its lines begin with a keyword
/// of the format, and some say what only such a file does.
pub fn looks_like_affixes(beginning: &[u8]) -> bool {
    let (mut lines, mut known, mut certain) = (0_usize, 0_usize, 0_usize);
    for line in whole_lines(beginning) {
        let fields: Vec<&[u8]> =
            line.split(u8::is_ascii_whitespace).filter(|field| !field.is_empty()).take(5).collect();
        let Some(first) = fields.first().filter(|first| !first.starts_with(b"#")) else { continue };
        lines = lines.saturating_add(1);
        known = known.saturating_add(usize::from(is_keyword(first)));
        certain = certain.saturating_add(usize::from(is_certain(&fields)));
    }
    certain > 0 && known.saturating_mul(5) >= lines.saturating_mul(4)
}

/// A line that is in no other kind of file: a setting with a value that it can have.
fn is_certain(fields: &[&[u8]]) -> bool {
    match *fields {
        [b"SET", label] => super::charset::of_label(label).is_some(),
        [b"FLAG", value] => [&b"long"[..], b"num", b"UTF-8"].contains(&value),
        [keyword, _, b"Y" | b"N", count, ..] => {
            let kind = std::str::from_utf8(keyword).ok().and_then(Kind::of);
            kind.is_some() && count.iter().all(u8::is_ascii_digit)
        }
        [b"REP" | b"MAP" | b"AF" | b"ICONV" | b"BREAK", count] => count.iter().all(u8::is_ascii_digit),
        [b"TRY", letters] => letters.len() >= 10,
        _ => false,
    }
}

/// Whether a file with this beginning looks like a `.dic` file: its first line is a number that its lines
/// allow, and many of the others have flags. A dictionary without flags looks like any list of words.
pub fn looks_like_dictionary(beginning: &[u8]) -> bool {
    let mut lines = whole_lines(beginning);
    let Some(count) = lines.next().and_then(|first| entry::count(&String::from_utf8_lossy(first))) else {
        return false;
    };
    let (mut words, mut flagged, mut other) = (0_u64, 0_u64, 0_u64);
    for line in lines.filter(|line| !line.trim_ascii().is_empty()) {
        words = words.saturating_add(1);
        match slash(line) {
            Slash::None => {}
            Slash::Flags => flagged = flagged.saturating_add(1),
            Slash::Other => other = other.saturating_add(1),
        }
    }
    // The number is often out of date, but never by much. It can be far more than the lines seen here.
    let allowed = count > 0 && words <= count.saturating_add(count / 4).saturating_add(16);
    allowed && flagged.saturating_mul(20) >= words.max(1) && flagged > other.saturating_mul(3)
}

/// What the slashes of a line are.
#[derive(Debug, PartialEq, Eq)]
enum Slash {
    None,
    Flags,
    Other,
}

/// The bytes of flags that an entry has at most: a hundred flags in numbers.
const MAX_FLAGS: usize = 600;

fn slash(line: &[u8]) -> Slash {
    let line = line.trim_ascii_end();
    let end = line.iter().position(|&b| b == b'\t').unwrap_or(line.len());
    let line = line.get(..end).unwrap_or(line);
    let mut slashes = memchr::memchr_iter(b'/', line)
        .filter(|&at| at.checked_sub(1).is_none_or(|before| line.get(before) != Some(&b'\\')));
    let Some(at) = slashes.next() else { return Slash::None };
    let (stem, flags) = (line.get(..at).unwrap_or_default(), line.get(at..).unwrap_or_default());
    let flags = flags.get(1..).unwrap_or_default();
    let flags = flags.split(|&b| b == b' ').next().unwrap_or_default();
    let is_path = stem.is_empty() || memchr::memchr(b'/', flags).is_some() || stem.ends_with(b":");
    if is_path || flags.is_empty() || flags.len() > MAX_FLAGS || is_number(stem) || is_word(flags) {
        return Slash::Other;
    }
    Slash::Flags
}

/// Half of a date or of a fraction.
fn is_number(stem: &[u8]) -> bool {
    stem.iter().all(u8::is_ascii_digit)
}

/// The other half of `and/or`, or of `km/h`: small letters. Flags of a dictionary that are all small letters
/// are some of many.
fn is_word(flags: &[u8]) -> bool {
    flags.iter().all(u8::is_ascii_lowercase)
}

/// The lines of `beginning`. Its last one is left out if it can be cut off.
fn whole_lines(beginning: &[u8]) -> impl Iterator<Item = &[u8]> {
    let text = beginning.strip_prefix(BOM).unwrap_or(beginning);
    let end = memchr::memrchr(b'\n', text).unwrap_or(text.len());
    text.get(..end).unwrap_or(text).split(|&b| b == b'\n')
}
