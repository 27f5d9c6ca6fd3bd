//! The library behind the [`Library`] trait: configuration, filters and ladder as they are installed.

mod chosen;

use std::{
    cell::OnceCell,
    error::Error,
    io,
    path::{Path, PathBuf},
};

use nearmiss_filters::{
    checker::{CheckError, Checker},
    config::{self, Config, DictionaryRule, OnError},
    ladder::{ChosenLadder, SlowHashError},
    policy::{Context, Verdict},
};

use crate::{
    judge::{Cause, Judge, Ladder, Library, Unusable},
    options::Options,
};
use chosen::Chosen;

/// What the line's options name, or the default files, for one call of a hook: the configuration is read once.
pub(crate) struct Installed<'o> {
    options: &'o Options,
    config: OnceCell<Config>,
}

impl<'o> Installed<'o> {
    pub(crate) fn new(options: &'o Options) -> Installed<'o> {
        Installed { options, config: OnceCell::new() }
    }

    fn configuration(&self) -> Result<&Config, Unusable> {
        match self.config.get() {
            Some(config) => Ok(config),
            None => self.read_configuration().map(|config| self.config.get_or_init(|| config)),
        }
    }

    fn read_configuration(&self) -> Result<Config, Unusable> {
        let path = self.options.conf.as_deref().unwrap_or(Path::new(config::DEFAULT_PATH));
        let mut config = Config::load(path).map_err(|error| Unusable {
            cause: Cause::Configuration,
            allowed: false,
            detail: error.to_string(),
        })?;
        if let Some(filter) = &self.options.filter {
            config.dictionaries = vec![only(filter.clone())];
        }
        Ok(config)
    }
}

/// The filter that `filter=` names, in place of all configured ones.
fn only(file: PathBuf) -> DictionaryRule {
    DictionaryRule { file, matching: None }
}

impl Library for Installed<'_> {
    fn open(&self) -> Result<Box<dyn Judge>, Unusable> {
        let config = self.configuration()?;
        let checker = Checker::open(config).map_err(|error| not_opened(&error, config.on_error))?;
        Ok(Box::new(Opened { checker, on_error: config.on_error }))
    }

    fn open_ladder(&self) -> Result<Option<Box<dyn Ladder>>, Unusable> {
        let &Config { ladder: ref files, on_error, .. } = self.configuration()?;
        match ChosenLadder::open(files) {
            Ok(None) => Ok(None),
            Ok(Some(ladder)) => Ok(Some(Box::new(Chosen { ladder, on_error }))),
            Err(error) => Err(chosen::not_opened(&error, on_error)),
        }
    }
}

/// Opened filters, and what their damage means.
struct Opened {
    checker: Checker,
    on_error: OnError,
}

impl Judge for Opened {
    fn judge(&self, password: &[u8], context: &Context<'_>) -> Result<Verdict, Unusable> {
        #[cfg(feature = "panic-injection")]
        injected_panic(password);
        self.checker.judge(password, context).map_err(|error| unusable(&error, self.on_error))
    }

    fn warnings(&self) -> Vec<String> {
        self.checker.public_filters().map(public_filter).collect()
    }
}

/// What to do about a filter that any user may read. Changing its mode is not enough: who has opened it keeps it.
fn public_filter(path: &Path) -> String {
    format!(
        "{}: any user may read this filter, so it is copied into memory at each password change to keep them from \
         observing what is looked up; make it private: filterctl update, or build it again with --group or without \
         --public",
        path.display()
    )
}

