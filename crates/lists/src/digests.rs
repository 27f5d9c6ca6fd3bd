//! Lists of digests in forms other than `DIGEST` and `DIGEST:COUNT`: columns by other separators, and
//! potfiles, whose digests are read and whose plain texts are not.

mod salts;

use crate::{
    cracked, hashes, judge,
    line::is_most,
    refusal::{Refusal, Way, digests_alone},
    table::{Separator, number},
};

/// The columns of lines of digests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DigestColumns {
    separator: Separator,
    digest: usize,
    count: Option<usize>,
    digits: usize,
}

/// The most lines that are looked at.
const MOST_LINES: usize = 4096;

/// The columns of a list that begins with these whole lines; none for a list in the usual form, and for lines
/// without any digest of this many hexadecimal digits.
///
/// # Errors
/// A [`Refusal`] of hashes of another kind, by their right name.
pub fn recognise_digests(beginning: &[u8], digits: usize) -> Result<Option<DigestColumns>, Refusal> {
    let lines: Vec<&[u8]> = beginning
        .split(|&byte| byte == b'\n')
        .map(<[u8]>::trim_ascii)
        .filter(|line| !line.is_empty())
        .take(MOST_LINES)
        .collect();
    if lines.is_empty() || is_most(lines.iter().copied(), |line| is_usual(line, digits)) {
        return Ok(None);
    }
    if is_most(lines.iter().copied(), hashes::is_pwdump) {
        return Err(Refusal::of_accounts());
    }
    if have_several(&lines, digits) {
        return Err(Refusal::new("several digests a line", Way::Copy(digests_alone(digits))));
    }
    for separator in Separator::ALL {
        if let Some(columns) = columns_by(&lines, separator, digits) {
            return if salts::are_beside(columns, &lines) {
                Err(cracked::of_digests())
            } else {
                Ok(Some(columns))
            };
        }
    }
    if let Some(refusal) = judge::refused_digests(&lines) {
        return Err(refusal);
    }
    // A user may be before the hash.
    let kind = |line: &[u8]| {
        let mut fields = line.split(|byte| matches!(byte, b':' | b',' | b';' | b' ' | b'\t')).take(2);
        fields.find_map(|field| std::str::from_utf8(field).ok().and_then(hashes::of))
    };
    let Some(other) = lines.iter().find_map(|line| kind(line)) else { return Ok(None) };
    if is_most(lines.iter().copied(), |line| kind(line) == Some(other)) {
        return Err(Refusal::of_hashes(other));
    }
    Ok(None)
}

/// True if the lines have several digests and little else: more than two on a line, as the second of a pair
/// may be its salt, or all on one line.
fn have_several(lines: &[&[u8]], digits: usize) -> bool {
    let parts = || {
        lines
            .iter()
            .flat_map(|line| line.split(|byte| !byte.is_ascii_alphanumeric()))
            .filter(|part| !part.is_empty())
    };
    let digests = parts().filter(|part| is_digest(part, digits)).count();
    let all: usize = parts().map(<[u8]>::len).sum();
    digests > lines.len()
        && (lines.len() == 1 || digests > lines.len().saturating_mul(2))
        && digests.saturating_mul(digits).saturating_mul(2) > all
}

fn columns_by(lines: &[&[u8]], separator: Separator, digits: usize) -> Option<DigestColumns> {
    let column = |line: &[u8], is_so: &dyn Fn(&[u8]) -> bool| {
        separator.fields(line).iter().position(|field| is_so(field.trim_ascii()))
    };
    let of_digest = |field: &[u8]| is_digest(field, digits);
    let of_count = |field: &[u8]| number(field).is_some();
    let digest = lines.iter().find_map(|line| column(line, &of_digest))?;
    let is_there = |line: &[u8]| {
        separator.fields(line).get(digest).is_some_and(|field| is_digest(field.trim_ascii(), digits))
    };
    if !is_most(lines.iter().copied(), is_there) {
        return None;
    }
    let count = lines.iter().find_map(|line| column(line, &of_count)).filter(|&at| {
        is_most(lines.iter().copied(), |line| {
            separator.fields(line).get(at).is_some_and(|field| of_count(field))
        })
    });
    Some(DigestColumns { separator, digest, count, digits })
}

fn is_digest(field: &[u8], digits: usize) -> bool {
    field.len() == digits && field.iter().all(u8::is_ascii_hexdigit)
}

/// `DIGEST`, or `DIGEST:COUNT`, as a filter is built from it: a count of digits alone.
fn is_usual(line: &[u8], digits: usize) -> bool {
    let Some((digest, rest)) = line.split_at_checked(digits) else { return false };
    let rest = rest.trim_ascii();
    is_digest(digest, digits)
        && (rest.is_empty() || rest.strip_prefix(b":").is_some_and(|count| is_count(count.trim_ascii())))
}

fn is_count(count: &[u8]) -> bool {
    !count.is_empty() && count.iter().all(u8::is_ascii_digit)
}

impl DigestColumns {
    /// The name for reports.
    pub fn name(&self) -> String {
        let count = if self.count.is_some() { " and counts" } else { "" };
        format!("digests{count} by {}", self.separator.name())
    }

