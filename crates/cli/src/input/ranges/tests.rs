use std::{collections::BTreeSet, fs, io::Write, os::unix::fs::symlink, path::Path};

use nearmiss_filters::list::Skip;
use proptest::prelude::*;

use super::*;

fn find(folder: &Path, may_be_partial: bool) -> Arc<Ranges> {
    Arc::new(Ranges::find(Folder::open(folder).unwrap(), Kind::Sha1, may_be_partial).unwrap())
}

fn text(ranges: &Arc<Ranges>) -> String {
    let mut text = String::new();
    Whole::new(Arc::clone(ranges), Progress::hidden()).read_to_string(&mut text).unwrap();
    text
}

/// A digest's digits after its range's.
fn suffix(last: &str) -> String {
    format!("{last:0>35}")
}

fn line(last: &str, count: u64) -> String {
    format!("{}:{count}", suffix(last))
}

fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

fn problem(files: &[(&str, &str)], may_be_partial: bool) -> Option<String> {
    let folder = folder(files);
    let ranges = find(folder.path(), may_be_partial);
    if let Some(problem) = ranges.problem_of_gaps().unwrap() {
        return Some(problem.to_string());
    }
    text(&ranges);
    ranges.problem().map(|problem| problem.to_string())
}

#[test]
fn ranges_are_one_list_in_the_order_of_their_digits() {
    let (a, b, c, d) = (line("1", 3), line("2", 4), line("3", 1), line("4", 1));
    let lower = d.to_lowercase();
    let folder = folder(&[
        ("0000A", &format!("\u{feff}{a}\r\n{b}")),
        ("00001.txt", &format!("{c}\n\n {lower} \n")),
        ("README", "no"),
        ("00001x", "no"),
        ("00001.meta", "no"),
        ("12345678", "no"),
    ]);
    let ranges = find(folder.path(), false);
    assert_eq!(text(&ranges), format!("00001{c}\n\n00001{lower}\n0000A{a}\n0000A{b}\n"));
    assert_eq!(ranges.place(3), Some(("00001.txt".to_owned(), 3)));
    assert_eq!(ranges.place(5), Some(("0000A".to_owned(), 2)));
    assert_eq!(ranges.place(6), None);
    assert_eq!((ranges.census().found, ranges.census().missing), (2, (1 << 20) - 2));
}

/// The path of a range in a tree.
type Name = fn(&str) -> String;

#[test]
fn a_tree_is_the_same_list_as_a_folder_whatever_its_files_are_packed_with() {
    let text_of = |number: u32| format!("{}\r\n{}", line("1F", u64::from(number) + 1), line("F0", 2));
    let pack = |text: &str, with: &str| match with {
        "gz" => {
            let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            packed.write_all(text.as_bytes()).unwrap();
            packed.finish().unwrap()
        }
        "zst" => zstd::encode_all(text.as_bytes(), 1).unwrap(),
        _ => text.as_bytes().to_vec(),
    };
    let flat = tempfile::tempdir().unwrap();
    (0..20).for_each(|number| fs::write(flat.path().join(name_of(number)), text_of(number)).unwrap());
    let expected = text(&find(flat.path(), false));
    let forms: [(Name, &str); 5] = [
        (|name| format!("{}/{}/{name}", &name[..2], &name[..3]), ""),
        (|name| format!("{}/{name}.txt", &name[..2]), ""),
        (|name| format!("{}/{}", &name[..1], &name[1..]), ""),
        (|name| format!("{}/{}/{}.gz", &name[..2], &name[2..4], &name[4..]), "gz"),
        (|name| format!("{name}.txt.zst"), "zst"),
    ];
    for (name, packed) in forms {
        let tree = tempfile::tempdir().unwrap();
        for number in 0..20 {
            let path = tree.path().join(name(&name_of(number)));
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, pack(&text_of(number), packed)).unwrap();
        }
        assert_eq!(text(&find(tree.path(), false)), expected, "{}", name("01234"));
    }
}

