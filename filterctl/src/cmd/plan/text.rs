//! A plan in words.

use std::io::{self, Write};

use indicatif::{BinaryBytes, HumanDuration};
use nearmiss_filters::dictionary::sizing::rounded;

use super::FilterPlan;
use crate::report::{Report, counted, digits};

impl Report for FilterPlan {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        let entry = match self.kind {
            "sha1" => "SHA-1 digest",
            "ntlm" => "NTLM digest",
            _ => "word",
        };
        write!(out, "  holds           {}", counted(self.entries, entry))?;
        if self.derived_strings > 0 {
            write!(out, ", {} derived from them", counted(self.derived_strings, "string"))?;
        }
        writeln!(out)?;
        writeln!(
            out,
            "  size            {} ({} bytes), {} bits for each of them",
            BinaryBytes(self.file_bytes),
            self.file_bytes,
            digits(self.bits_per_entry)
        )?;
        writeln!(out, "  kind            {}, {} match, scheme {}", self.kind, self.matching, self.scheme)?;
        writeln!(
            out,
            "  layers          {} of 4 KiB; {} bits a word, {} a deletion",
            counted(self.pages, "page"),
            self.word_bits,
            self.deletion_bits
        )?;
        writeln!(
            out,
            "  rate            false rejections: at most {} of passwords of {} characters, {} each",
            digits(self.false_rejection),
            self.rate_characters,
            counted(self.rate_lookups.into(), "lookup")
        )?;
        writeln!(
            out,
            "                  false positives: {} of single lookups",
            digits(self.expected_rate_per_lookup)
        )?;
        if self.is_useless {
            writeln!(
                out,
                "  USELESS         rejects too many good passwords; plan more bits, or --no-variants for a \
                 policy whose variants and rules for structure are off"
            )?;
        }
        writeln!(out, "  memory          {} to build it", BinaryBytes(self.memory_bytes))?;
        writeln!(
            out,
            "  time            {} on {}, and {} to read lists of {}",
            duration(self.build_seconds),
            counted(self.threads as u64, "thread"),
            duration(self.reading_seconds),
            BinaryBytes(self.list_bytes)
        )?;
        let Some(in_order) = &self.in_order else { return Ok(()) };
        writeln!(
            out,
            "  in order        {} ({} bytes) and {} of memory from a list in ascending order; {} group bits",
            BinaryBytes(in_order.file_bytes),
            in_order.file_bytes,
            BinaryBytes(in_order.memory_bytes),
            in_order.group_bits
        )
    }
}

fn duration(seconds: f64) -> String {
    if seconds < 1.0 {
        return "less than a second".to_owned();
    }
    HumanDuration(std::time::Duration::from_secs(rounded(seconds))).to_string()
}
