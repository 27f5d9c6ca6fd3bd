//! Candidates whose lines plainly have more than a password: columns, JSON, quotes, counts. Judged whole,
//! such lines would all be accepted. Nothing is copied, and no message has a part of a line.

use data_encoding::{BASE64, Encoding, HEXLOWER_PERMISSIVE};
use nearmiss_cli::{
    failure::{Failure, warn},
    keys,
};
use zeroize::Zeroizing;

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

/// The forms of passwords one a line, the most telling first. In random passwords each sign is in fewer than
/// one in five.
const FORMS: [LineForm; 15] = [
    LineForm {
        name: "a user and a password, with a colon between",
        way: "pass --columns user,password",
        is_of: is_login,
    },
    LineForm { name: "JSON", way: CONVERT, is_of: is_json },
    LineForm { name: "quotes around the whole line", way: CONVERT, is_of: is_quoted },
    LineForm { name: "the tags of HTML or XML", way: CONVERT, is_of: |line| is_between(line, b'<', b'>') },
    LineForm { name: "a count before the password", way: CONVERT, is_of: has_count_before },
    LineForm { name: "a number after the password", way: CONVERT, is_of: has_count_after },
    LineForm { name: "the sign of an item of a list", way: CONVERT, is_of: is_item },
    LineForm { name: "a number before the password", way: CONVERT, is_of: has_number_before },
    LineForm { name: "base64", way: "decode them", is_of: is_base64 },
    LineForm { name: "hexadecimal digits", way: "decode them", is_of: is_hex },
    LineForm {
        name: "blanks at their ends",
        way: "remove them",
        is_of: |line| line.trim_ascii().len() < line.len(),
    },
    LineForm { name: "columns with tabs between", way: CONVERT, is_of: |line| has_columns(line, b'\t') },
    LineForm {
        name: "columns with colons between",
        way: "pass --columns user,password if they are users and passwords",
        is_of: |line| has_columns(line, b':'),
    },
    LineForm { name: "columns with semicolons between", way: CONVERT, is_of: |line| has_columns(line, b';') },
    LineForm { name: "columns with commas between", way: CONVERT, is_of: |line| has_columns(line, b',') },
];

/// The forms of lines with users that an audit reads, none of which are users and passwords alone.
const AUDITED: [LineForm; 3] = [
    LineForm { name: "JSON", way: "print lines such as user:password", is_of: is_json },
    LineForm {
        name: "quotes",
        way: "print lines such as user:password",
        is_of: |line| line.first() == Some(&b'"'),
    },
    LineForm {
        name: "three columns with colons between",
        way: "pass --columns user,gecos,password, or user,password if the passwords have colons",
        is_of: has_three_columns,
    },
];

/// Requires that the lines at the beginning of the input are passwords, or users and passwords; fewer lines
/// are only warned of. `are_named` is true if the command line names the columns.
///
/// # Errors
/// More than half of them have another form; the message has the alternative.
pub(crate) fn refuse(lines: &[u8], columns: CandidateColumns, are_named: bool) -> Result<(), Failure> {
    let forms: &[LineForm] = match columns {
        _ if are_named => return Ok(()),
        CandidateColumns::Password => &FORMS,
        _ => &AUDITED,
    };
    let examined = || {
        let filled = reader::each(lines).filter(|line| !line.trim_ascii().is_empty());
        filled.filter(|line| !line.starts_with(b"$HEX[")).take(MOST)
    };
    let all = examined().count();
    if all < FEWEST {
        return Ok(());
    }
    let share = |form: &&LineForm| examined().filter(|line| (form.is_of)(line)).count();
    let is_form = |form: &&LineForm| {
        let so = share(form);
        if all < SOME { so == all } else { so.saturating_mul(2) > all }
    };
    let Some(LineForm { name, way, .. }) = forms.iter().find(is_form) else { return Ok(()) };
    let said = if columns == CandidateColumns::Password {
        "; --columns password says that each line is one"
    } else {
        ""
    };
    if all < SOME {
        let message = format!("all lines of standard input seem to have {name}: {way}{said}");
        warn(keys::STANDARD_INPUT, &message);
        return Ok(());
    }
    let message = format!("most lines of standard input are no passwords, but have {name}: {way}{said}");
    Err(Failure::plain(keys::STANDARD_INPUT, message))
}

