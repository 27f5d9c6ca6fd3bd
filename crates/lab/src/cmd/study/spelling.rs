//! `filterlab study spelling`: unknown words, near ones and mistakes in texts, beside other checkers.

use std::{
    collections::HashSet,
    fs,
    io::{self, Write},
    path::PathBuf,
};

use nearmiss_cli::{
    exit::Exit,
    failure::{Failure, Outcome},
    keys, paths,
    report::{self, Report},
};
use serde::Serialize;

use super::Results;
use crate::{
    spell::{Document, Markup, Speller, words},
    study::{
        OutputFolder,
        spelling::{Found, SpellPeer, by_filters, by_peer, csv, distinct},
    },
};

const AFTER: &str = "\
Method:
  The distinct words of all documents, as extracted by filterlab spell, are looked up in the
  filters, and by aspell and hunspell if they are installed. A word is near if the checker
  knows a word that is one edit away: one letter inserted, removed or replaced, or two
  neighbouring ones swapped. A program cannot decide which near words are mistakes:
  --mistakes names a list of them, the first word of each line.

Files:
  spelling.csv  a line for each checker
  near.txt      the near words of the filters, for a person to read

Examples:
  filterctl build --output english.filter /usr/share/dict/american-english
  filterlab study spelling --filter english.filter --output study /usr/share/common-licenses/*
  filterlab study spelling --filter english.filter --mistakes known.tsv thesis.tex refs.bib";

/// Counts unknown words, near words and mistakes in texts, compared with aspell and hunspell.
#[derive(clap::Args)]
#[command(after_long_help = AFTER)]
pub(super) struct Args {
    /// Use this filter of words with near matches (several may be given).
    #[arg(short, long = "filter", value_name = "FILE", required = true)]
    filters: Vec<PathBuf>,
    /// The words that are mistakes: the first word of each line, without numbers.
    #[arg(long, value_name = "FILE")]
    mistakes: Option<PathBuf>,
    #[command(flatten)]
    results: Results,
    /// Documents.
    #[arg(value_name = "DOC", required = true)]
    documents: Vec<PathBuf>,
}

#[derive(Serialize)]
struct SpellingReport {
    documents: u64,
    checkers: Vec<Found>,
    files: Vec<String>,
}

impl Args {
    pub(super) fn run(&self) -> Outcome {
        let mut folder = OutputFolder::open(&self.results.output)?;
        let filters: Vec<PathBuf> = self.filters.iter().map(|path| paths::absolute(path)).collect();
        let mut speller =
            Speller::open(&filters).map_err(|e| Failure::new("cannot check the spelling", e))?;
        if speller.first_without_words().is_some() || !speller.has_near() {
            return Err(Failure::plain(
                keys::FILTER_MATCH,
                "name a filter of words that was built with --match near",
            ));
        }
        let (mistakes, words) = (self.mistakes()?, self.words()?);
        let mistakes = mistakes.as_ref();
        let own = by_filters(&mut speller, &words, mistakes);
        let own = own.map_err(|e| Failure::new("cannot check the spelling", e))?;
        let near: String = own.near_words.iter().map(|word| format!("{word}\n")).collect();
        let mut checkers = vec![own];
        for peer in SpellPeer::ALL {
            let found = by_peer(peer, &words, mistakes);
            checkers.push(found.map_err(|e| Failure::new(format!("cannot run {}", peer.program()), e))?);
        }
        folder.write("spelling.csv", &csv(&checkers))?;
        folder.write("near.txt", &near)?;
        if !self.results.quiet || self.results.json {
            let documents = self.documents.len() as u64;
            report::print(
                &SpellingReport { documents, checkers, files: folder.into_files() },
                self.results.json,
            )?;
        }
        Ok(Exit::Done)
    }

    fn words(&self) -> Result<Vec<String>, Failure> {
        let mut all = HashSet::new();
        for path in &self.documents {
            let document = Document::read(path)?;
            let prose = Markup::of(document.name(), document.text()).prose(document.text());
            all.extend(words(prose.text()).map(|token| token.text.to_owned()));
        }
        Ok(distinct(all.iter().map(String::as_str)))
    }

    fn mistakes(&self) -> Result<Option<HashSet<String>>, Failure> {
        let Some(path) = &self.mistakes else { return Ok(None) };
        let text = fs::read_to_string(path)
            .map_err(|e| Failure::new(format!("cannot read {}", path.display()), e))?;
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        let first = |line: &str| {
            let mut fields = line.split_whitespace();
            fields.find(|field| field.contains(char::is_alphabetic)).map(str::to_lowercase)
        };
        Ok(Some(lines.filter_map(first).collect()))
    }
}

impl Report for SpellingReport {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "checker     words  unknown  near a word  mistakes")?;
        for found in &self.checkers {
            if let Some(reason) = &found.skipped {
                writeln!(out, "{:<9}  skipped: {reason}", found.checker)?;
                continue;
            }
            let mistakes = found.mistakes.map_or("-".to_owned(), |count| count.to_string());
            let Found { checker, words, unknown, near, .. } = found;
            writeln!(out, "{checker:<9} {words:>6}  {unknown:>7}  {near:>11}  {mistakes:>8}")?;
        }
        self.files.iter().try_for_each(|file| writeln!(out, "wrote {file}"))
    }
}
