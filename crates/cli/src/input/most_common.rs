//! The most common entries of lists, as a new list in the order of their ranks.
//!
//! If lines have counts (digests, and words with the columns count,word) these are the entries with the
//! highest counts; with equal counts, and without counts, the first ones in the order of the lists. Memory
//! contains at most twice the requested number of entries.

use std::{
    cmp::Reverse,
    collections::HashMap,
    fs::File,
    io::{self, BufWriter, Write},
    sync::Arc,
};

use nearmiss_filters::{
    format::Kind,
    list::{Entry, LineCounts, LineFormat},
};
use nearmiss_lists::{Charsets, Form, Reading};

use super::{InputError, LastReading, MaxText, WordList, error::Problem, origin::Origin};
use crate::progress::Progress;

/// The number of entries that are kept beyond twice the requested number, to avoid sorting a few repeatedly.
const SPARE: usize = 1 << 12;

/// The most common entries.
pub struct MostCommon {
    /// The entries, the most common first.
    pub list: WordList,
    /// The counts of lines of each list that was read.
    pub counts: Vec<LineCounts>,
    /// True if some had counts, which decide; else the order of the lines decides.
    pub are_counts: bool,
    /// The names of lists that have more than words on their lines, and no counts that were found.
    pub without: Vec<String>,
}

/// Finds the `most` most common entries of all lists together.
///
/// # Errors
/// An [`InputError`] if a list cannot be read or is not a list, or if it is not clear where its counts are.
pub fn most_common(
    lists: &[WordList],
    most: usize,
    lines: LineFormat,
    progress: &Progress,
) -> Result<MostCommon, InputError> {
    if let Some((list, problem)) = lists.iter().find_map(|list| Some((list, list.unclear_counts()?))) {
        return Err(InputError::new(list.name(), problem));
    }
    progress.start("ranking", lists.iter().map(WordList::stored_bytes).sum());
    let mut found =
        CommonEntries { most, lines, entries: HashMap::new(), place: 0, least: None, has_counts: false };
    let mut entry = Entry::default();
    let (mut counts, mut without) = (Vec::with_capacity(lists.len()), Vec::new());
    let mut are_counts = false;
    for list in lists {
        counts.push(found.read(list, &mut entry, progress)?);
        let has_counts = std::mem::take(&mut found.has_counts);
        are_counts |= has_counts;
        if !has_counts && list.may_have_counts() {
            without.push(list.name().to_owned());
        }
    }
    progress.finish();
    let spooled = found.spool().and_then(|file| {
        let bytes = file.metadata()?.len();
        Ok((file, bytes))
    });
    let (file, bytes) = spooled.map_err(|e| InputError::new("the most common entries", Problem::Spool(e)))?;
    let origin = Origin::of_spooled("the most common entries", Arc::new(file), bytes, MaxText::NAMED);
    let reading = (lines.kind == Kind::Words).then(|| Reading {
        form: Form::Plain,
        charsets: Charsets::default(),
        affixes: None,
        is_plain: true,
    });
    let (last, digests) = (LastReading::default(), None);
    Ok(MostCommon {
        list: WordList {
            origin,
            kind: lines.kind,
            reading,
            digests,
            affixes: None,
            doubts: Vec::new(),
            has_unclear_numbers: false,
            last,
        },
        counts,
        are_counts,
        without,
    })
}

/// The order of entries by frequency: the highest count, then the first position.
type Commonness = (u64, Reverse<u64>);

/// The frequency of an entry, and the line it was read from.
type Kept = (Commonness, Box<[u8]>);

struct CommonEntries {
    most: usize,
    lines: LineFormat,
    /// The entries that may be among the most common.
    entries: HashMap<Box<[u8]>, Kept>,
    /// Lines read so far.
    place: u64,
    /// The frequency of the least frequent entry to keep: more common ones fill the requested number.
    least: Option<Commonness>,
    /// True if an entry of the list that is read has a count.
    has_counts: bool,
}

impl CommonEntries {
    fn read(
        &mut self,
        list: &WordList,
        entry: &mut Entry,
        progress: &Progress,
    ) -> Result<LineCounts, InputError> {
        let mut counts = LineCounts::default();
        let mut reading = list.read(progress)?;
        let is_in_order = self.lines.kind == Kind::Words && !list.has_counts();
        let mut is_read = true;
        while is_read {
            is_read = reading.next_entries(&mut |count, text| {
                if !is_in_order || self.entries.len() < self.most {
                    counts.append(&self.take(count, text, entry));
                }
            })?;
            if is_in_order && self.entries.len() >= self.most {
                return Ok(counts);
            }
        }
        list.check(&counts).map(|()| counts)
    }

