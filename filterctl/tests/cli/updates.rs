//! `add`, `union` and `remove`: the layers that come of them, what they refuse, and what an interruption
//! leaves.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use crate::{Folder, KEY, Run, run, run_with};

const PAGE: usize = 4096;

/// Words of 16 digits, which share few deletions.
fn words(range: std::ops::Range<u64>) -> String {
    range.map(|n| format!("{:016x}\n", (n + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15))).collect()
}

fn tool(arguments: &[&dyn AsRef<Path>]) -> Run {
    run(arguments.iter().map(|argument| argument.as_ref().as_os_str()))
}

fn done(arguments: &[&dyn AsRef<Path>]) {
    let run = tool(arguments);
    assert_eq!(run.code, 0, "{run:?}");
}

/// The pages of a filter, by its header's length.
fn layers(path: &Path) -> Vec<u8> {
    let bytes = fs::read(path).unwrap();
    let header = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    assert_eq!((bytes.len() - header) % PAGE, 0);
    bytes[header..].to_vec()
}

fn info(path: &Path) -> serde_json::Value {
    tool(&[&"info", &path, &"--json"]).json().remove(0)
}

/// Two overlapping halves, their filters and that of the whole.
struct Halves {
    folder: Folder,
    lists: [PathBuf; 2],
    whole: PathBuf,
    parts: [PathBuf; 2],
}

impl Halves {
    fn new(kind: &[&str]) -> Halves {
        let folder = Folder::new();
        let lists = [folder.file("first", words(0..3000)), folder.file("second", words(2500..6000))];
        let [whole, a, b] = ["whole", "one half", "another"].map(|name| folder.path(name));
        let mut arguments: Vec<&dyn AsRef<Path>> = vec![&"build", &"--key", &KEY, &"--output", &whole];
        arguments.extend(kind.iter().map(|argument| argument as &dyn AsRef<Path>));
        arguments.extend([&lists[0] as &dyn AsRef<Path>, &lists[1]]);
        done(&arguments);
        done(&[&"build", &"--like", &whole, &"--output", &a, &lists[0]]);
        done(&[&"build", &"--like", &whole, &"--output", &b, &lists[1]]);
        Halves { folder, lists, whole, parts: [a, b] }
    }
}

#[test]
fn two_halves_united_and_one_added_to_the_other_are_the_whole() {
    for kind in [&[][..], &["--match", "exact"], &["--scheme", "paper"], &["--deletion-bits", "0"]] {
        let Halves { folder, lists, whole, parts: [a, b] } = Halves::new(kind);
        assert!(layers(&a) != layers(&whole) && layers(&b) != layers(&whole));
        let both = folder.path("both");
        done(&[&"union", &"--output", &both, &a, &b]);
        assert!(layers(&both) == layers(&whole), "{kind:?}");
        assert_eq!(info(&both)["symbols"], info(&whole)["symbols"]);
        done(&[&"add", &a, &lists[1]]);
        assert!(layers(&a) == layers(&whole), "{kind:?}");
        let error = info(&a)["words"].as_i64().unwrap() - 6000;
        assert!(error.abs() < 60, "{error}");
        done(&[&"verify", &a]);
        done(&[&"verify", &both]);
    }
}

#[test]
fn counts_of_a_filter_that_a_union_replaces_are_named() {
    let Halves { folder, parts: [a, b], .. } = Halves::new(&[]);
    let union = || tool(&[&"union", &"--output", &folder.path("u.filter"), &a, &b]);
    let told = union();
    assert_eq!((told.code, told.err.as_str()), (0, ""), "{told:?}");
    folder.file("u.counts", b"\x89NMC\r\n\x1a\n of another filter");
    let told = union();
    assert!(told.code == 0 && told.err.contains("u.counts: no longer match"), "{told:?}");
}

#[test]
fn filters_that_differ_are_not_united_and_are_told_what_to_do() {
    let Halves { folder, lists, parts: [a, b], .. } = Halves::new(&[]);
    let other = folder.path("other");
    done(&[&"build", &"--output", &other, &lists[1]]);
    let told = tool(&[&"union", &"--output", &folder.path("u"), &a, &b, &other]);
    let line = told.error_line();
    // Quoted for a shell.
    let again = format!(" again with --like '{}', or ", a.display());
    assert!(line.contains("their keys differ; build ") && line.contains(&again), "{line}");
    done(&[&"build", &"--key", &KEY, &"--capacity", &"20000", &"--output", &other, &lists[1]]);
    let told = tool(&[&"union", &"--output", &folder.path("u"), &a, &other]);
    assert!(
        told.error_line().contains(" bits a word, the other ")
            || told.error_line().contains(" pages, the other ")
    );
    assert!(!folder.path("u").exists());
}

