//! The form and the charset of a list, found in one reading of it.

use std::{
    io::{self, BufWriter, Write},
    sync::Arc,
};

use nearmiss_filters::format::Kind;
use nearmiss_lists::{
    Charset, CharsetSurvey, Charsets, Form, Reading, Refusal, is_plain_text, json, recognise,
    recognise_digests,
};

use super::{
    Expected, LastReading, ListName, WordList, affixes,
    decompress::{Format, MAGIC_BYTES},
    error::{InputError, Problem},
    judgement,
    lines::Lines,
    most_forms,
    origin::Origin,
    records,
    sample::{Sample, SampledLine},
    text,
};
use crate::progress::Progress;

/// The part of a list of digests by which its columns are known.
const BEGINNING_BYTES: usize = 64 << 10;

/// A list that is ready to be read.
///
/// # Errors
/// An [`InputError`] for a list that cannot be read, and for one that holds no words or whose words cannot be
/// found.
pub(super) fn list(
    name: &ListName,
    origin: Origin,
    expected: &Expected,
    progress: &Progress,
) -> Result<WordList, InputError> {
    let kind = expected.kind;
    let Examined { reading, affixes, origin, doubts, has_unclear_numbers } = if kind == Kind::Words {
        of_words(name, records::joined(origin, expected, progress)?, expected, progress)?
    } else {
        refuse_archive(&origin, progress)?;
        Examined { reading: None, affixes: None, origin, doubts: Vec::new(), has_unclear_numbers: false }
    };
    let mut list = WordList {
        origin,
        kind,
        reading,
        digests: None,
        affixes,
        doubts,
        has_unclear_numbers,
        last: LastReading::default(),
    };
    if kind != Kind::Words && list.origin.ranges().is_none() {
        let beginning = list.beginning(BEGINNING_BYTES)?;
        let digits = if kind == Kind::Ntlm { 32 } else { 40 };
        let columns = recognise_digests(&beginning.text, digits);
        list.digests = columns.map_err(|refusal| list.origin.error(Problem::Form(refusal)))?;
    }
    Ok(list)
}

/// A list of digests is ASCII: its beginning is examined when it is opened.
fn refuse_archive(origin: &Origin, progress: &Progress) -> Result<(), InputError> {
    if !origin.is_kept() {
        return Ok(());
    }
    let (_, format) = origin.text(progress)?;
    format.problem().map_or(Ok(()), |problem| Err(origin.error(problem)))
}

/// What the first reading of a list found.
struct Examined {
    /// How its words are read; none for digests.
    reading: Option<Reading>,
    /// The name of the file with the rules of a dictionary.
    affixes: Option<String>,
    origin: Origin,
    /// Doubts about its words.
    doubts: Vec<String>,
    /// True for JSON in which several numbers beside a word may be its count.
    has_unclear_numbers: bool,
}

