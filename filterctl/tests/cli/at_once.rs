//! Two commands that change one filter at the same time: neither undoes what the other one has done.
//!
//! A command is held where it has read the filter: by a pipe as its list, whose opening waits for it, or by
//! standard error that nobody reads.

use std::{
    fs,
    io::{Read, Write},
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
};

use rustix::fs::{CWD, FileType, Mode, mknodat};

use crate::{Folder, KEY, Run, run, run_with};

/// The command in a process of its own, with nothing on standard input.
fn start(arguments: &[&str], stderr: Stdio) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_filterctl"));
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(stderr).spawn().unwrap()
}

fn rejects(filter: &Path, word: &str) -> bool {
    let filter = filter.to_str().unwrap();
    run_with(["check", "--no-variants", "--filter", filter], word.as_bytes()).code == 1
}

/// A filter of these words with counts.
fn counted(folder: &Folder, words: &str) -> (PathBuf, PathBuf) {
    let (list, filter, counts) = (folder.file("list", words), folder.path("f"), folder.path("f.counts"));
    let [output, beside, list] = [&filter, &counts, &list].map(|path| path.to_str().unwrap());
    let room = ["--match", "exact", "--capacity", "100"];
    let built =
        run([&["build", "--key", KEY, "-o", output, "--counts", beside][..], &room, &[list]].concat());
    assert_eq!(built.code, 0, "{built:?}");
    (filter, counts)
}

