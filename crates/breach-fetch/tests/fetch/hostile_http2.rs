//! Faults below HTTP: HTTP/2 frames over TLS that were not requested, that never end, or that are forbidden.
//! Each is refused, in bounded memory, and nothing is changed.

use std::{
    convert::Infallible,
    net::Ipv4Addr,
    path::Path,
    process::Command,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

use futures_util::stream;
use http_body_util::StreamBody;
use hyper::{
    Response,
    body::{Bytes, Frame},
    server::conn::http2,
    service::service_fn,
};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _, split},
    net::{TcpListener, TcpStream},
    runtime::Runtime,
};
use tokio_rustls::server::TlsStream;

use crate::{KEY, Run, end_of, server::acceptor};

const DATA: u8 = 0;
const HEADERS: u8 = 1;
const RESET: u8 = 3;
const SETTINGS: u8 = 4;
const PUSH: u8 = 5;
const PING: u8 = 6;
const GO_AWAY: u8 = 7;
const WINDOW: u8 = 8;
const CONTINUATION: u8 = 9;
const END_HEADERS: u8 = 4;
/// The number of bytes after which a server closes a connection.
const FLOOD: usize = 1 << 20;
/// The limit on a run's private and writable memory, so that a run that needs more fails at once.
const MEMORY: &str = "--data=268435456";
/// `:status: 200`, by its number in the static table.
const STATUS_200: &[u8] = &[0x88];
/// The same, and `content-length: 5`.
const FIVE_BYTES: &[u8] = &[0x88, 0x0f, 0x0d, 1, b'5'];
const END_STREAM: u8 = 1;

fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let [_, length @ ..] = u32::try_from(payload.len()).unwrap().to_be_bytes();
    [&length[..], &[kind, flags], &stream.to_be_bytes(), payload].concat()
}

/// The same frame, repeated.
fn flood(frame: &[u8]) -> Vec<u8> {
    frame.repeat(FLOOD / frame.len())
}

/// A header that is stored in the table, and then referenced so often that it unpacks to 60 MB.
fn bomb() -> Vec<u8> {
    let mut block = STATUS_200.to_vec();
    // A new name and value of 2,000 bytes, stored as number 62.
    block.extend_from_slice(&[0x40, 1, b'x', 0x7f, 0xd1, 0x0e]);
    block.extend_from_slice(&[b'a'; 2000]);
    block.extend_from_slice(&[0xbe; 14_000]);
    let again = frame(CONTINUATION, 0, 1, &[0xbe; 16_000]);
    [frame(HEADERS, 0, 1, &block), again.clone(), frame(CONTINUATION, END_HEADERS, 1, &[0xbe; 16_000])]
        .concat()
}

