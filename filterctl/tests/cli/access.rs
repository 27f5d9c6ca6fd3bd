//! The read access of a filter: each command that writes one derives it from the options and from the filter
//! it replaces.

use std::{
    fs::{self, Permissions},
    os::unix::fs::{MetadataExt, PermissionsExt},
    path::{Path, PathBuf},
    process::Command,
};

use crate::{Folder, KEY, Run, run, run_with};

/// A user who may do nothing in particular.
const NOBODY: &str = "4242";

/// A filter with its counts, another one like it, and a list.
struct Filters {
    folder: Folder,
    filter: PathBuf,
}

impl Filters {
    fn new() -> Filters {
        let folder = Folder::new();
        let filters = Filters { filter: folder.path("words.filter"), folder };
        filters.folder.file("list", "elephant\naccommodate\n");
        fs::create_dir(filters.folder.path("dict")).unwrap();
        filters.folder.file("dict/list", "password\n");
        filters.ok("build --capacity 1000 --counts words.counts --output words.filter list");
        filters.ok("build --like words.filter --output other.filter list");
        filters
    }

    /// Runs a line of arguments, whose files are in the folder.
    fn run(&self, line: &str) -> Run {
        let name = |word: &str| {
            let is_file = word.contains('.') || matches!(word, "list" | "dict");
            if is_file { self.folder.path(word) } else { PathBuf::from(word) }
        };
        run(line.split(' ').map(name))
    }

    fn ok(&self, line: &str) -> Run {
        let run = self.run(line);
        assert_eq!(run.code, 0, "{line}: {run:?}");
        run
    }

    fn mode(&self) -> u32 {
        fs::metadata(&self.filter).unwrap().mode() & 0o7777
    }

    fn set_mode(&self, mode: u32) {
        fs::set_permissions(&self.filter, Permissions::from_mode(mode)).unwrap();
    }

    fn group(&self) -> u32 {
        fs::metadata(&self.filter).unwrap().gid()
    }

    /// A group that this process may give a file to, and that is not what a new file gets, if there is one.
    fn other_group(&self) -> u32 {
        if fs::metadata("/proc/self").unwrap().uid() == 0 { 4343 } else { self.group() }
    }
}

/// Every command that writes `words.filter`.
const WRITERS: [&str; 5] = [
    "build --output words.filter list",
    "update --force --no-common --folder dict --output words.filter",
    "add --without-counts words.filter list",
    "union --output words.filter other.filter other.filter",
    "remove words.filter --counts words.counts list",
];

#[test]
fn every_writer_keeps_a_filter_private_unless_it_is_told_otherwise() {
    for writer in WRITERS {
        for (options, mode) in [("", 0o600), (" --public", 0o644), (" --group 0", 0o640)] {
            let filters = Filters::new();
            let group = filters.other_group();
            let options = options.replace('0', &group.to_string());
            let told = filters.ok(&format!("{writer}{options} --json")).json().remove(0);
            assert_eq!(filters.mode(), mode, "{writer}{options}");
            assert_eq!(told["mode"], format!("{mode:04o}"), "{told}");
            if mode == 0o640 {
                assert_eq!((filters.group(), &told["access"]), (group, &"group".into()), "{writer}");
                assert_eq!(fs::metadata(filters.folder.path("words.counts")).unwrap().mode() & 0o777, 0o600);
            }
        }
        let both = Filters::new().run(&format!("{writer} --public --group 0"));
        assert_eq!((both.code, both.out.as_str()), (2, ""), "{both:?}");
    }
}

/// The warnings, without that of the counts that a union leaves behind.
fn of_access(told: &Run) -> &str {
    let is_of_counts = told.err.ends_with("[counts-left-behind]\n") && told.err.lines().count() == 1;
    if is_of_counts { "" } else { &told.err }
}

#[test]
fn every_writer_keeps_the_group_that_could_read_the_old_filter() {
    for writer in WRITERS {
        let filters = Filters::new();
        let group = filters.other_group();
        filters.set_mode(0o640);
        std::os::unix::fs::chown(&filters.filter, None, Some(group)).unwrap();
        let told = filters.ok(writer);
        assert_eq!((filters.mode(), filters.group(), of_access(&told)), (0o640, group, ""), "{writer}");
    }
}

#[test]
fn a_public_filter_becomes_private_and_says_so() {
    for writer in WRITERS {
        let filters = Filters::new();
        filters.set_mode(0o644);
        let told = filters.ok(&format!("{writer} --public"));
        assert_eq!((filters.mode(), of_access(&told)), (0o644, ""), "{writer}");
        let filters = Filters::new();
        filters.set_mode(0o644);
        let told = filters.ok(writer);
        assert_eq!(filters.mode(), 0o600, "{writer}");
        assert!(told.err.contains("now it is private") && told.err.contains("--public"), "{told:?}");
        let others = told.err.lines().filter(|line| line.ends_with("[counts-left-behind]"));
        assert_eq!(told.err.lines().count() - others.count(), 1, "{told:?}");
    }
}

