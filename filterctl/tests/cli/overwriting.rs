//! Every output replaces a file of its own kind only, and two outputs are never one file.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::{Folder, KEY, OLD_FILTER, Run, content, run};

/// The bytes of a file that no command of nearmiss wrote.
const FOREIGN: &[u8] = b"one\ntwo\n";

/// A folder with a list, a filter, a configuration that names it, and a fleet's ladder.
struct Site(Folder);

impl Site {
    fn new() -> Site {
        let site = Site(Folder::new());
        site.0.file("list", "elephant\ngiraffe\nzebra\n");
        assert_eq!(site.run("build -q --key KEY -o f list").code, 0);
        let filter = site.0.path("f");
        site.0.file("conf", format!("packaged = false\n[[dictionary]]\nfile = \"{}\"\n", filter.display()));
        fs::create_dir(site.0.path("lists")).unwrap();
        fs::copy(site.0.path("list"), site.0.path("lists/words")).unwrap();
        site.0.file("update.conf", "[update]\ncommon = false\n");
        // With records of both, for a rollback.
        assert_eq!(site.run("build -q --for-distribution b.key -o b list").code, 0);
        assert_eq!(["f", "b"].map(|filter| site.run(&format!("install -q {filter} g")).code), [0, 0]);
        assert_eq!(site.run("fleet init --guessed --bits 2^26 --file g.ladder").code, 0);
        assert_eq!(site.run("fleet export --guessed --file g.ladder --output first.bundle").code, 0);
        site
    }

    /// Runs the command in this folder; `KEY` stands for a key.
    fn run(&self, words: &str) -> Run {
        let argument = |word: &str| match word {
            "KEY" => PathBuf::from(KEY),
            word if is_file_name(word) => self.0.path(word),
            word => PathBuf::from(word),
        };
        run(words.split(' ').map(argument))
    }
}

/// True for the words of the commands below that name files.
fn is_file_name(word: &str) -> bool {
    const COMMANDS: [&str; 14] = [
        "build", "update", "add", "install", "rollback", "fleet", "init", "export", "join", "verify",
        "doctor", "metrics", "exact", "2^26",
    ];
    !word.starts_with('-') && !COMMANDS.contains(&word) && !word.chars().all(|c| c.is_ascii_digit())
}

/// Each output, and the command that writes it.
const OUTPUTS: &[(&str, &str)] = &[
    ("out", "build -q -o out list"),
    ("out", "build -q -o new --counts out list"),
    ("new.ranks", "build -q -o new --top 2 list"),
    ("new.sources", "build -q -o new --for-distribution key list"),
    ("new.update", "build -q -o new list"),
    ("new.update", "install -q f new"),
    ("out", "update -q --conf update.conf --folder lists -o out"),
    ("out", "update -q --conf update.conf --folder lists -o new --exact out"),
    ("new.sources", "update -q --conf update.conf --folder lists -o new"),
    ("new.update", "update -q --conf update.conf --folder lists -o new"),
    ("old.previous", "install -q f old"),
    ("old.previous.sources", "install -q f old"),
    ("new.sources", "install -q f new"),
    ("g.sources", "rollback -q g"),
    ("g.previous.sources", "rollback -q g"),
    ("g.update", "rollback -q g"),
    ("out", "verify --all --conf conf --record out"),
    ("out", "doctor --root lists --conf conf --record out"),
    ("out", "metrics --conf conf --root lists --output out"),
    ("out", "fleet export --guessed --file g.ladder --output out"),
    ("out.ladder", "fleet join --replace --file out.ladder first.bundle"),
    ("out.key", "fleet join --replace --file out.ladder first.bundle"),
];

#[test]
fn a_file_of_another_kind_is_never_replaced() {
    for (output, command) in OUTPUTS {
        let site = Site::new();
        site.0.file("before", "wombat\n");
        assert_eq!(site.run("build -q -o old before").code, 0);
        let file = site.0.file(output, FOREIGN);
        let names = site.0.names();
        let told = site.run(command);
        let line = told.error_line();
        assert!(line.ends_with("[file-not-replaced]"), "{command}: {line}");
        assert!(line.contains(&format!("{}: is not ", file.display())), "{command}: {line}");
        assert_eq!(fs::read(&file).unwrap(), FOREIGN, "{command}");
        let key_of_distribution = |name: &String| name != "key";
        let left: Vec<_> = site.0.names().into_iter().filter(key_of_distribution).collect();
        assert_eq!(left, names, "{command}");
    }
}

/// What a command wrote, it replaces; so it does an empty file, and one whose beginning was lost to zeros.
#[test]
fn a_file_of_the_same_kind_is_replaced() {
    for (output, command) in
        OUTPUTS.iter().filter(|(output, _)| !output.starts_with("old") && !output.starts_with("g."))
    {
        let site = Site::new();
        let file = site.0.path(output);
        let succeeds = || {
            let told = site.run(command);
            assert!(told.code == 0 || command.starts_with("doctor") && told.code == 1, "{command}: {told:?}");
        };
        succeeds();
        for start in [fs::read(&file).unwrap_or_default(), Vec::new(), vec![0; 100]] {
            fs::write(&file, &start).unwrap();
            succeeds();
        }
    }
}

/// A ladder begins like a bundle, whose first part is a ladder's descriptor.
#[test]
fn a_bundle_replaces_neither_a_ladder_nor_its_key() {
    let site = Site::new();
    for name in ["g.ladder", "g.key"] {
        let before = fs::read(site.0.path(name)).unwrap();
        let told = site.run(&format!("fleet export --guessed --file g.ladder --output {name}"));
        assert!(told.error_line().contains("is not a bundle"), "{told:?}");
        assert_eq!(fs::read(site.0.path(name)).unwrap(), before);
    }
}

