//! `filterctl update`: what is taken from a folder of lists, when nothing is done, and that the old filter is
//! never lost.

use std::{
    fs,
    os::unix::fs::{PermissionsExt, symlink},
    path::{Path, PathBuf},
};

use crate::{Folder, Run, run, run_with};

/// The files in the folder after a build.
const FILES: [&str; 5] =
    ["dict", "empty.conf", "words.filter", "words.filter.sources", "words.filter.update"];

struct System {
    folder: Folder,
    lists: PathBuf,
    filter: PathBuf,
}

impl System {
    fn new() -> System {
        let folder = Folder::new();
        let (lists, filter) = (folder.path("dict"), folder.path("words.filter"));
        fs::create_dir(&lists).unwrap();
        let system = System { folder, lists, filter };
        system.list("english", "elephant\npassword\n");
        system.list("latin", b"caf\xe9bar\n");
        system
    }

    fn list(&self, name: &str, bytes: impl AsRef<[u8]>) {
        fs::write(self.lists.join(name), bytes).unwrap();
    }

    fn update(&self, more: &[&str]) -> Run {
        let fixed = ["update", "--json", "--no-common"].map(PathBuf::from);
        let paths = ["--folder".into(), self.lists.clone(), "--output".into(), self.filter.clone()];
        let conf = ["--conf".into(), self.folder.file("empty.conf", "")];
        let conf = conf.into_iter().filter(|_| !more.contains(&"--conf"));
        let arguments = fixed.into_iter().chain(paths).chain(conf);
        run(arguments.chain(more.iter().map(PathBuf::from)))
    }

    fn updated(&self, more: &[&str]) -> serde_json::Value {
        let run = self.update(more);
        assert_eq!(run.code, 0, "{run:?}");
        run.json().remove(0)
    }

    fn bytes(&self) -> Vec<u8> {
        fs::read(&self.filter).unwrap()
    }

    fn rejects(&self, word: &str) -> bool {
        let arguments = ["check", "--min-length", "4", "--filter", self.filter.to_str().unwrap()];
        run_with(arguments, word.as_bytes()).code == 1
    }
}

