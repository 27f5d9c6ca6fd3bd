//! Two words with a little word between them: `rideordie`, `dogandcat`.

#![allow(clippy::arithmetic_side_effects, reason = "positions in a word of at most 256 characters")]

use std::ops::{Range, RangeInclusive};

use crate::policy::variants::Variant;

/// Little words of English, German, French, Spanish, Portuguese and Italian, separated by spaces.
const LITTLE: &[u8] =
    b" a an and n the of in on my is to me i im for 4 2 or at by it no us we you u und der die \
das de la le el du y et mit il di da do e ";

/// The length of a password in which little words count: shorter ones are three short syllables by chance,
/// and longer ones are phrases.
const LENGTHS: RangeInclusive<usize> = 9..=14;

/// The length of the longest little word.
pub(super) const LONGEST: usize = 3;

/// True if this part of a password that has lost nothing at its ends is a little word.
pub(super) fn is_between(form: &Variant, part: Range<usize>) -> bool {
    let text = form.word.slice(part);
    form.transforms.keep_all()
        && LENGTHS.contains(&form.word.len())
        && !text.is_empty()
        && LITTLE.split(|&byte| byte == b' ').any(|word| word == text)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{super::splits, *};
    use crate::policy::variants::Transforms;
    use nearmiss_filters::word::Word;

    fn splits_of(text: &str, transforms: Transforms) -> Vec<[String; 2]> {
        let form = Variant { word: Word::clean(text.as_bytes()).unwrap(), transforms };
        let part = |range: Range<usize>| String::from_utf8(form.word.slice(range).to_vec()).unwrap();
        splits(&form).into_iter().map(|split| split.map(part)).collect()
    }

    #[test]
    fn the_words_around_little_words() {
        let has = |text, transforms, [first, second]: [&str; 2]| {
            splits_of(text, transforms).contains(&[first.to_owned(), second.to_owned()])
        };
        assert!(has("rideordie", Transforms::NONE, ["ride", "die"]));
        assert!(has("dogandcat", Transforms::NONE, ["dog", "cat"]));
        assert!(!has("catisbad", Transforms::NONE, ["cat", "bad"]), "eight characters");
        assert!(!has("kingdomofhearts", Transforms::NONE, ["kingdom", "hearts"]), "fifteen characters");
        assert!(!has("rideordie", Transforms::AFFIXES, ["ride", "die"]));
        assert!(LITTLE.split(|&byte| byte == b' ').all(|word| word.len() <= LONGEST));
    }

    proptest! {
        /// By definition: three parts that make up the whole, the second one in the list, or empty.
        #[test]
        fn splits_are_those_of_the_definition(text in "[adno]{7,16}") {
            let little = std::str::from_utf8(LITTLE).unwrap();
            let mut expected = Vec::new();
            for (start, end) in (3..text.len()).flat_map(|at| (at..=at + 3).map(move |end| (at, end))) {
                let [Some(first), Some(between), Some(second)] =
                    [text.get(..start), text.get(start..end), text.get(end..)] else { continue };
                let is_little = (9..=14).contains(&text.len()) && little.contains(&format!(" {between} "));
                let is_long = first.len().max(second.len()) >= 4;
                if second.len() >= 3 && if between.is_empty() { is_long } else { is_little } {
                    expected.push([first.to_owned(), second.to_owned()]);
                }
            }
            prop_assert_eq!(splits_of(&text, Transforms::NONE), expected);
        }
    }
}