#[test]
fn what_does_not_fit_is_refused_or_restated() {
    let folder = Folder::new();
    let filter = folder.filter(&words(0..2000));
    let before = fs::read(&filter).unwrap();
    let more = folder.file("more", words(2000..3000));
    let told = tool(&[&"add", &filter, &more]);
    assert!(told.error_line().contains("has room for 2000 words; rebuild it with --capacity"), "{told:?}");
    assert!(fs::read(&filter).unwrap() == before);
    done(&[&"add", &filter, &more, &"--force"]);
    let facts = info(&filter);
    assert!(facts["false_rejection"].as_f64().unwrap() > 0.002, "{facts}");
    assert!(facts["capacity"].as_u64().unwrap() >= 2990, "{facts}");
    done(&[&"add", &filter, &more]);
    let like = tool(&[
        &"build",
        &"--like",
        &filter,
        &"--output",
        &folder.path("f"),
        &folder.file("l", words(0..9000)),
    ]);
    assert!(like.error_line().contains("do not fit into a filter with room for"), "{like:?}");
}

#[test]
fn adding_words_makes_their_characters_known() {
    let folder = Folder::new();
    let (list, filter) = (folder.file("l", "elephant\npassword\n"), folder.path("f"));
    done(&[&"build", &"--capacity", &"100", &"--output", &filter, &list]);
    done(&[&"add", &filter, &folder.file("more", "smörgåsbord\n日本語日本語\n")]);
    let arguments = ["check", "--filter", filter.to_str().unwrap(), "--json", "--min-length", "4"];
    let told = run_with(arguments, "smörgåsbård\n日本語日本誤\nelephqnt\nquixotic\n".as_bytes());
    let rejected: Vec<_> = told.json().iter().map(|verdict| !verdict["reason"].is_null()).collect();
    assert_eq!(rejected, [true, true, true, false], "{told:?}");
}

/// A filter with counts, and a list of other words.
struct Counted {
    folder: Folder,
    filter: PathBuf,
    counts: PathBuf,
    more: PathBuf,
}

impl Counted {
    fn new() -> Counted {
        let folder = Folder::new();
        let list = folder.file("list", words(0..3000));
        let more = folder.file("more", words(3000..4000));
        let [filter, counts] = ["filter", "counts"].map(|name| folder.path(name));
        done(&[&"build", &"--capacity", &"5000", &"--counts", &counts, &"--output", &filter, &list]);
        Counted { folder, filter, counts, more }
    }

    fn change(&self, command: &str, list: &Path) -> Run {
        tool(&[&command, &self.filter, &"--counts", &self.counts, &list])
    }
}

#[test]
fn removing_what_was_added_gives_the_same_layers_back() {
    let counted = Counted::new();
    let before = (layers(&counted.filter), info(&counted.filter)["words"].clone());
    assert_eq!(fs::metadata(&counted.counts).unwrap().permissions().mode() & 0o777, 0o600);
    for _ in 0..2 {
        assert_eq!(counted.change("add", &counted.more).code, 0);
        assert!(layers(&counted.filter) != before.0);
        assert_eq!(info(&counted.filter)["words"], 4000);
        let told = counted.change("remove", &counted.more);
        assert!(told.out.contains("1,000 removed"), "{told:?}");
        assert!((layers(&counted.filter), info(&counted.filter)["words"].clone()) == before);
    }
    let all = counted.folder.file("all", words(0..3000));
    assert_eq!(counted.change("remove", &all).code, 0);
    assert!(layers(&counted.filter).chunks(PAGE).all(|page| page[..4092].iter().all(|&byte| byte == 0)));
}

#[test]
fn a_word_that_was_never_added_is_refused_by_name() {
    let counted = Counted::new();
    let list = counted.folder.file("some", format!("{}Never-added\nNor This\n", words(0..10)));
    let before = (fs::read(&counted.filter).unwrap(), fs::read(&counted.counts).unwrap());
    let told = counted.change("remove", &list);
    assert!(
        told.error_line()
            .ends_with("does not count 'never-added', 'nor this'; nothing is removed [words-not-held]"),
        "{told:?}"
    );
    let many = counted.change("remove", &counted.more);
    assert!(many.error_line().contains("' and 995 more; nothing is removed [words-not-held]"), "{many:?}");
    assert!((fs::read(&counted.filter).unwrap(), fs::read(&counted.counts).unwrap()) == before);
}

