//! The body of a response: collected within limits, and decompressed.

use std::{io::Read, pin::pin, time::Duration};

use flate2::read::MultiGzDecoder;
use futures_util::{Stream, TryStreamExt as _};
use tokio::time::timeout;

use super::fault::Fault;

/// The largest body, compressed or not, in bytes: forty times a current range.
const MAX_BYTES: usize = 4 << 20;

/// The time in which at least [`LEAST_BYTES`] of a body, or its end, must arrive.
const WINDOW: Duration = Duration::from_secs(30);

/// 1 KiB a second.
const LEAST_BYTES: usize = 30 << 10;

/// The size of the buffer for decompressing brotli.
const BUFFER_BYTES: usize = 8 << 10;

/// The compression of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Packing {
    None,
    Gzip,
    Brotli,
}

/// The accepted compressions.
pub(super) const ACCEPTED: &str = "br, gzip";

impl Packing {
    /// The compression with this name.
    ///
    /// # Errors
    /// [`Fault::Encoding`].
    pub(super) fn named(name: &str) -> Result<Packing, Fault> {
        match name.to_ascii_lowercase().as_str() {
            "" | "identity" => Ok(Packing::None),
            "gzip" | "x-gzip" => Ok(Packing::Gzip),
            "br" => Ok(Packing::Brotli),
            _ => Err(Fault::Encoding(name.to_owned())),
        }
    }

    /// Decompresses a whole body.
    ///
    /// # Errors
    /// [`Fault::Damaged`], [`Fault::TooLarge`].
    pub(super) fn unpack(self, packed: Vec<u8>) -> Result<Vec<u8>, Fault> {
        match self {
            Packing::None => Ok(packed),
            Packing::Gzip => all_of(MultiGzDecoder::new(packed.as_slice())),
            Packing::Brotli => {
                all_of(brotli_decompressor::Decompressor::new(packed.as_slice(), BUFFER_BYTES))
            }
        }
    }
}

fn all_of(unpacked: impl Read) -> Result<Vec<u8>, Fault> {
    let mut text = Vec::new();
    let limit = (MAX_BYTES as u64).saturating_add(1);
    match unpacked.take(limit).read_to_end(&mut text) {
        Err(_) => Err(Fault::Damaged),
        Ok(bytes) if bytes > MAX_BYTES => Err(Fault::TooLarge),
        Ok(_) => Ok(text),
    }
}

/// Collects a body, part by part.
///
/// # Errors
/// [`Fault::TooLarge`], [`Fault::TooSlow`], or the fault of a part.
pub(super) async fn collect<B: AsRef<[u8]>>(
    parts: impl Stream<Item = Result<B, Fault>>,
) -> Result<Vec<u8>, Fault> {
    let mut parts = pin!(parts);
    let mut body = Vec::new();
    loop {
        let enough = body.len().saturating_add(LEAST_BYTES);
        let window = async {
            while body.len() < enough {
                let Some(part) = parts.try_next().await? else { return Ok(true) };
                if part.as_ref().len() > MAX_BYTES.saturating_sub(body.len()) {
                    return Err(Fault::TooLarge);
                }
                body.extend_from_slice(part.as_ref());
            }
            Ok(false)
        };
        if timeout(WINDOW, window).await.map_err(|_| Fault::TooSlow)?? {
            return Ok(body);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::{Compression, write::GzEncoder};
    use futures_util::{StreamExt as _, stream};
    use tokio::time::sleep;

    use super::*;

    fn gzip(text: &[u8]) -> Vec<u8> {
        let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
        packed.write_all(text).unwrap();
        packed.finish().unwrap()
    }

    #[test]
    fn what_is_packed_is_unpacked_within_the_limit() {
        let text = vec![b'7'; MAX_BYTES];
        assert_eq!(Packing::Gzip.unpack(gzip(&text)).unwrap(), text);
        assert!(matches!(Packing::Gzip.unpack(gzip(&vec![0; MAX_BYTES + 1])), Err(Fault::TooLarge)));
        let packed = gzip(&text);
        assert!(matches!(Packing::Gzip.unpack(packed[..packed.len() - 9].to_vec()), Err(Fault::Damaged)));
        // "aaaaaaaaaaaaaaaaaaaa" by the reference encoder, as a stored block.
        let brotli = b"\x0b\x02\x80hello\x03".to_vec();
        assert_eq!(Packing::Brotli.unpack(brotli.clone()).unwrap(), b"hello");
        assert!(matches!(Packing::Brotli.unpack(brotli[..6].to_vec()), Err(Fault::Damaged)));
        assert!(matches!(Packing::Brotli.unpack(b"no brotli".to_vec()), Err(Fault::Damaged)));
        assert!(matches!(Packing::named("zstd"), Err(Fault::Encoding(_))));
        assert_eq!(Packing::named("GZIP").unwrap(), Packing::Gzip);
    }

    /// The time of `parts` of this length, with a pause before each.
    async fn collected(parts: usize, length: usize, pause: Duration) -> Result<Vec<u8>, Fault> {
        let parts = stream::iter(0..parts).then(|_| async move {
            sleep(pause).await;
            Ok(vec![b'7'; length])
        });
        collect(parts).await
    }

    #[tokio::test(start_paused = true)]
    async fn a_slow_body_is_refused_and_one_that_is_hardly_slow_is_not() {
        let second = Duration::from_secs(1);
        assert_eq!(collected(200, 1100, second).await.unwrap().len(), 220_000);
        assert!(matches!(collected(200, 1000, second).await, Err(Fault::TooSlow)));
        assert!(matches!(collected(1, 10, 40 * second).await, Err(Fault::TooSlow)));
    }

    #[tokio::test(start_paused = true)]
    async fn a_large_body_is_refused_before_it_is_kept() {
        let none = Duration::ZERO;
        assert_eq!(collected(4, 1 << 20, none).await.unwrap().len(), MAX_BYTES);
        assert!(matches!(collected(5, 1 << 20, none).await, Err(Fault::TooLarge)));
        assert!(matches!(collected(usize::MAX - 1, 1, none).await, Err(Fault::TooLarge)));
    }
}
