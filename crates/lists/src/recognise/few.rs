//! Lists of so few lines that their columns are no evidence, but a hash is: no word looks like one.

use crate::{
    hashes::{self, Hash},
    login,
    refusal::{Refusal, Way},
};

/// The fields of shadow(5) behind the hash.
const OF_SHADOW: usize = 7;

/// Refuses lines of which one has a hash at its beginning, or behind a user.
///
/// # Errors
/// The [`Refusal`].
pub(super) fn refused(lines: &[&[u8]]) -> Result<(), Refusal> {
    lines.iter().find_map(|line| refusal(line)).map_or(Ok(()), Err)
}

fn refusal(line: &[u8]) -> Option<Refusal> {
    let fields: Vec<&[u8]> = line.split(|&byte| byte == b':').collect();
    // A phrase may begin like a hash, and no hash has a blank.
    let is_hash = |field: &[u8]| login::is_hash(field) && !field.contains(&b' ');
    if is_hash(fields.first()?) && login::is_of_potfile(line) {
        let options = "--form potfile, if the text behind the hash is the password";
        // A number behind digits alone is a count.
        return (!login::has_count(line) || line.starts_with(b"$"))
            .then(|| Refusal::new("hashes with a text beside them", Way::Options(options.to_owned())));
    }
    let (user, hash, rest) = (fields.first()?, fields.get(1)?, fields.get(2..)?);
    if user.is_empty() || !is_hash(hash) {
        return None;
    }
    if rest.len() != OF_SHADOW && rest.iter().any(|field| !field.is_empty()) {
        let copy = "of the passwords, if they are in the third column (cut -d: -f3-)";
        return Some(Refusal::new("users, hashes and a text beside them", Way::Copy(copy.to_owned())));
    }
    match std::str::from_utf8(hash).ok().and_then(hashes::of) {
        // Digests in hexadecimal digits are refused with the command that makes a list of them.
        Some(Hash::Sha1 | Hash::Digits32) => None,
        Some(hash) => Some(Refusal::of_hashes(hash)),
        None => Some(Refusal::useless("users and hashes")),
    }
}
