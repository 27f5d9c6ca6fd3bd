//! Strong passwords of the kinds that generators make: what a policy rejects of them, it rejects in vain.
//!
//! A family is a file. Its comment names the sources of its formats. Verified with the program's source are
//! Chromium, Firefox, Apple's generator, Bitwarden, `KeePassXC`'s settings and pwgen's sounds; the others are
//! as they are commonly described. Kinds of fewer than 33 bits are in it too, which a policy may well
//! reject.

mod browsers;
mod common;
mod managers;
mod pwgen;
mod scripts;
mod source;
mod tokens;
mod tools;
mod words;

use nearmiss_filters::ladder::SeededRandom;

use source::Source;

/// A kind of generated passwords.
struct Kind {
    name: &'static str,
    is_of_words: bool,
    make: fn(&mut Source<'_>) -> String,
}

impl Kind {
    const fn new(name: &'static str, make: fn(&mut Source<'_>) -> String) -> Kind {
        Kind { name, is_of_words: false, make }
    }

    const fn of_words(name: &'static str, make: fn(&mut Source<'_>) -> String) -> Kind {
        Kind { name, is_of_words: true, make }
    }

    /// As many passwords of this kind, which has words of these if it has words; and the bits of each.
    fn passwords(&self, count: u64, words: &[String], seed: u64) -> (Vec<String>, f64) {
        let mut source = Source::new(SeededRandom::new(seed), words);
        let all = (0..count).map(|_| (self.make)(&mut source)).collect();
        (all, source.bits_of_each(count))
    }
}

/// A family of kinds.
pub(crate) struct Family {
    /// Its name.
    pub(crate) name: &'static str,
    kinds: &'static [Kind],
}

/// Generated passwords of a kind.
pub(crate) struct Generated {
    /// Its family.
    pub(crate) family: &'static str,
    /// Its name, and that of the list of its words if the list has one.
    pub(crate) name: String,
    /// The mean number of bits that are drawn for a password: its entropy or a little more.
    pub(crate) bits: f64,
    /// The passwords.
    pub(crate) passwords: Vec<String>,
}

impl Family {
    /// As many passwords of each kind; of a kind of words as many of each list: its name and its words.
    pub(crate) fn passwords(&self, count: u64, lists: &[(String, Vec<String>)], seed: u64) -> Vec<Generated> {
        let make = |kind: &Kind, name: String, words: &[String]| {
            let (passwords, bits) = kind.passwords(count, words, seed);
            Generated { family: self.name, name, bits, passwords }
        };
        let of_kind = |kind: &Kind| {
            if !kind.is_of_words {
                return vec![make(kind, kind.name.to_owned(), &[])];
            }
            let name = |list: &str| [list, kind.name].join(if list.is_empty() { "" } else { ": " });
            lists.iter().map(|(list, words)| make(kind, name(list), words)).collect()
        };
        self.kinds.iter().flat_map(of_kind).collect()
    }
}

/// Every family; the first has the kinds by which rules are compared.
pub(crate) const FAMILIES: [Family; 7] = [
    Family { name: "common", kinds: common::KINDS },
    Family { name: "managers", kinds: managers::KINDS },
    Family { name: "browsers", kinds: browsers::KINDS },
    Family { name: "tools", kinds: tools::KINDS },
    Family { name: "tokens", kinds: tokens::KINDS },
    Family { name: "words", kinds: words::KINDS },
    Family { name: "scripts", kinds: scripts::KINDS },
];

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn all() -> impl Iterator<Item = &'static Kind> {
        FAMILIES.iter().flat_map(|family| family.kinds)
    }

    #[test]
    fn every_kind_is_as_long_as_its_name_says_and_seldom_repeats() {
        let words: Vec<String> = (0..2000)
            .map(|number| format!("{}ord{number}", char::from(b'a' + (number % 26) as u8)))
            .collect();
        for kind in all() {
            let (made, bits) = kind.passwords(1000, &words, 5);
            let distinct: HashSet<&String> = made.iter().collect();
            assert!(distinct.len() > 985, "{}: {}", kind.name, distinct.len());
            assert!(made.iter().all(|password| password.chars().count() >= 8), "{}", kind.name);
            assert!(bits > 20.0, "{}: {bits}", kind.name);
            if let Some(length) = kind.name.rsplit('_').next().and_then(|text| text.parse::<usize>().ok()) {
                let is_as_long = |password: &String| password.chars().count() == length;
                assert!(made.iter().all(is_as_long), "{}: {:?}", kind.name, made.first());
            }
        }
        let names: HashSet<&str> = all().map(|kind| kind.name).collect();
        assert_eq!(names.len(), all().count(), "a name twice");
    }

    #[test]
    fn bits_are_those_that_are_drawn() {
        for (name, bits) in [
            ("lower_8", 8.0 * 26_f64.log2()),
            ("hex_32", 128.0),
            ("4_words_dashes", 4.0 * 1024_f64.log2()),
            ("microsoft_temporary_8", (21.0 * 5.0 * 21.0 * 5.0 * 10_000_f64).log2()),
        ] {
            let words: Vec<String> = (0..1024).map(|number| format!("word{number}")).collect();
            let (_, drawn) = all().find(|kind| kind.name == name).unwrap().passwords(100, &words, 3);
            assert!((drawn - bits).abs() < 1e-6, "{name}: {drawn} for {bits}");
        }
        // A password that is drawn again counts once, less what it cannot be.
        let (_, drawn) = all().find(|kind| kind.name == "pwgen_s_8").unwrap().passwords(2000, &[], 3);
        assert!((47.0..47.64).contains(&drawn), "{drawn}");
    }

    #[test]
    fn kinds_of_words_are_made_of_each_list() {
        let words = |letter: char| (0..30).map(|number| format!("{letter}{number}")).collect();
        let lists = [("first".to_owned(), words('f')), (String::new(), words('g'))];
        let [family] = ["words"].map(|name| FAMILIES.iter().find(|family| family.name == name).unwrap());
        let made = family.passwords(10, &lists, 1);
        assert_eq!(made.len(), 2 * family.kinds.len());
        let of = |name: &str| made.iter().find(|one| one.name == name).unwrap();
        assert!(of("first: 3_words_dots").passwords.iter().all(|text| text.starts_with('f')));
        assert!(of("3_words_dots").passwords.iter().all(|text| text.starts_with('g')));
        assert_eq!(FAMILIES[0].passwords(10, &[], 1).len(), 17, "of words only with words");
    }
}
