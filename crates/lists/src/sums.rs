//! Digests of texts, to find out whether a text beside a hash is the one that it is of. MD5 and SHA-256 are
//! here, since no filter has them and nothing secret is made of them.

use md4::{Digest as _, Md4};
use sha1::Sha1;

/// The sines of 1 to 64 (RFC 1321).
#[rustfmt::skip]
const SINES: [u32; 64] = [
    0xd76a_a478, 0xe8c7_b756, 0x2420_70db, 0xc1bd_ceee, 0xf57c_0faf, 0x4787_c62a, 0xa830_4613, 0xfd46_9501,
    0x6980_98d8, 0x8b44_f7af, 0xffff_5bb1, 0x895c_d7be, 0x6b90_1122, 0xfd98_7193, 0xa679_438e, 0x49b4_0821,
    0xf61e_2562, 0xc040_b340, 0x265e_5a51, 0xe9b6_c7aa, 0xd62f_105d, 0x0244_1453, 0xd8a1_e681, 0xe7d3_fbc8,
    0x21e1_cde6, 0xc337_07d6, 0xf4d5_0d87, 0x455a_14ed, 0xa9e3_e905, 0xfcef_a3f8, 0x676f_02d9, 0x8d2a_4c8a,
    0xfffa_3942, 0x8771_f681, 0x6d9d_6122, 0xfde5_380c, 0xa4be_ea44, 0x4bde_cfa9, 0xf6bb_4b60, 0xbebf_bc70,
    0x289b_7ec6, 0xeaa1_27fa, 0xd4ef_3085, 0x0488_1d05, 0xd9d4_d039, 0xe6db_99e5, 0x1fa2_7cf8, 0xc4ac_5665,
    0xf429_2244, 0x432a_ff97, 0xab94_23a7, 0xfc93_a039, 0x655b_59c3, 0x8f0c_cc92, 0xffef_f47d, 0x8584_5dd1,
    0x6fa8_7e4f, 0xfe2c_e6e0, 0xa301_4314, 0x4e08_11a1, 0xf753_7e82, 0xbd3a_f235, 0x2ad7_d2bb, 0xeb86_d391,
];

/// The rotations of each round of MD5 (RFC 1321).
const ROTATIONS: [[u32; 4]; 4] = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]];

/// The cube roots of the first 64 primes (FIPS 180-4).
#[rustfmt::skip]
const CUBE_ROOTS: [u32; 64] = [
    0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
    0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
    0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
    0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
    0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
    0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
    0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
    0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
];

/// The square roots of the first 8 primes (FIPS 180-4).
#[rustfmt::skip]
const SQUARE_ROOTS: [u32; 8] = [
    0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
];

/// MD5 (RFC 1321).
pub(crate) fn md5(text: &[u8]) -> Vec<u8> {
    let mut state = [0x6745_2301_u32, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476];
    for block in padded(text, u64::to_le_bytes).chunks_exact(64) {
        let words: Vec<u32> = words(block, u32::from_le_bytes);
        let [mut a, mut b, mut c, mut d] = state;
        for (at, sine) in SINES.iter().enumerate() {
            let (mixed, word) = match at / 16 {
                0 => (b & c | !b & d, at),
                1 => (d & b | !d & c, at.wrapping_mul(5).wrapping_add(1)),
                2 => (b ^ c ^ d, at.wrapping_mul(3).wrapping_add(5)),
                _ => (c ^ (b | !d), at.wrapping_mul(7)),
            };
            let word = words.get(word % 16).copied().unwrap_or_default();
            let by = ROTATIONS.get(at / 16).and_then(|round| round.get(at % 4)).copied().unwrap_or_default();
            let sum = a.wrapping_add(mixed).wrapping_add(*sine).wrapping_add(word);
            (a, d, c, b) = (d, c, b, b.wrapping_add(sum.rotate_left(by)));
        }
        for (sum, more) in state.iter_mut().zip([a, b, c, d]) {
            *sum = sum.wrapping_add(more);
        }
    }
    state.into_iter().flat_map(u32::to_le_bytes).collect()
}

