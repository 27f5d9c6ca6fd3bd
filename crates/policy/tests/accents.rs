//! A word of a list is found however its accents are typed or left out.
//!
//! `fixtures/accents.tsv` has words of five languages with accents, from the annotations of CLDR 48.2 (npm
//! cldr-annotations-full 48.2.0, licence Unicode-3.0: `packaging/wordlists/licences/unicode.txt`), chosen at
//! random, each with what is left of it without accents and, where it has umlauts, with `ae` for `ä`. These
//! columns are made by Python's unicodedata.

use crate::common::{exact, settings};
use nearmiss_filters::{
    dictionary::{Build, DictionaryFilter, counters::Counters},
    format::{Kind, Match, SchemeId},
    list::{Entry, Forms},
    word::Word,
};
use nearmiss_policy::policy::{Context, Examination, Ladders, OpenDictionary, Policy, Reason, VariantRules};

const WORDS: &str = include_str!("fixtures/accents.tsv");

/// The columns of each line, without the language.
fn words() -> impl Iterator<Item = Vec<&'static str>> {
    WORDS.lines().map(|line| line.split('\t').skip(1).collect())
}

fn dictionary(build: &Build, list: &str) -> [OpenDictionary<Vec<u8>>; 1] {
    let filter = DictionaryFilter::from_bytes(build.in_memory(&[list.as_bytes()]).unwrap()).unwrap();
    let matching = filter.header().matching;
    [OpenDictionary { filter, matching }]
}

fn written() -> String {
    words().fold(String::new(), |list, columns| list + columns[0] + "\n")
}

fn builds(forms: Forms) -> [Build; 2] {
    let near = Build { forms, ..settings(SchemeId::Deletions, 6) };
    [exact(Kind::Words, near.clone()), near]
}

fn passes(dictionary: &[OpenDictionary<Vec<u8>>], password: &str) -> bool {
    let policy = Policy::default();
    let examination = Examination::new(dictionary, Ladders::default());
    let examined = policy.examine(password.as_bytes(), &Context::default(), examination);
    examined.complete().unwrap().is_none()
}

fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(char::to_uppercase).into_iter().flatten().chain(letters).collect()
}

#[test]
fn no_word_with_accents_passes_when_it_is_typed_without() {
    assert_eq!(words().count(), 200);
    for build in builds(Forms::Plain) {
        let dictionary = dictionary(&build, &written());
        for columns in words() {
            for typed in columns {
                for password in [typed.to_owned(), typed.to_uppercase(), capitalised(typed) + "1"] {
                    assert!(!passes(&dictionary, &password), "{password}");
                }
            }
        }
    }
}

/// So the words are a test of the forms, and a dictionary for spelling knows what is written alone.
#[test]
fn as_written_alone_they_pass() {
    let [exact, near] = builds(Forms::Written).map(|build| dictionary(&build, &written()));
    let plain = || words().map(|columns| columns[1]);
    assert_eq!(plain().filter(|typed| passes(&exact, typed)).count(), 200);
    let passing = plain().filter(|typed| passes(&near, typed)).count();
    assert!(passing >= 50, "of words with two accents: {passing}");
}

/// Accents that are typed wrongly, and a list that has a word without them.
#[test]
fn accents_count_on_neither_side() {
    let [build, _] = builds(Forms::Plain);
    let dictionary = dictionary(&build, "détérioré\nfaessler\nbjorn\nstrasse\nGrüße\n");
    for password in ["dètèriore", "Détériorê", "Fässler1", "Bjørn123", "Straße12", "grüsse99", "GRUESSE1!"]
    {
        assert!(!passes(&dictionary, password), "{password}");
    }
    let as_it_is = Policy { variants: VariantRules::NONE, ..Policy::default() };
    let examination = Examination::new(&dictionary, Ladders::default());
    let examined = as_it_is.examine(b"deteriore", &Context::default(), examination);
    assert_eq!(examined.complete().unwrap().map(|finding| finding.reason), Some(Reason::Dictionary));
}

/// The header counts each form; a list that has a form itself adds none.
#[test]
fn forms_are_entries() {
    for build in builds(Forms::Plain) {
        let header = |list: &str| dictionary(&build, list)[0].filter.header().clone();
        let (one, three) = (header("elephant\n"), header("schön\nschon\nplan\n"));
        assert_eq!((one.words, one.lines, three.words, three.lines), (1, 1, 4, 3));
        assert_eq!(three.matching == Match::Near, build.spec.matching == Match::Near);
    }
}

#[test]
fn a_word_is_taken_out_with_its_forms() {
    for build in builds(Forms::Plain) {
        let list = "schön\nelephant\n".as_bytes();
        let mut survey = build.survey();
        survey.read_block(list);
        let builder = build.builder(&survey.finish()).unwrap();
        let mut counters = Counters::new(builder.header()).unwrap();
        counters.insert_block(0, Forms::Plain, list);
        assert_eq!(counters.counts().words, 4);
        let entry = |text: &str| Entry { word: Word::clean(text.as_bytes()).unwrap(), ..Entry::default() };
        assert!(counters.contains(&entry("schön")));
        assert!(["schon", "schoen"].iter().all(|form| counters.is_plain_form(&entry(form))));
        assert!(counters.remove(&entry("schön")) && !counters.remove(&entry("schoen")));
        assert_eq!(counters.counts().words, 1);
    }
}
