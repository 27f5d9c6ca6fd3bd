//! A site: what its configuration names, opened, and every decision about a password in one place.
//!
//! [`Site::decide`] decides about a password, and every shell asks it: the PAM module, `filterctl`,
//! libnearmiss and the laboratory. [`Site::record`] counts a password in the ladder once it was set. A shell
//! adds where the password comes from and who reads the answer.
//!
//! What cannot be used never counts as an acceptance: a [`Decision`] has each part that could not be asked,
//! and whether the configuration's `on_error` lets the password go without it ([`Unusable::is_allowed`]).

mod decision;
#[cfg(test)]
mod decision_tests;
mod error;
mod failure;
#[cfg(test)]
mod fleet_tests;
#[cfg(test)]
mod guess_tests;
mod guesses;
mod login_counts;
#[cfg(test)]
mod login_tests;
mod logins;
mod once_a_minute;
mod open;
mod rehearsal;
mod suggest;
#[cfg(test)]
mod tests;
mod trouble;

use std::{path::Path, sync::OnceLock};

pub use decision::Decision;
pub use error::OpenError;
pub use failure::{Cause, Unusable};
pub use guesses::{FailedLogin, Guess, address, is_junk_of_sshd};
pub use login_counts::{LoginCount, LoginCounts};
pub use logins::{Listed, LoginLog, LoginLookup};
pub use once_a_minute::may_warn;
pub use suggest::{Suggestion, Unsuggested};
pub use trouble::Trouble;

use self::open::Dictionaries;
use crate::{
    config::{Config, DictionaryRule, Enforce},
    policy::{OpenDictionary, StructureRules},
};
use nearmiss_filters::{
    dictionary::{DictionaryFilter, sizing::is_crowded},
    format::Match,
    ladder::{AccountChoice, Agent, ChosenLadder, Claim, Fleet, GuessLadder},
    storage::{Access, Walk, mapped::Mapped},
    text::system_reason,
};

/// A configuration, with its filters and its ladders: each is opened when it is first needed and then kept.
///
/// ```
/// use nearmiss_policy::{Config, Context, Reason, Site};
/// # use std::path::Path;
///
/// let text = b"packaged = false\n[policy]\n";
/// let site = Site::without_ladder(Config::parse(Path::new("/etc/site.conf"), text)?);
/// let decision = site.decide(b"annamaria", &Context { user: b"annemaria", ..Context::default() });
/// assert!(matches!(decision.rejection(), Ok(Some(found)) if found.reason == Reason::NearUserName));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Site {
    config: Config,
    walk: Walk,
    dictionaries: OnceLock<Dictionaries>,
    chosen: OnceLock<Result<Option<ChosenLadder>, Unusable>>,
    guessed: OnceLock<Result<Option<GuessLadder>, Unusable>>,
    fleet: OnceLock<(Fleet, Vec<Unusable>)>,
}

impl Site {
    /// The site of this configuration. Nothing is opened yet.
    pub fn new(config: Config) -> Site {
        Site::on(Walk::default(), config)
    }

    fn on(walk: Walk, config: Config) -> Site {
        let (dictionaries, chosen, guessed) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
        Site { config, walk, dictionaries, chosen, guessed, fleet: OnceLock::new() }
    }

    /// The same without the ladders: passwords are checked, not counted.
    pub fn without_ladder(config: Config) -> Site {
        let (chosen, guessed) = (OnceLock::from(Ok(None)), OnceLock::from(Ok(None)));
        Site { chosen, guessed, ..Site::new(config) }.without_fleet()
    }

    /// The same without the fleet: nothing is asked of its agent.
    #[must_use]
    pub fn without_fleet(self) -> Site {
        let fleet = (Fleet::new(Agent::new(self.config.fleet.socket.clone())), Vec::new());
        Site { fleet: OnceLock::from(fleet), ..self }
    }

    /// The site of a configuration file and its drop-ins: see [`Config::load`].
    ///
    /// # Errors
    /// [`Unusable`] with [`Cause::Configuration`], which nothing allows.
    pub fn load(path: &Path) -> Result<Site, Unusable> {
        let walk = Walk::default();
        let config = Config::load_on(&walk, path).map_err(|error| Unusable::configuration(&error))?;
        Ok(Site::on(walk, config))
    }

    /// The same with these dictionaries in place of the configured ones.
    #[must_use]
    pub fn with_dictionaries(mut self, dictionaries: Vec<DictionaryRule>) -> Site {
        (self.config.dictionaries, self.config.packaged) = (dictionaries, false);
        self.dictionaries = OnceLock::new();
        self
    }

    /// The same with one level of enforcement for all of it, whatever the configuration says.
    #[must_use]
    pub fn enforcing(mut self, level: Enforce) -> Site {
        self.config.enforce_all(level);
        self.dictionaries = OnceLock::new();
        self
    }

