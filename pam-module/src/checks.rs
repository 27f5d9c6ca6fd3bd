//! What the flows ask of the site: is a password to be rejected, and count one that was set. The tests of the
//! flows put a script in its place.

#[cfg(test)]
pub(crate) mod scripted;

use std::{
    cell::OnceCell,
    path::{Path, PathBuf},
};

use nearmiss_filters::{
    config::{self, DictionaryRule},
    ladder::{Choice, Claim},
    policy::Context,
    site::{Decision, Site, Unusable},
};

use crate::options::Options;

/// A site that is asked and counted in.
pub(crate) trait Checks {
    /// Opens everything and says what of it cannot be used.
    fn unusable(&self) -> Vec<Unusable>;

    /// The filters that any user may read, which they should not.
    fn public_filters(&self) -> Vec<PathBuf>;

    /// What speaks against a password, what that means, and what could not be asked.
    fn decide(&self, password: &[u8], context: &Context<'_>) -> Decision;

    /// Whether there is a ladder: none where it was never made.
    ///
    /// # Errors
    /// [`Unusable`] when there is one that cannot be used.
    fn has_ladder(&self) -> Result<bool, Unusable>;

    /// Counts the password of an account, unless it was counted before or another one of the account was
    /// today. None where there is no ladder.
    ///
    /// # Errors
    /// [`Unusable`]: the password is not counted, or not wholly.
    fn record(&self, password: &[u8], choice: &Choice<'_>) -> Result<Option<Claim>, Unusable>;
}

/// The site that a line's options name, or the default one. Its configuration is read when something is asked
/// for, once.
pub(crate) struct SiteOfLine<'o> {
    options: &'o Options,
    site: OnceCell<Site>,
}

impl<'o> SiteOfLine<'o> {
    pub(crate) fn new(options: &'o Options) -> SiteOfLine<'o> {
        SiteOfLine { options, site: OnceCell::new() }
    }

    fn site(&self) -> Result<&Site, Unusable> {
        if let Some(site) = self.site.get() {
            return Ok(site);
        }
        let site = self.load()?;
        Ok(self.site.get_or_init(|| site))
    }

    /// The line's options with what the configuration adds, where it can be read.
    pub(crate) fn complete_options(&self) -> Options {
        let config = self.site().ok().map(Site::config);
        config.map_or_else(|| self.options.clone(), |config| self.options.with_rules(config.line, config.log))
    }

    fn load(&self) -> Result<Site, Unusable> {
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

impl Checks for SiteOfLine<'_> {
    fn unusable(&self) -> Vec<Unusable> {
        self.site().map_or_else(|unusable| vec![unusable], Site::unusable)
    }

    fn public_filters(&self) -> Vec<PathBuf> {
        let public = |site: &Site| site.public_filters().map(Path::to_owned).collect();
        self.site().map_or_else(|_| Vec::new(), public)
    }

    fn decide(&self, password: &[u8], context: &Context<'_>) -> Decision {
        #[cfg(feature = "panic-injection")]
        injected_panic(password);
        self.site().map_or_else(Decision::from, |site| site.decide(password, context))
    }

    fn has_ladder(&self) -> Result<bool, Unusable> {
        self.site()?.has_ladder()
    }

    fn record(&self, password: &[u8], choice: &Choice<'_>) -> Result<Option<Claim>, Unusable> {
        self.site()?.record(password, choice)
    }
}

/// What a slice of a string off a character boundary would do: a panic whose message quotes the password.
#[cfg(feature = "panic-injection")]
#[allow(clippy::panic, reason = "the end-to-end test needs a panic to show that nothing of it is seen")]
fn injected_panic(password: &[u8]) {
    panic!("end byte index 1 is not a char boundary of `{}`", String::from_utf8_lossy(password));
}

#[cfg(test)]
mod tests {
    use std::fs;

    use nearmiss_filters::site::Cause;

    use super::*;

    fn unusable(conf: Option<PathBuf>, filter: Option<PathBuf>) -> Vec<Unusable> {
        let options = Options { conf, filter, ..Options::default() };
        SiteOfLine::new(&options).unusable()
    }

    #[test]
    fn a_named_configuration_must_exist() {
        let conf = PathBuf::from("/nonexistent/nearmiss.conf");
        let missing = unusable(Some(conf.clone()), None);
        assert_eq!((missing.len(), missing[0].cause), (1, Cause::Configuration));
        let options = Options { conf: Some(conf), ..Options::default() };
        let decision = SiteOfLine::new(&options).decide(b"x", &Context::default());
        assert_eq!(decision.failures, missing);
        assert_eq!(SiteOfLine::new(&options).has_ladder(), Err(missing[0].clone()));
    }

    #[test]
    fn a_filter_on_the_line_replaces_the_configured_ones_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let conf = folder.path().join("nearmiss.conf");
        let text = "min_length = 20\non_error = \"allow\"\npackaged = false\n\
                    [[dictionary]]\nfile = \"/nonexistent-configured\"\n";
        fs::write(&conf, text).unwrap();
        let configured = unusable(Some(conf.clone()), None);
        assert!(configured[0].is_allowed && configured[0].detail.contains("configured"), "{configured:?}");
        let filter = PathBuf::from("/nonexistent-named");
        let named = unusable(Some(conf.clone()), Some(filter.clone()));
        assert!(named[0].is_allowed && named[0].detail.contains("named") && named.len() == 1, "{named:?}");
        let options = Options { conf: Some(conf), filter: Some(filter), ..Options::default() };
        let checks = SiteOfLine::new(&options);
        let decision = checks.decide(b"long enough?", &Context::default());
        assert_eq!(decision.failures, named);
        let reason = decision.finding.map(|finding| finding.reason.code());
        assert_eq!(reason, Some("too-short"));
    }
}
