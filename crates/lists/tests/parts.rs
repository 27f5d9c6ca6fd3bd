//! Lists of which a part has a form, which is no word: refused or doubted, and honest lists that look alike.

#![allow(
    clippy::unwrap_used,
    clippy::arithmetic_side_effects,
    reason = "a test stops where something is wrong"
)]

use nearmiss_lists::{CharsetSurvey, Charsets, Form, FormName, Judgement, Reading, Wanted, judge, recognise};

fn judged(list: &str, wanted: &Wanted) -> Result<Judgement, String> {
    let form = recognise(list.as_bytes(), "list", wanted).map_err(|refusal| refusal.to_string())?;
    let reading = Reading { form, charsets: Charsets::default(), affixes: None, is_plain: false };
    judge(list.lines().map(str::as_bytes), &reading, wanted).map_err(|refusal| refusal.to_string())
}

/// Words of letters alone, all different.
fn word(n: usize) -> String {
    let syllables = ["ba", "ke", "li", "mo", "nu", "ra", "se", "ti", "vo", "zu"];
    n.to_string().bytes().map(|digit| *syllables.get(usize::from(digit - b'0')).unwrap()).collect()
}

/// A number that looks like a random one, the same each time.
fn mixed(n: usize) -> usize {
    n.wrapping_mul(0x9e37_79b9) >> 7 & 0xff_ffff
}

fn rows(row: impl Fn(usize) -> String) -> String {
    (1000..1300).map(|n| row(n) + "\n").collect()
}

/// Rows of which some are so, evenly.
fn part(percent: usize, row: impl Fn(usize) -> String) -> String {
    rows(|n| if n * 37 % 100 < percent { row(n) } else { word(n) })
}

/// Printable characters, as a manager of passwords draws them.
fn random(n: usize, length: usize) -> String {
    let of = |at: usize| char::from(b'!' + u8::try_from(mixed(n * 977 + at * 31 + 7) % 94).unwrap());
    (0..length).map(of).collect()
}

#[test]
fn a_part_that_has_a_form_is_refused() {
    for (name, said, list) in [
        ("users", "columns by colons in a part of its lines", part(85, |n| format!("anna{n}:{}", word(n)))),
        ("half", "columns by semicolons", part(50, |n| format!("a{n}@mail.example;{}", word(n)))),
        ("two signs", "columns by", rows(|n| format!("a{n}@b.example{}{}", [':', ';'][n % 2], word(n)))),
        (
            "commas",
            "columns by commas",
            part(40, |n| format!("{}, {}, {}", word(n), word(n + 1), word(n + 2))),
        ),
        ("settings", "columns by '='", part(60, |n| format!("key{n}={}", word(n)))),
        ("notes", "columns by ' # '", part(60, |n| format!("{} # seen in {}", word(n), word(n * 3)))),
        ("quotes", "words in quotes", part(30, |n| format!("\"{}\"", word(n)))),
        ("a frame", "words in quotes", part(85, |n| format!("'{}',", word(n)))),
        ("a list of points", "words with a mark before them", part(50, |n| format!("- {}", word(n)))),
        ("labels", "lines with labels, such as 'text'", part(50, |n| format!("text = {}", word(n)))),
        (
            "an account a block",
            "lines with labels",
            part(80, |n| ["Password: ", "Login: ", "URL: https://"][n % 3].to_owned() + &word(n)),
        ),
    ] {
        let refusal = judged(&list, &Wanted::default()).unwrap_err();
        assert!(refusal.contains(said), "{name}: {refusal}");
        let plain = judged(&list, &Wanted { form: Some(FormName::Plain), columns: None });
        assert!(plain.is_ok(), "{name}, as it is: {plain:?}");
    }
    let few = judged(&part(8, |n| format!("anna{n}:{}", word(n))), &Wanted::default()).unwrap();
    assert!(few.doubts.iter().any(|doubt| doubt.contains("columns by colons")), "{few:?}");
}

