//! Random characters of other scripts than Latin, and of Latin letters with accents.

use super::{
    Kind,
    source::{ALPHANUMERIC, DIGITS, LOWER},
};

const RUSSIAN: &str = "абвгдеёжзийклмнопрстуфхцчшщъыьэюя";
const GREEK: &str = "αβγδεζηθικλμνξοπρστυφχψω";

pub(super) const KINDS: &[Kind] = &[
    Kind::new("latin1_10", |s| s.some(10, "àáâãäåæçèéêëìíîïðñòóôõöøùúûüýþÿß")),
    Kind::new("latin1_mixed_10", |s| s.some(10, &format!("{LOWER}äöüßéèàçñ"))),
    Kind::new("latin1_mixed_12", |s| s.some(12, &format!("{ALPHANUMERIC}äöüßéèàçñÄÖÜ"))),
    Kind::new("polish_10", |s| s.some(10, "aąbcćdeęfghijklłmnńoóprsśtuwyzźż")),
    Kind::new("czech_10", |s| s.some(10, "aábcčdďeéěfghiíjklmnňoópqrřsštťuúůvwxyýzž")),
    Kind::new("turkish_10", |s| s.some(10, "abcçdefgğhıijklmnoöprsştuüvyz")),
    Kind::new("vietnamese_10", |s| s.some(10, "aăâbcdđeêghiklmnoôơpqrstuưvxyáàảãạéèẻẽẹ")),
    Kind::new("cyrillic_8", |s| s.some(8, RUSSIAN)),
    Kind::new("cyrillic_12", |s| s.some(12, RUSSIAN)),
    Kind::new("cyrillic_cased_10", |s| s.some(10, &format!("{RUSSIAN}{}", RUSSIAN.to_uppercase()))),
    Kind::new("cyrillic_digits_10", |s| s.some(10, &format!("{RUSSIAN}{DIGITS}"))),
    Kind::new("cyrillic_latin_10", |s| s.some(10, &format!("{RUSSIAN}{LOWER}"))),
    Kind::new("ukrainian_10", |s| s.some(10, "абвгґдеєжзиіїйклмнопрстуфхцчшщьюя")),
    Kind::new("greek_8", |s| s.some(8, GREEK)),
    Kind::new("greek_12", |s| s.some(12, GREEK)),
    Kind::new("greek_digits_10", |s| s.some(10, &format!("{GREEK}{DIGITS}"))),
    Kind::new("hebrew_10", |s| s.between(10, 'א', 'ת')),
    Kind::new("arabic_10", |s| s.some(10, "ابتثجحخدذرزسشصضطظعغفقكلمنهوي")),
    Kind::new("armenian_10", |s| s.between(10, 'ա', 'ֆ')),
    Kind::new("georgian_10", |s| s.between(10, 'ა', 'ჰ')),
    Kind::new("thai_10", |s| s.between(10, 'ก', 'ฮ')),
    Kind::new("devanagari_10", |s| s.between(10, 'क', 'ह')),
    Kind::new("hiragana_8", |s| s.between(8, 'ぁ', 'ん')),
    Kind::new("katakana_10", |s| s.between(10, 'ァ', 'ン')),
    Kind::new("hanzi_8", |s| s.between(8, '\u{4e00}', '\u{9fa5}')),
    Kind::new("hangul_8", |s| s.between(8, '가', '힣')),
    Kind::new("hangul_letters_10", |s| s.between(10, 'ㄱ', 'ㅎ')),
    Kind::new("emoji_8", |s| s.between(8, '\u{1f600}', '\u{1f64f}')),
];
