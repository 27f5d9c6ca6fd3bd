//! Asks the dictionary filters for words as people write them: with capitals, typographic apostrophes, a
//! possessive `'s` or an elided article (`l'`).

use std::{
    collections::{HashMap, HashSet},
    path::PathBuf,
};

use nearmiss_cli::{failure::warn, keys};
use nearmiss_filters::{
    dictionary::{Buffers, DictionaryFilter, Edit, FilterError, Found, Loading, ranks::Ranks},
    format::{Kind, Match},
    storage::mapped::Mapped,
    word::Word,
};

use super::{
    pairs::away_by_a_pair,
    ranking::{Candidate, ranked},
};

/// The words before an apostrophe in French and Italian.
const ELIDED: [&str; 15] =
    ["c", "d", "dell", "j", "jusqu", "l", "lorsqu", "m", "n", "nell", "puisqu", "qu", "quoiqu", "s", "t"];

/// The level of detail for unknown words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Want {
    /// That it is unknown.
    Unknown,
    /// True if a known word is one edit away.
    Near,
    /// The ones in use.
    Suggestions,
}

/// The findings about an unknown word.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Spelling {
    /// True if a known word is one edit away; none if that was not asked.
    pub(crate) is_near: Option<bool>,
    /// These words, the likeliest first, in the case of what was typed.
    pub(crate) suggestions: Vec<String>,
}

/// Filters to ask.
pub(crate) struct Speller {
    filters: Vec<DictionaryFilter<Mapped>>,
    /// Each filter's ranks, if it has them.
    ranks: Vec<Option<Ranks>>,
    buffers: Buffers,
    known: HashMap<String, bool>,
    /// Two equal neighbouring characters less or more are one edit, too.
    with_pairs: bool,
}

impl Speller {
    /// Opens filters, with the ranks beside them. Ranks that cannot be used are reported and left out.
    ///
    /// # Errors
    /// The [`FilterError`] of the first that cannot be opened.
    pub(crate) fn open(paths: &[PathBuf]) -> Result<Speller, FilterError> {
        let filters = paths.iter().map(|path| DictionaryFilter::open(path, Loading::Mapped));
        let filters = filters.collect::<Result<Vec<_>, _>>()?;
        let ranks = paths.iter().zip(&filters).map(|(path, filter)| {
            Ranks::beside(path, &filter.header().key).unwrap_or_else(|error| {
                warn(keys::RANKS_UNUSABLE, &format!("{error}; suggestions are not ordered by them"));
                None
            })
        });
        let ranks = ranks.collect();
        Ok(Speller { filters, ranks, buffers: Buffers::default(), known: HashMap::new(), with_pairs: false })
    }

    /// Whether two equal neighbouring characters less or more are one edit, too.
    pub(crate) fn with_pairs(self, with_pairs: bool) -> Speller {
        Speller { with_pairs, ..self }
    }

    /// The index of the first filter that holds no words.
    pub(crate) fn first_without_words(&self) -> Option<usize> {
        self.filters.iter().position(|filter| filter.header().kind != Kind::Words)
    }

    /// True when a filter can tell what is near.
    pub(crate) fn has_near(&self) -> bool {
        self.filters.iter().any(|filter| filter.header().matching == Match::Near)
    }

    /// True when a filter has the word, or the word without a possessive `'s` or an elided article.
    ///
    /// # Errors
    /// A [`FilterError`] for a page that cannot be read.
    pub(crate) fn is_known(&mut self, typed: &str) -> Result<bool, FilterError> {
        let word = plain(typed);
        if let Some(&is_known) = self.known.get(&word) {
            return Ok(is_known);
        }
        let mut is_known = false;
        for form in forms(&word) {
            is_known = is_known || self.has(form)?;
        }
        self.known.insert(word, is_known);
        Ok(is_known)
    }

