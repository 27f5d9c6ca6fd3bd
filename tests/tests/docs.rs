//! The troubleshooting page has a row for each key of a message and for each reason, and no other; each
//! function of the library has a manual page; and each target of make that a page names exists.

use std::{
    collections::HashSet,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use nearmiss_cli::keys as of_tools;
use nearmiss_filters::{keys as of_library, keys::MessageKey};
use nearmiss_policy::policy::Reason;
use nearmiss_tests::artifacts::workspace;

use crate::readme::shipped_sources;

/// The first column of the rows of a section of docs/troubleshoot.md, from top to bottom.
fn rows(section: &str) -> Vec<String> {
    let page = fs::read_to_string(workspace().join("docs/troubleshoot.md")).expect("the page");
    let (_, rest) = page.split_once(&format!("\n## {section}\n")).expect("the section");
    let section = rest.split("\n## ").next().unwrap_or_default();
    let first = section.lines().filter_map(|line| line.strip_prefix("| `")?.split_once("` |"));
    first.map(|(key, _)| key.to_owned()).collect()
}

fn sorted<'k>(keys: impl Iterator<Item = &'k str>) -> Vec<String> {
    let mut keys: Vec<String> = keys.map(str::to_owned).collect();
    keys.sort_unstable();
    keys
}

#[test]
fn the_page_has_a_row_for_every_key_and_no_other_in_order() {
    let all = [of_library::ALL, of_tools::ALL].concat();
    assert_eq!(rows("Keys"), sorted(all.iter().map(|key| MessageKey::as_str(*key))));
}

#[test]
fn the_page_has_a_row_for_every_reason_and_no_other_in_order() {
    assert_eq!(rows("Reasons"), sorted(Reason::ALL.into_iter().map(Reason::code)));
}

/// A row for a message that no program shows any more would never be looked up, and never be removed. The
/// tables' own files name each.
#[test]
fn every_key_is_that_of_a_message() {
    let tables = ["crates/cli/src/keys.rs", "crates/filters/src/keys.rs"].map(Path::new);
    let sources = shipped_sources();
    assert!(tables.iter().all(|table| sources.iter().any(|source| source == table)), "{tables:?}");
    let others = sources.iter().filter(|source| !tables.contains(&source.as_path()));
    let read = |source| fs::read_to_string(workspace().join(source)).expect("a source");
    let code: Vec<String> = others.map(read).collect();
    let is_word = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let words: HashSet<&str> = code.iter().flat_map(|text| text.split(|c| !is_word(c))).collect();
    for key in [of_library::ALL, of_tools::ALL].concat() {
        let name = key.as_str().to_uppercase().replace('-', "_");
        assert!(words.contains(name.as_str()), "no message has {key}");
    }
}

/// A key is typed into a search and kept in scripts: it is one word, and means one thing.
#[test]
fn keys_are_distinct_words_in_lower_case() {
    let all = [of_library::ALL, of_tools::ALL].concat();
    let reasons = Reason::ALL.into_iter().map(Reason::code);
    let mut keys = sorted(all.iter().map(|key| key.as_str()).chain(reasons));
    for key in &keys {
        let is_word = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase());
        assert!(key.split('-').all(is_word), "{key}");
    }
    let count = keys.len();
    keys.dedup();
    assert_eq!(keys.len(), count);
}

/// `man nearmiss_check` finds the page that describes it.
#[test]
fn every_function_of_the_library_has_a_manual_page() {
    let read =
        |path: &str| fs::read_to_string(workspace().join(path)).unwrap_or_else(|e| panic!("{path}: {e}"));
    let (exported, page) = (read("crates/capi/nearmiss.map"), read("crates/capi/man/nearmiss.3"));
    let folder = tempfile::tempdir().unwrap();
    let mut install = Command::new(workspace().join("packaging/parts.sh"));
    install.arg(folder.path()).arg("none").arg("development");
    assert!(install.status().unwrap().success(), "parts.sh");
    let functions: Vec<&str> = exported
        .lines()
        .filter_map(|line| line.trim().strip_suffix(';'))
        .filter(|name| *name != "*")
        .collect();
    let functions: Vec<&&str> = functions.iter().filter(|name| name.starts_with("nearmiss_")).collect();
    assert_eq!(functions.len(), 6, "{functions:?}");
    let manuals = folder.path().join("usr/share/man/man3");
    assert_eq!(fs::read_dir(&manuals).unwrap().count(), 1 + functions.len());
    let names = page.split(".SH NAME").nth(1).and_then(|rest| rest.split(".SH").next()).unwrap_or_default();
    for function in functions {
        assert_eq!(fs::read_to_string(manuals.join(format!("{function}.3"))).ok().as_ref(), Some(&page));
        assert!(names.contains(*function), "the NAME of nearmiss.3 has not {function}");
    }
}

/// The pages for those who build, test and release.
fn pages() -> Vec<PathBuf> {
    let of_docs = fs::read_dir(workspace().join("docs")).unwrap().map(|entry| entry.unwrap().path());
    let pages = of_docs.filter(|path| path.extension().is_some_and(|end| end == "md"));
    let others = ["README.md", "CONTRIBUTING.md", "SECURITY.md", "packaging/README.md"];
    pages.chain(others.map(|name| workspace().join(name))).collect()
}

/// The targets that the spans of code and the indented lines of a page have make build.
fn targets(text: &str) -> impl Iterator<Item = &str> {
    let spans = text.split('`').skip(1).step_by(2);
    let lines = text.lines().filter(|line| line.starts_with("    ")).map(str::trim_start);
    let of_make =
        spans.chain(lines).filter_map(|code| code.split("make ").nth(1).filter(|_| runs_make(code)));
    let is_target = |word: &&str| word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
    of_make.flat_map(move |rest| rest.split_whitespace().take_while(is_target))
}

/// True if the command, behind the variables that it sets, is make.
fn runs_make(code: &str) -> bool {
    code.split_whitespace().find(|word| !word.contains('=')) == Some("make")
}

#[test]
fn every_target_of_make_that_a_page_names_exists() {
    let makefile = fs::read_to_string(workspace().join("Makefile")).unwrap();
    let defined: HashSet<&str> = makefile.lines().filter_map(|line| Some(line.split_once(": ")?.0)).collect();
    let mut found = 0;
    for page in pages() {
        for target in targets(&fs::read_to_string(&page).unwrap()) {
            found += 1;
            assert!(defined.contains(target), "{}: the Makefile has no target {target}", page.display());
        }
    }
    assert!(found >= 40, "{found} targets of make in pages");
}
