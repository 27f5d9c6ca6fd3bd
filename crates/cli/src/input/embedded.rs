//! The lists that are part of a program: only of one that names them, since they are a third of its package.

use std::io::{BufRead, BufReader};

use super::decompress;

/// A list that is part of the program.
#[derive(Debug)]
pub struct Embedded {
    /// Its name in reports and records.
    pub name: &'static str,
    /// Its bytes as stored: compressed.
    pub stored: &'static [u8],
}

/// Common passwords and words, made by packaging/wordlists/fetch.sh; see PROVENANCE there.
pub static BUILT_IN: Embedded = Embedded {
    name: "the built-in list",
    stored: include_bytes!("../../../../packaging/wordlists/common.lst.xz"),
};

/// Everyday words and names of many languages, made by packaging/wordlists/everyday.sh; see PROVENANCE there.
pub static EVERYDAY: Embedded = Embedded {
    name: "the everyday list",
    stored: include_bytes!("../../../../packaging/wordlists/everyday.lst.xz"),
};

/// Further passwords that people choose most, made by packaging/wordlists/ranked.py; see PROVENANCE there.
pub static RANKED: Embedded = Embedded {
    name: "the list of further passwords",
    stored: include_bytes!("../../../../packaging/wordlists/ranked.lst.xz"),
};

/// This number of the most common passwords, the most common first: as typed, without capital letters.
pub fn common_passwords(count: usize) -> Vec<Vec<u8>> {
    lines(&BUILT_IN).take(count).collect()
}

/// This number of the everyday words and names of many languages, evenly from their list.
pub fn everyday_words(count: usize) -> Vec<Vec<u8>> {
    let words: Vec<Vec<u8>> = lines(&EVERYDAY).collect();
    let step = words.len().checked_div(count).unwrap_or(1).max(1);
    words.into_iter().step_by(step).take(count).collect()
}

/// The lines of a list. It is part of the program: it can always be read.
fn lines(list: &Embedded) -> impl Iterator<Item = Vec<u8>> + use<> {
    let text = decompress::text(Box::new(list.stored)).ok();
    text.into_iter().flat_map(|(text, _)| BufReader::new(text).split(b'\n').map_while(Result::ok))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_are_the_first_of_the_list() {
        let common = common_passwords(1000);
        assert_eq!((common.len(), &common[0][..], &common[1][..]), (1000, &b"123456"[..], &b"password"[..]));
        assert!(common.iter().all(|password| !password.is_empty()));
    }
}