/// Runs `held` with a pipe as its list, runs `meanwhile` while it has the filter open, and then gives it
/// `words`.
fn held<T>(folder: &Folder, held: &[&str], words: &str, meanwhile: impl FnOnce() -> T) -> T {
    let pipe = folder.path("pipe");
    mknodat(CWD, &pipe, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
    let first = start(&[held, &[pipe.to_str().unwrap()]].concat(), Stdio::inherit());
    // Opening waits until the first command opens its list, and it has read the filter before.
    let mut writer = fs::File::options().write(true).open(&pipe).unwrap();
    let result = meanwhile();
    writer.write_all(words.as_bytes()).unwrap();
    drop(writer);
    assert!(first.wait_with_output().unwrap().status.success());
    fs::remove_file(pipe).unwrap();
    result
}

/// Runs `other` while `held` has the filter open, and again if it was refused.
fn beside(folder: &Folder, first: &[&str], words: &str, other: &[&str]) {
    let second = held(folder, first, words, || run(other));
    if second.code != 0 {
        assert!(second.error_line().ends_with("[file-busy]"), "{second:?}");
        let again = run(other);
        assert_eq!(again.code, 0, "{again:?}");
    }
}

/// What it reports is what it exchanges: nothing is read or written before the filter is its own.
#[test]
fn a_rollback_beside_another_command_changes_nothing() {
    let folder = Folder::new();
    let target = folder.path("installed");
    let path = target.to_str().unwrap();
    for words in ["elephant\n", "zebrapassword\n"] {
        let (filter, _) = counted(&folder, words);
        let done = run(["install", filter.to_str().unwrap(), path]);
        assert_eq!(done.code, 0, "{done:?}");
    }
    let previous = folder.path("installed.previous");
    let before = fs::metadata(&previous).unwrap();
    let add = ["add", path, "--without-counts"];
    let refused = held(&folder, &add, "second-beta-8\n", || run(["rollback", path]));
    assert!(refused.code == 2 && refused.error_line().ends_with("[file-busy]"), "{refused:?}");
    assert_eq!(fs::metadata(&previous).unwrap().ino(), before.ino());
    assert_eq!(run(["rollback", path]).code, 0);
    assert!(rejects(&target, "elephant") && rejects(&previous, "second-beta-8"));
}

#[test]
fn words_that_two_commands_add_are_both_there() {
    let folder = Folder::new();
    let (filter, counts) = counted(&folder, "elephant\n");
    let [file, beside_it, one] = [&filter, &counts, &folder.file("one", "first-alpha-9\n")]
        .map(|path| path.to_str().unwrap().to_owned());
    for (number, options) in [vec!["--without-counts"], vec!["--counts", &beside_it]].into_iter().enumerate()
    {
        let (filter, counts) = counted(&folder, "elephant\n");
        assert!(filter.exists() && counts.exists());
        let add = [&["add", file.as_str()][..], &options].concat();
        beside(&folder, &add, "second-beta-8\n", &[&add[..], &[&one]].concat());
        for word in ["elephant", "first-alpha-9", "second-beta-8"] {
            assert!(rejects(&filter, word), "{word}, {number}");
        }
    }
}

#[test]
fn a_word_that_is_removed_while_others_are_added_is_gone() {
    let folder = Folder::new();
    let (filter, counts) = counted(&folder, "elephant\nzebrapassword\n");
    let [file, counts, one] =
        [&filter, &counts, &folder.file("one", "elephant\n")].map(|path| path.to_str().unwrap().to_owned());
    let changed = |act| [act, file.as_str(), "--counts", counts.as_str()];
    let remove = [&changed("remove")[..], &[&one]].concat();
    beside(&folder, &changed("add"), "second-beta-8\n", &remove);
    assert!(!rejects(&filter, "elephant") && rejects(&filter, "second-beta-8"));
    let one = folder.file("two", "first-alpha-9\n");
    let add = [&changed("add")[..], &[one.to_str().unwrap()]].concat();
    beside(&folder, &changed("remove"), "zebrapassword\n", &add);
    assert!(!rejects(&filter, "zebrapassword") && rejects(&filter, "first-alpha-9"));
}

/// An update that is held by its first warnings, which nobody reads.
struct HeldUpdate {
    folder: Folder,
    arguments: Vec<String>,
    filter: PathBuf,
}

impl HeldUpdate {
    /// Lists about which there is so much to be said that a pipe does not hold it.
    fn new() -> HeldUpdate {
        let folder = Folder::new();
        let filter = folder.path("words.filter");
        // Code page 850, which is not known.
        let words = b"bl\x86\nbr\x9bd\nk\x91re\n\x92r\x9b\ng\x86rd\nk\x9bn\n".repeat(30);
        fs::create_dir(folder.path("lists")).unwrap();
        for number in 0..400 {
            folder.file(&HeldUpdate::list(number), &words);
        }
        let lists = folder.path("lists").display().to_string();
        let conf = format!("[update]\ncommon = false\nfolders = [{lists:?}]\n");
        let conf = folder.file("n.conf", conf);
        let [conf, output] = [&conf, &filter].map(|path| path.to_str().unwrap().to_owned());
        let arguments = ["update", "--conf", &conf, "-o", &output].map(str::to_owned).to_vec();
        HeldUpdate { folder, arguments, filter }
    }

    /// A name that fills a line.
    fn list(number: u32) -> String {
        format!("lists/list{number:0200}")
    }

    fn update(&self) -> Run {
        run(&self.arguments)
    }

    /// Runs an update, and `meanwhile` when it has read the record of the filter; returns its exit code and
    /// the last line that it says.
    fn held(&self, meanwhile: impl FnOnce()) -> (i32, String) {
        let arguments: Vec<&str> = self.arguments.iter().map(String::as_str).collect();
        let mut child = start(&arguments, Stdio::piped());
        let mut stderr = child.stderr.take().unwrap();
        let mut said = vec![0; 1];
        stderr.read_exact(&mut said).unwrap();
        meanwhile();
        let reader = thread::spawn(move || stderr.read_to_end(&mut said).map(|_| said));
        let code = child.wait().unwrap().code().unwrap();
        let said = String::from_utf8(reader.join().unwrap().unwrap()).unwrap();
        (code, said.lines().last().unwrap().to_owned())
    }
}

/// What `install` put there is no filter of this command, which it never replaces.
#[test]
fn an_update_does_not_replace_a_filter_that_was_installed_meanwhile() {
    let site = HeldUpdate::new();
    assert_eq!(site.update().code, 0);
    // A changed list, so that it builds again.
    site.folder.file(&HeldUpdate::list(0), "otherwords\nforbiddens\n".repeat(30));
    let (source, _) = counted(&site.folder, "first-alpha-9\n");
    let mut installed = Vec::new();
    let (code, said) = site.held(|| {
        let [source, target] = [&source, &site.filter].map(|path| path.to_str().unwrap());
        let done = run(["install", source, target]);
        assert_eq!(done.code, 0, "{done:?}");
        installed = fs::read(&site.filter).unwrap();
    });
    assert!(fs::read(&site.filter).unwrap() == installed, "{code} {said}");
    assert_eq!(code, 2);
    assert!(said.ends_with("was replaced meanwhile; try again [file-busy]"), "{said}");
    assert!(rejects(&site.filter, "first-alpha-9"));
    assert!(!site.folder.path("words.filter.update").exists(), "it is no failure of the installed filter");
}
