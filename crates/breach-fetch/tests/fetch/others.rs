//! Programs that others wrote, beside this one: curl fills a mirror, nginx serves it as the page for
//! administrators has it, and hibp-downloader gets the same digests.

use std::{
    fs,
    io::{BufRead, BufReader},
    net::{TcpListener, TcpStream},
    path::Path,
    process::{Child, Command, Stdio},
};

use crate::{Scene, corpus::Corpus, end_of, program};

/// False, and says so, where one of these commands cannot be run.
#[allow(clippy::print_stdout, reason = "what is left out is said")]
fn are_here(commands: &[&[&str]]) -> bool {
    commands.iter().all(|command| {
        let mut process = Command::new(command[0]);
        let output = process.args(&command[1..]).stdin(Stdio::null()).output();
        let is_here = output.is_ok_and(|output| output.status.success());
        if !is_here {
            println!("SKIPPED: {} cannot be run here", command.join(" "));
        }
        is_here
    })
}

/// Fills a folder with the ranges of a server by the command of the page.
fn filled_by_curl(folder: &Path, scene: &Scene) {
    fs::create_dir_all(folder).unwrap();
    let digit = "{0,1,2,3,4,5,6,7,8,9,A,B,C,D,E,F}";
    let status = Command::new("curl")
        .args(["--silent", "--show-error", "--parallel", "--parallel-max", "64", "--fail", "--compressed"])
        .args(["--remote-time", "--cacert"])
        .arg(scene.path("ca.pem"))
        .args(["--output", "#1#2", &format!("{}/range/{digit}{digit}", scene.server.base())])
        .current_dir(folder)
        .stdout(Stdio::null())
        .status();
    assert!(status.unwrap().success());
    assert_eq!(fs::read_dir(folder).unwrap().count(), 256);
}

/// nginx, ended with the test.
struct Nginx(Child);

impl Drop for Nginx {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// nginx with the configuration of the page, at another place, with another certificate.
fn nginx(folder: &Path, port: u16) -> Nginx {
    let page = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/breaches.md")).unwrap();
    let lines = page.lines().skip_while(|line| !line.contains("conf.d/pwned.conf"));
    let server: String =
        lines.take_while(|line| line.starts_with("    ")).map(|line| format!("{line}\n")).collect();
    let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    fs::write(folder.join("nginx.pem"), made.cert.pem()).unwrap();
    fs::write(folder.join("nginx.key"), made.signing_key.serialize_pem()).unwrap();
    let place = folder.to_str().unwrap();
    let changes = [
        ("listen 443", format!("listen 127.0.0.1:{port}")),
        ("/etc/ssl/mirror.pem", format!("{place}/nginx.pem")),
        ("/etc/ssl/private/mirror.key", format!("{place}/nginx.key")),
        ("/srv/pwned", format!("{place}/pwned")),
    ];
    let server = changes.into_iter().fold(server, |text, (from, to)| {
        assert!(text.contains(from), "{from}: {text}");
        text.replace(from, &to)
    });
    let temporary: String = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
        .iter()
        .map(|name| format!("{name}_temp_path {place}/{name};\n"))
        .collect();
    let text = format!(
        "user root;\ndaemon off;\npid {place}/pid;\nerror_log {place}/errors;\nevents {{}}\n\
         http {{\naccess_log {place}/log;\n{temporary}{server}}}\n"
    );
    fs::write(folder.join("nginx.conf"), text).unwrap();
    let mut command = Command::new("nginx");
    command.args([
        "-e",
        "stderr",
        "-c",
        &format!("{place}/nginx.conf"),
        "-p",
        place,
        "-g",
        "master_process off;",
    ]);
    Nginx(command.stdout(Stdio::null()).spawn().unwrap())
}

#[test]
#[ignore = "needs curl and nginx"]
fn a_folder_that_curl_filled_and_nginx_serves_is_a_mirror() {
    if !are_here(&[&["curl", "--version"], &["nginx", "-v"]]) {
        return;
    }
    let scene = Scene::with_tls(Corpus::new(2, 200));
    filled_by_curl(&scene.path("pwned/range"), &scene);
    scene.done(&[]);
    let filter = scene.path("g/leaked.filter");
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let _nginx = nginx(scene.folder.path(), address.port());
    assert!((0..1_000_000).any(|_| TcpStream::connect(address).is_ok()), "nginx listens");
    let base = format!("https://localhost:{}", address.port());
    let fetch = || {
        let mut command = program(&filter, &base, 2);
        let run = end_of(command.arg("--json").arg("--ca-file").arg(scene.path("nginx.pem")));
        assert_eq!(run.code, Some(0), "{run:?}");
        serde_json::from_str::<serde_json::Value>(&run.out).unwrap()
    };
    assert_eq!(fetch()["fetched"], 256);
    assert!(fs::read(&filter).unwrap() == scene.bytes(), "from the mirror as from the server");
    let log = fs::read_to_string(scene.path("log")).unwrap();
    assert_eq!(log.lines().filter(|line| line.contains("HTTP/2.0\" 200")).count(), 256, "{log}");
    let again = fetch();
    assert_eq!((&again["unchanged"], &again["fetched"]), (&256.into(), &0.into()));
    // One file is replaced: its group of 16 ranges is fetched.
    scene.server.corpus().change(0x42);
    fs::write(scene.path("pwned/range/42"), scene.server.corpus().text(0x42)).unwrap();
    assert_eq!(fetch()["fetched"], 16);
    scene.done(&[]);
    assert!(fs::read(&filter).unwrap() == scene.bytes());
    println!("torture: a mirror that curl filled and nginx serves: the same filter");
}

#[test]
#[ignore = "needs hibp-downloader of PyPI"]
fn hibp_downloader_gets_the_digests_that_are_stored_here() {
    if !are_here(&[&["python3", "-c", "import hibp_downloader"]]) {
        return;
    }
    let scene = Scene::of(Corpus::new(5, 30));
    let place = scene.path("hibp");
    fs::create_dir(&place).unwrap();
    let script = format!(
        "import sys, hibp_downloader as h; h.PWNEDPASSWORDS_API_URL = '{}'\n\
         from hibp_downloader.main import entrypoint\nentrypoint()",
        scene.server.base()
    );
    let hibp = |arguments: &[&str]| {
        let mut command = Command::new("python3");
        command.args(["-c", &script, "--quiet", "--data-path", place.to_str().unwrap()]).args(arguments);
        let run = end_of(&mut command);
        assert_eq!(run.code, Some(0), "{run:?}");
    };
    hibp(&["download", "--first-hash", "00000", "--last-hash", "000ff"]);
    let list = scene.path("list");
    hibp(&[
        "generate",
        "--filename",
        list.to_str().unwrap(),
        "--first-hash",
        "00000",
        "--last-hash",
        "000ff",
    ]);
    let mut lines: Vec<String> = BufReader::new(fs::File::open(&list).unwrap())
        .lines()
        .map(|line| line.unwrap().trim().to_ascii_uppercase())
        .filter(|line| !line.is_empty() && !line.ends_with(":0"))
        .collect();
    lines.sort();
    let hex = |digest: &[u8]| digest.iter().map(|byte| format!("{byte:02X}")).collect::<String>();
    let mut stored: Vec<String> = (0..256)
        .flat_map(|range| scene.server.corpus().digests(range))
        .map(|(digest, count)| format!("{}:{count}", hex(&digest)))
        .collect();
    stored.sort();
    assert_eq!(lines.len(), 256 * 30);
    assert!(lines == stored);
    println!("torture: {} digests by hibp-downloader: the same", lines.len());
}
