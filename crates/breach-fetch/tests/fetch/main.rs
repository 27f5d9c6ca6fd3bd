//! The program against servers of its own, good and bad: arguments in, filter, exit code and output out.
#![forbid(unsafe_code)]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "tests")]

mod bad_server;
mod corpus;
mod cut_off;
mod done;
mod failing;
mod hostile_http2;
#[path = "../../../cli/tests/common/json_reference.rs"]
mod json_reference;
mod oracle;
mod others;
mod outputs;
#[path = "../../../cli/tests/common/plantings.rs"]
#[allow(dead_code, reason = "shared")]
mod plantings;
mod refresh;
mod server;
mod units;

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use serde_json::Value;
use tempfile::TempDir;

use corpus::Corpus;
use server::Server;

/// The key of all filters that are compared.
const KEY: &str = "000102030405060708090a0b0c0d0e0f";

/// A file that is replaced as a filter.
const OLD: &[u8] = b"\x89NMF\r\n\x1a\n the old one";

/// A server, and a folder for what is fetched from it.
struct Scene {
    folder: TempDir,
    server: Server,
}

/// The end of a run.
#[derive(Debug)]
struct Run {
    code: Option<i32>,
    out: String,
    err: String,
}

impl Scene {
    /// A server of this corpus without TLS.
    fn of(corpus: Corpus) -> Scene {
        Scene { folder: tempfile::tempdir().unwrap(), server: Server::start(corpus, None) }
    }

    /// The same with TLS.
    fn with_tls(corpus: Corpus) -> Scene {
        let folder = tempfile::tempdir().unwrap();
        let server = Server::start(corpus, Some(&folder.path().join("ca.pem")));
        Scene { folder, server }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn filter(&self) -> PathBuf {
        self.path("f/leaked.filter")
    }

    /// The program for the filter, with more arguments.
    fn command(&self, more: &[&str]) -> Command {
        let mut command = program(&self.filter(), &self.server.base(), self.server.corpus().digits);
        if self.server.is_tls {
            command.arg("--ca-file").arg(self.path("ca.pem"));
        }
        if self.server.corpus().digest_bytes == 16 {
            command.args(["--kind", "ntlm"]);
        }
        command.args(more);
        command
    }

    fn run(&self, more: &[&str]) -> Run {
        end_of(&mut self.command(more))
    }

    /// A run that ends well: its report.
    fn done(&self, more: &[&str]) -> Value {
        let run = self.run(&[more, &["--json"]].concat());
        assert_eq!((run.code, run.err.as_str()), (Some(0), ""), "{run:?}");
        let report = serde_json::from_str(&run.out).unwrap();
        json_reference::assert_described("nearmiss-fetch", &[], &report);
        report
    }

    fn bytes(&self) -> Vec<u8> {
        fs::read(self.filter()).unwrap()
    }

    /// The files in the folder of the filter.
    fn files(&self) -> Vec<String> {
        let entries = fs::read_dir(self.filter().parent().unwrap()).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

/// The program with what every test gives it.
fn program(filter: &Path, base: &str, digits: u8) -> Command {
    let _ = fs::create_dir(filter.parent().unwrap());
    let mut command = Command::new(env!("CARGO_BIN_EXE_nearmiss-fetch"));
    command.arg("--output").arg(filter).args(["--url", base, "--digits", &digits.to_string()]);
    command.args(["--retry-delay", "0.01", "--key", KEY]);
    command
}

fn end_of(command: &mut Command) -> Run {
    let output = command.stdin(Stdio::null()).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Run { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
}
