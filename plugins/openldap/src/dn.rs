//! The name of a person in the name of an entry.

/// The value of the first attribute of a distinguished name: `anna` of `uid=anna,ou=people,dc=example`.
/// Nothing where it is not plain (RFC 4514 escapes, several attributes): it is only compared.
pub(crate) fn first_value(name: &[u8]) -> &[u8] {
    let first = name.split(|byte| *byte == b',').next().unwrap_or_default();
    let mut parts = first.splitn(2, |byte| *byte == b'=');
    let (_attribute, value) = (parts.next(), parts.next().unwrap_or_default());
    if value.iter().any(|byte| matches!(byte, b'\\' | b'+' | b'#' | b'"')) { b"" } else { value }
}
