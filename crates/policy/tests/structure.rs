//! What a password is made of, against the definitions, over many small dictionaries.

use std::collections::HashSet;

use crate::common::{Random, distance, exact, filter, settings, word};
use nearmiss_filters::{
    dictionary::DictionaryFilter,
    format::{Kind, Match, SchemeId},
    word::{Symbol, Word},
};
use nearmiss_policy::policy::{
    Context, Evidence, Examination, Finding, Ladders, OpenDictionary, Policy, Reason, StructureRules,
    Substring, VariantRules,
    variants::{self, Variant},
};

type Text = Vec<Symbol>;

/// The candidate, and what is left of it without accents and without its ends.
fn forms(candidate: &[u8]) -> Vec<Text> {
    looked_up(candidate).into_iter().filter(|(_, is_part)| *is_part).map(|(text, _)| text).collect()
}

/// Everything that is looked up for the candidate, and true for what is a part of it.
fn looked_up(candidate: &[u8]) -> Vec<(Text, bool)> {
    let rules = VariantRules { accents: true, affixes: true, ..VariantRules::NONE };
    let is_part = |variant: &Variant| variant.transforms.names().all(|name| name != "letters alone");
    let variants = variants::of(word(candidate), rules);
    variants.iter().map(|variant| (variant.word.symbols().collect(), is_part(variant))).collect()
}

fn is_letter(symbol: &Symbol) -> bool {
    symbol.character().is_some_and(char::is_alphabetic)
}

fn is_separator(symbol: &Symbol) -> bool {
    symbol.character().is_some_and(|c| !c.is_alphabetic())
}

/// Two words that are the whole, at most two characters that are not letters between them. Three characters
/// are a word for a form of eight, and for the whole candidate, if at most one sign is between the words.
fn are_two_words(form: &Text, is_whole: bool, words: &HashSet<Text>) -> bool {
    let is_word = |part: &[Symbol]| words.contains(part);
    let splits =
        (0..=form.len()).flat_map(|end| (end..=form.len().min(end + 2)).map(move |start| (end, start)));
    splits.into_iter().any(|(end, start)| {
        let (first, between, second) = (&form[..end], &form[end..start], &form[start..]);
        let (short, long) = (first.len().min(second.len()), first.len().max(second.len()));
        let is_sign = |symbol: &Symbol| symbol.character().is_some_and(|c| !c.is_alphanumeric());
        let may_be_short = between.is_empty() || matches!(between, [sign] if is_sign(sign));
        let least = if may_be_short && (is_whole || form.len() >= 8) { 3 } else { 4 };
        let are_long_enough = short >= least && long >= 4;
        are_long_enough && between.iter().all(is_separator) && is_word(first) && is_word(second)
    })
}

/// Two words of three characters or more and a little word between them, nine to fourteen characters in all.
/// Of the symbols here two are little words.
fn are_words_around_a_little_one(form: &Text, words: &HashSet<Text>) -> bool {
    let is_little = |symbol: &Symbol| ['a', 'e'].map(Some).contains(&symbol.character());
    let mut parts = (0..form.len()).map(|at| (&form[..at], &form[at + 1..]));
    (9..=14).contains(&form.len())
        && parts.any(|(first, second)| {
            first.len().min(second.len()) >= 3
                && is_little(&form[first.len()])
                && words.contains(first)
                && words.contains(second)
        })
}

/// A word of six characters or more and three more at most.
fn is_word_plus_few(form: &Text, words: &HashSet<Text>) -> bool {
    let is_part = |word: &&Text| word.len() >= 6 && form.windows(word.len()).any(|part| part == **word);
    words.iter().filter(is_part).any(|word| word.len() + 3 >= form.len())
}

/// A word of five characters or more of which the form has few others.
fn is_mostly_a_word(form: &Text, words: &HashSet<Text>, rule: Substring) -> bool {
    words.iter().filter(|word| word.len() >= 5 && form.windows(word.len()).any(|part| part == *word)).any(
        |word| match rule {
            Substring::Off => false,
            Substring::TwoThirds => 3 * word.len() >= 2 * form.len(),
            Substring::AllBut4 => word.len() + 4 >= form.len(),
        },
    )
}

fn examine(
    structure: StructureRules,
    rules: &[OpenDictionary<Vec<u8>>],
    candidate: &[u8],
) -> Option<Finding> {
    let variants = VariantRules { accents: true, affixes: true, ..VariantRules::NONE };
    let policy = Policy { min_length: 1, structure, variants, ..Policy::default() };
    policy
        .examine(candidate, &Context::default(), Examination::new(rules, Ladders::default()))
        .complete()
        .unwrap()
}

/// The words that a finding names, without what is between them.
fn pieces(finding: &Finding) -> Vec<Text> {
    let Evidence::Pieces { pieces, .. } = &finding.evidence else { panic!("{:?}", finding.reason) };
    pieces.iter().map(|(_, word)| word.symbols().collect()).collect()
}

