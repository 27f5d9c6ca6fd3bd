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
mod tests;
