//! `filterctl update` where a list cannot be used: which words stay, what is asked for, and what is
//! remembered.

use std::{
    fs,
    os::unix::fs::{PermissionsExt, symlink},
    path::PathBuf,
};

use crate::{Folder, Run, run, run_with};

/// A configuration that names the lists `company` and `second` and the folder `dict` with the list `english`.
struct Site {
    folder: Folder,
    filter: PathBuf,
    conf: PathBuf,
}

impl Site {
    fn new() -> Site {
        let folder = Folder::new();
        fs::create_dir(folder.path("dict")).unwrap();
        folder.file("dict/english", "elephant\npassword\n");
        let [company, second, dict, filter] =
            ["company", "second", "dict", "words.filter"].map(|name| folder.path(name));
        let folders = format!("folders = [\"{}\"]", dict.display());
        let lists = format!("lists = [\"{}\", \"{}\"]", company.display(), second.display());
        let conf = folder.file("n.conf", format!("[update]\ncommon = false\n{lists}\n{folders}\n"));
        folder.file("company", "nearmisscorp\n");
        folder.file("second", "quixotically\n");
        Site { folder, filter, conf }
    }

    fn built() -> Site {
        let site = Site::new();
        let told = site.update(&[]);
        assert_eq!((told.code, told.err.as_str()), (0, ""), "{told:?}");
        site
    }

    fn update(&self, more: &[&str]) -> Run {
        let fixed = ["update", "--json", "--conf", self.conf.to_str().unwrap(), "--output"];
        run(fixed.into_iter().chain([self.filter.to_str().unwrap()]).chain(more.iter().copied()))
    }

    fn rejects(&self, word: &str) -> bool {
        let arguments = ["check", "--min-length", "4", "--filter", self.filter.to_str().unwrap()];
        run_with(arguments, word.as_bytes()).code == 1
    }

    /// The state beside the filter.
    fn state(&self) -> serde_json::Value {
        serde_json::from_slice(&fs::read(self.folder.path("words.filter.update")).unwrap()).unwrap()
    }

    fn dropped(&self) -> Vec<String> {
        let state = self.state();
        let dropped = state["dropped"].as_array().unwrap().iter();
        dropped.map(|list| list["path"].as_str().unwrap().rsplit('/').next().unwrap().to_owned()).collect()
    }

    fn chmod(&self, name: &str, mode: u32) {
        fs::set_permissions(self.folder.path(name), fs::Permissions::from_mode(mode)).unwrap();
    }
}

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

/// A list, what is done to it, and what the update says of it.
type Spoilt = (&'static str, fn(&Site), &'static str);

/// The list of the site, the folder of its lists, and a list of that folder: missing, for anybody to write, a
/// link, and no list any more.
#[test]
fn no_word_of_the_earlier_filter_is_lost_unasked() {
    let spoil: [Spoilt; 7] = [
        (
            "company",
            |site| fs::remove_file(site.folder.path("company")).unwrap(),
            "cannot be opened: No such file",
        ),
        ("company", |site| site.chmod("company", 0o666), "can be written by others"),
        (
            "company",
            |site| drop(site.folder.file("company", b"\x1f\x8b\x08\0\0\0\0\0\0\x03\x01")),
            "the gzip data is damaged",
        ),
        (
            "company",
            |site| {
                fs::rename(site.folder.path("company"), site.folder.path("elsewhere")).unwrap();
                symlink("elsewhere", site.folder.path("company")).unwrap();
            },
            "is not a regular file",
        ),
        ("dict/english", |site| site.chmod("dict/english", 0o666), "can be written by others"),
        ("dict", |site| site.chmod("dict", 0o777), "can be written by others"),
        (
            "dict",
            |site| fs::remove_dir_all(site.folder.path("dict")).unwrap(),
            "cannot be opened: No such file",
        ),
    ];
    for (name, spoil, reason) in spoil {
        let site = Site::built();
        let before = fs::read(&site.filter).unwrap();
        spoil(&site);
        for _ in 0..2 {
            let told = site.update(&[]);
            let line = told.error_line();
            let path = site.folder.path(name);
            assert!(line.contains(&format!(": {} ({reason}", path.display())), "{line}");
            assert!(line.contains("--drop-missing") && line.contains("[update] in nearmiss.conf"), "{line}");
            assert!(fs::read(&site.filter).unwrap() == before, "{name}: {reason}");
            let failed = site.state()["failed"]["reason"].as_str().unwrap().to_owned();
            assert!(failed.contains(name) && line.contains(&failed), "{failed}");
        }
        assert_eq!(site.state()["lists"].as_array().unwrap().len(), 3, "the lists of the present filter");
        let told = site.update(&["--force"]);
        assert_eq!(told.code, 2, "--force is not asked for words: {told:?}");
    }
}

