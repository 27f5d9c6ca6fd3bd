//! The most common passwords of the built-in list.

use std::io::{BufRead, BufReader};

use zstd::stream::read::Decoder;

use super::origin::BUILT_IN;

/// This number of the most common passwords, the most common first: as typed, without capital letters.
pub fn common_passwords(count: usize) -> Vec<Vec<u8>> {
    // The list is part of the program: it can always be read.
    let Ok(text) = Decoder::new(BUILT_IN) else { return Vec::new() };
    BufReader::new(text).split(b'\n').take(count).map_while(Result::ok).collect()
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
