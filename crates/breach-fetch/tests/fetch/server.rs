//! A server of the range API: HTTP/1.1 and HTTP/2, with its own certificate or without TLS, with ETags and
//! gzip. It counts requests, and calls a hook before each response.

use std::{
    convert::Infallible,
    fs,
    io::Write as _,
    net::{Ipv4Addr, SocketAddr},
    path::Path,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
};

use flate2::{Compression, write::GzEncoder};
use http_body_util::Full;
use hyper::{
    Request, Response, StatusCode, Version,
    body::{Bytes, Incoming},
    service::service_fn,
};
use hyper_util::{
    rt::{TokioExecutor, TokioIo},
    server::conn::auto,
};
use tokio::{net::TcpListener, runtime::Runtime};
use tokio_rustls::{
    TlsAcceptor,
    rustls::{ServerConfig, crypto::ring, pki_types::PrivateKeyDer},
};

use crate::corpus::Corpus;

/// Called with the number of each request, counted from 1, and its range; may return a response in place of
/// the correct one.
pub(crate) type Hook = Box<dyn Fn(u64, u32) -> Option<Answer> + Send + Sync>;

/// A response of the hook.
pub(crate) type Answer = Response<Full<Bytes>>;

/// The counts of requests.
#[derive(Default)]
pub(crate) struct Counts {
    pub(crate) asked: AtomicU64,
    pub(crate) conditional: AtomicU64,
    pub(crate) bodies: AtomicU64,
    pub(crate) http2: AtomicU64,
    pub(crate) gzip: AtomicU64,
    /// Requests of this program in this version.
    pub(crate) ours: AtomicU64,
}

impl Counts {
    /// Requests, conditional requests and bodies since the last call.
    pub(crate) fn take(&self) -> [u64; 3] {
        [&self.asked, &self.conditional, &self.bodies].map(|count| count.swap(0, Ordering::SeqCst))
    }
}

/// A running server.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    pub(crate) is_tls: bool,
    shared: Arc<Shared>,
    _runtime: Runtime,
}

struct Shared {
    corpus: Corpus,
    counts: Counts,
    hook: Mutex<Option<Arc<Hook>>>,
}

impl Server {
    /// Serves a corpus; with TLS if its certificate is to be written to this file.
    pub(crate) fn start(corpus: Corpus, certificate: Option<&Path>) -> Server {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let shared = Arc::new(Shared { corpus, counts: Counts::default(), hook: Mutex::default() });
        let listener = runtime.block_on(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))).unwrap();
        let address = listener.local_addr().unwrap();
        let tls = certificate.map(acceptor);
        let is_tls = tls.is_some();
        runtime.spawn(listen(listener, tls, Arc::clone(&shared)));
        Server { address, is_tls, shared, _runtime: runtime }
    }

    pub(crate) fn base(&self) -> String {
        let scheme = if self.is_tls { "https" } else { "http" };
        format!("{scheme}://localhost:{}", self.address.port())
    }

    pub(crate) fn corpus(&self) -> &Corpus {
        &self.shared.corpus
    }

    pub(crate) fn counts(&self) -> &Counts {
        &self.shared.counts
    }

    /// Sets the function to call before each response.
    pub(crate) fn hook(&self, hook: impl Fn(u64, u32) -> Option<Answer> + Send + Sync + 'static) {
        *self.shared.hook.lock().unwrap() = Some(Arc::new(Box::new(hook)));
    }

    pub(crate) fn unhook(&self) {
        *self.shared.hook.lock().unwrap() = None;
    }
}

/// A response with only a status.
pub(crate) fn status(code: u16) -> Answer {
    Response::builder().status(code).body(Full::default()).unwrap()
}

pub(crate) fn acceptor(certificate: &Path) -> TlsAcceptor {
    let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    fs::write(certificate, made.cert.pem()).unwrap();
    let key = PrivateKeyDer::try_from(made.signing_key.serialize_der()).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let config = config.with_safe_default_protocol_versions().unwrap().with_no_client_auth();
    let mut config = config.with_single_cert(vec![made.cert.der().clone()], key).unwrap();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    TlsAcceptor::from(Arc::new(config))
}

async fn listen(listener: TcpListener, tls: Option<TlsAcceptor>, shared: Arc<Shared>) {
    loop {
        let Ok((stream, _)) = listener.accept().await else { return };
        let (tls, shared) = (tls.clone(), Arc::clone(&shared));
        tokio::spawn(async move {
            let service = service_fn(move |question| {
                let answer = answer(&shared, &question);
                async move { Ok::<_, Infallible>(answer) }
            });
            let server = auto::Builder::new(TokioExecutor::new());
            // A client that disconnects is not a failure of the server.
            match tls {
                None => drop(server.serve_connection(TokioIo::new(stream), service).await),
                Some(tls) => {
                    let Ok(stream) = tls.accept(stream).await else { return };
                    drop(server.serve_connection(TokioIo::new(stream), service).await);
                }
            }
        });
    }
}

fn answer(shared: &Shared, question: &Request<Incoming>) -> Answer {
    let header = |name: &str| question.headers().get(name).and_then(|value| value.to_str().ok());
    let (corpus, counts) = (&shared.corpus, &shared.counts);
    let number = counts.asked.fetch_add(1, Ordering::SeqCst) + 1;
    let name = question.uri().path().strip_prefix("/range/").unwrap_or_default();
    let is_named = name.len() == usize::from(corpus.digits);
    let Some(range) = u32::from_str_radix(name, 16).ok().filter(|_| is_named) else { return status(404) };
    let is_ours = header("user-agent") == Some(concat!("nearmiss-fetch/", env!("CARGO_PKG_VERSION")));
    counts.ours.fetch_add(is_ours.into(), Ordering::SeqCst);
    let is_ntlm = question.uri().query() == Some("mode=ntlm");
    if is_ntlm != (corpus.digest_bytes == 16) {
        return status(400);
    }
    if question.version() == Version::HTTP_2 {
        counts.http2.fetch_add(1, Ordering::SeqCst);
    }
    let (known, accepted) = (header("if-none-match"), header("accept-encoding").unwrap_or_default());
    counts.conditional.fetch_add(known.is_some().into(), Ordering::SeqCst);
    let hook = shared.hook.lock().unwrap().clone();
    if let Some(hook) = hook {
        // It may wait for a program that sends requests to this server.
        let other = tokio::task::block_in_place(|| hook(number, range));
        if let Some(answer) = other {
            return answer;
        }
    }
    let etag = corpus.etag(range);
    let answer = Response::builder().header("etag", &etag);
    if known == Some(&etag) {
        return answer.status(StatusCode::NOT_MODIFIED).body(Full::default()).unwrap();
    }
    counts.bodies.fetch_add(1, Ordering::SeqCst);
    let text = corpus.text(range);
    if !accepted.contains("gzip") {
        return answer.body(Full::from(text)).unwrap();
    }
    counts.gzip.fetch_add(1, Ordering::SeqCst);
    answer.header("content-encoding", "gzip").body(Full::from(gzip(text.as_bytes()))).unwrap()
}

pub(crate) fn gzip(text: &[u8]) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(text).unwrap();
    packed.finish().unwrap()
}
