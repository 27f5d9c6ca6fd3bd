//! Lists that were once read as something else, each with its words or the reason why it is refused.

#![allow(clippy::unwrap_used, reason = "a test stops where something is wrong")]

use nearmiss_lists::{Charsets, Reader, Reading, Wanted, recognise, simple};

/// The first word of a list.
fn first_word(list: &str) -> Result<String, String> {
    let form =
        recognise(list.as_bytes(), "list", &Wanted::default()).map_err(|refusal| refusal.to_string())?;
    let reading = Reading { form, charsets: Charsets::default(), affixes: None, is_plain: false };
    let (mut reader, mut words) = (Reader::new(reading), Vec::new());
    for line in list.lines() {
        let _ = reader.read_line(line.as_bytes(), &mut |_, word| {
            words.push(String::from_utf8_lossy(word).into_owned());
        });
    }
    words.into_iter().next().ok_or_else(|| "no word".to_owned())
}

fn rows(row: impl Fn(u32) -> String) -> String {
    (1..=60).map(row).collect()
}

/// One in a list is enough: the others may be of a kind that is not made here.
const MD5_OF_WORD1: &str = "7220293ac62f90c5c2fa5af3ad6794cd";

const SHA512_OF_WORD1: &str = "a6c14d8907eb85cba69aa1ccf3051f36ca0bf59874ca71746c9562c0bad393b4\
                               c1297e81926b5928964f58b44fbf1e14992091ce2458cb9c83ae9f00edce0a34";
const MYSQL_OF_WORD1: &str = "*B3BEF43C7A0BD9287E06E73E50E3041640C875C7";

#[test]
fn potfiles_may_have_a_salt_and_passwords_of_digits() {
    let hash = |n: u32| if n == 1 { MD5_OF_WORD1.to_owned() } else { format!("{n:032x}") };
    // One password in three is a date.
    let plain = |n: u32| if n % 3 == 0 { format!("1204{n}") } else { format!("word{n}") };
    for list in [
        rows(|n| format!("{}:salt:{}\n", hash(n), plain(n))),
        rows(|n| format!("{}:a1b2c3d4e5f6:f6e5d4c3b2a1:net:{}\n", hash(n), plain(n))),
        rows(|n| format!("{}:{}\n", hash(n), plain(n))),
    ] {
        assert_eq!(first_word(&list).as_deref(), Ok("word1"), "{list}");
    }
    let longer = |first: &str, n: u32| if n == 1 { first.to_owned() } else { format!("{n:0128x}") };
    for first in [SHA512_OF_WORD1, MYSQL_OF_WORD1] {
        let list = rows(|n| format!("{}:{}\n", longer(first, n), plain(n)));
        assert_eq!(first_word(&list).as_deref(), Ok("word1"), "{list}");
    }
    let counts = rows(|n| format!("{}:{n}\n", hash(n)));
    assert!(first_word(&counts).unwrap_err().contains("--kind ntlm"));
}

#[test]
fn hashes_with_salts_are_refused() {
    for length in [32, 40, 64] {
        let hash = |n: u32| format!("{n:0length$x}");
        for list in [
            rows(|n| format!("{}:sAlt{n}\n", hash(n))),
            rows(|n| format!("{};sAlt{n};u{n}@example.org\n", hash(n))),
            rows(|n| format!("{}:SHA1\n", hash(n))),
        ] {
            let refusal = first_word(&list).unwrap_err();
            assert!(refusal.contains("such as a salt"), "{list}: {refusal}");
        }
    }
}

/// Some of them have no digit by chance.
#[test]
fn old_hashes_of_crypt_are_refused() {
    let hash = |n: u32| {
        if n % 7 == 0 { "abQwErTyUiOpAs".chars().take(13).collect() } else { format!("abX9zQ{n:07}") }
    };
    let list = rows(|n| format!("user{n}:{}\n", hash(n)));
    assert!(first_word(&list).unwrap_err().contains("DES crypt"));
}

#[test]
fn a_column_is_found_by_the_end_of_its_name() {
    let header = "folder,type,name,login_uri,login_username,login_password\n";
    let list = format!("{header}{}", rows(|n| format!(",login,site{n},https://s,user{n},word{n}\n")));
    assert_eq!(first_word(&list).as_deref(), Ok("word1"));
    let header = "\"Account\",\"Login Name\",\"Password\",\"Web Site\",\"Comments\"\n";
    let list = format!("{header}{}", rows(|n| format!("\"a{n}\",\"u{n}\",\"word{n}\",\"https://s\",\"\"\n")));
    assert_eq!(first_word(&list).as_deref(), Ok("word1"));
}

