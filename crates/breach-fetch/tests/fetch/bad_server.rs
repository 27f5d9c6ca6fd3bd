//! Faulty servers: each fault is refused with its own message, and nothing is changed.

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    net::{Ipv4Addr, TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
};

use crate::{
    Run, Scene,
    corpus::Corpus,
    end_of, program,
    server::{gzip, status},
};

/// The bytes of a response, for the text of the range.
type Wrong = Box<dyn Fn(&str) -> Vec<u8> + Send + Sync>;

/// Serves a corpus of two digits, with `wrong` for range 11.
fn serve(wrong: Wrong) -> String {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let base = format!("http://localhost:{}", listener.local_addr().unwrap().port());
    let shared = Arc::new((Corpus::new(2, 40), wrong));
    thread::spawn(move || {
        for stream in listener.incoming() {
            let (Ok(stream), shared) = (stream, Arc::clone(&shared)) else { return };
            thread::spawn(move || converse(stream, &shared.0, &shared.1));
        }
    });
    base
}

fn converse(mut stream: TcpStream, corpus: &Corpus, wrong: &Wrong) -> Option<()> {
    let mut lines = BufReader::new(stream.try_clone().ok()?).lines();
    loop {
        let question = lines.next()?.ok()?;
        let range = u32::from_str_radix(question.split(['/', ' ']).nth(3)?, 16).ok()?;
        while !lines.next()?.ok()?.is_empty() {}
        let text = corpus.text(range);
        let answer = if range == 0x11 { wrong(&text) } else { answer(text.as_bytes(), "") };
        let is_right = range != 0x11;
        stream.write_all(&answer).ok()?;
        // A faulty response may end without notice.
        if !is_right {
            return None;
        }
    }
}

/// A complete response with further header lines.
fn answer(body: &[u8], more: &str) -> Vec<u8> {
    let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n{more}\r\n", body.len());
    [head.as_bytes(), body].concat()
}

/// A status without a body. It announces the end of the connection, which a client that retries at once would
/// otherwise reuse.
fn error(status: &str, more: &str) -> Wrong {
    let text = format!("HTTP/1.1 {status}\r\nConnection: close\r\nContent-Length: 0\r\n{more}\r\n");
    Box::new(move |_| text.clone().into_bytes())
}

/// A body derived from the correct one.
fn body(change: impl Fn(&str) -> String + Send + Sync + 'static) -> Wrong {
    Box::new(move |text| answer(change(text).as_bytes(), ""))
}