    /// What the site was made of.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Opens everything and says what of it cannot be used.
    pub fn unusable(&self) -> Vec<Unusable> {
        let filters = self.dictionaries().unusable.iter();
        let ladders = self.chosen().err().into_iter().chain(self.rejecting().err());
        let unusable = filters.chain(ladders).chain(&self.shared().1).cloned().collect();
        self.walk.forget();
        unusable
    }

    /// The dictionaries that can be used, in the order they are asked.
    pub fn rules(&self) -> &[OpenDictionary<Mapped>] {
        &self.dictionaries().rules
    }

    /// The filters that any user may read, which they should not: see
    /// [`Loading::Unobserved`](nearmiss_filters::dictionary::Loading::Unobserved).
    pub fn public_filters(&self) -> impl Iterator<Item = &Path> {
        let filters = self.rules().iter().map(|rule| &rule.filter);
        filters.filter(|filter| filter.access() == Access::Public).filter_map(DictionaryFilter::path)
    }

    /// The filters of words that some rules of the policy cannot use: see
    /// `DictionaryFilter::knows_members`.
    pub fn partly_used(&self) -> impl Iterator<Item = &Path> {
        let filters = self.rules().iter().map(|rule| &rule.filter);
        let is_asked = self.config.policy.lookups_only().structure != StructureRules::NONE;
        filters.filter(move |filter| is_asked && !filter.knows_members()).filter_map(DictionaryFilter::path)
    }

    /// The filters that are asked for neighbours and have too many words for passwords as short as are
    /// accepted: see [`is_crowded`].
    pub fn crowded(&self) -> impl Iterator<Item = &Path> {
        let least = self.config.policy.min_length;
        let asked = self.rules().iter().filter(|rule| rule.matching == Match::Near);
        let crowded = asked.filter(move |rule| is_crowded(rule.filter.header(), least));
        crowded.filter_map(|rule| rule.filter.path())
    }

    /// Whether there is a ladder of chosen passwords: none if it was never made.
    ///
    /// # Errors
    /// [`Unusable`] when there is one that cannot be used.
    pub fn has_ladder(&self) -> Result<bool, Unusable> {
        self.chosen().map(|ladder| ladder.is_some()).map_err(Clone::clone)
    }

    /// Counts a password that was set, or that a login has shown to be right: see [`ChosenLadder::count`].
    /// None if there is no ladder.
    ///
    /// # Errors
    /// [`Unusable`]: the password is not counted, or not wholly. Never a reason to fail a change or a login.
    pub fn record(&self, password: &[u8], choice: &AccountChoice<'_>) -> Result<Option<Claim>, Unusable> {
        let Some(ladder) = self.chosen().map_err(Clone::clone)? else { return Ok(None) };
        let claim = ladder.count(password, choice);
        let counted = claim.and_then(|claim| {
            if claim == Claim::Granted {
                self.fleet().count_chosen(password)?;
            }
            Ok(Some(claim))
        });
        counted.map_err(|error| Unusable::ladder(Cause::Ladder, &error, self.config.ladder_on_error))
    }

    /// The ladders that the site shares with others.
    pub fn fleet(&self) -> &Fleet {
        &self.shared().0
    }

    fn shared(&self) -> &(Fleet, Vec<Unusable>) {
        self.fleet.get_or_init(|| open::fleet(&self.walk, &self.config))
    }

    /// What the fleet's agent failed at since this was asked last, for the log; none if nothing was asked
    /// of it.
    pub fn fleet_trouble(&self) -> Option<String> {
        let agent = self.fleet.get()?.0.agent();
        let trouble = agent.trouble()?;
        Some(format!(
            "the fleet cannot be queried: {}: {}",
            agent.socket().display(),
            system_reason(&trouble)
        ))
    }

    fn dictionaries(&self) -> &Dictionaries {
        self.dictionaries.get_or_init(|| {
            rehearsal::rehearse();
            Dictionaries::open(&self.walk, &self.config)
        })
    }

    fn chosen(&self) -> Result<Option<&ChosenLadder>, &Unusable> {
        let opened = self.chosen.get_or_init(|| open::ladder(&self.walk, &self.config));
        opened.as_ref().map(Option::as_ref)
    }

    fn guessed(&self) -> Result<Option<&GuessLadder>, &Unusable> {
        let opened = self.guessed.get_or_init(|| open::guess_ladder(&self.walk, &self.config));
        opened.as_ref().map(Option::as_ref)
    }

    /// The ladder of guessed passwords, where a new password is to be looked for in it.
    fn rejecting(&self) -> Result<Option<&GuessLadder>, &Unusable> {
        if self.config.guesses.reject { self.guessed() } else { Ok(None) }
    }
}