fn unusable(error: &(dyn Error + 'static), on_error: OnError) -> Unusable {
    let allowed = on_error == OnError::Allow && !may_be_provoked(error);
    Unusable { cause: Cause::Filter, allowed, detail: error.to_string() }
}

/// A filter that cannot be opened. A program that does not run as root may simply not be in its group.
fn not_opened(error: &CheckError, on_error: OnError) -> Unusable {
    let mut unusable = unusable(error, on_error);
    if matches!(error, CheckError::Filter(error) if error.is_denied()) {
        unusable.detail.push_str(
            "; a server that does not run as root has to be in the group that may read the filter (filterctl build \
             --group)",
        );
    }
    unusable
}

/// System errors that tell about the file or its disk. Any other (no memory, no descriptor, a limit) may be the
/// doing of the person who runs the program, so `on_error = "allow"` must not turn it into a free pass.
const OF_THE_FILE: [i32; 7] =
    [libc::ENOENT, libc::ENOTDIR, libc::EISDIR, libc::ELOOP, libc::EIO, libc::ESTALE, libc::EFAULT];

/// True when a caller of a setuid program could have brought the error about.
fn may_be_provoked(error: &(dyn Error + 'static)) -> bool {
    let mut cause = Some(error);
    while let Some(at) = cause {
        if at.is::<SlowHashError>() {
            return true;
        }
        if let Some(code) = at.downcast_ref::<io::Error>().and_then(io::Error::raw_os_error) {
            return !OF_THE_FILE.contains(&code);
        }
        cause = at.source();
    }
    false
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

    use nearmiss_filters::{
        dictionary::{FilterError, Problem},
        format::Kind,
        storage::{Act, StorageError},
    };

    use super::*;

    fn filter_error(problem: Problem) -> CheckError {
        CheckError::Filter(FilterError { path: "/f".into(), problem })
    }

    fn system_error(code: i32) -> CheckError {
        let error = StorageError::io(Path::new("/f"), Act::Open, io::Error::from_raw_os_error(code));
        filter_error(Problem::Storage(error))
    }

    fn open(conf: Option<PathBuf>, filter: Option<PathBuf>) -> Unusable {
        let options = Options { conf, filter, ..Options::default() };
        let opened = Installed::new(&options).open();
        opened.err().expect("nothing here can be opened")
    }

    #[test]
    fn allow_covers_files_that_are_missing_untrusted_or_damaged() {
        let untrusted = StorageError::rule(Path::new("/f"), Act::OthersMayWrite);
        let page = Problem::UnreadablePage { index: 3, source: io::Error::from_raw_os_error(libc::EIO) };
        let errors = [
            system_error(libc::ENOENT),
            filter_error(Problem::Storage(untrusted)),
            filter_error(Problem::DamagedPage { index: 3 }),
            filter_error(page),
            CheckError::NotNear { path: "/f".into(), kind: Kind::Words },
        ];
        for error in errors {
            assert!(unusable(&error, OnError::Allow).allowed, "{error}");
            assert!(!unusable(&error, OnError::Reject).allowed, "{error}");
        }
    }

    #[test]
    fn allow_does_not_cover_what_a_caller_can_provoke() {
        for code in [libc::EMFILE, libc::ENFILE, libc::ENOMEM, libc::EAGAIN, libc::EPERM] {
            let error = system_error(code);
            assert!(!unusable(&error, OnError::Allow).allowed, "{error}");
        }
    }

    #[test]
    fn a_filter_that_is_not_for_this_process_is_refused_and_the_log_says_how_to_let_it_in() {
        for on_error in [OnError::Reject, OnError::Allow] {
            let denied = not_opened(&system_error(libc::EACCES), on_error);
            assert!(!denied.allowed && denied.detail.contains("--group"), "{denied:?}");
            let missing = not_opened(&system_error(libc::ENOENT), on_error);
            assert!(!missing.detail.contains("--group"), "{missing:?}");
        }
    }

    #[test]
    fn a_public_filter_is_warned_of() {
        let warning = public_filter(Path::new("/var/cache/nearmiss/words.filter"));
        assert!(warning.starts_with("/var/cache/nearmiss/words.filter: any user may read"), "{warning}");
        assert!(warning.contains("filterctl update") && warning.contains("--group"), "{warning}");
    }

    #[test]
    fn a_named_configuration_must_exist() {
        let missing = open(Some("/nonexistent/nearmiss.conf".into()), None);
        assert_eq!((missing.cause, missing.allowed), (Cause::Configuration, false));
        assert!(missing.detail.contains("/nonexistent"), "{}", missing.detail);
    }

    #[test]
    fn a_filter_on_the_line_replaces_the_configured_ones() {
        let folder = tempfile::tempdir().unwrap();
        let conf = folder.path().join("nearmiss.conf");
        fs::write(&conf, "on_error = \"allow\"\n[[dictionary]]\nfile = \"/nonexistent/configured\"\n")
            .unwrap();
        let configured = open(Some(conf.clone()), None);
        assert!(configured.allowed && configured.detail.contains("/nonexistent"), "{configured:?}");
        let named = open(Some(conf), Some("/nonexistent-named/filter".into()));
        assert!(named.allowed && named.detail.contains("/nonexistent-named"), "{named:?}");
    }
}
