//! The words in the lines of a list.
//!
//! A block of lines gives a block of words, one a line: a line without a word gives a blank one, so that
//! lines keep their numbers, and a line with several words gives several, whose line is noted.

use std::{mem, sync::Arc};

use crate::{
    Charsets, Form,
    charset::Readings,
    hex,
    hunspell::{self, Affixes},
    json,
    line::{self, is_comment, unquoted},
    login,
    tally::{Reason, Tally},
    visible,
};

/// A list's form, charset and affixes: what is needed to read its lines.
#[derive(Clone, Debug)]
pub struct Reading {
    /// The form of its lines.
    pub form: Form,
    /// The charsets of its words.
    pub charsets: Charsets,
    /// The rules that make forms of a stem; without them the stems are the words.
    pub affixes: Option<Arc<Affixes>>,
    /// True if the lines of the whole list are its words: [`is_plain_text`] of each block of a list of words
    /// alone.
    pub is_plain: bool,
}

/// True for whole lines of UTF-8 that are words as they stand: without comments, blanks at their ends and
/// `$HEX[…]`.
pub fn is_plain_text(lines: &[u8]) -> bool {
    !line::needs_a_look(lines)
}

/// The words of a block of lines.
#[derive(Debug, Default)]
pub struct Block {
    /// The words, one a line, in UTF-8.
    pub text: Vec<u8>,
    /// The line in the block of each word, from 0; empty if each line has one.
    pub lines: Vec<u32>,
    /// The number of lines that were read.
    pub read: u64,
    /// The number of lines that are not of the list's form or charset, and the first of them, from 1.
    pub left_out: (u64, u64),
    /// The first blank line, from 1; 0 if there is none.
    pub first_blank: u64,
}

impl Block {
    fn clear(&mut self) {
        self.text.clear();
        self.lines.clear();
        (self.read, self.left_out, self.first_blank) = (0, (0, 0), 0);
    }

    /// The line of the word with this number, both from 1.
    pub fn line_of(&self, word: u64) -> u64 {
        let at = usize::try_from(word.saturating_sub(1)).ok();
        at.and_then(|at| self.lines.get(at)).map_or(word, |line| u64::from(*line).saturating_add(1))
    }
}

/// A list that is being read.
pub struct Reader {
    reading: Reading,
    tally: Tally,
    /// True to give the stems of a dictionary alone.
    has_stems_alone: bool,
}

impl Reader {
    /// A reader at the first line.
    pub fn new(reading: Reading) -> Reader {
        Reader { reading, tally: Tally::default(), has_stems_alone: false }
    }

    /// A reader that gives the stems of a dictionary without their forms.
    pub(crate) fn of_stems(reading: Reading) -> Reader {
        Reader { has_stems_alone: true, ..Reader::new(reading) }
    }

    /// What was read so far.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// Reads the next whole lines into `block`.
    pub fn read_block(&mut self, lines: &[u8], block: &mut Block) {
        block.clear();
        block.text.reserve(lines.len());
        let (mut start, mut given) = (0, 0_u32);
        let is_cut = lines.last().is_some_and(|&byte| byte != b'\n');
        for end in memchr::memchr_iter(b'\n', lines).chain(is_cut.then_some(lines.len())) {
            let line = lines.get(mem::replace(&mut start, end.saturating_add(1))..end).unwrap_or_default();
            let before = given;
            let text = &mut block.text;
            let outcome = self.read_line(line, &mut |_, word| {
                push(text, word);
                given = given.saturating_add(1);
            });
            let at = u32::try_from(block.read).unwrap_or(u32::MAX);
            block.read = block.read.saturating_add(1);
            if given == before {
                block.text.push(b'\n');
                given = given.saturating_add(1);
                match outcome {
                    Err(reason) if reason.is_of_another(&self.reading.form) => {
                        let (left_out, first) = block.left_out;
                        let first = if left_out == 0 { block.read } else { first };
                        block.left_out = (left_out.saturating_add(1), first);
                    }
                    Ok(()) if block.first_blank == 0 => block.first_blank = block.read,
                    _ => {}
                }
            }
            note(block, at, before, given);
        }
    }

