//! Reads lines of lists into entries, and counts the accepted lines and the skipped ones by reason. Nothing
//! is changed or dropped silently.

#![allow(clippy::arithmetic_side_effects, reason = "counts of lines, positions in a block")]

mod counts;
mod digest;

pub use counts::{LineCounts, Skip, Skipped};

use crate::{
    format::Kind,
    hash::Short,
    word::{MAX_DICTIONARY_CHARACTERS, Word, each_plain_form},
};

/// The format of lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineFormat {
    /// Words, or digests in hexadecimal.
    pub kind: Kind,
    /// Digest lines with a smaller count (`HASH:COUNT`) are skipped.
    pub min_count: u64,
}

impl LineFormat {
    /// The count in the line of a digest; none for words, whose lines have no count.
    pub fn count(&self, line: &[u8]) -> Option<u64> {
        digest::count(line, usize::from(self.kind.digest_bytes()?))
    }

    /// Reads one line into `entry`: the cleaned word, or the bytes of the digest.
    ///
    /// # Errors
    /// The reason to skip the line.
    pub fn read_line(&self, line: &[u8], entry: &mut Entry) -> Result<(), Skip> {
        match self.kind {
            Kind::Words => read_word(line, &mut entry.word),
            Kind::Sha1 => self.read_digest::<20>(line, |digest| entry.set_digest(digest)),
            Kind::Ntlm => self.read_digest::<16>(line, |digest| entry.set_digest(digest)),
        }
    }

    /// Passes every entry of `block`, whole lines that end in LF or CR LF, to `entries`, and counts the
    /// lines. Words are passed in these `forms`.
    #[inline]
    pub(crate) fn read_entries(
        &self,
        block: &[u8],
        forms: Forms,
        word: &mut Word,
        entries: &mut impl Entries,
    ) -> LineCounts {
        let mut counts = LineCounts::default();
        for line in lines(block) {
            counts.count(match self.kind {
                Kind::Words => match Short::lower_case(line) {
                    Some(short) => {
                        entries.short(short);
                        Ok(())
                    }
                    None => read_word(line, word).map(|()| forms.of(word, |form| entries.word(form))),
                },
                Kind::Sha1 => self.read_digest::<20>(line, |digest| entries.digest(digest)),
                Kind::Ntlm => self.read_digest::<16>(line, |digest| entries.digest(digest)),
            });
        }
        counts
    }

    #[inline]
    fn read_digest<const N: usize>(&self, line: &[u8], take: impl FnOnce(&[u8])) -> Result<(), Skip> {
        let mut bytes = [0; N];
        digest::read(line, self.min_count, &mut bytes)?;
        take(&bytes);
        Ok(())
    }

    /// Calls `each` with every entry of `block`, whole lines that end in LF or CR LF, and counts them.
    pub fn read_block(&self, block: &[u8], entry: &mut Entry, mut each: impl FnMut(&Entry)) -> LineCounts {
        let mut counts = LineCounts::default();
        for line in lines(block) {
            let outcome = self.read_line(line, entry);
            if outcome.is_ok() {
                each(entry);
            }
            counts.count(outcome);
        }
        counts
    }
}

/// The forms in which a word of a list is stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Forms {
    /// As written, for a spelling dictionary.
    #[default]
    Written,
    /// Also as typed without accents: `schön` as `schon` and `schoen`, too.
    Plain,
}

impl Forms {
    /// Calls `each` with the word, then with its other forms.
    pub(crate) fn of(self, word: &Word, mut each: impl FnMut(&Word)) {
        each(word);
        if self == Forms::Plain {
            each_plain_form(word, each);
        }
    }
}

/// A receiver for the entries of a block, many of them in machine words.
pub(crate) trait Entries {
    /// A word of at most 16 visible ASCII characters, in lower case.
    fn short(&mut self, word: Short);

    /// Any other word.
    fn word(&mut self, word: &Word);

    /// A digest.
    fn digest(&mut self, digest: &[u8]);
}

/// The lines of a block, without their ends; a last line without an end counts.
#[inline]
fn lines(block: &[u8]) -> impl Iterator<Item = &[u8]> {
    let last = block.last().filter(|&&byte| byte != b'\n').map(|_| block.len());
    let mut start = 0;
    memchr::memchr_iter(b'\n', block).chain(last).map(move |end| {
        let line = block.get(start..end).unwrap_or_default();
        start = end + 1;
        line.strip_suffix(b"\r").unwrap_or(line)
    })
}

