use data_encoding::BASE64;
use nearmiss_filters::random::SeededRandom;

use super::*;

/// Random passwords with all signs of ASCII, and words with numbers and signs as people choose them.
fn honest() -> Vec<String> {
    let mut random = SeededRandom::new(7);
    let mut below = |n: u64| random.next_word() % n;
    let mut all: Vec<String> = Vec::new();
    for _ in 0..500 {
        let signs = (0..12).map(|_| char::from(u8::try_from(33 + below(94)).unwrap()));
        all.push(signs.collect());
        all.push(format!(
            "Elephant{}{}",
            below(3000),
            ["!", "", ":-)", ", yes"][usize::try_from(below(4)).unwrap()]
        ));
    }
    all
}

fn is_refused(lines: &[String], columns: CandidateColumns) -> bool {
    refuse(lines.join("\n").as_bytes(), columns, false).is_err()
}

#[test]
fn lines_with_more_than_a_password_are_refused_and_passwords_are_not() {
    assert!(!is_refused(&honest(), CandidateColumns::Password));
    let mut random = SeededRandom::new(8);
    let keys: Vec<[u8; 8]> = (0..200).map(|_| random.next_word().to_le_bytes()).collect();
    for encoding in [BASE64, data_encoding::HEXLOWER] {
        let keys: Vec<String> = keys.iter().map(|key| encoding.encode(key)).collect();
        assert!(!is_refused(&keys, CandidateColumns::Password), "{keys:?}");
    }
    let forms: [fn(&str) -> String; 33] = [
        |word| format!("anna@example.org:{word}"),
        |word| format!("\"{word}\","),
        |word| format!("{{\"password\": \"{word}\"}},"),
        |word| format!("\"anna\",\"{word}\""),
        |word| format!("      7 {word}"),
        |word| format!("{word}\t7"),
        |word| format!("- {word}"),
        |word| format!("<li>{word}</li>"),
        |word| format!("8846f7eaee8fb117ad06bdd830b7586c:{word}"),
        |word| format!("anna;{word}"),
        |word| format!("7,{word},anna"),
        |word| format!("anna\t{word}x"),
        |word| format!("{}. {word}", word.len()),
        |word| format!("  {word}"),
        |word| BASE64.encode(format!("{word}x").as_bytes()),
        |word| data_encoding::HEXLOWER.encode(word.as_bytes()),
        |word| format!("anna@example.org|{word}"),
        |word| format!("anna@example.org {word}"),
        |word| format!("anna@example.org - {word}"),
        |word| format!("password={word}"),
        |word| format!("Passwort: {word}"),
        |word| format!("Password is [{word}]"),
        |word| format!("login: anna{} password: {word}", word.len()),
        |word| format!("list.txt={word}"),
        |word| format!("0x{}", data_encoding::HEXLOWER.encode(word.as_bytes())),
        |word| format!("$HEX[{}]:7", data_encoding::HEXLOWER.encode(word.as_bytes())),
        |word| word.bytes().map(|byte| format!("%{byte:02x}")).collect(),
        |word| word.bytes().map(|byte| format!("\\x{byte:02x}")).collect(),
        |word| data_encoding::BASE32.encode(word.as_bytes()),
        |word| format!("8846f7eaee8fb117ad06bdd830b7586c  {word}"),
        |word| format!("\u{1b}[32m{word}\u{1b}[0m"),
        |word| format!("{word}   {word}   {word}"),
        |word| format!("| 7 | {word} |"),
    ];
    for (number, form) in forms.iter().enumerate() {
        let lines: Vec<String> = honest().iter().map(|word| form(word)).collect();
        assert!(is_refused(&lines, CandidateColumns::Password), "{number}");
        assert!(!is_refused(&lines[..SOME - 1], CandidateColumns::Password), "{number}");
        let some: Vec<String> = lines.into_iter().take(300).chain(honest()).collect();
        assert!(!is_refused(&some, CandidateColumns::Password), "{number}");
    }
    let hex = vec!["$HEX[c3a43a62]".to_owned(); 50];
    assert!(!is_refused(&hex, CandidateColumns::Password));
    let phrases: Vec<String> =
        (0..100).map(|n| format!("correct{n} horse battery{} staple", n * 7)).collect();
    assert!(!is_refused(&phrases, CandidateColumns::Password));
}

