//! Keys, tokens, codes for recovery and keys of routers: what people paste into a field for passwords.
//!
//! Sources: RFC 4122, 4648 and 6238; nanoid's and ULID's specifications; systemd-cryptenroll(1) (modhex);
//! koremutake.com and the specification of Bubble Babble; the help pages of the services for codes of
//! recovery; labels of routers for WPA keys; Microsoft's product keys (24 characters) and `BitLocker`'s.

use super::{
    Kind,
    source::{ALPHANUMERIC, BASE32, DIGITS, HEX, LOWER, READABLE, Source, UPPER},
};

/// Of ULID and many keys: without I, L, O, U.
const CROCKFORD: &str = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const PRODUCT_KEY: &str = "BCDFGHJKMPQRTVWXY2346789";
const BASE36: &str = "0123456789abcdefghijklmnopqrstuvwxyz";
const MODHEX: &str = "cbdefghijklnrtuv";
const URL_SAFE: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

pub(super) const KINDS: &[Kind] = &[
    Kind::new("uuid_without_dashes_32", |s| s.some(32, HEX)),
    Kind::new("uuid_capitals", |s| {
        [8, 4, 4, 4, 12].map(|count| s.some(count, &HEX.to_uppercase())).join("-")
    }),
    Kind::new("nanoid_10", |s| s.some(10, URL_SAFE)),
    Kind::new("nanoid_21", |s| s.some(21, URL_SAFE)),
    Kind::new("ulid_26", |s| format!("01J{}", s.some(23, CROCKFORD))),
    Kind::new("hex_8", |s| s.some(8, HEX)),
    Kind::new("hex_10", |s| s.some(10, HEX)),
    Kind::new("hex_12", |s| s.some(12, HEX)),
    Kind::new("hex_16", |s| s.some(16, HEX)),
    Kind::new("hex_24", |s| s.some(24, HEX)),
    Kind::new("hex_40", |s| s.some(40, HEX)),
    Kind::new("hex_64", |s| s.some(64, HEX)),
    Kind::new("base32_10", |s| s.some(10, BASE32)),
    Kind::new("base32_16", |s| s.some(16, BASE32)),
    Kind::new("base32_lower_16", |s| s.some(16, &BASE32.to_lowercase())),
    Kind::new("base32_26", |s| s.some(26, BASE32)),
    Kind::new("base58_11", |s| s.some(11, &ALPHANUMERIC.replace(['0', 'O', 'I', 'l'], ""))),
    Kind::new("base58_22", |s| s.some(22, &ALPHANUMERIC.replace(['0', 'O', 'I', 'l'], ""))),
    Kind::new("base64url_11", |s| s.some(11, URL_SAFE)),
    Kind::new("base64url_22", |s| s.some(22, URL_SAFE)),
    Kind::new("github_token_40", |s| format!("ghp_{}", s.some(36, ALPHANUMERIC))),
    Kind::new("gitlab_token_26", |s| format!("glpat-{}", s.some(20, URL_SAFE))),
    Kind::new("aws_key_20", |s| format!("AKIA{}", s.some(16, BASE32))),
    Kind::new("wpa_digits_8", |s| s.some(8, DIGITS)),
    Kind::new("wpa_digits_16", |s| s.some(16, DIGITS)),
    Kind::new("wpa_digits_20", |s| s.some(20, DIGITS)),
    Kind::new("wpa_digits_groups_24", |s| s.groups(5, 4, DIGITS, " ")),
    Kind::new("wpa_capitals_8", |s| s.some(8, UPPER)),
    Kind::new("wpa_hex_10", |s| s.some(10, &HEX.to_uppercase())),
    Kind::new("wpa_hex_26", |s| s.some(26, &HEX.to_uppercase())),
    Kind::new("wpa_base36_10", |s| s.some(10, BASE36)),
    Kind::new("wpa_readable_13", |s| s.some(13, READABLE)),
    Kind::new("recovery_hex_groups_11", |s| s.groups(2, 5, HEX, "-")),
    Kind::new("recovery_hex_groups_9", |s| s.groups(2, 4, HEX, "-")),
    Kind::new("recovery_base36_groups_9", |s| s.groups(2, 4, BASE36, "-")),
    Kind::new("recovery_base32_groups_9", |s| s.groups(2, 4, BASE32, "-")),
    Kind::new("recovery_digits_9", |s| s.groups(2, 4, DIGITS, " ")),
    Kind::new("recovery_lower_12", |s| s.some(12, &format!("{LOWER}{DIGITS}"))),
    Kind::new("recovery_base32_groups_39", |s| s.groups(8, 4, &BASE32.to_lowercase(), " ")),
    Kind::new("recovery_apple_28", |s| s.some(28, CROCKFORD)),
    Kind::new("filevault_29", |s| s.groups(6, 4, CROCKFORD, "-")),
    Kind::new("bitlocker_55", |s| s.groups(8, 6, DIGITS, "-")),
    Kind::new("systemd_modhex_71", |s| s.groups(8, 8, MODHEX, "-")),
    Kind::new("yubikey_modhex_32", |s| s.some(32, MODHEX)),
    Kind::new("yubikey_modhex_16", |s| s.some(16, MODHEX)),
    Kind::new("licence_29", |s| s.groups(5, 5, PRODUCT_KEY, "-")),
    Kind::new("licence_groups_19", |s| s.groups(4, 4, CROCKFORD, "-")),
    Kind::new("licence_groups_14", |s| s.groups(3, 4, CROCKFORD, "-")),
    Kind::new("1password_secret_34", |s| {
        let groups = [6, 6, 5, 5, 5].map(|count| s.some(count, CROCKFORD)).join("-");
        format!("A3-{groups}")
    }),
    Kind::new("proquint_three_17", |s| [(); 3].map(|()| s.proquint()).join("-")),
    Kind::new("proquint_together_10", |s| [(); 2].map(|()| s.proquint()).concat()),
    Kind::new("proquint_together_15", |s| [(); 3].map(|()| s.proquint()).concat()),
    Kind::new("koremutake_five", |s| (0..5).map(|_| s.koremutake()).collect()),
    Kind::new("koremutake_seven", |s| (0..7).map(|_| s.koremutake()).collect()),
    Kind::new("bubble_babble_23", |s| {
        let groups = (0..3).map(|_| s.babble(5)).collect::<Vec<_>>().join("-");
        format!("x{}{}x", groups.get(1..).unwrap_or_default(), s.babble(5))
    }),
];

impl Source<'_> {
    /// One of 128 syllables: of 22 beginnings, with six vowels each, the first 128.
    fn koremutake(&mut self) -> String {
        const BEGINNINGS: [&str; 22] = [
            "b", "d", "f", "g", "h", "j", "k", "l", "m", "n", "p", "r", "s", "t", "v", "br", "dr", "fr",
            "gr", "pr", "st", "tr",
        ];
        let vowels = || "aeiouy".chars();
        let all = BEGINNINGS.iter().flat_map(|begin| vowels().map(move |vowel| format!("{begin}{vowel}")));
        let at = self.pick(128);
        all.take(128).nth(at).unwrap_or_default()
    }

    /// A group of consonants and vowels by turns.
    fn babble(&mut self, length: usize) -> String {
        let set = |at| if at % 2 == 0 { "bcdfghklmnprstvz" } else { "aeiouy" };
        (0..length).map(|at| self.some(1, set(at))).collect()
    }
}
