//! Patterns on keyboards against their definitions, over the rows of `layouts.txt` as people read them.

use std::collections::HashMap;

use proptest::prelude::*;
use unicode_normalization::UnicodeNormalization;

use super::{
    keyboard::is_pattern,
    layouts::{KEYS, SETS},
};
use crate::policy::{Reason, StructureRules, tests::reason_by};
use nearmiss_filters::word::Word;

/// Row and column.
type Key = (i32, i32);
type Layout = HashMap<char, Key>;

const TABLE: &str = include_str!("layouts.txt");

/// To the right, down to the right and down to the left.
const DIRECTIONS: [Key; 6] = [(0, 1), (1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1)];

fn layouts() -> Vec<(&'static str, Layout)> {
    let lines = TABLE.lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| {
            let (name, rows) = line.split_once(' ').unwrap();
            let rows: Vec<&str> = rows.split(' ').collect();
            assert!(rows.len() % 4 == 0 && rows.len() <= 12, "{name}");
            let keys = rows.iter().zip((0..4).cycle()).flat_map(|(row, down)| {
                row.chars().zip(0..).filter(|(c, _)| *c != '·').map(move |(c, right)| (c, (down, right)))
            });
            let layout: Layout = keys.clone().collect();
            assert_eq!(layout.len(), keys.count(), "{name} has a character twice");
            (name, layout)
        })
        .collect()
}

/// The module has what people read.
#[test]
fn the_packed_layouts_are_those_of_the_text() {
    let layouts = layouts();
    assert!((50..=64).contains(&layouts.len()));
    assert!(KEYS.is_sorted_by(|first, second| first < second));
    let mut all: Vec<Layout> = vec![Layout::new(); layouts.len()];
    for &(character, key, set) in &KEYS {
        let key = (i32::from(key / 32) - 1, i32::from(key % 32) - 1);
        let layouts = if set < 64 { 1 << set } else { SETS[usize::from(set) - 64] };
        for at in (0..64).filter(|at| layouts >> at & 1 == 1) {
            let before = all[at].insert(char::from_u32(character.into()).unwrap(), key);
            assert_eq!(before, None, "{character:x} in {at}");
        }
    }
    for ((name, layout), packed) in layouts.iter().zip(&all) {
        assert_eq!(layout, packed, "{name}");
        let is_clean = |c: &char| Word::clean(c.to_string().as_bytes()).unwrap().to_text() == c.to_string();
        assert!(layout.keys().all(is_clean), "{name}: what no filter sees");
        // The digits, without Shift or with it.
        let digits = layout.keys().filter(|c| c.is_numeric()).count();
        let letters = layout.keys().filter(|c| c.is_alphabetic()).count();
        assert!(
            letters >= 22 && (digits == 10 || ["am", "kz", "lt", "th"].contains(name)),
            "{name}: {digits}, {letters}"
        );
    }
}

/// The keys of the text on a layout, syllables of Hangul by letters.
fn keys(layout: &Layout, word: &Word) -> Vec<Option<Key>> {
    let is_syllable = |c: char| ('가'..='힣').contains(&c);
    let typed = word.symbols().flat_map(|symbol| match symbol.character() {
        Some(c) if is_syllable(c) => c.nfd().map(Some).collect(),
        other => vec![other],
    });
    typed.map(|c| layout.get(&c?).copied()).collect()
}

fn step(from: Option<Key>, to: Option<Key>) -> Option<Key> {
    let ((a, b), (c, d)) = (from?, to?);
    Some((c - a, d - b)).filter(|step| *step == (0, 0) || DIRECTIONS.contains(step))
}

/// True if each of these touches the one before.
fn is_touching(keys: &[Option<Key>]) -> bool {
    keys.iter().all(Option::is_some)
        && keys.windows(2).all(|pair| step(pair[0], pair[1]).is_some_and(|step| step != (0, 0)))
}

/// True for three or more in equal steps, or the same one.
fn is_line(keys: &[Option<Key>]) -> bool {
    let first = keys.first().zip(keys.get(1)).and_then(|(from, to)| step(*from, *to));
    keys.len() >= 3 && first.is_some() && keys.windows(2).all(|pair| step(pair[0], pair[1]) == first)
}

fn are_lines(keys: &[Option<Key>], most: usize) -> bool {
    let lines: Vec<_> = (0..keys.len())
        .flat_map(|start| (start..=keys.len()).map(move |end| start..end))
        .filter(|range| is_line(&keys[range.clone()]))
        .collect();
    let beside = (0..keys.len()).filter(|at| !lines.iter().any(|line| line.contains(at))).count();
    beside == 0 || beside < most || lines.iter().any(|line| line.len() + most >= keys.len())
}