/// A name of a user: a word of its own.
fn name(n: usize) -> String {
    let letter = |n: usize| char::from(b'a' + u8::try_from(n % 26).unwrap());
    [n, n / 26, n / 676, n * 11].map(letter).iter().collect()
}

fn lines_of(form: impl Fn(usize, &str) -> String) -> Vec<String> {
    honest().iter().filter(|word| !word.contains(' ')).enumerate().map(|(n, word)| form(n, word)).collect()
}

#[test]
fn users_before_passwords_are_told_from_phrases() {
    let judged = |lines: &[String]| match doubts::of(&joined(lines)) {
        _ if is_refused(lines, CandidateColumns::Password) => "refused",
        Some(_) => "doubted",
        None => "taken",
    };
    for (lines, expected) in [
        (lines_of(|n, word| format!("user{n} {word}")), "refused"),
        (lines_of(|n, word| format!("{} = {word}", name(n))), "refused"),
        // They may be phrases with numbers or signs.
        (lines_of(|n, word| format!("{} {word}", name(n))), "doubted"),
        // Phrases begin with the same words, and have few numbers and signs.
        (lines_of(|n, _| format!("{} {}", name(n % 50), name(n * 3))), "taken"),
        (lines_of(|n, _| format!("{} {}", name(n), name(n * 3))), "taken"),
        (lines_of(|n, word| format!("{} {word}", name(n % 600))), "taken"),
        (lines_of(|n, _| format!("{}{n} {}", name(n % 600), name(n * 3))), "taken"),
        (lines_of(|n, _| format!("Summer {n}!")), "refused"),
        (honest(), "taken"),
    ] {
        assert_eq!(judged(&lines), expected, "{}", lines[1]);
    }
}

#[test]
fn a_part_of_another_form_is_a_doubt() {
    let forms: [fn(usize, &str) -> String; 8] = [
        |n, word| format!("{}:{word}", name(n)),
        |n, word| format!("{},{word}", name(n)),
        |n, word| format!("{};{word}", name(n)),
        |n, word| format!("{}@example.org|{word}", name(n)),
        |n, word| format!("{}\t{word}", name(n)),
        |n, word| format!("{} = {word}", name(n)),
        |_, word| format!("\"{word}\""),
        |n, word| format!("{}@example.org:{word}", name(n)),
    ];
    for form in forms {
        for (parts, is_doubt) in [(3, true), (4, true), (20, false)] {
            let form = |n: usize, word: &str| if n % parts == 0 { form(n, word) } else { word.to_owned() };
            let lines = lines_of(form);
            assert!(!is_refused(&lines, CandidateColumns::Password), "{}", lines[0]);
            assert_eq!(doubts::of(&joined(&lines)).is_some(), is_doubt, "{parts}: {}", lines[0]);
        }
    }
    // Long random passwords have each sign in one of five, seldom behind letters and digits alone.
    let mut random = SeededRandom::new(9);
    for length in [8, 12, 20, 24, 32, 48] {
        for all in [20, 40, 300, 1000] {
            let mut sign = || char::from(u8::try_from(33 + random.next_word() % 94).unwrap());
            let lines: Vec<String> = (0..all).map(|_| (0..length).map(|_| sign()).collect()).collect();
            assert_eq!(doubts::of(&joined(&lines)), None, "{length} {all}");
        }
    }
}

fn joined(lines: &[String]) -> Vec<u8> {
    lines.join("\n").into_bytes()
}

/// Of one line, the number of lines says nothing.
#[test]
fn a_line_of_many_texts_in_quotes_is_refused() {
    for quote in ["\"", "'"] {
        let texts: Vec<String> = honest().iter().take(30).map(|_| format!("{quote}word{quote}")).collect();
        for columns in [CandidateColumns::Password, CandidateColumns::UserPassword] {
            for line in [format!("[{}]", texts.join(",")), format!("{{{}}}", texts.join(": 7, "))] {
                assert!(is_refused(std::slice::from_ref(&line), columns), "{line}");
                assert!(is_refused(&["export default".to_owned(), line], columns));
            }
        }
    }
    assert!(!is_refused(&["[\"a\", \"b\"]".to_owned()], CandidateColumns::Password));
    assert!(!is_refused(&honest(), CandidateColumns::Password));
}

