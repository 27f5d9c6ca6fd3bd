//! Every sentence in every language: the catalogues of `packaging/po/` as the module would read them.

use std::collections::HashMap;

use super::{
    Phrase,
    catalogue::{Catalogue, tests::mo},
    sentences::tests::every,
};

const TEMPLATE: &str = include_str!("../../../packaging/po/nearmiss.pot");

const LANGUAGES: [(&str, &str); 10] = [
    ("de", include_str!("../../../packaging/po/de.po")),
    ("es", include_str!("../../../packaging/po/es.po")),
    ("fr", include_str!("../../../packaging/po/fr.po")),
    ("it", include_str!("../../../packaging/po/it.po")),
    ("ja", include_str!("../../../packaging/po/ja.po")),
    ("nl", include_str!("../../../packaging/po/nl.po")),
    ("pl", include_str!("../../../packaging/po/pl.po")),
    ("pt_BR", include_str!("../../../packaging/po/pt_BR.po")),
    ("ru", include_str!("../../../packaging/po/ru.po")),
    ("zh_CN", include_str!("../../../packaging/po/zh_CN.po")),
];

/// The entries of a catalogue's source that msgfmt would use: entries that are neither fuzzy nor obsolete.
fn entries(source: &str) -> Vec<(String, String)> {
    let blocks = source.split("\n\n").filter(|block| !block.contains("#, fuzzy"));
    let lines = blocks.map(|block| block.lines().filter(|line| !line.starts_with('#')));
    let entries = lines.map(|lines| {
        let (mut texts, mut at) = ([String::new(), String::new()], 0);
        for line in lines {
            at = usize::from(line.starts_with("msgstr") || (at == 1 && !line.starts_with("msgid")));
            let quoted = line.split_once('"').unwrap().1.strip_suffix('"').unwrap();
            texts[at].push_str(&quoted.replace("\\n", "\n").replace("\\\"", "\""));
        }
        let [english, translation] = texts;
        (english, translation)
    });
    entries.collect()
}

fn catalogue(source: &str) -> Catalogue {
    let entries = entries(source);
    let pairs: Vec<_> = entries.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
    Catalogue::parse(mo(&pairs, u32::to_le_bytes)).unwrap()
}

/// Columns of a terminal: East Asian characters take two.
fn columns(text: &str) -> usize {
    let is_letter =
        |c| matches!(c, '\u{1100}'..='\u{115f}' | '\u{2e80}'..='\u{a4cf}' | '\u{ac00}'..='\u{d7a3}');
    let is_form =
        |c| matches!(c, '\u{f900}'..='\u{faff}' | '\u{fe30}'..='\u{fe4f}' | '\u{ff00}'..='\u{ff60}');
    let is_wide = |c| is_letter(c) || is_form(c);
    text.chars().map(|c| 1 + usize::from(is_wide(c))).sum()
}

/// Two lines of 80 columns; three for a message that does not follow a password, or lists passphrases.
fn most_columns(phrase: &Phrase) -> usize {
    if phrase.english.starts_with("BAD PASSWORD") { 160 } else { 240 }
}

#[test]
fn the_template_has_every_sentence() {
    let listed: Vec<String> = entries(TEMPLATE).into_iter().map(|(english, _)| english).skip(1).collect();
    let mut missing = every();
    missing.retain(|phrase| !listed.iter().any(|english| english == phrase.english));
    let missing: Vec<&str> = missing.iter().map(|phrase| phrase.english).collect();
    assert!(missing.is_empty(), "run make pot and translate: {missing:#?}");
    assert_eq!(listed.len(), every().len(), "run make pot: sentences are gone");
}

#[test]
fn every_sentence_is_translated_into_every_language_with_its_holes() {
    for (language, source) in LANGUAGES {
        let catalogue = catalogue(source);
        let mut seen = HashMap::new();
        for phrase in every() {
            let text = phrase.text(Some(&catalogue));
            assert_ne!(*text, *phrase.text(None), "{language}: not translated, or with other holes");
            for (name, value) in &phrase.values {
                assert!(text.contains(value.as_str()), "{language}: no {name} in {}", *text);
            }
            assert!(!text.contains(['{', '}', '%', '"']), "{language}: {}", *text);
            assert!(columns(&text) <= most_columns(&phrase), "{language}: {}: {}", columns(&text), *text);
            assert_eq!(text.trim(), *text, "{language}");
            let twin = seen.insert(text.to_string(), phrase.english);
            assert_eq!(twin, None, "{language}: the same for {}", phrase.english);
        }
        assert_eq!(entries(source).len(), every().len() + 1, "{language}: run make pot");
        assert!(source.contains(&format!("\"Language: {language}\\n\"")), "{language}");
    }
}

#[test]
fn english_is_no_wider() {
    for phrase in every() {
        let text = phrase.text(None);
        assert!(columns(&text) <= most_columns(&phrase), "{}: {}", columns(&text), *text);
    }
}

/// Rejections begin alike in every language, so that they are recognized at a glance.
#[test]
fn every_rejection_begins_with_the_same_words() {
    for (language, source) in LANGUAGES {
        let catalogue = catalogue(source);
        let rejections = every().into_iter().filter(|phrase| phrase.english.starts_with("BAD PASSWORD"));
        let texts: Vec<_> = rejections.map(|phrase| phrase.text(Some(&catalogue))).collect();
        let beginning = |text: &str| text.split_once([':', '：']).map(|(before, _)| before.to_owned());
        let first = beginning(&texts[0]).expect(language);
        for text in &texts {
            assert_eq!(beginning(text).as_deref(), Some(first.as_str()), "{language}: {}", **text);
        }
    }
}