fn are_twofold(keys: &[Option<Key>]) -> bool {
    let pairs: Vec<_> = keys.chunks(2).collect();
    let firsts: Vec<_> = pairs.iter().map(|pair| pair[0]).collect();
    keys.len() >= 8 && pairs.iter().all(|pair| pair.len() == 2 && pair[0] == pair[1]) && is_touching(&firsts)
}

fn are_interleaved(keys: &[Option<Key>]) -> bool {
    let by_turns =
        |start: usize| -> Vec<Option<Key>> { keys.iter().copied().skip(start).step_by(2).collect() };
    let (one, other) = (by_turns(0), by_turns(1));
    let stay = |line: &[Option<Key>]| line[0] == line[1];
    is_line(&one) && is_line(&other) && !(stay(&one) && stay(&other))
}

fn are_repeated(keys: &[Option<Key>]) -> bool {
    let Some(keys) = keys.iter().copied().collect::<Option<Vec<Key>>>() else { return false };
    let is_moved = |first: &[Key], second: &[Key]| {
        let (down, right) = (second[0].0 - first[0].0, second[0].1 - first[0].1);
        second.iter().zip(first).all(|(two, one)| *two == (one.0 + down, one.1 + right))
    };
    keys.len() >= 8
        && (3..=keys.len() / 2).any(|length| {
            let shape: Vec<_> = keys[..length].iter().copied().map(Some).collect();
            is_touching(&shape) && keys.chunks(length).all(|part| is_moved(&keys[..length], part))
        })
}

fn by_definition(layouts: &[(&str, Layout)], word: &Word, most: usize) -> bool {
    layouts.iter().any(|(_, layout)| {
        let keys = keys(layout, word);
        let is_walk = keys.len() >= 8 && is_touching(&keys);
        let are_others = are_twofold(&keys) || are_interleaved(&keys) || are_repeated(&keys);
        keys.len() >= 6 && (are_lines(&keys, most) || is_walk || are_others)
    })
}

