//! Lists that are made to keep a program busy, to fill its memory or to lead it elsewhere.

use std::{
    fs,
    io::{Read, Write},
    os::unix::fs::{PermissionsExt, chown, symlink},
    path::{Path, PathBuf},
    process::Command,
    thread,
};

use flate2::{Compression, write::GzEncoder};
use rustix::fs::{CWD, FileType, Mode, mknodat};

use crate::{Folder, Run, build_arguments, run, run_with};

const MIB: usize = 1 << 20;

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

fn xz(text: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    liblzma::read::XzEncoder::new(text, 6).read_to_end(&mut bytes).unwrap();
    bytes
}

fn zstd(text: &[u8]) -> Vec<u8> {
    zstd::encode_all(text, 19).unwrap()
}

/// Runs a build within 256 MiB of address space.
fn build_in_little_memory(folder: &Folder, list: &Path, more: &[&str]) -> Run {
    let mut command = Command::new("sh");
    command.args(["-c", "ulimit -v 262144; exec \"$@\"", "sh", env!("CARGO_BIN_EXE_filterctl")]);
    command.args(build_arguments(&folder.path("f"), &[list])).args(["--jobs", "1"]).args(more);
    let output = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Run { code: output.status.code().unwrap(), out: text(output.stdout), err: text(output.stderr) }
}

#[test]
fn little_that_unpacks_to_much_is_refused_at_the_bound() {
    let folder = Folder::new();
    for (name, pack) in [("gz", gzip as fn(&[u8]) -> Vec<u8>), ("xz", xz), ("zst", zstd)] {
        let bomb = pack(&vec![0; MIB]).repeat(2000);
        assert!(bomb.len() < 3 * MIB, "{name}: {} bytes for 2 GB", bomb.len());
        let list = folder.file(&format!("bomb.{name}"), bomb);
        let told = build_in_little_memory(&folder, &list, &["--max-text", "1M"]);
        let line = told.error_line();
        assert!(line.contains(&format!("/bomb.{name}: has more than 1 MiB of text")), "{line}");
        assert!(line.ends_with("raise the limit with --max-text [list-too-long]"), "{line}");
    }
    assert!(!folder.path("f").exists());
}

#[test]
fn a_line_without_end_takes_no_memory() {
    let folder = Folder::new();
    let line = folder.file("line.gz", gzip(&vec![b'x'; MIB]).repeat(400));
    let told = build_in_little_memory(&folder, &line, &[]);
    assert!(told.error_line().contains("/line.gz: is not a word list: 1 of 1 lines"), "{told:?}");
    let words = [b"elephant\n".to_vec(), gzip(b"")].concat();
    assert_eq!(build_in_little_memory(&folder, &folder.file("words", words), &[]).code, 0);
}

#[test]
fn a_list_may_be_as_long_as_is_said() {
    let folder = Folder::new();
    let words: String = (0..128).map(|n| format!("word{n:03}\n")).collect();
    let filter = folder.path("f");
    for list in [folder.file("plain", &words), folder.file("packed", gzip(words.as_bytes()))] {
        for (size, code) in [("1K", 0), ("1023", 2), ("1024", 0)] {
            let mut arguments = build_arguments(&filter, &[&list]);
            arguments.extend(["--max-text", size].map(PathBuf::from));
            let told = run(&arguments);
            assert_eq!(told.code, code, "{told:?}");
            assert!(code == 0 || told.error_line().contains("has more than 1023 bytes of text"), "{told:?}");
        }
    }
    let add = |size| {
        run(["add", "--max-text", size, filter.to_str().unwrap(), folder.path("plain").to_str().unwrap()])
    };
    assert!(add("1023").error_line().contains("raise the limit with --max-text"));
    assert_eq!(add("1K").code, 0);
    for wrong in ["0", "1.5G", "many", "-1"] {
        assert_eq!(add(wrong).code, 2, "{wrong}");
    }
}

#[test]
fn a_stream_is_not_stored_beyond_what_a_list_may_have() {
    let folder = Folder::new();
    let mut arguments = build_arguments(&folder.path("f"), &["-".as_ref()]);
    arguments.extend(["--max-text", "1M"].map(PathBuf::from));
    let told = run_with(&arguments, &b"elephant\n".repeat(300_000));
    assert!(told.error_line().contains("standard input: has more than 1 MiB of text"), "{told:?}");
    assert_eq!(run_with(&arguments, &b"elephant\n".repeat(100_000)).code, 0);
}

