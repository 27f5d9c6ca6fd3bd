//! The interface of the flows to the site: check a password, and count one that was set. The tests of the
//! flows replace it by a script.

#[cfg(test)]
pub(crate) mod scripted;
#[cfg(test)]
mod tests;

use std::{
    cell::OnceCell,
    path::{Path, PathBuf},
};

use nearmiss_filters::ladder::{AccountChoice, Claim};
use nearmiss_policy::{
    config::{self, DictionaryRule},
    policy::Context,
    site::{Decision, FailedLogin, Guess, LoginLog, LoginLookup, Site, Unusable},
    suggest::WordList,
};

use zeroize::Zeroizing;

use crate::messages::{Phrase, sentences};
#[cfg(debug_assertions)]
use crate::test_hooks;
use nearmiss_policy::config::stack_options::Options;

/// A site that checks and counts passwords.
pub(crate) trait Checks {
    /// Opens everything, and returns the parts that cannot be used.
    fn unusable(&self) -> Vec<Unusable>;

    /// The filters that any user may read, though no user should.
    fn public_filters(&self) -> Vec<PathBuf>;

    /// The reason to reject a password, its enforcement, and the checks that could not be used.
    fn decide(&self, password: &[u8], context: &Context<'_>) -> Decision;

    /// The requirements on a new password, if users must be shown them.
    fn hint(&self) -> Option<Phrase>;

    /// Suggested passphrases, if users are to be shown some.
    ///
    /// # Errors
    /// The reason why none could be generated.
    fn suggested(&self, context: &Context<'_>) -> Result<Option<Phrase>, String>;

    /// True if the ladder exists; false if it was never made.
    ///
    /// # Errors
    /// [`Unusable`]: it exists but cannot be used.
    fn has_ladder(&self) -> Result<bool, Unusable>;

    /// Counts the password of an account, unless it was counted before or another one of the account was
    /// counted today. None if there is no ladder.
    ///
    /// # Errors
    /// [`Unusable`]: the password is not counted, or not completely.
    fn record(&self, password: &[u8], choice: &AccountChoice<'_>) -> Result<Option<Claim>, Unusable>;

    /// Counts a failed login.
    ///
    /// # Errors
    /// [`Unusable`]: it is not counted.
    fn count_guess(&self, login: &FailedLogin<'_>) -> Result<Guess, Unusable>;

    /// Takes the same time, but counts nothing.
    ///
    /// # Errors
    /// As [`Checks::count_guess`].
    fn leave_out_guess(&self, login: &FailedLogin<'_>) -> Result<(), Unusable>;

    /// True if a password is often guessed here.
    ///
    /// # Errors
    /// [`Unusable`]: the ladder of guessed passwords cannot be queried.
    fn is_guessed(&self, password: &[u8]) -> Result<bool, Unusable>;

    /// Looks up the password of a login in the lists of leaked ones; none if there is no list for logins, or
    /// the configuration cannot be read, which [`Checks::is_guessed`] reports.
    fn look_up_login(&self, password: &[u8]) -> Option<LoginLookup>;

    /// Counts a login that was looked up. Returns what to log about it, if it is listed.
    fn count_login(&self, lookup: &LoginLookup) -> LoginLog;
}

/// The parts that a preliminary call opened, for its update call.
pub(crate) struct LeftSite {
    site: Site,
    /// Seconds since 1970.
    opened: u64,
}

/// How long they are used, in seconds. Between the two calls a person types the current password, and could
/// leave that prompt waiting for days, until the settings in force are stricter.
const LEFT_FOR: u64 = 60;

/// The site that a line's options name, or the default one. Its configuration is read once, at the first use,
/// unless the preliminary call left it for the update call.
pub(crate) struct ConfiguredSite<'o> {
    options: &'o Options,
    site: OnceCell<Site>,
}

impl<'o> ConfiguredSite<'o> {
    pub(crate) fn new(options: &'o Options) -> ConfiguredSite<'o> {
        ConfiguredSite { options, site: OnceCell::new() }
    }

    /// The same with the parts that the preliminary call opened, if any, and not long before `now`.
    pub(crate) fn with(options: &'o Options, left: Option<LeftSite>, now: u64) -> ConfiguredSite<'o> {
        // A clock that was set back makes it old, too.
        let opened = left.filter(|left| now.wrapping_sub(left.opened) < LEFT_FOR).map(|left| left.site);
        ConfiguredSite { options, site: opened.map_or_else(OnceCell::new, OnceCell::from) }
    }

    /// The opened parts, if all can be used, for the update call. A part that failed is tried again
    /// there.
    pub(crate) fn into_opened(self, now: u64) -> Option<LeftSite> {
        let site = self.site.into_inner().filter(|site| site.unusable().is_empty())?;
        Some(LeftSite { site, opened: now })
    }

    /// The failure of the fleet's agent, if it was queried.
    pub(crate) fn fleet_trouble(&self) -> Option<String> {
        self.site.get()?.fleet_trouble()
    }

    fn site(&self) -> Result<&Site, Unusable> {
        if let Some(site) = self.site.get() {
            return Ok(site);
        }
        let site = self.load()?;
        Ok(self.site.get_or_init(|| site))
    }

    /// The line's options with those that the configuration adds, if it can be read.
    pub(crate) fn complete_options(&self) -> Options {
        let config = self.site().ok().map(Site::config);
        config.map_or_else(|| self.options.clone(), |config| self.options.with_rules(config.line, config.log))
    }

    fn load(&self) -> Result<Site, Unusable> {
        #[cfg(debug_assertions)]
        self.options.filter.as_deref().inspect(|filter| test_hooks::before_opening(filter));
        let site = Site::load(self.options.conf.as_deref().unwrap_or(Path::new(config::DEFAULT_PATH)))?;
        let site = match self.options.enforce {
            None => site,
            Some(level) => site.enforcing(level),
        };
        Ok(match &self.options.filter {
            None => site,
            Some(file) => site.with_dictionaries(vec![DictionaryRule::new(file.clone())]),
        })
    }
}

impl Checks for ConfiguredSite<'_> {
    fn unusable(&self) -> Vec<Unusable> {
        self.site().map_or_else(|unusable| vec![unusable], Site::unusable)
    }

    fn public_filters(&self) -> Vec<PathBuf> {
        let public = |site: &Site| site.public_filters().map(Path::to_owned).collect();
        self.site().map_or_else(|_| Vec::new(), public)
    }

    fn decide(&self, password: &[u8], context: &Context<'_>) -> Decision {
        #[cfg(debug_assertions)]
        test_hooks::before_decision(password);
        self.site().map_or_else(Decision::from, |site| site.decide(password, context))
    }

    fn hint(&self) -> Option<Phrase> {
        let config = self.site().ok()?.config();
        let is_shown = self.options.hint || config.guidance.hint;
        is_shown.then(|| sentences::hint(&config.policy, !config.dictionaries.is_empty()))
    }

    /// Faults of the configuration are reported with the check itself.
    fn suggested(&self, context: &Context<'_>) -> Result<Option<Phrase>, String> {
        let Ok(site) = self.site() else { return Ok(None) };
        let guidance = &site.config().guidance;
        let count = self.options.suggest.unwrap_or(guidance.suggest);
        if count == 0 {
            return Ok(None);
        }
        let words = WordList::open(&guidance.suggest_words).map_err(|error| error.to_string())?;
        let draw = || site.suggest(&words, guidance.suggest_bits, context).map(|made| made.passphrase);
        let drawn: Result<Vec<Zeroizing<String>>, _> = (0..count).map(|_| draw()).collect();
        drawn.map(|passphrases| sentences::suggestion(&passphrases)).map_err(|error| error.to_string())
    }

    fn has_ladder(&self) -> Result<bool, Unusable> {
        self.site()?.has_ladder()
    }

    fn record(&self, password: &[u8], choice: &AccountChoice<'_>) -> Result<Option<Claim>, Unusable> {
        self.site()?.record(password, choice)
    }

    fn count_guess(&self, login: &FailedLogin<'_>) -> Result<Guess, Unusable> {
        self.site()?.count_guess(login)
    }

    fn leave_out_guess(&self, login: &FailedLogin<'_>) -> Result<(), Unusable> {
        self.site()?.leave_out_guess(login)
    }

    fn is_guessed(&self, password: &[u8]) -> Result<bool, Unusable> {
        self.site()?.is_guessed(password)
    }

    fn look_up_login(&self, password: &[u8]) -> Option<LoginLookup> {
        self.site().ok()?.look_up_login(password)
    }

    fn count_login(&self, lookup: &LoginLookup) -> LoginLog {
        self.site().map_or(LoginLog::Nothing, |site| site.count_login(lookup))
    }
}