fn is_between(line: &[u8], first: u8, last: u8) -> bool {
    let line = line.trim_ascii();
    line.len() > 2 && line.first() == Some(&first) && line.last() == Some(&last)
}

fn is_json(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    let line = line.strip_suffix(b",").unwrap_or(line);
    line.contains(&b'"') && (is_between(line, b'{', b'}') || is_between(line, b'[', b']'))
}

fn is_quoted(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    let line = line.strip_suffix(b",").unwrap_or(line);
    is_between(line, b'"', b'"') || is_between(line, b'\'', b'\'')
}

/// A mail address and more after a colon.
fn is_login(line: &[u8]) -> bool {
    let Some((user, rest)) = split(line, b':') else { return false };
    let is_mail = split(user, b'@').is_some_and(|(name, host)| !name.is_empty() && host.contains(&b'.'));
    is_mail && !rest.is_empty()
}

/// Text on both sides of the sign.
fn has_columns(line: &[u8], sign: u8) -> bool {
    let line = line.trim_ascii();
    split(line, sign).is_some_and(|(before, after)| !before.is_empty() && !after.is_empty())
}

fn has_three_columns(line: &[u8]) -> bool {
    split(line, b':').is_some_and(|(_, rest)| split(rest, b':').is_some())
}

/// As `uniq -c` writes it.
fn has_count_before(line: &[u8]) -> bool {
    split(line.trim_ascii(), b' ').is_some_and(|(count, word)| is_number(count) && !word.is_empty())
}

fn has_count_after(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    let at = line.iter().rposition(|&byte| byte == b' ' || byte == b'\t');
    let parts = at.and_then(|at| line.split_at_checked(at));
    parts.is_some_and(|(word, count)| !word.is_empty() && is_number(count.trim_ascii()))
}

/// As lists are numbered: `7. word`.
fn has_number_before(line: &[u8]) -> bool {
    let Some((number, word)) = split(line.trim_ascii(), b' ') else { return false };
    let digits =
        number.strip_suffix(b".").or_else(|| number.strip_suffix(b")")).or_else(|| number.strip_suffix(b":"));
    digits.is_some_and(is_number) && !word.is_empty()
}

/// Two in three texts of base64 end in its padding, and few passwords. Random bytes are a key of a generator.
fn is_base64(line: &[u8]) -> bool {
    line.last() == Some(&b'=') && is_text_in(&BASE64, 4, line)
}

/// A text as pairs of digits, letters among them: digits alone may be a password, and random bytes are a key
/// of a generator.
fn is_hex(line: &[u8]) -> bool {
    line.len() >= 8
        && line.iter().any(u8::is_ascii_digit)
        && line.iter().any(u8::is_ascii_alphabetic)
        && is_text_in(&HEXLOWER_PERMISSIVE, 2, line)
}

/// True if a line is printable ASCII in this encoding, of which so many digits are a few bytes: these are
/// decoded at a time, so that no memory has the line.
fn is_text_in(encoding: &Encoding, digits: usize, line: &[u8]) -> bool {
    let is_text = |part: &[u8]| {
        let mut bytes = Zeroizing::new([0; 3]);
        let length = encoding.decode_len(part.len()).ok().filter(|length| *length <= bytes.len());
        let room = length.and_then(|length| bytes.get_mut(..length));
        let Some(length) = room.and_then(|room| encoding.decode_mut(part, room).ok()) else { return false };
        bytes.iter().take(length).all(|byte| matches!(byte, b' '..=b'~'))
    };
    line.chunks(digits).all(is_text)
}

fn is_item(line: &[u8]) -> bool {
    let line = line.trim_ascii_start();
    [&b"- "[..], b"* ", b"+ ", "\u{2022} ".as_bytes()].iter().any(|sign| line.starts_with(sign))
}