#[test]
fn counts_of_another_filter_are_refused() {
    let (one, two) = (Counted::new(), Counted::new());
    let told = tool(&[&"remove", &one.filter, &"--counts", &two.counts, &one.more]);
    assert!(told.error_line().contains("not the counts of"), "{told:?}");
    done(&[&"add", &one.filter, &one.more]);
    let told = one.change("add", &one.more);
    assert!(told.error_line().contains("or that filter was changed without them"), "{told:?}");
    fs::write(&two.counts, "short").unwrap();
    assert!(two.change("add", &two.more).error_line().contains("is not the counts of a filter"));
    let told = tool(&[&"remove", &one.filter, &"--counts", &one.filter, &one.more]);
    assert!(told.error_line().contains("would be written twice"), "{told:?}");
}

/// The counts are replaced first. Whoever is killed then leaves the old filter in use, and the next change
/// with these counts finishes the first.
#[test]
fn a_change_interrupted_between_the_two_files_is_finished_by_the_next() {
    for command in ["add", "remove"] {
        let counted = Counted::new();
        let more = counted.folder.file("l", if command == "add" { words(3000..4000) } else { words(0..500) });
        let old = fs::read(&counted.filter).unwrap();
        assert_eq!(counted.change(command, &more).code, 0);
        let new = layers(&counted.filter);
        fs::write(&counted.filter, &old).unwrap();
        done(&[&"verify", &counted.filter]);
        let next = counted.folder.file("next", "one-more-word\n");
        let told = counted.change("add", &next);
        assert_eq!(told.code, 0, "{told:?}");
        assert!(told.out.contains("finished an earlier, interrupted change first"), "{told:?}");
        assert_eq!(counted.change("remove", &next).code, 0);
        assert!(layers(&counted.filter) == new, "{command}");
    }
}

#[test]
fn counts_beside_a_filter_are_not_orphaned_unasked() {
    let folder = Folder::new();
    let (list, more) = (folder.file("list", "elephant\n"), folder.file("more", "zebra\n"));
    let [filter, counts] = ["the words.filter", "the words.counts"].map(|name| folder.path(name));
    let at = |path: &Path| path.to_str().unwrap().to_owned();
    let build =
        ["build", "--output", &at(&filter), "--counts", &at(&counts), "--capacity", "100", &at(&list)];
    assert_eq!(run(build).code, 0);
    let before = fs::read(&filter).unwrap();
    let refused = run(["add", &at(&filter), &at(&more)]);
    // Quoted for a shell.
    let pass = format!("pass --counts '{}' to update", at(&counts));
    assert!(refused.error_line().contains(&pass) && refused.err.contains("--without-counts"), "{refused:?}");
    assert!(fs::read(&filter).unwrap() == before);
    assert_eq!(run(["add", &at(&filter), "--counts", &at(&counts), &at(&more)]).code, 0);
    assert_eq!(run(["add", &at(&filter), "--without-counts", &at(&list)]).code, 0);
}

/// By either name, and by every command that replaces a filter as a whole.
#[test]
fn counts_that_are_left_behind_are_named() {
    for counts in ["words.counts", "words.filter.counts"] {
        let folder = Folder::new();
        let (list, more) = (folder.file("list", "elephant\n"), folder.file("more", "zebra\n"));
        let [filter, other, counts] = ["words.filter", "other.filter", counts].map(|name| folder.path(name));
        let at = |path: &Path| path.to_str().unwrap().to_owned();
        let built = |more: &[&str]| {
            let told = run(["build", "-q", "--match=exact", "--key", KEY, "-o"].iter().chain(more));
            assert_eq!(told.code, 0, "{told:?}");
            told.err
        };
        let with_counts = || built(&[&at(&filter), "--counts", &at(&counts), "--capacity=100", &at(&list)]);
        // A list of such a name is none.
        fs::write(&counts, "2 elephant\n").unwrap();
        assert_eq!(built(&[&at(&filter), &at(&list)]), "");
        assert_eq!(run(["add", "-q", "--force", &at(&filter), &at(&more)]).code, 0);
        fs::remove_file(&counts).unwrap();
        assert_eq!(with_counts(), "");
        assert_eq!(built(&[&at(&other), "--capacity=100", &at(&more)]), "");
        let refused = run(["add", &at(&filter), &at(&more)]);
        assert!(refused.error_line().ends_with("[counts-left-behind]"), "{refused:?}");
        let is_named = |err: &str| {
            assert!(err.contains(&at(&counts)) && err.ends_with("[counts-left-behind]\n"), "{err}");
        };
        is_named(&built(&[&at(&filter), &at(&more)]));
        with_counts();
        is_named(&run(["union", "-q", "-o", &at(&filter), &at(&filter), &at(&other)]).err);
        with_counts();
        is_named(&run(["install", "-q", &at(&other), &at(&filter)]).err);
        is_named(&run(["rollback", "-q", &at(&filter)]).err);
    }
}
