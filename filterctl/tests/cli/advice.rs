//! The advice of refusals is followed to the letter: the command makes a copy, which is built with the
//! options that are named, and has the words.

use std::{fs, process::Command};

use sha1::{Digest as _, Sha1};

use crate::{Folder, run, run_with};

/// Words of letters alone, all different.
fn word(n: usize) -> String {
    let syllables = ["ba", "ke", "li", "mo", "nu", "ra", "se", "ti", "vo", "zu"];
    n.to_string().bytes().map(|digit| syllables[usize::from(digit - b'0')]).collect()
}

/// 300 lines.
pub(super) fn rows(row: impl Fn(String, usize) -> String) -> Vec<u8> {
    (1000..1300).map(|n| row(word(n), n) + "\n").collect::<String>().into_bytes()
}

fn hex(bytes: &[u8], before: &str) -> String {
    bytes.iter().map(|byte| format!("{before}{byte:02x}")).collect()
}

fn base64(text: &str) -> String {
    data_encoding::BASE64.encode(text.as_bytes())
}

fn sha1(word: &str) -> String {
    hex(&Sha1::digest(word), "")
}

fn all(between: &str, of: impl Fn(&str) -> String) -> String {
    (1000..1300).map(|n| of(&word(n))).collect::<Vec<_>>().join(between)
}

/// Builds a list: 2 if it is refused, and the message.
fn build(folder: &Folder, list: &[u8], options: &[&str]) -> (i32, String) {
    let list = folder.file("list", list);
    let (list, filter) = (list.to_str().unwrap().to_owned(), folder.path("f"));
    let basic = ["build", "-q", "--match", "exact", "-o", filter.to_str().unwrap(), &list];
    let done = run([&basic[..], options].concat());
    (done.code, done.err)
}

/// The copy that the message tells to make, and the options for it.
fn followed(folder: &Folder, message: &str) -> (Vec<u8>, Vec<String>) {
    let advice = message.split("read a copy ").nth(1).unwrap_or_else(|| panic!("{message}"));
    let (command, after) = advice
        .split_once('(')
        .and_then(|(_, rest)| rest.rsplit_once(')'))
        .unwrap_or_else(|| panic!("{message}"));
    let list = folder.path("list");
    let command = command.replace(" LIST", &format!(" '{}'", list.display()));
    let mut shell = Command::new("sh");
    let copy = shell.args(["-c", &command]).stdin(fs::File::open(&list).unwrap()).output().unwrap();
    assert!(copy.status.success(), "{command}: {copy:?}");
    let options = after.split_once("--kind ").map(|(_, kind)| kind.split(' ').next().unwrap().to_owned());
    (copy.stdout, options.map(|kind| vec!["--kind".to_owned(), kind]).unwrap_or_default())
}

