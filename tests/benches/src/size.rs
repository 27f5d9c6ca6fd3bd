//! Size: bits a word at an equal promised rate, and the rates that are then measured.

use nearmiss_filters::{
    dictionary::{Buffers, sizing::least_bits_per_word},
    format::SchemeId,
    word::Word,
};

use crate::{
    lists::{self, Words},
    near, ours, peers,
    queries::{Oracle, Queries},
    report::{Target, figure, line, section},
    work::{PASSWORDS, Work},
};

/// The rates compared, with the target for a near filter over the paper's scheme.
const RATES: [(f64, f64); 3] = [(0.01, 0.36), (0.001, 0.33), (0.0001, 0.30)];

/// Runs the measure.
pub fn run(work: &Work) {
    of_list(work, "194,168-word dictionary", &work.dictionary(), true);
    of_list(work, "1 M passwords", &work.passwords(PASSWORDS), false);
}

fn of_list(work: &Work, name: &str, words: &Words, is_dictionary: bool) {
    let text = lists::text(words);
    let oracle = Oracle::new(words);
    let queries = Queries::new(words, &oracle, 8, work.strangers());
    section(&format!("size, {name}: bits a word at the same promised rate for 8 characters"));
    let fst_bits = near::fst(words).as_fst().as_bytes().len() as f64 * 8.0 / words.len() as f64;
    let mut near_bits = f64::NAN;
    for (rate, target) in RATES {
        let filter = |scheme, bits| ours::filter(&text, &ours::settings(scheme, bits, rate, ours::threads()));
        let (near, compact) =
            (filter(SchemeId::Deletions, ours::near_bits()), filter(SchemeId::Deletions, 0));
        let (paper, exact) = (filter(SchemeId::Paper, 0), filter(SchemeId::Whole, 0));
        let bits = [&near, &compact, &paper, &exact].map(ours::bits_per_word);
        if rate == RATES[0].0 {
            near_bits = bits[0];
        }
        let measured = |filter| measured_rates(filter, &queries);
        let near_name = format!("near {} ({})", figure(bits[0]), measured(&near));
        let paper_name = format!("paper's scheme {} ({})", figure(bits[2]), measured(&paper));
        line(
            &format!("{rate}: near ÷ paper"),
            &near_name,
            &paper_name,
            bits[0] / bits[2],
            Target::AtMost(target),
        );
        let compact_name = format!("compact {} ({})", figure(bits[1]), measured(&compact));
        let (goal, fst_name) = (
            if is_dictionary && rate == 0.01 { Target::AtMost(0.75) } else { Target::None },
            format!("fst {}", figure(fst_bits)),
        );
        line(&format!("{rate}: compact ÷ fst"), &compact_name, &fst_name, bits[1] / fst_bits, goal);
        let least = least_bits_per_word(candidates(8, &compact), rate);
        let goal = if is_dictionary { Target::None } else { Target::AtMost(1.5) };
        line(
            &format!("{rate}: compact ÷ limit"),
            &figure(bits[1]),
            &format!("log₂(candidates/ε) {}", figure(least)),
            bits[1] / least,
            goal,
        );
        if !is_dictionary && rate == 0.001 {
            line("0.001: compact, bits a word", &figure(bits[1]), "", bits[1], Target::AtMost(31.0));
        }
        let bloom = std::f64::consts::LOG2_E * (1.0 / rate).log2();
        line(
            &format!("{rate}: exact ÷ 1.44 log₂(1/ε)"),
            &figure(bits[3]),
            &figure(bloom),
            bits[3] / bloom,
            Target::AtMost(1.02),
        );
    }
    of_peers(work, name, words, &text, near_bits);
}

/// Strings within distance 1 of a string of `length` characters over the filter's alphabet.
fn candidates(length: usize, filter: &ours::Filter) -> f64 {
    let (length, symbols) = (length as f64, filter.header().alphabet.len() as f64);
    1.0 + length + length * (symbols - 1.0) + (length + 1.0) * (symbols - 1.0) + 1.0
}

/// Shares of random and of word-like strangers that the filter takes for near.
fn measured_rates(filter: &ours::Filter, queries: &Queries) -> String {
    let (mut buffers, mut word) = (Buffers::default(), Word::with_full_capacity());
    let mut share = |queries: &[String]| {
        let accepted = queries.iter().filter(|query| {
            word.assign(query.as_bytes()).is_ok()
                && filter.nearest(&word, false, &mut buffers).expect("in memory").is_some()
        });
        accepted.count() as f64 / queries.len() as f64
    };
    format!(
        "measured {} random, {} word-like",
        figure(share(&queries.random)),
        figure(share(&queries.word_like))
    )
}

/// The peers' sizes; `near_bits` is that of the near filter at 1 %, a word.
fn of_peers(work: &Work, name: &str, words: &Words, text: &[u8], near_bits: f64) {
    let list = peers::list_file(work, "size.txt", text);
    let show = |peer: &str, bytes: f64| {
        let bits = bytes * 8.0 / words.len() as f64;
        line(&format!("{name}, bits a word"), "", peer, bits, Target::None);
    };
    show("pwqfilter (exact only, about 1e-9)", peers::size(&peers::pwqfilter(work, &list, words.len())));
    let crack = peers::cracklib(work, &list, "crack-size");
    let parts = ["pwd", "pwi", "hwm"].map(|end| peers::size(&crack.with_extension(end)));
    show("cracklib (incomplete at distance 1)", parts.iter().sum());
    if words.len() == PASSWORDS {
        show("krb5-strength's SQLite", peers::size(&peers::strength(work, &list)));
        let symspell = crate::child::resident(work, "symspell", 0, &list).bytes;
        show("SymSpell (resident memory)", symspell);
        let bits = symspell * 8.0 / words.len() as f64;
        let theirs = format!("SymSpell {}, resident", figure(bits));
        let target = Target::AtMost(1.0 / 40.0);
        line("0.01: near ÷ SymSpell", &figure(near_bits), &theirs, near_bits / bits, target);
    }
}
