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
