//! Lists of any bytes: compressed or not, words or digests.

use nearmiss_filters::{
    format::Kind,
    list::{Entry, LineFormat, split_lines},
    word::MAX_DICTIONARY_CHARACTERS,
};

use super::{input::Input, word_list};

/// The most bytes of a list's text that are looked at.
const MAX: usize = 16 << 20;

/// Any bytes as a list's file: read as UTF-8 text of whole lines, or refused in one line.
pub fn list(bytes: &[u8]) {
    match word_list::read_list(bytes, MAX).expect("a temporary file can be written") {
        Ok(text) => assert!(std::str::from_utf8(&text).is_ok(), "text is handed over as UTF-8"),
        Err(told) => assert!(!told.is_empty() && !told.contains('\n'), "{told:?}"),
    }
}

/// Any bytes as lines of words: each line is counted once, entries are clean and within their length, and
/// dividing the work changes neither.
pub fn lines(bytes: &[u8]) {
    let (whole, counts) = read(Kind::Words, 0, bytes);
    assert_eq!(counts.0, counts.1 + counts.2, "each line is accepted or skipped");
    assert_eq!(whole.len() as u64, counts.1);
    let parts = split_lines(bytes, 3);
    assert_eq!(parts.concat(), bytes);
    let divided: Vec<_> = parts.iter().flat_map(|part| read(Kind::Words, 0, part).0).collect();
    assert!(divided == whole, "dividing the list changed its words");
}

/// Any bytes as lines of digests: accepted exactly when the line is hexadecimal, with a count that suffices.
pub fn digests(bytes: &[u8]) {
    let mut input = Input(bytes);
    let (kind, digits) = if input.byte() & 1 == 0 { (Kind::Sha1, 40) } else { (Kind::Ntlm, 32) };
    let min_count = u64::from(input.byte());
    let (entries, counts) = read(kind, min_count, input.0);
    let expected: Vec<_> = ends(input.0).filter_map(|line| digest(line, digits, min_count)).collect();
    assert!(entries == expected, "{entries:x?} for {expected:x?}");
    assert_eq!(counts.0, counts.1 + counts.2);
}

/// Entries; lines read, accepted and skipped.
fn read(kind: Kind, min_count: u64, block: &[u8]) -> (Vec<Vec<u8>>, (u64, u64, u64)) {
    let mut entries = Vec::new();
    let counts = LineFormat { kind, min_count }.read_block(block, &mut Entry::default(), |entry| {
        assert!((1..=MAX_DICTIONARY_CHARACTERS).contains(&entry.len(kind)));
        entries.push(entry.bytes(kind).to_vec());
    });
    let skipped = counts.skipped.iter().map(|skipped| skipped.lines).sum();
    (entries, (counts.read, counts.accepted, skipped))
}

fn ends(block: &[u8]) -> impl Iterator<Item = &[u8]> {
    let block = block.strip_suffix(b"\n").unwrap_or(block);
    let is_empty = block.is_empty();
    let lines = block.split(|&byte| byte == b'\n').filter(move |_| !is_empty);
    lines.map(|line| line.strip_suffix(b"\r").unwrap_or(line))
}

/// A line read with the standard library's parsers alone.
fn digest(line: &[u8], digits: usize, min_count: u64) -> Option<Vec<u8>> {
    let text = line.get(..digits).filter(|text| text.iter().all(u8::is_ascii_hexdigit))?;
    let pair = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    let bytes = text.chunks(2).map(pair).collect::<Option<Vec<u8>>>()?;
    let rest = line[digits..].trim_ascii();
    let count = match rest.strip_prefix(b":") {
        None if rest.is_empty() => 1,
        None => return None,
        Some(number) => std::str::from_utf8(number.trim_ascii()).ok()?.parse::<u64>().ok()?,
    };
    (count >= min_count).then_some(bytes)
}
