//! The flags for reading the lists of a command line.

use std::path::PathBuf;

use nearmiss_cli::{
    failure::{Failure, warn},
    input::{self, Charset, Columns, Expected, FormName, InputError, ListName, MaxText, Wanted, WordList},
    keys,
    progress::Progress,
    report::counted,
};
use nearmiss_filters::{format::Kind, list::Forms};

/// The flags of every command that reads lists into a filter.
#[derive(clap::Args)]
pub(crate) struct Input {
    /// The form of the word lists, if filterctl recognises it wrongly: plain, quoted, blanks, tsv, csv,
    /// semicolons, bars, colons, json, hunspell, potfile, or logins (url:user:password).
    #[arg(long, value_name = "FORM", value_parser = str::parse::<FormName>)]
    form: Option<FormName>,
    /// Where the word is on each line: all columns in order (count,word), or the number or name of one
    /// column. `word`: the column named word; if there is none, the whole line.
    /// With --form plain, each line is the word, and any other column is refused.
    #[arg(long, value_name = "COLUMNS", value_parser = str::parse::<Columns>)]
    columns: Option<Columns>,
    /// The charset of the word lists. By default, a line that is not valid UTF-8 is read in the charset that
    /// fits the list.
    #[arg(long, value_name = "CHARSET", value_parser = str::parse::<Charset>)]
    charset: Option<Charset>,
    /// Refuse a list whose uncompressed text exceeds this size: bytes, optionally with K, M, G or T.
    #[arg(long, value_name = "SIZE", default_value = "64G", value_parser = MaxText::parse)]
    max_text: MaxText,
    /// Accept a folder of range files even if ranges are missing, empty or not in order. Without this option
    /// the folder is refused, and the error names these ranges.
    #[arg(long)]
    partial: bool,
}

/// The lists that an option is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ListsOf {
    /// Words.
    Words,
    /// Digests.
    Digests,
}

impl ListsOf {
    fn name(self) -> &'static str {
        match self {
            ListsOf::Words => "words",
            ListsOf::Digests => "digests",
        }
    }
}

/// The flag for the stored forms of a word with accents.
#[derive(clap::Args)]
pub(crate) struct WordForms {
    /// Store words only as they are written, for a spelling dictionary. By default a word with accents is
    /// also stored without them: 'schön' also as 'schon' and 'schoen'.
    #[arg(long)]
    as_written: bool,
}

impl WordForms {
    /// The flag, for [`Input::refuse_useless`].
    pub(crate) fn flag(&self) -> (&'static str, bool, ListsOf) {
        ("--as-written", self.as_written, ListsOf::Words)
    }

    /// The forms in which words are stored.
    pub(crate) fn forms(&self) -> Forms {
        if self.as_written { Forms::Written } else { Forms::Plain }
    }
}

/// Refuses columns of lines that are words: they would be ignored in silence. The options begin so.
///
/// # Errors
/// Both are given.
pub(crate) fn refuse_columns_of_lines(
    form: Option<FormName>,
    columns: Option<&Columns>,
    prefix: &str,
) -> Result<(), Failure> {
    if form != Some(FormName::Plain) || columns.is_none_or(|columns| *columns == Columns::Line) {
        return Ok(());
    }
    Err(Failure::plain(
        keys::ARGUMENTS,
        format!(
            "--{prefix}form plain takes each line as a word, and --{prefix}columns a part of each: leave one \
             of them out"
        ),
    ))
}

impl Input {
    /// The expected content of lists of this kind.
    fn expected(&self, kind: Kind) -> Expected {
        let wanted = Wanted { form: self.form, columns: self.columns.clone() };
        Expected { kind, wanted, charset: self.charset, most: self.max_text, is_partial: self.partial }
    }

    /// Refuses options that have no effect on lists of this kind, which would be ignored in silence.
    ///
    /// # Errors
    /// One of them is given: `others` are options of the command with their use, for words or for digests.
    pub(crate) fn refuse_useless(
        &self,
        kind: Kind,
        others: &[(&'static str, bool, ListsOf)],
    ) -> Result<(), Failure> {
        let is_of = if kind == Kind::Words { ListsOf::Words } else { ListsOf::Digests };
        let own = [
            ("--form", self.form.is_some(), ListsOf::Words),
            ("--columns", self.columns.is_some(), ListsOf::Words),
            ("--charset", self.charset.is_some(), ListsOf::Words),
            ("--partial", self.partial, ListsOf::Digests),
        ];
        refuse_columns_of_lines(self.form, self.columns.as_ref(), "")?;
        let is_useless = |(_, is_given, of): &&(&str, bool, ListsOf)| *is_given && *of != is_of;
        let Some((option, _, of)) = own.iter().chain(others).find(is_useless) else { return Ok(()) };
        let (of, is_of) = (of.name(), is_of.name());
        Err(Failure::plain(
            keys::ARGUMENTS,
            format!("{option} is for lists of {of}, and these are of {is_of}: leave it out, or check --kind"),
        ))
    }

    /// Opens lists of this kind, none of which may be longer.
    ///
    /// # Errors
    /// The [`InputError`] of the first list that cannot be read.
    pub(crate) fn open(
        &self,
        lists: impl Iterator<Item = ListName>,
        kind: Kind,
        progress: &Progress,
    ) -> Result<Vec<WordList>, InputError> {
        let lists = input::open(&lists.collect::<Vec<_>>(), &self.expected(kind), progress)?;
        Input::warn_of_doubts(&lists);
        Ok(lists)
    }

    /// As [`Input::open`], for lists of digests that are read once.
    ///
    /// # Errors
    /// As [`Input::open`].
    pub(crate) fn open_once(
        &self,
        lists: impl Iterator<Item = ListName>,
        kind: Kind,
        progress: &Progress,
    ) -> Result<Vec<WordList>, InputError> {
        let lists = input::open_once(&lists.collect::<Vec<_>>(), &self.expected(kind), progress)?;
        Input::warn_of_doubts(&lists);
        Ok(lists)
    }

    /// Warns of each list whose words may be none, or have signs instead of letters.
    pub(crate) fn warn_of_doubts(lists: &[WordList]) {
        for (list, doubt) in lists.iter().flat_map(|list| list.doubts().iter().map(move |one| (list, one))) {
            warn(keys::LIST_FORM, &format!("{}: {doubt}", list.name()));
        }
        for (list, charsets) in lists.iter().map(|list| (list, list.charsets())) {
            let Some(other) = charsets.other.filter(|_| charsets.is_doubtful) else { continue };
            let (lines, are, were, they) = match charsets.other_lines {
                1 => ("1 line".to_owned(), "is", "was", "it has"),
                lines => (counted(lines, "line"), "are", "were", "they have"),
            };
            warn(
                keys::LIST_CHARSET,
                &format!(
                    "{}: {lines} {are} neither UTF-8 nor in a charset that is known, and {were} read as {}, \
                     in which {they} signs instead of letters; say --charset, or convert the list with iconv",
                    list.name(),
                    other.name()
                ),
            );
        }
    }

    /// As [`Input::open`], for lists from the command line.
    ///
    /// # Errors
    /// As [`Input::open`].
    pub(crate) fn open_named(
        &self,
        lists: &[PathBuf],
        kind: Kind,
        progress: &Progress,
    ) -> Result<Vec<WordList>, InputError> {
        self.open(lists.iter().cloned().map(ListName::Path), kind, progress)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_is_that_of_all_lists_that_are_named() {
        assert_eq!(MaxText::parse("64G"), Ok(MaxText::NAMED));
    }
}
