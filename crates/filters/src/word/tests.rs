use proptest::prelude::*;

use super::{
    symbol::{FIRST_RAW, SYMBOL_END},
    *,
};

fn text(word: &[u8]) -> String {
    Word::clean(word).unwrap_or_default().to_text()
}

#[test]
fn cleans_case_width_and_composition() {
    assert_eq!(text(b"PassWord"), "password");
    assert_eq!(text("ÉLÉPHANT".as_bytes()), "éléphant");
    assert_eq!(text("e\u{301}".as_bytes()), "é");
    assert_eq!(text("ｐａｓｓ".as_bytes()), "pass");
    assert_eq!(text("ﬁn".as_bytes()), "fin");
}

#[test]
fn invisible_letters_are_one_invisible_character_that_is_none() {
    for filler in ["\u{115f}", "\u{1160}", "\u{3164}", "\u{ffa0}"] {
        assert_eq!(text(format!("dra{filler}gon").as_bytes()), "dra\u{200b}gon");
    }
}

#[test]
fn the_beginning_of_a_long_text_is_as_long_as_a_word_can_be() {
    for letter in ["a", "é", "\u{fdfa}"] {
        let long = letter.repeat(300);
        assert!(Word::clean(long.as_bytes()).is_err());
        let beginning = Word::beginning_of(long.as_bytes());
        assert_eq!(beginning.len(), MAX_CHARACTERS);
        assert!(
            Word::clean(letter.repeat(256).as_bytes()).is_ok_and(|word| word == beginning)
                || letter.len() > 2
        );
    }
    assert!(Word::beginning_of(b"Abc") == Word::clean(b"abc").unwrap());
}

#[test]
fn bytes_that_are_not_utf8_are_symbols_of_their_own() {
    let word = Word::clean(b"a\xffb\xc3").unwrap_or_default();
    assert_eq!(word.len(), 4);
    assert_eq!(word.as_bytes(), b"a\xff\xffb\xff\xc3");
    assert_eq!(word.symbol(1), Symbol::from_value(FIRST_RAW | 0xff));
    assert_eq!(word.symbol(4), None);
}

#[test]
fn counts_characters_not_bytes() {
    assert_eq!(Word::clean("日本語".as_bytes()).unwrap_or_default().len(), 3);
    assert!(Word::clean(&[b'a'; 256]).is_ok());
    assert!(Word::clean(&[b'a'; 257]).is_err());
    assert!(Word::clean("\u{fdfa}".repeat(20).as_bytes()).is_err(), "18 characters each after NFKC");
}

#[test]
fn symbol_values_are_checked() {
    assert!(Symbol::from_value(0xd800).is_none());
    assert!(Symbol::from_value(FIRST_RAW + 0x7f).is_none());
    assert!(Symbol::from_value(SYMBOL_END).is_none());
    assert!(Symbol::from_value(FIRST_RAW + 0x80).is_some());
}

proptest! {
    #[test]
    fn encoding_is_injective_and_reversible(bytes in proptest::collection::vec(any::<u8>(), 0..80)) {
        let word = Word::clean(&bytes).unwrap_or_default();
        let again = Word::from_encoded(word.as_bytes()).unwrap_or_default();
        prop_assert!(word == again);
        prop_assert!(Word::from_symbols(word.symbols()).unwrap_or_default() == word);
    }

    #[test]
    fn cleaning_twice_is_cleaning_once(text in ".{0,40}") {
        let once = Word::clean(text.as_bytes()).unwrap_or_default();
        let twice = Word::clean(once.to_text().as_bytes()).unwrap_or_default();
        prop_assert!(once == twice);
    }
}