#[test]
fn is_built_from_all_lists_and_only_when_something_changed() {
    let system = System::new();
    let told = system.updated(&[]);
    assert_eq!((&told["rebuilt"], &told["words"]), (&true.into(), &4.into()), "and one without accents");
    assert_eq!(told["lists"][1]["encoding"], "windows-1252");
    assert!(system.rejects("elephqnt") && system.rejects("cafébar"));
    let first = system.bytes();
    for _ in 0..2 {
        assert_eq!(system.updated(&[])["rebuilt"], false);
        assert!(system.bytes() == first);
    }
    assert_eq!(system.folder.names(), FILES);
    assert_eq!(fs::metadata(&system.filter).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(system.updated(&["--force"])["rebuilt"], true);
    assert!(system.bytes() != first, "another key");
}

/// Without its rules a dictionary would lose most of its words.
#[test]
fn a_dictionary_whose_rules_others_may_change_is_refused() {
    let system = System::new();
    system.list("xx.dic", "1\nzebra/S\n");
    system.list("xx.aff", "SFX S Y 1\nSFX S 0 land .\n");
    system.updated(&[]);
    assert!(system.rejects("zebraland"));
    fs::set_permissions(system.lists.join("xx.aff"), fs::Permissions::from_mode(0o666)).unwrap();
    let run = system.update(&[]);
    assert!(run.code != 0 && run.err.contains("xx.aff: can be written by others"), "{run:?}");
    assert!(system.rejects("zebraland"), "the old filter stays");
}

#[test]
fn every_change_that_matters_is_noticed() {
    let system = System::new();
    system.updated(&[]);
    let rebuilt = |what: &str| {
        assert_eq!(system.updated(&[])["rebuilt"], true, "{what}");
        assert_eq!(system.updated(&[])["rebuilt"], false, "{what}");
    };
    let modified = fs::metadata(system.lists.join("english")).unwrap().modified().unwrap();
    system.list("english", "elephqnt\npassword\n");
    fs::File::open(system.lists.join("english")).unwrap().set_modified(modified).unwrap();
    rebuilt("a list of the same size and date");
    system.list("more", "quixotic\n");
    rebuilt("a new list");
    fs::remove_file(system.lists.join("more")).unwrap();
    rebuilt("a list that is gone");
    fs::remove_file(&system.filter).unwrap();
    rebuilt("the filter is gone");
    let mut damaged = system.bytes();
    *damaged.last_mut().unwrap() ^= 1;
    fs::write(&system.filter, damaged).unwrap();
    rebuilt("the filter is damaged");
    assert_eq!(system.updated(&["--false-rejection", "0.01"])["rebuilt"], true, "the settings");
}

/// One that was distributed, one whose record is lost, and one that somebody added words to.
#[test]
fn a_filter_that_update_did_not_build_is_replaced_by_force_alone() {
    let system = System::new();
    let is_kept = |what: &str| {
        let before = system.bytes();
        system.list("english", format!("elephant\npassword\n{what}\n"));
        let run = system.update(&[]);
        assert_eq!((run.code, &run.json()[0]["state"]), (0, &"not-ours".into()), "{what}");
        assert!(run.err.contains("not built by filterctl update") && run.err.contains("--force"), "{run:?}");
        assert!(system.bytes() == before, "{what}");
        assert_eq!(system.updated(&["--force"])["state"], "rebuilt", "{what}");
        assert_eq!(system.updated(&[])["state"], "up-to-date", "{what}");
    };
    let built = ["build".as_ref(), "--output".as_ref(), system.filter.as_os_str()].map(PathBuf::from);
    assert_eq!(run(built.into_iter().chain([system.lists.join("latin")])).code, 0);
    is_kept("distributed");
    fs::write(system.folder.path("words.filter.sources"), "{\"schema\":7}").unwrap();
    is_kept("without-a-record");
    let more = system.folder.file("more", "quixotic\n");
    let add =
        ["add".as_ref(), system.filter.as_os_str(), "--force".as_ref(), more.as_os_str()].map(PathBuf::from);
    assert_eq!(run(add).code, 0);
    is_kept("added-to");
}

/// Who can write the folder can have written the record: what it says is not known, nor is it passed over.
#[test]
fn a_record_that_is_not_trusted_is_an_error() {
    let system = System::new();
    assert_eq!(system.updated(&[])["state"], "rebuilt");
    let folder = system.folder.path("");
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o777)).unwrap();
    let before = system.bytes();
    let told = system.update(&[]);
    assert!(told.error_line().ends_with("[file-open-to-others]"), "{told:?}");
    assert!(system.bytes() == before);
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o700)).unwrap();
    assert_eq!(system.updated(&[])["state"], "up-to-date");
}

#[test]
fn the_folder_of_an_emptied_cache_is_made() {
    let mut system = System::new();
    system.filter = system.folder.path("cache/words.filter");
    assert_eq!(system.updated(&[])["state"], "rebuilt");
    let mode = fs::metadata(system.folder.path("cache")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o711);
}

#[test]
fn a_filter_among_its_own_lists_is_none_of_them() {
    let mut system = System::new();
    system.filter = system.lists.join("words.filter");
    assert_eq!(system.updated(&[])["rebuilt"], true);
    let told = system.updated(&[]);
    assert_eq!((&told["rebuilt"], &told["skipped"]), (&false.into(), &serde_json::json!([])));
}

