//! A configuration with everything it names, opened at once.

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use nearmiss_filters::{
    keys,
    ladder::{AccountChoice, Claim},
};
use nearmiss_policy::{
    config::{Config, DictionaryRule},
    policy::Context,
    site::{Cause, Site, Trouble, Unusable},
};
use rustix::process::geteuid;

use crate::{
    answer::Answer,
    watch::{Watched, by_content},
};

/// The files that a checker queries.
#[derive(Clone, Debug)]
pub struct Setting {
    /// The configuration file; its drop-ins are read, too.
    pub conf: PathBuf,
    /// A public filter for processes of ordinary users, which cannot read the configured ones and query it
    /// instead. Without it, their checks find the configured filter unusable.
    pub public: Option<PathBuf>,
}

impl Setting {
    /// This configuration and no public filter.
    pub fn of(conf: &Path) -> Setting {
        Setting { conf: conf.to_owned(), public: None }
    }
}

/// A site with everything opened, so that a check initialises nothing: a process may fork in the middle of
/// one.
pub(crate) struct Opened {
    site: Result<Site, Unusable>,
    watched: Watched,
    /// The reason why the public filter is queried instead of the site's own.
    public: Option<String>,
    /// True if root opened it. What a process opened that took a user's identity for one call may be less
    /// than what it may read as root again.
    is_roots: bool,
    /// True if only root may read the ladders and this process is unprivileged.
    pub(crate) goes_without_ladders: bool,
}

impl Opened {
    pub(crate) fn open(setting: &Setting) -> Opened {
        // Taken before anything is read: the next check notices a file that is replaced meanwhile.
        let mut watched = Watched::configuration(&setting.conf);
        let is_roots = geteuid().is_root();
        let site = match Site::load(&setting.conf) {
            // A server calls while it holds its own locks, under which nothing may wait.
            Ok(site) if !site.config().fleet.servers => site.without_fleet(),
            Ok(site) => site,
            Err(unusable) => {
                let (site, public) = (Err(unusable), None);
                return Opened { site, watched, public, is_roots, goes_without_ladders: false };
            }
        };
        watched.add_files_of(site.config());
        let unusable = site.unusable();
        match out_of_reach(is_roots, setting, &unusable) {
            None => {
                let goes_without_ladders = unusable.iter().any(|unusable| unusable.is_out_of_reach);
                Opened { site: Ok(site), watched, public: None, is_roots, goes_without_ladders }
            }
            Some(detail) => {
                let site = public_site(setting, site.config(), &mut watched);
                Opened {
                    site: Ok(site),
                    watched,
                    public: Some(detail),
                    is_roots,
                    goes_without_ladders: false,
                }
            }
        }
    }

    /// The parts that could not be used, but for those that only root may read.
    fn unusable(&self) -> Vec<Unusable> {
        let mut unusable = match &self.site {
            Err(unusable) => vec![unusable.clone()],
            Ok(site) => site.unusable(),
        };
        unusable.retain(|unusable| !unusable.is_out_of_reach);
        unusable
    }

    /// True if every part is open.
    pub(crate) fn is_whole(&self) -> bool {
        self.unusable().is_empty()
    }

    /// True if parts could not be used, all because this process may not read them.
    pub(crate) fn is_denied(&self) -> bool {
        are_denied(&self.unusable())
    }

    /// True as long as another opening would give the same. What could not be used may be usable now: the
    /// access to a folder, the limits of the process and the memory of the machine are not watched.
    pub(crate) fn is_current(&self) -> bool {
        self.is_whole() && self.watched.is_unchanged() && (self.is_roots || !geteuid().is_root())
    }

    /// The parts that cannot be used and must not be skipped.
    pub(crate) fn state(&self) -> Answer {
        let unusable = self.unusable().into_iter().find(|unusable| !unusable.is_allowed);
        unusable.map_or_else(|| Answer::noted(""), |unusable| Answer::unusable(&unusable))
    }

    pub(crate) fn check(&self, password: &[u8], context: &Context<'_>) -> Answer {
        let site = match &self.site {
            Err(unusable) => return Answer::unusable(unusable),
            Ok(site) => site,
        };
        let mut answer = Answer::of(&site.decide(password, context));
        if let Some(why) = self.public.as_ref().filter(|_| answer.detail.is_empty()) {
            answer.detail.clone_from(why);
        }
        answer
    }

    pub(crate) fn record(&self, password: &[u8], choice: &AccountChoice<'_>) -> Answer {
        let counted = self.site.as_ref().map_err(Clone::clone);
        match counted.and_then(|site| site.record(password, choice)) {
            Err(unusable) => Answer::unusable(&unusable),
            Ok(None) => Answer::noted("there is no ladder"),
            Ok(Some(Claim::Granted)) => Answer::noted("the password is recorded"),
            Ok(Some(Claim::Counted)) => Answer::noted("the password was already recorded"),
            Ok(Some(Claim::Today)) => Answer::noted("a password of this account was already recorded today"),
            Ok(Some(Claim::NoRoom)) => Answer::noted_with(
                keys::LADDER_NO_ROOM,
                "the ladder has no room for a stamp of this account: its passwords are not recorded",
            ),
        }
    }
}

fn are_denied(unusable: &[Unusable]) -> bool {
    !unusable.is_empty() && unusable.iter().all(is_denied)
}

fn is_denied(unusable: &Unusable) -> bool {
    matches!(unusable.trouble, Trouble::Denied(_))
}

/// The reason to query the public filter: an unprivileged process may not read the configured ones, and
/// nothing else is wrong. It could not set a password in the shadow file either.
fn out_of_reach(is_root: bool, setting: &Setting, unusable: &[Unusable]) -> Option<String> {
    let is_reach = |unusable: &Unusable| {
        unusable.is_out_of_reach || unusable.cause == Cause::Filter && is_denied(unusable)
    };
    let filter = unusable.iter().find(|unusable| unusable.cause == Cause::Filter)?;
    let public = setting.public.as_ref().filter(|_| !is_root && unusable.iter().all(is_reach))?;
    Some(format!("{filter}; only {} was checked {}", public.display(), filter.key))
}

fn public_site(setting: &Setting, config: &Config, watched: &mut Watched) -> Site {
    let rules = setting.public.iter().map(|file| {
        watched.add(file.clone(), by_content);
        DictionaryRule::new(file.clone())
    });
    let site = Site::without_ladder(Config { dictionaries: rules.collect(), ..config.clone() });
    site.unusable();
    site
}
