//! `filterctl info` and `verify`: facts, and damage of every kind reported with its position.

use std::{
    fs,
    os::unix::fs::{FileExt, PermissionsExt},
    path::Path,
};

use crate::{Folder, KEY, Run, run};

const PAGE_BYTES: usize = 4096;

fn info(filter: &Path) -> Run {
    run(["info".as_ref(), filter.as_os_str(), "--json".as_ref()])
}

fn verify(filter: &Path) -> Run {
    run(["verify".as_ref(), filter.as_os_str(), "--json".as_ref()])
}

fn words(count: u32) -> String {
    (0..count).map(|n| format!("word{:x}\n", n.wrapping_mul(0x9e37_79b9))).collect()
}

#[test]
fn facts_of_an_intact_filter() {
    let folder = Folder::new();
    let filter = folder.filter(&words(3000));
    let told = info(&filter);
    assert_eq!(told.code, 0);
    let facts = told.json().remove(0);
    let file_bytes = fs::metadata(&filter).unwrap().len();
    assert_eq!((&facts["words"], &facts["file_bytes"]), (&3000.into(), &file_bytes.into()));
    let bits = facts["bits_per_word"].as_f64().unwrap();
    assert!((bits - file_bytes as f64 * 8.0 / 3000.0).abs() < 1e-9);
    for (name, value) in [("kind", "words"), ("match", "near"), ("scheme", "deletions")] {
        assert_eq!(facts[name], value);
    }
    assert!(facts["actual_false_rejection"].as_f64().unwrap() <= 1.1e-3, "{facts}");
    assert_eq!((&facts["is_intact"], &facts["created"]), (&true.into(), &serde_json::Value::Null));
    assert_eq!(verify(&filter).code, 0);
}

#[test]
fn a_sample_shows_what_kind_of_words_a_filter_has() {
    let folder = Folder::new();
    let sample = |filter: &Path| {
        let told = run(["info".as_ref(), filter.as_os_str(), "--sample".as_ref(), "--json".as_ref()]);
        assert_eq!(told.code, 0, "{told:?}");
        told.json().remove(0)["sample"].clone()
    };
    let common = folder.path("common");
    // Of a thousand random strings, this key takes none for a word; one in 170 keys takes one.
    let key = ["--key", KEY];
    let built = ["build", "--common", "--match", "exact", "--output", common.to_str().unwrap()];
    assert_eq!(run([&built[..], &key[..]].concat()).code, 0);
    let good = sample(&common);
    assert_eq!((&good["common_passwords"], &good["random_strings"]), (&1000.into(), &0.into()), "{good}");
    // A dictionary that is read as if each line were a word: no flag is part of a password.
    let entries: String = (b'a'..=b'z').map(|letter| format!("word{}/SM\n", char::from(letter))).collect();
    let (list, dead) = (folder.file("list", entries), folder.path("dead"));
    let [list, output] = [&list, &dead].map(|path| path.to_str().unwrap());
    assert_eq!(run(["build", "--form", "plain", "--output", output, list]).code, 0);
    let bad = sample(&dead);
    assert_eq!((&bad["common_passwords"], &bad["signs"]), (&0.into(), &"/".into()), "{bad}");
    let text = run(["info", "--sample", output]).out;
    assert!(text.contains("a list that was read in a wrong form gives such a filter"), "{text}");
}

#[test]
fn a_filter_without_pages_has_no_negative_fill() {
    let folder = Folder::new();
    let filter = folder.filter(&words(500));
    let file = fs::OpenOptions::new().write(true).open(&filter).unwrap();
    file.set_len(fs::metadata(&filter).unwrap().len() / 8).unwrap();
    let told = run(["info".as_ref(), filter.as_os_str()]);
    assert!(told.code == 1 && !told.out.contains("-0.0"), "{told:?}");
}

#[test]
fn a_changed_bit_anywhere_is_damage() {
    let folder = Folder::new();
    let filter = folder.filter(&words(500));
    let whole = fs::read(&filter).unwrap();
    // Past the version, which has its own test.
    let places = (10..256).step_by(3).chain((256..whole.len()).step_by(997)).chain([whole.len() - 1]);
    for at in places {
        let damaged = folder.path("damaged");
        fs::write(&damaged, &whole).unwrap();
        let file = fs::OpenOptions::new().write(true).open(&damaged).unwrap();
        file.write_all_at(&[whole[at] ^ 0x10], at as u64).unwrap();
        let told = verify(&damaged);
        assert_eq!(
            (told.code, told.json()[0]["is_intact"].as_bool()),
            (1, Some(false)),
            "byte {at}: {told:?}"
        );
        assert_eq!(info(&damaged).code, 1, "byte {at}");
    }
}