#[test]
fn every_fault_is_named_with_its_file_and_nothing_of_it_is_read() {
    let good = line("1", 1);
    let ntlm = format!("{:0>27}:3", "A");
    let files = [
        ("00000", good.as_str()),
        ("00001", ""),
        ("00002", "\n\n"),
        ("00003.txt", "<html><body>429 Too Many Requests</body></html>"),
        ("00004", ntlm.as_str()),
        ("00005", &format!("{}\n{}", line("2", 1), line("1", 1))),
        ("00006", &format!("{good}\n{}", &line("2", 1)[..30])),
        ("00007", &format!("{good}\n0000A{}:1", suffix("3"))),
        ("00009", &good),
        ("0000B.gz", "no digest"),
    ];
    let told = problem(&files, false).unwrap();
    assert_eq!(
        told,
        "1,048,566 of 1,048,576 ranges are missing (00008, 0000A, 0000C, 0000D, 0000E, ...); 2 are empty \
         (00001, 00002); 1 is a web page, such as the answer of a server that has no range (00003.txt); 1 \
         has digests of another kind (00004 line 1); 2 are cut short or not ranges (00006 line 2, 0000B.gz \
         line 1); 1 is not in ascending order (00005 line 2); 1 has digests of another range (00007 line \
         2); fetch these ranges again; --partial accepts missing, empty and unsorted ones only"
    );
    let partial = problem(&files, true).unwrap();
    assert_eq!(partial, told);
    let folder = folder(&files);
    let ranges = find(folder.path(), true);
    let sorted = format!("00005{}\n00005{}\n", line("1", 1), line("2", 1));
    assert_eq!(text(&ranges), format!("00000{good}\n{sorted}00009{good}\n"));
    assert_eq!(ranges.empty(), 2);
}

#[test]
fn missing_empty_and_unsorted_ranges_are_accepted_if_that_is_said() {
    let (good, unsorted) = (line("1", 1), format!("{}\n{}", line("2", 1), line("1", 1)));
    for files in [
        &[("00000", good.as_str()), ("00002", &good), ("00003", &good)][..],
        &[("00000", &good), ("00001", "")],
        &[("00000", &good), ("00001", &line("9", 0))],
        &[("00000", &good), ("00001", &unsorted)],
    ] {
        let told = problem(files, false).unwrap();
        assert!(told.ends_with("; fetch these ranges again, or use the others with --partial"), "{told}");
        assert_eq!(problem(files, true), None);
    }
    let empty: Vec<String> = (0..9).map(|number| format!("0000{number}")).collect();
    let mut files: Vec<(&str, &str)> = empty.iter().map(|name| (name.as_str(), "")).collect();
    files.push(("00009", &good));
    let told = problem(&files, false).unwrap();
    assert!(told.contains("; 9 are empty (00000, 00001, 00002, 00003, 00004, ...); fetch"), "{told}");
}

#[test]
fn a_file_that_cannot_be_read_is_named_and_a_link_is_not_followed() {
    for make in [|path: &Path| fs::create_dir(path), |path: &Path| symlink("/etc/passwd", path)] {
        let folder = tempfile::tempdir().unwrap();
        make(&folder.path().join("00000")).unwrap();
        let ranges = find(folder.path(), false);
        let error = Whole::new(ranges, Progress::hidden()).read(&mut [0; 9]).unwrap_err();
        assert!(error.to_string().starts_with("00000: is not a regular file"), "{error}");
    }
    let elsewhere = folder(&[("00000", &line("1", 1))]);
    let folder = tempfile::tempdir().unwrap();
    symlink(elsewhere.path(), folder.path().join("00")).unwrap();
    assert!(find(folder.path(), false).is_empty(), "a folder behind a link");
}

#[test]
fn a_packed_file_that_is_cut_short_is_named() {
    let folder = folder(&[("00000", &line("1", 1))]);
    let packed = zstd::encode_all(line("1", 1).as_bytes(), 1).unwrap();
    fs::write(folder.path().join("00001.zst"), &packed[..packed.len() - 3]).unwrap();
    let ranges = find(folder.path(), true);
    assert_eq!(text(&ranges), format!("00000{}\n", line("1", 1)));
    let told = ranges.problem().unwrap().to_string();
    assert!(told.contains("; 1 is cut short or not a range (00001.zst); fetch"), "{told}");
}

#[test]
fn two_files_of_a_range_are_both_read() {
    let folder = folder(&[("00000", &line("2", 1)), ("00000.txt", &line("1", 1))]);
    let ranges = find(folder.path(), true);
    assert_eq!(text(&ranges), format!("00000{}\n00000{}\n", line("2", 1), line("1", 1)));
    assert_eq!((ranges.problem().is_none(), ranges.count(1, &Progress::hidden()).unwrap()), (true, None));
}