#[test]
fn sources_of_programs_are_refused() {
    // Of a long list only some lines are looked at.
    let long: String = (0..20_000).map(|n| format!("  \"word{n}\": \"W ER1 D\",\n")).collect();
    for list in [
        format!("/** Words */\nexport const words = {{\n{long}}}\n"),
        format!("module.exports = {{\n{}}};\n", rows(|n| format!("  '{n:05}': 'word{n}',\n"))),
        format!("export const words = {{\n{}}}\n", rows(|n| format!("  \"word{n}\": \"W ER1 D\",\n"))),
        format!(
            "// Made by a program\nvar lists = {{\n  words: \"{}\".split(\",\")\n}};\n",
            "word,".repeat(99)
        ),
    ] {
        let refusal = first_word(&list).unwrap_err();
        assert!(refusal.contains("the source of a program"), "{list}: {refusal}");
    }
    let words: Vec<String> = (0..60).map(|n| format!("'word{n}'")).collect();
    for (list, quote) in [
        (format!("export default [{}];\n", words.join(",")), "'"),
        (format!("var words = [{}];\n", words.join(", ").replace('\'', "\"")), "\""),
    ] {
        let refusal = first_word(&list).unwrap_err();
        let outer = if quote == "'" { "\"" } else { "'" };
        assert!(refusal.contains(&format!("grep -o {outer}{quote}[^{quote}]*{quote}{outer}")), "{refusal}");
    }
    // One word in quotes a line is a list, whatever is around them.
    let quoted = format!("let words = [\n{}];\n", rows(|n| format!("  'word{n}',\n")));
    assert_eq!(first_word(&quoted).as_deref(), Ok("word1"));
    let passwords = format!("// \nvar\n{}", rows(|n| format!("word{n}\n")));
    assert!(first_word(&passwords).is_ok());
}

/// A byte of zero is not the separator of words.
#[test]
fn texts_of_four_bytes_a_character_are_known() {
    let words: String = (0..60).map(|n| format!("word{n}\n")).collect();
    let russian: String = (0..60).map(|n| format!("слово{n}\n")).collect();
    for text in [&words, &russian] {
        for (bytes, charset) in [
            (text.chars().flat_map(|c| u32::from(c).to_le_bytes()).collect::<Vec<u8>>(), "UTF-32LE"),
            (text.chars().flat_map(|c| u32::from(c).to_be_bytes()).collect(), "UTF-32BE"),
        ] {
            let refusal = recognise(&bytes, "list", &Wanted::default()).unwrap_err().to_string();
            assert!(refusal.contains(&format!("iconv -f {charset} -t UTF-8")), "{refusal}");
        }
    }
}

#[test]
fn columns_by_blanks_may_be_uneven() {
    let sounds = ["AH0", "B K", "T ER0 Z", "B AH0 T", "K"];
    let list: String = (0_usize..400).map(|n| format!("word{n} {}\n", sounds.get(n % 5).unwrap())).collect();
    assert!(first_word(&list).unwrap_err().contains("columns by blanks"));
    let phrase = |n: usize| format!("the word{n}{}\n", " goes".repeat(n % 3));
    let phrases: String = (0..400).map(phrase).collect();
    assert_eq!(first_word(&phrases).as_deref(), Ok("the word0"));
}

/// A quote that does not begin its field is a part of the word.
#[test]
fn a_person_reads_quotes_after_blanks_as_they_are() {
    let list = rows(|n| format!("{n} | {} | {}\n", if n == 9 { "\"word\"" } else { "word" }, 99 - n));
    let form = recognise(list.as_bytes(), "list", &Wanted::default()).unwrap();
    let line = list.lines().nth(8).unwrap();
    let seen = simple::word(&form, &Charsets::default(), line.as_bytes());
    assert!(seen.is_none_or(|word| word == "\"word\""));
}

/// One line is no evidence of columns, but it is of a hash: as a word, it would reject nothing.
#[test]
fn a_line_or_two_with_hashes_are_refused() {
    const SHA256: &str = "5e884898da28047151d0e56f8dc6292773603d0d6aabbdd62a11ef721d1542d8";
    let sha1 = "5baa61e4c9b93f3f0682250b6cf8331b7ee68fd8";
    let yescrypt = "$y$j9T$F5Jx5fExrKuPp53xLKQ..1$X3DX6M94c7o.9agCG9G317fhZg9SqC.5i5rd.RhAtQ7";
    let bcrypt = "$2b$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy";
    let sha512 = "$6$salt$IxDD3jeSOb5eB1CX5LBsqZFVkJdido3OUILO5Ifz5iwMuTS4XMS130MTSuDDl3aCI6WouIL9";
    let ssha = "{SSHA}aHNlY3JldHNhbHRzYWx0c2FsdHNhbHQ=";
    for hash in [
        MD5_OF_WORD1,
        sha1,
        SHA256,
        yescrypt,
        bcrypt,
        sha512,
        ssha,
        "$dynamic_0$7220293ac62f90c5c2fa5af3ad6794cd",
    ] {
        for lines in [1, 2] {
            let refused = |line: String| first_word(&line.repeat(lines)).unwrap_err();
            let potfile = refused(format!("{hash}:word1\n"));
            assert!(potfile.contains("read it with --form potfile"), "{hash}: {potfile}");
            let users = refused(format!("anna:{hash}:word1\n"));
            assert!(users.contains("cut -d: -f3-"), "{hash}: {users}");
        }
    }
    for hash in [yescrypt, bcrypt, sha512, ssha] {
        for rest in ["", ":19000:0:99999:7:::"] {
            let useless = first_word(&format!("anna:{hash}{rest}\n")).unwrap_err();
            assert!(useless.contains("which no filter can use"), "{useless}");
        }
    }
    for word in ["anna:secret", "$ecret:$alary", "$6$ is money:x", "deadbeef:x", "a:b:c", "{word}:x"] {
        assert_eq!(first_word(word).as_deref(), Ok(word));
    }
}