/// One of several users.
fn number(word: &str) -> u32 {
    word.bytes().map(u32::from).sum::<u32>() % 9
}

#[test]
fn an_audit_refuses_what_are_not_users_and_passwords() {
    let audit = |form: fn(&str) -> String| {
        let lines: Vec<String> = honest().iter().map(|word| form(word)).collect();
        is_refused(&lines, CandidateColumns::UserPassword)
    };
    assert!(!audit(|word| format!("anna{}:{word}", number(word))));
    assert!(audit(|word| format!("anna:Anna B,,:{word}")));
    assert!(audit(|word| format!("{{\"user\": \"anna\", \"password\": \"{word}\"}}")));
    assert!(audit(|word| format!("\"anna\":\"{word}\"")));
    // The first column would be printed, which is the password.
    assert!(audit(|word| format!("{word}:7")));
    assert!(audit(|word| format!("{word}: 1,234")));
    assert!(audit(|word| format!("$HEX[{}]:7", data_encoding::HEXLOWER.encode(word.as_bytes()))));
    assert!(audit(|word| format!("{word}:anna@example.org")));
    // A digest is as good as a password where it is the password's own.
    assert!(audit(|word| format!("8846f7eaee8fb117ad06bdd830b7586c:{word}")));
    assert!(audit(|word| format!("Password: {word}")));
    assert!(audit(|word| format!("list.txt:{word}")));
    assert!(!audit(|word| format!("uid=anna{},ou=people:{word}", number(word))));
    assert!(audit(|word| format!("  \"{word}\": 7,")));
    assert!(audit(|word| format!("'{word}': 7,")));
    assert!(!audit(|word| format!("anna{}@example.org:{word}", number(word))));
    let few: Vec<String> = ["elephant:7", "mouse:9", "house:12"].map(str::to_owned).into();
    assert!(is_refused(&few, CandidateColumns::UserPassword));
    assert!(!is_refused(&few[..2], CandidateColumns::UserPassword));
}

/// As `john --show` writes them: all that follows the password would be a part of it.
#[test]
fn accounts_are_refused_with_the_command_that_cuts_them() {
    let forms: [fn(&str) -> String; 2] = [
        |word| format!("anna{}:{word}:1000:1000:Anna B,,,:/home/anna:/bin/sh", number(word)),
        |word| {
            format!("anna{}:{word}:1000:{nt}:{nt}:::", number(word), nt = "8846f7eaee8fb117ad06bdd830b7586c")
        },
    ];
    let users = CandidateColumns::UserPassword;
    for form in forms {
        for all in [1, 5, 60] {
            let lines: Vec<String> = honest().iter().take(all).map(|word| form(word)).collect();
            for (columns, are_named) in
                [(users, false), (users, true), (CandidateColumns::UserGecosPassword, true)]
            {
                let refused =
                    refuse(lines.join("\n").as_bytes(), columns, are_named).map_err(|e| e.to_string());
                let message = refused.unwrap_err();
                assert!(message.contains("cut -d: -f1,2"), "{message}");
            }
            let said = refuse(lines.join("\n").as_bytes(), CandidateColumns::Password, true);
            assert!(said.is_ok());
        }
    }
    // Other fields, of which nothing is known.
    let lines: Vec<String> =
        honest().iter().map(|word| format!("anna{}:{word}:a:b:c", number(word))).collect();
    let message = refuse(lines.join("\n").as_bytes(), users, false).unwrap_err().to_string();
    assert!(message.contains("cut -d: -f1,2"), "{message}");
    // Passwords may have colons.
    let lines: Vec<String> =
        honest().iter().map(|word| format!("anna{}:{word}:a:b:c", number(word))).collect();
    assert!(refuse(lines.join("\n").as_bytes(), users, true).is_ok());
}
