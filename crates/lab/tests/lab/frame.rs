//! Help, usage errors, manual pages and completions.

use std::{fs, path::Path};

use crate::{Folder, run};

const SUBCOMMANDS: [&str; 6] = ["spell", "study", "render", "ladder", "man", "completions"];

#[test]
fn help_and_version_are_answers() {
    let help = run(["--help"]);
    assert_eq!((help.code, help.err.as_str()), (0, ""));
    for subcommand in SUBCOMMANDS {
        assert!(help.out.contains(&format!("  {subcommand} ")), "{subcommand}");
    }
    let version = run(["--version"]).out;
    let commit = version.trim_end().strip_prefix(concat!("filterlab ", env!("CARGO_PKG_VERSION"))).unwrap();
    let is_hash = |text: &str| text.len() == 12 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let named = commit.strip_prefix(" (").and_then(|rest| rest.strip_suffix(')'));
    assert!(commit.is_empty() || named.is_some_and(is_hash), "{version}");
}

/// The help texts are looked at in review: `UPDATE_GOLDEN=1` writes them again.
#[test]
fn help_texts_are_golden() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lab/golden");
    for subcommand in SUBCOMMANDS {
        let path = folder.join(format!("{subcommand}.txt"));
        let help = run([subcommand, "--help"]).out;
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            fs::write(&path, &help).unwrap();
        }
        assert_eq!(fs::read_to_string(&path).unwrap(), help, "{subcommand}");
    }
}

#[test]
fn usage_errors_are_2() {
    for wrong in [&[][..], &["frobnicate"], &["spell", "--most", "x"], &["render", "x"], &["ladder", "odds"]]
    {
        let told = run(wrong);
        assert_eq!((told.code, told.out.as_str()), (2, ""), "{wrong:?}");
        assert!(told.err.starts_with("filterlab: ") && told.err.ends_with(" [usage]\n"), "{told:?}");
        assert!(told.err.lines().count() == 1 && !told.err.contains("frobnicate"), "{told:?}");
    }
}

#[test]
fn manual_pages_are_printed_and_written() {
    let folder = Folder::new();
    let pages = folder.path("man");
    assert_eq!(run(["man", "--output", &pages]).code, 0);
    for words in SUBCOMMANDS.map(|name| vec![name]).into_iter().chain([vec!["study", "locality"]]) {
        let written = fs::read_to_string(format!("{pages}/filterlab-{}.1", words.join("-"))).unwrap();
        assert_eq!(run(["man"].iter().chain(&words)).out, written);
    }
    let study = run(["man", "study"]);
    assert!(study.code == 0 && study.out.contains(".TH \"FILTERLAB-STUDY\" 1 "), "{study:?}");
    assert!(fs::exists(format!("{pages}/filterlab.1")).unwrap());
    let told = run(["man", "none"]);
    assert!(told.code == 2 && told.err.starts_with("filterlab: there is no subcommand 'none'"), "{told:?}");
}

#[test]
fn completions_know_every_subcommand() {
    for shell in ["bash", "zsh", "fish"] {
        let script = run(["completions", shell]);
        assert_eq!(script.code, 0);
        for word in SUBCOMMANDS.into_iter().chain(["false-positives", "observations"]) {
            assert!(script.out.contains(word), "{shell}: {word}");
        }
    }
}
