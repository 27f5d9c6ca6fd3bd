//! The specification of a filter, and one build of it.

use crate::{
    dictionary::sizing::{
        DEFAULT_FALSE_REJECTION, Geometry, MAX_DEMAND_RATE, STATED_CHARACTERS, STATED_LOOKUPS,
        VARIANT_LOOKUPS,
    },
    format::{Header, Kind, MAX_GROUP_BITS, Match, SchemeId, StatedRate},
    hash::Key,
    list::{Forms, LineFormat},
};

/// The specification of a filter, independent of its lists. By default a near filter of words with 6 bits a
/// deletion that keeps the default false rejection rate.
///
/// ```
/// use nearmiss_filters::{Build, DictionaryFilter, Key, Spec, Word, format::Match};
///
/// let spec = Spec { matching: Match::Exact, ..Spec::default() };
/// let bytes = Build::new(spec, Key::random()?).in_memory(&[b"elephant\n"])?;
/// let filter = DictionaryFilter::from_bytes(bytes)?;
/// assert!(filter.nearest(&Word::clean(b"Elephqnt")?, false, &mut Default::default())?.is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spec {
    /// The kind of entries in the lists.
    pub kind: Kind,
    /// The supported lookups. Digests have no neighbours: their filter is always exact.
    pub matching: Match,
    /// The scheme by which a near filter finds neighbours.
    pub scheme: SchemeId,
    /// Deletion bits: 0, 2, 4, 6 or 8.
    pub deletion_bits: u8,
    /// The rate to keep.
    pub stated: StatedRate,
}

impl Default for Spec {
    fn default() -> Spec {
        Spec {
            kind: Kind::Words,
            matching: Match::Near,
            scheme: SchemeId::Deletions,
            deletion_bits: 6,
            stated: StatedRate {
                false_rejection: DEFAULT_FALSE_REJECTION,
                characters: STATED_CHARACTERS,
                lookups: STATED_LOOKUPS,
            },
        }
    }
}

impl Spec {
    /// The specification of the filter with this header.
    pub fn of(header: &Header) -> Spec {
        let &Header { kind, matching, scheme, deletion_bits, stated, .. } = header;
        Spec { kind, matching, scheme, deletion_bits, stated }
    }

    /// The scheme that the filter will have: digests and exact filters are stored whole.
    pub fn effective_scheme(&self) -> SchemeId {
        let is_near = self.kind == Kind::Words && self.matching == Match::Near;
        if is_near { self.scheme } else { SchemeId::Whole }
    }

    /// The default filter of digests: parts of a digest are never looked up, so that fewer lookups share the
    /// rate.
    pub fn of_digests(kind: Kind) -> Spec {
        let usual = Spec::default();
        let stated = StatedRate { lookups: VARIANT_LOOKUPS, ..usual.stated };
        Spec { kind, matching: Match::Exact, stated, ..usual }
    }

    /// The same filter at the rate for logins, of some 29 bits an entry; a filter with a lower rate is
    /// unchanged.
    #[must_use]
    pub fn for_logins(mut self) -> Spec {
        // Slightly below, so that the rounded value in a header is not above.
        let all = 0.999 * f64::from(self.stated.lookups) * MAX_DEMAND_RATE;
        self.stated.false_rejection = self.stated.false_rejection.min(all / (1.0 + all));
        self
    }

    /// The supported lookups of the filter: exact ones only for digests and whole entries.
    pub(super) fn effective_matching(&self) -> Match {
        if self.effective_scheme() == SchemeId::Whole { Match::Exact } else { Match::Near }
    }
}

/// The conversion of lines into entries.
#[derive(Clone, Copy)]
pub(super) struct Reading {
    pub(super) format: LineFormat,
    pub(super) forms: Forms,
}

/// One build of a filter: its specification and the parameters of the build. Its survey and its builder use
/// the same key, scheme and lines.
///
/// ```
/// use nearmiss_filters::{Build, Key, Spec};
///
/// let build = Build::new(Spec::default(), Key::random()?);
/// let mut survey = build.survey();
/// survey.read_block(b"elephant\naccommodate\n");
/// let mut builder = build.builder(&survey.finish())?;
/// builder.insert_block(b"elephant\naccommodate\n");
/// assert_eq!(builder.finish_to_bytes().len() % 4096, 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Build {
    /// The specification of the filter.
    pub spec: Spec,
    /// The hash key.
    pub key: Key,
    /// The number of entries to leave room for, if more than there are.
    pub capacity: Option<u64>,
    /// The geometry of a filter of whole entries, chosen by hand: the resulting rate for the capacity then
    /// replaces the one of `spec`.
    pub geometry: Option<Geometry>,
    /// The number of first bits of a digest that select its group, by which the pages are ordered; 0 for no
    /// groups. At most [`MAX_GROUP_BITS`].
    pub group_bits: u8,
    /// Seconds since 1970 to record, or 0.
    pub created: u64,
    /// Threads to build with.
    pub threads: usize,
    /// Digest lines with a smaller count (`HASH:COUNT`) are skipped.
    pub min_count: u64,
    /// The forms in which words are stored. Passwords must be found with and without accents:
    /// `Forms::Plain`.
    pub forms: Forms,
}

impl Build {
    /// A build on one thread, of all lines, without spare capacity and without a date.
    pub fn new(spec: Spec, key: Key) -> Build {
        Build {
            spec,
            key,
            capacity: None,
            geometry: None,
            group_bits: 0,
            created: 0,
            threads: 1,
            min_count: 0,
            forms: Forms::Written,
        }
    }

    /// A build that extends an existing filter, or creates one that can be united with it.
    pub fn of(header: &Header) -> Build {
        let (capacity, group_bits) = (Some(header.capacity), header.group_bits);
        Build { capacity, group_bits, ..Build::new(Spec::of(header), header.key.clone()) }
    }

    /// The group bits: words have none.
    pub(super) fn effective_group_bits(&self) -> u8 {
        if self.spec.kind == Kind::Words { 0 } else { self.group_bits.min(MAX_GROUP_BITS) }
    }

    pub(super) fn reading(&self) -> Reading {
        Reading { format: self.lines(), forms: self.forms }
    }

    /// The format of the lines of lists.
    pub fn lines(&self) -> LineFormat {
        LineFormat { kind: self.spec.kind, min_count: self.min_count }
    }
}
