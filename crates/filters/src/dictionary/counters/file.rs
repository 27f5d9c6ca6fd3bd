//! The counts file, by FORMAT-COUNTS.md: a head, the filter's header, pages of counters, the pages of the
//! filter's table of 4-grams, the hashes of the words with their uses.

#![warn(clippy::arithmetic_side_effects, reason = "numbers of a file")]

use std::{fs::File, io::Read, path::Path};

use super::{COUNTER_PAGE_BYTES, CounterPage, Counters, CountsError, CountsProblem, uses::Uses};
use crate::{
    chunks::chunks,
    codec::{Crc32, Reader, Writer, crc32, is_sealed},
    format::{self, Header},
    page::{self, PAGE_BITS, PAGE_BYTES, Page},
    storage::{Act, Replacement, StorageError, open_trusted},
};

const MAGIC: [u8; 8] = *b"\x89NMC\r\n\x1a\n";

/// The format version written and read.
const VERSION: u16 = 1;

/// The length of the head in bytes: that of a page, so that everything after it lies on page boundaries.
const HEAD_BYTES: usize = PAGE_BYTES;

/// Offset of the checksum over the head and the filter's header, computed with itself as zero.
const CHECKSUM_AT: usize = 16;

/// Bytes of a page of counters before its checksum.
const CHECKED_BYTES: usize = COUNTER_PAGE_BYTES - 4;

/// Bytes of a word: its hash and its uses.
const WORD_BYTES: usize = 12;

/// Words hashed, read or written at once.
const BATCH: usize = 1 << 16;

/// The numbers of the head.
struct Head {
    header_bytes: u32,
    identity: u64,
    previous: u64,
    words: u64,
    extension: u64,
    words_checksum: u32,
}

impl Head {
    /// The head and the filter's header after it.
    fn encode(&self, header: &[u8]) -> Vec<u8> {
        let mut to = Writer::with_capacity(HEAD_BYTES.saturating_add(header.len()));
        to.put(&MAGIC);
        to.u16(VERSION);
        to.u16(0);
        to.u32(self.header_bytes);
        to.zeros_to(CHECKSUM_AT + 4);
        to.u32(self.words_checksum);
        for number in [self.identity, self.previous, self.words, self.extension] {
            to.u64(number);
        }
        to.zeros_to(HEAD_BYTES);
        to.put(header);
        to.finish_sealed(CHECKSUM_AT)
    }

    fn decode(bytes: &[u8]) -> Result<Head, CountsProblem> {
        let mut from = Reader::new(bytes);
        if from.take() != MAGIC {
            return Err(CountsProblem::NotCounts);
        }
        let got = from.u16();
        if got != VERSION {
            return Err(CountsProblem::Version { got, expected: VERSION });
        }
        let reserved = from.reserved::<2>();
        let header_bytes = from.u32();
        from.take::<4>(); // the checksum
        let words_checksum = from.u32();
        let (identity, previous, words, extension) = (from.u64(), from.u64(), from.u64(), from.u64());
        if reserved != 0 || from.reserved_to_end() != 0 {
            return Err(CountsProblem::HeadDamaged);
        }
        Ok(Head { header_bytes, identity, previous, words, extension, words_checksum })
    }

    /// Bytes of the whole file of a filter with this header.
    fn file_bytes(&self, header: &Header) -> u64 {
        let pages = header.pages.saturating_mul(COUNTER_PAGE_BYTES as u64);
        let four_grams = u64::from(header.four_gram_pages).saturating_mul(PAGE_BYTES as u64);
        let words = self.words.saturating_mul(WORD_BYTES as u64);
        pages
            .saturating_add(four_grams)
            .saturating_add(words)
            .saturating_add((HEAD_BYTES as u64).saturating_add(self.header_bytes.into()))
    }
}

impl Counters {
    /// Reads a counts file after the trusted walk, all of it checked.
    ///
    /// # Errors
    /// [`CountsError`] with the path.
    pub fn open(path: &Path) -> Result<Counters, CountsError> {
        read(path).map_err(|problem| CountsError { path: path.to_owned(), problem })
    }

    /// Writes the counts file that replaces another when it is committed.
    ///
    /// # Errors
    /// `StorageError`: a full disk, say. The old file is unchanged.
    pub fn write(&mut self, file: &mut Replacement) -> Result<(), StorageError> {
        let mut words: Vec<(u64, Uses)> = self.words.iter().map(|(&hash, &uses)| (hash, uses)).collect();
        words.sort_unstable_by_key(|(hash, _)| *hash);
        let mut words_checksum = Crc32::new();
        for batch in words.chunks(BATCH) {
            words_checksum.update(&bytes_of(batch));
        }
        let header = format::encode(&self.header);
        let head = Head {
            header_bytes: u32::try_from(header.len()).unwrap_or(u32::MAX),
            identity: self.identity,
            previous: self.previous,
            words: words.len() as u64,
            extension: self.extension,
            words_checksum: words_checksum.finalize(),
        };
        file.write(&head.encode(&header))?;
        for page in &mut self.pages {
            seal(page);
            file.write(page)?;
        }
        file.write(self.four_grams.as_flattened())?;
        words.chunks(BATCH).try_for_each(|batch| file.write(&bytes_of(batch)))
    }
}

