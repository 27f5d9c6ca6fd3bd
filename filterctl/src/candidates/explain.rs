//! The explanation of a rejection for an administrator: the variant that was found, and the dictionary.

use nearmiss_cli::{failure::warn, keys};
use nearmiss_filters::{
    dictionary::{Buffers, Edit, FilterError, Found, ranks::Ranks},
    word::Word,
};
use nearmiss_policy::{
    policy::{Evidence, Finding, Transforms, variants},
    site::Site,
};
use serde::Serialize;

/// Further words that a candidate is near to, at most.
const MAX_FURTHER: usize = 4;

/// The variant of a candidate that was found, the dictionary, and the word that it is near.
#[derive(Default, Serialize)]
pub(crate) struct Explanation {
    /// The changes made to the candidate.
    pub(crate) variant: Vec<&'static str>,
    /// The edit that gives the word.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) edit: Option<String>,
    /// The word: the most common of several, if the filter has ranks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) neighbour: Option<String>,
    /// The word's rank by frequency, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) rank: Option<u32>,
    /// Other words that are equally near, the most common first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) further: Vec<String>,
    /// The words that the variant is made of.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) pieces: Vec<String>,
    /// The filter that contains them, if one filter contains all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) dictionary: Option<String>,
}

/// Explains the findings of a site.
pub(crate) struct Explainer<'a> {
    site: &'a Site,
    /// For each of the site's rules, in their order.
    ranks: Vec<Option<Ranks>>,
}

impl<'a> Explainer<'a> {
    /// The site's explainer; ranks that cannot be used are reported and skipped.
    pub(crate) fn new(site: &'a Site) -> Explainer<'a> {
        let ranks = site.rules().iter().map(|rule| {
            let filter = &rule.filter;
            let ranks = filter.path().map(|path| Ranks::beside(path, &filter.header().key));
            ranks.transpose().unwrap_or_else(|error| {
                warn(keys::RANKS_UNUSABLE, &format!("{error}; words are not ordered by rank"));
                None
            })
        });
        Explainer { site, ranks: ranks.map(Option::flatten).collect() }
    }

    /// The evidence for a finding.
    pub(crate) fn explain(&self, candidate: &[u8], finding: &Finding) -> Explanation {
        let plain = Explanation::default();
        let variant = |transforms: Transforms| transforms.names().collect();
        match &finding.evidence {
            Evidence::Variant { transforms } => Explanation { variant: variant(*transforms), ..plain },
            Evidence::Digest { transforms, dictionary } => {
                Explanation { variant: variant(*transforms), dictionary: self.name_of(*dictionary), ..plain }
            }
            Evidence::Word { transforms, dictionary, edit, neighbour: Some(word) } => {
                let near = self.by_rank(candidate, *transforms, *dictionary, (*edit, word));
                let [(rank, edit, word), further @ ..] = near.as_slice() else { return plain };
                Explanation {
                    variant: variant(*transforms),
                    edit: Some(edit_words(*edit)),
                    neighbour: Some(word.to_text()),
                    rank: *rank,
                    further: further.iter().take(MAX_FURTHER).map(|(_, _, word)| word.to_text()).collect(),
                    dictionary: self.name_of(*dictionary),
                    ..plain
                }
            }
            Evidence::Word { transforms, dictionary, edit, neighbour: None } => Explanation {
                variant: variant(*transforms),
                edit: Some(edit_words(*edit)),
                dictionary: self.name_of(*dictionary),
                ..plain
            },
            Evidence::Distance2 { transforms, dictionary, found } => Explanation {
                variant: variant(*transforms),
                edit: Some(found.edits.map(edit_words).join(", then ")),
                neighbour: Some(found.word.to_text()),
                rank: self.rank(*dictionary, &found.word),
                dictionary: self.name_of(*dictionary),
                ..plain
            },
            Evidence::Pieces { transforms, pieces } => Explanation {
                variant: variant(*transforms),
                pieces: pieces.iter().map(|(_, word)| word.to_text()).collect(),
                dictionary: self.name_of_all(pieces),
                ..plain
            },
            _ => plain,
        }
    }

    /// The word that was found and the others that the same variant is near, the most common first.
    fn by_rank(
        &self,
        candidate: &[u8],
        transforms: Transforms,
        dictionary: usize,
        (edit, word): (Edit, &Word),
    ) -> Vec<(Option<u32>, Edit, Word)> {
        let mut near = vec![(self.rank(dictionary, word), edit, word.clone())];
        if edit != Edit::None {
            // A page that was readable before and is not now hides further words, but not the finding.
            let others = self.near(candidate, transforms, dictionary, word).unwrap_or_default();
            let others = others.into_iter().filter_map(|found| Some((found.edit, found.word?)));
            for (edit, other) in others.filter(|(edit, _)| *edit != Edit::None) {
                if near.iter().all(|(_, _, known)| *known != other) {
                    near.push((self.rank(dictionary, &other), edit, other));
                }
            }
        }
        near.sort_by_key(|(rank, _, _)| rank.unwrap_or(u32::MAX));
        near
    }

    /// The words near the variant that was found near `word`.
    fn near(
        &self,
        candidate: &[u8],
        transforms: Transforms,
        dictionary: usize,
        word: &Word,
    ) -> Result<Vec<Found>, FilterError> {
        let policy = &self.site.config().policy;
        let (Some(rule), Ok(cleaned)) = (self.site.rules().get(dictionary), Word::clean(candidate)) else {
            return Ok(Vec::new());
        };
        let mut buffers = Buffers::default();
        let variants = variants::of(cleaned, policy.variants);
        for variant in variants.iter().filter(|variant| variant.transforms == transforms) {
            let mut all: Vec<Found> = Vec::new();
            rule.filter.visit(&variant.word, false, &mut buffers, &mut |found| {
                all.push(found);
                false
            })?;
            if all.iter().any(|found| found.word.as_ref() == Some(word)) {
                return Ok(all);
            }
        }
        Ok(Vec::new())
    }

    fn rank(&self, dictionary: usize, word: &Word) -> Option<u32> {
        self.ranks.get(dictionary)?.as_ref()?.rank(word)
    }

    fn name_of(&self, dictionary: usize) -> Option<String> {
        let rule = self.site.rules().get(dictionary)?;
        rule.filter.path().map(|path| path.display().to_string())
    }

    /// The filter that has all these words.
    fn name_of_all(&self, pieces: &[(Option<usize>, Word)]) -> Option<String> {
        let &(first, _) = pieces.first()?;
        let is_one = pieces.iter().all(|&(dictionary, _)| dictionary == first);
        self.name_of(first.filter(|_| is_one)?)
    }
}

/// An edit in words; positions are counted from 1.
fn edit_words(edit: Edit) -> String {
    let place = |at: usize| at.saturating_add(1);
    match edit {
        Edit::None => "none".to_owned(),
        Edit::Remove { at } => format!("without character {}", place(at)),
        Edit::Replace { at } => format!("with another character {}", place(at)),
        Edit::Insert { at } => format!("with a character inserted before character {}", place(at)),
        Edit::Swap { at } => {
            format!("with characters {} and {} swapped", place(at), place(at).saturating_add(1))
        }
        Edit::Unknown => "one edit, which a filter of this scheme cannot name".to_owned(),
    }
}
