//! LaTeX to prose: what a reader of the printed page reads as text.
//!
//! A lexer, not TeX: macros are not expanded. Left out are comments, mathematics, verbatim text, environments
//! that draw, and the arguments of commands that name things (citations, labels, files, lengths); accents and
//! special letters become characters; the arguments of all other commands are text. What is opened and never
//! closed is not skipped, so that a slip in the source does not hide the rest of it. Before
//! `\begin{document}` only the title is text.

mod commands;

use std::ops::Range;

use unicode_normalization::char::compose;

use self::commands::{Environment, Treatment, environment, treatment};
use super::Prose;

/// The longest argument or formula that is looked for, in bytes: bounds the work on what is never closed.
const MAX_SKIPPED: usize = 64 << 10;

/// The prose of a document.
pub(super) fn prose(source: &str) -> Prose {
    let mut prose = Prose::default();
    let body = source.find("\\begin{document}");
    if let Some(title) = source.get(..body.unwrap_or(0)).and_then(|preamble| preamble.find("\\title{")) {
        let mut lexer = Lexer { source, at: title.saturating_add("\\title".len()), end: source.len() };
        if let Some(inside) = lexer.braced() {
            append(source, inside, &mut prose);
            prose.gap();
        }
    }
    append(source, body.unwrap_or(0)..source.len(), &mut prose);
    prose
}

/// Appends the prose of this range of the source.
pub(super) fn append(source: &str, range: Range<usize>, prose: &mut Prose) {
    let mut lexer = Lexer { source, at: range.start, end: range.end };
    while lexer.step(prose) {}
}

struct Lexer<'s> {
    source: &'s str,
    at: usize,
    end: usize,
}

