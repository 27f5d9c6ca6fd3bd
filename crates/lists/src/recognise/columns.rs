//! The column of the word, in lists whose lines have several.

use super::{
    Beginning, few, header, labels,
    layout::{Content, Layout},
    names::word_among,
    signs, uneven,
};
use crate::{
    columns::{Columns, Role},
    cracked,
    form::{Form, FormName},
    hashes,
    judge::{self, escapes},
    line::{is_most, unquoted},
    login,
    refusal::{Refusal, Way},
    table::{Separator, Table, weight},
};

/// Fewer lines than this may look like columns by chance.
const FEW: usize = 3;

/// The form of lists that the user says nothing about.
///
/// # Errors
/// A [`Refusal`].
pub(super) fn found(beginning: &Beginning<'_>) -> Result<Form, Refusal> {
    if beginning.most(is_right_aligned_count) {
        return Ok(Form::Table(table(Separator::Blanks, &[Role::Count, Role::Word])));
    }
    if beginning.lines.len() >= FEW {
        if beginning.most(|line| line.starts_with(b"$LM$")) {
            let content = "halves of passwords in upper case, from LM hashes";
            return Err(Refusal::new(
                content,
                Way::Options("--form potfile, if no other potfile has the passwords".to_owned()),
            ));
        }
        if beginning.most(login::is_of_potfile) && !beginning.most(login::has_count) {
            let columns = [Role::Hash, Role::Word, Role::Other];
            let is_middle = cracked::is_in_the_middle(&beginning.lines);
            let table = || Form::Table(table(Separator::Colon, &columns));
            return Ok(if is_middle { table() } else { Form::Potfile });
        }
        if beginning.most(login::is_of_url) && beginning.most(|line| login::of_url(line).is_some()) {
            return Ok(Form::Logins);
        }
        labels::refused(beginning)?;
        escapes::entities(&beginning.lines)?;
        if beginning.most(is_quoted) {
            return Ok(Form::Quoted);
        }
        if let Some(table) = header::of_one_column(beginning) {
            return Ok(Form::Table(table));
        }
        if let Some(table) =
            Separator::ALL.into_iter().find_map(|separator| header::named(beginning, separator))
        {
            return Ok(Form::Table(table));
        }
        for separator in in_order(beginning, &Separator::ALL) {
            if let Some(layout) = Layout::of(beginning, separator) {
                if let Some(form) = of_layout(beginning, &layout)? {
                    return Ok(form);
                }
            }
        }
    }
    if beginning.lines.len() < FEW {
        few::refused(&beginning.lines)?;
    }
    if uneven::is_columns(beginning) {
        return Err(Refusal::unclear("columns by blanks, which are not as many on each line"));
    }
    let Some(refusal) = signs::in_common(beginning) else { return Ok(Form::Plain) };
    judge::in_common(&beginning.lines)?;
    Err(refusal)
}

/// The form of lines with these columns; none for another separator.
fn of_layout(beginning: &Beginning<'_>, layout: &Layout) -> Result<Option<Form>, Refusal> {
    let contents: Vec<Content> = (0..layout.columns).map(|at| layout.content(at)).collect();
    if layout.has_header() {
        let names: Vec<String> = (0..layout.columns).map(|at| layout.name(at).unwrap_or_default()).collect();
        if let Some(at) = word_among(&names) {
            return Ok(Some(Form::Table(layout.table(at))));
        }
    }
    let texts: Vec<usize> =
        (0..layout.columns).filter(|&at| contents.get(at) == Some(&Content::Text)).collect();
    let is_plain_text = contents.iter().all(|content| *content == Content::Text);
    match (layout.separator, texts.as_slice(), contents.as_slice()) {
        // As many words on each line are more likely columns than phrases.
        (Separator::Blanks, _, _) if is_plain_text && !layout.is_regular() => Ok(None),
        // A user and a hash, alone or as in a passwd or shadow file.
        (_, [0], [_, Content::Hash(hash), ..]) => Err(Refusal::of_hashes(*hash)),
        (Separator::Colon, _, [_, Content::Hash(hash), Content::Number, Content::Number, ..]) => {
            Err(Refusal::of_hashes(*hash))
        }
        (Separator::Colon, [], _) if is_ratio(beginning) => Ok(None),
        (_, [0], [_, Content::Number]) if !layout.are_counts(1) => Err(of_unclear_numbers(layout.separator)),
        (_, [word], _) => Ok(Some(Form::Table(layout.table(*word)))),
        // The account of a passwd file, as john --show writes it.
        (Separator::Colon, [0, 1, ..], [_, _, Content::Number, Content::Number, ..]) => {
            Ok(Some(Form::Table(layout.table(1))))
        }
        (_, [0, 2], [_, Content::Hash(_), _]) => Ok(Some(Form::Table(layout.table(2)))),
        (Separator::Colon, _, [_, _]) if is_plain_text && beginning.most(is_user) => {
            Ok(Some(Form::Table(table(Separator::Colon, &[Role::User, Role::Word]))))
        }
        (_, [], _) => of_numbers(layout, &contents),
        (Separator::Colon, _, _) if is_ratio(beginning) => Ok(None),
        _ => Err(Refusal::unclear(&format!("{} columns by {}", layout.columns, layout.separator.name()))),
    }
}