fn of_words(
    name: &ListName,
    origin: Origin,
    expected: &Expected,
    progress: &Progress,
) -> Result<Examined, InputError> {
    let (text, format) = origin.text(progress)?;
    if let Some(problem) = format.problem() {
        return Err(origin.error(problem));
    }
    let mut lines = Lines::new(text);
    let mut survey = CharsetSurvey::default();
    let mut form = Form::Plain;
    let (mut is_first, mut is_plain, mut sample) = (true, true, Sample::default());
    while let Some(block) = lines.next_block().map_err(|e| origin.error(format.read_problem(e)))? {
        if std::mem::take(&mut is_first) {
            // An archive may be in a compressed file.
            if let Some(problem) = Format::of(block.get(..MAGIC_BYTES).unwrap_or(block)).problem() {
                return Err(origin.error(problem));
            }
            let recognised = recognise(block, origin.name(), &expected.wanted);
            form = recognised.map_err(|refusal| origin.error(Problem::Form(refusal)))?;
        }
        survey.read_block(block);
        is_plain = is_plain && form == Form::Plain && is_plain_text(block);
        sample.draw(block);
    }
    sample.count_dropped(lines.dropped());
    let mut charsets = charsets(survey.finish(), expected.charset);
    if let Form::JsonDocument(field) = &form {
        let is_named = field.is_some();
        let (plain, words, elements) = spooled_document(&origin, charsets, field.as_deref(), progress)?;
        let utf8 = Charsets { other: None, said: None, ..charsets };
        let reading = Reading { form, charsets: utf8, affixes: None, is_plain: false };
        let mut doubts = judgement::of(&plain, &words, &reading, expected)?;
        doubts.extend(judgement::of_document(&plain, elements, is_named)?);
        let has_unclear_numbers = elements.unclear > 0;
        return Ok(Examined {
            reading: Some(reading),
            affixes: None,
            origin: plain,
            doubts,
            has_unclear_numbers,
        });
    }
    let mut rules = if form == Form::Hunspell { affixes::of(name, &origin)? } else { None };
    if let Some((affixes, file)) = &mut rules {
        affixes::see_charset(&origin, affixes, file, charsets)?;
        most_forms::limit(affixes, &sample);
        // The rules name the charset of both files.
        charsets.said = charsets.said.or(Some(Charset::of(affixes.charset())));
        charsets.other = None;
    }
    let missing = if rules.is_none() && form == Form::Hunspell { affixes::missing(&sample) } else { None };
    let (affixes, file) = rules.map_or((None, None), |(affixes, file)| (Some(Arc::new(affixes)), Some(file)));
    let is_plain = is_plain && charsets.said.is_none() && charsets.other.is_none();
    let reading = Reading { form, charsets, affixes, is_plain };
    let mut doubts = judgement::of(&origin, &sample, &reading, expected)?;
    doubts.extend(missing);
    let is_unclear = |line: &&SampledLine| {
        serde_json::from_slice(&line.text).is_ok_and(|element| json::has_unclear_counts(&element))
    };
    let has_unclear_numbers =
        matches!(reading.form, Form::JsonLines(_)) && sample.lines().iter().any(is_unclear);
    Ok(Examined { reading: Some(reading), affixes: file, origin, doubts, has_unclear_numbers })
}

/// UTF-16 is UTF-8 by now.
fn charsets(found: Charsets, said: Option<Charset>) -> Charsets {
    let said = said.filter(|charset| !text::is_wide(*charset));
    Charsets { said, other: found.other.filter(|_| said.is_none()), ..found }
}

/// The words of a document with their counts, one a line, in a temporary file, a sample of them, and the
/// number of elements.
fn spooled_document(
    origin: &Origin,
    charsets: Charsets,
    field: Option<&str>,
    progress: &Progress,
) -> Result<(Origin, Sample, json::Elements), InputError> {
    let (text, format) = origin.text(progress)?;
    let mut sample = Sample::default();
    let text = text::converted(text, charsets.said.or(charsets.other));
    let mut out = tempfile::tempfile().map(BufWriter::new).map_err(|e| origin.error(Problem::Spool(e)))?;
    let read = json::read_document(io::BufReader::new(text), field, &mut |count, word| {
        let line = json::spooled(count, word);
        sample.draw(line.as_bytes());
        out.write_all(line.as_bytes())
    });
    let read = read.map_err(|e| match e.kind() {
        io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof => origin.error(Problem::Json(e)),
        _ => origin.error(format.read_problem(e)),
    })?;
    if read.taken == 0 {
        let refusal = Refusal::new("JSON in which no words are found", judgement::field());
        return Err(origin.error(Problem::Form(refusal)));
    }
    let finished = out.into_inner().map_err(|e| origin.error(Problem::Spool(e.into_error())));
    let file = finished?;
    let bytes = file.metadata().map_err(|e| origin.error(Problem::Spool(e)))?.len();
    Ok((Origin::of_spooled(origin.name(), Arc::new(file), bytes, origin.most()), sample, read))
}