/// Shapes that people type: on QWERTY qwertyui, qazwsxedc, eszrdxtfc, qwsazxcd, qpwoeiru, qqwweerr.
fn shapes() -> [(&'static str, Vec<Key>); 8] {
    let row = |from: i32| (from..from + 8).map(|right| (1, right)).collect();
    let columns = |lean: i32, first: i32| -> Vec<Key> {
        (first..first + 3)
            .flat_map(|right| (1..4).map(move |down| (down, right - lean * (down - 1))))
            .collect()
    };
    let turns = (1..5).flat_map(|right| [(1, right), (1, 9 - right)]).collect();
    let ladder = (1..5).flat_map(|right| [(1, right), (2, right)]).collect();
    let corners =
        [1, 4, 7].into_iter().flat_map(|right| [(1, right), (1, right + 1), (2, right + 1)]).collect();
    [
        ("row", row(1)),
        ("columns", columns(0, 1)),
        ("slants", columns(1, 3)),
        ("walk", vec![(1, 1), (1, 2), (2, 2), (2, 1), (3, 1), (3, 2), (3, 3), (2, 3)]),
        ("two rows that meet", turns),
        ("two rows by turns", ladder),
        ("twice each", (1..5).flat_map(|right| [(1, right); 2]).collect()),
        ("the same corner", corners),
    ]
}

#[test]
fn every_shape_is_a_pattern_on_every_layout() {
    let rules = StructureRules { sequences: true, ..StructureRules::NONE };
    for (name, layout) in layouts().iter().filter(|(name, _)| *name != "alphabet") {
        for (shape, keys) in shapes() {
            let on_key = |key: &Key| layout.iter().filter(|(_, at)| *at == key).map(|(c, _)| *c).min();
            let Some(text) = keys.iter().map(on_key).collect::<Option<String>>() else {
                // A key that is left out: with a letter of another key, or of two characters.
                assert!(["us(colemak_dh)", "rs", "ara", "ir", "th"].contains(name), "{name}: {shape}");
                continue;
            };
            let backwards: String = text.chars().rev().collect();
            for text in [text, backwards] {
                assert!(is_pattern(&Word::clean(text.as_bytes()).unwrap(), 0), "{name}, {shape}: {text}");
                assert_eq!(reason_by(rules, &text), Some(Reason::Pattern), "{name}, {shape}: {text}");
                assert_eq!(reason_by(StructureRules::NONE, &text), None, "{name}, {shape}: {text}");
            }
        }
    }
}

#[test]
fn what_people_type_on_their_keyboards_is_a_pattern() {
    let rules = StructureRules { sequences: true, ..StructureRules::NONE };
    // QWERTY, and the alphabet with digits; German; French; Dvorak; Colemak; Bépo; Neo; Cyrillic, of five
    // keyboards; Greek; Hebrew; Arabic; Korean.
    let typed = "q1w2e3r4 1q2w3e4r5t zse45rdx !QAZ@WSX qwerfdsa qwsrtgyuj aassddff 12qwaszx 1q1w1e1r \
                 qazwsxedc2026 a1b2c3d4 aabbccdd qwertzuiopü !\"§$%&/( yxcvbnm, &é\"'(-è_ azsqwxcd \
                 aoeuidht aoeuid1! ',.pyfgc arstneio qwfpluy; auie,cts bépoè^vd uiaeosnr xvlcwkhg \
                 йцукенгш 1й2ц3у4к фывапрол явертыуи љњертзуи йціфячсм уеишщксд ασδφγηξκ \
                 שדגכעיחל ضصثقفغعه ㅂㅈㄷㄱㅁㄴㅇㄹ ㅅㅛㅕㅑㅐㅔ12 쇼ㅕㅑㅐㅔ";
    for text in typed.split(' ') {
        assert_eq!(reason_by(rules, text), Some(Reason::Pattern), "{text}");
    }
    let others =
        "qwerasxk qwertlkp aoeusthn qwsazxc q1w2e3x4 qqaawwx vq7mzr0l qazxplmn2 йцуфысяч кенфы 12qwrt90";
    for text in others.split(' ') {
        assert_eq!(reason_by(rules, text), None, "{text}");
    }
}

/// Moves of a finger, each from the key before: on, in another direction, not at all, or to any key.
fn typed(layout: &Layout, moves: &[(u8, u8)], order: u8) -> String {
    let mut all: Vec<(Key, char)> = layout.iter().map(|(c, key)| (*key, *c)).collect();
    all.sort_unstable();
    let on_key = |key: Key, which: u8| {
        let those: Vec<char> = all.iter().filter(|(at, _)| *at == key).map(|(_, c)| *c).collect();
        those.get(usize::from(which) % those.len().max(1)).copied()
    };
    let (mut key, mut direction) = ((1, 1), (0, 1));
    let mut keys = Vec::new();
    for &(kind, which) in moves {
        match kind {
            0..6 => {}
            6 => direction = DIRECTIONS[usize::from(which) % 6],
            7 => direction = (0, 0),
            _ => {
                (key, direction) =
                    (all[usize::from(which) * 7 % all.len()].0, DIRECTIONS[usize::from(which) % 6]);
            }
        }
        keys.push((key, which / 64));
        key = (key.0 + direction.0, key.1 + direction.1);
    }
    let half = keys.len().div_ceil(2);
    let in_place =
        |by: i32| keys.iter().take(4).map(move |((down, right), which)| ((*down, right + by), *which));
    let keys: Vec<(Key, u8)> = match order {
        0 => keys.iter().flat_map(|key| [*key; 2]).collect(),
        1 => (0..half).flat_map(|at| [keys.get(at), keys.get(at + half)]).flatten().copied().collect(),
        2 => in_place(0).chain(in_place(2)).chain(in_place(3)).take(keys.len()).collect(),
        _ => keys,
    };
    keys.into_iter().map(|(key, which)| on_key(key, which).unwrap_or('x')).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8000))]
    #[test]
    fn patterns_are_those_of_the_definition(
        number in any::<prop::sample::Index>(), order in 0..6_u8, most in 0..3_usize,
        moves in prop::collection::vec((0..9_u8, any::<u8>()), 0..14),
    ) {
        let layouts = layouts();
        let text = typed(&layouts[number.index(layouts.len())].1, &moves, order);
        let word = Word::clean(text.as_bytes()).unwrap();
        prop_assert_eq!(is_pattern(&word, most), by_definition(&layouts, &word, most), "{}", text);
    }
}

/// Half of the texts above are patterns, so that the comparison is one.
#[test]
fn the_texts_of_the_comparison_are_patterns_and_others() {
    let layouts = layouts();
    let found = (0..1000_usize).filter(|number| {
        let moves: Vec<(u8, u8)> = (0..8 + number % 5)
            .map(|at| {
                let mixed = (number * 7919 + at * 104_729) % 65_521;
                (u8::try_from(mixed % 8).unwrap(), u8::try_from(mixed / 9 % 256).unwrap())
            })
            .collect();
        let text = typed(&layouts[number % layouts.len()].1, &moves, u8::try_from(number % 6).unwrap());
        is_pattern(&Word::clean(text.as_bytes()).unwrap(), 1)
    });
    let found = found.count();
    assert!((200..900).contains(&found), "{found}");
}