#[test]
fn what_is_no_list_is_told_and_left_out() {
    let system = System::new();
    system.list("README.select-wordlist", "aardvarks everywhere\n");
    system.list("english~", "quixotic\n");
    system.list("binary", [0_u8, 1, 2, b'\n'].repeat(500));
    system.list("cut.gz", b"\x1f\x8b\x08\0\0\0\0\0\0\x03\x01");
    system.list("empty", "");
    symlink("english", system.lists.join("words")).unwrap();
    let run = system.update(&["--quiet"]);
    assert_eq!(run.code, 0, "{run:?}");
    let told = run.json().remove(0);
    assert_eq!(told["words"], 4, "and one without accents");
    let skipped = told["skipped"].as_array().unwrap();
    let reason = |name: &str| {
        let of = skipped.iter().find(|skip| skip["file"].as_str().unwrap().ends_with(name));
        of.unwrap()["reason"].as_str().unwrap()
    };
    assert_eq!(skipped.len(), 6, "{told}");
    assert_eq!((reason("/words"), reason("/english~")), ("is a symbolic link", "is a backup"));
    assert!(reason("/binary").starts_with("is not a word list") && reason("/empty").starts_with("is empty"));
    assert!(reason("/cut.gz").starts_with("the gzip data is damaged"));
    assert_eq!(run.err.lines().count(), 3, "{}", run.err);
    assert!(
        run.err
            .lines()
            .all(|line| line.starts_with("filterctl: ") && line.ends_with("; skipped [list-lost]"))
    );
    assert_eq!(system.updated(&[])["rebuilt"], false, "still nothing changed");
}

#[test]
fn the_old_filter_stays_when_there_is_nothing_to_build_from() {
    let system = System::new();
    system.updated(&[]);
    let before = system.bytes();
    fs::remove_dir_all(&system.lists).unwrap();
    let exact = system.folder.file("exact.conf", "[update]\nmatch = \"exact\"\n");
    for (flags, said) in [
        (&[][..], "since the filter would lose words"),
        (&["--drop-missing"], "the lists have no entries"),
        (&["--drop-missing", "--conf", exact.to_str().unwrap()], "the lists have no entries"),
    ] {
        let run = system.update(flags);
        assert_eq!(run.code, 2, "{run:?}");
        assert!(run.err.contains(said), "{run:?}");
        assert!(system.bytes() == before && system.rejects("elephant"));
    }
}

#[test]
fn the_built_in_list_is_part_of_it_unless_left_out() {
    let system = System::new();
    let fixed = ["update", "--json", "--deletion-bits", "0", "--folder"].map(PathBuf::from);
    let arguments = fixed.into_iter().chain([system.lists.clone(), "--output".into(), system.filter.clone()]);
    let told = run(arguments).json().remove(0);
    assert_eq!(told["lists"][0]["name"], "the built-in list");
    assert!(told["words"].as_u64().unwrap() > 144_000);
}

/// Each update builds the configured filter; the command line wins, and a mistake changes nothing.
#[test]
fn what_is_built_stands_in_the_configuration() {
    let system = System::new();
    let named = system.folder.file("named", "quixotically\n");
    let conf = |more: &str| {
        let text =
            format!("[update]\ncommon = false\nlists = [{named:?}]\nfolders = [{:?}]\n{more}", system.lists);
        system.folder.file("n.conf", text)
    };
    let update = |conf: &Path, more: &[&str]| {
        let fixed = ["update", "--json", "--conf"].map(PathBuf::from);
        let paths = [conf.to_owned(), "--output".into(), system.filter.clone()];
        run(fixed.into_iter().chain(paths).chain(more.iter().map(PathBuf::from)))
    };
    let told = update(&conf("false_rejection = 0.01\n"), &[]).json().remove(0);
    assert_eq!((&told["words"], &told["false_rejection"]), (&5.into(), &0.01.into()));
    assert!(told["lists"][0]["name"].as_str().unwrap().ends_with("/named") && system.rejects("quixotical1y"));
    assert_eq!(update(&conf("false_rejection = 0.01\n"), &[]).json()[0]["state"], "up-to-date");
    let told = update(&conf("false_rejection = 0.02\n"), &[]).json().remove(0);
    assert_eq!((&told["false_rejection"], &told["deletion_bits"]), (&0.02.into(), &6.into()));
    let told = update(&conf(""), &["--folder", system.lists.to_str().unwrap(), "--deletion-bits", "0"]);
    assert_eq!((&told.json()[0]["words"], &told.json()[0]["deletion_bits"]), (&4.into(), &0.into()));
    let before = system.bytes();
    let refused = update(&conf("false_rejection = 0.02\ncomon = true\n"), &[]);
    assert!(refused.error_line().contains("did you mean `common`?"), "{refused:?}");
    assert!(system.bytes() == before);
}

