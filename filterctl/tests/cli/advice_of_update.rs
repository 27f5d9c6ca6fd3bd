//! The advice of `filterctl update`, which has no options for lists: keys of its section, or another list.

use std::fs;

use sha1::{Digest as _, Sha1};

use crate::{advice::rows, lost_lists::Site, run};

/// Gives the section the list `company` alone, and further settings.
fn configure(site: &Site, more: &str) {
    let company = site.folder.path("company").display().to_string();
    let text = format!("[update]\ncommon = false\nfolders = []\nlists = [\"{company}\"]\n{more}\n");
    fs::write(&site.conf, text).unwrap();
}

/// What an update says about this list, which it refuses.
fn refused(list: &[u8]) -> (Site, String) {
    let site = Site::built();
    configure(&site, "");
    site.folder.file("company", list);
    let told = site.update(&[]);
    assert_eq!(told.code, 2, "{told:?}");
    (site, told.err)
}

#[test]
fn columns_are_named_by_the_key_of_the_section() {
    let key = "columns = \"user,word\"";
    for sign in [',', ';'] {
        let list = rows(|word, n| format!("{}{n}{sign}{word}", &word[..2]));
        let (site, told) = refused(&list);
        assert!(told.contains(&format!("use {key} in the section [update]")), "{told}");
        assert!(!told.contains("--columns"), "{told}");
        configure(&site, key);
        let told = site.update(&["--drop-missing"]);
        assert!(told.code == 0 && told.err.is_empty(), "{told:?}");
        assert!(site.rejects(&last_word(&list)));
    }
}

/// The last word of a list of users and words.
fn last_word(list: &[u8]) -> String {
    let text = String::from_utf8(list.to_vec()).unwrap();
    text.trim_end().rsplit([',', ';']).next().unwrap().to_owned()
}

#[test]
fn a_list_of_a_folder_is_to_be_converted() {
    let site = Site::built();
    let list = rows(|word, n| format!("{}{n},{word}", &word[..2]));
    site.folder.file("dict/accounts", list);
    let told = site.update(&["--force"]);
    assert!(told.err.contains("read a copy that has only the words, one a line"), "{told:?}");
    assert!(!told.err.contains("--columns") && !told.err.contains("columns = "), "{told:?}");
}

#[test]
fn what_no_key_does_is_said_without_options() {
    let wide =
        |list: Vec<u8>| String::from_utf8(list).unwrap().encode_utf16().flat_map(u16::to_le_bytes).collect();
    for (list, says) in [
        (wide(rows(|word, _| word)), "read a copy in UTF-8 (iconv -f utf-16le -t UTF-8)"),
        (
            rows(|word, _| data_encoding::BASE64.encode(&Sha1::digest(word))),
            "and with kind = \"sha1\" in the",
        ),
        (rows(|word, n| format!("[22][ssh] u{n} {word}")), "OTHER.filter LIST, and name that filter in"),
        (b"[{\"secret\": {\"x\": 1}}]".to_vec(), "one a line"),
    ] {
        let (_, told) = refused(&list);
        assert!(told.contains(says), "{told}");
        let told = told.replace("filterctl build --form plain --output OTHER.filter LIST", "");
        assert!(
            !["--columns", "--form", "--kind", "--charset"].iter().any(|option| told.contains(option)),
            "{told}"
        );
    }
}

/// Its users would miss the words of lists that change later.
#[test]
fn a_build_in_the_place_of_the_filter_that_is_kept_is_warned_of() {
    let site = Site::built();
    let list = site.folder.file("list", "elephant\n");
    let build = || run(["build", "-q", "-o", site.filter.to_str().unwrap(), list.to_str().unwrap()]);
    let told = build();
    assert!(told.code == 0 && told.err.contains("filterctl update --force"), "{told:?}");
    assert_eq!(told.err.lines().count(), 1, "{told:?}");
    assert_eq!(site.update(&[]).json()[0]["state"], "not-ours");
    let told = build();
    assert!(told.code == 0 && told.err.is_empty(), "no update keeps it: {told:?}");
    assert_eq!(site.update(&["--force"]).code, 0);
    fs::remove_file(site.folder.path("words.filter.update")).unwrap();
    assert!(build().err.contains("filterctl update --force"), "by its record");
}

#[test]
fn the_command_of_that_warning_can_be_pasted_for_any_path() {
    let site = Site::built();
    let filter = site.folder.path("two words");
    fs::copy(&site.filter, &filter).unwrap();
    fs::copy(site.folder.path("words.filter.update"), site.folder.path("two words.update")).unwrap();
    let list = site.folder.file("list", "elephant\n");
    let told = run(["build", "-q", "-o", filter.to_str().unwrap(), list.to_str().unwrap()]);
    let command = format!("update --force --output '{}' builds", filter.display());
    assert!(told.code == 0 && told.err.contains(&command), "{told:?}");
}
