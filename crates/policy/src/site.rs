//! A site: the opened filters and ladders of its configuration, and every decision about a password.
//!
//! [`Site::decide`] decides about a password, and every shell calls it: the PAM module, `filterctl`,
//! libnearmiss and the laboratory. [`Site::record`] counts a password in the ladder after it was set. A shell
//! only supplies the password and presents the result.
//!
//! A part that cannot be used never counts as an acceptance: a [`Decision`] lists each part that failed, and
//! whether the configuration's `on_error` accepts the password without it ([`Unusable::is_allowed`]).

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

/// A configuration with its filters and ladders: each is opened at its first use and then kept open.
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

    /// The same without the fleet: its agent is never queried.
    #[must_use]
    pub fn without_fleet(self) -> Site {
        let fleet = (Fleet::new(Agent::new(self.config.fleet.socket.clone())), Vec::new());
        Site { fleet: OnceLock::from(fleet), ..self }
    }

    /// The site of a configuration file and its drop-ins: see [`Config::load`].
    ///
    /// # Errors
    /// [`Unusable`] with [`Cause::Configuration`], which no setting allows.
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

    /// The same with one level of enforcement for all parts, overriding the configuration.
    #[must_use]
    pub fn enforcing(mut self, level: Enforce) -> Site {
        self.config.enforce_all(level);
        self.dictionaries = OnceLock::new();
        self
    }

    /// The configuration of the site.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Opens everything, and returns the parts that cannot be used.
    pub fn unusable(&self) -> Vec<Unusable> {
        let filters = self.dictionaries().unusable.iter();
        let ladders = self.chosen().err().into_iter().chain(self.rejecting().err());
        let unusable = filters.chain(ladders).chain(&self.shared().1).cloned().collect();
        self.walk.forget();
        unusable
    }

    /// The usable dictionaries, in the order of lookups.
    pub fn rules(&self) -> &[OpenDictionary<Mapped>] {
        &self.dictionaries().rules
    }

    /// The filters that any user may read, though no user should: see
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

    /// The near filters with too many words for the shortest accepted passwords: see [`is_crowded`].
    pub fn crowded(&self) -> impl Iterator<Item = &Path> {
        let least = self.config.policy.min_length;
        let near_rules = self.rules().iter().filter(|rule| rule.matching == Match::Near);
        let crowded = near_rules.filter(move |rule| is_crowded(rule.filter.header(), least));
        crowded.filter_map(|rule| rule.filter.path())
    }

    /// True if there is a ladder of chosen passwords.
    ///
    /// # Errors
    /// [`Unusable`]: it exists but cannot be used.
    pub fn has_ladder(&self) -> Result<bool, Unusable> {
        self.chosen().map(|ladder| ladder.is_some()).map_err(Clone::clone)
    }

    /// Counts a password that was set, or that a login has proved right: see [`ChosenLadder::count`]. None if
    /// there is no ladder.
    ///
    /// # Errors
    /// [`Unusable`]: the password is not counted, or not completely. Never a reason to fail a change or a
    /// login.
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

    /// The last failure of the fleet's agent since the previous call, for the log; none if it was not
    /// queried.
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

    /// The ladder of guessed passwords, if new passwords are to be looked up in it.
    fn rejecting(&self) -> Result<Option<&GuessLadder>, &Unusable> {
        if self.config.guesses.reject { self.guessed() } else { Ok(None) }
    }
}
