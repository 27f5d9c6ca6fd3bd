//! Lists as programs write them: exports of password managers, crackers, spreadsheets, Markdown.

#![allow(clippy::unwrap_used, reason = "a test stops where something is wrong")]

use nearmiss_lists::{Charsets, Reader, Reading, Wanted, judge, recognise, simple};

/// The words of a list, or the reason why it is refused.
fn words_by(list: &str, columns: Option<&str>) -> Result<Vec<String>, String> {
    let columns = columns.map(|columns| columns.parse().unwrap());
    words_with(list, &Wanted { form: None, columns })
}

fn words_with(list: &str, wanted: &Wanted) -> Result<Vec<String>, String> {
    let form = recognise(list.as_bytes(), "list", wanted).map_err(|refusal| refusal.to_string())?;
    let reading = Reading { form, charsets: Charsets::default(), affixes: None, is_plain: false };
    judge(list.lines().map(str::as_bytes), &reading, wanted).map_err(|refusal| refusal.to_string())?;
    let (mut reader, mut words) = (Reader::new(reading.clone()), Vec::new());
    for line in list.lines() {
        let before = words.len();
        let outcome = reader.read_line(line.as_bytes(), &mut |_, word| {
            words.push(String::from_utf8_lossy(word).into_owned());
        });
        // A person reads the same, where it is plain to see.
        if let Some(seen) = simple::word(&reading.form, &Charsets::default(), line.as_bytes()) {
            let is_read = outcome.is_err() || words.get(before).is_none_or(|word| *word == seen);
            assert!(is_read, "{line}: {seen}, {:?}", words.get(before));
        }
    }
    Ok(words)
}

fn words(list: &str) -> Result<Vec<String>, String> {
    words_by(list, None)
}

/// The first words are what `word` gives, in their order.
fn has_words(name: &str, list: &str, word: impl Fn(usize) -> String) {
    let read = words(list).unwrap_or_else(|refusal| vec![refusal]);
    let expected: Vec<String> = (1..=60).map(word).collect();
    assert_eq!(read.iter().take(60).collect::<Vec<_>>(), expected.iter().collect::<Vec<_>>(), "{name}");
}

fn rows(row: impl Fn(usize) -> String) -> String {
    (1..=60).map(|n| row(n) + "\n").collect()
}

fn letters(n: usize) -> String {
    n.to_string().bytes().map(|digit| char::from(digit.saturating_add(b'k' - b'0'))).collect()
}

/// A number of six digits that looks like a random one.
fn mixed(n: usize) -> usize {
    n.wrapping_mul(0x9e37_79b9) >> 5 & 0xf_ffff
}

#[test]
fn numbers_that_are_no_counts_are_refused_with_both_readings() {
    for (name, list) in [
        ("PINs", rows(|n| format!("{}:{:06}", letters(n), mixed(n)))),
        ("PINs of four", rows(|n| format!("user{n};{:04}", mixed(n) % 10_000))),
        ("after commas", rows(|n| format!("{}, {}", letters(n), 10_000 + mixed(n) % 80_000))),
        ("with blanks", rows(|n| format!("{} {}", letters(n), 100_000 + mixed(n) % 900_000))),
        (
            "a word first",
            format!("user0:abc0\n{}", rows(|n| format!("user{n}:{}", 100_000 + mixed(n) % 900_000))),
        ),
        ("years", rows(|n| format!("{} {}", letters(n), 1980 + mixed(n) % 46))),
        ("streets", rows(|n| format!("{}street {}", letters(n), 1 + mixed(n) % 99))),
    ] {
        let refusal = words(&list).unwrap_err();
        assert!(
            refusal.contains("numbers that may be passwords, counts or parts of words"),
            "{name}: {refusal}"
        );
        let forms = ["csv", "semicolons", "colons", "blanks"].into_iter();
        let form = forms.filter(|form| refusal.contains(&format!("--form {form} and"))).collect::<String>();
        for (columns, is_number) in [("word,count", false), ("user,word", true)] {
            let wanted = Wanted { form: form.parse().ok(), columns: columns.parse().ok() };
            let first = words_with(&list, &wanted).unwrap().remove(1);
            assert_eq!(first.bytes().all(|byte| byte.is_ascii_digit()), is_number, "{name}: {first}");
        }
    }
    // Counts fall, or have any number of digits.
    has_words("in order", &rows(|n| format!("{}:{}", letters(n), 1099 - n)), letters);
    has_words("ascending", &rows(|n| format!("{} {}", letters(n), 1099 + n)), letters);
    let sizes = [3, 41, 2, 799, 12_345, 7, 98, 4_000_000, 610, 5];
    has_words("all sizes", &rows(|n| format!("{},{}", letters(n), sizes.get(n % 10).unwrap())), letters);
    has_words(
        "named",
        &("word,count\n".to_owned() + &rows(|n| format!("{},{}", letters(n), 1000 + mixed(n) % 9000))),
        letters,
    );
}

#[test]
fn potfiles_of_other_columns_are_read() {
    let digest = |n: usize| format!("{:032x}", mixed(n).wrapping_mul(0x1234_5678_9abc_def1));
    let ticket = rows(|n| {
        format!("$krb5asrep$23$u{n}@D.LOCAL:{}${}{}:{}", digest(n), digest(n + 1), digest(n + 2), letters(n))
    });
    has_words("Kerberos", &ticket, letters);
    let halves =
        rows(|n| format!("$LM${:016x}:{}", mixed(n).wrapping_mul(0x9e37), letters(n).to_uppercase()));
    assert!(words(&halves).unwrap_err().contains("halves of passwords"));
    // The hash of the first is that of its password.
    let hash = |n: usize| if n == 1 { "2db95e8e1a9267b7a1188556b2013b33".to_owned() } else { digest(n) };
    has_words("user last", &rows(|n| format!("{}:{}:user{n}", hash(n), letters(n))), letters);
    has_words("kind last", &rows(|n| format!("{}:{}:MD5PLAIN", hash(n), letters(n))), letters);
}

