//! `filterlab study toy`: a Bloom filter of 16 bits, drawn with its false positives.

use std::io::{self, Write};

use nearmiss_cli::{
    exit::Exit,
    failure::{Failure, Outcome},
    keys,
    report::{self, Report},
};
use serde::Serialize;

use super::Results;
use crate::{
    plot,
    study::{
        OutputFolder,
        toy::{LETTERS, Letter, Toy, Verdict, is_prime, rate_chart, svg},
    },
};

const AFTER: &str = "\
Method:
  Letter number n (A is 1) has a bit for each prime p of the list, n times p modulo the number
  of bits. Adding a letter sets its bits. A letter whose bits are all ones looks like a member;
  the bits do not show whether it is one.

Files:
  toy.svg       the filter empty and full, every letter coloured by the result of its lookup
  toy-rate.svg  the rate of false positives, letter by letter

Examples:
  filterlab study toy --output study
  filterlab study toy --letters SEC --bits 32 --primes 3 5 7";

/// Draws a Bloom filter of 16 bits with the false positives among the letters A to Z.
#[derive(clap::Args)]
#[command(after_long_help = AFTER)]
pub(super) struct Args {
    /// The letters to add.
    #[arg(long, value_name = "LETTERS", default_value = "BLOOM", value_parser = letters)]
    letters: String,
    /// Bits of the filter.
    #[arg(long, value_name = "M", default_value_t = 16)]
    #[arg(value_parser = clap::value_parser!(u16).range(2..=32))]
    bits: u16,
    /// The primes, one for each bit that a letter sets.
    #[arg(long, value_name = "P", num_args = 1..=6, default_values_t = [3_u64, 7], value_parser = prime)]
    primes: Vec<u64>,
    #[command(flatten)]
    results: Results,
}

fn letters(text: &str) -> Result<String, String> {
    let text = text.to_uppercase();
    let is_right =
        !text.is_empty() && text.len() <= 26 && text.chars().all(|letter| LETTERS.contains(&letter));
    if is_right { Ok(text) } else { Err("expected letters from A to Z".to_owned()) }
}

fn prime(text: &str) -> Result<u64, String> {
    let number = text.parse().ok().filter(|number| *number < 1000 && is_prime(*number));
    number.ok_or_else(|| "expected a prime number below 1000".to_owned())
}

#[derive(Serialize)]
struct ToyReport {
    bits: String,
    expected_rate: f64,
    letters: Vec<Letter>,
    files: Vec<String>,
}

impl Args {
    pub(super) fn run(&self) -> Outcome {
        let mut folder = OutputFolder::open(&self.results.output)?;
        let members: Vec<char> = self.letters.chars().collect();
        let empty = Toy::empty(usize::from(self.bits), &self.primes);
        let mut full = empty.clone();
        for &letter in &members {
            full.add(letter);
        }
        let undrawn =
            |e: Box<dyn std::error::Error>| Failure::plain(keys::INTERNAL_ERROR, format!("cannot draw: {e}"));
        let titles = self.titles(&full);
        let drawn = svg(&[(titles.0, &empty), (titles.1, &full)]).map_err(undrawn)?;
        folder.write("toy.svg", &drawn)?;
        let rate = rate_chart(usize::from(self.bits), &self.primes, &members).chart();
        folder.write("toy-rate.svg", &plot::svg(&[rate]).map_err(undrawn)?)?;
        if !self.results.quiet || self.results.json {
            let bits = full.bits().iter().map(|bit| if *bit { '1' } else { '0' }).collect();
            let (expected_rate, letters) = (full.expected_rate(), full.letters());
            let told = ToyReport { bits, expected_rate, letters, files: folder.into_files() };
            report::print(&told, self.results.json)?;
        }
        Ok(Exit::Done)
    }

    fn titles(&self, full: &Toy) -> (String, String) {
        let of = |verdict| of(&full.letters(), verdict);
        let primes: Vec<String> = self.primes.iter().map(ToString::to_string).collect();
        let bits: Vec<String> = primes.iter().map(|prime| format!("n·{prime}")).collect();
        let empty = format!("Empty: letter n has the bits {} mod {}", bits.join(" and "), self.bits);
        let found = of(Verdict::FalsePositive);
        let found = if found.is_empty() { "none".to_owned() } else { found };
        (empty, format!("With {}; false positives: {found}", of(Verdict::Member)))
    }
}

/// The letters of which the filter says this: `A, B and C`.
fn of(letters: &[Letter], verdict: Verdict) -> String {
    let letters = letters.iter().filter(|letter| letter.verdict == verdict);
    let letters: Vec<String> = letters.map(|letter| letter.name.to_string()).collect();
    match letters.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
        None => String::new(),
    }
}

impl Report for ToyReport {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "bits             {}", self.bits)?;
        writeln!(out, "members          {}", of(&self.letters, Verdict::Member))?;
        writeln!(out, "false positives  {}", of(&self.letters, Verdict::FalsePositive))?;
        writeln!(out, "not in it        {}", of(&self.letters, Verdict::Absent))?;
        writeln!(out, "share of ones    to the power of the probes: {:.3}", self.expected_rate)?;
        self.files.iter().try_for_each(|file| writeln!(out, "wrote {file}"))
    }
}
