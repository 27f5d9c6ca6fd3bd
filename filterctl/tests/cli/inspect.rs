//! `filterctl info` and `verify`: facts, and damage of every sort told with its place.

use std::{fs, os::unix::fs::FileExt, path::Path};

use crate::{Folder, Run, run};

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
        - usize::try_from(info(&filter).json()[0]["pages"].as_u64().unwrap()).unwrap() * PAGE_BYTES;
    bytes[header_bytes + 2 * PAGE_BYTES + 17] ^= 1;
    let damaged = folder.file("damaged", &bytes);
    let told = info(&damaged).json().remove(0);
    let place = format!("page 2 (at byte {}): the checksum is wrong", header_bytes + 2 * PAGE_BYTES);
    assert_eq!(told["problems"], serde_json::json!([place]));
    assert_eq!((&told["pages_damaged"], &told["words"]), (&1.into(), &3000.into()));
    assert!(run(["verify".as_ref(), damaged.as_os_str()]).out.contains(&place));
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

#[test]
fn the_rate_is_measured() {
    let folder = Folder::new();
    let filter = folder.filter(&words(3000));
    let told = run(["verify", filter.to_str().unwrap(), "--measure", "20000", "--json"]);
    assert_eq!(told.code, 0);
    let measured = &told.json()[0]["measured"];
    assert_eq!(measured["lookups"], 20_000);
    assert!(measured["random"]["rate"].as_f64().unwrap() < 1e-3, "{measured}");
    assert!(measured["word_like"]["rate"].as_f64().unwrap() < 1e-3, "{measured}");
}
