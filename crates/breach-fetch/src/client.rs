//! Requests ranges from a server: many requests share one connection, everything a server may do has a limit,
//! and an overloaded server is retried with delays.

mod backoff;
mod base;
mod body;
mod fault;
mod tls;

use std::{
    error::Error as _,
    path::Path,
    sync::atomic::{AtomicU32, AtomicU64, Ordering},
    time::{Duration, SystemTime},
};

use futures_util::TryStreamExt as _;
use reqwest::{
    Proxy, Response, StatusCode, Url, Version,
    header::{
        ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_LENGTH, ETAG, HeaderName, IF_NONE_MATCH, RETRY_AFTER,
        TRANSFER_ENCODING,
    },
    redirect::{Attempt, Policy},
};
use tokio::{sync::Semaphore, time::timeout};

use self::{backoff::Backoff, body::Packing};
pub(crate) use self::{
    base::Base,
    fault::{Fault, Refused},
};
use crate::range::{Range, RangeForm};
use nearmiss_filters::format::Kind;

/// The number of ranges that may fail in a run: with more, it is not the ranges that fail but the server.
pub(crate) const MAX_REFUSED: u32 = 32;

/// The number of attempts for a range.
const TRIES: u32 = 5;

/// A server that does not accept a connection, or begin a response, within this time counts as unreachable.
const ANSWER_WITHIN: Duration = Duration::from_secs(60);

/// The highest number of consecutive redirects.
const MAX_REDIRECTS: usize = 3;

/// The longest `ETag` that is stored, in bytes.
pub(crate) const MAX_ETAG_BYTES: usize = 96;

/// The settings of a client.
#[derive(Clone, Debug)]
pub(crate) struct ClientSettings {
    /// The address.
    pub(crate) base: Base,
    /// The form of the ranges.
    pub(crate) form: RangeForm,
    /// The number of requests in flight.
    pub(crate) parallel: usize,
    /// The delay before the second attempt; each further one is twice as long.
    pub(crate) retry_delay: Duration,
    /// The proxy for all requests.
    pub(crate) proxy: Option<String>,
}

/// Requests ranges.
pub(crate) struct Client {
    http: reqwest::Client,
    base: Base,
    form: RangeForm,
    open: Semaphore,
    backoff: Backoff,
    /// The ranges that failed.
    refused: AtomicU32,
    /// The counts of requests and responses so far.
    pub(crate) tally: TransferTally,
}

/// Counts of requests and responses.
#[derive(Debug, Default)]
pub(crate) struct TransferTally {
    /// Requests.
    pub(crate) asked: AtomicU64,
    /// Responses without a body, since the range is unchanged.
    pub(crate) unchanged: AtomicU64,
    /// Responses with a range.
    pub(crate) fetched: AtomicU64,
    /// Bytes of their bodies, as transferred.
    pub(crate) bytes: AtomicU64,
}

/// The response of a server.
#[derive(Debug)]
pub(crate) enum RangeResponse {
    /// The range still has this `ETag`.
    Unchanged,
    /// The range.
    Range(Range),
}

impl Client {
    /// A client; certificates in `roots` are trusted in addition to the system's.
    ///
    /// # Errors
    /// There are no roots, or the proxy's URL is invalid: in words.
    pub(crate) fn new(settings: &ClientSettings, roots: Option<&Path>) -> Result<Client, String> {
        let (host, port) = (settings.base.host().to_owned(), settings.base.redirect_port());
        let http = reqwest::Client::builder()
            .user_agent(concat!("nearmiss-fetch/", env!("CARGO_PKG_VERSION")))
            .tls_backend_preconfigured(tls::config(roots)?)
            .redirect(Policy::custom(move |attempt| decide(attempt, &host, port)))
            .connect_timeout(ANSWER_WITHIN)
            .http2_adaptive_window(true)
            .no_proxy();
        let http = match &settings.proxy {
            None => http,
            Some(proxy) => http.proxy(Proxy::all(proxy).map_err(|e| format!("--proxy {proxy}: {e}"))?),
        };
        Ok(Client {
            http: http.build().map_err(|e| format!("cannot create the HTTP client: {}", reason(&e)))?,
            base: settings.base.clone(),
            form: settings.form,
            open: Semaphore::new(settings.parallel.max(1)),
            backoff: Backoff::new(settings.retry_delay),
            refused: AtomicU32::new(0),
            tally: TransferTally::default(),
        })
    }

    /// Requests a range, with retries if they may help; with its last `ETag`, only if it changed since.
    ///
    /// # Errors
    /// [`Refused`].
    pub(crate) async fn ask(&self, number: u32, etag: Option<&str>) -> Result<RangeResponse, Refused> {
        if self.has_given_up() {
            return Err(Refused { range: self.form.name(number), tries: 0, fault: Fault::GivenUp });
        }
        let answer = self.ask_again(number, etag).await;
        if let Err(refused) = &answer {
            self.count_refused(if refused.fault.is_of_all() { MAX_REFUSED } else { 1 });
        }
        answer
    }

    /// The form of the ranges.
    pub(crate) fn form(&self) -> RangeForm {
        self.form
    }

    /// True if so many ranges failed that no further ones are requested.
    pub(crate) fn has_given_up(&self) -> bool {
        self.refused.load(Ordering::Relaxed) >= MAX_REFUSED
    }