fn is_number(text: &[u8]) -> bool {
    !text.is_empty() && text.iter().all(u8::is_ascii_digit)
}

fn split(text: &[u8], sign: u8) -> Option<(&[u8], &[u8])> {
    let at = memchr::memchr(sign, text)?;
    Some((text.get(..at)?, text.get(at.saturating_add(1)..)?))
}

#[cfg(test)]
mod tests {
    use nearmiss_filters::random::SeededRandom;

    use super::*;

    /// Random passwords with all signs of ASCII, and words with numbers and signs as people choose them.
    fn honest() -> Vec<String> {
        let mut random = SeededRandom::new(7);
        let mut below = |n: u64| random.next_word() % n;
        let mut all: Vec<String> = Vec::new();
        for _ in 0..500 {
            let signs = (0..12).map(|_| char::from(u8::try_from(33 + below(94)).unwrap()));
            all.push(signs.collect());
            all.push(format!(
                "Elephant{}{}",
                below(3000),
                ["!", "", ":-)", ", yes"][usize::try_from(below(4)).unwrap()]
            ));
        }
        all
    }

    fn is_refused(lines: &[String], columns: CandidateColumns) -> bool {
        refuse(lines.join("\n").as_bytes(), columns, false).is_err()
    }

    #[test]
    fn lines_with_more_than_a_password_are_refused_and_passwords_are_not() {
        assert!(!is_refused(&honest(), CandidateColumns::Password));
        let mut random = SeededRandom::new(8);
        let keys: Vec<[u8; 8]> = (0..200).map(|_| random.next_word().to_le_bytes()).collect();
        for encoding in [BASE64, data_encoding::HEXLOWER] {
            let keys: Vec<String> = keys.iter().map(|key| encoding.encode(key)).collect();
            assert!(!is_refused(&keys, CandidateColumns::Password), "{keys:?}");
        }
        let forms: [fn(&str) -> String; 16] = [
            |word| format!("anna@example.org:{word}"),
            |word| format!("\"{word}\","),
            |word| format!("{{\"password\": \"{word}\"}},"),
            |word| format!("\"anna\",\"{word}\""),
            |word| format!("      7 {word}"),
            |word| format!("{word}\t7"),
            |word| format!("- {word}"),
            |word| format!("<li>{word}</li>"),
            |word| format!("8846f7eaee8fb117ad06bdd830b7586c:{word}"),
            |word| format!("anna;{word}"),
            |word| format!("7,{word},anna"),
            |word| format!("anna\t{word}x"),
            |word| format!("{}. {word}", word.len()),
            |word| format!("  {word}"),
            |word| BASE64.encode(format!("{word}x").as_bytes()),
            |word| data_encoding::HEXLOWER.encode(word.as_bytes()),
        ];
        for (number, form) in forms.iter().enumerate() {
            let lines: Vec<String> = honest().iter().map(|word| form(word)).collect();
            assert!(is_refused(&lines, CandidateColumns::Password), "{number}");
            assert!(!is_refused(&lines[..SOME - 1], CandidateColumns::Password), "{number}");
            let some: Vec<String> = lines.into_iter().take(300).chain(honest()).collect();
            assert!(!is_refused(&some, CandidateColumns::Password), "{number}");
        }
        let hex = vec!["$HEX[c3a43a62]".to_owned(); 50];
        assert!(!is_refused(&hex, CandidateColumns::Password));
    }

    #[test]
    fn an_audit_refuses_what_are_not_users_and_passwords() {
        let audit = |form: fn(&str) -> String| {
            let lines: Vec<String> = honest().iter().map(|word| form(word)).collect();
            is_refused(&lines, CandidateColumns::UserPassword)
        };
        assert!(!audit(|word| format!("anna:{word}")));
        assert!(audit(|word| format!("anna:Anna B,,:{word}")));
        assert!(audit(|word| format!("{{\"user\": \"anna\", \"password\": \"{word}\"}}")));
        assert!(audit(|word| format!("\"anna\":\"{word}\"")));
    }
}