/// As filterctl build does.
#[test]
fn a_near_filter_too_large_for_short_passwords_is_told() {
    let system = System::new();
    let words: String =
        (0..400_000_u64).map(|n| format!("{:016x}\n", (n + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15))).collect();
    system.list("many", words);
    let conf = system.folder.file("short.conf", "min_length = 8\n[update]\nmatch = \"near\"\n");
    let crowded = |conf: &Path| {
        let told = system.update(&["--force", "--deletion-bits", "0", "--conf", conf.to_str().unwrap()]);
        assert_eq!(told.code, 0, "{told:?}");
        told.err
    };
    let told = crowded(&conf);
    assert!(told.contains("rejects many random passwords") && told.contains("min_length is 8"), "{told}");
    assert_eq!(
        crowded(&system.folder.file("long.conf", "min_length = 15\n[update]\nmatch = \"near\"\n")),
        ""
    );
}

#[test]
fn digests_are_built_from_the_lists_that_are_named() {
    let system = System::new();
    // The digest of `elephant` is a filler, as servers of ranges add them: it was counted no time.
    let lines = "5BAA61E4C9B93F3F0682250B6CF8331B7EE68FD8:3\n0AE9E4DEBA26021986FFD99636DA6601F6393631:0\n";
    let digests = system.folder.file("pwned", lines);
    let conf = system.folder.file("n.conf", format!("[update]\nkind = \"sha1\"\nlists = [{digests:?}]\n"));
    let [conf, output] = [&conf, &system.filter].map(|path| path.to_str().unwrap());
    let told = run(["update", "--json", "--conf", conf, "--output", output]);
    assert_eq!(
        (told.code, &told.json()[0]["kind"], &told.json()[0]["words"]),
        (0, &"sha1".into(), &1.into())
    );
    assert!(system.rejects("password") && !system.rejects("elephant"));
}

/// The command that built it and its lists, as long as it is that filter.
#[test]
fn a_filter_says_who_built_it_and_from_what() {
    let system = System::new();
    system.updated(&[]);
    let built =
        |path: &Path| run(["info", "--json", path.to_str().unwrap()]).json().remove(0)["built"].take();
    let told = built(&system.filter);
    assert_eq!(told["by"], concat!("filterctl update ", env!("CARGO_PKG_VERSION")));
    let lists: Vec<_> = told["lists"].as_array().unwrap().iter().map(|list| list.as_str().unwrap()).collect();
    assert!(lists.len() == 2 && lists[0].ends_with("/english"), "{told}");
    assert!(
        run(["info", system.filter.to_str().unwrap()]).out.contains("  built by        filterctl update ")
    );

    let [key, other] = ["key", "other.filter"].map(|name| system.folder.path(name));
    let arguments = ["build", "--for-distribution", key.to_str().unwrap(), "-o", other.to_str().unwrap()];
    let list = system.lists.join("latin");
    assert_eq!(run(arguments.into_iter().chain([list.to_str().unwrap()])).code, 0);
    let install = || run(["install", other.to_str().unwrap(), system.filter.to_str().unwrap()]);
    assert_eq!(install().code, 0);
    let told = built(&system.filter);
    assert_eq!(told["by"], concat!("filterctl build ", env!("CARGO_PKG_VERSION")));
    assert_eq!(
        (told["installed_from"].as_str(), &told["lists"][0]),
        (other.to_str(), &list.to_str().unwrap().into())
    );
    assert_eq!(system.updated(&[])["state"], "not-ours", "what was installed stays");
    assert_eq!(run(["rollback", system.filter.to_str().unwrap()]).code, 0);
    assert_eq!(system.updated(&[])["state"], "up-to-date", "what update built is its own again");
    assert_eq!(install().code, 0);
    let plain = system.folder.filter("unrelated\n");
    assert_eq!(plain, system.filter);
    assert!(built(&system.filter).is_null(), "another filter");
}