#[test]
fn marks_and_numbers_beside_words_are_refused() {
    for (name, said, list) in [
        ("numbers", "numbered words", rows(|n| format!("{n}.{}", word(n)))),
        ("with zeros", "numbered words", rows(|n| format!("{:04}{}", n - 995, word(n)))),
        ("with a hyphen", "numbered words", rows(|n| format!("{n}-{}", word(n)))),
        ("bold", "begins and ends with '**'", rows(|n| format!("**{}**", word(n)))),
        ("numbered and bold", "begins and ends with '**'", rows(|n| format!("{n}. **{}**", word(n)))),
        ("a pattern", "begins and ends with '%'", rows(|n| format!("%{}%", word(n)))),
        ("hashes", "begins and ends with '#'", rows(|n| format!("#{}#", word(n)))),
        ("counts", "words with numbers beside them", rows(|n| format!("{}-{}", word(n), 99_999 - n))),
        ("counts by dots", "words with numbers beside them", rows(|n| format!("{}.{}", word(n), 9_999 - n))),
        (
            "tags",
            "words with a tag behind them",
            rows(|n| format!("{}_{}", word(n), ["NN", "VB", "JJ"][n % 3])),
        ),
    ] {
        let refusal = judged(&list, &Wanted::default()).unwrap_err();
        assert!(refusal.contains(said), "{name}: {refusal}");
    }
}

#[test]
fn characters_in_another_dress_are_refused_in_a_part() {
    for (name, list) in [
        ("addresses", part(30, |n| format!("{}%C3%A4{}", word(n), n))),
        ("signs of addresses", part(50, |n| format!("{}%21", word(n)))),
        ("pages", part(30, |n| format!("{}&auml;b", word(n)))),
        ("mail", part(30, |n| format!("{}=E4b", word(n)))),
        ("read twice", part(30, |n| format!("{}Ã¤b", word(n)))),
        ("a terminal", part(30, |n| format!("{}M-CM-$b", word(n)))),
        ("hashcat's, in lower case", part(50, |n| format!("$hex[{n:04x}6170]"))),
    ] {
        let refusal = judged(&list, &Wanted::default()).unwrap_err();
        assert!(refusal.contains("in escapes or of a wrong charset"), "{name}: {refusal}");
    }
}

/// A line of this number.
type Row = fn(usize) -> String;

/// A list of words, and a third of it in another form.
#[test]
fn a_third_of_another_form_is_said() {
    let rows: [(&str, Row); 27] = [
        ("HTML", |n| format!("<li>{}</li>", word(n))),
        ("XML", |n| format!("  <word>{}</word>", word(n))),
        ("NDJSON", |n| format!("{{\"p\": \"{}\", \"n\": {n}}}", word(n))),
        ("SQL", |n| format!("INSERT INTO w VALUES ({n}, '{}');", word(n))),
        ("SQL without an end", |n| format!("UPDATE w SET ({n}, '{}')", word(n))),
        ("Markdown", |n| format!("| {n} | {} |", word(n))),
        ("base64", |n| data_encoding::BASE64.encode(word(n).as_bytes())),
        ("base64 of digests", |n| data_encoding::BASE64.encode(&word(n).repeat(9).as_bytes()[..20])),
        ("hexadecimal digits", |n| word(n).bytes().map(|byte| format!("{byte:02x}")).collect()),
        ("escapes", |n| word(n).bytes().map(|byte| format!("%{byte:02x}")).collect()),
        ("a comma", |n| format!("{},", word(n))),
        ("a semicolon", |n| format!("{};", word(n))),
        ("a slash", |n| format!("{}/", word(n))),
        ("a line end in letters", |n| format!("{}\\n", word(n))),
        ("a carriage return", |n| format!("{}^M", word(n))),
        ("a dollar", |n| format!("{}$", word(n))),
        ("a full stop", |n| format!("{}.", word(n))),
        ("signs of parts", |n| format!("{}@@", word(n))),
        ("a difference", |n| format!("+{}", word(n))),
        ("a comment", |n| format!("#{}", word(n))),
        ("another comment", |n| format!("//{}", word(n))),
        ("parts of words", |n| format!("##{}", word(n))),
        ("tuples", |n| format!("('{}', {n}),", word(n))),
        ("mail", |n| format!("a{n}@b.example {}", word(n))),
        ("mail and a hyphen", |n| format!("a{n}@b.example - {}", word(n))),
        ("counts in brackets", |n| format!("{} ({n})", word(n))),
        ("a bullet", |n| format!("•{}", word(n))),
    ];
    for (name, row) in rows {
        match judged(&part(30, row), &Wanted::default()) {
            Ok(found) => assert!(!found.doubts.is_empty(), "{name}"),
            Err(refusal) => assert!(!refusal.contains("control"), "{name}: {refusal}"),
        }
    }
    // All of them, with signs that passwords also have at their ends.
    for row in [
        |n: usize| format!("+{}", word(n)),
        |n: usize| format!("#{}", word(n)),
        |n: usize| format!("##{}", word(n)),
        |n: usize| format!("{}@@", word(n)),
        |n: usize| format!("{}$", word(n)),
        |n: usize| format!("{}.", word(n)),
    ] {
        let found = judged(&self::rows(row), &Wanted::default()).unwrap();
        assert!(found.doubts.iter().any(|doubt| doubt.contains("does it belong to them?")), "{}", row(1000));
    }
}

