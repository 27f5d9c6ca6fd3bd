//! `filterctl check` of input that is no list of passwords: it never says "accepted" of what it did not
//! understand.

use std::{fs, io::Write, path::PathBuf};

use flate2::{Compression, write::GzEncoder};
use sha1::{Digest, Sha1};

use crate::{Folder, Run, run_with};

const PASSWORDS: [&str; 6] = ["elephant", "elephqnt", "Elephant1", "3lephant", "elephants", "tnahpele"];

struct Site {
    filter: PathBuf,
    folder: Folder,
}

impl Site {
    fn new() -> Site {
        let folder = Folder::new();
        Site { filter: folder.filter("elephant\n"), folder }
    }

    fn check(&self, more: &[&str], input: &[u8]) -> Run {
        run_with([&["check", "--filter", self.filter.to_str().unwrap()], more].concat(), input)
    }
}

/// The passwords, each followed by this.
fn ended_by(end: &str) -> String {
    PASSWORDS.iter().flat_map(|word| [*word, end]).collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn passwords_that_no_line_has_are_refused_with_what_to_do() {
    let site = Site::new();
    let plain = ended_by("\n");
    assert_eq!(site.check(&[], plain.as_bytes()).code, 1);
    let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
    gzip.write_all(plain.as_bytes()).unwrap();
    let utf16 = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    for (input, says) in [
        (gzip.finish().unwrap(), "zcat"),
        (zstd::encode_all(plain.as_bytes(), 3).unwrap(), "zstdcat"),
        (b"PK\x03\x04\x14\0\0\0".repeat(20), "zip"),
        (ended_by("\0").into_bytes(), "tr '\\0' '\\n'"),
        (ended_by("\r").into_bytes(), "tr '\\r' '\\n'"),
        (utf16(&format!("\u{feff}{plain}")), "iconv -f UTF-16"),
        (utf16(&plain), "iconv -f UTF-16"),
    ] {
        for more in [&[][..], &["--summary"], &["--json"], &["--audit"]] {
            let told = site.check(more, &input);
            assert!(told.error_line().contains(says), "{says} {more:?}: {told:?}");
        }
    }
}

/// The words of `$HEX[…]` are decoded as `filterctl build` decodes them.
#[test]
fn a_password_in_hexadecimal_digits_is_decoded() {
    let site = Site::new();
    let lines: String = PASSWORDS.iter().map(|word| format!("$HEX[{}]\n", hex(word.as_bytes()))).collect();
    let told = site.check(&["--summary", "--json"], lines.as_bytes()).json().remove(0);
    assert_eq!((told["checked"].as_u64(), told["rejected"].as_u64()), (Some(6), Some(6)), "{told}");
    let users: String = lines.lines().map(|line| format!("anna:{line}\n")).collect();
    let told = site.check(&["--audit", "--json"], users.as_bytes()).json().remove(0);
    assert_eq!(told["rejected"], 6, "{told}");
    // What is not of this form is the password itself.
    let told = site.check(&["--json"], b"$HEX[zz]-Vq7#mzt0Lp2x\n");
    assert_eq!((told.code, told.json()[0]["verdict"].as_str()), (0, Some("accept")));
}

#[test]
fn lines_that_are_hashes_are_refused_unless_they_are_said_to_be_passwords() {
    let site = Site::new();
    let sha1 = |word: &str| format!("{}\n", hex(&Sha1::digest(word)));
    let digests: String = PASSWORDS.into_iter().map(sha1).collect();
    let salted: String = PASSWORDS.iter().map(|word| format!("{word}:$6$salt$0123456789abcdef\n")).collect();
    let alone: String = PASSWORDS.iter().map(|_| "$2b$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92\n").collect();
    let of_users: String = digests.lines().map(|line| format!("anna:{line}\n")).collect();
    for (lines, says) in [
        (&digests, "--audit"),
        (&salted, "enforce = \"audit\""),
        (&alone, "enforce = \"audit\""),
        (&of_users, "--audit"),
    ] {
        for more in [&[][..], &["--summary"], &["--columns", "user,password"]] {
            let told = site.check(more, lines.as_bytes());
            if !lines.contains(':') && more.contains(&"user,password") {
                assert!(told.error_line().contains("has the columns"), "{told:?}");
                continue;
            }
            let line = told.error_line();
            assert!(line.contains(says) && !line.contains("0123"), "{more:?}: {line}");
        }
        if lines.contains(':') {
            continue;
        }
        let told = site.check(&["--columns", "password", "--summary"], lines.as_bytes());
        assert!(told.out.contains("checked") && told.err.is_empty(), "{told:?}");
    }
    // One line may be a password that looks like a hash.
    let told = site.check(&[], digests.lines().next().unwrap().as_bytes());
    assert!(
        told.code == 0 && told.err.contains("look like hashes") && told.err.contains("--audit"),
        "{told:?}"
    );
}

#[test]
fn nothing_to_audit_is_an_error() {
    let site = Site::new();
    for more in [&["--audit"][..], &["--audit", "--json"], &["--audit", "--columns", "user,password"]] {
        for input in [&b""[..], b"\n\n"] {
            let told = site.check(more, input);
            assert!(told.error_line().contains("standard input"), "{told:?}");
        }
    }
    // Settings are validated by a check of nothing.
    let conf = site.folder.file("n.conf", "");
    assert_eq!(site.check(&["--conf", conf.to_str().unwrap()], b"").code, 0);
    // Also those by which a filter is built, which no check of a password reads.
    for mistake in ["match = \"exactly\"", "columns = \"wrod\"", "comon = true", "group = 7"] {
        fs::write(&conf, format!("[update]\n{mistake}\n")).unwrap();
        let told = site.check(&["--conf", conf.to_str().unwrap()], b"");
        assert!(told.error_line().contains("n.conf: line 2: "), "{mistake}: {told:?}");
        let told = site.check(&["--conf", conf.to_str().unwrap()], b"Zq7-uncommon-phrase\n");
        assert_eq!(told.code, 0, "{mistake}: {told:?}");
    }
}

#[test]
fn lines_that_are_skipped_are_a_status_of_their_own() {
    let site = Site::new();
    let columns = &["--columns", "user,password", "--summary"][..];
    let told = site.check(columns, b"anna,Zq7-uncommon-phrase\nbob:Zq7-uncommon-phrase\n");
    assert!(told.code == 4 && told.err.contains("skipped 1 line"), "{told:?}");
    assert_eq!(site.check(columns, b"anna,Zq7-uncommon-phrase\nbob:elephant\n").code, 1);
    let told = site.check(&["--audit"], b"anna,Zq7-uncommon-phrase\nbob:Zq7-uncommon-phrase\n");
    assert!(told.code == 4 && told.err.contains("skipped 1 line"), "{told:?}");
    // A line with a NUL byte, which no password has, behind lines that are passwords.
    let told = site.check(&[], b"Vq7#mzt0Lp2x\nVq7#mzt1Lp2x\nVq7#mzt2Lp2x\nele\0phant\n");
    assert!(told.code == 4 && told.err.contains("skipped 1 line"), "{told:?}");
    assert_eq!(told.out, "1: accept\n2: accept\n3: accept\n");
}

/// A password as a line has it.
type Form = fn(&str) -> String;

/// Lines that have more than a password: all of them would be accepted.
#[test]
fn lines_of_another_form_are_refused_unless_they_are_said_to_be_passwords() {
    let site = Site::new();
    let lines =
        |form: Form| -> String { PASSWORDS.iter().cycle().take(60).map(|word| form(word) + "\n").collect() };
    let forms: [(Form, &str); 9] = [
        (|word| format!("anna@example.org:{word}"), "--columns user,password"),
        (|word| format!("\"anna\",\"{word}\""), "--columns password"),
        (|word| format!("{{\"password\": \"{word}\"}}"), "JSON"),
        (|word| format!("      7 {word}"), "a count"),
        (|word| format!("- {word}"), "an item"),
        (|word| format!("anna@example.org|{word}"), "a mail address before"),
        (|word| format!("password={word}"), "the name of a password"),
        (|word| format!("0x{}", hex(word.as_bytes())), "hexadecimal digits"),
        (|word| format!("Password is [{word}]"), "the same text before each"),
    ];
    for (form, says) in forms {
        let told = site.check(&["--summary"], lines(form).as_bytes());
        assert!(told.error_line().contains(says), "{says}: {told:?}");
        assert!(!PASSWORDS.iter().any(|word| told.err.contains(word)), "{told:?}");
        for more in [&["--columns", "password"][..], &["--columns", "password", "--user", "anna"]] {
            assert_ne!(site.check(more, lines(form).as_bytes()).code, 2, "{says}");
        }
    }
    let told = site.check(&["--columns", "user,password", "--user", "anna"], b"bert:elephant\n");
    assert!(told.error_line().contains("leave --user"), "{told:?}");
    let told = site.check(&["--audit"], lines(|word| format!("anna:Anna B,,:{word}")).as_bytes());
    assert!(told.error_line().contains("user,gecos,password"), "{told:?}");
    let told = site.check(&["--audit"], lines(|word| format!("{{\"anna\": \"{word}\"}}")).as_bytes());
    assert!(told.error_line().contains("JSON"), "{told:?}");
    let told = site.check(&["--audit"], b"anna,elephant\nbert,zebra\n");
    assert!(told.error_line().contains("user:password"), "{told:?}");
}

#[test]
fn users_before_some_passwords_are_a_warning() {
    let site = Site::new();
    let lines = |form: fn(usize, &str) -> String| -> String {
        let all = PASSWORDS.iter().cycle().take(60).enumerate();
        all.map(|(n, word)| form(n, word) + "\n").collect()
    };
    let told = site.check(&[], lines(|n, word| format!("user{n} {word}")).as_bytes());
    assert!(told.error_line().contains("a user and a blank before"), "{told:?}");
    let told = site.check(&[], lines(|_, word| format!("anna = {word}")).as_bytes());
    assert!(told.error_line().contains("before each"), "{told:?}");
    let mixed = lines(|n, word| if n % 3 == 0 { format!("user{n}:{word}") } else { word.to_owned() });
    let told = site.check(&["--summary"], mixed.as_bytes());
    assert!(told.code == 1 && told.err.contains("a name and a colon"), "{told:?}");
    assert_eq!(site.check(&["--columns", "password"], mixed.as_bytes()).err, "");
    let phrases = lines(|n, word| format!("{word} zebra{}", ["", "s", "like"][n % 3]));
    assert_eq!(site.check(&["--summary"], phrases.as_bytes()).err, "");
}

/// The advice leads to the passwords, which are in the filter.
#[test]
fn accounts_are_audited_once_they_are_cut() {
    let site = Site::new();
    let lines = |more: &str| -> String {
        let line = |(n, word): (usize, &&str)| format!("user{n}:{word}{more}\n");
        PASSWORDS.iter().enumerate().cycle().take(60).map(line).collect()
    };
    let accounts = lines(":1000:1000:Some One:/home/x:/bin/sh");
    for more in [&["--audit"][..], &["--audit", "--columns", "user,password"]] {
        let told = site.check(more, accounts.as_bytes());
        assert!(told.error_line().contains("cut -d: -f1,2"), "{told:?}");
    }
    let told = site.check(&["--audit", "--json"], lines("").as_bytes()).json().remove(0);
    assert_eq!(told["rejected"], 60, "{told}");
}

/// The first column of an audit is printed: it must not be the password.
#[test]
fn an_audit_prints_no_passwords_as_users() {
    let site = Site::new();
    let forms: [Form; 4] = [
        |word| format!("{word}:7"),
        |word| format!("{word}: 7"),
        |word| format!("$HEX[{}]:7", hex(word.as_bytes())),
        |word| format!("{word}:anna@example.org"),
    ];
    for form in forms {
        for all in [3, 60] {
            let lines: String = PASSWORDS.iter().cycle().take(all).map(|word| form(word) + "\n").collect();
            for more in [&["--audit"][..], &["--audit", "--json"]] {
                let told = site.check(more, lines.as_bytes());
                assert_eq!((told.code, told.out.as_str()), (2, ""), "{told:?}");
                assert!(told.error_line().contains("--columns user,password"), "{told:?}");
                assert!(!told.err.contains("elephant") && !told.err.contains("$HEX"), "{told:?}");
            }
        }
    }
    let pins = site.check(&["--audit", "--columns", "user,password"], b"anna:7\nbert:8\ncy:9\n");
    assert_eq!(pins.code, 1, "{pins:?}");
    let texts = vec!["\"elephant\""; 30].join(", ");
    for more in [&[][..], &["--summary"], &["--audit"]] {
        let told = site.check(more, format!("[{texts}]\n").as_bytes());
        assert!(told.error_line().contains("many texts in quotes"), "{told:?}");
    }
}

#[test]
fn nothing_to_check_is_no_success() {
    let told = Site::new().check(&[], b"");
    assert_eq!((told.code, told.out.as_str()), (4, ""), "{told:?}");
    assert!(told.err.contains("standard input is empty"), "{told:?}");
}

#[test]
fn an_audit_counts_passwords_without_users_as_well() {
    let site = Site::new();
    let told = site.check(&["--audit", "--columns", "password", "--json"], b"ab\nac\nquixotically-7\n");
    assert_eq!(told.json()[0]["reasons"]["too-short"], 2, "{told:?}");
    let told = site.check(&["--audit", "--columns", "password"], b"ab\nac\nquixotically-7\n");
    let line = told.out.lines().find(|line| line.starts_with("too-short")).unwrap();
    assert!(line.ends_with(" 2"), "{told:?}");
}