    /// Takes an entry with its count; a digest has its own in its line.
    fn take(&mut self, count: u64, text: &[u8], entry: &mut Entry) -> LineCounts {
        let kind = self.lines.kind;
        let count = if kind == Kind::Words { count } else { self.lines.count(text).unwrap_or(0) };
        self.has_counts |= count > 0;
        // A line end, so that a blank line also counts as a line.
        let (whole, mut is_entry) = ([text, b"\n"].concat(), false);
        let counts = self.lines.read_block(&whole, entry, |_| is_entry = true);
        self.place += 1;
        if is_entry {
            self.keep(entry.bytes(kind), (count, Reverse(self.place)), text);
        }
        if self.entries.len() > self.most.saturating_mul(2).saturating_add(SPARE) {
            self.forget_the_rest();
        }
        counts
    }

    /// Keeps an entry, at the position where it is most common.
    fn keep(&mut self, entry: &[u8], commonness: Commonness, line: &[u8]) {
        if self.least.is_some_and(|least| commonness < least) {
            return;
        }
        match self.entries.get_mut(entry) {
            Some((known, _)) if *known >= commonness => {}
            Some(known) => *known = (commonness, line.into()),
            None => drop(self.entries.insert(entry.into(), (commonness, line.into()))),
        }
    }

    /// Keeps the most common entries found so far.
    fn forget_the_rest(&mut self) {
        let mut all: Vec<Commonness> = self.entries.values().map(|(commonness, _)| *commonness).collect();
        let Some(at) = self.most.checked_sub(1).filter(|&at| at < all.len()) else { return };
        let (_, &mut least, _) = all.select_nth_unstable_by_key(at, |&commonness| Reverse(commonness));
        self.entries.retain(|_, (commonness, _)| *commonness >= least);
        self.least = Some(least);
    }

    /// An unnamed file with the lines of the most common entries, in order.
    fn spool(mut self) -> io::Result<File> {
        self.forget_the_rest();
        let mut all: Vec<_> = self.entries.into_values().collect();
        all.sort_unstable_by_key(|&(commonness, _)| Reverse(commonness));
        let mut out = BufWriter::new(tempfile::tempfile()?);
        for (_, line) in all {
            out.write_all(&line)?;
            out.write_all(b"\n")?;
        }
        out.into_inner().map_err(io::IntoInnerError::into_error)
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, path::PathBuf};

    use super::*;
    use crate::input::{Expected, ListName, Wanted, open};

    struct Lists {
        _folder: tempfile::TempDir,
        paths: Vec<PathBuf>,
    }

    impl Lists {
        fn new(texts: &[&str]) -> Lists {
            let folder = tempfile::tempdir().unwrap();
            let write = |(number, text): (usize, &&str)| {
                let path = folder.path().join(number.to_string());
                fs::write(&path, text).unwrap();
                path
            };
            let paths = texts.iter().enumerate().map(write).collect();
            Lists { _folder: folder, paths }
        }

        fn top(&self, most: usize, kind: Kind, columns: Option<&str>) -> (String, Vec<LineCounts>) {
            let names: Vec<ListName> = self.paths.iter().cloned().map(ListName::Path).collect();
            let columns = columns.map(|columns| columns.parse().unwrap());
            let wanted = Wanted { form: None, columns };
            let (expected, hidden) = (Expected { wanted, ..Expected::of(kind) }, Progress::hidden());
            let lists = open(&names, &expected, &hidden).unwrap();
            let top = most_common(&lists, most, LineFormat { kind, min_count: 1 }, &hidden).unwrap();
            let (mut reading, mut text) = (top.list.read(&hidden).unwrap(), Vec::new());
            while let Some(block) = reading.next_block().unwrap() {
                text.extend_from_slice(block);
            }
            (String::from_utf8(text).unwrap(), top.counts)
        }
    }