    /// True if these whole lines are their words: of a list of words alone, in UTF-8, without anything that
    /// is left out, cut or converted. Most lists are so, and a block of them is judged at once.
    pub fn is_plain(&self, lines: &[u8]) -> bool {
        let Reading { form, charsets, is_plain, .. } = &self.reading;
        let is_utf8 = charsets.said.is_none() && charsets.other.is_none();
        *is_plain || *form == Form::Plain && is_utf8 && is_plain_text(lines)
    }

    /// Counts whole lines that are their words.
    pub fn pass(&mut self, lines: &[u8]) {
        let ends = memchr::memchr_iter(b'\n', lines).count() as u64;
        let is_cut = lines.last().is_some_and(|&byte| byte != b'\n');
        self.tally.lines = self.tally.lines.saturating_add(ends).saturating_add(is_cut.into());
    }

    /// Passes the words of a line to `take`, each with its count, 0 if there is none. A blank line has none.
    ///
    /// # Errors
    /// The reason to leave the line out.
    pub fn read_line(&mut self, line: &[u8], take: &mut dyn FnMut(u64, &[u8])) -> Result<(), Reason> {
        self.tally.lines = self.tally.lines.saturating_add(1);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let outcome = self.words(line, take);
        if let Err(reason) = outcome {
            self.tally.leave_out(reason, line);
        }
        outcome
    }

    fn words(&mut self, line: &[u8], take: &mut dyn FnMut(u64, &[u8])) -> Result<(), Reason> {
        let reading = mem::replace(&mut self.reading.form, Form::Plain);
        let outcome = self.words_of(&reading, line, take);
        self.reading.form = reading;
        outcome
    }

    fn words_of(&mut self, form: &Form, line: &[u8], take: &mut dyn FnMut(u64, &[u8])) -> Result<(), Reason> {
        if line.is_empty() {
            return Ok(());
        }
        if is_comment(line) {
            return Err(Reason::Comment);
        }
        let is_blank = || line.trim_ascii().is_empty();
        // The whole line is blank, or the text of an element.
        let or_blank = |outcome| if outcome == Err(Reason::Empty) { Ok(()) } else { outcome };
        match form {
            Form::Plain => or_blank(self.word(0, line, take)),
            Form::JsonDocument(_) => {
                let element = json::of_spooled(line).ok_or(Reason::Form);
                element.and_then(|(count, word)| or_blank(self.word(count, word, take)))
            }
            _ if is_blank() => Ok(()),
            Form::Table(table) if table.has_header && self.is_first() => Err(Reason::Header),
            Form::Table(table) => match table.split(line) {
                Some((count, word)) => self.word(count, &word, take),
                None => Err(Reason::Form),
            },
            Form::Quoted => unquoted(line).map_or(Err(Reason::Form), |word| self.word(0, &word, take)),
            Form::Potfile => {
                login::of_potfile(line).map_or(Err(Reason::Form), |word| self.word(0, word, take))
            }
            Form::Logins => login::of_url(line).map_or(Err(Reason::Form), |word| self.word(0, word, take)),
            Form::JsonLines(field) => self.json(field.as_deref(), line, take),
            Form::Hunspell => self.entry(line, take),
        }
    }

    /// True for the first line that is neither blank nor a comment.
    fn is_first(&mut self) -> bool {
        !mem::replace(&mut self.tally.has_begun, true)
    }

    fn json(&self, field: Option<&str>, line: &[u8], take: &mut dyn FnMut(u64, &[u8])) -> Result<(), Reason> {
        let (first, second) = self.reading.charsets.readings(line);
        let mut has_word = false;
        for text in first.into_iter().chain(second) {
            let Ok(element) = serde_json::from_str(&text) else { continue };
            has_word |= json::each_word(&element, field, &mut |count, word| {
                let word = visible::typed(word);
                take(count, hex::decoded(word.as_bytes()).as_deref().unwrap_or(word.as_bytes()));
            });
        }
        if has_word { Ok(()) } else { Err(Reason::Form) }
    }