fn text(random: &mut Random, symbols: &[&[u8]], longest: usize) -> Vec<u8> {
    (0..random.below(longest + 1)).flat_map(|_| symbols[random.below(symbols.len())]).copied().collect()
}

/// A candidate made of up to two of the words and what may stand around them.
fn candidate(random: &mut Random, words: &[Vec<u8>], symbols: &[&[u8]]) -> Vec<u8> {
    let beside: &[&[u8]] = &[b"1", b"-", b"9", b"!"];
    let mut all = text(random, beside, 2);
    for _ in 0..=random.below(2) {
        all.extend_from_slice(&words[random.below(words.len())]);
        let set = if random.below(4) == 0 { symbols } else { beside };
        all.extend(text(random, set, 3));
    }
    all
}

fn filters(list: &[u8]) -> [DictionaryFilter<Vec<u8>>; 2] {
    [settings(SchemeId::Deletions, 8), exact(Kind::Words, settings(SchemeId::Whole, 0))]
        .map(|settings| filter(&settings, list))
}

/// The words are in two filters, half in each, and both are asked for members.
fn try_dictionaries(seed: u64, dictionaries: usize, symbols: &[&[u8]]) {
    let mut random = Random::new(seed);
    let (mut found, mut others) = (0, 0);
    for number in 0..dictionaries {
        let words: Vec<Vec<u8>> = (0..2 + random.below(9))
            .map(|_| [text(&mut random, symbols, 4), text(&mut random, symbols, 4)].concat())
            .filter(|word| !word.is_empty())
            .collect();
        let [some, more] = [0, words.len() / 2].map(|from| words[from..].join(&b'\n'));
        let Some(_) = words.first() else { continue };
        let [near, _] = filters(&some[..]);
        let [_, other] = filters(&more[..]);
        let rules = [near, other].map(|filter| OpenDictionary { filter, matching: Match::Exact });
        let known: HashSet<Text> = words.iter().map(|text| word(text).symbols().collect()).collect();
        for (substring, word_plus_few) in [
            (Substring::Off, false),
            (Substring::Off, true),
            (Substring::TwoThirds, false),
            (Substring::TwoThirds, true),
            (Substring::AllBut4, false),
        ] {
            let candidate = candidate(&mut random, &words, symbols);
            let two_words = substring == Substring::Off && !word_plus_few;
            let structure = StructureRules { two_words, substring, word_plus_few, ..StructureRules::NONE };
            let finding = examine(structure, &rules, &candidate);
            let finding = finding.filter(|finding| finding.reason != Reason::Dictionary);
            let forms = forms(&candidate);
            let shown = word(&candidate).to_text();
            let is_word = |(text, _): &(Text, bool)| known.contains(text) && text.len() >= 4;
            if looked_up(&candidate).iter().any(is_word) || known.contains(&forms[0]) {
                continue;
            }
            let lettered = || forms.iter().filter(|form| form.iter().any(is_letter));
            let expected = if two_words {
                let is_long = |form: &Text| form.len() + 4.max(forms[0].len() / 3) >= forms[0].len();
                let are_words = |form: &Text| {
                    let is_whole = is_whole(form, &forms[0]);
                    are_two_words(form, is_whole, &known)
                        || is_whole && are_words_around_a_little_one(form, &known)
                };
                lettered().any(|form| is_long(form) && are_words(form)).then_some(Reason::TwoWords)
            } else {
                // The ends are beside the word: only accents are taken off.
                let mut whole = lettered().filter(|form| is_whole(form, &forms[0]));
                let is_found = |form: &Text| {
                    is_mostly_a_word(form, &known, substring)
                        || word_plus_few && is_word_plus_few(form, &known)
                };
                whole.any(is_found).then_some(Reason::MostlyWord)
            };
            assert_eq!(finding.as_ref().map(|finding| finding.reason), expected, "{shown} in {number}");
            if let Some(finding) = finding {
                assert!(pieces(&finding).iter().all(|piece| known.contains(piece)), "{shown}");
            }
            if expected.is_some() { found += 1 } else { others += 1 }
        }
    }
    assert!(found > dictionaries / 10 && others > dictionaries, "{found} found, {others} not");
}

/// True for the candidate and for the candidate without accents.
fn is_whole(form: &Text, candidate: &Text) -> bool {
    let rules = VariantRules { accents: true, ..VariantRules::NONE };
    let candidate = Word::from_encoded(&encoded(candidate)).unwrap();
    variants::of(candidate, rules).iter().any(|variant| variant.word.symbols().eq(form.iter().copied()))
}

fn encoded(symbols: &Text) -> Vec<u8> {
    symbols.iter().flat_map(|symbol| symbol.encode(&mut [0; 4]).to_vec()).collect()
}

