//! Every sentence in every language: the catalogues of `packaging/po/` as the module would read them.

use std::collections::HashMap;

use nearmiss_policy::policy::{Policy, Reason};
use unicode_width::UnicodeWidthStr;

use super::{
    Phrase,
    catalogue::{Catalogue, tests::mo},
    lines::in_lines,
    sentences::{accepted_for_root, hint, rejection, suggestion, tests::every},
};

const TEMPLATE: &str = include_str!("../../../packaging/po/nearmiss.pot");

const LANGUAGES: [(&str, &str); 15] = [
    ("cs", include_str!("../../../packaging/po/cs.po")),
    ("de", include_str!("../../../packaging/po/de.po")),
    ("es", include_str!("../../../packaging/po/es.po")),
    ("fr", include_str!("../../../packaging/po/fr.po")),
    ("it", include_str!("../../../packaging/po/it.po")),
    ("ja", include_str!("../../../packaging/po/ja.po")),
    ("ko", include_str!("../../../packaging/po/ko.po")),
    ("nl", include_str!("../../../packaging/po/nl.po")),
    ("pl", include_str!("../../../packaging/po/pl.po")),
    ("pt_BR", include_str!("../../../packaging/po/pt_BR.po")),
    ("ru", include_str!("../../../packaging/po/ru.po")),
    ("sv", include_str!("../../../packaging/po/sv.po")),
    ("tr", include_str!("../../../packaging/po/tr.po")),
    ("uk", include_str!("../../../packaging/po/uk.po")),
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

/// True for letters, digits and the punctuation of these languages: a screen reader spells arrows, ticks and
/// other pictures, or leaves them out.
fn is_read_aloud(character: char) -> bool {
    let is_punctuation = character.is_ascii_punctuation() || " \u{a0}’—、，。；：（）".contains(character);
    character.is_alphanumeric() || is_punctuation
}

/// The most lines: two for a reason and its advice, four for a message that is shown once in a change.
fn most_lines(phrase: &Phrase) -> usize {
    if is_rejection(phrase) { 2 } else { 4 }
}

fn is_rejection(phrase: &Phrase) -> bool {
    phrase.english.starts_with("BAD PASSWORD")
}

/// Every sentence with the longest that may fill its holes: a number of the policy, a user name of the system
/// (useradd(8)), a passphrase of the packaged words; and each reason with its code.
fn longest() -> impl Iterator<Item = Phrase> {
    let most = Policy { min_length: 511, ..Policy::default() };
    let number = |reason| match reason {
        Reason::TooShort { .. } => Reason::TooShort { min_length: most.min_length },
        _ => reason,
    };
    let reasons = Reason::ALL.map(number).map(|reason| rejection(reason).with_code(reason.code()));
    let passphrase = zeroize::Zeroizing::new(["seventh"; 5].join("-"));
    let others = every().into_iter().filter(|phrase| phrase.values.is_empty());
    let filled = [
        accepted_for_root(&[b'u'; 32]),
        hint(&most, true),
        hint(&most, false),
        suggestion(&vec![passphrase.clone(); 1]).unwrap(),
        suggestion(&vec![passphrase; 3]).unwrap(),
    ];
    let others: Vec<Phrase> = others.collect();
    reasons.into_iter().chain(filled).chain(others)
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
            let sign = text.chars().find(|&character| !is_read_aloud(character));
            assert_eq!(sign, None, "{language}: {}", *text);
            assert_eq!(text.trim(), *text, "{language}");
            let twin = seen.insert(text.to_string(), phrase.english);
            assert_eq!(twin, None, "{language}: the same for {}", phrase.english);
        }
        assert_eq!(entries(source).len(), every().len() + 1, "{language}: run make pot");
        assert!(source.contains(&format!("\"Language: {language}\\n\"")), "{language}");
    }
}

/// A terminal of 80 columns breaks no line itself, and no reason is broken at all: what is wrong stands in
/// one line, the advice may be in the next. A line that ends with a colon would be taken for a prompt.
#[test]
fn no_reason_is_broken_and_no_line_is_wider_than_a_terminal() {
    let catalogues = LANGUAGES.map(|(language, source)| (language, Some(catalogue(source))));
    let mut wrong = Vec::new();
    for (language, catalogue) in [("en", None)].into_iter().chain(catalogues) {
        for phrase in longest() {
            let text = in_lines(&phrase.text(catalogue.as_ref()));
            let lines: Vec<&str> = text.lines().collect();
            let is_whole = lines.len() == 1 || lines[0].contains([';', '；', '。', '.']);
            let is_narrow = lines.iter().all(|line| line.width() <= 80 && !line.ends_with(':'));
            if is_rejection(&phrase) && !is_whole || !is_narrow || lines.len() > most_lines(&phrase) {
                wrong.push(format!("{language}: {}", *text));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Rejections begin alike in every language, so that they are recognized at a glance.
#[test]
fn every_rejection_begins_with_the_same_words() {
    for (language, source) in LANGUAGES {
        let catalogue = catalogue(source);
        let rejections = every().into_iter().filter(is_rejection);
        let texts: Vec<_> = rejections.map(|phrase| phrase.text(Some(&catalogue))).collect();
        let beginning = |text: &str| text.split_once([':', '：']).map(|(before, _)| before.to_owned());
        let first = beginning(&texts[0]).expect(language);
        for text in &texts {
            assert_eq!(beginning(text).as_deref(), Some(first.as_str()), "{language}: {}", **text);
        }
    }
}