#[test]
fn a_copy_that_is_made_as_told_has_the_words() {
    let folder = Folder::new();
    let four = |text: Vec<u8>| {
        String::from_utf8(text).unwrap().chars().flat_map(|c| u32::from(c).to_le_bytes()).collect()
    };
    let base64_of_sha1 = |word: &str| data_encoding::BASE64.encode(&Sha1::digest(word));
    let digests: [(&str, Vec<u8>, &[&str]); 9] = [
        ("digests by blanks", all(" ", sha1).into_bytes(), &["--kind", "sha1"]),
        ("digests of SQL", format!("IN ('{}');", all("', '", sha1)).into_bytes(), &["--kind", "sha1"]),
        ("digests in C", rows(|word, _| format!("0x{},", sha1(&word))), &[]),
        ("digests in base64", rows(|word, _| base64_of_sha1(&word)), &[]),
        ("digests in base64, said", rows(|word, _| base64_of_sha1(&word)), &["--kind", "sha1"]),
        ("digests of LDAP", rows(|word, _| format!("{{SHA}}{}", base64_of_sha1(&word))), &[]),
        (
            "digests of LDAP, said",
            rows(|word, _| "{SHA}".to_owned() + &base64_of_sha1(&word)),
            &["--kind", "sha1"],
        ),
        ("users", rows(|word, n| format!("u{n}:{{SHA}}{}", base64_of_sha1(&word))), &[]),
        (
            "users, said",
            rows(|word, n| format!("u{n}:{{SHA}}{}", base64_of_sha1(&word))),
            &["--kind", "sha1"],
        ),
    ];
    let words: Vec<(&str, Vec<u8>)> = vec![
        (
            "hydra",
            rows(|word, n| format!("[22][ssh] host: 10.0.0.{}   login: u{n}   password: {word}", n % 9)),
        ),
        (
            "medusa",
            rows(|word, n| format!("FOUND: Host: 10.0.0.{} User: u{n} Password: {word} [SUCCESS]", n % 9)),
        ),
        ("an address", rows(|word, n| format!("https://a.example/?user=u{n}&password={word}&x=1"))),
        ("named in German", rows(|word, n| format!("Benutzer: u{n}, Passwort: {word}, Ort: x{n}"))),
        ("entities", rows(|word, _| word.bytes().map(|byte| format!("&#{byte};")).collect())),
        ("base64", rows(|word, _| base64(&word))),
        ("base64 of lines", rows(|word, _| base64(&(word + "\n")))),
        ("hexadecimal", rows(|word, _| hex(word.as_bytes(), ""))),
        ("hexadecimal in C", rows(|word, _| format!("0x{}", hex(word.as_bytes(), "")))),
        ("escapes", rows(|word, _| hex(word.as_bytes(), "%"))),
        ("escapes of programs", rows(|word, _| hex(word.as_bytes(), "\\x"))),
        ("escapes of mail", rows(|word, _| hex(word.as_bytes(), "=").to_uppercase())),
        ("an array", format!("export default [{}];\n", all(",", |word| format!("\"{word}\""))).into_bytes()),
        (
            "an array in other quotes",
            format!("var w = [{}];\n", all(", ", |word| format!("'{word}'"))).into_bytes(),
        ),
        ("one text", format!("var w = \"{}\".split(\",\");\n", all(",", str::to_owned)).into_bytes()),
        ("UTF-32", four(rows(|word, _| word))),
        ("bytes of zero", all("\0", str::to_owned).into_bytes()),
        ("one line", all(";", str::to_owned).into_bytes()),
        ("PHP", rows(|word, _| format!("$words[] = '{word}';"))),
        ("labels", rows(|word, n| if n % 3 == 0 { word } else { format!("Password: {word}") })),
        ("letters of another alphabet at the end", rows(|word, _| word + "\u{201a}")),
        ("points", rows(|word, n| if n % 2 == 0 { format!("- {word}") } else { word })),
        ("tags", rows(|word, n| format!("{word}_{}", ["NN", "VB"][n % 2]))),
        ("numbers", rows(|word, n| if n % 2 == 0 { format!("{n}) {word}") } else { word })),
        ("shares", rows(|word, n| if n % 2 == 0 { format!("{word} 0.{n}%") } else { word })),
        ("between signs", rows(|word, _| format!("%{word}%"))),
        ("between signs with a quote", rows(|word, _| format!(".'{word}'."))),
        ("between signs of which one is a range's", rows(|word, _| format!("-.{word}.-"))),
        ("between signs of escapes", rows(|word, _| format!("\\.{word}.\\"))),
        ("mail", rows(|word, n| if n % 2 == 0 { format!("a{n}@b.example - {word}") } else { word })),
    ];
    let words = words.into_iter().map(|(name, list)| (name, list, &[][..]));
    for (name, list, options) in words.chain(digests) {
        let (code, message) = build(&folder, &list, options);
        assert_eq!(code, 2, "{name}: {message}");
        let (copy, kind) = followed(&folder, &message);
        // An option that is given already is not given twice.
        let kind = kind.iter().map(String::as_str).filter(|_| options.is_empty());
        let more: Vec<&str> = kind.chain(options.iter().copied()).collect();
        let (code, message) = build(&folder, &copy, &more);
        assert!(
            code == 0 && message.is_empty(),
            "{name}: {message}\n{:.200}",
            String::from_utf8_lossy(&copy)
        );
        let filter = folder.path("f");
        let check = [
            "check",
            "--no-variants",
            "--columns",
            "password",
            "--filter",
            filter.to_str().unwrap(),
            "--json",
        ];
        let candidates: String = (1000..1300).step_by(29).map(|n| word(n) + "\n").collect();
        let told = run_with(check, candidates.as_bytes()).json();
        assert!(
            told.iter().all(|one| one["reason"] == "dictionary" || one["reason"] == "breached"),
            "{name}: {told:?}"
        );
    }
}
