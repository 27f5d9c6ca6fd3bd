//! Candidates whose lines plainly have more than a password: columns, JSON, quotes, counts. Judged whole,
//! such lines would all be accepted. Nothing is copied, and no message has a part of a line.

use nearmiss_cli::{
    failure::{Failure, warn},
    keys,
};
use nearmiss_lists::login;

mod doubts;
mod of_line;

use super::{columns::CandidateColumns, reader};

/// The most lines that are looked at.
const MOST: usize = 1000;

/// Fewer lines may be alike by chance: they are worth a warning, if all are.
const SOME: usize = 20;

/// Fewer lines than this say nothing.
const FEWEST: usize = 3;

/// A form of lines: its name, the way to read them, and the test of a line.
struct LineForm {
    name: &'static str,
    way: &'static str,
    is_of: fn(&[u8]) -> bool,
}

/// The way to the passwords in most forms.
const CONVERT: &str = "print the passwords alone, one a line";

/// The forms of passwords one a line, the most telling first: no random password has them.
const FORMS: [LineForm; 21] = [
    LineForm {
        name: "a user and a password, with a colon between",
        way: "pass --columns user,password",
        is_of: of_line::is_login,
    },
    LineForm { name: "JSON", way: CONVERT, is_of: of_line::is_json },
    LineForm { name: "quotes around the whole line", way: CONVERT, is_of: of_line::is_quoted },
    LineForm {
        name: "the tags of HTML or XML",
        way: CONVERT,
        is_of: |line| of_line::is_between(line, b'<', b'>'),
    },
    LineForm { name: "a count before the password", way: CONVERT, is_of: of_line::has_count_before },
    LineForm { name: "a number after the password", way: CONVERT, is_of: of_line::has_count_after },
    LineForm { name: "the sign of an item of a list", way: CONVERT, is_of: of_line::is_item },
    LineForm { name: "a number before the password", way: CONVERT, is_of: of_line::has_number_before },
    LineForm { name: "a mail address before the password", way: CONVERT, is_of: of_line::has_mail_before },
    LineForm { name: "the name of a password before each", way: CONVERT, is_of: of_line::has_label },
    LineForm {
        name: "a name and an equals sign before each",
        way: CONVERT,
        is_of: of_line::has_name_before_equals,
    },
    LineForm { name: "digests and more", way: CONVERT, is_of: of_line::has_digest_before },
    LineForm { name: "rows between bars", way: CONVERT, is_of: of_line::is_row },
    LineForm { name: "the colours of a terminal", way: "remove them", is_of: |line| line.contains(&0x1b) },
    LineForm { name: "escapes of characters", way: "decode them", is_of: nearmiss_lists::is_escaped },
    LineForm { name: "base32", way: "decode them", is_of: of_line::is_base32 },
    LineForm { name: "base64", way: "decode them", is_of: of_line::is_base64 },
    LineForm { name: "hexadecimal digits", way: "decode them", is_of: of_line::is_hex },
    LineForm {
        name: "blanks at their ends",
        way: "remove them",
        is_of: |line| line.trim_ascii().len() < line.len(),
    },
    LineForm {
        name: "columns with tabs between",
        way: CONVERT,
        is_of: |line| of_line::has_columns(line, b'\t'),
    },
    LineForm { name: "columns with several blanks between", way: CONVERT, is_of: of_line::has_wide_blanks },
];

/// Columns by a sign, which is in fewer than half of all random passwords.
const COLUMNS: [LineForm; 4] = [
    LineForm {
        name: "columns with colons between",
        way: "pass --columns user,password if they are users and passwords",
        is_of: |line| of_line::has_columns(line, b':'),
    },
    LineForm {
        name: "columns with bars between",
        way: CONVERT,
        is_of: |line| of_line::has_columns(line, b'|'),
    },
    LineForm {
        name: "columns with semicolons between",
        way: CONVERT,
        is_of: |line| of_line::has_columns(line, b';'),
    },
    LineForm {
        name: "columns with commas between",
        way: CONVERT,
        is_of: |line| of_line::has_columns(line, b','),
    },
];

/// The way to users and passwords.
const PRINT: &str = "print lines such as user:password";

/// The way to users and passwords among the fields of accounts; a line without a colon is a total.
const CUT: &str = "print users and passwords alone, with cut -d: -f1,2 -s";

/// Users and passwords before the other fields of accounts: no password looks so.
const ACCOUNTS: LineForm = LineForm {
    name: "the other fields of accounts behind the passwords, as of john --show",
    way: CUT,
    is_of: login::is_account,
};

/// Passwords with something else, in the place of users and passwords: their first column would be printed.
const NO_USERS: &str = "print lines such as user:password, or pass --columns user,password if they are";

