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