#[allow(clippy::too_many_lines, reason = "one line a case")]
fn cases() -> Vec<(&'static str, &'static str, Wrong)> {
    let raw = |bytes: &'static [u8]| -> Wrong { Box::new(move |_| bytes.to_vec()) };
    let encoded = |name: &'static str, make: fn(&str) -> Vec<u8>| -> Wrong {
        Box::new(move |text| answer(&make(text), &format!("Content-Encoding: {name}\r\n")))
    };
    vec![
        ("empty", "contains no digest", body(|_| String::new())),
        ("a line end alone", "contains no digest", body(|_| "\r\n".to_owned())),
        ("padding alone", "contains no digest", body(|_| format!("{:038X}:0", 7))),
        ("cut in a line", "truncated or not a range", body(|text| text[..text.len() / 2 + 7].to_owned())),
        ("cut in a count", "truncated or not a range", body(|text| text[..39].to_owned())),
        ("a page for people", "is a web page, not a range", body(|_| "<html>login</html>".to_owned())),
        ("no counts", "truncated or not a range", body(|text| text.replace(':', "\r\n"))),
        ("a negative count", "truncated or not a range", body(|text| text.replacen(':', ":-", 1))),
        (
            "a huge count",
            "truncated or not a range",
            body(|text| text.replacen(':', ":9999999999999999999", 1)),
        ),
        ("no digits", "truncated or not a range", body(|text| text.replace(['A', 'B', 'C'], "G"))),
        ("NUL bytes", "truncated or not a range", body(|text| "\0".repeat(text.len()))),
        (
            "digests of another kind",
            "truncated or not a range",
            body(|text| text.replace("\r\n", "\r\n0000")),
        ),
        (
            "unsorted",
            "is not in ascending order",
            body(|text| {
                let mut lines: Vec<&str> = text.split("\r\n").collect();
                lines.swap(3, 7);
                lines.join("\r\n")
            }),
        ),
        (
            "whole digests of another range",
            "belongs to another range",
            body(|text| text.split("\r\n").map(|line| format!("12{line}\r\n")).collect()),
        ),
        (
            "the content of the range before",
            "the response repeats range 10",
            body(|_| Corpus::new(2, 40).text(0x10)),
        ),
        ("larger than any range", "larger than 4 MiB", body(|text| text.repeat(4 << 20 >> 9))),
        (
            "unpacked larger than any range",
            "larger than 4 MiB",
            encoded("gzip", |text| gzip(text.repeat(4 << 20 >> 9).as_bytes())),
        ),
        (
            "damaged gzip",
            "compressed response is damaged",
            encoded("gzip", |text| {
                let mut packed = gzip(text.as_bytes());
                let middle = packed.len() / 2;
                packed[middle] ^= 0x55;
                packed
            }),
        ),
        (
            "cut gzip",
            "compressed response is damaged",
            encoded("gzip", |text| {
                let packed = gzip(text.as_bytes());
                packed[..packed.len() - 5].to_vec()
            }),
        ),
        ("no gzip", "compressed response is damaged", encoded("gzip", |text| text.as_bytes().to_vec())),
        ("no brotli", "compressed response is damaged", encoded("br", |text| text.as_bytes().to_vec())),
        (
            "another encoding",
            "the encoding 'zstd', which was not requested",
            encoded("zstd", |text| text.as_bytes().to_vec()),
        ),
        (
            "no length",
            "the response has no length",
            Box::new(|text| [b"HTTP/1.1 200 OK\r\n\r\n", text.as_bytes()].concat()),
        ),
        ("not modified unasked", "'not modified' to an unconditional request", error("304 Not Modified", "")),
        ("not found", "status 404", error("404 Not Found", "")),
        ("forbidden", "status 403", error("403 Forbidden", "")),
        ("no content", "status 204", error("204 No Content", "")),
        ("a part", "status 206", error("206 Partial Content", "")),
        ("a redirect to http", "redirects to", error("302 Found", "Location: http://localhost/range/11\r\n")),
        (
            "a redirect to another host",
            "redirects to",
            error("301 Moved Permanently", "Location: https://other.example/range/11\r\n"),
        ),
        ("a redirect to a file", "status 302", error("302 Found", "Location: file:///etc/passwd\r\n")),
        ("a redirect to nowhere", "status 302", error("302 Found", "")),
        ("overloaded", "status 503 (tried 5 times)", error("503 Service Unavailable", "")),
        (
            "too many questions",
            "status 429 (tried 5 times)",
            error("429 Too Many Requests", "Retry-After: 0\r\n"),
        ),
        (
            "no waiting",
            "to retry after 86400 seconds",
            error("503 Service Unavailable", "Retry-After: 86400\r\n"),
        ),
        ("closed at once", "(tried 5 times)", raw(b"")),
        ("another protocol", "(tried 5 times)", raw(b"SSH-2.0-OpenSSH_9.2\r\n")),
        (
            "cut behind its head",
            "(tried 5 times)",
            Box::new(|text| {
                let whole = answer(text.as_bytes(), "");
                whole[..whole.len() - 30].to_vec()
            }),
        ),
        (
            "cut in a chunk",
            "(tried 5 times)",
            Box::new(|text| {
                let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
                format!("{head}{:x}\r\n{text}\r\n", text.len()).into_bytes()
            }),
        ),
    ]
}