    /// Counts ranges that failed.
    pub(crate) fn count_refused(&self, ranges: u32) {
        self.refused.fetch_add(ranges, Ordering::Relaxed);
    }

    /// Forgets the ranges that failed.
    pub(crate) fn forgive(&self) {
        self.refused.store(0, Ordering::Relaxed);
    }

    async fn ask_again(&self, number: u32, etag: Option<&str>) -> Result<RangeResponse, Refused> {
        let refused = |tries, fault| Refused { range: self.form.name(number), tries, fault };
        for tries in 1..=TRIES {
            match self.once(number, etag).await {
                Ok(answer) => return Ok(answer),
                Err(fault) if tries == TRIES || !fault.may_pass() => return Err(refused(tries, fault)),
                Err(fault) => self.backoff.wait(tries, &fault).await.map_err(|f| refused(tries, f))?,
            }
        }
        Err(refused(TRIES, Fault::TooSlow))
    }

    async fn once(&self, number: u32, etag: Option<&str>) -> Result<RangeResponse, Fault> {
        let _turn = self.open.acquire().await.map_err(|e| Fault::Transport(e.to_string()))?;
        self.backoff.others().await?;
        let (base, name) = (self.base.as_str(), self.form.name(number));
        let mode = if self.form.kind == Kind::Ntlm { "?mode=ntlm" } else { "" };
        let mut question = self.http.get(format!("{base}/range/{name}{mode}"));
        question = question.header(ACCEPT_ENCODING, body::ACCEPTED);
        if let Some(etag) = etag {
            question = question.header(IF_NONE_MATCH, etag);
        }
        count(&self.tally.asked, 1);
        let answer = timeout(ANSWER_WITHIN, question.send()).await;
        let answer = answer.map_err(|_| Fault::TooSlow)?.map_err(|e| fault_of(&e))?;
        if answer.status() == StatusCode::NOT_MODIFIED {
            count(&self.tally.unchanged, 1);
            return if etag.is_some() { Ok(RangeResponse::Unchanged) } else { Err(Fault::NotAsked) };
        }
        check(&answer, &name)?;
        let etag = header(&answer, ETAG).filter(|etag| is_kept(etag)).map(Into::into);
        let text = self.text(answer).await?;
        let range = self.form.read(number, &text).map_err(Fault::Range)?;
        Ok(RangeResponse::Range(Range { etag, ..range }))
    }

    async fn text(&self, answer: Response) -> Result<Vec<u8>, Fault> {
        let packing = Packing::named(header(&answer, CONTENT_ENCODING).unwrap_or_default())?;
        let packed = body::collect(answer.bytes_stream().map_err(|e| fault_of(&e))).await?;
        count(&self.tally.fetched, 1);
        count(&self.tally.bytes, packed.len() as u64);
        packing.unpack(packed)
    }
}

fn count(tally: &AtomicU64, more: u64) {
    tally.fetch_add(more, Ordering::Relaxed);
}

/// Refuses a response that is not one to a request for the range of this name.
fn check(answer: &Response, name: &str) -> Result<(), Fault> {
    if answer.status() != StatusCode::OK {
        let retry_after = header(answer, RETRY_AFTER).and_then(seconds);
        return Err(Fault::Status { status: answer.status().as_u16(), retry_after });
    }
    let is_other = |url: &Url| url.path_segments().and_then(|mut parts| parts.next_back()) != Some(name);
    if is_other(answer.url()) {
        return Err(Fault::Redirect(answer.url().to_string()));
    }
    let has_end = [CONTENT_LENGTH, TRANSFER_ENCODING].iter().any(|name| answer.headers().contains_key(name));
    if !has_end && answer.version() < Version::HTTP_2 { Err(Fault::Endless) } else { Ok(()) }
}

fn header(answer: &Response, name: HeaderName) -> Option<&str> {
    answer.headers().get(name).and_then(|value| value.to_str().ok())
}

/// True for an `ETag` that can be sent back unchanged.
fn is_kept(etag: &str) -> bool {
    etag.len() <= MAX_ETAG_BYTES && etag.bytes().all(|byte| byte.is_ascii_graphic())
}

/// The delay that a server requests: a number of seconds, or a date.
fn seconds(text: &str) -> Option<Duration> {
    let until = |date: SystemTime| date.duration_since(SystemTime::now()).unwrap_or_default();
    let number = text.trim().parse().ok().map(Duration::from_secs);
    number.or_else(|| httpdate::parse_http_date(text).ok().map(until))
}

fn decide(attempt: Attempt<'_>, host: &str, port: Option<u16>) -> reqwest::redirect::Action {
    let url = attempt.url();
    let is_same =
        url.scheme() == "https" && url.host_str() == Some(host) && url.port_or_known_default() == port;
    if is_same && attempt.previous().len() <= MAX_REDIRECTS {
        return attempt.follow();
    }
    let to = attempt.url().to_string();
    attempt.error(to)
}

fn fault_of(error: &reqwest::Error) -> Fault {
    if error.is_redirect() { Fault::Redirect(reason(error)) } else { Fault::Transport(reason(error)) }
}

/// The innermost reason: the outer ones repeat the URL.
fn reason(error: &reqwest::Error) -> String {
    let mut inner: &dyn std::error::Error = error;
    while let Some(source) = inner.source() {
        inner = source;
    }
    if error.source().is_none() { error.to_string() } else { inner.to_string() }
}

#[cfg(test)]
mod tests;
