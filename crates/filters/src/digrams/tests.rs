use super::*;

/// 70 symbols; class 1 is '0', class 70 is 'u'.
fn alphabet() -> Alphabet {
    Alphabet::new(&('0'..='u').map(Symbol::of).collect())
}

const CLASSES: [(Class, Class); 7] = [(0, 1), (1, 2), (2, 0), (2, 70), (70, 3), (1, 70), (0, 0)];

fn pairs(alphabet: &Alphabet) -> Pairs {
    CLASSES.iter().map(|&(a, b)| (alphabet.symbol_of(a), alphabet.symbol_of(b))).collect()
}

fn between(table: &Digrams, first: Class, second: Class) -> Vec<Class> {
    between_of(table, (first, second), &alphabet())
}

fn between_of(table: &Digrams, pair: (Class, Class), alphabet: &Alphabet) -> Vec<Class> {
    let mut classes = Vec::new();
    table.each_between(pair, alphabet, |class| classes.push(class));
    classes
}

#[test]
fn exact_table_knows_its_pairs_and_no_others() {
    let table = Digrams::new(&alphabet(), &pairs(&alphabet()));
    for a in 0..=70 {
        for b in 0..=70 {
            assert_eq!(table.seen(a, b), CLASSES.contains(&(a, b)), "{a} {b}");
        }
    }
    assert!(!table.seen(UNKNOWN, 1) && !table.seen(1, UNKNOWN));
    assert_eq!(between(&table, 2, 3), [70]);
    assert_eq!(between(&table, 0, 2), [1]);
    assert_eq!(between(&table, 0, 0), [0; 0]);
}

/// What fits, by the definition.
fn fits(table: &Digrams, alphabet: &Alphabet, (first, second): (Class, Class), fit: PairFit) -> Vec<Class> {
    let is_fit = |&class: &Class| match fit {
        PairFit::Both => table.seen(first, class) && table.seen(class, second),
        PairFit::OneOf => table.seen(first, class) || table.seen(class, second),
        PairFit::Behind => table.seen(class, second),
    };
    alphabet.classes().filter(is_fit).collect()
}

fn fitting(table: &Digrams, alphabet: &Alphabet, pair: (Class, Class), fit: PairFit) -> Vec<Class> {
    let mut classes = Vec::new();
    table.each_fitting(pair, fit, alphabet, |class| classes.push(class));
    classes
}

#[test]
fn what_fits_at_an_open_place_is_what_makes_seen_pairs() {
    let (large, pair) = large();
    let many: Pairs = (0..3000).map(pair).collect();
    let hashed = large.classes().step_by(97).chain([BOUNDARY, UNKNOWN]).collect();
    let tables = [
        (Digrams::new(&alphabet(), &pairs(&alphabet())), alphabet(), (0..=71).chain([UNKNOWN]).collect()),
        (Digrams::new(&large, &many), large, hashed),
    ];
    for (table, alphabet, classes) in &tables {
        let classes: &Vec<Class> = classes;
        let asked = classes.iter().flat_map(|&a| classes.iter().map(move |&b| (a, b)));
        for (pair, fit) in
            asked.flat_map(|pair| [PairFit::Both, PairFit::OneOf, PairFit::Behind].map(|fit| (pair, fit)))
        {
            let expected = fits(table, alphabet, pair, fit);
            assert_eq!(fitting(table, alphabet, pair, fit), expected, "{pair:?} {fit:?}");
        }
        assert!(!fits(table, alphabet, (BOUNDARY, classes[1]), PairFit::OneOf).is_empty());
    }
}

#[test]
fn bytes_bring_the_table_back() {
    let table = Digrams::new(&alphabet(), &pairs(&alphabet()));
    let bytes = table.to_bytes();
    assert_eq!(Digrams::exact_from_bytes(70, &bytes), Some(table));
    assert_eq!(Digrams::exact_from_bytes(69, &bytes), None);
    let mut beyond = bytes;
    if let Some(last) = beyond.last_mut() {
        *last |= 0x80;
    }
    assert_eq!(Digrams::exact_from_bytes(70, &beyond), None, "71 × 71 bits leave bits over");
}

