//! Rows of a table that go on in the next line, since a field in quotes has line ends (RFC 4180): the notes
//! in an export of a manager of passwords.

use crate::{line::nine_in_ten, table::Separator};

/// The most lines of a row, and the most bytes: a quote that is never closed must not swallow the list.
const MOST_LINES: usize = 200;
const MOST_BYTES: usize = 64 << 10;

/// Puts rows of several lines together.
#[derive(Debug)]
pub struct Records {
    separator: Separator,
    /// The number of columns of the first line, by its separators; 0 before it.
    columns: usize,
    /// The lines of a row that is not at its end.
    held: Vec<Vec<u8>>,
    bytes: usize,
}

impl Records {
    /// For a list that begins with these whole lines; none unless some rows have several lines, and nine in
    /// ten rows then have as many columns as the first.
    pub fn of(beginning: &[u8]) -> Option<Records> {
        memchr::memchr(b'"', beginning)?;
        let mut separators = Separator::ALL.into_iter().filter(|separator| separator.quotes());
        separators.find(|separator| are_several(beginning, *separator)).map(Records::by)
    }

    fn by(separator: Separator) -> Records {
        Records { separator, columns: 0, held: Vec::new(), bytes: 0 }
    }

    /// Reads the next line, without its end, and passes each row that is whole to `take`: with blanks in the
    /// place of line ends. The lines of a row that is too long stay apart, and so do lines that are rows
    /// themselves, between a word with a quote and a later one.
    ///
    /// # Errors
    /// That of `take`.
    pub fn read<E>(&mut self, line: &[u8], take: &mut dyn FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
        if self.columns == 0 {
            self.columns = self.columns(line);
        }
        let is_open = is_open(line, self.separator.byte(), !self.held.is_empty());
        if self.held.is_empty() && !is_open {
            return take(line);
        }
        self.bytes = self.bytes.saturating_add(line.len());
        self.held.push(line.strip_suffix(b"\r").unwrap_or(line).to_vec());
        if !is_open {
            let more = self.held.get(1..).unwrap_or_default();
            let rows = more.iter().filter(|line| self.columns(line) >= self.columns).count();
            if nine_in_ten(rows, more.len()) {
                return self.end(take);
            }
            self.bytes = 0;
            return take(&std::mem::take(&mut self.held).join(&b' '));
        }
        if self.held.len() >= MOST_LINES || self.bytes >= MOST_BYTES { self.end(take) } else { Ok(()) }
    }

    /// The number of columns by the separators alone, whatever is in quotes.
    fn columns(&self, line: &[u8]) -> usize {
        memchr::memchr_iter(self.separator.byte(), line).count().saturating_add(1)
    }

    /// Passes the lines of a row that has no end.
    ///
    /// # Errors
    /// That of `take`.
    pub fn end<E>(&mut self, take: &mut dyn FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
        self.bytes = 0;
        std::mem::take(&mut self.held).iter().try_for_each(|line| take(line))
    }
}

/// True if some rows have several lines by this separator, and nearly all have as many columns as the first.
fn are_several(beginning: &[u8], separator: Separator) -> bool {
    let lines = || beginning.split(|&byte| byte == b'\n').filter(|line| !line.trim_ascii().is_empty());
    let (mut records, mut columns, mut rows, mut regular) = (Records::by(separator), 0, 0_usize, 0_usize);
    for line in lines() {
        let _ = records.read::<()>(line, &mut |row| {
            let fields = separator.fields(row.trim_ascii_end()).len();
            columns = if rows == 0 { fields } else { columns };
            rows = rows.saturating_add(1);
            regular = regular.saturating_add((fields == columns).into());
            Ok(())
        });
    }
    let several = lines().count().saturating_sub(records.held.len()) > rows;
    columns > 1 && several && nine_in_ten(regular, rows)
}

/// True if a field in quotes goes on after this line; `is_open` says that one goes on before it.
fn is_open(line: &[u8], separator: u8, mut is_open: bool) -> bool {
    let (mut is_start, mut bytes) = (true, line.iter().peekable());
    while let Some(&byte) = bytes.next() {
        if is_open {
            is_open = byte != b'"' || bytes.next_if(|next| **next == b'"').is_some();
        } else {
            is_open = is_start && byte == b'"';
            is_start = byte == separator || is_start && byte == b' ';
        }
    }
    is_open
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(list: &str) -> Vec<String> {
        let (mut records, mut rows) = (Records::of(list.as_bytes()).unwrap(), Vec::new());
        let mut take = |row: &[u8]| {
            rows.push(String::from_utf8(row.to_vec()).unwrap());
            Ok::<(), ()>(())
        };
        for line in list.lines() {
            records.read(line.as_bytes(), &mut take).unwrap();
        }
        records.end(&mut take).unwrap();
        rows
    }

    #[test]
    fn rows_of_several_lines_are_one() {
        let list = "name,password,note\na,one,\"x\n\"\"y\"\", z\n\"\nb,\"t\"\"wo\",\nc,three,a \"quote\"\n";
        let expected =
            ["name,password,note", "a,one,\"x \"\"y\"\", z \"", "b,\"t\"\"wo\",", "c,three,a \"quote\""];
        assert_eq!(rows(list), expected);
    }

    #[test]
    fn other_lists_stay_as_they_are() {
        for list in [
            "a,b\nc,d\n",
            "\"a\",\"b\"\n\"c\",\"d\"\n",
            "\"one\ntwo\nthr\"ee\n",
            "p\"w\nq\"w\n",
            "",
            "\"a\nb,c,d\ne\n",
        ] {
            assert!(Records::of(list.as_bytes()).is_none(), "{list}");
        }
    }

    /// As in lists of logins, and of words with their counts.
    #[test]
    fn lines_between_two_words_with_a_quote_are_rows() {
        let row = |n: usize| match n % 50 {
            7 => format!("u{n};\"pass{n}"),
            30 => format!("u{n};pa\"ss{n}"),
            _ => format!("u{n};word{n}"),
        };
        let logins: Vec<String> = (0..5000).map(row).collect();
        let list = logins.join("\n") + "\n";
        let rows = Records::of(list.as_bytes()).map_or(logins.clone(), |_| rows(&list));
        assert_eq!(rows, logins);
    }

    /// The list has its other lines, and memory has a bound.
    #[test]
    fn a_quote_that_is_never_closed_takes_no_line_away() {
        let rest: String = (0..999).map(|n| format!("a{n},b{n}\n")).collect();
        let list = format!("user,password\nx,\"1\n2\"\n{rest}y,\"z\n{rest}");
        let mut records = Records::of(list.as_bytes()).unwrap();
        let mut taken = 0;
        let mut take = |row: &[u8]| {
            taken += row.split(|byte| *byte == b' ').count();
            Ok::<(), ()>(())
        };
        for line in list.lines() {
            records.read(line.as_bytes(), &mut take).unwrap();
            assert!(records.held.len() < MOST_LINES);
        }
        records.end(&mut take).unwrap();
        assert_eq!(taken, list.lines().count());
    }
}
