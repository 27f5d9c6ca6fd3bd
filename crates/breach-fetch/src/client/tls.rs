//! TLS: the roots that the system trusts, and the cryptographic library.

use std::{fs, path::Path, sync::Arc};

use nearmiss_filters::text::system_reason;
use rustls::{
    ClientConfig, RootCertStore,
    crypto::ring,
    pki_types::{CertificateDer, pem::PemObject},
};

/// The supported protocols, the preferred one first.
const PROTOCOLS: [&[u8]; 2] = [b"h2", b"http/1.1"];

/// The settings of TLS; certificates in `file` are trusted in addition to the system's.
///
/// # Errors
/// There is no certificate to trust, or the file has none: in words.
pub(super) fn config(file: Option<&Path>) -> Result<ClientConfig, String> {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if let Some(file) = file {
        let named = |e: &dyn std::fmt::Display| format!("{}: {e}", file.display());
        let bytes = fs::read(file).map_err(|e| named(&system_reason(&e)))?;
        let certificates = CertificateDer::pem_slice_iter(&bytes).collect::<Result<Vec<_>, _>>();
        let (added, _) = roots.add_parsable_certificates(certificates.map_err(|e| named(&e))?);
        if added == 0 {
            return Err(named(&"contains no PEM certificate"));
        }
    }
    let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let builder = builder.with_safe_default_protocol_versions().map_err(|e| e.to_string())?;
    let mut config = builder.with_root_certificates(roots).with_no_client_auth();
    config.alpn_protocols = PROTOCOLS.map(<[u8]>::to_vec).to_vec();
    Ok(config)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_file_of_authorities_is_told_in_words() {
        let error = config(Some(Path::new("/nonexistent/ca.pem"))).unwrap_err();
        assert_eq!(error, "/nonexistent/ca.pem: No such file or directory");
    }
}