    /// Writes the lines in the usual form, one for each; a line without a digest stays as it is.
    pub fn rewrite(&self, lines: &[u8], usual: &mut Vec<u8>) {
        usual.clear();
        for line in lines.split_inclusive(|&byte| byte == b'\n') {
            let text = line.trim_ascii_end();
            let fields = self.separator.fields(text);
            let field = |at: usize| fields.get(at).map(|field| field.trim_ascii());
            match field(self.digest).filter(|field| is_digest(field, self.digits)) {
                Some(digest) => {
                    usual.extend_from_slice(digest);
                    if let Some(count) = self.count.and_then(field).and_then(number) {
                        usual.extend_from_slice(format!(":{count}").as_bytes());
                    }
                }
                None => usual.extend_from_slice(text),
            }
            usual.push(b'\n');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHA1: [&str; 3] = [
        "5BAA61E4C9B93F3F0682250B6CF8331B7EE68FD8",
        "7C4A8D09CA3762AF61E59520943DC26494F8941B",
        "0ae9e4deba26021986ffd99636da6601f6393631",
    ];

    /// The texts of the first two.
    const PLAIN: [&str; 3] = ["password", "123456", "other"];

    fn list(line: impl Fn(usize, &str) -> String) -> String {
        SHA1.iter().enumerate().map(|(at, digest)| line(at, digest) + "\n").collect()
    }

    #[test]
    fn columns_are_found_and_written_in_the_usual_form() {
        for (list, name, usual) in [
            (list(|at, digest| format!("{digest},{}", 9 - at)), "digests and counts by commas", true),
            (list(|at, digest| format!("{}\t{digest}", 9 - at)), "digests and counts by tabs", true),
            (list(|at, digest| format!("  {} {digest}", 9 - at)), "digests and counts by blanks", true),
            (list(|at, digest| format!("{digest}:{}", PLAIN[at])), "digests by colons", false),
            (list(|at, digest| format!("user{at};{digest}")), "digests by semicolons", false),
        ] {
            let columns = recognise_digests(list.as_bytes(), 40).unwrap().unwrap();
            assert_eq!(columns.name(), name, "{list}");
            let mut text = Vec::new();
            columns.rewrite(list.as_bytes(), &mut text);
            let count = |at: usize| if usual { format!(":{}", 9 - at) } else { String::new() };
            assert_eq!(
                String::from_utf8(text).unwrap(),
                self::list(|at, digest| digest.to_owned() + &count(at))
            );
        }
    }

    #[test]
    fn the_usual_form_and_other_texts_stay_as_they_are() {
        for list in [list(|_, digest| digest.to_owned()), list(|at, digest| format!("{digest} : {at}"))] {
            assert_eq!(recognise_digests(list.as_bytes(), 40), Ok(None), "{list}");
        }
        assert_eq!(recognise_digests(b"one\ntwo\nthree\n", 40), Ok(None));
        assert_eq!(recognise_digests(b"", 40), Ok(None));
    }

    #[test]
    fn digests_with_salts_are_refused() {
        for list in [
            list(|at, digest| format!("{digest}:salt{at}")),
            list(|at, digest| format!("user{at}:s{at}:{digest}")),
            list(|at, digest| format!("{digest};s{at};a{at}@b.c")),
        ] {
            let refusal = recognise_digests(list.as_bytes(), 40).unwrap_err().to_string();
            assert!(refusal.contains("salted digests"), "{list}: {refusal}");
        }
        for list in [
            list(|at, digest| format!("a{at}@b.c:{digest}")),
            list(|at, digest| format!("{digest}:SHA1:{}", 9 - at)),
            format!("hash,type\n{}", list(|_, digest| format!("{digest},SHA1"))),
        ] {
            assert!(recognise_digests(list.as_bytes(), 40).is_ok(), "{list}");
        }
    }

    #[test]
    fn accounts_are_for_an_audit_and_counts_may_have_thousands() {
        let md5 = "8846f7eaee8fb117ad06bdd830b7586c";
        let accounts: String = (0..30).map(|at| format!("anna{at}:{at}:{md5}:{md5}:::\n")).collect();
        let refusal = recognise_digests(accounts.as_bytes(), 32).unwrap_err().to_string();
        assert!(refusal.contains("filterctl check --audit"), "{refusal}");
        for separator in [';', ':'] {
            let counts = list(|at, digest| format!("{digest}{separator}{},{:03}", 9 + at, at % 1000));
            let found = recognise_digests(counts.as_bytes(), 40);
            assert!(found.is_ok_and(|found| found.is_some()), "{counts}");
        }
    }

    #[test]
    fn digests_of_another_kind_are_named() {
        let sha256 = "5e884898da28047151d0e56f8dc6292773603d0d6aabbdd62a11ef721d1542d8\n".repeat(3);
        let refusal = recognise_digests(sha256.as_bytes(), 40).unwrap_err().to_string();
        assert_eq!(refusal, "seems to contain SHA-256 digests, which no filter can use");
        let refusal = recognise_digests(list(|_, digest| digest.to_owned()).as_bytes(), 32).unwrap_err();
        assert_eq!(refusal.ways, [Way::Kind("sha1")]);
    }
}