/// An interrupted change that is finished first is a filter that is written, too.
#[test]
fn a_finished_change_is_as_private_as_any() {
    let filters = Filters::new();
    let old = fs::read(&filters.filter).unwrap();
    let more = filters.folder.file("more.txt", "quixotic\n");
    filters.ok("add words.filter --counts words.counts more.txt");
    fs::write(&filters.filter, old).unwrap();
    filters.set_mode(0o640);
    fs::write(more, "zebra\n").unwrap();
    let told = filters.ok("add words.filter --counts words.counts --json more.txt").json().remove(0);
    assert_eq!((&told["finished_interrupted_change"], filters.mode()), (&true.into(), 0o640));
}

#[test]
fn update_builds_again_when_the_wrong_people_may_read_the_filter() {
    let filters = Filters::new();
    let update = |options: &str| {
        let line = format!("{}{options} --json", WRITERS[1].replace(" --force", ""));
        filters.ok(&line).json().remove(0)["rebuilt"].as_bool().unwrap()
    };
    assert!(update(" --force"));
    assert!(!update(""));
    filters.set_mode(0o644);
    assert!(update("") && !update(""));
    assert!(update(" --public") && !update(" --public"));
    assert!(update(" --group 0") && !update(" --group 0") && !update(""));
    assert_eq!(filters.mode(), 0o640);
}

/// The group of the configuration is let into the packaged filter alone.
#[test]
fn a_filter_in_another_place_is_of_no_configured_group() {
    let filters = Filters::new();
    filters.folder.file("n.conf", "[update]\ncommon = false\ngroup = \"nosuchgroup\"\n");
    let told = filters.ok("update --conf n.conf --folder dict --output own.filter");
    let mode = fs::metadata(filters.folder.path("own.filter")).unwrap().mode() & 0o777;
    assert_eq!((mode, told.err.as_str()), (0o600, ""));
}

#[test]
fn an_unknown_group_is_refused_before_anything_is_done() {
    let filters = Filters::new();
    let before = fs::read(&filters.filter).unwrap();
    for writer in WRITERS {
        let told = filters.run(&format!("{writer} --group nosuchgroup"));
        assert_eq!((told.code, told.out.as_str()), (2, ""), "{told:?}");
        assert!(told.err.contains("there is no group 'nosuchgroup'; create it with groupadd"), "{told:?}");
    }
    assert!(fs::read(&filters.filter).unwrap() == before);
}

#[test]
fn info_and_verify_tell_who_may_read_the_filter() {
    let filters = Filters::new();
    for (mode, access, text) in [
        (0o600, "private", "private (0600)\n"),
        (0o640, "group", " (0640)\n"),
        (0o644, "public", "public (0644): any user can find out"),
        (0o604, "public", "public (0604): any user can find out"),
    ] {
        filters.set_mode(mode);
        for command in ["info", "verify"] {
            let told = filters.ok(&format!("{command} words.filter --json")).json().remove(0);
            assert_eq!((&told["access"], &told["mode"]), (&access.into(), &format!("{mode:04o}").into()));
            assert_eq!(told["group"].is_string(), access == "group", "{told}");
            let told = filters.ok(&format!("{command} words.filter")).out;
            assert!(told.contains(text), "{told}");
        }
    }
    assert!(filters.ok("info words.filter").out.contains("  access          public (0604)"));
}

/// Runs the program as a user who is not root, in a folder that user owns.
pub(super) fn as_nobody(folder: &Folder, arguments: &[&str], input: &[u8]) -> Run {
    if fs::metadata("/proc/self").unwrap().uid() != 0 {
        return run_with(arguments.iter().map(PathBuf::from), input);
    }
    // The user can reach it, in whatever folder the tests are built. A child that another test starts
    // while this process has the copy open for writing would keep it from being run: a process of its own
    // copies it.
    let program = folder.path("filterctl");
    assert!(
        Command::new("cp").arg(env!("CARGO_BIN_EXE_filterctl")).arg(&program).status().unwrap().success()
    );
    let mut command = Command::new("setpriv");
    command.args(["--reuid", NOBODY, "--regid", NOBODY, "--clear-groups"]).arg(program).args(arguments);
    let file = folder.file("input", input);
    let output = command.stdin(fs::File::open(file).unwrap()).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Run { code: output.status.code().unwrap(), out: text(output.stdout), err: text(output.stderr) }
}

/// A folder of the user's own, which others can look into.
fn folder_of_nobody() -> Folder {
    let folder = Folder::new();
    fs::set_permissions(folder.path(""), Permissions::from_mode(0o755)).unwrap();
    if fs::metadata("/proc/self").unwrap().uid() == 0 {
        let id = NOBODY.parse().ok();
        std::os::unix::fs::chown(folder.path(""), id, id).unwrap();
    }
    folder
}

