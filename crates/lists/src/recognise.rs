//! The recognition of a list's form from its beginning and its name.
//!
//! Nine in ten of the lines must have a form; and after that the column that is taken is judged, not the
//! line. A list that could be read in two ways is refused with both: a wrong guess gives a filter that
//! rejects nothing and looks like one that works.

mod answer;
mod bytes;
mod columns;
mod counts;
mod dump;
mod few;
mod header;
mod labels;
mod layout;
mod names;
mod numbers;
mod program;
mod signs;
mod uneven;
mod whole;

pub use names::PASSWORD_NAMES;

use crate::{
    columns::{Columns, Role},
    cracked,
    form::{Form, FormName, Wanted},
    hunspell,
    line::{is_comment, is_most},
    refusal::Refusal,
    table::Separator,
};

/// The most lines that are looked at.
const MOST_LINES: usize = 4096;

/// The lines of a list's beginning.
pub(crate) struct Beginning<'a> {
    /// The whole of it.
    text: &'a [u8],
    /// Lines that are neither blank nor comments, evenly from all of it, the first among them.
    lines: Vec<&'a [u8]>,
    /// The end of the list's name, in lower case, without that of a compression.
    name: String,
}

impl<'a> Beginning<'a> {
    fn new(text: &'a [u8], name: &str) -> Beginning<'a> {
        let lines =
            || text.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii_end).filter(|line| is_line(line));
        let step = lines().count().div_ceil(MOST_LINES).max(1);
        let name = name.to_ascii_lowercase();
        let is_packed = |name: &str| {
            [".gz", ".xz", ".zst"].iter().find_map(|end| name.strip_suffix(end).map(str::to_owned))
        };
        let name = is_packed(&name).unwrap_or(name);
        Beginning { text, lines: lines().step_by(step).collect(), name }
    }

    /// True if the list's name, which is in lower case, ends so.
    fn has_extension(&self, extension: &str) -> bool {
        self.name.rsplit_once('.').is_some_and(|(_, end)| end == extension)
    }

    /// True if nine in ten of the lines are so; false for no lines.
    fn most(&self, is_so: impl Fn(&[u8]) -> bool) -> bool {
        is_most(self.lines.iter().copied(), is_so)
    }
}

/// True for a line that is neither blank nor a comment.
fn is_line(line: &[u8]) -> bool {
    !line.trim_ascii().is_empty() && !is_comment(line)
}

/// The form of a list that begins with these whole lines and has this name.
///
/// # Errors
/// A [`Refusal`] of a list that holds no words, or whose words cannot be found.
pub fn recognise(beginning: &[u8], name: &str, wanted: &Wanted) -> Result<Form, Refusal> {
    let beginning = Beginning::new(beginning, name);
    let form = match (wanted.form, &wanted.columns) {
        (Some(FormName::Table(separator)), columns) => {
            columns::with(&beginning, &[separator], columns.as_ref())?
        }
        (Some(form), columns) => of_name(&beginning, form, columns.as_ref()),
        (None, Some(Columns::Line)) => {
            let column = Columns::Named(Role::Word.name().to_owned());
            with_columns(&beginning, &column).unwrap_or(Form::Plain)
        }
        (None, Some(columns)) => with_columns(&beginning, columns)?,
        (None, None) => {
            bytes::refused(beginning.text)?;
            whole::refused(&beginning)?;
            let known = whole::json(&beginning, None).or_else(|| dictionary(&beginning));
            let form = known.map_or_else(|| columns::found(&beginning), Ok)?;
            cracked::verify(&beginning.lines, &form)?;
            form
        }
    };
    if let Form::Table(table) = &form {
        columns::judge_words(&beginning, table)?;
    }
    Ok(form)
}

/// The form of a list of these columns.
///
/// # Errors
/// A [`Refusal`] if its lines do not have them.
fn with_columns(beginning: &Beginning<'_>, columns: &Columns) -> Result<Form, Refusal> {
    match whole::json(beginning, Some(columns)) {
        Some(form) => Ok(form),
        None => columns::with(beginning, &Separator::ALL, Some(columns)),
    }
}

fn of_name(beginning: &Beginning<'_>, name: FormName, columns: Option<&Columns>) -> Form {
    let field = match columns {
        Some(Columns::Named(name)) => Some(name.clone()),
        _ => None,
    };
    match name {
        FormName::Plain | FormName::Table(_) => Form::Plain,
        FormName::Quoted => Form::Quoted,
        FormName::Json => match whole::json(beginning, columns) {
            Some(form) => form,
            None => Form::JsonLines(field),
        },
        FormName::Hunspell => Form::Hunspell,
        FormName::Potfile => Form::Potfile,
        FormName::Logins => Form::Logins,
    }
}

/// A dictionary of hunspell, or what `aspell dump master` writes.
fn dictionary(beginning: &Beginning<'_>) -> Option<Form> {
    let all = beginning.lines.len();
    let is_flagged = |fewest: usize, may_be_lower: bool| {
        let flagged = beginning.lines.iter().filter(|line| whole::has_flags(line, may_be_lower)).count();
        flagged >= fewest && flagged.saturating_mul(4) >= all
    };
    let begins_with_count =
        beginning.lines.first().is_some_and(|line| hunspell::is_count_line(&String::from_utf8_lossy(line)));
    let has_numbers = beginning.most(|line| line.first().is_some_and(u8::is_ascii_digit));
    let is_named = beginning.has_extension("dic") && begins_with_count && !has_numbers;
    let is_flagged = is_flagged(3, false) || is_flagged(layout::SOME, true);
    (is_named || is_flagged || hunspell::looks_like_dictionary(beginning.text)).then_some(Form::Hunspell)
}