/// Too few lines to be sure: all of them have the sign, which is said.
/// Accounts of Windows, and of sites as malware collects them.
#[test]
fn accounts_of_domains_and_sites_are_divided() {
    let rows: [fn(usize) -> String; 4] = [
        |n| format!("CORP\\anna{n}:{}", word(n)),
        |n| format!("https://host{n}.example/login:anna{n}:{}", word(n)),
        |n| format!("https://host.example:8443/a?b={n}:anna{n}:{}", word(n)),
        |n| format!("android://x{n}==@com.app/:anna{n}:{}", word(n)),
    ];
    for (row, percent) in rows.iter().flat_map(|row| [34, 50].map(|percent| (row, percent))) {
        let refusal = judged(&part(percent, row), &Wanted::default()).unwrap_err();
        assert!(refusal.contains("columns by colons in a part"), "{} {percent}: {refusal}", row(1));
    }
    for row in rows {
        let doubts = judged(&part(12, row), &Wanted::default()).unwrap().doubts.join("; ");
        assert!(doubts.contains("columns by colons in a part"), "{}: {doubts}", row(1));
    }
}

#[test]
fn short_lists_have_the_same_signs_as_doubts() {
    for (name, line) in [
        ("points", (|n| format!("- {}", word(n))) as fn(usize) -> String),
        ("stars", |n| format!("* {}", word(n))),
        ("quoted mail", |n| format!("> {}", word(n))),
        ("brackets", |n| format!("[{}]", word(n))),
        ("notes", |n| format!("{} # note", word(n))),
        ("two spellings", |n| format!("{} / {}", word(n), word(n).to_uppercase())),
        ("settings", |n| format!("word{n}={}", word(n))),
        ("SQL", |n| format!("('{}'),", word(n))),
        ("pairs", |n| format!("anna{n}:{}", word(n))),
        ("counts", |n| format!("{},{}", word(n), mixed(n))),
    ] {
        for lines in [2, 12] {
            let list: String = (1000..1000 + lines).map(|n| line(n) + "\n").collect();
            let plain =
                Reading { form: Form::Plain, charsets: Charsets::default(), affixes: None, is_plain: false };
            let found = judge(list.lines().map(str::as_bytes), &plain, &Wanted::default()).unwrap();
            assert!(found.doubts.iter().any(|doubt| doubt.contains("seems to have")), "{name}: {found:?}");
        }
    }
}

#[test]
fn a_single_line_of_many_words_is_refused() {
    for (list, sign) in [("one,two,three,four", ","), ("one;two;three;four\n", ";"), ("a\tb\tc\td\n", "\\t")]
    {
        let refusal = judged(list, &Wanted::default()).unwrap_err();
        assert!(refusal.contains(&format!("tr '{sign}' '\\n'")), "{refusal}");
    }
    for list in ["correct horse battery staple\n", "Acme, Inc.\n", "p;a;ss\n", "one,two\n"] {
        assert!(judged(list, &Wanted::default()).is_ok(), "{list}");
    }
}

