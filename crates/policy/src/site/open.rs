//! Opens the filters and ladders of a configuration.

use nearmiss_filters::{
    dictionary::{DictionaryFilter, Loading, MAX_LOGIN_BYTES},
    format::Match,
    ladder::{Agent, ChosenLadder, Fleet, FleetLadder, GuessLadder, LadderError},
    storage::{Walk, mapped::Mapped},
};

use super::{
    error::OpenError,
    failure::{Cause, Unusable},
};
use crate::{
    config::{Config, DictionaryRule, Enforce},
    policy::OpenDictionary,
};

/// The opened dictionaries, and the ones that could not be opened.
#[derive(Debug)]
pub(super) struct Dictionaries {
    /// The strictest first.
    pub(super) rules: Vec<OpenDictionary<Mapped>>,
    levels: Vec<Enforce>,
    pub(super) unusable: Vec<Unusable>,
}

impl Dictionaries {
    /// Opens every dictionary of the configuration, in such a way that a user who may read a filter cannot
    /// observe lookups.
    pub(super) fn open(walk: &Walk, config: &Config) -> Dictionaries {
        let loading = loading(config);
        let mut opened = Dictionaries { rules: Vec::new(), levels: Vec::new(), unusable: Vec::new() };
        let of_level = |level| {
            let rules = config.dictionaries.iter().map(move |rule| (config.enforce_of(rule), rule));
            rules.filter(move |(enforce, _)| *enforce == level)
        };
        for (enforce, rule) in Enforce::ALL.into_iter().flat_map(of_level) {
            match open_rule(walk, rule, loading) {
                Ok(rule) => {
                    opened.rules.push(rule);
                    opened.levels.push(enforce);
                }
                Err(error) => {
                    opened.unusable.push(Unusable::filter(&error, config.on_error, enforce));
                }
            }
        }
        opened
    }

    /// The number of rules at this level or a stricter one.
    pub(super) fn opened_until(&self, level: Enforce) -> usize {
        self.levels.iter().take_while(|&&own| own <= level).count()
    }
}

fn open_rule(
    walk: &Walk,
    rule: &DictionaryRule,
    loading: Loading,
) -> Result<OpenDictionary<Mapped>, OpenError> {
    let filter = DictionaryFilter::open_on(walk, &rule.file, loading).map_err(OpenError::Filter)?;
    let built_for = filter.header().matching;
    let matching = rule.matching.unwrap_or(built_for);
    if matching == Match::Near && built_for == Match::Exact {
        return Err(OpenError::NotNear { path: rule.file.clone(), kind: filter.header().kind });
    }
    Ok(OpenDictionary { filter, matching })
}

/// Opens a dictionary for logins: its lookups cannot be observed, and a large one is never read completely.
pub(super) fn login_filter(
    walk: &Walk,
    config: &Config,
    rule: &DictionaryRule,
) -> Result<DictionaryFilter<Mapped>, OpenError> {
    let opened = DictionaryFilter::open_up_to(walk, &rule.file, (loading(config), MAX_LOGIN_BYTES));
    let filter = opened.map_err(OpenError::Filter)?;
    match rule.matching.unwrap_or(filter.header().matching) {
        Match::Exact => Ok(filter),
        Match::Near => Err(OpenError::NotExact { path: rule.file.clone() }),
    }
}

fn loading(config: &Config) -> Loading {
    if config.private_copy { Loading::Copied } else { Loading::Unobserved }
}

/// Opens the ladder of chosen passwords; none if it was never made.
pub(super) fn ladder(walk: &Walk, config: &Config) -> Result<Option<ChosenLadder>, Unusable> {
    ChosenLadder::open_on(walk, &config.ladder).map_err(|error| not_opened(Cause::Ladder, &error, config))
}

/// Opens the ladder of guessed passwords; none if it was never made.
pub(super) fn guess_ladder(walk: &Walk, config: &Config) -> Result<Option<GuessLadder>, Unusable> {
    let opened = GuessLadder::open_on(walk, &config.guess_files());
    opened.map_err(|error| not_opened(Cause::Guesses, &error, config))
}

/// The ladders that the site shares with others, if it has joined, and the ones that cannot be used.
pub(super) fn fleet(walk: &Walk, config: &Config) -> (Fleet, Vec<Unusable>) {
    let mut fleet = Fleet::new(Agent::new(config.fleet.socket.clone()));
    let mut unusable = Vec::new();
    for descriptor in config.fleet.descriptors() {
        match FleetLadder::open_on(walk, descriptor) {
            Ok(ladder) => ladder.into_iter().for_each(|ladder| fleet.add(ladder)),
            Err(error) => {
                let part = not_opened(Cause::Ladder, &error, config);
                unusable.push(Unusable { is_of_fleet: true, ..part });
            }
        }
    }
    (fleet, unusable)
}

fn not_opened(cause: Cause, error: &LadderError, config: &Config) -> Unusable {
    let is_root = rustix::process::geteuid().is_root();
    let (on_error, enforce) = (config.ladder_on_error, config.enforce_of_ladder());
    Unusable::ladder_opened_by(is_root, cause, error, on_error, enforce)
}