/// Columns of numbers and hashes alone.
fn of_numbers(layout: &Layout, contents: &[Content]) -> Result<Option<Form>, Refusal> {
    let hash = contents.iter().find_map(|content| match content {
        Content::Hash(hash) => Some(*hash),
        _ => None,
    });
    if let Some(hash) = hash {
        return Err(Refusal::of_hashes(hash));
    }
    let numbers: Vec<usize> =
        (0..layout.columns).filter(|&at| contents.get(at) == Some(&Content::Number)).collect();
    let in_order: Vec<usize> = numbers.iter().copied().filter(|&at| layout.is_in_order(at)).collect();
    match (numbers.as_slice(), in_order.as_slice()) {
        ([one, other], [count]) => {
            Ok(Some(Form::Table(layout.table(if count == one { *other } else { *one }))))
        }
        ([_], _) if contents.len() > 1 => match contents.first() {
            // A word and nothing after its separator.
            Some(Content::Number)
                if contents.get(1..).is_some_and(|rest| rest.iter().all(|one| *one == Content::Blank)) =>
            {
                Ok(Some(Form::Table(layout.table(0))))
            }
            _ => Ok(None),
        },
        _ => Ok(None),
    }
}

/// The form with the columns that the user names.
///
/// # Errors
/// A [`Refusal`] if the lines do not have them.
pub(super) fn with(
    beginning: &Beginning<'_>,
    separators: &[Separator],
    columns: Option<&Columns>,
) -> Result<Form, Refusal> {
    let separators = &in_order(beginning, separators)[..];
    let layouts = || separators.iter().filter_map(|separator| Layout::of(beginning, *separator));
    match columns {
        Some(Columns::Line) => Ok(Form::Plain),
        Some(Columns::All(roles)) => {
            Ok(Form::Table(table(separator_of(beginning, separators, roles), roles)))
        }
        Some(Columns::Number(at)) => {
            let has_it = |layout: &Layout| layout.columns > *at;
            match layouts().find(has_it) {
                Some(layout) => Ok(Form::Table(Table { is_from_left: true, ..layout.table(*at) })),
                None => of_uneven(beginning, separators, *at),
            }
        }
        Some(Columns::Named(name)) => {
            let wanted = name.to_lowercase();
            let place =
                |layout: &Layout| (0..layout.columns).find(|&at| layout.name(at).as_ref() == Some(&wanted));
            let found = layouts().find_map(|layout| place(&layout).map(|at| (layout, at)));
            let Some((layout, at)) = found else {
                let table =
                    separators.iter().find_map(|separator| header::with(beginning, *separator, &wanted));
                return table.map(Form::Table).ok_or_else(|| lacks(&format!("column called {name}")));
            };
            Ok(Form::Table(Table { has_header: true, is_from_left: true, ..layout.table(at) }))
        }
        None => {
            for layout in layouts() {
                if let Some(form) = of_layout(beginning, &layout)? {
                    return Ok(form);
                }
            }
            Err(Refusal::unclear("columns"))
        }
    }
}

/// The separators in the order in which they are tried: colons first for accounts as in a passwd file, since
/// a name in it may have commas.
fn in_order(beginning: &Beginning<'_>, separators: &[Separator]) -> Vec<Separator> {
    let is_last = |separator: &Separator| *separator != Separator::Colon;
    let mut ordered = separators.to_vec();
    if beginning.most(login::is_account) {
        ordered.sort_by_key(is_last);
    }
    ordered
}

/// The table of lines with different numbers of columns: by the separator with which most have the wanted
/// one.
fn of_uneven(beginning: &Beginning<'_>, separators: &[Separator], word: usize) -> Result<Form, Refusal> {
    let has_it = |separator: Separator, line: &[u8]| {
        let fields = separator.fields(line).len();
        fields > word && fields > 1
    };
    let lines = |separator: Separator| beginning.lines.iter().filter(|line| has_it(separator, line)).count();
    let best = separators.iter().rev().copied().max_by_key(|separator| lines(*separator));
    let best = best.filter(|separator| lines(*separator).saturating_mul(2) >= beginning.lines.len());
    let separator = best.ok_or_else(|| lacks(&format!("column {}", word.saturating_add(1))))?;
    let mut roles = vec![Role::Other; word];
    roles.push(Role::Word);
    Ok(Form::Table(Table { separator, roles, word, has_header: false, is_from_left: true }))
}

