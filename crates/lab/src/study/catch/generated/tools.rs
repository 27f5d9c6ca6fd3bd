//! Command-line tools, libraries and the passwords that installers set.
//!
//! Sources: the manual pages of pwgen(1), apg(1), makepasswd(1), pass(1), gopass(1), openssl-rand(1),
//! expect's mkpasswd(1); pwgen's `pw_rand.c`; the Terraform provider random, Ansible's lookup `password`,
//! Django's `get_random_string`, `WordPress`'s `wp_generate_password`, Rails' `SecureRandom.base58`, Python's
//! `secrets`. apg's pronounceable passwords (FIPS 181) are not here: their tables are a program of their own.

use super::{
    Kind,
    pwgen::Pronounced,
    source::{ALPHANUMERIC, DIGITS, HEX, LOWER, PRINTABLE, SIGNS, Source, UPPER, has_each},
};

const BASE64: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const DJANGO: &str = "abcdefghjkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";
/// pwgen's option -B.
const AMBIGUOUS: [char; 15] = ['B', '8', 'G', '6', 'I', '1', 'l', '0', 'O', 'Q', 'D', 'S', '5', 'Z', '2'];
/// Lower case only: pwgen -A0.
const LOWER_ONLY: Pronounced = Pronounced { capitals: false, digits: false, signs: false };

pub(super) const KINDS: &[Kind] = &[
    Kind::new("pwgen_10", |s| s.pwgen(10)),
    Kind::new("pwgen_12", |s| s.pwgen(12)),
    Kind::new("pwgen_16", |s| s.pwgen(16)),
    Kind::new("pwgen_A0_8", |s| s.pronounced(8, LOWER_ONLY)),
    Kind::new("pwgen_A0_10", |s| s.pronounced(10, LOWER_ONLY)),
    Kind::new("pwgen_A0_12", |s| s.pronounced(12, LOWER_ONLY)),
    Kind::new("pwgen_0_10", |s| s.pronounced(10, Pronounced { capitals: true, ..LOWER_ONLY })),
    Kind::new("pwgen_A_10", |s| s.pronounced(10, Pronounced { digits: true, ..LOWER_ONLY })),
    Kind::new("pwgen_y_8", |s| s.pronounced(8, Pronounced { signs: true, digits: true, capitals: true })),
    Kind::new("pwgen_y_12", |s| s.pronounced(12, Pronounced { signs: true, digits: true, capitals: true })),
    Kind::new("pwgen_B_8", |s| s.until(|s| s.pwgen(8), |text| !text.contains(AMBIGUOUS))),
    Kind::new("pwgen_s_8", |s| s.pwgen_secure(8, ALPHANUMERIC)),
    Kind::new("pwgen_s_10", |s| s.pwgen_secure(10, ALPHANUMERIC)),
    Kind::new("pwgen_s_12", |s| s.pwgen_secure(12, ALPHANUMERIC)),
    Kind::new("pwgen_s_16", |s| s.pwgen_secure(16, ALPHANUMERIC)),
    Kind::new("pwgen_s_20", |s| s.pwgen_secure(20, ALPHANUMERIC)),
    Kind::new("pwgen_sB_8", |s| s.pwgen_secure(8, &ALPHANUMERIC.replace(AMBIGUOUS, ""))),
    Kind::new("pwgen_sy_8", |s| s.pwgen_secure_signs(8)),
    Kind::new("pwgen_sy_12", |s| s.pwgen_secure_signs(12)),
    Kind::new("pwgen_sy_20", |s| s.pwgen_secure_signs(20)),
    Kind::new("pwgen_sv_10", |s| {
        let is_vowel = |c: &char| "01aeiouyAEIOUY".contains(*c);
        s.pwgen_secure(10, &ALPHANUMERIC.chars().filter(|c| !is_vowel(c)).collect::<String>())
    }),
    Kind::new("apg_a1_8", |s| s.some(8, PRINTABLE)),
    Kind::new("apg_a1_letters_10", |s| s.mixed(10, &[(1, LOWER), (1, UPPER), (1, DIGITS)])),
    Kind::new("makepasswd_8", |s| s.some(8, ALPHANUMERIC)),
    Kind::new("makepasswd_10", |s| s.some(10, ALPHANUMERIC)),
    Kind::new("mkpasswd_expect_9", |s| {
        let signs = "!@#$%^&*()-=_+[]{};:,.<>/?";
        let [upper, digits, signs, lower] =
            [(2, UPPER), (2, DIGITS), (1, signs), (4, LOWER)].map(|(count, set)| (count, set));
        s.mixed(9, &[upper, digits, signs, lower])
    }),
    Kind::new("pass_25", |s| s.some(25, PRINTABLE)),
    Kind::new("pass_n_25", |s| s.some(25, ALPHANUMERIC)),
    Kind::new("gopass_24", |s| s.some(24, ALPHANUMERIC)),
    Kind::new("gopass_signs_24", |s| s.some(24, PRINTABLE)),
    Kind::new("openssl_base64_8", |s| s.some(8, BASE64)),
    Kind::new("openssl_base64_12", |s| s.some(12, BASE64)),
    Kind::new("openssl_base64_16", |s| s.some(16, BASE64)),
    Kind::new("openssl_base64_24", |s| s.some(22, BASE64) + "=="),
    Kind::new("openssl_base64_44", |s| s.some(43, BASE64) + "="),
    Kind::new("openssl_hex_12", |s| s.some(12, HEX)),
    Kind::new("openssl_hex_16", |s| s.some(16, HEX)),
    Kind::new("openssl_hex_20", |s| s.some(20, HEX)),
    Kind::new("secrets_urlsafe_22", |s| s.some(22, &format!("{ALPHANUMERIC}-_"))),
    Kind::new("terraform_16", |s| s.some(16, &format!("{ALPHANUMERIC}!@#$%&*()-_=+[]{{}}<>:?"))),
    Kind::new("ansible_20", |s| s.some(20, &format!("{ALPHANUMERIC}.,:-_"))),
    Kind::new("django_10", |s| s.some(10, DJANGO)),
    Kind::new("wordpress_12", |s| s.some(12, &format!("{ALPHANUMERIC}!@#$%^&*()"))),
    Kind::new("wordpress_24", |s| s.some(24, &format!("{ALPHANUMERIC}!@#$%^&*()"))),
    Kind::new("rails_base58_24", |s| s.some(24, &ALPHANUMERIC.replace(['0', 'O', 'I', 'l'], ""))),
    Kind::new("mysql_temporary_12", |s| s.all_four(12, (1, "!#%&()*+,-./:;<=>?@[]^_{|}~"))),
    Kind::new("aws_secrets_32", |s| s.all_four(32, (1, SIGNS))),
    Kind::new("jenkins_first_32", |s| s.some(32, HEX)),
];

impl Source<'_> {
    /// Drawn until it has a digit and a capital, as pwgen's option -s does.
    fn pwgen_secure(&mut self, length: usize, set: &str) -> String {
        self.until(|s| s.some(length, set), |text| has_each(text, &[DIGITS, UPPER]))
    }

    /// The same with a sign: -sy.
    fn pwgen_secure_signs(&mut self, length: usize) -> String {
        self.until(|s| s.some(length, PRINTABLE), |text| has_each(text, &[DIGITS, UPPER, SIGNS]))
    }
}
