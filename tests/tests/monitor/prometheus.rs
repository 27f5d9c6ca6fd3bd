//! A real Prometheus with samples of the past: blocks that promtool makes, a server on a free port, queries.

use std::{
    collections::BTreeMap,
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
    time::Instant,
};

use nearmiss_tests::{
    HANGS,
    artifacts::workspace,
    process::{Process, bound_to_this_test},
    sshd::program,
};
use serde_json::{Value, json};

/// The server and its tool: this machine's, or unpacked beside the build (`tools/unpack.sh`).
pub(super) fn programs() -> Option<(PathBuf, PathBuf)> {
    Some((program("/usr/bin/prometheus")?, program("/usr/bin/promtool")?))
}

/// A folder of blocks and the programs that make and read them.
pub(super) struct Data {
    folder: PathBuf,
    server: PathBuf,
    tool: PathBuf,
}

/// A sample of the answer to a query.
pub(super) struct Found {
    pub(super) labels: BTreeMap<String, String>,
    pub(super) value: f64,
}

impl Found {
    /// A label; empty if there is none.
    pub(super) fn label(&self, name: &str) -> &str {
        self.labels.get(name).map_or("", String::as_str)
    }
}

impl Data {
    /// Blocks with the samples of a file up to `end`, and with the time since which each alert has been
    /// active, as a server records it: it looks there after a restart.
    pub(super) fn new((server, tool): (PathBuf, PathBuf), folder: &Path, samples: &Path, end: u64) -> Data {
        let data = Data { folder: folder.to_owned(), server, tool };
        let made = folder.join("data");
        data.promtool(&["tsdb", "create-blocks-from", "openmetrics"], &[samples, &made]);
        let server = data.start("1h");
        let rules = folder.join("since.rules");
        fs::write(&rules, since(&server).to_string()).expect("written");
        let (start, end) = (format!("--start={}", end - 600), format!("--end={end}"));
        let (url, out) =
            (format!("--url=http://{}", server.address), format!("--output-dir={}", made.display()));
        let wanted = ["tsdb", "create-blocks-from", "rules", &start, &end, &url, &out, "--eval-interval=60s"];
        data.promtool(&wanted, &[&rules]);
        data
    }

    fn promtool(&self, words: &[&str], files: &[&Path]) {
        let done = Command::new(&self.tool).args(words).args(files).output().expect("promtool");
        assert!(
            done.status.success(),
            "{words:?}: {}",
            String::from_utf8_lossy(&[done.stdout, done.stderr].concat())
        );
    }

    /// A server with the rules and the page that are shipped.
    pub(super) fn start(&self, interval: &str) -> Server {
        let shipped = workspace().join("packaging/monitor");
        let config = json!({
            "global": {"evaluation_interval": interval},
            "rule_files": [shipped.join("nearmiss.rules.yml")],
        });
        let file = self.folder.join("prometheus.yml");
        fs::write(&file, config.to_string()).expect("written");
        let mut child = bound_to_this_test(&self.server)
            .arg(format!("--config.file={}", file.display()))
            .arg(format!("--storage.tsdb.path={}", self.folder.join("data").display()))
            .arg(format!("--web.console.templates={}", shipped.display()))
            // What was active before a restart goes on.
            .args(["--web.listen-address=127.0.0.1:0", "--rules.alert.for-grace-period=0s"])
            .stderr(Stdio::piped())
            .spawn()
            .expect("prometheus");
        let mut lines = BufReader::new(child.stderr.take().expect("a pipe")).lines();
        let process = Process::of(child);
        let mut told = Vec::new();
        let address = loop {
            let line = lines.next().unwrap_or_else(|| panic!("it ends: {told:?}")).expect("text");
            if let Some((_, address)) = line.split_once("msg=\"Listening on\" address=") {
                break address.to_owned();
            }
            told.push(line);
        };
        // A full pipe would stop it.
        thread::spawn(move || lines.for_each(drop));
        let server = Server { address, _process: process };
        server.wait_until(|server| match server.get("/-/ready") {
            (200, _) => Ok(()),
            told => Err(format!("{told:?}")),
        });
        server
    }
}

/// Rules that record since when the alerts of a server are active.
fn since(server: &Server) -> Value {
    let (_, text) = server.get("/api/v1/rules?type=alert");
    let told: Value = serde_json::from_str(&text).expect("JSON");
    let groups = told["data"]["groups"].as_array().expect("groups");
    let rules = groups.iter().flat_map(|group| group["rules"].as_array().expect("rules"));
    let record = |rule: &Value| {
        let mut labels = rule["labels"].clone();
        labels["alertname"] = rule["name"].clone();
        let expression = rule["query"].as_str().expect("an expression");
        json!({
            "record": "ALERTS_FOR_STATE", "labels": labels,
            "expr": format!("min_over_time(timestamp({expression})[150m:1m])"),
        })
    };
    json!({"groups": [{"name": "since", "rules": rules.map(record).collect::<Vec<_>>()}]})
}

/// A running server.
pub(super) struct Server {
    address: String,
    _process: Process,
}

impl Server {
    /// Status and body of the answer to a request.
    pub(super) fn get(&self, path: &str) -> (u32, String) {
        let mut stream = TcpStream::connect(&self.address).expect("it listens");
        write!(stream, "GET {path} HTTP/1.0\r\nHost: {}\r\n\r\n", self.address).expect("sent");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
        (status, body.to_owned())
    }

    /// The samples that a query gives now.
    pub(super) fn query(&self, expression: &str) -> Vec<Found> {
        let (status, text) = self.get(&format!("/api/v1/query?query={}", encoded(expression)));
        assert_eq!(status, 200, "{expression}: {text}");
        let told: Value = serde_json::from_str(&text).expect("JSON");
        let result = told["data"]["result"].as_array().expect("a vector");
        let number = |sample: &Value| sample["value"][1].as_str().and_then(|text| text.parse().ok());
        let found = result.iter().map(|sample| Found {
            labels: serde_json::from_value(sample["metric"].clone()).expect("labels"),
            value: number(sample).expect("a number"),
        });
        found.collect()
    }

    /// The one value that a query gives now; none if it gives nothing.
    pub(super) fn number(&self, expression: &str) -> Option<f64> {
        self.query(expression).first().map(|found| found.value)
    }

    /// Asks again and again until something is so; it gives what is so instead.
    pub(super) fn wait_until(&self, is_so: impl Fn(&Server) -> Result<(), String>) {
        let end = Instant::now() + HANGS;
        while let Err(instead) = is_so(self) {
            assert!(Instant::now() < end, "{instead}");
            thread::yield_now();
        }
    }
}

/// A text as a value in the query of an address.
pub(super) fn encoded(text: &str) -> String {
    let byte = |byte: u8| match byte {
        byte if byte.is_ascii_alphanumeric() => char::from(byte).to_string(),
        byte => format!("%{byte:02X}"),
    };
    text.bytes().map(byte).collect()
}
