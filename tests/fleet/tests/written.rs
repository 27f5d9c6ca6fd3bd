//! The traces in a server of 48 known places: nothing with the recommended settings, and all that
//! it is looked for in with others.

use std::{
    fs,
    io::{Read, Write},
    net::TcpStream,
    thread,
    time::{Duration, Instant},
};

use nearmiss_filters::ladder::fleet::frame::{Op, Request};
use nearmiss_fleet_tests::{Agent, Descriptor, Server, careful, no_store, wait_for};
use nearmiss_tests::{filters::set_mode, skip::skipped};
use redis::Value;
use rustix::process::Signal;

use super::secrets::{BY_SOCKET, allow_agent, password_file};

/// The element whose places are looked for.
fn request(descriptor: &Descriptor) -> Request {
    let ladder = descriptor.open();
    let request = ladder.request(&ladder.element(b"known").unwrap(), Op::Step);
    assert_eq!(request.places.len(), 48);
    request
}

/// The bits of its shard that steps set, as numbers of a command.
fn bits(request: &Request) -> Vec<String> {
    let bit = |place: &u16| u32::from(*place) + 32_768 * (request.page % 16);
    request.places.iter().map(|place| (bit(place) / 8 * 8 + 7 - bit(place) % 8).to_string()).collect()
}

/// Steps until every rung is set.
fn step(server: &Server, request: &Request, more: &str) {
    let agent = Agent::start(&[server.address()], &format!("hot_elements = 0\n{more}"));
    while agent.ask_until_answered(request).height < 48 {}
}

/// The number of known positions among the words of these texts, as they are written between these marks.
fn found(texts: &[String], mark: &str, bits: &[String]) -> usize {
    let is_there = |bit: &&String| texts.iter().any(|text| text.contains(&format!("{mark}{bit}{mark}")));
    bits.iter().filter(is_there).count()
}

/// The texts of all files in a server's folder, and of those in a folder of it.
fn files(server: &Server) -> Vec<String> {
    let folders = [server.path(""), server.path("appendonlydir")];
    let entries = folders.iter().filter_map(|folder| fs::read_dir(folder).ok()).flatten().flatten();
    let files = entries.map(|entry| entry.path()).filter(|path| path.is_file());
    files.map(|path| String::from_utf8_lossy(&fs::read(path).unwrap()).into_owned()).collect()
}

#[test]
fn nothing_of_a_step_is_in_a_file_and_with_a_careless_setting_it_would_be() {
    if skipped(no_store()) {
        return;
    }
    let request = request(&Descriptor::guessed(19));
    let bits = bits(&request);
    let verbose = Server::with_functions(&[&careful()[..], &["--loglevel", "verbose"]].concat());
    step(&verbose, &request, "");
    let texts = files(&verbose);
    assert!(!texts.is_empty(), "there is a log");
    for mark in ["\r\n", "\"", "'", " "] {
        assert_eq!(found(&texts, mark, &bits), 0, "{mark:?}");
    }
    assert_eq!(verbose.ask(&["SLOWLOG", "LEN"]), Value::Int(0));
    assert!(!verbose.path("dump.rdb").exists() && !verbose.path("appendonlydir").exists());

    // About half of the rungs are zeros first: a step sets each of these.
    let careless = Server::with_functions(&[
        "--appendonly",
        "yes",
        "--appendfsync",
        "always",
        "--slowlog-log-slower-than",
        "0",
    ]);
    step(&careless, &request, "");
    assert!(found(&files(&careless), "\r\n", &bits) >= 10, "the append-only file has them");
    assert_ne!(careless.ask(&["SLOWLOG", "LEN"]), Value::Int(0));
}

/// The lines that MONITOR shows while steps are taken.
fn watched(server: &Server, login: Option<(&str, &str)>, steps: impl FnOnce()) -> String {
    let mut peer = TcpStream::connect(server.address()).unwrap();
    if let Some((user, password)) = login {
        write!(peer, "AUTH {user} \"{password}\"\r\n").unwrap();
    }
    peer.write_all(b"MONITOR\r\n").unwrap();
    peer.set_read_timeout(Some(Duration::from_millis(200))).unwrap();
    steps();
    let (mut shown, mut buffer) = (Vec::new(), [0; 1 << 14]);
    let end = Instant::now() + Duration::from_secs(3);
    while Instant::now() < end {
        match peer.read(&mut buffer) {
            Ok(count @ 1..) if shown.len() < 1 << 22 => shown.extend_from_slice(&buffer[..count]),
            _ => break,
        }
    }
    String::from_utf8_lossy(&shown).into_owned()
}