fn read(path: &Path) -> Result<Counters, CountsProblem> {
    let mut file = open_trusted(path).map_err(CountsProblem::Storage)?;
    let got = file.metadata().map_err(|e| unreadable(path, e))?.len();
    if got < HEAD_BYTES as u64 {
        return Err(CountsProblem::NotCounts);
    }
    let mut bytes = vec![0; HEAD_BYTES];
    file.read_exact(&mut bytes).map_err(|e| unreadable(path, e))?;
    let head = Head::decode(&bytes)?;
    let header = read_header(&mut file, path, &head, bytes)?;
    let expected = head.file_bytes(&header);
    if expected != got {
        return Err(CountsProblem::Length { expected, got });
    }
    let mut counters = Counters::new(&header).map_err(CountsProblem::Memory)?;
    for (page, index) in counters.pages.iter_mut().zip(0..) {
        file.read_exact(page).map_err(|e| unreadable(path, e))?;
        if !is_intact(page) {
            return Err(CountsProblem::DamagedPage { index });
        }
    }
    counters.four_grams = read_four_grams(&mut file, path, &header)?;
    read_words(&mut counters, &mut file, path, &head)?;
    (counters.identity, counters.previous) = (head.identity, head.previous);
    counters.extension = head.extension;
    Ok(counters)
}

/// Reads the filter's header after the head in `bytes`; its length is trusted only up to the longest possible
/// header, and both are checked together.
fn read_header(
    file: &mut File,
    path: &Path,
    head: &Head,
    mut bytes: Vec<u8>,
) -> Result<Header, CountsProblem> {
    let length = u64::from(head.header_bytes.min(format::MAX_HEADER_BYTES));
    file.take(length).read_to_end(&mut bytes).map_err(|e| unreadable(path, e))?;
    let header = bytes.get(HEAD_BYTES..).unwrap_or_default();
    if header.len() as u64 != u64::from(head.header_bytes) || !is_sealed(&bytes, CHECKSUM_AT) {
        return Err(CountsProblem::HeadDamaged);
    }
    let decoded = format::decode_header(header).map_err(CountsProblem::Header)?;
    if decoded.header_bytes() == header.len() { Ok(decoded) } else { Err(CountsProblem::HeadDamaged) }
}

/// Reads the pages of the table of 4-grams, which are numbered after the pages of the counters.
fn read_four_grams(file: &mut File, path: &Path, header: &Header) -> Result<Vec<Page>, CountsProblem> {
    let read = |index| {
        let mut page = [0; PAGE_BYTES];
        file.read_exact(&mut page).map_err(|e| unreadable(path, e))?;
        if page::is_intact(&page) { Ok(page) } else { Err(CountsProblem::DamagedPage { index }) }
    };
    (header.pages..header.all_pages()).map(read).collect()
}

fn read_words(
    counters: &mut Counters,
    file: &mut File,
    path: &Path,
    head: &Head,
) -> Result<(), CountsProblem> {
    let mut hasher = Crc32::new();
    let mut bytes = vec![0; BATCH * WORD_BYTES];
    let (mut left, mut last, mut is_legal) = (head.words, None, true);
    while left > 0 {
        let count = usize::try_from(left).unwrap_or(usize::MAX).min(BATCH);
        let batch = bytes.get_mut(..count.saturating_mul(WORD_BYTES)).unwrap_or_default();
        file.read_exact(batch).map_err(|e| unreadable(path, e))?;
        hasher.update(batch);
        for word in chunks::<_, _, WORD_BYTES>(batch).0 {
            let mut from = Reader::new(word);
            let (hash, uses) = (from.u64(), Uses::decode(from.u32()));
            is_legal &= last.is_none_or(|last| last < hash) && uses.is_some();
            last = Some(hash);
            counters.words.insert(hash, uses.unwrap_or_default());
        }
        left = left.saturating_sub(count as u64);
    }
    if is_legal && hasher.finalize() == head.words_checksum {
        Ok(())
    } else {
        Err(CountsProblem::DamagedWords)
    }
}

fn unreadable(path: &Path, source: std::io::Error) -> CountsProblem {
    CountsProblem::Storage(StorageError::io(path, Act::Read, source))
}

fn bytes_of(words: &[(u64, Uses)]) -> Vec<u8> {
    let mut bytes = Writer::with_capacity(words.len().saturating_mul(WORD_BYTES));
    for (hash, uses) in words {
        bytes.u64(*hash);
        bytes.u32(uses.encode());
    }
    bytes.finish()
}

fn checksum(page: &CounterPage) -> [u8; 4] {
    crc32(page.first_chunk::<CHECKED_BYTES>().map_or(&[], |checked| checked)).to_le_bytes()
}

fn seal(page: &mut CounterPage) {
    let sum = checksum(page);
    if let Some(place) = page.last_chunk_mut() {
        *place = sum;
    }
}

/// Bytes of a page between its counters and its checksum: zeros.
const FILL_BYTES: usize = CHECKED_BYTES - PAGE_BITS as usize / 2;

fn is_intact(page: &CounterPage) -> bool {
    let fill = page.first_chunk::<CHECKED_BYTES>().and_then(|checked| checked.last_chunk::<FILL_BYTES>());
    fill == Some(&[0; FILL_BYTES]) && page.last_chunk() == Some(&checksum(page))
}
