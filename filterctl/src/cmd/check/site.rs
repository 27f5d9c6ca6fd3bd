//! What checks the candidates: the configured site, or filters of the command line, and facts about the user.

use std::{ffi::OsString, os::unix::ffi::OsStrExt};

use nearmiss_cli::{
    failure::{Failure, warn},
    keys,
};
use nearmiss_filters::dictionary::sizing::MANY_NEAR_WORDS;
use nearmiss_policy::{config::Config, policy::VariantRules, site::Site};

use super::Args;
use crate::{
    configuration::{self, ConfigRequest},
    host::user::{self, UserFacts},
};

impl Args {
    /// The site that checks. With filters on the command line and no configuration, they alone are used.
    pub(super) fn site(&self) -> Result<Site, Failure> {
        let config = self.config()?;
        Ok(if self.asked().is_bare() || self.no_ladder {
            Site::without_ladder(config)
        } else {
            Site::new(config)
        })
    }

    pub(super) fn asked(&self) -> ConfigRequest<'_> {
        ConfigRequest { system: &self.system, filters: &self.filters }
    }

    fn config(&self) -> Result<Config, Failure> {
        let mut config = self.asked().config()?;
        if self.no_variants {
            config.policy.variants = VariantRules::NONE;
        }
        config.policy.min_length = self.min_length.unwrap_or(config.policy.min_length);
        Ok(config)
    }

    /// Requires every part of the site, regardless of `on_error`; only a ladder that this user may not read
    /// is skipped.
    pub(super) fn see_that_it_can_be_used(&self, site: &Site) -> Result<(), Failure> {
        for path in site.partly_used() {
            warn(
                keys::FILTER_SCHEME,
                &format!(
                    "{}: a filter of the paper's scheme cannot look up exact matches: two_words, distance_2 \
                     and substring do not use it",
                    path.display()
                ),
            );
        }
        let min_length = site.config().policy.min_length;
        for path in site.crowded() {
            let words = format!("more than {MANY_NEAR_WORDS}");
            warn(
                keys::FILTER_CROWDED,
                &format!("{}: {}", path.display(), configuration::crowding(&words, min_length)),
            );
        }
        site.unusable().iter().try_for_each(|unusable| {
            if unusable.is_out_of_reach {
                warn(keys::LADDER_NOT_ASKED, &format!(
                    "skipped the ladder of chosen passwords: {unusable}; run filterctl as root to use it, or \
                     pass --no-ladder"
                ));
                return Ok(());
            }
            Err(configuration::not_usable("cannot check", unusable, self.filters.is_empty()))
        })
    }

    /// The facts about the user and the computer, as the module has them, replaced by those on the command
    /// line.
    pub(super) fn facts(&self) -> UserFacts {
        let given = |name: &Option<OsString>| name.as_ref().map(|name| name.as_bytes().to_vec());
        let is_known = !self.asked().is_bare();
        let gecos = || self.user.as_deref().filter(|_| is_known).map(user::gecos).unwrap_or_default();
        let host = || if is_known { user::host_name() } else { Vec::new() };
        UserFacts {
            user: given(&self.user).unwrap_or_default(),
            gecos: given(&self.gecos).unwrap_or_else(gecos),
            host: given(&self.host).unwrap_or_else(host),
        }
    }
}
