//! The record of `filterctl update` about its last run, beside the filter, and what it removes from it.

use std::{fs, os::unix::fs::PermissionsExt};

use crate::{lost_lists::Site, run};

#[test]
fn what_was_built_from_what_is_remembered() {
    let site = Site::built();
    let state = site.state();
    assert_eq!((&state["schema"], &state["failed"]), (&1.into(), &serde_json::Value::Null));
    assert!(state["rebuilt"].as_u64().unwrap() > 1_600_000_000, "{state}");
    let lists = state["lists"].as_array().unwrap();
    let words: Vec<_> = lists.iter().map(|list| list["words"].as_u64().unwrap()).collect();
    assert_eq!(words, [1, 1, 2]);
    let modified = fs::metadata(site.folder.path("company")).unwrap().modified().unwrap();
    let modified = modified.duration_since(std::time::UNIX_EPOCH).unwrap().as_secs();
    assert_eq!(lists[0]["modified"], modified);
    assert_eq!(lists[0]["path"], site.folder.path("company").to_str().unwrap());
    let mode = fs::metadata(site.folder.path("words.filter.update")).unwrap().permissions().mode();
    assert_eq!(mode & 0o7777, 0o600);
}

#[test]
fn a_failure_is_remembered_until_it_is_mended() {
    let site = Site::built();
    let conf = fs::read(&site.conf).unwrap();
    fs::write(&site.conf, "[update]\ncomon = true\n").unwrap();
    assert_eq!(site.update(&[]).code, 2);
    let failed = &site.state()["failed"];
    assert!(failed["reason"].as_str().unwrap().contains("did you mean `common`?"), "{failed}");
    assert!(failed["at"].as_u64().unwrap() >= site.state()["rebuilt"].as_u64().unwrap());
    fs::write(&site.conf, conf).unwrap();
    let told = site.update(&[]);
    assert_eq!((told.code, &told.json()[0]["state"]), (0, &"up-to-date".into()), "nothing had changed");
    assert_eq!(site.state()["failed"], serde_json::Value::Null);
}

#[test]
fn a_state_that_is_lost_or_damaged_is_made_again() {
    let site = Site::built();
    let path = site.folder.path("words.filter.update");
    for text in [None, Some("{\"schema\":1,"), Some("{\"schema\":2}")] {
        text.map_or_else(|| fs::remove_file(&path), |text| fs::write(&path, text)).unwrap();
        // The record beside the filter knows its lists, too.
        site.chmod("dict/english", 0o666);
        assert_eq!(site.update(&[]).code, 2, "{text:?}");
        site.chmod("dict/english", 0o644);
        assert_eq!(site.update(&[]).code, 0);
        assert_eq!(site.state()["lists"].as_array().unwrap().len(), 3, "{text:?}");
    }
}

/// Of a filter that was built elsewhere nothing is remembered.
#[test]
fn another_filter_has_no_state_of_updates() {
    let site = Site::built();
    let other = site.folder.path("other.filter");
    let list = site.folder.path("second");
    let build = ["build", "-o", other.to_str().unwrap(), list.to_str().unwrap()];
    assert_eq!(run(build).code, 0);
    assert_eq!(run(["install", other.to_str().unwrap(), site.filter.to_str().unwrap()]).code, 0);
    let state = site.folder.path("words.filter.update");
    assert!(!state.exists());
    assert_eq!(site.update(&[]).json()[0]["state"], "not-ours");
    assert!(!state.exists());
    let list = site.folder.path("company");
    let build = ["build", "-o", site.filter.to_str().unwrap(), list.to_str().unwrap()];
    assert_eq!(site.update(&["--force"]).code, 0);
    assert!(state.exists() && run(build).code == 0);
    assert_eq!(site.update(&[]).json()[0]["state"], "not-ours");
    assert!(!state.exists());
    // One that no command of this program brought.
    assert_eq!(site.update(&["--force"]).code, 0);
    fs::copy(&other, &site.filter).unwrap();
    assert!(state.exists());
    assert_eq!(site.update(&[]).json()[0]["state"], "not-ours");
    assert!(!state.exists());
}

/// A file of a folder that is no list, so that the filter has none of its words.
#[test]
fn a_state_that_is_made_again_names_the_lists_of_the_filter_alone() {
    let site = Site::new();
    site.folder.file("dict/binary", [0_u8, 1, 2, b'\n'].repeat(500));
    assert_eq!(site.update(&[]).code, 0);
    fs::remove_file(site.folder.path("words.filter.update")).unwrap();
    assert_eq!(site.update(&[]).json()[0]["state"], "up-to-date");
    let state = site.state();
    let lists: Vec<_> = state["lists"].as_array().unwrap().iter().map(|list| &list["path"]).collect();
    let names = ["company", "second", "dict/english"];
    let paths = names.map(|name| serde_json::Value::from(site.folder.path(name).to_str().unwrap()));
    assert_eq!(lists, paths.each_ref());
}

/// Whoever looks at the state later would take the filter for one that is kept up to date.
#[test]
fn a_failure_that_cannot_be_remembered_is_reported() {
    let site = Site::built();
    let state = site.folder.path("words.filter.update");
    fs::remove_file(&state).unwrap();
    fs::create_dir(&state).unwrap();
    fs::write(&site.conf, "[update]\ncomon = true\n").unwrap();
    let told = site.update(&[]);
    let lines: Vec<&str> = told.err.lines().collect();
    assert_eq!((told.code, lines.len()), (2, 2), "{told:?}");
    assert!(lines[0].starts_with(&format!("filterctl: {}: ", state.display())), "{told:?}");
    assert!(lines[0].ends_with("the failure of this update is not recorded [update-failed]"), "{told:?}");
    assert!(lines[1].contains("did you mean `common`?"), "{told:?}");
}