/// The separator for these columns: the one by which most lines have them.
fn separator_of(beginning: &Beginning<'_>, separators: &[Separator], roles: &[Role]) -> Separator {
    let usual = if roles.contains(&Role::Count) || roles.contains(&Role::Rank) {
        Separator::Blanks
    } else {
        Separator::Colon
    };
    let fitting = |separator: Separator| {
        let table = table(separator, roles);
        let is_numeric = |line: &[u8]| {
            let fields = separator.fields(line);
            let numbers =
                roles.iter().zip(&fields).filter(|(role, _)| matches!(role, Role::Count | Role::Rank));
            fields.len() >= roles.len() && numbers.into_iter().all(|(_, field)| weight(field).is_some())
        };
        let fits = |line: &&&[u8]| {
            table.split(line).is_some_and(|(_, word)| !word.trim_ascii().is_empty())
                && (separator == Separator::Blanks || is_numeric(line))
        };
        beginning.lines.iter().filter(fits).count()
    };
    let is_usual = |separator: Separator| u8::from(separator == usual);
    let best = separators.iter().copied().max_by_key(|&separator| (fitting(separator), is_usual(separator)));
    best.unwrap_or(usual)
}

fn table(separator: Separator, roles: &[Role]) -> Table {
    let word = roles.iter().position(|role| *role == Role::Word).unwrap_or(0);
    Table { separator, roles: roles.to_vec(), word, has_header: false, is_from_left: false }
}

/// Refuses a table whose column of words has none.
///
/// # Errors
/// The [`Refusal`].
pub(super) fn judge_words(beginning: &Beginning<'_>, table: &Table) -> Result<(), Refusal> {
    let words: Vec<Vec<u8>> = beginning
        .lines
        .iter()
        .filter_map(|line| table.split(line))
        .map(|(_, word)| word.trim_ascii().to_vec())
        .filter(|word| !word.is_empty())
        .collect();
    let hash = |word: &[u8]| std::str::from_utf8(word).ok().and_then(hashes::of);
    let Some(first) = words.iter().find_map(|word| hash(word)) else { return Ok(()) };
    if is_most(words.iter().map(Vec::as_slice), |word| hash(word) == Some(first)) {
        return Err(Refusal::of_hashes(first));
    }
    Ok(())
}

fn of_unclear_numbers(separator: Separator) -> Refusal {
    let form = FormName::Table(separator).as_written();
    let options = format!("--form {form} and --columns user,word or --columns word,count");
    Refusal {
        content: "words beside numbers that may be passwords, counts or parts of words".to_owned(),
        ways: vec![Way::Options(options), Way::Plain],
    }
}

fn lacks(column: &str) -> Refusal {
    Refusal::new(format!("no {column}"), Way::Options("--form and --columns that fit its lines".to_owned()))
}

fn is_right_aligned_count(line: &[u8]) -> bool {
    line.starts_with(b" ") && {
        let mut fields = line.trim_ascii().splitn(2, u8::is_ascii_whitespace);
        let count = fields.next().is_some_and(|count| count.iter().all(u8::is_ascii_digit));
        count && fields.next().is_some()
    }
}

/// A word in quotes, perhaps with a comma after it.
fn is_quoted(line: &[u8]) -> bool {
    unquoted(line).is_some()
}

/// A user name has no spaces, and the line is not a time or a ratio.
fn is_user(line: &[u8]) -> bool {
    let Some(colon) = memchr::memchr(b':', line).filter(|&colon| colon > 0) else { return false };
    let (user, rest) = line.split_at_checked(colon).unwrap_or_default();
    let word = rest.get(1..).unwrap_or_default();
    let is_number = |text: &[u8]| text.iter().all(u8::is_ascii_digit);
    let is_other = word.starts_with(b"//") || word.starts_with(b" ") || is_number(user) && is_number(word);
    !is_other && !word.is_empty() && !user.iter().any(u8::is_ascii_whitespace)
}

/// Times, ratios and addresses of sites: words with colons.
fn is_ratio(beginning: &Beginning<'_>) -> bool {
    let parts =
        |line: &[u8]| line.split(|&byte| byte == b':').all(|part| part.iter().all(u8::is_ascii_digit));
    beginning.most(|line| parts(line) || memchr::memmem::find(line, b"://").is_some())
}