/// The frames that a server sends after its own settings, by name.
fn cases() -> Vec<(&'static str, Vec<u8>)> {
    let answer = || frame(HEADERS, END_HEADERS, 1, STATUS_200);
    let after = |bytes: Vec<u8>| [answer(), bytes].concat();
    vec![
        ("nothing more", Vec::new()),
        ("text", b"HTTP/1.1 200 OK\r\n\r\n".repeat(100)),
        ("random bytes", (0..40_000_u32).map(|n| n.wrapping_mul(0x9E37_79B9).to_le_bytes()[3]).collect()),
        ("settings without end", flood(&frame(SETTINGS, 0, 0, &[]))),
        ("settings of odd length", frame(SETTINGS, 0, 0, &[0; 5])),
        ("settings with no window", frame(SETTINGS, 0, 0, &[0, 4, 0, 0, 0, 0])),
        ("settings with impossible values", frame(SETTINGS, 0, 0, &[0, 4, 0xff, 0xff, 0xff, 0xff])),
        ("no stream may be opened", frame(SETTINGS, 0, 0, &[0, 3, 0, 0, 0, 0])),
        ("pings without end", flood(&frame(PING, 0, 0, &[7; 8]))),
        ("a ping of odd length", frame(PING, 0, 0, &[7; 7])),
        ("go away at once", frame(GO_AWAY, 0, 0, &[0; 8])),
        ("every stream is reset", (0..400).flat_map(|n| frame(RESET, 0, 2 * n + 1, &[0, 0, 0, 7])).collect()),
        ("resets without end", flood(&frame(RESET, 0, 1, &[0, 0, 0, 8]))),
        ("a window that overflows", frame(WINDOW, 0, 0, &[0x7f, 0xff, 0xff, 0xff]).repeat(2)),
        ("a window of nothing", frame(WINDOW, 0, 1, &[0; 4])),
        ("headers that do not end", {
            let more = frame(CONTINUATION, 0, 1, &[0x88; 16_000]);
            [frame(HEADERS, 0, 1, STATUS_200), flood(&more)].concat()
        }),
        ("empty headers that do not end", {
            [frame(HEADERS, 0, 1, STATUS_200), flood(&frame(CONTINUATION, 0, 1, &[]))].concat()
        }),
        ("headers that unpack to much more", bomb()),
        ("a table larger than was allowed", frame(HEADERS, END_HEADERS, 1, &[0x3f, 0xe1, 0xff, 0xff, 0x7f])),
        ("a header of no number", frame(HEADERS, END_HEADERS, 1, &[0xff, 0xff, 0xff, 0xff, 0xff, 0x7f])),
        ("a header without a status", frame(HEADERS, END_HEADERS, 1, &[0x40, 1, b'x', 1, b'y'])),
        ("a header on no stream", frame(HEADERS, END_HEADERS, 0, STATUS_200)),
        ("a frame of 16 MB", after([&[0xff, 0xff, 0xff, DATA, 0, 0, 0, 0, 1][..], &[0; 1000]].concat())),
        ("data before headers", frame(DATA, 0, 1, b"0")),
        ("data on a stream that nobody opened", after(frame(DATA, 0, 0x7fff_fff1, b"0"))),
        ("data beyond the window", after(flood(&frame(DATA, 0, 1, &[b'0'; 16_384])))),
        ("empty data without end", after(flood(&frame(DATA, 0, 1, &[])))),
        ("padding longer than its frame", after(frame(DATA, 8, 1, &[200, 0, 0]))),
        ("a body longer than its length", {
            [frame(HEADERS, END_HEADERS, 1, FIVE_BYTES), frame(DATA, END_STREAM, 1, b"0123456789")].concat()
        }),
        ("a body shorter than its length", {
            [frame(HEADERS, END_HEADERS, 1, FIVE_BYTES), frame(DATA, END_STREAM, 1, b"0")].concat()
        }),
        ("a length and no body", frame(HEADERS, END_HEADERS | END_STREAM, 1, FIVE_BYTES)),
        ("two lengths", frame(HEADERS, END_HEADERS, 1, &[FIVE_BYTES, &[0x0f, 0x0d, 1, b'6']].concat())),
        ("cut in a body", after(frame(DATA, 0, 1, b"0123456789"))),
        ("a promise that nobody allowed", frame(PUSH, END_HEADERS, 1, &[0, 0, 0, 2, 0x82, 0x86, 0x84])),
        ("frames of no kind", flood(&frame(0x77, 0xff, 1, &[1; 100]))),
    ]
}

/// A server with TLS that serves each connection with this function.
fn listen<F: Future<Output = ()> + Send + 'static>(
    certificate: &Path,
    serve: impl Fn(TlsStream<TcpStream>) -> F + Send + 'static,
) -> (Runtime, u16) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let listener = runtime.block_on(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))).unwrap();
    let port = listener.local_addr().unwrap().port();
    let tls = acceptor(certificate);
    runtime.spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let Ok(stream) = tls.accept(stream).await else { continue };
            assert_eq!(stream.get_ref().1.alpn_protocol(), Some(&b"h2"[..]));
            tokio::spawn(serve(stream));
        }
    });
    (runtime, port)
}