    /// An entry of a dictionary of hunspell.
    fn entry(&mut self, line: &[u8], take: &mut dyn FnMut(u64, &[u8])) -> Result<(), Reason> {
        let (first, second) = self.texts(line);
        let first = first.ok_or(Reason::Charset)?;
        if self.is_first() && hunspell::is_count_line(&first) {
            return Err(Reason::Header);
        }
        if hunspell::is_undecoded(&first) {
            return Err(Reason::Charset);
        }
        let (mut words, mut is_cut) = (0_u64, false);
        let mut each = |form: &str| {
            words = words.saturating_add(1);
            take(0, form.trim().as_bytes());
        };
        for text in [Some(first), second].into_iter().flatten() {
            match &self.reading.affixes {
                Some(affixes) if !self.has_stems_alone => is_cut |= affixes.expand(&text, &mut each).limited,
                _ => each(&hunspell::stem(&text)),
            }
        }
        self.tally.cut = self.tally.cut.saturating_add(is_cut.into());
        if words == 0 { Err(Reason::Forbidden) } else { Ok(()) }
    }

    /// The readings of a line of a dictionary: by its rules if they are in the same charset, since they keep
    /// flags that are no text.
    fn texts<'a>(&self, line: &'a [u8]) -> Readings<'a> {
        let Reading { affixes, charsets, .. } = &self.reading;
        let is_same =
            |affixes: &&Arc<Affixes>| charsets.said.is_none_or(|said| said.encoding() == affixes.charset());
        match affixes.as_ref().filter(is_same) {
            Some(affixes) => (Some(affixes.decode(line)), None),
            None => charsets.readings(line),
        }
    }

    /// A word as it stands in its line: without the blanks at its ends, and in UTF-8.
    fn word(&mut self, count: u64, word: &[u8], take: &mut dyn FnMut(u64, &[u8])) -> Result<(), Reason> {
        let trimmed = trim(word);
        if trimmed.is_empty() {
            return Err(Reason::Empty);
        }
        if trimmed.len() < word.len() {
            self.tally.trimmed = self.tally.trimmed.saturating_add(1);
        }
        if let Some(bytes) = hex::decoded(trimmed) {
            self.tally.hexadecimal = self.tally.hexadecimal.saturating_add(1);
            return self.read_as(count, trim(&bytes), take);
        }
        self.read_as(count, trimmed, take)
    }

    fn read_as(&mut self, count: u64, word: &[u8], take: &mut dyn FnMut(u64, &[u8])) -> Result<(), Reason> {
        if word.is_ascii() {
            take(count, word);
            return Ok(());
        }
        let (first, second) = self.reading.charsets.readings(word);
        let first = first.ok_or(Reason::Charset)?;
        let word = visible::typed(&first);
        if word.is_empty() {
            return Ok(());
        }
        let is_other = word.len() < first.trim().len();
        self.tally.unseen = self.tally.unseen.saturating_add(is_other.into());
        take(count, word.as_bytes());
        if let Some(second) = second.filter(|second| *second != first) {
            self.tally.read_twice = self.tally.read_twice.saturating_add(1);
            take(count, visible::typed(&second).as_bytes());
        }
        Ok(())
    }
}

/// Notes the line of each word once one line has more than one.
fn note(block: &mut Block, line: u32, before: u32, given: u32) {
    if given.saturating_sub(before) > 1 && block.lines.is_empty() {
        block.lines.extend(0..before);
    }
    if given.saturating_sub(before) > 1 || !block.lines.is_empty() {
        block.lines.extend((before..given).map(|_| line));
    }
}

/// A word and a line end; a line end in a word, which no list can hold, becomes another control character,
/// for which the word is left out.
fn push(text: &mut Vec<u8>, word: &[u8]) {
    let start = text.len();
    text.extend_from_slice(word);
    for byte in text.get_mut(start..).unwrap_or_default() {
        if *byte == b'\n' {
            *byte = 0x0b;
        }
    }
    text.push(b'\n');
}

/// The blanks at the ends of a word are not typed.
fn trim(word: &[u8]) -> &[u8] {
    match (word.first(), word.last()) {
        (Some(first), Some(last)) if first.is_ascii_graphic() && last.is_ascii_graphic() => word,
        _ => word.trim_ascii(),
    }
}
