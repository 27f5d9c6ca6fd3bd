//! Lists of passwords with the number of each: `VALUE|OCCURRENCE`.

use std::{
    fs::File,
    io::{BufRead, BufReader},
    path::Path,
};

use nearmiss_cli::{failure::Failure, keys};

/// The passwords of a list and their occurrences, in the order of the list, of which the sum is a `u64` and
/// not 0. A first line with names is skipped.
///
/// # Errors
/// A [`Failure`] for a file that cannot be read, a malformed line, or an empty list.
pub(crate) fn read(path: &Path) -> Result<Vec<(Vec<u8>, u64)>, Failure> {
    let unreadable = |e| Failure::new(format!("cannot read {}", path.display()), e);
    let file = BufReader::new(File::open(path).map_err(unreadable)?);
    let (mut list, mut total) = (Vec::new(), 0_u64);
    for (number, line) in (1_u64..).zip(file.split(b'\n')) {
        let line = line.map_err(unreadable)?;
        let counted = split(&line).and_then(|one| Some((one, total.checked_add(one.1)?)));
        match counted {
            Some(((password, count), sum)) => {
                list.push((password.to_vec(), count));
                total = sum;
            }
            None if line.is_empty() || number == 1 => {}
            None => {
                let message = format!("{}: line {number} is not VALUE|OCCURRENCE", path.display());
                return Err(Failure::plain(keys::LIST_FORM, message));
            }
        }
    }
    if total == 0 {
        let message = format!("{}: contains no passwords", path.display());
        return Err(Failure::plain(keys::LIST_EMPTY, message));
    }
    Ok(list)
}

/// The password of a line and its occurrences.
fn split(line: &[u8]) -> Option<(&[u8], u64)> {
    let bar = line.iter().rposition(|byte| *byte == b'|')?;
    let (password, count) = (line.get(..bar)?, line.get(bar..)?.strip_prefix(b"|")?);
    Some((password, std::str::from_utf8(count).ok()?.trim_end().parse().ok()?))
}
