//! Lists that are refused or doubted by their finished words, and lists of words that are not.

#![allow(
    clippy::unwrap_used,
    clippy::arithmetic_side_effects,
    reason = "a test stops where something is wrong"
)]

use std::sync::Arc;

use nearmiss_lists::{
    Charsets, Columns, Form, FormName, Judgement, Reading, Wanted, hunspell::Affixes, judge, recognise,
};

fn judged(list: &str, wanted: &Wanted) -> Result<Judgement, String> {
    let form = recognise(list.as_bytes(), "list", wanted).map_err(|refusal| refusal.to_string())?;
    let reading = Reading { form, charsets: Charsets::default(), affixes: None, is_plain: false };
    judge(list.lines().map(str::as_bytes), &reading, wanted).map_err(|refusal| refusal.to_string())
}

/// Words of letters alone, all different.
fn word(n: u32) -> String {
    let syllables = ["ba", "ke", "li", "mo", "nu", "ra", "se", "ti", "vo", "zu"];
    n.to_string().bytes().map(|digit| syllables.get(usize::from(digit - b'0')).unwrap().to_owned()).collect()
}

fn rows(row: impl Fn(u32) -> String) -> String {
    (1000..1100).map(|n| row(n) + "\n").collect()
}

/// Digits that look like a hash.
fn digits(n: u32, length: usize) -> String {
    let digit = |at: usize| {
        let mixed =
            u64::from(n).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(u32::try_from(at * 7).unwrap());
        char::from_digit(u32::try_from(mixed % 16).unwrap(), 16).unwrap()
    };
    (0..length).map(digit).collect()
}

#[test]
fn forms_that_give_no_words_are_refused() {
    let table: Vec<(&str, &str, String)> = vec![
        ("quotes", "digests that have signs around them", rows(|n| format!("\"{}\"", digits(n, 40)))),
        ("digits in C", "digests that have signs around them", rows(|n| format!("0x{}", digits(n, 40)))),
        ("one range of digests", "one range of SHA-1 digests", rows(|n| format!("{}:{n}", digits(n, 35)))),
        ("cut digests", "hashes: 100 of 100", rows(|n| digits(n, 39))),
        ("two kinds", "hashes: 100 of 100", rows(|n| digits(n, if n % 2 == 0 { 40 } else { 32 }))),
        (
            "a third of hashes",
            "hashes: 33 of 100",
            rows(|n| if n % 3 == 0 { digits(n, 40) } else { word(n) }),
        ),
        (
            "a third of counts",
            "words with numbers beside them: 33",
            rows(|n| if n % 3 == 0 { format!("{n} {}", word(n)) } else { word(n) }),
        ),
        ("thousands", "words with numbers beside them: 100", rows(|n| format!("{} {},901", word(n), n % 90))),
        ("counts after signs", "words with numbers beside them: 100", rows(|n| format!("{}#{n}", word(n)))),
        (
            "PHP",
            "nearly each begins with '$words[] = '' and ends with '''",
            rows(|n| format!("$words[] = '{}';", word(n))),
        ),
        ("Python", "more than words", rows(|n| format!("    '{}': {n},", word(n)))),
        ("comments", "4 columns by blanks", rows(|n| format!("{} # a word", word(n)))),
        (
            "hexadecimal",
            "hexadecimal digits",
            rows(|n| word(n).bytes().map(|byte| format!("{byte:02x}")).collect()),
        ),
        ("escapes", "escapes", rows(|n| word(n).bytes().map(|byte| format!("%{byte:02x}")).collect())),
        (
            "wrapped",
            "several words a line",
            rows(|n| (0..3 + n % 7).map(|at| word(n * 10 + at)).collect::<Vec<_>>().join(" ")),
        ),
    ];
    for (name, said, list) in &table {
        let refusal = judged(list, &Wanted::default()).unwrap_err();
        assert!(refusal.contains(said), "{name}: {refusal}");
        let plain = judged(list, &Wanted { form: Some(FormName::Plain), columns: None });
        assert!(plain.is_ok(), "{name}, as it is: {plain:?}");
    }
}

