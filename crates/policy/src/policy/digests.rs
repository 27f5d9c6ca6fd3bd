//! The digests that may have led to a finding.

use nearmiss_filters::{
    digest::{Digest, Digester},
    format::Kind,
    word::Word,
};

use super::{
    reading::as_latin_1,
    switches::VariantRules,
    variants::{self, Transforms},
};

/// The digests that may have led to a finding with these transforms, for a list of this kind: digests of the
/// variants with these transforms, or of the candidate as typed if there are none; for bytes that are not
/// UTF-8, the same of their reading as Latin-1.
pub fn digests_of(kind: Kind, password: &[u8], rules: VariantRules, transforms: Transforms) -> Vec<Digest> {
    let latin_1 = as_latin_1(password);
    let all = std::iter::once(password).chain(latin_1.iter().map(Word::as_bytes));
    all.flat_map(|text| of_reading(kind, text, rules, transforms)).collect()
}

fn of_reading(kind: Kind, password: &[u8], rules: VariantRules, transforms: Transforms) -> Vec<Digest> {
    let mut digester = Digester::default();
    let as_typed = (transforms == Transforms::NONE).then(|| digester.of_password(kind, password)).flatten();
    let variants = Word::clean(password).map(|word| variants::of(word, rules)).unwrap_or_default();
    let made_so = variants.into_iter().filter(|variant| variant.transforms == transforms);
    let of_variants = made_so.filter_map(|variant| digester.of_variant(kind, &variant.word));
    as_typed.into_iter().chain(of_variants).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use nearmiss_filters::digest::digest_of;

    fn hex(digest: &Digest) -> String {
        digest.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// The candidate as typed is a source of the finding only without transforms.
    #[test]
    fn digests_of_a_finding_are_of_the_strings_that_were_made_so() {
        let of = |transforms| -> Vec<String> {
            let digests = digests_of(Kind::Sha1, b"Password1", VariantRules::ALL, transforms);
            digests.iter().map(hex).collect()
        };
        let [typed, cleaned] =
            [&b"Password1"[..], b"password1"].map(|text| hex(&digest_of(Kind::Sha1, text).unwrap()));
        assert_eq!(of(Transforms::NONE), [typed, cleaned]);
        assert_eq!(of(Transforms::AFFIXES), [hex(&digest_of(Kind::Sha1, b"password").unwrap())]);
        assert!(of(Transforms::REPEATED).is_empty());
    }
}