/// A line of a range as a person would read it: the digest in upper case, and its count.
fn naive(text: &str, whole: usize) -> Result<Vec<(String, u64)>, String> {
    let mut digests: Vec<(String, u64)> = Vec::new();
    for line in text.trim_start_matches('\u{feff}').split('\n') {
        let line = line.trim_matches([' ', '\r', '\t']).to_uppercase();
        if line.is_empty() {
            continue;
        }
        let (digits, count) = line.split_once(':').map_or((line.as_str(), None), |(d, c)| (d, Some(c)));
        let digits = match digits.len() {
            all if all == whole => digits.strip_prefix("0A1B2").ok_or("other range")?,
            rest if rest + 5 == whole => digits,
            _ => return Err(format!("{line}: length")),
        };
        if !digits.chars().all(|digit| "0123456789ABCDEF".contains(digit)) {
            return Err(format!("{line}: no digits"));
        }
        digests.push((digits.to_owned(), count.map_or(Ok(1), str::parse).map_err(|_| "count")?));
    }
    let counted: Vec<&String> = digests.iter().filter(|(_, count)| *count > 0).map(|(d, _)| d).collect();
    if counted.is_empty() || !counted.is_sorted() {
        return Err("empty or unsorted".to_owned());
    }
    Ok(digests)
}

fn range_text() -> impl Strategy<Value = String> {
    let digest = prop_oneof![
        30 => (0_u32..0x300).prop_map(|last| format!("{last:0>35X}")),
        5 => (0_u32..0x300).prop_map(|last| format!("{last:0>35x}")),
        2 => (0_u32..0x300).prop_map(|last| format!("0A1b2{last:0>35X}")),
        1 => Just("F".repeat(34)),
        1 => Just(format!("0A1B3{:0>35}", 7)),
        1 => Just("G".repeat(35)),
        1 => Just(format!("{:0>27}", 7)),
    ];
    let end = prop::sample::select(vec!["\n", "\r\n", " \n", "\n\n", "\r\n\r\n"]);
    let lines = prop::collection::vec((digest, 0_u64..4, end), 0..8);
    (lines, any::<bool>(), 0_u8..8).prop_map(|(mut lines, is_marked, sort)| {
        if sort > 0 {
            lines.sort_by_key(|(digest, ..)| {
                digest
                    .to_uppercase()
                    .chars()
                    .rev()
                    .take(30)
                    .collect::<Vec<_>>()
                    .into_iter()
                    .rev()
                    .collect::<String>()
            });
        }
        let text: String =
            lines.iter().map(|(digest, count, end)| format!("{digest}:{count}{end}")).collect();
        format!("{}{text}", if is_marked { "\u{feff}" } else { "" })
    })
}

proptest! {
    #[test]
    fn a_range_is_read_as_a_person_reads_it(text in range_text(), min_count in 1_u64..4) {
        let expected = naive(&text, 40);
        let folder = folder(&[("0A1B2", &text)]);
        let ranges = find(folder.path(), false);
        let read = self::text(&ranges);
        prop_assert_eq!(ranges.faults().are_refused(false), expected.is_err(), "{:?}", ranges.problem());
        let count = ranges.count(min_count, &Progress::hidden()).unwrap().unwrap();
        let Ok(expected) = expected else {
            prop_assert_eq!(read, "");
            prop_assert_eq!(count, RangeCount::default());
            return Ok(());
        };
        let lines: Vec<String> =
            expected.iter().map(|(digits, count)| format!("0A1B2{digits}:{count}")).collect();
        let read: Vec<String> =
            read.split('\n').filter(|line| !line.is_empty()).map(str::to_uppercase).collect();
        prop_assert_eq!(read, lines);
        let taken: Vec<&String> =
            expected.iter().filter(|(_, count)| *count >= min_count).map(|(digits, _)| digits).collect();
        prop_assert_eq!(count.lines.accepted, taken.len() as u64);
        prop_assert_eq!(count.lines.skipped_for(Skip::Rare).lines, (expected.len() - taken.len()) as u64);
        prop_assert_eq!(count.distinct, taken.iter().collect::<BTreeSet<_>>().len() as u64);
    }

    #[test]
    fn no_text_of_a_file_ends_the_program(text in prop::collection::vec(any::<u8>(), 0..200)) {
        let name = RangeName { kind: Kind::Ntlm, digits: b"0A1B2" };
        prop_assert!(name.read(&text, &mut WholeLines::default()).is_err());
    }
}
