//! The facts in a filter's header, for `build`, `info` and other commands.

use std::{
    io::{self, Write},
    time::{Duration, UNIX_EPOCH},
};

use humantime::format_rfc3339_seconds;
use indicatif::BinaryBytes;
use nearmiss_filters::{
    dictionary::{
        builder::{EXACT_EXTENSION, EXACT_WORDS},
        sizing::{Demand, is_useless},
    },
    format::{Header, Kind, SchemeId},
};
use serde::Serialize;

use super::{about, access::Readers, counted, digits, things};

/// What follows the number of a filter's pages: the number of further ones, if it has a table of 4-grams.
pub fn and_table(pages: u64) -> String {
    if pages > 0 { format!(" and {pages} of the table of 4-grams") } else { String::new() }
}

/// The facts in a filter's header.
#[derive(Clone, Serialize)]
pub struct Facts {
    kind: &'static str,
    #[serde(rename = "match")]
    matching: &'static str,
    scheme: &'static str,
    words: u64,
    lines: u64,
    extension: u64,
    capacity: u64,
    file_bytes: u64,
    bits_per_word: f64,
    pages: u64,
    #[serde(skip)]
    table_pages: u64,
    group_bits: u8,
    word_bits: u8,
    deletion_bits: u8,
    false_rejection: f64,
    rate_characters: u16,
    rate_lookups: u16,
    stated_rate_per_lookup: f64,
    symbols: usize,
    shortest: u16,
    longest: u16,
    key_fingerprint: String,
    created: Option<String>,
    #[serde(skip)]
    is_useless: bool,
    /// The read access of the file, if it exists.
    #[serde(flatten)]
    readers: Option<Readers>,
}

impl Facts {
    /// The facts of this header.
    pub fn of(header: &Header) -> Facts {
        let facts = Facts {
            kind: header.kind.name(),
            matching: header.matching.name(),
            scheme: header.scheme.name(),
            words: header.words,
            lines: header.lines,
            extension: header.extension,
            capacity: header.capacity,
            file_bytes: 0,
            bits_per_word: 0.0,
            pages: header.pages,
            table_pages: header.four_gram_pages.into(),
            group_bits: header.group_bits,
            word_bits: header.word_bits,
            deletion_bits: header.deletion_bits,
            false_rejection: header.stated.false_rejection,
            rate_characters: header.stated.characters,
            rate_lookups: header.stated.lookups,
            stated_rate_per_lookup: Demand::of(header).stated_lookup_rate(),
            symbols: header.alphabet.len(),
            shortest: header.lengths.0,
            longest: header.lengths.1,
            key_fingerprint: format!("{:08x}", header.key.fingerprint()),
            created: (header.created > 0).then(|| utc(header.created)),
            is_useless: is_useless(header),
            readers: None,
        };
        facts.with_file_bytes(header.file_bytes())
    }

    /// The facts of a file whose length differs from the one in its header.
    #[allow(clippy::cast_precision_loss, reason = "sizes of files, shown to a tenth of a bit")]
    #[must_use]
    pub fn with_file_bytes(self, file_bytes: u64) -> Facts {
        Facts { file_bytes, bits_per_word: file_bytes as f64 * 8.0 / self.words.max(1) as f64, ..self }
    }

    /// The facts of a file with these readers.
    #[must_use]
    pub fn with_readers(self, readers: Readers) -> Facts {
        Facts { readers: Some(readers), ..self }
    }

