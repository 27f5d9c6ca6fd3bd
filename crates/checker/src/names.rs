//! Names that a password must not be near, as lines of [`Facts`](crate::Facts): the first is the account's or
//! the person's name, the others are further names.

/// The names in a Kerberos principal, for [`Facts::user`](crate::Facts::user): each component, the whole
/// principal, its realm, and each label of the realm.
pub fn of_principal(components: &[&[u8]], realm: &[u8]) -> Vec<u8> {
    let mut names = components.join(&b'\n');
    if !realm.is_empty() {
        let written = [&components.join(&b'/')[..], realm].join(&b'@');
        [&written[..], realm].into_iter().chain(realm.split(|byte| *byte == b'.')).for_each(|name| {
            names.push(b'\n');
            names.extend_from_slice(name);
        });
    }
    names
}

/// The same for a principal in text form, `anna/admin@EXAMPLE.ORG`.
pub fn of_written_principal(principal: &[u8]) -> Vec<u8> {
    let mut parts = principal.rsplitn(2, |byte| *byte == b'@');
    let (last, first) = (parts.next().unwrap_or_default(), parts.next());
    let (name, realm) = first.map_or((last, &b""[..]), |name| (name, last));
    let components: Vec<&[u8]> = name.split(|byte| *byte == b'/').collect();
    of_principal(&components, realm)
}

/// The name of a person in the distinguished name of an entry, for [`Facts::user`](crate::Facts::user): the
/// value of its first attribute, `anna` of `uid=anna,ou=people,dc=example`. Empty if it is not plain (RFC
/// 4514 escapes, several attributes): it is only compared.
pub fn of_entry(name: &[u8]) -> &[u8] {
    let first = name.split(|byte| *byte == b',').next().unwrap_or_default();
    let mut parts = first.splitn(2, |byte| *byte == b'=');
    let (_attribute, value) = (parts.next(), parts.next().unwrap_or_default());
    if value.iter().any(|byte| matches!(byte, b'\\' | b'+' | b'#' | b'"')) { b"" } else { value }
}

/// Values in one field of [`Facts::gecos`](crate::Facts::gecos), each a line; for an address also the part
/// before the @.
pub fn of_values<'a>(values: impl IntoIterator<Item = &'a [u8]>) -> Vec<u8> {
    let mut names = Vec::new();
    for value in values.into_iter().filter(|value| !value.is_empty()) {
        let local = value.split(|byte| *byte == b'@').next().filter(|local| local.len() < value.len());
        [Some(value), local].into_iter().flatten().for_each(|name| {
            names.extend(name.iter().map(|byte| if *byte == b'\n' { b' ' } else { *byte }));
            names.push(b'\n');
        });
    }
    names.pop();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(names: &[u8]) -> String {
        String::from_utf8_lossy(names).replace('\n', " ")
    }

    #[test]
    fn a_principal_has_its_components_and_its_realm() {
        let expected = "anna admin anna/admin@EX.ORG EX.ORG EX ORG";
        assert_eq!(lines(&of_principal(&[b"anna", b"admin"], b"EX.ORG")), expected);
        assert_eq!(lines(&of_written_principal(b"anna/admin@EX.ORG")), expected);
        assert_eq!(lines(&of_written_principal(b"a@b@EX")), "a@b a@b@EX EX EX");
        assert_eq!(lines(&of_written_principal(b"anna")), "anna");
        assert_eq!(lines(&of_principal(&[], b"")), "");
    }

    #[test]
    fn an_entry_has_the_value_of_its_first_attribute_where_that_is_plain() {
        for (name, value) in [
            ("uid=anna,ou=people,dc=example", "anna"),
            ("cn=anna", "anna"),
            ("cn=a=b,ou=people", "a=b"),
            ("cn=anna+uid=7,ou=people", ""),
            (r"cn=quist\2c anna,ou=people", ""),
            ("cn=#04,ou=people", ""),
            ("cn=\"anna\",ou=people", ""),
            ("anna,uid=bert", ""),
            ("", ""),
        ] {
            assert_eq!(String::from_utf8_lossy(of_entry(name.as_bytes())), value, "{name}");
        }
    }

    #[test]
    fn an_address_has_its_local_part_and_no_value_has_two_lines() {
        let values = [&b"Anna Quist"[..], b"", b"anna.q@ex.org", b"two\nlines"];
        assert_eq!(of_values(values), b"Anna Quist\nanna.q@ex.org\nanna.q\ntwo lines");
        assert_eq!(of_values([]), b"");
    }
}