/// Sends these bytes after the first request, which `is_asked` detects, and closes the connection.
async fn send(stream: TlsStream<TcpStream>, sent: Vec<u8>, is_asked: Arc<AtomicBool>) {
    let (mut reader, mut writer) = split(stream);
    let (mut read, mut asked) = (vec![0; 1 << 14], Vec::new());
    while !asked.windows(5).any(|part| part[0] == HEADERS && part[1..] == [5, 0, 0, 0]) {
        let Ok(count @ 1..) = reader.read(&mut read).await else { return };
        asked.extend_from_slice(&read[..count]);
    }
    is_asked.store(true, Ordering::SeqCst);
    // Data from the client is read, so that neither side waits for the other.
    let drain = tokio::spawn(async move {
        let mut read = vec![0; 1 << 14];
        while let Ok(1..) = reader.read(&mut read).await {}
    });
    let _ = writer.write_all(&[frame(SETTINGS, 0, 0, &[]), sent].concat()).await;
    let _ = writer.shutdown().await;
    let _ = drain.await;
}

#[test]
fn frames_that_no_peer_may_send_end_the_run_and_the_old_filter_stays() {
    let mut tried = 0;
    for cases in cases().chunks(6) {
        tried += cases.len();
        thread::scope(|scope| {
            for (name, sent) in cases {
                scope.spawn(move || {
                    let is_asked = Arc::new(AtomicBool::new(false));
                    refused(name, |certificate| {
                        let (sent, is_asked) = (sent.clone(), Arc::clone(&is_asked));
                        listen(certificate, move |stream| send(stream, sent.clone(), Arc::clone(&is_asked)))
                    });
                    assert!(is_asked.load(Ordering::SeqCst), "{name}: no request came by HTTP/2");
                });
            }
        });
    }
    println!("torture: {tried} ways of HTTP/2 over TLS, {tried} refused with the old filter in place");
}

/// It follows every rule of HTTP/2, including windows.
#[test]
fn a_body_without_end_is_cut_off() {
    let err = refused("a body without end", |certificate| {
        listen(certificate, |stream| async {
            let service = service_fn(|_| async {
                let parts =
                    stream::repeat_with(|| Ok::<_, Infallible>(Frame::data(Bytes::from_static(PART))));
                Ok::<_, Infallible>(Response::new(StreamBody::new(parts)))
            });
            // The client disconnects.
            drop(
                http2::Builder::new(TokioExecutor::new())
                    .serve_connection(TokioIo::new(stream), service)
                    .await,
            );
        })
    });
    assert!(err.contains("the response is larger than 4 MiB"), "{err}");
}

/// Part of a body.
static PART: &[u8] = &[b'0'; 1 << 14];

/// Runs the program with such a server; returns the message.
fn refused(name: &str, serve: impl FnOnce(&Path) -> (Runtime, u16)) -> String {
    let folder = tempfile::tempdir().unwrap();
    let [filter, certificate] = ["f/leaked.filter", "ca.pem"].map(|file| folder.path().join(file));
    let (_runtime, port) = serve(&certificate);
    std::fs::create_dir(filter.parent().unwrap()).unwrap();
    std::fs::write(&filter, crate::OLD).unwrap();
    let mut command = Command::new("prlimit");
    command.arg(MEMORY).arg(env!("CARGO_BIN_EXE_nearmiss-fetch")).arg("--output").arg(&filter);
    command.args(["--url", &format!("https://localhost:{port}"), "--digits", "2", "--retry-delay", "0.01"]);
    let Run { code, out, err } = end_of(command.args(["--key", KEY, "--ca-file"]).arg(&certificate));
    assert_eq!((code, out.as_str()), (Some(1), ""), "{name}: {err}");
    assert!(err.contains("ranges are missing") && err.lines().count() == 1, "{name}: {err}");
    assert!(err.len() < 1000, "{name}: {err}");
    assert_eq!(std::fs::read(&filter).unwrap(), crate::OLD, "{name}");
    err
}