impl<'s> Lexer<'s> {
    fn rest(&self) -> &'s str {
        self.source.get(self.at..self.end).unwrap_or_default()
    }

    /// The text in which a closing mark is searched.
    fn window(&self) -> &'s str {
        let rest = self.rest();
        // A character has at most four bytes.
        let boundary = (0..4).find_map(|back| rest.get(..MAX_SKIPPED.saturating_sub(back)));
        boundary.unwrap_or(rest)
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn advance(&mut self, bytes: usize) {
        self.at = self.at.saturating_add(bytes).min(self.end);
    }

    fn next(&mut self) -> Option<char> {
        let character = self.peek()?;
        self.advance(character.len_utf8());
        Some(character)
    }

    fn skip_spaces(&mut self) {
        self.advance(self.rest().len().saturating_sub(self.rest().trim_start_matches([' ', '\t']).len()));
    }

    /// One step through the source; false at its end.
    fn step(&mut self, prose: &mut Prose) -> bool {
        match self.peek() {
            None => return false,
            Some('%') => self.comment(),
            Some('$') => self.dollars(prose),
            Some('\\') => self.command(prose),
            Some('{' | '}') => self.advance(1),
            Some('~' | '&' | '^' | '_' | '#') => {
                self.advance(1);
                prose.gap();
            }
            Some(_) => self.text(prose),
        }
        true
    }

    fn text(&mut self, prose: &mut Prose) {
        let rest = self.rest();
        let special = ['%', '$', '\\', '{', '}', '~', '&', '^', '_', '#'];
        let text = rest.get(..rest.find(special).unwrap_or(rest.len())).unwrap_or_default();
        prose.push(text, self.at);
        self.advance(text.len());
    }

    /// A comment, with the line's end and the indentation of the next, as TeX reads it.
    fn comment(&mut self) {
        let length = self.rest().find('\n').map_or(self.rest().len(), |end| end.saturating_add(1));
        self.advance(length);
        self.skip_spaces();
    }

    /// A formula between dollars. It ends within its paragraph; else the dollar is a slip.
    fn dollars(&mut self, prose: &mut Prose) {
        let opening = if self.rest().starts_with("$$") { "$$" } else { "$" };
        self.advance(opening.len());
        let window = self.window();
        let paragraph = window.split("\n\n").next().unwrap_or(window);
        if let Some(end) = unescaped(paragraph, opening) {
            self.advance(end.saturating_add(opening.len()));
        }
        prose.gap();
    }

    fn command(&mut self, prose: &mut Prose) {
        let start = self.at;
        self.advance(1);
        let name = self.name();
        match treatment(name) {
            Treatment::Text => self.skip_options(),
            Treatment::Item => prose.gap(),
            Treatment::Gap => {
                self.skip_options();
                prose.gap();
            }
            Treatment::Nothing => {}
            Treatment::Arguments => {
                self.skip_arguments();
                prose.gap();
            }
            Treatment::FirstArgument => {
                self.braced();
                prose.gap();
            }
            Treatment::Verbatim => self.verb(prose),
            Treatment::Formula(close) => self.formula(close, prose),
            Treatment::Begin => self.begin(prose),
            Treatment::Accent(mark) => self.accent(mark, start, prose),
            Treatment::Letters(letters) => {
                prose.push(letters, start);
                self.end_of_name(name);
            }
        }
    }

    /// The name after a backslash: letters and a star, or one character.
    fn name(&mut self) -> &'s str {
        let rest = self.rest();
        let letters = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
        let length = match letters {
            0 => rest.chars().next().map_or(0, char::len_utf8),
            letters => letters,
        };
        let name = rest.get(..length).unwrap_or_default();
        self.advance(length);
        if letters > 0 && self.peek() == Some('*') {
            self.advance(1);
        }
        name
    }

    /// A name of letters swallows the spaces after it, or an empty group ends it.
    fn end_of_name(&mut self, name: &str) {
        if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
            return;
        }
        if self.rest().starts_with("{}") {
            self.advance(2);
        } else {
            self.skip_spaces();
        }
    }

    /// Steps over `{…}` and gives what is inside; stays where it is when there is none or it is never closed.
    fn braced(&mut self) -> Option<Range<usize>> {
        let length = balanced(self.window(), '{', '}')?;
        let inside = self.at.saturating_add(1)..self.at.saturating_add(length).saturating_sub(1);
        self.advance(length);
        Some(inside)
    }

    fn skip_options(&mut self) {
        while let Some(length) = balanced(self.window(), '[', ']') {
            self.advance(length);
        }
    }

    fn skip_arguments(&mut self) {
        loop {
            self.skip_options();
            if self.braced().is_none() {
                break;
            }
        }
    }

    /// `\verb|…|`: any character delimits, and the line's end at the latest.
    fn verb(&mut self, prose: &mut Prose) {
        self.skip_options();
        let delimiter = if self.braced().is_none() { self.next() } else { None };
        if let Some(delimiter) = delimiter {
            let length = self.rest().find([delimiter, '\n']).unwrap_or(self.rest().len());
            self.advance(length.saturating_add(1));
        }
        prose.gap();
    }

    fn formula(&mut self, close: &str, prose: &mut Prose) {
        if let Some(end) = self.window().find(close) {
            self.advance(end.saturating_add(close.len()));
        }
        prose.gap();
    }

    fn begin(&mut self, prose: &mut Prose) {
        prose.gap();
        let Some(name) = self.braced().and_then(|inside| self.source.get(inside)) else { return };
        match environment(name.trim_end_matches('*')) {
            Environment::Text => self.skip_options(),
            Environment::TextWithArguments => self.skip_arguments(),
            Environment::Skipped => {
                let close = format!("\\end{{{name}}}");
                if let Some(end) = self.rest().find(&close) {
                    self.advance(end.saturating_add(close.len()));
                }
            }
        }
    }

    /// An accent over the letter that follows, which may be in braces and may be a dotless i or j.
    fn accent(&mut self, mark: char, start: usize, prose: &mut Prose) {
        self.skip_spaces();
        let is_braced = self.peek() == Some('{');
        if is_braced {
            self.advance(1);
        }
        if self.peek() == Some('\\') {
            self.advance(1);
        }
        if let Some(letter) = self.peek().filter(|letter| letter.is_alphabetic()) {
            self.advance(letter.len_utf8());
            match compose(letter, mark) {
                Some(both) => prose.push(both.encode_utf8(&mut [0; 4]), start),
                None => prose.push(&format!("{letter}{mark}"), start),
            }
        }
        if is_braced && self.peek() == Some('}') {
            self.advance(1);
        }
    }
}

/// The first place of `wanted` without a backslash before it.
fn unescaped(text: &str, wanted: &str) -> Option<usize> {
    let is_escaped = |at: usize| {
        let before = text.get(..at).unwrap_or_default();
        before.len().saturating_sub(before.trim_end_matches('\\').len()) % 2 == 1
    };
    text.match_indices(wanted).map(|(at, _)| at).find(|&at| !is_escaped(at))
}

/// The length of the group that `text` begins with, delimiters included. Braces inside it are balanced; it
/// has no empty line.
fn balanced(text: &str, open: char, close: char) -> Option<usize> {
    let inside = text.strip_prefix(open)?;
    let (mut depth, mut is_escaped, mut is_line_empty) = (0_u32, false, false);
    for (at, character) in inside.char_indices() {
        match character {
            _ if is_escaped => {}
            _ if character == close && depth == 0 => return Some(at.saturating_add(2)),
            '{' => depth = depth.saturating_add(1),
            '}' => depth = depth.checked_sub(1)?,
            '\n' if is_line_empty => return None,
            _ => {}
        }
        is_line_empty = character == '\n' || (is_line_empty && character.is_whitespace());
        is_escaped = character == '\\' && !is_escaped;
    }
    None
}

#[cfg(test)]
mod tests;
