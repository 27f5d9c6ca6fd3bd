//! `filterctl verify --all`: every filter that is configured, and the record that is left.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use crate::{Folder, KEY, Run, run};

/// A system whose configuration names two filters.
struct System {
    folder: Folder,
    filters: [PathBuf; 2],
}

impl System {
    fn new() -> System {
        let folder = Folder::new();
        fs::create_dir_all(folder.path("etc/pam.d")).unwrap();
        let filters = ["first.filter", "second.filter"].map(|name| folder.path(name));
        for filter in &filters {
            let list = folder.file("list", "elephant\n");
            let built = ["build", "--key", KEY, "-o", filter.to_str().unwrap(), list.to_str().unwrap()];
            assert_eq!(run(built).code, 0);
        }
        let [first, second] = filters.each_ref().map(|file| file.display());
        let conf = format!(
            "packaged = false\n[[dictionary]]\nfile = \"{first}\"\n[[dictionary]]\nfile = \"{second}\"\n"
        );
        folder.file("n.conf", conf);
        System { folder, filters }
    }

    fn line(&self, options: &str) {
        let conf = self.folder.path("n.conf");
        let line = format!("password requisite pam_nearmiss.so conf={} {options}\n", conf.display());
        self.folder.file("etc/pam.d/passwd", line);
    }

    fn verify(&self) -> Run {
        let [root, conf, record] = ["", "n.conf", "verified"].map(|name| self.folder.path(name));
        let [root, conf, record] = [&root, &conf, &record].map(|path| path.to_str().unwrap());
        run(["verify", "--all", "--json", "--root", root, "--conf", conf, "--record", record])
    }

    /// The problems that are recorded, in the order of the filters.
    fn problems(&self) -> Vec<Option<String>> {
        let state = fs::read(self.folder.path("verified")).unwrap();
        let state: serde_json::Value = serde_json::from_slice(&state).unwrap();
        assert!(state["schema"] == 1 && state["at"].as_u64().unwrap() > 1_600_000_000, "{state}");
        let filters = state["filters"].as_array().unwrap().iter();
        filters.map(|filter| filter["problem"].as_str().map(str::to_owned)).collect()
    }
}

fn damage(filter: &Path) {
    let mut bytes = fs::read(filter).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(filter, bytes).unwrap();
}

#[test]
fn every_filter_is_verified_and_what_was_found_is_recorded() {
    let system = System::new();
    let told = system.verify();
    assert_eq!((told.code, told.json().len()), (0, 2), "{told:?}");
    assert_eq!(system.problems(), [None, None]);
    let mode = fs::metadata(system.folder.path("verified")).unwrap().permissions().mode();
    assert_eq!(mode & 0o7777, 0o600);
    damage(&system.filters[1]);
    let told = system.verify();
    assert_eq!(
        (told.code, &told.json()[0]["is_intact"], &told.json()[1]["is_intact"]),
        (1, &true.into(), &false.into())
    );
    assert!(
        system.problems()[1].as_ref().unwrap().contains("the checksum is wrong"),
        "{:?}",
        system.problems()
    );
    fs::remove_file(&system.filters[0]).unwrap();
    let told = system.verify();
    assert_eq!((told.code, told.json().len(), told.err.lines().count()), (2, 1, 1), "the worst: {told:?}");
    let problems = system.problems();
    assert!(problems.iter().all(Option::is_some) && problems[0].as_ref().unwrap().contains("No such file"));
}

/// A filter that users are refused for is a problem, though every byte of it is right.
#[test]
fn what_the_module_refuses_is_a_problem() {
    let system = System::new();
    fs::set_permissions(&system.filters[0], fs::Permissions::from_mode(0o666)).unwrap();
    assert_eq!(system.verify().code, 1);
    assert!(system.problems()[0].as_ref().unwrap().contains("can be written by others"));
}

#[test]
fn the_filter_of_the_stack_is_the_one_that_counts() {
    let system = System::new();
    system.line("retry=3");
    let root = system.folder.path("");
    let all = || run(["verify", "--all", "--root", root.to_str().unwrap()]);
    damage(&system.filters[1]);
    assert_eq!(all().code, 1, "the configuration that the line names");
    system.line(&format!("filter={}", system.filters[0].display()));
    let told = all();
    assert_eq!((told.code, told.out.contains("second.filter")), (0, false), "{told:?}");
}

#[test]
fn what_is_asked_must_be_clear() {
    for wrong in [&["verify"][..], &["verify", "--all", "f"], &["verify", "--record", "r", "f"]] {
        assert_eq!((run(wrong).code, run(wrong).out.as_str()), (2, ""), "{wrong:?}");
    }
    // The record is one of all filters, and would not be written for one.
    let (folder, system) = (Folder::new(), System::new());
    let (filter, record) = (&system.filters[0], folder.path("verified"));
    let told = run(["verify".as_ref(), filter.as_path(), "--record".as_ref(), &record]);
    assert!(told.code == 2 && told.out.is_empty() && told.err.contains("--record"), "{told:?}");
}

/// Nothing says that all is well if nothing was read.
#[test]
fn a_site_without_filters_is_told_that_none_was_verified() {
    let folder = Folder::new();
    let conf = folder.file("n.conf", "packaged = false\n");
    let [root, record] = ["", "verified"].map(|name| folder.path(name));
    let [root, conf, record] = [&root, &conf, &record].map(|path| path.to_str().unwrap());
    let told = run(["verify", "--all", "--root", root, "--conf", conf, "--record", record]);
    assert_eq!((told.code, told.out.as_str()), (0, ""), "{told:?}");
    assert!(told.err.contains("no filter is configured: none was verified"), "{told:?}");
}
