//! Hashes and the texts beside them: the text from which a hash was made, or a salt, with which no filter can
//! use the hash and no person types the text.

use crate::{
    form::Form,
    hashes::{self, Hash},
    hex,
    line::nine_in_ten,
    login,
    refusal::{Refusal, Way},
    sums::{hex as digits, md4, md5, sha1, sha2, wide},
    table::Table,
};

/// The most pairs that are tried.
const MOST: usize = 500;

/// True if the hash, in hexadecimal digits, is of this text, by any of the usual ways without a salt; none
/// for a hash that cannot be made here.
pub(crate) fn is_of(hash: &str, text: &[u8]) -> Option<bool> {
    let decoded = hex::decoded(text);
    let text = decoded.as_deref().unwrap_or(text);
    let (md5_of, sha1_of) = (digits(&md5(text)), digits(&sha1(text)));
    let made = match hashes::of(hash)? {
        Hash::Digits32 => vec![
            md5_of.clone(),
            digits(&md4(&wide(text))),
            digits(&md4(text)),
            digits(&md5(&wide(text))),
            digits(&md5(md5_of.as_bytes())),
            digits(&md5(md5_of.to_uppercase().as_bytes())),
            digits(&md5(sha1_of.as_bytes())),
        ],
        Hash::Sha1 => vec![
            sha1_of.clone(),
            digits(&sha1(&wide(text))),
            digits(&sha1(&sha1(text))),
            digits(&sha1(sha1_of.as_bytes())),
            digits(&sha1(md5_of.as_bytes())),
        ],
        Hash::Other("MySQL hashes") => vec![format!("*{}", digits(&sha1(&sha1(text))))],
        Hash::Other(name) => {
            // The others have salts, or take long.
            name.strip_suffix(" digests")?;
            let texts = [text, &wide(text), md5_of.as_bytes(), sha1_of.as_bytes()];
            let sums = texts.iter().map(|text| sha2(hash.len(), text));
            sums.collect::<Option<Vec<_>>>()?.iter().map(|sum| digits(sum)).collect()
        }
    };
    Some(made.iter().any(|made| made.eq_ignore_ascii_case(hash)))
}

/// True for lines of three columns, of which the second is the text of the hash, and not the third: users or
/// names of kinds are behind the passwords.
pub(crate) fn is_in_the_middle(lines: &[&[u8]]) -> bool {
    let tried = lines.iter().take(MOST).filter_map(|line| {
        let mut fields = line.split(|&byte| byte == b':');
        let hash = std::str::from_utf8(fields.next()?).ok()?;
        let (middle, last) = (fields.next()?, fields.next()?);
        fields.next().is_none().then(|| (is_of(hash, middle), is_of(hash, last)))
    });
    let mut found = tried.filter(|(middle, last)| [middle, last].contains(&&Some(true))).peekable();
    found.peek().is_some() && found.all(|(middle, _)| middle == Some(true))
}

/// Refuses lines of hashes and texts of which none fits.
///
/// # Errors
/// The [`Refusal`].
pub(crate) fn verify(lines: &[&[u8]], form: &Form) -> Result<(), Refusal> {
    let pairs: Vec<(String, Vec<u8>)> = match form {
        Form::Potfile => lines.iter().filter_map(|line| of_potfile(line)).take(MOST).collect(),
        Form::Table(table) => lines.iter().filter_map(|line| of_table(table, line)).take(MOST).collect(),
        _ => return Ok(()),
    };
    let tried: Vec<bool> = pairs.iter().filter_map(|(hash, text)| is_of(hash, text)).collect();
    if nine_in_ten(tried.len(), lines.len().min(MOST)) && !tried.contains(&true) {
        return Err(salted("--form potfile, or with --columns, if the text is the password"));
    }
    Ok(())
}

/// The refusal of hashes with texts that are no passwords.
fn salted(options: &str) -> Refusal {
    let content = "hashes with a text beside them that does not give them, such as a salt";
    Refusal::new(content, Way::Options(options.to_owned()))
}

/// The refusal of digests of which each seems to have a salt beside it.
pub(crate) fn of_digests() -> Refusal {
    Refusal::useless(
        "salted digests: the text beside each does not give it (if they have no salts, keep the column of \
         the digests alone)",
    )
}

/// The hash and the text of a line of two columns; with a salt between them, the hash cannot be made here.
fn of_potfile(line: &[u8]) -> Option<(String, Vec<u8>)> {
    let hash = line.split(|&byte| byte == b':').next()?;
    let text = login::of_potfile(line)?;
    let is_pair = line.len() == hash.len().checked_add(text.len())?.checked_add(1)?;
    let hash = std::str::from_utf8(hash).ok().filter(|hash| is_pair && !hash.starts_with(['$', '{']))?;
    Some((hash.to_owned(), text.to_vec()))
}

fn of_table(table: &Table, line: &[u8]) -> Option<(String, Vec<u8>)> {
    let at = table.hash_column().filter(|_| !table.has_header)?;
    let fields = table.separator.fields(line);
    let hash = std::str::from_utf8(fields.get(at)?.trim_ascii()).ok()?;
    let (_, word) = table.split(line)?;
    hashes::of(hash).map(|_| (hash.to_owned(), word.trim_ascii().to_vec()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_is_of_its_text_and_of_no_other() {
        for hash in [
            "5f4dcc3b5aa765d61d8327deb882cf99",
            "8846F7EAEE8FB117AD06BDD830B7586C",
            "5baa61e4c9b93f3f0682250b6cf8331b7ee68fd8",
            "2470c0c06dee42fd1618bb99005adca2ec9d1e19",
            "5e884898da28047151d0e56f8dc6292773603d0d6aabbdd62a11ef721d1542d8",
        ] {
            assert_eq!(is_of(hash, b"password"), Some(true), "{hash}");
            assert_eq!(is_of(hash, b"$HEX[70617373776f7264]"), Some(true), "{hash}");
            assert_eq!(is_of(hash, b"salt"), Some(false), "{hash}");
        }
        assert_eq!(is_of("$6$salt$hash$more", b"password"), None);
    }
}