#[test]
fn a_count_that_is_a_word_is_another_form() {
    let both = rows(|n| {
        if n > 55 { format!("{},{}", 99 - n, letters(n)) } else { format!("{},{}", letters(n), 99 - n) }
    });
    let read = words(&both).unwrap();
    assert_eq!(read.len(), 55, "{read:?}");
    has_words(
        "thousands",
        &rows(|n| format!("{},\"{},{:03}\"", letters(n), 99 - n, mixed(n) % 1000)),
        letters,
    );
}

#[test]
fn hexadecimal_words_on_all_lines_are_words() {
    let hex = |n: usize| letters(n).bytes().map(|byte| format!("{byte:02x}")).collect::<String>();
    has_words("$HEX", &rows(|n| format!("$HEX[{}]", hex(n))), letters);
}

#[test]
fn quotes_in_quoted_words_are_read() {
    let word = |n: usize| if n % 5 == 0 { format!("{}\"x", letters(n)) } else { letters(n) };
    has_words("CSV", &rows(|n| format!("\"{}\"", word(n).replace('"', "\"\""))), word);
    has_words("JSON", &rows(|n| format!("\"{}\",", word(n).replace('"', "\\\""))), word);
    let word = |n: usize| if n % 5 == 0 { format!("{}'x", letters(n)) } else { letters(n) };
    has_words("a shell", &rows(|n| format!("'{}'", word(n).replace('\'', "'\\''"))), word);
    has_words("a program", &rows(|n| format!("  '{}',", word(n).replace('\'', "\\'"))), word);
}

#[test]
fn lists_of_points_in_quotes_are_read() {
    has_words("code", &rows(|n| format!("- `{}`", letters(n))), letters);
    has_words("numbered", &rows(|n| format!("{n}. `{}`", letters(n))), letters);
    has_words("YAML", &rows(|n| format!("  - \"{}\"", letters(n))), letters);
    let table = "| Word | Note |\n|---|---|\n".to_owned() + &rows(|n| format!("| `{}` | x |", letters(n)));
    assert!(words_by(&table, Some("word")).unwrap().contains(&letters(7)));
}

#[test]
fn a_header_with_a_password_is_never_a_word() {
    let row = |n: usize| {
        format!("g,\"Site, {n}\",u{n},{},https://a.example:80/,2024-05-0{}T10:00:00Z", letters(n), n % 9)
    };
    let header = "\"Group\",\"Title\",\"Username\",\"Password\",\"URL\",\"Last Modified\"\n";
    has_words("KeePassXC", &(header.to_owned() + &rows(row)), letters);
    has_words(
        "PowerShell",
        &("#TYPE System.Management.Automation\n".to_owned() + header + &rows(row)),
        letters,
    );
    has_words(
        "Excel",
        &("sep=;\nid;name;kennwort\n".to_owned() + &rows(|n| format!("{n};a{n};{}", letters(n)))),
        letters,
    );
    let uneven = "name,url,username,password\n".to_owned()
        + &rows(|n| if n % 2 == 0 { format!("a,https://b,u,{}", letters(n)) } else { format!("note {n}") });
    assert_eq!(
        words(&uneven).unwrap().len(),
        30,
        "lines of another form are left out, and refused by their number"
    );
    assert_eq!(
        words_by(&uneven, Some("password")).unwrap(),
        (1..=30).map(|n| letters(n * 2)).collect::<Vec<_>>()
    );
    // The most common password is no header.
    assert_eq!(words("password\n123456\nletmein\nmy password\n").unwrap().len(), 4);
}

#[test]
fn a_csv_of_one_column_has_quotes_where_they_are_needed() {
    let word = |n: usize| if n % 9 == 0 { format!("{},x", letters(n)) } else { letters(n) };
    let row = |n: usize| if n % 9 == 0 { format!("\"{}\"", word(n)) } else { word(n) };
    has_words("with a name", &("Password\n".to_owned() + &rows(row)), word);
    has_words("without one", &rows(row), word);
}

#[test]
fn bytes_of_wide_characters_are_named() {
    let wide: String = rows(letters).chars().flat_map(|c| [c, '\0']).collect();
    assert!(words(&wide).unwrap_err().contains("--charset utf-16le"));
    let big: String = rows(letters).chars().flat_map(|c| ['\0', c]).collect();
    assert!(words(&big).unwrap_err().contains("--charset utf-16be"));
    assert!(words(&rows(letters).replace('\n', "\0")).unwrap_err().contains("tr '\\0' '\\n'"));
}

/// The fields of gecos have commas: the columns are by colons.
#[test]
fn accounts_with_passwords_are_columns_by_colons() {
    let list = rows(|n| format!("user{n}:Quexo-{n}-vapu:{n}:{n}:User {n},,,:/home/user{n}:/bin/bash"));
    for columns in [None, Some("2")] {
        let read = words_by(&list, columns).unwrap_or_else(|refusal| vec![refusal]);
        assert_eq!(read.get(1).map(String::as_str), Some("Quexo-2-vapu"), "{columns:?}: {read:?}");
    }
    // Rows by commas may have as many colons.
    let hosts = rows(|n| format!("user{n},Quexo-{n}-vapu,10:11:12:13:14:{},,", 10 + n % 80));
    let read = words_by(&hosts, Some("2")).unwrap();
    assert_eq!(read.get(1).map(String::as_str), Some("Quexo-2-vapu"), "{read:?}");
}