/// With the users of packaging/fleet/users.acl only the administrator can monitor.
#[test]
fn nobody_but_the_administrator_can_watch_steps() {
    if skipped(no_store()) {
        return;
    }
    let descriptor = Descriptor::guessed(19);
    let request = request(&descriptor);
    let bits = bits(&request);
    let server = Server::with_functions(&[&careful()[..], &BY_SOCKET].concat());
    allow_agent(&server);
    server.ask(&["ACL", "SETUSER", "replica", "on", ">replica", "-@all", "+psync", "+replconf", "+ping"]);
    server.ask(&["ACL", "SETUSER", "admin", "on", ">admin", "~*", "&*", "+@all"]);
    server.ask(&["ACL", "SETUSER", "default", "off"]);
    let folder = tempfile::tempdir().unwrap();
    set_mode(folder.path(), 0o755);
    let file = folder.path().join("password");
    let more = password_file(&file);
    set_mode(&file, 0o644);
    let agent = Agent::start(&[server.socket()], &format!("hot_elements = 0\n{more}"));
    let look = Request { op: Op::Height, ..request.clone() };
    agent.ask_until_answered(&look);
    let step = || {
        for _ in 0..12 {
            agent.ask_until_answered(&request);
        }
    };
    let password = fs::read_to_string(&file).unwrap();
    let agents = ("nmagent", password.trim());
    for login in [None, Some(agents), Some(("replica", "replica")), Some(("default", ""))] {
        let shown = watched(&server, login, step);
        assert!(shown.contains("NOAUTH") || shown.contains("NOPERM"), "{login:?}: {shown}");
        assert_eq!(found(&[shown], "\"", &bits), 0, "{login:?}");
    }
    // The control, on a server where everybody may do everything.
    let open = Server::with_functions(&careful());
    let agent = Agent::start(&[open.address()], "hot_elements = 0");
    agent.ask_until_answered(&look);
    let shown = watched(&open, None, || while agent.ask_until_answered(&request).height < 48 {});
    assert!(found(&[shown], "\"", &bits) >= 10, "MONITOR shows them");
}

/// A function that does not end, called as a step is: what a crash inside it has in its hands.
const ENDLESS: &str = "#!lua name=endless\n\
    redis.register_function('endless', function() local i = 0 while i < 1e15 do i = i + 1 end end)\n";

/// The number of runs of four positions, as bytes or as a log escapes them, in the log of a server that
/// crashed inside a step.
fn found_after_a_crash(options: &[&str], request: &Request) -> usize {
    let mut server = Server::start(&[&["--appendonly", "no", "--save", ""], options].concat());
    server.ask(&["FUNCTION", "LOAD", ENDLESS]);
    let places: Vec<u8> = request.places.iter().flat_map(|place| place.to_le_bytes()).collect();
    let mut connection = server.connect();
    let argument = places.clone();
    let caller = thread::spawn(move || {
        let mut call = redis::cmd("FCALL");
        call.arg("endless").arg(1).arg("nm1:{0.0}").arg(3).arg(argument).arg(12_345);
        call.query::<Value>(&mut connection)
    });
    // A server that waits for commands uses none of this.
    let (before, begun) = (server.processor_time(), Duration::from_millis(300));
    wait_for("a server inside the call", || server.processor_time() > before + begun);
    server.signal(Signal::SEGV);
    server.wait_for_end();
    assert!(caller.join().unwrap().is_err(), "it crashed inside the call");
    let log = fs::read(server.path("log")).unwrap();
    let has = |part: &[u8]| log.windows(part.len()).any(|window| window == part);
    places.windows(8).step_by(2).filter(|part| has(part) || has(escaped(part).as_bytes())).count()
}

/// As servers write bytes to a log.
fn escaped(bytes: &[u8]) -> String {
    let one = |byte: &u8| match byte {
        b'\\' | b'"' => format!("\\{}", char::from(*byte)),
        b'\n' => "\\n".to_owned(),
        b'\r' => "\\r".to_owned(),
        b'\t' => "\\t".to_owned(),
        7 => "\\a".to_owned(),
        8 => "\\b".to_owned(),
        b' '..=b'~' => char::from(*byte).to_string(),
        _ => format!("\\x{byte:02x}"),
    };
    bytes.iter().map(one).collect()
}

#[test]
fn a_crash_inside_a_step_leaves_nothing_in_the_log_unless_it_is_written() {
    if skipped(no_store()) {
        return;
    }
    let request = request(&Descriptor::guessed(19));
    let written = ["--crash-log-enabled", "yes", "--crash-memcheck-enabled", "no"];
    assert_eq!(found_after_a_crash(&["--crash-log-enabled", "no"], &request), 0);
    let server = Server::start(&careful());
    if server.has_setting("hide-user-data-from-log") {
        let hide = |value| [&written[..], &["--hide-user-data-from-log", value]].concat();
        assert_eq!(found_after_a_crash(&hide("yes"), &request), 0, "hidden");
        assert!(found_after_a_crash(&hide("no"), &request) >= 40, "the control");
    } else {
        assert!(found_after_a_crash(&written, &request) >= 40, "the control");
    }
}
