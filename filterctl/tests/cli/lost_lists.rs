//! `filterctl update` where a list cannot be used: which words stay, what is asked for, and what is
//! remembered.

use std::{
    fs,
    os::unix::fs::{PermissionsExt, symlink},
    path::PathBuf,
};

use crate::{Folder, Run, run, run_with};

/// A configuration that names the lists `company` and `second` and the folder `dict` with the list `english`.
pub(super) struct Site {
    pub(super) folder: Folder,
    pub(super) filter: PathBuf,
    pub(super) conf: PathBuf,
}

impl Site {
    pub(super) fn new() -> Site {
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

    pub(super) fn built() -> Site {
        let site = Site::new();
        let told = site.update(&[]);
        assert_eq!((told.code, told.err.as_str()), (0, ""), "{told:?}");
        site
    }

    pub(super) fn update(&self, more: &[&str]) -> Run {
        let fixed = ["update", "--json", "--conf", self.conf.to_str().unwrap(), "--output"];
        run(fixed.into_iter().chain([self.filter.to_str().unwrap()]).chain(more.iter().copied()))
    }

    pub(super) fn rejects(&self, word: &str) -> bool {
        let arguments = ["check", "--min-length", "4", "--filter", self.filter.to_str().unwrap()];
        run_with(arguments, word.as_bytes()).code == 1
    }

    /// The state beside the filter.
    pub(super) fn state(&self) -> serde_json::Value {
        serde_json::from_slice(&fs::read(self.folder.path("words.filter.update")).unwrap()).unwrap()
    }

    pub(super) fn dropped(&self) -> Vec<String> {
        let state = self.state();
        let dropped = state["dropped"].as_array().unwrap().iter();
        dropped.map(|list| list["path"].as_str().unwrap().rsplit('/').next().unwrap().to_owned()).collect()
    }

    pub(super) fn chmod(&self, name: &str, mode: u32) {
        fs::set_permissions(self.folder.path(name), fs::Permissions::from_mode(mode)).unwrap();
    }
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
                symlink("nowhere", site.folder.path("company")).unwrap();
            },
            "is a symbolic link to a missing file",
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
    // No longer requested: reported each time, and other lists are kept up to date.
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

/// A list with counts feeds the packaged filter, also one that is too short to be recognised.
#[test]
fn the_columns_of_lists_that_are_named_are_configured() {
    let site = Site::new();
    site.folder.file("company", "7 nearmisscorp\n12 zymurgistically\n");
    assert_eq!(site.update(&[]).code, 0);
    assert!(!site.rejects("zymurgistically"), "two lines may be phrases");
    site.folder.file("second", "  3 quixotically\n");
    let conf = fs::read_to_string(&site.conf).unwrap();
    fs::write(&site.conf, format!("{conf}columns = \"count,word\"\n")).unwrap();
    let told = site.update(&[]);
    assert_eq!((told.code, told.err.as_str()), (0, ""), "{told:?}");
    for word in ["nearmisscorp", "zymurgistically", "quixotically", "elephant"] {
        assert!(site.rejects(word), "{word}");
    }
    site.folder.file("dict/counted", "  9 perspicaciously\n");
    assert_eq!(site.update(&[]).code, 0);
    assert!(site.rejects("perspicaciously"), "right-aligned counts are recognised");
}

/// A folder that is named counts before any filter was built from it.
#[test]
fn a_folder_that_is_named_anew_and_cannot_be_used_is_asked_for() {
    let site = Site::built();
    let before = fs::read(&site.filter).unwrap();
    let more = site.folder.path("more");
    let conf = fs::read_to_string(&site.conf).unwrap();
    fs::write(&site.conf, conf.replace("folders = [", &format!("folders = [{more:?}, "))).unwrap();
    site.folder.file("dict/english", "elephant\npassword\nzebra\n");
    let told = site.update(&[]);
    let reason = format!(": {} (cannot be opened: No such file", more.display());
    assert!(told.error_line().contains(&reason), "{told:?}");
    assert!(fs::read(&site.filter).unwrap() == before);
}

/// One list is missed, another file was never part of a filter: each is reported once, as what it is.
#[test]
fn what_is_dropped_is_not_what_is_left_out() {
    let site = Site::new();
    fs::remove_file(site.folder.path("company")).unwrap();
    site.folder.file("dict/shared", "zebra\n");
    site.chmod("dict/shared", 0o666);
    for state in ["rebuilt", "up-to-date"] {
        let told = site.update(&[]);
        let update = told.json().remove(0);
        assert_eq!((told.code, &update["state"]), (1, &state.into()), "{told:?}");
        let names = |key: &str, name: &str| -> Vec<String> {
            let all = update[key].as_array().unwrap().iter();
            all.map(|one| one[name].as_str().unwrap().rsplit('/').next().unwrap().to_owned()).collect()
        };
        assert_eq!(
            (names("dropped", "path"), names("skipped", "file")),
            (vec!["company".into()], vec!["shared".into()])
        );
        let is_once = |name: &str, says: &str| {
            let lines: Vec<_> = told.err.lines().filter(|line| line.contains(name)).collect();
            lines.len() == 1 && lines[0].contains(says)
        };
        assert!(is_once("/company", "lacks the words of a list"), "{told:?}");
        assert!(is_once("/shared", "; skipped"), "{told:?}");
    }
}

/// A list that was cut off, or replaced by one of which hardly a line is read.
#[test]
fn a_list_with_much_fewer_words_is_not_taken_unasked() {
    let site = Site::new();
    let list = |words: u32| {
        let text: String = (0..words).map(|number| format!("word{number:04}\n")).collect();
        site.folder.file("company", text)
    };
    let company = list(1000).display().to_string();
    assert_eq!(site.update(&[]).code, 0);
    list(990);
    assert_eq!(site.update(&[]).code, 0, "1 % fewer");
    let before = fs::read(&site.filter).unwrap();
    list(980);
    for more in [&[][..], &["--force"]] {
        let told = site.update(more);
        let line = told.error_line();
        assert!(told.code == 2 && line.contains(&format!("{company} (now 980, before 990)")), "{told:?}");
        assert!(line.contains("--drop-missing") && line.ends_with("[list-lost]"), "{line}");
        assert!(fs::read(&site.filter).unwrap() == before);
        let failed = site.state()["failed"]["reason"].as_str().unwrap().to_owned();
        assert!(line.contains(&failed), "{failed}");
    }
    assert_eq!(site.update(&["--drop-missing"]).code, 0);
    assert!(site.state()["failed"].is_null() && site.state()["lists"][0]["words"] == 980);
    fs::remove_file(&site.filter).unwrap();
    list(10);
    assert_eq!(site.update(&[]).code, 0, "without a filter no user could change a password");
}
