//! Peers that are not Rust crates: small C programs over their libraries, and their own tools.

use std::{
    fs::File,
    io::Write,
    path::Path,
    process::{Command, Stdio},
};

use crate::work::{self, Work};

/// Runs a command with `input` and answers its standard output; its last word on standard error when it
/// fails.
pub fn output(command: &mut Command, input: &[u8]) -> Result<String, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let failed = |error: std::io::Error| format!("{name}: {error}");
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(failed)?;
    let mut pipe = child.stdin.take().ok_or("no pipe")?;
    let input = input.to_vec();
    let writer = std::thread::spawn(move || drop(pipe.write_all(&input)));
    let output = child.wait_with_output().map_err(failed)?;
    writer.join().map_err(|_| "the writer failed")?;
    if output.status.code().is_none_or(|code| code > 1) {
        return Err(format!("{name}: {}", String::from_utf8_lossy(&output.stderr).trim()));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Nanoseconds a query that one of our C programs measured for a peer.
pub fn ask(work: &Work, program: &str, arguments: &[&Path], queries: &[String]) -> f64 {
    let mut command = Command::new(work.path("bin").join(program));
    command.args(arguments);
    let answer = output(&mut command, (queries.join("\n") + "\n").as_bytes()).expect("a peer's answer");
    answer.split_whitespace().next().and_then(|time| time.parse().ok()).expect("a time")
}

/// cracklib's dictionary of a list: the path without its three endings.
pub fn cracklib(work: &Work, list: &Path, name: &str) -> std::path::PathBuf {
    let path = work.path(name);
    let mut command = Command::new(work.path("peers/usr/sbin/cracklib-packer"));
    command.arg(&path);
    let mut words: Vec<Vec<u8>> =
        std::fs::read(list).expect("a list").split(|&b| b == b'\n').map(<[u8]>::to_vec).collect();
    words.sort();
    output(&mut command, &words.join(&b'\n')).expect("cracklib-packer");
    path
}

/// passwdqc's filter of a list.
pub fn pwqfilter(work: &Work, list: &Path, words: usize) -> std::path::PathBuf {
    let path = work.path("peer.pwq");
    let _ = std::fs::remove_file(&path);
    let mut command = Command::new(work.path("peers/usr/bin/pwqfilter"));
    command.arg(format!("--create={}", words * 103 / 100)).arg("-o").arg(&path);
    command.stdin(File::open(list).expect("a list"));
    let status = command.stderr(Stdio::null()).status().expect("pwqfilter");
    assert!(status.success(), "pwqfilter --create");
    path
}

/// krb5-strength's database of a list.
pub fn strength(work: &Work, list: &Path) -> std::path::PathBuf {
    let path = work.path("strength.sqlite");
    if !path.exists() {
        let part = work.path("strength.part");
        let _ = std::fs::remove_file(&part);
        let mut command = Command::new(work.path("bin/strength"));
        command.arg("build").arg(&part);
        output(&mut command, &std::fs::read(list).expect("a list")).expect("SQLite");
        std::fs::rename(&part, &path).expect("a database");
    }
    path
}

/// Nanoseconds of one `tre-agrep -1` over a list, for a query of letters and digits.
pub fn agrep(work: &Work, list: &Path, query: &str) -> f64 {
    let mut command = Command::new(work.path("peers/usr/bin/tre-agrep"));
    command.env("LC_ALL", "C").arg("-1").arg("-y").arg(format!("^{query}$")).arg(list);
    let start = std::time::Instant::now();
    output(&mut command, b"").expect("tre-agrep");
    start.elapsed().as_nanos() as f64
}

/// Bytes of a file, 0 when there is none.
pub fn size(path: &Path) -> f64 {
    path.metadata().map_or(0.0, |metadata| metadata.len() as f64)
}

/// Writes a list for a peer.
pub fn list_file(work: &Work, name: &str, text: &[u8]) -> std::path::PathBuf {
    let path = work.path(name);
    work::write(&path, text);
    path
}
