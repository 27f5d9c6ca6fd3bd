//! A reader of the output that goes away ends neither the work nor what the exit status says of it.

use std::{
    fs,
    io::Write,
    os::{fd::OwnedFd, unix::net::UnixStream},
    process::{Command, Stdio},
};

use crate::Folder;

/// The exit status of the command, whose output nobody reads, and its messages.
fn unread(arguments: &[&str], input: &[u8]) -> (i32, String) {
    let (reader, writer) = UnixStream::pair().unwrap();
    drop(reader);
    let mut command = Command::new(env!("CARGO_BIN_EXE_filterctl"));
    command.args(arguments).stdin(Stdio::piped()).stdout(OwnedFd::from(writer)).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    let output = child.wait_with_output().unwrap();
    (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn the_status_is_that_of_all_the_work() {
    let folder = Folder::new();
    let filter = folder.filter("elephant\npassword\n");
    let filter = filter.to_str().unwrap();
    let check = ["check", "--filter", filter, "--json"];
    let many = b"Vq7#mzt0Lp2x\n".repeat(50_000);
    for (arguments, input, status) in [
        (&check[..], &b"elephant\n"[..], 1),
        (&check, &[&many[..], b"elephant\n"].concat(), 1),
        (&check, &many, 0),
        (&["verify", filter], b"", 0),
        (&["info", filter, "--json"], b"", 0),
        (&["--help"], b"", 0),
    ] {
        assert_eq!(unread(arguments, input), (status, String::new()), "{arguments:?}");
    }
    damage(filter);
    assert_eq!(unread(&["verify", filter], b"").0, 1);
}

fn damage(file: &str) {
    let mut bytes = fs::read(file).unwrap();
    let last = bytes.last_mut().unwrap();
    *last ^= 1;
    fs::write(file, bytes).unwrap();
}

/// Both filters are built, and both are looked at: the first has a report that nobody reads.
#[test]
fn what_comes_after_the_first_report_is_done() {
    let folder = Folder::new();
    fs::create_dir(folder.path("dict")).unwrap();
    folder.file("dict/words", "elephant\n");
    let [near, exact, record] =
        ["near", "exact", "record"].map(|name| folder.path(name).display().to_string());
    let settings = format!(
        "packaged = false\n[[dictionary]]\nfile = {near:?}\n[[dictionary]]\nfile = {exact:?}\n\
         [update]\nfolders = [{:?}]\n",
        folder.path("dict").display().to_string()
    );
    let conf = folder.file("n.conf", settings).display().to_string();
    let update = ["update", "--conf", &conf, "--output", &near, "--exact", &exact];
    assert_eq!(unread(&update, b"").0, 0);
    let verify = ["verify", "--all", "--conf", &conf, "--record", &record];
    assert_eq!(unread(&verify, b""), (0, String::new()));
    damage(&exact);
    assert_eq!(unread(&verify, b"").0, 1);
    let recorded = fs::read_to_string(record).unwrap();
    assert!(recorded.contains(&exact) && recorded.contains("the checksum is wrong"), "{recorded}");
}

/// The exit status and the messages of the command, which a shell starts with these redirections.
fn redirected(redirections: &str, arguments: &[&str]) -> (i32, String) {
    let script = format!("exec \"$0\" \"$@\" {redirections}");
    let mut command = Command::new("sh");
    let output = command.args(["-c", &script, env!("CARGO_BIN_EXE_filterctl")]).args(arguments).output();
    let output = output.unwrap();
    (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
}

/// Nobody sees the report: that is no success. Where nothing is to be printed, nothing fails.
#[test]
fn a_report_without_standard_output_is_an_error() {
    let folder = Folder::new();
    let (list, filter) = (folder.file("list", "elephant\n"), folder.path("f"));
    let [list, filter] = [list, filter].map(|path| path.display().to_string());
    assert_eq!(redirected(">&-", &["build", "-q", "-o", &filter, &list]), (0, String::new()));
    let closed = "cannot write to standard output: it is closed [file-unwritable]\n";
    for redirections in [">&-", ">&- <&-"] {
        for arguments in [&["info", &filter][..], &["info", "--json", &filter], &["--help"]] {
            let told = redirected(redirections, arguments);
            assert_eq!(told, (2, format!("filterctl: {closed}")), "{redirections} {arguments:?}");
        }
    }
    assert_eq!(redirected(">&- 2>&-", &["info", &filter]), (2, String::new()));
    let built = redirected(">&-", &["build", "-o", &filter, &list]);
    assert_eq!(built, (2, format!("filterctl: {filter} was replaced, but {closed}")));
    for nowhere in [">/dev/null", "1<>/dev/null"] {
        assert_eq!(redirected(nowhere, &["info", &filter]), (0, String::new()), "{nowhere}");
    }
}
