//! `filterlab spell`: the words of a text that are not in the dictionary.

use std::{
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
};

use anstream::{AutoStream, ColorChoice};
use clap::ValueEnum;
use nearmiss_cli::{
    exit::Exit,
    failure::{Failure, Outcome},
    keys, paths, report,
};
use nearmiss_filters::dictionary::FilterError;
use nearmiss_policy::config::{Config, DEFAULT_PATH};

use crate::spell::{Document, Finding, Markup, Prose, Speller, Token, Want, counts, stem, words};

const AFTER: &str = "\
Words:
  Case, a possessive 's and the kind of apostrophe are ignored; a hyphen separates
  words. Skipped are numbers, single letters, acronyms of up to five capitals, names
  in mixed case, and text that looks like code: addresses, paths, options, file names,
  identifiers. A list of words, one per line, is treated like any other text.

Suggestions:
  Words one edit away: one character inserted, removed or replaced, or two neighbouring
  ones swapped; with --pairs also two equal neighbouring ones removed or inserted. The
  order is: swapped letters, double letters, neighbouring keys and vowels for vowels;
  words with the same beginning; words that are more frequent in the text; alphabetical.
  With a filter that has ranks (filterctl build --top), the more common word comes first,
  unless its kind of slip is much rarer.

Exit status:
  0  every word is known
  1  some are not
  2  a document or a filter cannot be read, or a document is no text

Examples:
  filterctl build --output english.filter /usr/share/dict/words
  filterctl build --top 100000 --output ranked.filter most-common-first.txt
  filterlab spell --filter english.filter --suggest README.md thesis.tex refs.bib
  git log -1 --format=%B | filterlab spell --filter english.filter --near";

/// Lists the words of a text that are not in the dictionary, with suggestions.
#[derive(clap::Args)]
#[command(after_long_help = AFTER)]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag")]
pub(crate) struct Args {
    /// Use this filter (several may be given) instead of the filters in /etc/security/nearmiss.conf.
    #[arg(short, long = "filter", value_name = "FILE")]
    filters: Vec<PathBuf>,
    /// Print only words that are one edit away from a known word.
    #[arg(long)]
    near: bool,
    /// Print the known words that are one edit away.
    #[arg(long)]
    suggest: bool,
    /// Also count two equal neighbouring characters, removed or inserted, as one edit.
    #[arg(long)]
    pairs: bool,
    /// Print at most this many suggestions for a word.
    #[arg(long, value_name = "N", default_value_t = 10)]
    most: usize,
    /// The markup of the documents.
    #[arg(long, value_enum, default_value = "auto", value_name = "FORMAT")]
    format: FormatName,
    /// Print each unknown word as a line of JSON.
    #[arg(long)]
    json: bool,
    /// Colour the output.
    #[arg(long, value_enum, default_value = "auto", value_name = "WHEN")]
    color: Color,
    /// Documents; '-' or none is standard input.
    #[arg(value_name = "DOC")]
    documents: Vec<PathBuf>,
}

/// The markup of documents.
#[derive(Clone, Copy, ValueEnum)]
enum FormatName {
    /// By the file's name, or else by its content.
    Auto,
    /// None.
    Plain,
    /// Markdown.
    Markdown,
    /// LaTeX.
    Latex,
    /// BibTeX.
    Bibtex,
}

/// The use of colour.
#[derive(Clone, Copy, ValueEnum)]
enum Color {
    /// On a terminal.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

impl Args {
    /// Checks all documents.
    ///
    /// # Errors
    /// A filter or a document cannot be read.
    pub(crate) fn run(&self) -> Outcome {
        let mut speller = self.speller()?;
        let choice = self.color.into();
        let mut out = BufWriter::new(AutoStream::new(io::stdout().lock(), choice));
        let standard_input = [PathBuf::from("-")];
        let documents = if self.documents.is_empty() { &standard_input } else { self.documents.as_slice() };
        let mut found = 0_u64;
        for path in documents {
            let document = Document::read(path)?;
            found = found.saturating_add(self.check(&document, &mut speller, &mut out)?);
        }
        out.flush().map_err(Failure::output)?;
        Ok(if found == 0 { Exit::Done } else { Exit::No })
    }

    fn speller(&self) -> Result<Speller, Failure> {
        let paths = if self.filters.is_empty() { configured()? } else { self.filters.clone() };
        let paths: Vec<PathBuf> = paths.iter().map(|path| paths::absolute(path)).collect();
        let speller = Speller::open(&paths).map_err(unusable)?.with_pairs(self.pairs);
        if let Some(path) = speller.first_without_words().and_then(|index| paths.get(index)) {
            let path = path.display();
            return Err(Failure::plain(
                keys::FILTER_MATCH,
                format!("{path}: contains digests; name a filter of words with --filter"),
            ));
        }
        if self.want() > Want::Unknown && !speller.has_near() {
            return Err(Failure::plain(
                keys::FILTER_MATCH,
                "the filter was built for exact matches; omit --near and --suggest, \
                 or rebuild it with --match near",
            ));
        }
        Ok(speller)
    }

    fn want(&self) -> Want {
        match (self.suggest, self.near) {
            (true, _) => Want::Suggestions,
            (false, true) => Want::Near,
            (false, false) => Want::Unknown,
        }
    }

    /// Lists the unknown words of a document, and counts them.
    fn check(&self, document: &Document, speller: &mut Speller, out: &mut dyn Write) -> Result<u64, Failure> {
        let prose = self.format.markup(document).prose(document.text());
        let counts = counts(words(prose.text()).map(|token| token.text));
        let mut found = 0_u64;
        for token in words(prose.text()) {
            if speller.is_known(token.text).map_err(unusable)? {
                continue;
            }
            let spelling = speller.spelling(stem(token.text), self.want(), &counts).map_err(unusable)?;
            if self.near && spelling.is_near != Some(true) {
                continue;
            }
            found = found.saturating_add(1);
            let most = self.suggest.then_some(self.most);
            let place = document.place(start_of(&prose, token));
            let finding = Finding::new(document.name(), place, stem(token.text), spelling, most);
            report::write(&finding, self.json, out).map_err(Failure::output)?;
        }
        Ok(found)
    }
}

fn start_of(prose: &Prose, token: Token<'_>) -> usize {
    prose.source_of(token.at)
}

fn configured() -> Result<Vec<PathBuf>, Failure> {
    let config = Config::load(Path::new(DEFAULT_PATH));
    let config = config.map_err(|e| Failure::new("cannot use the configuration", e))?;
    Ok(config.dictionaries.into_iter().map(|rule| rule.file).collect())
}

fn unusable(error: FilterError) -> Failure {
    if error.is_missing() || error.is_denied() {
        let advice =
            "build one with filterctl build --output FILE /usr/share/dict/words, and name it with --filter";
        return Failure::plain(&error, format!("{error}; {advice}"));
    }
    Failure::new("cannot check the spelling", error)
}

impl FormatName {
    fn markup(self, document: &Document) -> Markup {
        match self {
            FormatName::Auto => Markup::of(document.name(), document.text()),
            FormatName::Plain => Markup::Plain,
            FormatName::Markdown => Markup::Markdown,
            FormatName::Latex => Markup::Latex,
            FormatName::Bibtex => Markup::Bibtex,
        }
    }
}

impl From<Color> for ColorChoice {
    fn from(color: Color) -> ColorChoice {
        match color {
            Color::Auto => ColorChoice::Auto,
            Color::Always => ColorChoice::Always,
            Color::Never => ColorChoice::Never,
        }
    }
}
