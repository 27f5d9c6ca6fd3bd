//! Whether a file looks like one of hunspell, by its beginning.

use super::charset::BOM;
use super::entry;
use super::kind::Kind;
use std::collections::HashSet;

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
    let mut seen = Slashes::default();
    lines.filter(|line| !line.trim_ascii().is_empty()).for_each(|line| seen.add(line));
    // The number is often out of date, but never by much. It can be far more than the lines seen here.
    let allowed = count > 0 && seen.lines <= count.saturating_add(count / 4).saturating_add(16);
    allowed && seen.are_flags()
}

/// What the slashes of lines are.
#[derive(Default)]
struct Slashes<'a> {
    lines: u64,
    flags: u64,
    /// Small letters, which are flags or the other half of `and/or`.
    words: u64,
    distinct_words: HashSet<&'a [u8]>,
    other: u64,
}

impl<'a> Slashes<'a> {
    fn add(&mut self, line: &'a [u8]) {
        self.lines = self.lines.saturating_add(1);
        let count = match slash(line) {
            Slash::None => return,
            Slash::Flags => &mut self.flags,
            Slash::Word(word) => {
                self.distinct_words.insert(word);
                &mut self.words
            }
            Slash::Other => &mut self.other,
        };
        *count = count.saturating_add(1);
    }

    fn are_flags(&self) -> bool {
        // Many entries have the same flags. The halves of `and/or`, `km/h` and the like are rarely the same.
        let distinct = u64::try_from(self.distinct_words.len()).unwrap_or(u64::MAX);
        let repeated = self.words >= distinct.saturating_mul(8);
        let (flags, other) = if repeated {
            (self.flags.saturating_add(self.words), self.other)
        } else {
            (self.flags, self.other.saturating_add(self.words))
        };
        flags.saturating_mul(50) >= self.lines.max(1) && flags > other.saturating_mul(3)
    }
}

/// What the slashes of a line are.
enum Slash<'a> {
    None,
    Flags,
    Word(&'a [u8]),
    Other,
}

/// The bytes of flags that an entry has at most: a hundred flags in numbers.
const MAX_FLAGS: usize = 600;

fn slash(line: &[u8]) -> Slash<'_> {
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
    if is_path || flags.len() > MAX_FLAGS || is_number(stem) {
        return Slash::Other;
    }
    if flags.is_empty() {
        return Slash::None;
    }
    if flags.iter().all(u8::is_ascii_lowercase) { Slash::Word(flags) } else { Slash::Flags }
}

/// Half of a date or of a fraction.
fn is_number(stem: &[u8]) -> bool {
    stem.iter().all(u8::is_ascii_digit)
}

/// The lines of `beginning`. Its last one is left out if it can be cut off.
fn whole_lines(beginning: &[u8]) -> impl Iterator<Item = &[u8]> {
    let text = beginning.strip_prefix(BOM).unwrap_or(beginning);
    let end = memchr::memrchr(b'\n', text).unwrap_or(text.len());
    text.get(..end).unwrap_or(text).split(|&b| b == b'\n')
}
