//! `filterctl install`, `rollback` and `build --for-distribution`.

use std::{
    fs,
    os::unix::fs::{MetadataExt, PermissionsExt},
    path::{Path, PathBuf},
};

use crate::{Folder, Run, run, run_with};

fn distributed(folder: &Folder, name: &str, words: &str) -> PathBuf {
    let (list, filter, key) = (folder.file("list", words), folder.path(name), folder.path("site.key"));
    let [key, output, list] = [&key, &filter, &list].map(|path| path.to_str().unwrap());
    let built = run(["build", "--for-distribution", key, "--output", output, list]);
    assert_eq!(built.code, 0, "{built:?}");
    filter
}

fn install(source: &Path, target: &Path) -> Run {
    run(["install", "--json", source.to_str().unwrap(), target.to_str().unwrap()])
}

fn rejects(filter: &Path, word: &str) -> bool {
    run_with(["check", "--filter", filter.to_str().unwrap()], word.as_bytes()).code == 1
}

#[test]
fn the_same_lists_give_the_same_bytes_under_a_key_that_is_chosen_once() {
    let folder = Folder::new();
    let first = fs::read(distributed(&folder, "a", "elephant\nzebrapassword\n")).unwrap();
    let key = fs::read_to_string(folder.path("site.key")).unwrap();
    assert_eq!(key.trim().len(), 32);
    assert_eq!(fs::metadata(folder.path("site.key")).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(fs::read(distributed(&folder, "b", "elephant\nzebrapassword\n")).unwrap() == first);
    assert!(fs::read(distributed(&folder, "c", "elephant\nquixotically\n")).unwrap() != first);
    let other = Folder::new();
    assert!(fs::read(distributed(&other, "a", "elephant\nzebrapassword\n")).unwrap() != first, "another key");
    fs::write(folder.path("site.key"), "nonsense\n").unwrap();
    let key = folder.path("site.key");
    let refused =
        run(["build", "--for-distribution", key.to_str().unwrap(), "--common", "-o", "/dev/null/f"]);
    assert!(refused.error_line().contains("32 hexadecimal digits"), "{refused:?}");
}

#[test]
fn a_filter_is_installed_once_and_the_one_before_comes_back() {
    let folder = Folder::new();
    let (first, second) =
        (distributed(&folder, "a", "elephant\n"), distributed(&folder, "b", "zebrapassword\n"));
    let target = folder.path("new/site.filter");
    for (source, changed) in [(&first, true), (&first, false), (&second, true), (&second, false)] {
        let done = install(source, &target);
        assert_eq!((done.code, &done.json()[0]["changed"]), (0, &changed.into()), "{done:?}");
    }
    assert_eq!(fs::metadata(folder.path("new")).unwrap().permissions().mode() & 0o777, 0o711);
    assert!(rejects(&target, "zebrapassword") && !rejects(&target, "elephants"));
    for (yes, no) in [("elephant", "zebrapassword"), ("zebrapassword", "elephant")] {
        let done = run(["rollback", target.to_str().unwrap()]);
        assert_eq!(done.code, 0, "{done:?}");
        let said = format!(
            "{0}: restored the earlier filter; the other one is kept as {0}.previous",
            target.display()
        );
        assert_eq!(done.out.lines().next(), Some(said.as_str()));
        assert!(rejects(&target, yes) && !rejects(&target, no));
    }
    assert_eq!(fs::metadata(&target).unwrap().permissions().mode() & 0o777, 0o600);
}

/// A filter of the first lines of its list would be handed out to every host.
#[test]
fn a_filter_with_less_than_half_of_the_words_is_installed_on_request_only() {
    let folder = Folder::new();
    let words = |count: u32| -> String { (0..count).map(|at| format!("elephant{at}\n")).collect() };
    let whole = distributed(&folder, "a", &words(100));
    let target = folder.path("site.filter");
    assert_eq!(install(&whole, &target).code, 0);
    let half = distributed(&folder, "b", &words(50));
    assert_eq!(install(&half, &target).code, 0);
    assert_eq!(install(&whole, &target).code, 0);
    let one = distributed(&folder, "c", &words(49));
    let before = fs::read(&target).unwrap();
    let refused = install(&one, &target);
    assert_eq!(refused.code, 2, "{refused:?}");
    assert!(refused.error_line().contains("49 of 100 words"), "{refused:?}");
    assert!(refused.error_line().contains("--allow-fewer"), "{refused:?}");
    assert!(fs::read(&target).unwrap() == before);
    let paths = [one.to_str().unwrap(), target.to_str().unwrap()];
    assert_eq!(run(["install", "--allow-fewer", paths[0], paths[1]]).code, 0);
    assert_eq!(install(&distributed(&folder, "d", "elephant\n"), &target).code, 0, "of few words");
    assert_eq!(install(&whole, &target).code, 0);
    // Nothing can be compared with a damaged filter.
    fs::write(&target, &before[..100]).unwrap();
    assert_eq!(install(&one, &target).code, 0);
}

/// An interruption between two renames would lose the newer filter: there is only one step.
#[test]
fn the_two_filters_of_a_rollback_change_their_places_in_one_step() {
    let folder = Folder::new();
    let (first, second) =
        (distributed(&folder, "a", "elephant\n"), distributed(&folder, "b", "zebrapassword\n"));
    let (target, previous) = (folder.path("site.filter"), folder.path("site.filter.previous"));
    assert_eq!((install(&first, &target).code, install(&second, &target).code), (0, 0));
    fs::set_permissions(&target, fs::Permissions::from_mode(0o600)).unwrap();
    let newer = fs::metadata(&target).unwrap().ino();
    assert_eq!(run(["rollback", target.to_str().unwrap()]).code, 0);
    assert_eq!(fs::metadata(&previous).unwrap().ino(), newer, "the newer one was copied, not renamed");
    assert!(rejects(&target, "elephant") && rejects(&previous, "zebrapassword"));
    assert_eq!(fs::metadata(&target).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(!folder.names().contains(&".site.filter.new".to_owned()), "{:?}", folder.names());
}

/// The servers of its group could else not read it, and would reject every password.
#[test]
fn a_filter_that_was_lost_comes_back_for_the_readers_of_the_earlier_one() {
    let folder = Folder::new();
    let (first, second) =
        (distributed(&folder, "a", "elephant\n"), distributed(&folder, "b", "zebrapassword\n"));
    let (target, previous) = (folder.path("site.filter"), folder.path("site.filter.previous"));
    assert_eq!(install(&first, &target).code, 0);
    // Of a group: the one of this process.
    fs::set_permissions(&target, fs::Permissions::from_mode(0o640)).unwrap();
    assert_eq!(install(&second, &target).code, 0);
    fs::remove_file(&target).unwrap();
    let record = folder.path("site.filter.previous.sources");
    let recorded = fs::read(&record).unwrap();
    let done = run(["rollback", target.to_str().unwrap()]);
    assert!(fs::read(&record).unwrap() == recorded, "the record of a filter that is kept where it was");
    let said = format!(
        "{0}: restored the earlier filter, since there was none; {0}.previous is the same one",
        target.display()
    );
    assert_eq!((done.code, done.out.lines().next()), (0, Some(said.as_str())), "{done:?}");
    for file in [&target, &previous] {
        assert_eq!(fs::metadata(file).unwrap().permissions().mode() & 0o777, 0o640, "{}", file.display());
    }
    assert!(rejects(&target, "elephant"));
    fs::remove_file(&target).unwrap();
    let told = run(["rollback", "--json", target.to_str().unwrap()]).json().remove(0);
    assert_eq!((&told["state"], &told["changed"]), (&"restored".into(), &true.into()));
}

/// Every folder on the path is made, for its owner to list; the one that cannot be is named.
#[test]
fn a_missing_folder_is_made_or_named() {
    let folder = Folder::new();
    let filter = distributed(&folder, "a", "elephant\n");
    let target = folder.path("one/two/site.filter");
    assert_eq!(install(&filter, &target).code, 0);
    for made in ["one", "one/two"] {
        assert_eq!(fs::metadata(folder.path(made)).unwrap().permissions().mode() & 0o7777, 0o711, "{made}");
    }
    let file = folder.file("file", "");
    let refused = install(&filter, &file.join("two/site.filter"));
    let named = format!("cannot create the folder: {}: ", file.display());
    assert!(refused.error_line().contains(&named), "{refused:?}");
}

/// Lists of as many words make filters of one length.
#[test]
fn another_filter_of_the_same_length_is_another_one() {
    let folder = Folder::new();
    let [first, second] = ["elephant\n", "tnahpele\n"].map(|words| distributed(&folder, words.trim(), words));
    let target = folder.path("site.filter");
    assert_eq!(fs::metadata(&first).unwrap().len(), fs::metadata(&second).unwrap().len());
    for source in [&first, &second] {
        assert_eq!(install(source, &target).json()[0]["changed"], true);
        assert!(fs::read(&target).unwrap() == fs::read(source).unwrap());
    }
}

#[test]
fn what_is_damaged_or_not_there_changes_nothing() {
    let folder = Folder::new();
    let (good, target) = (distributed(&folder, "a", "elephant\n"), folder.path("site.filter"));
    let nothing = run(["rollback", target.to_str().unwrap()]);
    assert!(nothing.error_line().contains("no earlier filter to restore"), "{nothing:?}");
    assert_eq!(install(&good, &target).code, 0);
    let before = fs::read(&target).unwrap();
    let mut damaged = before.clone();
    *damaged.last_mut().unwrap() ^= 1;
    let damaged = folder.file("damaged", damaged);
    let refused = install(&damaged, &target);
    assert!(refused.error_line().contains("the checksum is wrong; nothing was changed"), "{refused:?}");
    assert!(fs::read(&target).unwrap() == before && !folder.path("site.filter.previous").exists());
}