#[test]
fn verify_says_what_keeps_the_module_from_trusting_an_intact_filter() {
    let filters = Filters::new();
    let refused = |name: &str| {
        let shown = filters.ok(&format!("verify {name} --json")).json().remove(0);
        assert_eq!(shown["is_intact"], true);
        shown["refused"].as_str().map(ToOwned::to_owned)
    };
    filters.set_mode(0o600);
    assert_eq!(refused("words.filter"), None);
    std::os::unix::fs::symlink("words.filter", filters.folder.path("link.filter")).unwrap();
    assert_eq!(refused("link.filter"), None, "a link of this user is followed");
    if std::os::unix::fs::lchown(filters.folder.path("link.filter"), Some(4343), None).is_ok() {
        assert!(refused("link.filter").unwrap().contains("another user's symbolic link"));
    }
    filters.set_mode(0o602);
    assert!(refused("words.filter").unwrap().contains("can be written by others"));
    let shown = filters.ok("verify words.filter").out;
    assert!(shown.contains("pam_nearmiss refuses this file: ") && shown.contains("chmod go-w"), "{shown}");
}

#[test]
fn a_group_that_one_has_no_right_to_give_is_refused() {
    let folder = folder_of_nobody();
    let filter = folder.path("words.filter");
    let output = filter.to_str().unwrap();
    let arguments = ["build", "--key", KEY, "--group", "root", "--output", output, "-"];
    let told = as_nobody(&folder, &arguments, b"elephant\n");
    let line = told.error_line();
    assert!(line.contains("cannot be assigned to its group"), "{line}");
    assert!(!filter.exists() && !folder.names().iter().any(|name| name.starts_with('.')));
}

/// A stranger's file in the place of the filter does not decide the access of the new one.
#[test]
fn the_group_of_a_strangers_file_is_not_kept() {
    if fs::metadata("/proc/self").unwrap().uid() != 0 {
        eprintln!("SKIPPED: needs root: a file that belongs to another user");
        return;
    }
    let filters = Filters::new();
    filters.set_mode(0o640);
    std::os::unix::fs::chown(&filters.filter, Some(4242), Some(4242)).unwrap();
    filters.ok("build --output words.filter list");
    assert_eq!((filters.mode(), filters.group()), (0o600, 0));
}

#[test]
fn an_ordinary_user_is_told_why_the_systems_filter_cannot_be_asked() {
    if fs::metadata("/proc/self").unwrap().uid() != 0 {
        eprintln!("SKIPPED: needs root: a file that belongs to another user");
        return;
    }
    let folder = Folder::new();
    fs::set_permissions(folder.path(""), Permissions::from_mode(0o755)).unwrap();
    let filter = folder.filter("elephant\n");
    let arguments = ["check", "--filter", filter.to_str().unwrap()];
    for (mode, readers) in
        [(0o600, "only root may read it"), (0o640, "only root and members of the group root")]
    {
        fs::set_permissions(&filter, Permissions::from_mode(mode)).unwrap();
        let told = as_nobody(&folder, &arguments, b"elephant\n");
        let line = told.error_line();
        for part in ["Permission denied", readers, "find out which passwords", "run filterctl as root"] {
            assert!(line.contains(part), "{line}");
        }
    }
    // A public one is read whole, and answers.
    fs::set_permissions(&filter, Permissions::from_mode(0o644)).unwrap();
    assert_eq!(as_nobody(&folder, &arguments, b"elephant\n").code, 1);
}

/// The doctor's findings about the filters that a configuration names.
fn doctor(folder: &Folder, filter: &Path, private_copy: bool) -> Vec<(String, String)> {
    let files = [filter.to_owned(), folder.path("l.ladder"), folder.path("l.key")];
    let [filter, array, key] = files.map(|path| path.to_str().unwrap().to_owned());
    let conf = format!(
        "private_copy = {private_copy}\npackaged = false\n[[dictionary]]\nfile = {filter:?}\n[ladder]\nfile \
         = {array:?}\nkey = {key:?}\n"
    );
    let conf = folder.file("nearmiss.conf", conf);
    let told =
        run(["doctor", "--only", "filters", "--json", "--conf", conf.to_str().unwrap()]).json().remove(0);
    let findings = told["findings"].as_array().unwrap().iter().filter(|finding| finding["check"] == "filter");
    let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    findings.map(|finding| (text(&finding["state"]), text(&finding["message"]))).collect()
}

#[test]
fn the_doctor_looks_at_the_configured_filters() {
    let folder = Folder::new();
    let filter = folder.filter("elephant\n");
    for (mode, state, says) in [
        (0o600, "fine", "is private (0600)"),
        (0o644, "wrong", "any user may read it"),
        (0o604, "wrong", "any user may read it"),
        (0o620, "wrong", "can be written by others"),
        (0o660, "wrong", "can be written by others"),
    ] {
        fs::set_permissions(&filter, Permissions::from_mode(mode)).unwrap();
        let found = doctor(&folder, &filter, false);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].0 == state && found[0].1.contains(says), "{mode:o}: {found:?}");
    }
    fs::remove_file(&filter).unwrap();
    assert_eq!(doctor(&folder, &filter, true)[0].0, "wrong");
}