/// A word that could be read in two charsets is stored twice, and judged once.
#[test]
fn a_list_in_two_charsets_is_not_of_a_wrong_one() {
    let line = |n: usize| {
        let word = format!("wörd{}\n", word(n));
        if n % 5 < 2 {
            word.into_bytes()
        } else {
            word.replace('ö', "\u{1}").bytes().map(|byte| if byte == 1 { 0xf6 } else { byte }).collect()
        }
    };
    let list: Vec<u8> = (1000..1300).flat_map(line).collect();
    let mut survey = CharsetSurvey::default();
    survey.read_block(&list);
    let reading = Reading { form: Form::Plain, charsets: survey.finish(), affixes: None, is_plain: false };
    let found = judge(list.split(|&byte| byte == b'\n'), &reading, &Wanted::default()).unwrap();
    assert_eq!(found.doubts, Vec::<String>::new());
}

#[test]
fn honest_lists_are_taken_without_a_doubt() {
    let names = ["St. ", "Dr. ", "von ", ""];
    for (name, list) in [
        ("random", rows(|n| random(n, 20))),
        ("random and short", rows(|n| random(n, 8))),
        ("random letters", rows(|n| format!("{:x}{:x}", mixed(n), mixed(n * 3)))),
        ("dates", rows(|n| format!("{:02}.{:02}.19{:02}", n % 28 + 1, n % 12 + 1, mixed(n) % 100))),
        ("days", rows(|n| format!("19{:02}-{:02}-{:02}", mixed(n) % 100, n % 12 + 1, n % 28 + 1))),
        ("identifiers", rows(|n| format!("{:08x}-{:04x}-4a3b-8{:03x}", mixed(n), n, n % 997))),
        ("names", rows(|n| names[n % 4].to_owned() + &word(n))),
        ("names with a title", part(20, |n| format!("{}, Dr.", word(n)))),
        ("companies", part(50, |n| format!("{} & Co. KG", word(n)))),
        ("what people append", rows(|n| format!("{}@123", word(n)))),
        ("years", rows(|n| format!("{}{}", word(n), 1980 + n % 46))),
        ("sites", rows(|n| format!("{}_{}", word(n), ["de", "Wien", "99"][n % 3]))),
        ("made for a test", rows(|n| format!("{n}{}", word(n)))),
        ("networks", rows(|n| format!("FRITZ!Box-{}", mixed(n) % 9000 + 1000))),
        ("a star", rows(|n| format!("{}*", word(n)))),
        ("exclamations", part(60, |n| format!("{}!", word(n)))),
        (
            "signs at the ends",
            rows(|n| word(n) + ["!", "1!", "?", "*", "123", "#", "$", "@", ".", ""][n % 10]),
        ),
        ("signs before", part(6, |n| format!("{}{}", ["#", "$", "*"][n % 3], word(n)))),
        ("notes in brackets", part(30, |n| format!("{} (river)", word(n)))),
        ("short forms", part(60, |n| format!("{} and {} Inc.", word(n), word(n * 3)))),
        ("Spanish questions", part(30, |n| format!("¿{}?", word(n)))),
        ("smileys", part(30, |n| format!("{}:)", word(n)))),
        ("hearts", part(30, |n| format!("i<3{}", word(n)))),
        ("times", part(50, |n| format!("{:02}:{:02}", n % 24, n % 60))),
        ("sites", part(50, |n| format!("http://{}", word(n)))),
        ("titles of films", part(10, |n| format!("{}: the {}", word(n), word(n * 7)))),
        ("per cent", part(50, |n| format!("{}100%", word(n)))),
        ("questions", rows(|n| format!("{}?", word(n)))),
        (
            "Chinese",
            rows(|n| char::from_u32(0x4e00 + u32::try_from(n).unwrap()).unwrap().to_string() + "国人"),
        ),
        (
            "Arabic",
            rows(|n| char::from_u32(0x627 + u32::try_from(n % 30).unwrap()).unwrap().to_string() + "سلام"),
        ),
        ("French", rows(|n| format!("{}é", word(n)))),
        ("a few", "Acme@1\nwidget-2\nRoad.Runner\nwile e\n".to_owned()),
        ("one", "Acme\n".to_owned()),
        ("two", "(acme\nwidget)\n".to_owned()),
    ] {
        let judgement = judged(&list, &Wanted::default()).map(|found| found.doubts);
        // The same few words are another doubt.
        let judgement = judgement
            .map(|all| all.into_iter().filter(|one| !one.contains("different words")).collect::<Vec<_>>());
        assert_eq!(judgement, Ok(vec![]), "{name}");
    }
}
