//! BibTeX to prose: the fields that hold sentences (title, abstract, note …) are checked as LaTeX; keys,
//! names, numbers, addresses and everything between entries are not. What is not closed ends with the file.

use std::ops::Range;

use super::{Prose, latex};

/// Fields that hold words of a language rather than names and numbers.
const CHECKED: [&str; 17] = [
    "abstract",
    "addendum",
    "annotation",
    "annote",
    "booksubtitle",
    "booktitle",
    "booktitleaddon",
    "howpublished",
    "issuetitle",
    "keywords",
    "maintitle",
    "note",
    "shorttitle",
    "subtitle",
    "title",
    "titleaddon",
    "type",
];

/// True when a line begins an entry: `@`, a name, and an opening brace or parenthesis.
pub(super) fn begins_entry(line: &str) -> bool {
    line.strip_prefix('@').is_some_and(|rest| {
        let after = rest.trim_start_matches(|c: char| c.is_ascii_alphabetic());
        after.len() < rest.len() && after.trim_start().starts_with(['{', '('])
    })
}

/// The prose of a data base.
pub(super) fn prose(source: &str) -> Prose {
    let mut prose = Prose::default();
    let mut reader = BibReader { source, at: 0 };
    while reader.skip_past('@') {
        reader.entry(&mut prose);
    }
    prose
}

struct BibReader<'s> {
    source: &'s str,
    at: usize,
}

impl BibReader<'_> {
    fn rest(&self) -> &str {
        self.source.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn advance(&mut self, character: char) {
        self.at = self.at.saturating_add(character.len_utf8());
    }

    fn skip_past(&mut self, wanted: char) -> bool {
        let found = self.rest().find(wanted);
        self.at = self.at.saturating_add(found.unwrap_or(self.rest().len()));
        found.is_some_and(|_| {
            self.advance(wanted);
            true
        })
    }

    fn skip_while(&mut self, is_skipped: impl Fn(char) -> bool) -> Range<usize> {
        let start = self.at;
        let rest = self.rest();
        let length = rest.find(|c| !is_skipped(c)).unwrap_or(rest.len());
        self.at = self.at.saturating_add(length);
        start..self.at
    }

    fn take(&mut self, wanted: char) -> bool {
        self.skip_while(char::is_whitespace);
        let is_there = self.peek() == Some(wanted);
        if is_there {
            self.advance(wanted);
        }
        is_there
    }

    /// The name of an entry or a field, in lower case.
    fn name(&mut self) -> String {
        self.skip_while(char::is_whitespace);
        let range =
            self.skip_while(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | ':' | '/' | '+'));
        self.source.get(range).unwrap_or_default().to_ascii_lowercase()
    }

    /// An entry after its `@`. A comment is no entry; what is none is left where it is.
    fn entry(&mut self, prose: &mut Prose) {
        let kind = self.name();
        if kind == "comment" || !(self.take('{') || self.take('(')) {
            return;
        }
        if kind == "preamble" {
            return;
        }
        if kind != "string" {
            self.skip_while(|c| !matches!(c, ',' | '}' | ')' | '@'));
            self.take(',');
        }
        while self.field(prose) {}
    }

    /// A field and the comma after it; false at the end of the entry.
    fn field(&mut self, prose: &mut Prose) -> bool {
        let name = self.name();
        if name.is_empty() || !self.take('=') {
            return false;
        }
        let is_checked = CHECKED.contains(&name.as_str());
        loop {
            if let Some(range) = self.value().filter(|_| is_checked) {
                latex::append(self.source, range, prose);
                prose.gap();
            }
            if !self.take('#') {
                break;
            }
        }
        self.take(',')
    }

    /// One part of a value; its range when it is text, without its delimiters.
    fn value(&mut self) -> Option<Range<usize>> {
        if self.take('{') {
            return Some(self.delimited('}'));
        }
        if self.take('"') {
            return Some(self.delimited('"'));
        }
        self.name();
        None
    }

    /// Up to the closing delimiter at the depth of the opening one, which is stepped over.
    fn delimited(&mut self, close: char) -> Range<usize> {
        let start = self.at;
        let mut depth = 0_u32;
        let mut is_escaped = false;
        while let Some(character) = self.peek() {
            if character == close && depth == 0 && !is_escaped {
                let end = self.at;
                self.advance(close);
                return start..end;
            }
            match character {
                '{' if !is_escaped => depth = depth.saturating_add(1),
                '}' if !is_escaped => depth = depth.saturating_sub(1),
                _ => {}
            }
            is_escaped = character == '\\' && !is_escaped;
            self.advance(character);
        }
        start..self.at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(source: &str) -> Vec<String> {
        prose(source).text().split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn sentences_are_checked_names_and_keys_are_not() {
        let source = "Free text here. @Article{manbr:1994,\n author = {Udi Manbr and {Wu, Sun}},\n\
             title = {An {A}lgorithm for \\emph{Approximate} {M}embership},\n\
             \x20year = 1994, journal = ipl # {x},\n\
             note = \"see {\"}this{\"} \\cite{foo} and na\\\"{\\i}ve\" # { more}\n}\n\
             @comment{title = {no}} @string{ipl = \"Inf Proc\"}\n@book(k, title={Last}, pages={1--2})";
        assert_eq!(
            words(source),
            [
                "An",
                "Algorithm",
                "for",
                "Approximate",
                "Membership",
                "see",
                "\"this\"",
                "and",
                "naïve",
                "more",
                "Last"
            ]
        );
    }

    #[test]
    fn places_are_those_of_the_file() {
        let source = "@book{k, title = {The {W}ord}}";
        let prose = prose(source);
        let at = prose.text().find("Word").unwrap_or_default();
        assert_eq!(source.get(prose.source_of(at)..), Some("W}ord}}"));
    }

    #[test]
    fn what_is_broken_ends_with_the_file() {
        assert_eq!(words("@book{k, title = {open {deeper}"), ["open", "deeper"]);
        for source in
            ["@", "@book", "@book{", "@book{k", "@book{k,", "@book{k, title", "@book{k, title =", "@{"]
        {
            assert!(words(source).is_empty(), "{source}");
        }
    }

    #[test]
    fn entries_are_recognised() {
        assert!(begins_entry("@article{a,") && begins_entry("@Book (a,"));
        assert!(!begins_entry("@home") && !begins_entry("article{") && !begins_entry("@{"));
    }
}