#[test]
fn growing_keeps_the_pairs_and_their_symbols() {
    let (old, new) = (alphabet(), Alphabet::new(&(' '..='z').map(Symbol::of).collect()));
    let more = Pairs::from([(Some(Symbol::of(' ')), Some(Symbol::of('z')))]);
    let table = Digrams::new(&old, &pairs(&old)).grown(&old, &new, &more);
    for (a, b) in pairs(&old).into_iter().chain(more) {
        let class = |s: Option<Symbol>| s.map_or(BOUNDARY, |s| new.class_of(s));
        assert!(table.seen(class(a), class(b)));
    }
    assert_eq!(table.pairs(&new).map(|pairs| pairs.len()), Some(8));
}

/// Chinese characters, and pairs of them.
fn large() -> (Alphabet, impl Fn(usize) -> (Option<Symbol>, Option<Symbol>)) {
    let symbols: Vec<Symbol> = ('\u{4e00}'..'\u{5100}').map(Symbol::of).collect();
    let alphabet = Alphabet::new(&symbols.iter().copied().collect());
    (alphabet, move |i: usize| (Some(symbols[i % 700]), Some(symbols[i.wrapping_mul(7919) % 701])))
}

fn has(table: &Digrams, alphabet: &Alphabet, (a, b): (Option<Symbol>, Option<Symbol>)) -> bool {
    let class = |s: Option<Symbol>| s.map_or(BOUNDARY, |s| alphabet.class_of(s));
    table.seen(class(a), class(b))
}

#[test]
fn united_tables_have_the_pairs_of_both() {
    let (small, (large, pair)) = (alphabet(), large());
    let of_small = pairs(&small);
    let [few, many]: [Pairs; 2] = [0..900, 900..30_000].map(|range| range.map(&pair).collect());
    let joined = Alphabet::new(&small.symbols().iter().chain(large.symbols()).copied().collect());
    let tables = [
        (&small, Digrams::new(&small, &of_small), &of_small),
        (&large, Digrams::new(&large, &few), &few),
        (&large, Digrams::new(&large, &many), &many),
    ];
    for (own, a, some) in &tables {
        for (others, b, more) in &tables {
            let table = a.united(own, b, others, &joined);
            assert!(some.iter().chain(more.iter()).all(|&pair| has(&table, &joined, pair)));
            let strangers = (100_000..200_000).map(&pair).filter(|&pair| has(&table, &joined, pair));
            assert!(strangers.count() < 30_000);
        }
    }
}

#[test]
fn hashed_table_loses_no_pair() {
    let (alphabet, pair) = large();
    let many: Pairs = (0..3000).map(&pair).collect();
    let table = Digrams::new(&alphabet, &many);
    assert!(many.iter().all(|&pair| has(&table, &alphabet, pair)));
    let strangers = (3000..103_000).map(pair).filter(|pair| !many.contains(pair));
    let passed = strangers.filter(|&pair| has(&table, &alphabet, pair)).count();
    assert!(passed < 12_500, "{passed} of 100,000 unseen pairs pass");
    assert_eq!(Digrams::hashed_from_bytes(&table.to_bytes()), Some(table));
    assert_eq!(Digrams::hashed_from_bytes(&[0; 100]), None);
}