/// Divides a block into at most `parts` parts of whole lines of about the same size.
pub fn split_lines(block: &[u8], parts: usize) -> Vec<&[u8]> {
    let mut rest = block;
    let mut divided = Vec::with_capacity(parts);
    for left in (1..=parts).rev() {
        let about = rest.len().checked_div(left).unwrap_or(0);
        let (_, after) = rest.split_at_checked(about).unwrap_or_default();
        let to_line_end = memchr::memchr(b'\n', after).map_or(after.len(), |at| at + 1);
        let (part, next) = rest.split_at_checked(about + to_line_end).unwrap_or((rest, &[]));
        if !part.is_empty() {
            divided.push(part);
        }
        rest = next;
    }
    divided
}

fn read_word(line: &[u8], word: &mut Word) -> Result<(), Skip> {
    word.assign(line).map_err(|_| Skip::TooLong)?;
    if word.len() > MAX_DICTIONARY_CHARACTERS {
        return Err(Skip::TooLong);
    }
    if is_blank(line) || word.is_empty() {
        return Err(Skip::Blank);
    }
    if has_control(line) { Err(Skip::Control) } else { Ok(()) }
}

fn is_blank(line: &[u8]) -> bool {
    match line.first() {
        None => true,
        Some(first) if first.is_ascii_graphic() => false,
        Some(_) => std::str::from_utf8(line).is_ok_and(|text| text.trim().is_empty()),
    }
}

fn has_control(line: &[u8]) -> bool {
    if line.is_ascii() {
        return line.iter().any(u8::is_ascii_control);
    }
    line.utf8_chunks().any(|chunk| chunk.valid().chars().any(char::is_control))
}

/// A line that was read: a word or a digest, in reusable buffers.
pub struct Entry {
    /// The word, for [`Kind::Words`].
    pub word: Word,
    /// The digest, for the other kinds.
    pub digest: Vec<u8>,
}

impl Default for Entry {
    fn default() -> Entry {
        Entry { word: Word::with_full_capacity(), digest: Vec::with_capacity(20) }
    }
}

impl Entry {
    fn set_digest(&mut self, digest: &[u8]) {
        self.digest.clear();
        self.digest.extend_from_slice(digest);
    }

    /// Calls `each` with the plain forms of a word, in `form`; a digest has none.
    pub(crate) fn each_plain_form(&self, form: &mut Entry, mut each: impl FnMut(&Entry)) {
        each_plain_form(&self.word, |plain| {
            form.word.clone_from(plain);
            each(form);
        });
    }

    /// The bytes that are hashed.
    pub fn bytes(&self, kind: Kind) -> &[u8] {
        if kind == Kind::Words { self.word.as_bytes() } else { &self.digest }
    }