#[test]
fn damage_of_a_page_is_told_with_its_place() {
    let folder = Folder::new();
    let filter = folder.filter(&words(3000));
    let mut bytes = fs::read(&filter).unwrap();
    let header_bytes = bytes.len()
        - usize::try_from(info(&filter).json()[0]["pages_read"].as_u64().unwrap()).unwrap() * PAGE_BYTES;
    bytes[header_bytes + 2 * PAGE_BYTES + 17] ^= 1;
    let damaged = folder.file("damaged", &bytes);
    let told = info(&damaged).json().remove(0);
    let place = format!("page 2 (at byte {}): the checksum is wrong", header_bytes + 2 * PAGE_BYTES);
    assert_eq!(told["problems"], serde_json::json!([place]));
    assert_eq!((&told["pages_damaged"], &told["words"]), (&1.into(), &3000.into()));
    assert!(run(["verify".as_ref(), damaged.as_os_str()]).out.contains(&place));
}

/// Nor does anything that writes a filter replace one of them.
#[test]
fn counts_ladders_and_keys_are_known_and_never_to_be_overwritten() {
    let folder = Folder::new();
    let list = folder.file("list", "elephant\n");
    let [filter, counts, ladder, key] = ["f", "c", "state/l", "etc/k"].map(|name| folder.path(name));
    let of = |path: &Path| path.to_str().unwrap().to_owned();
    let build = |output: &Path, more: &[&str]| {
        let arguments = ["build".to_owned(), "--output".to_owned(), of(output), of(&list)];
        run(arguments.into_iter().chain(more.iter().map(|&more| more.to_owned())))
    };
    assert_eq!(build(&filter, &["--counts", counts.to_str().unwrap()]).code, 0);
    let made = ["ladder", "init", "--no-slow-hash", "--bits", "2^16", "--file"].map(str::to_owned);
    assert_eq!(run(made.into_iter().chain([of(&ladder), "--key".to_owned(), of(&key)])).code, 0);
    for (path, holds) in [
        (&counts, "the counts of a filter of 1 word"),
        (&ladder, "a ladder of 65,536 bits"),
        (&key, "the key of a ladder"),
    ] {
        let before = fs::read(path).unwrap();
        for command in ["info", "verify"] {
            let shown = run([command, path.to_str().unwrap()]);
            assert_eq!((shown.code, shown.err.as_str()), (0, ""), "{shown:?}");
            assert!(shown.out.contains(&format!("{holds}, intact\n")), "{shown:?}");
            assert!(!shown.out.contains("filterctl build"), "{shown:?}");
        }
        let refused = build(path, &[]);
        assert!(
            refused.error_line().contains("refused to overwrite it with a filter; name another file"),
            "{refused:?}"
        );
        assert!(fs::read(path).unwrap() == before);
        let mut damaged = before;
        damaged[40] ^= 1;
        let damaged = folder.file("damaged", damaged);
        fs::set_permissions(&damaged, fs::Permissions::from_mode(0o600)).unwrap();
        for command in ["info", "verify"] {
            let shown = run([command, damaged.to_str().unwrap()]);
            assert_eq!(shown.code, 1, "{shown:?}");
            assert!(shown.out.contains("  PROBLEM  ") && !shown.out.contains("intact"), "{shown:?}");
        }
    }
    let shown = ["verify", "info"].map(|command| run([command, filter.to_str().unwrap()]).out);
    assert!(shown[0].contains(": intact, 1 page\n") && shown[1].contains("1 word of 1 line;"), "{shown:?}");
}

#[test]
fn every_length_but_its_own_is_damage() {
    let folder = Folder::new();
    let filter = folder.filter(&words(500));
    let whole = fs::read(&filter).unwrap();
    let shorter = (0..whole.len()).step_by(331).chain([7, 8, 9, 10, 255, 256, 257, whole.len() - 1]);
    for length in shorter {
        let told = verify(&folder.file("cut", &whole[..length]));
        assert_eq!(told.code, 1, "{length} bytes: {told:?}");
    }
    let longer = folder.file("longer", [&whole[..], b"x"].concat());
    assert_eq!(verify(&longer).code, 1);
    let told = info(&longer).json().remove(0);
    assert_eq!((&told["words"], &told["file_bytes"]), (&500.into(), &(whole.len() + 1).into()));
}

/// Characters that follow each other and nothing else: a trial that walks into them must not stay.
#[test]
fn the_trial_leaves_cycles_of_garbled_words() {
    let folder = Folder::new();
    let garbled: String = (1..30).map(|n| format!("a{}\n", "\u{a4}\u{201a}".repeat(n))).collect();
    let filter = folder.filter(&(words(3000) + &garbled));
    let shown = run(["verify", filter.to_str().unwrap(), "--measure", "20000", "--json"]);
    assert_eq!(shown.code, 0, "{shown:?}");
}

/// Words that are longer than the strings of the trial: none of those is near one by chance.
#[test]
fn the_rate_is_measured() {
    let folder = Folder::new();
    let long = |n: u64| format!("word{:016x}\n", n.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let filter = folder.filter(&(0..3000).map(long).collect::<String>());
    let told = run(["verify", filter.to_str().unwrap(), "--measure", "20000", "--json"]);
    assert_eq!(told.code, 0);
    let measured = &told.json()[0]["measured"];
    assert_eq!(measured["lookups"], 20_000);
    assert!(measured["random"]["rate"].as_f64().unwrap() < 1e-3, "{measured}");
    assert!(measured["word_like"]["rate"].as_f64().unwrap() < 1e-3, "{measured}");
}