#[test]
fn each_is_refused_by_name_and_the_old_filter_stays() {
    thread::scope(|scope| {
        for (name, reason, wrong) in cases() {
            scope.spawn(move || {
                let folder = tempfile::tempdir().unwrap();
                let filter = folder.path().join("f/leaked.filter");
                let base = serve(wrong);
                fs::create_dir(filter.parent().unwrap()).unwrap();
                fs::write(&filter, crate::OLD).unwrap();
                let Run { code, out, err } = end_of(&mut program(&filter, &base, 2));
                assert_eq!((code, out.as_str()), (Some(1), ""), "{name}: {err}");
                assert!(err.contains("range 11: ") && err.contains(reason), "{name}: {err}");
                assert!(
                    err.contains("of 256 ranges are missing") && err.lines().count() == 1,
                    "{name}: {err}"
                );
                assert_eq!(fs::read(&filter).unwrap(), crate::OLD, "{name}");
            });
        }
    });
}

#[test]
fn what_passes_is_waited_for() {
    let scene = Scene::of(Corpus::new(2, 40));
    let tries = Mutex::new([0; 256]);
    scene.server.hook(move |_, range| {
        let mut tries = tries.lock().unwrap();
        tries[range as usize] += 1;
        (tries[range as usize] < 5 && range % 3 == 0).then(|| status(503))
    });
    scene.done(&[]);
    assert_eq!(scene.server.counts().take()[2], 256);
}

#[test]
fn a_server_that_is_not_the_one_is_not_asked() {
    let scene = Scene::with_tls(Corpus::new(2, 40));
    let plain = program(&scene.filter(), &scene.server.base(), 2);
    let mut command = plain;
    let run = end_of(&mut command);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.err.contains("invalid peer certificate") && run.err.contains("UnknownIssuer"), "{run:?}");
    let numbered = scene.server.base().replace("localhost", "127.0.0.1");
    let run = end_of(program(&scene.filter(), &numbered, 2).arg("--ca-file").arg(scene.path("ca.pem")));
    assert!(run.code == Some(1) && run.err.contains("certificate not valid for name"), "{run:?}");
    assert_eq!(scene.server.counts().take()[0], 0);
}

#[test]
fn what_is_not_begun_says_so_with_another_status() {
    let scene = Scene::of(Corpus::new(2, 40));
    let filter = scene.filter();
    for (base, reason) in [
        ("http://mirror.example", "use https, or --insecure-http"),
        ("https://user:secret@mirror.example", "password in the URL"),
        ("ftp://mirror.example", "use https"),
        ("mirror", "is not a URL"),
    ] {
        let run = end_of(&mut program(&filter, base, 2));
        assert_eq!(run.code, Some(2), "{run:?}");
        assert!(run.err.contains(reason) && run.err.lines().count() == 1, "{run:?}");
        assert!(!run.err.contains("secret"), "{run:?}");
    }
    let nowhere = scene.path("none/leaked.filter");
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_nearmiss-fetch"));
    let run = end_of(command.arg("--output").arg(&nowhere).args(["--url", &scene.server.base()]));
    assert_eq!(run.code, Some(2), "{run:?}");
}

/// Such a run ends before its first request, and after it noted that it has not ended.
#[test]
fn a_run_that_cannot_begin_leaves_its_reason() {
    let scene = Scene::of(Corpus::new(2, 40));
    let run = scene.run(&["--ca-file", "/nonexistent"]);
    assert!(run.code == Some(2) && run.err.contains("/nonexistent"), "{run:?}");
    let kept = fs::read_to_string(scene.path("f/leaked.filter.run")).unwrap();
    assert!(kept.contains("\"failed\"") && kept.contains("/nonexistent"), "{kept}");
    assert!(!kept.contains("did not end"), "{kept}");
    assert_eq!(scene.server.counts().take()[0], 0);
}

#[test]
fn variables_of_the_environment_name_no_proxy() {
    let scene = Scene::of(Corpus::new(2, 40));
    let mut command = scene.command(&[]);
    for name in ["http_proxy", "HTTP_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"] {
        command.env(name, "http://127.0.0.1:9");
    }
    assert_eq!(end_of(&mut command).code, Some(0));
    let run = scene.run(&["--proxy", "http://127.0.0.1:9"]);
    assert!(run.code == Some(1) && run.err.contains("tried 5 times"), "{run:?}");
}