fn make_pipe(path: &Path) {
    mknodat(CWD, path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
}

/// A link or a pipe that is named on the command line is read.
#[test]
fn links_and_pipes_are_read_where_they_are_named() {
    let folder = Folder::new();
    let expected = fs::read(folder.filter("elephant\nmonkey\n")).unwrap();
    let (link, pipe) = (folder.path("link"), folder.path("pipe"));
    symlink("words.txt", &link).unwrap();
    make_pipe(&pipe);
    let output = folder.path("f");
    assert_eq!(run(build_arguments(&output, &[&link])).code, 0);
    assert_eq!(fs::read(&output).unwrap(), expected);
    let done = thread::scope(|scope| {
        let done = scope.spawn(|| run(build_arguments(&output, &[&pipe])));
        // The writer comes later, and in pieces.
        thread::sleep(std::time::Duration::from_millis(100));
        let mut writer = fs::File::options().write(true).open(&pipe).unwrap();
        writer.write_all(b"elephant\n").unwrap();
        thread::sleep(std::time::Duration::from_millis(50));
        writer.write_all(b"monkey\n").unwrap();
        drop(writer);
        done.join().unwrap()
    });
    assert_eq!((done.code, fs::read(&output).unwrap()), (0, expected), "{done:?}");
}

/// A file found in a folder is not.
#[test]
fn links_and_pipes_in_a_folder_of_ranges_are_refused() {
    let folder = Folder::new();
    let range = format!("{}:1\n", "A".repeat(35));
    let link = |path: &Path| symlink("../range", path).unwrap();
    folder.file("range", &range);
    for (name, make) in [("a link", link as fn(&Path)), ("a pipe", make_pipe)] {
        let ranges = folder.path(name);
        fs::create_dir(&ranges).unwrap();
        fs::write(ranges.join("00000"), &range).unwrap();
        make(&ranges.join("00001"));
        let mut arguments = build_arguments(&folder.path("f"), &[&ranges]);
        arguments.extend(["--kind", "sha1"].map(PathBuf::from));
        let told = run(&arguments);
        assert!(told.error_line().contains("00001: is not a regular file"), "{name}: {told:?}");
    }
}

struct System {
    folder: Folder,
    lists: PathBuf,
}

impl System {
    fn new() -> System {
        let folder = Folder::new();
        let lists = folder.path("dict");
        fs::create_dir(&lists).unwrap();
        fs::write(lists.join("good"), "elephant\n").unwrap();
        System { folder, lists }
    }

    fn list(&self, name: &str, mode: u32) -> PathBuf {
        let path = self.lists.join(name);
        fs::write(&path, "quixotic\n").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        path
    }

    /// The words of the filter, what was left out and why, and the lines on stderr.
    fn update(&self, more: &[&str]) -> (u64, Vec<(String, String)>, Vec<String>) {
        let fixed = ["update", "--json", "--no-common", "--force", "--folder"].map(PathBuf::from);
        let output = self.folder.path("words.filter");
        let arguments = fixed.into_iter().chain([self.lists.clone(), "--output".into(), output]);
        let run = run(arguments.chain(more.iter().map(PathBuf::from)));
        assert_eq!(run.code, 0, "{run:?}");
        let told = run.json().remove(0);
        let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
        let name = |skip: &serde_json::Value| text(&skip["file"]).rsplit('/').next().unwrap().to_owned();
        let skipped =
            told["skipped"].as_array().unwrap().iter().map(|skip| (name(skip), text(&skip["reason"])));
        (told["words"].as_u64().unwrap(), skipped.collect(), run.err.lines().map(str::to_owned).collect())
    }
}

#[test]
fn an_update_reads_only_what_nobody_else_may_write() {
    let system = System::new();
    for (name, mode) in [("everybody", 0o666), ("group", 0o664)] {
        system.list(name, mode);
    }
    let others = "can be written by others; run chmod go-w on it";
    let (words, skipped, said) = system.update(&[]);
    assert_eq!(words, 1);
    assert_eq!(skipped, ["everybody", "group"].map(|name| (name.to_owned(), others.to_owned())));
    assert_eq!(said.len(), 2);
    assert!(
        said.iter().all(|line| line.starts_with("filterctl: ") && line.ends_with("; skipped [list-lost]")),
        "{said:?}"
    );
    let theirs = system.list("theirs", 0o644);
    if chown(&theirs, Some(4343), None).is_err() {
        eprintln!("SKIPPED: needs root: a list that belongs to another user");
        return;
    }
    let (words, skipped, _) = system.update(&[]);
    assert_eq!((words, skipped.len()), (1, 3));
    assert_eq!(skipped[2], ("theirs".to_owned(), "is not owned by root; chown it to root".to_owned()));
    chown(&theirs, Some(0), None).unwrap();
    assert_eq!(system.update(&[]).0, 2, "the same list, now root's");
}

#[test]
fn an_update_takes_nothing_from_a_folder_that_others_may_write() {
    let system = System::new();
    fs::set_permissions(&system.lists, fs::Permissions::from_mode(0o777)).unwrap();
    let fixed = ["update", "--no-common", "--folder"].map(PathBuf::from);
    let told = run(fixed.into_iter().chain([system.lists.clone(), "-o".into(), system.folder.path("f")]));
    assert_eq!(told.code, 2, "{told:?}");
    assert!(
        told.err.contains("/dict: can be written by others") && told.err.contains("; skipped"),
        "{told:?}"
    );
}

#[test]
fn an_update_is_not_held_up() {
    let system = System::new();
    make_pipe(&system.lists.join("pipe"));
    symlink("/etc/passwd", system.lists.join("link")).unwrap();
    fs::write(system.lists.join("bomb.gz"), gzip(&vec![0; MIB]).repeat(50)).unwrap();
    let (words, skipped, said) = system.update(&["--max-text", "1M"]);
    assert_eq!((words, said.len()), (1, 1), "{said:?}");
    let reason = |name: &str| skipped.iter().find(|(file, _)| file == name).unwrap().1.as_str();
    assert_eq!((reason("pipe"), reason("link")), ("is not a regular file", "is a symbolic link"));
    assert_eq!(
        reason("bomb.gz"),
        "has more than 1 MiB of text; if that is intended, raise the limit with --max-text"
    );
    assert_eq!(skipped.len(), 3);
}