    /// Writes the facts as text, a line each.
    ///
    /// # Errors
    /// The errors of `out`.
    pub fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        let entry = if self.kind == Kind::Words.name() { "word" } else { "digest" };
        let is_estimate = |count: u64| count > EXACT_WORDS as u64;
        writeln!(
            out,
            "  holds           {} {} of {}; room for {}",
            about(self.words, is_estimate(self.words)),
            things(self.words, entry),
            counted(self.lines, "line"),
            about(self.capacity, is_estimate(self.capacity) && self.capacity == self.words)
        )?;
        write!(out, "  size            {} ({} bytes)", BinaryBytes(self.file_bytes), self.file_bytes)?;
        if self.words > 0 {
            write!(out, ", {} bits for each", digits(self.bits_per_word))?;
        }
        writeln!(out)?;
        writeln!(out, "  kind            {}, {} match, scheme {}", self.kind, self.matching, self.scheme)?;
        self.write_layers(out)?;
        writeln!(
            out,
            "  stated rate     {} of passwords of {} characters rejected by accident, at up to {} each",
            digits(self.false_rejection),
            self.rate_characters,
            counted(self.rate_lookups.into(), "lookup")
        )?;
        if self.is_useless {
            writeln!(out, "  USELESS         {}", self.uselessness())?;
        }
        writeln!(out, "  key             fingerprint {}", self.key_fingerprint)?;
        writeln!(out, "  built           {}", self.created.as_deref().unwrap_or("not recorded"))?;
        let Some(readers) = &self.readers else { return Ok(()) };
        write!(out, "  access          ")?;
        readers.write(out)?;
        writeln!(out)
    }

    /// The meaning of a stated rate that is too high for any policy, and the fix.
    pub fn uselessness(&self) -> String {
        let (rate, lookup) = (digits(self.false_rejection), digits(self.stated_rate_per_lookup));
        let (of_lookups, or) = if self.rate_lookups > 1 {
            (format!(" (a single lookup {lookup})"), ", or one for single lookups with --no-variants")
        } else {
            (String::new(), "")
        };
        format!("false rejection rate is {rate}{of_lookups}: build a larger filter{or}")
    }

    /// True if no policy should query the filter.
    pub fn is_useless(&self) -> bool {
        self.is_useless
    }

    fn write_layers(&self, out: &mut dyn Write) -> io::Result<()> {
        write!(
            out,
            "  layers          {} of 4 KiB{}; {} bits a word",
            counted(self.pages, "page"),
            and_table(self.table_pages),
            self.word_bits
        )?;
        if self.scheme == SchemeId::Deletions.name() {
            write!(out, ", {} a deletion", self.deletion_bits)?;
            if self.deletion_bits > 0 {
                let extension = about(self.extension, self.extension > EXACT_EXTENSION as u64);
                write!(out, " of {extension} {}", things(self.extension, "deletion"))?;
            }
        }
        if self.group_bits > 0 {
            write!(out, "; sorted by the first {} of the digests", counted(self.group_bits.into(), "bit"))?;
        }
        writeln!(out)?;
        if self.kind != Kind::Words.name() {
            return Ok(());
        }
        let lengths = if self.shortest == self.longest {
            counted(self.longest.into(), "character")
        } else {
            format!("{} to {} characters", self.shortest, self.longest)
        };
        write!(out, "  words           of {lengths}")?;
        if self.symbols > 0 {
            write!(out, ", {} different ones", self.symbols)?;
        }
        writeln!(out)
    }
}

/// Seconds since 1970 as a date and time in UTC (RFC 3339); past the year 9999, which that format cannot
/// write, as `@SECONDS`, which date(1) reads.
pub fn utc(seconds: u64) -> String {
    const YEAR_10000: u64 = 253_402_300_800;
    let time = UNIX_EPOCH.checked_add(Duration::from_secs(seconds)).filter(|_| seconds < YEAR_10000);
    time.map_or(format!("@{seconds}"), |time| format_rfc3339_seconds(time).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        assert_eq!(utc(1_709_251_199), "2024-02-29T23:59:59Z");
        assert_eq!(utc(253_402_300_799), "9999-12-31T23:59:59Z");
        assert_eq!(utc(253_402_300_800), "@253402300800");
        assert_eq!(utc(u64::MAX), "@18446744073709551615");
    }
}