    fn has(&mut self, text: &str) -> Result<bool, FilterError> {
        let Ok(word) = Word::clean(text.as_bytes()) else { return Ok(false) };
        for filter in &self.filters {
            if filter.contains(&word, &mut self.buffers)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Suggestions for an unknown word. `counts` has the number of times that the text has known
    /// words.
    ///
    /// # Errors
    /// A [`FilterError`] for a page that cannot be read.
    pub(crate) fn spelling(
        &mut self,
        typed: &str,
        want: Want,
        counts: &HashMap<String, u64>,
    ) -> Result<Spelling, FilterError> {
        let Ok(word) = Word::clean(plain(typed).as_bytes()) else { return Ok(Spelling::default()) };
        if want == Want::Unknown {
            return Ok(Spelling::default());
        }
        let (mut is_near, mut candidates) = (false, Vec::new());
        for (filter, ranks) in self.filters.iter().zip(&self.ranks) {
            filter.visit(&word, true, &mut self.buffers, &mut |found| {
                is_near = true;
                candidates.extend(candidate(found, ranks.as_ref()));
                want == Want::Near
            })?;
            if self.with_pairs && (want == Want::Suggestions || !is_near) {
                let found = away(filter, &word, &mut self.buffers)?;
                is_near |= !found.is_empty();
                candidates
                    .extend(found.into_iter().map(|word| of_rank(&word, Edit::Unknown, ranks.as_ref())));
            }
        }
        let suggestions = ranked(&word.to_text(), candidates, counts);
        let suggestions = suggestions.into_iter().map(|word| in_case_of(typed, word)).collect();
        Ok(Spelling { is_near: Some(is_near), suggestions })
    }
}

fn candidate(found: Found, ranks: Option<&Ranks>) -> Option<Candidate> {
    let word = found.word.filter(|_| found.edit != Edit::None)?;
    Some(of_rank(&word, found.edit, ranks))
}

fn of_rank(word: &Word, edit: Edit, ranks: Option<&Ranks>) -> Candidate {
    let rank = ranks.and_then(|ranks| ranks.rank(word));
    Candidate { word: word.to_text(), edit, rank }
}

/// The words of a filter that are a pair of equal characters away.
fn away(
    filter: &DictionaryFilter<Mapped>,
    word: &Word,
    buffers: &mut Buffers,
) -> Result<Vec<Word>, FilterError> {
    let mut found = Vec::new();
    for other in away_by_a_pair(word, filter.header().alphabet.symbols()) {
        if filter.contains(&other, buffers)? {
            found.push(other);
        }
    }
    Ok(found)
}

/// The number of times that the words of a text occur, in the form of a lookup.
pub(crate) fn counts<'w>(words: impl Iterator<Item = &'w str>) -> HashMap<String, u64> {
    let mut counts: HashMap<String, u64> = HashMap::new();
    for word in words {
        let count = counts.entry(plain(word).to_lowercase()).or_default();
        *count = count.saturating_add(1);
    }
    counts
}

/// A word as it is printed: without a possessive `'s`.
pub(crate) fn stem(typed: &str) -> &str {
    ["'s", "’s", "'S", "’S"].iter().find_map(|ending| typed.strip_suffix(ending)).unwrap_or(typed)
}

/// One kind of apostrophe, no soft hyphens.
fn plain(typed: &str) -> String {
    let character = |c: char| if matches!(c, '’' | 'ʼ' | '＇') { '\'' } else { c };
    typed.chars().filter(|&c| c != '\u{ad}').map(character).collect()
}

/// The forms of which one must be known.
fn forms(word: &str) -> HashSet<&str> {
    let elided =
        word.split_once('\'').filter(|(article, _)| ELIDED.contains(&article.to_lowercase().as_str()));
    [word, stem(word)].into_iter().chain(elided.map(|(_, rest)| rest)).collect()
}

/// The word with the capitals of what was typed: none, the first, or all.
fn in_case_of(typed: &str, word: String) -> String {
    let mut letters = typed.chars().filter(|c| c.is_alphabetic());
    let is_first_capital = letters.next().is_some_and(char::is_uppercase);
    let mut rest = letters.peekable();
    if is_first_capital && rest.peek().is_some() && rest.all(char::is_uppercase) {
        return word.to_uppercase();
    }
    let mut characters = word.chars();
    match characters.next().filter(|_| is_first_capital) {
        Some(first) => first.to_uppercase().chain(characters).collect(),
        None => word,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggestions_take_the_case_of_what_was_typed() {
        assert_eq!(in_case_of("teh", "the".into()), "the");
        assert_eq!(in_case_of("Teh", "the".into()), "The");
        assert_eq!(in_case_of("TEH", "the".into()), "THE");
        assert_eq!(in_case_of("É", "été".into()), "Été");
    }

    #[test]
    fn possessives_and_elisions_are_taken_off() {
        assert_eq!(forms("dog's"), HashSet::from(["dog's", "dog"]));
        assert_eq!(forms("l'homme"), HashSet::from(["l'homme", "homme"]));
        assert_eq!(forms("don't"), HashSet::from(["don't"]));
        assert_eq!(stem("elefant’s"), "elefant");
        assert_eq!(plain("don’t co\u{ad}op"), "don't coop");
    }

    #[test]
    fn words_are_counted_without_case() {
        let counts = counts(["The", "the", "don’t"].into_iter());
        assert_eq!((counts.get("the"), counts.get("don't")), (Some(&2), Some(&1)));
    }
}