#[test]
fn an_exact_table_fills_a_gap_with_what_it_has_and_a_hashed_one_with_what_passes() {
    let exact = Digrams::new(&alphabet(), &pairs(&alphabet()));
    for (first, second) in (0..=70).flat_map(|a| (0..=70).map(move |b| (a, b))) {
        let fillers: Vec<Class> =
            (1..=70).filter(|&c| exact.seen(first, c) && exact.seen(c, second)).collect();
        assert_eq!(between(&exact, first, second), fillers, "{first} {second}");
        assert_eq!(exact.may_fill(first, second), !fillers.is_empty(), "{first} {second}");
    }
    assert!(Digrams::None.may_fill(1, 1) && Digrams::None.seen(UNKNOWN, UNKNOWN));
    let (large, pair) = large();
    let hashed = Digrams::new(&large, &(0..900).map(&pair).collect());
    for (first, second) in [(1, 2), (5, 200), (700, 3), (BOUNDARY, BOUNDARY)] {
        let fillers: Vec<Class> =
            large.classes().filter(|&c| hashed.seen(first, c) && hashed.seen(c, second)).collect();
        assert_eq!(between_of(&hashed, (first, second), &large), fillers);
        assert!(fillers.len() < 100, "{} of 768 pass twice", fillers.len());
    }
}

/// A hashed table of ones passes every pair but one with a character that no word has.
#[test]
fn a_character_that_is_not_in_the_alphabet_has_no_pairs() {
    let full = Digrams::Hashed(vec![0xff; MIN_HASHED_BYTES]);
    assert!(full.seen(1, 2) && full.seen(BOUNDARY, 1));
    assert!(!full.seen(UNKNOWN, 1) && !full.seen(1, UNKNOWN) && !full.seen(UNKNOWN, UNKNOWN));
}

#[test]
fn tables_are_as_long_as_the_format_says() {
    assert_eq!([0, 1, 70, 191].map(exact_bytes), [1, 1, 631, 4608]);
    assert_eq!(Digrams::None.byte_length(70), 0);
    let exact = Digrams::new(&alphabet(), &pairs(&alphabet()));
    assert_eq!((exact.byte_length(70), exact.to_bytes().len()), (631, 631));
    for (pairs, bytes) in [(0, 1 << 13), (4096, 1 << 13), (4097, 1 << 14), (30_000, 1 << 16)] {
        let all =
            (1_u32..=30_000).filter_map(|i| Some((Some(Symbol::of(char::from_u32(0x2_0000 + i)?)), None)));
        let table = Digrams::new(&large().0, &all.take(pairs).collect());
        assert_eq!((table.byte_length(1), table.to_bytes().len()), (bytes, bytes), "{pairs}");
    }
    for (bytes, is_legal) in
        [(1 << 12, false), (1 << 13, true), (3 << 13, false), (1 << 23, true), (1 << 24, false)]
    {
        assert_eq!(Digrams::hashed_from_bytes(&vec![0; bytes]).is_some(), is_legal, "{bytes}");
    }
    for (symbols, is_legal) in [(MAX_DENSE_SYMBOLS, true), (MAX_DENSE_SYMBOLS + 1, false)] {
        let bytes = vec![0; exact_bytes(symbols)];
        assert_eq!(Digrams::exact_from_bytes(symbols, &bytes).is_some(), is_legal, "{symbols}");
        assert_eq!(Digrams::exact_from_bytes(symbols, &bytes[1..]), None);
    }
}

#[test]
fn the_most_frequent_symbols_of_an_exact_table_come_first() {
    let alphabet = Alphabet::new(&(' '..='é').map(Symbol::of).collect());
    let ends = |&symbol: &Symbol| [(None, Some(symbol)), (Some(symbol), None)];
    let table = Digrams::new(&alphabet, &alphabet.symbols().iter().flat_map(ends).collect());
    let fillers: Vec<Class> = between_of(&table, (BOUNDARY, BOUNDARY), &alphabet);
    assert_eq!(fillers.len(), alphabet.len());
    let (first, others) = fillers.split_at(16);
    let text: String = first.iter().filter_map(|&class| alphabet.symbol_of(class)?.character()).collect();
    assert_eq!(text, "01acdehilmnorstu");
    assert!(others.is_sorted());
    assert!(others.iter().all(|class| !first.contains(class)));
}