/// SHA-256 (FIPS 180-4).
#[allow(clippy::many_single_char_names, reason = "the names of the standard")]
pub(crate) fn sha256(text: &[u8]) -> Vec<u8> {
    let mut state = SQUARE_ROOTS;
    for block in padded(text, u64::to_be_bytes).chunks_exact(64) {
        let mut words: Vec<u32> = words(block, u32::from_be_bytes);
        for at in 16..64_usize {
            let back = |by: usize| words.get(at.wrapping_sub(by)).copied().unwrap_or_default();
            let (near, far) = (back(2), back(15));
            let first = far.rotate_right(7) ^ far.rotate_right(18) ^ far >> 3;
            let second = near.rotate_right(17) ^ near.rotate_right(19) ^ near >> 10;
            words.push(back(16).wrapping_add(first).wrapping_add(back(7)).wrapping_add(second));
        }
        let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = state;
        for (root, word) in CUBE_ROOTS.iter().zip(&words) {
            let high = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
            let low = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
            let chosen = h.wrapping_add(high).wrapping_add(e & f ^ !e & g);
            let first = chosen.wrapping_add(*root).wrapping_add(*word);
            let second = low.wrapping_add(a & b ^ a & c ^ b & c);
            (h, g, f, e) = (g, f, e, d.wrapping_add(first));
            (d, c, b, a) = (c, b, a, first.wrapping_add(second));
        }
        for (sum, more) in state.iter_mut().zip([a, b, c, d, e, f, g, h]) {
            *sum = sum.wrapping_add(more);
        }
    }
    state.into_iter().flat_map(u32::to_be_bytes).collect()
}

/// SHA-1.
pub(crate) fn sha1(text: &[u8]) -> Vec<u8> {
    Sha1::digest(text).to_vec()
}

/// MD4.
pub(crate) fn md4(text: &[u8]) -> Vec<u8> {
    Md4::digest(text).to_vec()
}

/// A text in UTF-16, as NTLM is of it.
pub(crate) fn wide(text: &[u8]) -> Vec<u8> {
    String::from_utf8_lossy(text).encode_utf16().flat_map(u16::to_le_bytes).collect()
}

/// Hexadecimal digits in lower case.
pub(crate) fn hex(digest: &[u8]) -> String {
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The text with its padding and its length in bits.
fn padded(text: &[u8], bytes: fn(u64) -> [u8; 8]) -> Vec<u8> {
    let mut padded = [text, &[0x80]].concat();
    while padded.len() % 64 != 56 {
        padded.push(0);
    }
    padded.extend(bytes((text.len() as u64).wrapping_mul(8)));
    padded
}

fn words(block: &[u8], word: fn([u8; 4]) -> u32) -> Vec<u32> {
    block.chunks_exact(4).filter_map(|bytes| bytes.try_into().ok()).map(word).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What `md5sum`, `sha256sum` and `sha1sum` print.
    #[test]
    fn digests_are_those_of_other_programs() {
        assert_eq!(hex(&md5(b"")), "d41d8cd98f00b204e9800998ecf8427e");
        assert_eq!(hex(&md5(b"password")), "5f4dcc3b5aa765d61d8327deb882cf99");
        assert_eq!(hex(&md5(&b"1234567890".repeat(8))), "57edf4a22be3c955ac49da2e2107b67a");
        assert_eq!(hex(&sha256(b"abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assert_eq!(
            hex(&sha256(b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        );
        assert_eq!(hex(&sha1(b"password")), "5baa61e4c9b93f3f0682250b6cf8331b7ee68fd8");
        assert_eq!(hex(&md4(&wide(b"password"))), "8846f7eaee8fb117ad06bdd830b7586c");
    }
}
