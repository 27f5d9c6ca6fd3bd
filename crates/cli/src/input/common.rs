//! Passwords and words of the built-in lists.

use std::io::{BufRead, BufReader};

use zstd::stream::read::Decoder;

use super::origin::{BUILT_IN, EVERYDAY};

/// This number of the most common passwords, the most common first: as typed, without capital letters.
pub fn common_passwords(count: usize) -> Vec<Vec<u8>> {
    // The list is part of the program: it can always be read.
    let Ok(text) = Decoder::new(BUILT_IN) else { return Vec::new() };
    BufReader::new(text).split(b'\n').take(count).map_while(Result::ok).collect()
}

/// This number of the everyday words and names of many languages, evenly from their list.
pub fn everyday_words(count: usize) -> Vec<Vec<u8>> {
    let Ok(text) = Decoder::new(EVERYDAY) else { return Vec::new() };
    let words: Vec<Vec<u8>> = BufReader::new(text).split(b'\n').map_while(Result::ok).collect();
    let step = words.len().checked_div(count).unwrap_or(1).max(1);
    words.into_iter().step_by(step).take(count).collect()
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