#[test]
fn lists_of_words_are_taken_without_a_doubt() {
    for (name, list) in [
        ("words", rows(word)),
        ("digits", rows(|n| (n * 7919).to_string())),
        ("what people append", rows(|n| format!("{}@123!", word(n)))),
        ("phrases", rows(|n| format!("the {}{}", word(n), " of it".repeat(n as usize % 3)))),
        ("in the alphabet of hashes", rows(|n| format!("{:x}", u64::from(n) * 0x00ab_cdef))),
        ("one hash", format!("{}{}\n", rows(word), digits(7, 40))),
        ("long numbers", rows(|n| format!("{n}").repeat(9))),
        ("a few lines", "acme\nwidget\nroadrunner\n".to_owned()),
    ] {
        let judgement = judged(&list, &Wanted::default());
        assert_eq!(judgement.map(|found| (found.lost, found.doubts)), Ok((vec![], vec![])), "{name}");
    }
}

#[test]
fn few_hashes_and_columns_that_are_alike_are_doubts() {
    let few = rows(|n| if n % 30 == 0 { digits(n, 40) } else { word(n) });
    let doubts = judged(&few, &Wanted::default()).unwrap().doubts;
    assert!(doubts.iter().any(|doubt| doubt.contains("hashes among its words")), "{doubts:?}");
    let accounts = rows(|n| format!("{}:x:{n}:{n}:A:/home:/bin/sh", word(n)));
    let doubts = judged(&accounts, &Wanted::default()).unwrap().doubts;
    assert!(doubts.iter().any(|doubt| doubt.contains("only 1 word among")), "{doubts:?}");
    let answer = judged("Please log in\nto go on with it\n", &Wanted::default()).unwrap().doubts;
    assert!(answer.iter().any(|doubt| doubt.contains("is it a list?")), "{answer:?}");
}

#[test]
fn lines_that_give_no_word_are_counted() {
    let list = rows(|n| if n % 5 == 0 { format!("\u{1}\u{2}{n}") } else { word(n) });
    let judgement = judged(&list, &Wanted::default()).unwrap();
    assert_eq!((judgement.lines, judgement.lost.len(), judgement.lost.get(1)), (100, 20, Some(&5)));
}

#[test]
fn rows_without_a_word_lose_none_however_long_they_are() {
    let note = "n".repeat(300);
    let list = rows(|n| if n % 5 == 0 { format!(",{note},{n}") } else { format!("{},{note},{n}", word(n)) });
    let wanted = Wanted { form: None, columns: Some(Columns::Number(0)) };
    let judgement = judged(&list, &wanted).unwrap();
    assert_eq!(judgement.lost, Vec::<usize>::new());
    let doubt = judgement.doubts.first().unwrap();
    assert!(doubt.contains("no word in the column on 20 of 100 lines"), "{doubt}");
}

/// The flags are bytes, also in a dictionary of UTF-8.
#[test]
fn entries_with_flags_that_are_no_text_are_not_lost() {
    let affixes = Affixes::parse(b"SET UTF-8\nSFX \xc3 Y 1\nSFX \xc3 0 s .\n").unwrap();
    let charsets = Charsets { said: Some("UTF-8".parse().unwrap()), ..Charsets::default() };
    let reading =
        Reading { form: Form::Hunspell, charsets, affixes: Some(Arc::new(affixes)), is_plain: false };
    let lines: Vec<Vec<u8>> = (1000..1100)
        .map(|n| [word(n).as_bytes(), if n % 6 == 0 { b"/\xc3" } else { b"" }].concat())
        .collect();
    let judgement = judge(lines.iter().map(Vec::as_slice), &reading, &Wanted::default()).unwrap();
    assert_eq!((judgement.lost, judgement.doubts), (vec![], vec![]));
}