    #[test]
    fn without_counts_the_first_are_taken_each_once() {
        let lists = Lists::new(&["the\nOf\n\nof\nand\n", "to\nthe\na\nin\n"]);
        assert_eq!(lists.top(5, Kind::Words, None).0, "the\nOf\nand\nto\na\n");
        let (text, counts) = lists.top(2, Kind::Words, None);
        assert_eq!((text.as_str(), counts.len(), counts[0].read), ("the\nOf\n", 2, 2));
        assert_eq!(lists.top(99, Kind::Words, None).0, "the\nOf\nand\nto\na\nin\n");
    }

    #[test]
    fn the_highest_counts_are_taken_wherever_they_are() {
        let lists = Lists::new(&["   3 cat\n   9 dog\n   1 cow\n", "  12 pig\n  7 Cat\n  9 hen\n"]);
        let columns = Some("count,word");
        assert_eq!(lists.top(4, Kind::Words, columns).0, "pig\ndog\nhen\nCat\n");
        assert_eq!(lists.top(1, Kind::Words, columns).0, "pig\n");
        let lists = Lists::new(&["9:cat\n5:dog\n7:cow\n", "\n"]);
        assert_eq!(lists.top(2, Kind::Words, Some("user,word")).0, "cat\ndog\n", "users are no counts");
    }

    #[test]
    fn counts_of_all_forms_have_one_unit() {
        for (json, table) in [
            ("[[\"many\", 1000], [\"few\", 1]]", "word,count\nsome,5\none,1\ntwo,2\n"),
            ("{\"few\": 1, \"many\": 1000}", "5 some\n1 one\n2 two\n"),
            (
                "{\"word\": \"many\", \"count\": 1000}\n{\"word\": \"few\", \"count\": 1}\n",
                "some\t5\none\t1\ntwo\t2\n",
            ),
        ] {
            assert_eq!(Lists::new(&[json, table]).top(2, Kind::Words, None).0, "many\nsome\n", "{json}");
        }
    }

    /// As in the counts of Google's n-grams, and of first names.
    #[test]
    fn a_named_column_has_the_counts_and_of_several_unnamed_ones_none() {
        let rows = |row: fn(u32) -> String| (0..50).map(row).collect::<String>();
        let with_header = rows(|n| format!("word{n}x,{},{}\n", 90 - n, n * n));
        let top = |head: &str| Lists::new(&[&format!("{head}\n{with_header}")]).top(1, Kind::Words, None).0;
        assert_eq!(top("word,length,count"), "word49x\n");
        assert_eq!(top("word,Anzahl,length"), "word0x\n");
        assert_eq!(top("password,id,anzahl"), "word49x\n");
        let unnamed =
            rows(|n| format!("word{n}x\t{}\t{}\t{}\n", 1900 + n * 7 % 100, (n + 1) * 37 % 50, n * 5 % 31));
        let lists = Lists::new(&[&unnamed]);
        let given = [ListName::Path(lists.paths[0].clone())];
        let (hidden, lines) = (Progress::hidden(), LineFormat { kind: Kind::Words, min_count: 1 });
        let open = open(&given, &Expected::of(Kind::Words), &hidden).unwrap();
        let refused = most_common(&open, 1, lines, &hidden).err().unwrap().to_string();
        assert!(refused.contains("several columns of numbers"), "{refused}");
        assert_eq!(lists.top(1, Kind::Words, Some("word,other,count,other")).0, "word26x\n");
    }

    #[test]
    fn digests_have_counts_of_their_own() {
        let line = |digit: char, count: u32| format!("{}:{count}\n", digit.to_string().repeat(39) + "0");
        let lists = Lists::new(&[&[line('a', 3), line('b', 8), line('c', 5), line('d', 0)].concat()]);
        assert_eq!(lists.top(2, Kind::Sha1, None).0, [line('b', 8), line('c', 5)].concat());
    }

    #[test]
    fn what_is_forgotten_on_the_way_is_not_missed() {
        let count = |n: u64| n * 7919 % 100_003;
        let text: String = (0..50_000).map(|n| format!("{} word{n}\n", count(n))).collect();
        let (found, _) = Lists::new(&[&text]).top(20, Kind::Words, Some("count,word"));
        let mut all: Vec<(u64, Reverse<u64>)> = (0..50_000).map(|n| (count(n), Reverse(n))).collect();
        all.sort_unstable_by_key(|&one| Reverse(one));
        let expected: String = all.iter().take(20).map(|(_, Reverse(n))| format!("word{n}\n")).collect();
        assert_eq!(found, expected);
    }
}