#[test]
fn two_words_and_words_that_are_most_of_a_password() {
    try_dictionaries(1, 4000, &[b"a", b"b", b"e"]);
}

#[test]
fn of_any_characters_and_bytes() {
    try_dictionaries(2, 4000, &[b"a", "é".as_bytes(), "日".as_bytes(), b"\xff"]);
}

/// A word of three characters or more and, before or behind it, six characters or more at most one edit away
/// from another, twelve in all; a letter of those six stands beside the word, and no sign cuts it off.
fn are_a_word_and_a_near_one(form: &Text, words: &HashSet<Text>) -> bool {
    let is_near = |part: &[Symbol]| {
        let part = Word::from_encoded(&encoded(&part.to_vec())).unwrap();
        let known = |word: &Text| Word::from_encoded(&encoded(word)).unwrap();
        part.len() >= 6 && words.iter().any(|word| distance(&part, &known(word)) <= 1)
    };
    let is_word = |part: &[Symbol]| part.len() >= 3 && words.contains(part);
    let mut splits = (0..=form.len()).map(|at| form.split_at(at));
    let is_sign = |symbol: &Symbol| symbol.character().is_some_and(|c| !c.is_alphanumeric());
    let ends_in_a_letter =
        |part: &[Symbol]| matches!(part, [.., before, last] if is_letter(last) && !is_sign(before));
    let begins_with_one =
        |part: &[Symbol]| matches!(part, [first, next, ..] if is_letter(first) && !is_sign(next));
    form.len() <= 12
        && splits.any(|(first, second)| {
            (is_near(first) && ends_in_a_letter(first) && is_word(second))
                || (is_word(first) && is_near(second) && begins_with_one(second))
        })
}

#[test]
fn two_words_of_which_one_has_an_edit() {
    let mut random = Random::new(3);
    let symbols: &[&[u8]] = &[b"a", b"b", b"e", "é".as_bytes(), b"-"];
    let (mut found, mut others) = (0, 0);
    for number in 0..4000 {
        let words: Vec<Vec<u8>> = (0..2 + random.below(4))
            .map(|_| [text(&mut random, symbols, 5), text(&mut random, symbols, 4)].concat())
            .filter(|word| !word.is_empty())
            .collect();
        let Some(_) = words.first() else { continue };
        let [near, _] = filters(&words.join(&b'\n'));
        let rules = [OpenDictionary { filter: near, matching: Match::Near }];
        let known: HashSet<Text> = words.iter().map(|text| word(text).symbols().collect()).collect();
        let mut candidate = words[random.below(words.len())].clone();
        candidate.extend_from_slice(&words[random.below(words.len())]);
        let mut edited: Text = word(&candidate).symbols().collect();
        let at = random.below(edited.len());
        let more = text(&mut random, symbols, 1);
        edited.splice(at..(at + random.below(2)).min(edited.len()), word(&more).symbols());
        let candidate = Word::from_encoded(&encoded(&edited)).unwrap().to_text();
        let structure = StructureRules { two_words: true, ..StructureRules::NONE };
        let finding = examine(structure, &rules, candidate.as_bytes()).map(|finding| finding.reason);
        let forms = forms(candidate.as_bytes());
        let is_expected = are_a_word_and_a_near_one(&forms[0], &known);
        if is_expected {
            assert!(finding.is_some(), "{candidate} in {number}");
            found += usize::from(finding == Some(Reason::TwoWords));
        } else if finding == Some(Reason::TwoWords) {
            let are_words = |form: &Text| {
                let is_whole = is_whole(form, &forms[0]);
                are_two_words(form, is_whole, &known) || are_words_around_a_little_one(form, &known)
            };
            assert!(forms.iter().any(are_words), "{candidate} in {number}");
        } else {
            others += 1;
        }
    }
    assert!(found > 400 && others > 400, "{found} found, {others} not");
}

/// What no form of a password has a word for is not rejected, whatever it is.
#[test]
fn strange_passwords_take_bounded_time_and_are_judged() {
    let [near, _] = filters(b"elephant\nhorse\nbattery");
    let rules = [OpenDictionary { filter: near, matching: Match::Near }];
    let substring = Substring::AllBut4;
    let structure = StructureRules { substring, ..StructureRules::default() };
    let long = [
        b"\xff".repeat(511),
        "a\u{301}".repeat(170).into_bytes(),
        "\u{fdfa}".repeat(170).into_bytes(),
        b"elephanx".repeat(63),
        [b"7".repeat(500), b"elephant".to_vec()].concat(),
    ];
    for password in long {
        let reason = examine(structure, &rules, &password).map(|finding| finding.reason);
        assert!(matches!(reason, None | Some(Reason::Pattern)), "{reason:?}");
    }
    let repeated = examine(structure, &rules, &[b'e'; 250]).map(|finding| finding.reason);
    assert_eq!(repeated, Some(Reason::Pattern));
}
