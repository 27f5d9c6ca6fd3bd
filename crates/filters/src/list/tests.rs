use proptest::prelude::*;

use super::*;

/// Collects the bytes of entries.
struct Collected(Vec<Vec<u8>>);

impl Entries for Collected {
    fn short(&mut self, word: Short) {
        self.0.push(word.bytes().collect());
    }

    fn word(&mut self, word: &Word) {
        self.0.push(word.as_bytes().to_vec());
    }

    fn digest(&mut self, digest: &[u8]) {
        self.0.push(digest.to_vec());
    }
}

proptest! {
    #[test]
    fn entries_are_the_same_however_they_are_read(
        kind in prop::sample::select(vec![Kind::Words, Kind::Sha1, Kind::Ntlm]),
        block in
            "([ -~\\t]{0,18}|[éA-f0-9ﬁ\u{a0}]{1,9}|[0-9a-fA-F]{40}(:[0-9]{0,20})?|\u{85}|\r?\n){0,30}"
    ) {
        let (entries, counts) = read(kind, 3, block.as_bytes());
        let (format, mut again) = (LineFormat { kind, min_count: 3 }, Collected(Vec::new()));
        let (block, forms) = (block.as_bytes(), Forms::Written);
        let read = format.read_entries(block, forms, &mut Word::default(), &mut again);
        prop_assert_eq!(read, counts);
        prop_assert_eq!(again.0, entries);
    }
}

fn read(kind: Kind, min_count: u64, block: &[u8]) -> (Vec<Vec<u8>>, LineCounts) {
    let mut entries = Vec::new();
    let format = LineFormat { kind, min_count };
    let counts = format.read_block(block, &mut Entry::default(), |entry| {
        entries.push(entry.bytes(kind).to_vec());
    });
    (entries, counts)
}

#[test]
fn words_with_all_kinds_of_line_ends() {
    let (words, counts) = read(Kind::Words, 0, b"One\r\ntwo\n\nthree words");
    assert_eq!(words, [&b"one"[..], b"two", b"three words"]);
    assert_eq!((counts.read, counts.accepted), (4, 3));
    assert_eq!(counts.skipped_for(Skip::Blank), Skipped { lines: 1, first: 3 });
}

#[test]
fn every_reason_is_counted_with_its_first_line() {
    let long = "x".repeat(256);
    let block = format!("ok\n \t\n{long}\na\tb\n{long}\n\u{a0}\nb\u{85}c\n");
    let (words, counts) = read(Kind::Words, 0, block.as_bytes());
    assert_eq!(words, [b"ok"]);
    assert_eq!(counts.skipped_for(Skip::Blank), Skipped { lines: 2, first: 2 });
    assert_eq!(counts.skipped_for(Skip::TooLong), Skipped { lines: 2, first: 3 });
    assert_eq!(counts.skipped_for(Skip::Control), Skipped { lines: 2, first: 4 });
}

#[test]
fn digests_in_either_case_with_and_without_counts() {
    let block = b"5BAA61E4C9B93F3F0682250B6CF8331B7EE68FD8:52256179\n\
        5baa61e4c9b93f3f0682250b6cf8331b7ee68fd9\n5BAA61E4C9B93F3F0682250B6CF8331B7EE68FDA:1\nxyz\n\
        5BAA61E4C9B93F3F0682250B6CF8331B7EE68FD8:\n5BAA61E4C9B93F3F0682250B6CF8331B7EE68FDG:9\n";
    let (digests, counts) = read(Kind::Sha1, 2, block);
    assert_eq!(digests.len(), 1);
    assert_eq!(digests.first().and_then(|digest| digest.first()), Some(&0x5b));
    assert_eq!(counts.skipped_for(Skip::Rare).lines, 2);
    assert_eq!(counts.skipped_for(Skip::Malformed), Skipped { lines: 3, first: 4 });
    let counts = |line: &[u8]| LineFormat { kind: Kind::Sha1, min_count: 0 }.count(line);
    let digest = b"5BAA61E4C9B93F3F0682250B6CF8331B7EE68FD8";
    assert_eq!([counts(&[digest, &b":17 "[..]].concat()), counts(digest)], [Some(17), Some(1)]);
    assert_eq!(LineFormat { kind: Kind::Words, min_count: 0 }.count(b"word:17"), None);
    let (ntlm, _) = read(Kind::Ntlm, 0, b"8846F7EAEE8FB117AD06BDD830B7586C:9\n");
    assert_eq!(ntlm.first().map(Vec::len), Some(16));
}

#[test]
fn parts_are_whole_lines_and_nothing_is_lost() {
    let block: Vec<u8> = (0..1000).flat_map(|i| format!("word{i}\n").into_bytes()).collect();
    for parts in 1..9 {
        let divided = split_lines(&block, parts);
        assert!(divided.len() <= parts);
        assert_eq!(divided.concat(), block);
        assert!(divided.iter().all(|part| part.ends_with(b"\n")));
    }
    assert_eq!(split_lines(b"one", 4).concat(), b"one");
    assert!(split_lines(b"", 4).is_empty());
}

#[test]
fn counts_append_with_line_numbers() {
    let (_, mut first) = read(Kind::Words, 0, b"a\nb\n");
    let (_, second) = read(Kind::Words, 0, b"c\n\n");
    first.append(&second);
    assert_eq!((first.read, first.accepted), (4, 3));
    assert_eq!(first.skipped_for(Skip::Blank), Skipped { lines: 1, first: 4 });
}