/// The forms of lines with users that an audit reads, none of which are users and passwords alone.
const AUDITED: [LineForm; 7] = [
    LineForm { name: "JSON", way: PRINT, is_of: of_line::is_json },
    LineForm {
        name: "quotes",
        way: PRINT,
        is_of: |line| matches!(line.trim_ascii_start().first(), Some(b'"' | b'\'')),
    },
    LineForm {
        name: "five columns and more with colons between",
        way: CUT,
        is_of: of_line::has_five_columns,
    },
    LineForm {
        name: "three columns with colons between",
        way: "pass --columns user,gecos,password, or user,password if the passwords have colons",
        is_of: of_line::has_three_columns,
    },
    LineForm { name: "digests before the colon", way: NO_USERS, is_of: of_line::has_digest },
    LineForm { name: "passwords and counts", way: NO_USERS, is_of: of_line::has_number_behind },
    LineForm { name: "mail addresses after the colon", way: NO_USERS, is_of: of_line::has_mail_after },
];

/// Requires that the lines at the beginning of the input are passwords, or users and passwords; fewer lines
/// are only warned of, unless the passwords would be printed as users. `are_named` is true if the command
/// line names the columns.
///
/// # Errors
/// More than half of them have another form; the message has the alternative.
pub(crate) fn refuse(lines: &[u8], columns: CandidateColumns, are_named: bool) -> Result<(), Failure> {
    let is_audited = columns != CandidateColumns::Password;
    let all = examined(lines).count();
    if is_audited && is_over_half(count(lines, ACCOUNTS.is_of), all) {
        let message = format!("most lines of standard input have {}: {CUT}", ACCOUNTS.name);
        return Err(Failure::plain(keys::STANDARD_INPUT, message));
    }
    if are_named {
        return Ok(());
    }
    let said = if is_audited { "" } else { "; --columns password says that each line is one" };
    let refusal = |name: &str, way: &str| {
        let message = format!("most lines of standard input are no passwords, but have {name}: {way}{said}");
        Failure::plain(keys::STANDARD_INPUT, message)
    };
    if has_many_quotes(lines) {
        return Err(refusal("many texts in quotes on a line (JSON, or the source of a program)", CONVERT));
    }
    let form = if is_audited { form_of(lines, &AUDITED, true) } else { form_of_password(lines) };
    let Some((name, way)) = form else {
        let doubt = (!is_audited).then(|| doubts::of(lines)).flatten();
        if let Some((name, way)) = doubt {
            let message = format!("many lines of standard input seem to have {name}: {way}{said}");
            warn(keys::STANDARD_INPUT, &message);
        }
        return Ok(());
    };
    if all >= SOME || is_audited && way == NO_USERS {
        return Err(refusal(name, way));
    }
    let message = format!("all lines of standard input seem to have {name}: {way}{said}");
    warn(keys::STANDARD_INPUT, &message);
    Ok(())
}

fn is_over_half(so: usize, all: usize) -> bool {
    so.saturating_mul(2) > all
}

/// The number of lines that are so.
fn count(lines: &[u8], is_so: impl Fn(&[u8]) -> bool) -> usize {
    examined(lines).filter(|line| is_so(line)).count()
}

/// The lines that are looked at: neither blank nor a password in hexadecimal digits.
fn examined(lines: &[u8]) -> impl Iterator<Item = &[u8]> {
    let is_hex = |line: &[u8]| line.starts_with(b"$HEX[") && line.trim_ascii_end().ends_with(b"]");
    reader::each(lines).filter(move |line| !line.trim_ascii().is_empty() && !is_hex(line)).take(MOST)
}

/// The form of most passwords, as [`form_of`].
fn form_of_password(lines: &[u8]) -> Option<(&'static str, &'static str)> {
    let users = || doubts::have_users(lines).then_some((doubts::USERS, CONVERT));
    form_of(lines, FORMS.iter().chain(&COLUMNS), false).or_else(users)
}

/// The name of the form that most lines have, or all of a few, and the way to read it.
fn form_of<'f>(
    lines: &[u8],
    forms: impl IntoIterator<Item = &'f LineForm>,
    is_audited: bool,
) -> Option<(&'static str, &'static str)> {
    let all = examined(lines).count();
    let are = |so: usize| if all < SOME { so == all } else { is_over_half(so, all) };
    if all < FEWEST {
        return None;
    }
    let is_form = |form: &&LineForm| are(count(lines, form.is_of));
    // Names of a directory begin alike: `uid=anna,ou=people`.
    let beginning = if is_audited { of_line::user } else { of_line::beginning };
    let way = if is_audited { PRINT } else { CONVERT };
    let has_beginning = || {
        let mut beginnings = examined(lines).take(FEWEST).filter_map(beginning);
        beginnings.any(|start| are(count(lines, |line| line.len() > start.len() && line.starts_with(start))))
    };
    let form = forms.into_iter().find(is_form).map(|form| (form.name, form.way));
    form.or_else(|| has_beginning().then_some(("the same text before each", way)))
}

/// True if one of the first lines has the quotes of many texts: the number of lines says nothing then.
fn has_many_quotes(lines: &[u8]) -> bool {
    let count = |line: &[u8], quote: u8| memchr::memchr_iter(quote, line).count();
    let has_many = |line: &[u8]| count(line, b'"').max(count(line, b'\'')) >= SOME.saturating_mul(2);
    reader::each(lines).take(SOME).any(has_many)
}

#[cfg(test)]
mod tests;