#[test]
fn a_list_that_is_dropped_is_remembered_until_it_can_be_used() {
    let site = Site::built();
    fs::remove_file(site.folder.path("company")).unwrap();
    assert_eq!(site.update(&[]).code, 2);
    let told = site.update(&["--drop-missing"]);
    assert_eq!((told.code, &told.json()[0]["rebuilt"]), (0, &true.into()), "{told:?}");
    assert!(told.err.contains("lacks the words of a list") && told.err.contains("/company"), "{told:?}");
    assert!(!site.rejects("nearmisscorp") && site.rejects("quixotically"));
    assert_eq!((site.dropped(), &site.state()["failed"]), (vec!["company".into()], &serde_json::Value::Null));
    // Not asked for again: said each time, and other lists are kept up to date.
    let told = site.update(&[]);
    assert_eq!((told.code, &told.json()[0]["state"]), (1, &"up-to-date".into()), "{told:?}");
    assert!(told.err.contains("lacks the words of a list"), "{told:?}");
    site.folder.file("dict/more", "zymurgistically\n");
    let told = site.update(&[]);
    assert_eq!((told.code, &told.json()[0]["rebuilt"]), (1, &true.into()), "{told:?}");
    assert!(site.rejects("zymurgistically") && site.dropped() == ["company"]);
    // A second list is not lost with the first.
    site.chmod("second", 0o666);
    let told = site.update(&[]);
    assert!(told.error_line().contains("/second (") && !told.err.contains("/company ("), "{told:?}");
    site.chmod("second", 0o644);
    site.folder.file("company", "nearmisscorp\n");
    let told = site.update(&[]);
    assert_eq!((told.code, told.err.as_str()), (0, ""), "{told:?}");
    assert!(site.rejects("nearmisscorp") && site.dropped().is_empty());
}

#[test]
fn a_list_that_is_named_no_more_is_missed_no_more() {
    let site = Site::built();
    fs::remove_file(site.folder.path("company")).unwrap();
    assert_eq!(site.update(&["--drop-missing"]).code, 0);
    let conf = fs::read_to_string(&site.conf).unwrap();
    let company = format!("{:?}, ", site.folder.path("company"));
    fs::write(&site.conf, conf.replace(&company, "")).unwrap();
    let told = site.update(&[]);
    assert_eq!((told.code, told.err.as_str(), site.dropped()), (0, "", Vec::new()), "{told:?}");
}

/// Refusing every filter would keep everybody from changing a password.
#[test]
fn without_an_earlier_filter_that_works_a_list_is_dropped_loudly() {
    let site = Site::new();
    fs::remove_file(site.folder.path("company")).unwrap();
    let is_dropped = |what: &str| {
        let told = site.update(&[]);
        assert_eq!((told.code, &told.json()[0]["rebuilt"]), (1, &true.into()), "{what}: {told:?}");
        assert!(
            told.err.contains("lacks the words of a list") && told.err.contains("/company ("),
            "{told:?}"
        );
        assert_eq!(told.json()[0]["dropped"][0]["path"], site.folder.path("company").to_str().unwrap());
        assert!(site.rejects("quixotically") && site.dropped() == ["company"], "{what}");
    };
    is_dropped("no filter");
    site.folder.file("company", "nearmisscorp\n");
    assert_eq!(site.update(&[]).code, 0);
    fs::remove_file(site.folder.path("company")).unwrap();
    assert_eq!(site.update(&[]).code, 2);
    let mut damaged = fs::read(&site.filter).unwrap();
    *damaged.last_mut().unwrap() ^= 1;
    fs::write(&site.filter, damaged).unwrap();
    is_dropped("a damaged filter");
}

/// Packages come and go with their lists, and bring files that are none.
#[test]
fn a_list_of_a_folder_that_is_gone_or_never_was_one_is_no_loss() {
    let site = Site::built();
    site.folder.file("dict/british", "aluminium\n");
    assert_eq!(site.update(&[]).code, 0);
    fs::remove_file(site.folder.path("dict/british")).unwrap();
    let told = site.update(&[]);
    assert_eq!((told.code, told.err.as_str()), (0, ""), "{told:?}");
    site.folder.file("dict/binary", [0_u8, 1, 2, b'\n'].repeat(500));
    site.folder.file("dict/shared", "zebra\n");
    site.chmod("dict/shared", 0o666);
    let told = site.update(&[]);
    assert_eq!((told.code, told.err.lines().count(), site.dropped()), (0, 2, Vec::new()), "{told:?}");
}

/// A list with counts feeds the packaged filter, and the advice of one that is refused can be followed.
#[test]
fn the_columns_of_lists_that_are_named_are_configured() {
    let site = Site::new();
    site.folder.file("company", "  7 nearmisscorp\n 12 zymurgistically\n");
    let told = site.update(&[]);
    assert_eq!(told.code, 1, "{told:?}");
    assert!(told.err.contains("columns = \"count,word\" and lists, in the section [update]"), "{told:?}");
    site.folder.file("second", "  3 quixotically\n");
    let conf = fs::read_to_string(&site.conf).unwrap();
    fs::write(&site.conf, format!("{conf}columns = \"count,word\"\n")).unwrap();
    let told = site.update(&[]);
    assert_eq!((told.code, told.err.as_str()), (0, ""), "{told:?}");
    for word in ["nearmisscorp", "zymurgistically", "quixotically", "elephant"] {
        assert!(site.rejects(word), "{word}");
    }
    site.folder.file("dict/counted", "  9 perspicaciously\n");
    let told = site.update(&[]);
    assert!(told.code == 0 && told.err.contains("and lists, in the section [update]; left out"), "{told:?}");
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
}
