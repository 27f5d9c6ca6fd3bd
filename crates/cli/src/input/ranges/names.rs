//! The names of range files: the first five digits of their digests, alone or over several folders.

/// The number of digits that name a range.
pub(super) const PREFIX_DIGITS: usize = 5;

/// The number of ranges.
pub(super) const ALL_RANGES: u32 = 1 << (4 * PREFIX_DIGITS);

/// The ends of the names of range files. Others are of files beside them: `00000.meta`, `.etag`, `.part`.
const ENDS: [&str; 7] = ["", ".txt", ".lst", ".gz", ".zst", ".zstd", ".xz"];

/// The digits of the folders on the way to a file, outermost first.
#[derive(Clone, Debug, Default)]
pub(super) struct Trail(Vec<Box<str>>);

impl Trail {
    /// The trail to a folder in this one; none if its name is not one of digits, or too deep.
    pub(super) fn below(&self, name: &str) -> Option<Trail> {
        let is_name = (1..PREFIX_DIGITS).contains(&name.len()) && is_hex(name);
        (is_name && self.0.len() < PREFIX_DIGITS - 1).then(|| {
            let mut names = self.0.clone();
            names.push(name.into());
            Trail(names)
        })
    }

    /// The range of a file with this name. The digits of a range are the file's name, with the folders'
    /// names as its first digits (`00/000/00001`), or they are spread over all names (`00/000`).
    pub(super) fn range_of(&self, name: &str) -> Option<u32> {
        let stem = stem_of(name)?;
        let joined = self.0.concat();
        let last = self.0.last().map_or("", |name| name);
        let digits = if stem.len() == PREFIX_DIGITS {
            stem.to_owned()
        } else if joined.len() + stem.len() == PREFIX_DIGITS {
            joined.clone() + stem
        } else if last.len() + stem.len() == PREFIX_DIGITS {
            last.to_owned() + stem
        } else {
            return None;
        };
        let begins =
            |first: &str| digits.get(..first.len()).is_some_and(|digits| digits.eq_ignore_ascii_case(first));
        let is_there = begins(&joined) || self.0.iter().all(|name| begins(name));
        u32::from_str_radix(&digits, 16).ok().filter(|_| is_there)
    }
}

/// The digits before the end of a range file's name.
fn stem_of(name: &str) -> Option<&str> {
    let (stem, end) = name.split_at(name.find('.').unwrap_or(name.len()));
    if !is_hex(stem) || !(1..=PREFIX_DIGITS).contains(&stem.len()) {
        return None;
    }
    let end = end.to_ascii_lowercase();
    let packed = end.strip_prefix(".txt").filter(|packed| !packed.starts_with(".txt")).unwrap_or(&end);
    ENDS.contains(&packed).then_some(stem)
}

fn is_hex(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// The name of a range.
pub(super) fn name_of(range: u32) -> String {
    format!("{range:0PREFIX_DIGITS$X}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range_of(path: &str) -> Option<u32> {
        let mut trail = Trail::default();
        let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
        for folder in folders.split('/').filter(|name| !name.is_empty()) {
            trail = trail.below(folder)?;
        }
        trail.range_of(name)
    }

    #[test]
    fn a_range_is_named_by_its_file_or_by_the_folders_too() {
        for path in [
            "0a1b2",
            "0A1B2.txt",
            "0A1B2.gz",
            "0A1B2.txt.gz",
            "0A1B2.TXT.zst",
            "0A1B2.xz",
            "0A/1B2",
            "0a/1b/2",
            "0A/0A1/0A1B2",
            "0/0A/0A1/0A1B/0A1B2.zst",
            "0A/0A1B2.txt",
            "0/A1B2",
            "0/A/1/B/2.gz",
            "0A/1/0A1B2",
            "0A/0A1/B2",
        ] {
            assert_eq!(range_of(path), Some(0x0a1b2), "{path}");
        }
    }

    #[test]
    fn files_beside_ranges_are_not_ranges() {
        for path in [
            "00000.meta",
            "00000.etag",
            "00000.part",
            "00000.tmp",
            "00000.txt.tmp",
            "00000.txt.txt",
            "00000x",
            "000000",
            "0000",
            "README",
            "",
            ".txt",
            "00000~",
            "01/00000",
            "01/0000",
            "bad/00000",
            "x/00000",
            "00000/00000",
            "0/0/0/0/0/00000",
            "é0000",
        ] {
            assert_eq!(range_of(path), None, "{path}");
        }
    }
}