/// It has the only copy of a key that was handed out.
#[test]
fn a_ladder_does_not_replace_a_bundle() {
    let site = Site::new();
    let before = fs::read(site.0.path("first.bundle")).unwrap();
    let told = site.run("fleet join --replace --file first.bundle first.bundle");
    assert!(told.error_line().contains("is not a ladder"), "{told:?}");
    assert_eq!(fs::read(site.0.path("first.bundle")).unwrap(), before);
}

/// The records of a run may not replace what the run is about.
#[test]
fn a_record_never_replaces_the_filter_in_use() {
    let site = Site::new();
    let filter = site.0.file("f", OLD_FILTER);
    for command in [
        "verify --all --conf conf --record f",
        "doctor --root lists --conf conf --record f",
        "metrics --conf conf --root lists --output f",
    ] {
        assert!(site.run(command).error_line().ends_with("[file-not-replaced]"), "{command}");
        assert_eq!(fs::read(&filter).unwrap(), OLD_FILTER, "{command}");
    }
}

#[test]
fn two_outputs_are_never_one_file() {
    let site = Site::new();
    std::os::unix::fs::symlink(site.0.path("lists"), site.0.path("link")).unwrap();
    for command in [
        "update -q --conf update.conf --folder lists -o out --exact out",
        "update -q --conf update.conf --folder lists -o out --exact ./out",
        "update -q --conf update.conf --folder lists -o lists/out --exact link/out",
        "update -q --conf update.conf --folder lists -o out --exact none/../out",
        "update -q --conf update.conf --folder lists -o out --exact out.sources",
        "update -q --conf update.conf --folder lists -o out --exact out.update",
        "update -q --conf update.conf --folder lists -o out.update --exact out",
        "build -q -o out --counts out list",
        "build -q -o out --counts out.ranks --top 2 list",
        "build -q -o out --counts out.sources --for-distribution key list",
        "build -q -o out --counts out.update list",
        "build -q -o out --for-distribution out list",
        "build -q -o out --for-distribution out.sources list",
        "build -q -o out --for-distribution key --counts key list",
    ] {
        let names = site.0.names();
        let told = site.run(command);
        let line = told.error_line();
        assert!(line.contains("would be written twice by this command"), "{command}: {line}");
        assert!(line.ends_with("[file-not-replaced]"), "{command}: {line}");
        assert_eq!(site.0.names(), names, "{command}");
    }
}

/// A filter of digests is written in another way.
#[test]
fn a_filter_that_is_written_in_order_keeps_to_the_rule() {
    let site = Site::new();
    let mut digests = content::common_digests(1000);
    digests.sort();
    site.0.file("digests", digests.into_iter().map(|digest| format!("{digest}:3\n")).collect::<String>());
    let file = site.0.file("new.update", FOREIGN);
    let told = run(["build", "-q", "--kind", "sha1", "--group-bits", "2", "-o"]
        .map(PathBuf::from)
        .into_iter()
        .chain(["new", "digests"].map(|name| site.0.path(name))));
    assert!(told.error_line().ends_with("[file-not-replaced]"), "{told:?}");
    assert_eq!(fs::read(&file).unwrap(), FOREIGN);
    assert!(!Path::exists(&site.0.path("new")));
}

/// What cannot be written beside a filter is found before the filter is replaced.
#[test]
fn a_filter_stays_as_it_is_if_a_file_beside_it_cannot_be_written() {
    for (beside, command) in [
        ("f.ranks", "build -q -o f --top 2 more"),
        ("f.sources", "build -q -o f --for-distribution key more"),
        ("f.sources", "install -q other f"),
        ("f.previous.sources", "install -q other f"),
        ("f.sources", "rollback -q f"),
        ("f.previous.sources", "rollback -q f"),
    ] {
        let site = Site::new();
        site.0.file("more", "wombat\nokapi\n");
        for (filter, list) in [("f", "list"), ("other", "more"), ("third", "list")] {
            assert_eq!(site.run(&format!("build -q -o {filter} --for-distribution key {list}")).code, 0);
        }
        assert_eq!(site.run("install -q other f").code, 0);
        assert_eq!(site.run("install -q third f").code, 0);
        let _ = fs::remove_file(site.0.path(beside));
        fs::create_dir(site.0.path(beside)).unwrap();
        let filters = || ["f", "f.previous"].map(|name| fs::read(site.0.path(name)).unwrap());
        let before = filters();
        let told = site.run(command);
        assert!(told.error_line().contains(beside), "{command}: {told:?}");
        assert!(filters() == before, "{command}: replaced");
    }
}

/// Each refusal says what is there.
#[test]
fn what_is_no_file_is_named() {
    let site = Site::new();
    std::os::unix::fs::symlink(site.0.path("f"), site.0.path("link")).unwrap();
    for (output, says) in [
        ("link", "is a symbolic link, which is not followed; name another file"),
        ("lists", "is a folder; name a file in it"),
        ("none/", "names a folder; name a file"),
    ] {
        for command in [
            "build -q -o OUT list",
            "build -q -o new --counts OUT list",
            "update -q --force --conf update.conf --folder lists -o OUT",
            "metrics --conf conf --root lists --output OUT",
            "verify --all --conf conf --record OUT",
        ] {
            let told = site.run(&command.replace("OUT", output));
            let line = told.error_line();
            assert!(line.contains(says) && line.ends_with("[file-not-regular]"), "{command}: {line}");
        }
    }
    assert!(site.0.path("link").is_symlink());
    // Where nothing is to be written, a link to a filter is none to refuse.
    let told = site.run("update --conf update.conf --folder lists -o link");
    assert!(told.code == 0 && told.err.contains("not built by filterctl update"), "{told:?}");
}