    /// Characters of the word or bytes of the digest.
    pub fn len(&self, kind: Kind) -> usize {
        if kind == Kind::Words { self.word.len() } else { self.digest.len() }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Collects the bytes of entries.
    struct Collected(Vec<Vec<u8>>);

    impl Entries for Collected {
        fn short(&mut self, word: Short) {
            self.0.push(word.bytes().collect());
        }

        fn word(&mut self, word: &Word) {
            self.0.push(word.as_bytes().to_vec());
        }

        fn digest(&mut self, digest: &[u8]) {
            self.0.push(digest.to_vec());
        }
    }

    proptest! {
        #[test]
        fn entries_are_the_same_however_they_are_read(
            kind in prop::sample::select(vec![Kind::Words, Kind::Sha1, Kind::Ntlm]),
            block in
                "([ -~\\t]{0,18}|[éA-f0-9ﬁ\u{a0}]{1,9}|[0-9a-fA-F]{40}(:[0-9]{0,20})?|\u{85}|\r?\n){0,30}"
        ) {
            let (entries, counts) = read(kind, 3, block.as_bytes());
            let (format, mut again) = (LineFormat { kind, min_count: 3 }, Collected(Vec::new()));
            let (block, forms) = (block.as_bytes(), Forms::Written);
            let read = format.read_entries(block, forms, &mut Word::default(), &mut again);
            prop_assert_eq!(read, counts);
            prop_assert_eq!(again.0, entries);
        }
    }

    fn read(kind: Kind, min_count: u64, block: &[u8]) -> (Vec<Vec<u8>>, LineCounts) {
        let mut entries = Vec::new();
        let format = LineFormat { kind, min_count };
        let counts = format.read_block(block, &mut Entry::default(), |entry| {
            entries.push(entry.bytes(kind).to_vec());
        });
        (entries, counts)
    }

    #[test]
    fn words_with_all_kinds_of_line_ends() {
        let (words, counts) = read(Kind::Words, 0, b"One\r\ntwo\n\nthree words");
        assert_eq!(words, [&b"one"[..], b"two", b"three words"]);
        assert_eq!((counts.read, counts.accepted), (4, 3));
        assert_eq!(counts.skipped_for(Skip::Blank), Skipped { lines: 1, first: 3 });
    }

    #[test]
    fn every_reason_is_counted_with_its_first_line() {
        let long = "x".repeat(256);
        let block = format!("ok\n \t\n{long}\na\tb\n{long}\n\u{a0}\nb\u{85}c\n");
        let (words, counts) = read(Kind::Words, 0, block.as_bytes());
        assert_eq!(words, [b"ok"]);
        assert_eq!(counts.skipped_for(Skip::Blank), Skipped { lines: 2, first: 2 });
        assert_eq!(counts.skipped_for(Skip::TooLong), Skipped { lines: 2, first: 3 });
        assert_eq!(counts.skipped_for(Skip::Control), Skipped { lines: 2, first: 4 });
    }

    #[test]
    fn digests_in_either_case_with_and_without_counts() {
        let block = b"5BAA61E4C9B93F3F0682250B6CF8331B7EE68FD8:52256179\n\
            5baa61e4c9b93f3f0682250b6cf8331b7ee68fd9\n5BAA61E4C9B93F3F0682250B6CF8331B7EE68FDA:1\nxyz\n\
            5BAA61E4C9B93F3F0682250B6CF8331B7EE68FD8:\n5BAA61E4C9B93F3F0682250B6CF8331B7EE68FDG:9\n";
        let (digests, counts) = read(Kind::Sha1, 2, block);
        assert_eq!(digests.len(), 1);
        assert_eq!(digests.first().and_then(|digest| digest.first()), Some(&0x5b));
        assert_eq!(counts.skipped_for(Skip::Rare).lines, 2);
        assert_eq!(counts.skipped_for(Skip::Malformed), Skipped { lines: 3, first: 4 });
        let counts = |line: &[u8]| LineFormat { kind: Kind::Sha1, min_count: 0 }.count(line);
        let digest = b"5BAA61E4C9B93F3F0682250B6CF8331B7EE68FD8";
        assert_eq!([counts(&[digest, &b":17 "[..]].concat()), counts(digest)], [Some(17), Some(1)]);
        assert_eq!(LineFormat { kind: Kind::Words, min_count: 0 }.count(b"word:17"), None);
        let (ntlm, _) = read(Kind::Ntlm, 0, b"8846F7EAEE8FB117AD06BDD830B7586C:9\n");
        assert_eq!(ntlm.first().map(Vec::len), Some(16));
    }

    #[test]
    fn parts_are_whole_lines_and_nothing_is_lost() {
        let block: Vec<u8> = (0..1000).flat_map(|i| format!("word{i}\n").into_bytes()).collect();
        for parts in 1..9 {
            let divided = split_lines(&block, parts);
            assert!(divided.len() <= parts);
            assert_eq!(divided.concat(), block);
            assert!(divided.iter().all(|part| part.ends_with(b"\n")));
        }
        assert_eq!(split_lines(b"one", 4).concat(), b"one");
        assert!(split_lines(b"", 4).is_empty());
    }

    #[test]
    fn counts_append_with_line_numbers() {
        let (_, mut first) = read(Kind::Words, 0, b"a\nb\n");
        let (_, second) = read(Kind::Words, 0, b"c\n\n");
        first.append(&second);
        assert_eq!((first.read, first.accepted), (4, 3));
        assert_eq!(first.skipped_for(Skip::Blank), Skipped { lines: 1, first: 4 });
    }
}
