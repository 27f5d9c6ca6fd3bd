//! A site that is asked by many threads for months.

#[cfg(test)]
pub(crate) mod tests;

use std::{
    cell::RefCell,
    mem,
    sync::{
        Arc, OnceLock, RwLock, TryLockError,
        atomic::{AtomicBool, Ordering},
    },
    time::{SystemTime, UNIX_EPOCH},
};

use nearmiss_filters::{
    keys,
    ladder::{AccountChoice, Setter},
};
use nearmiss_policy::{guard, policy::Context};
use rustix::system::uname;

use crate::{
    answer::{Answer, Verdict},
    opened::{Opened, Setting},
};

/// What a process that is not root's goes without, by design.
const ROOTS_ALONE: &str = "the ladders of chosen and guessed passwords, which only root may read";

/// What is known of the person and the machine, as bytes in whatever encoding the system has them.
#[derive(Clone, Copy, Default)]
pub struct Facts<'a> {
    /// The user name; empty when unknown. Further names of the account may be on lines of their own.
    pub user: &'a [u8],
    /// The GECOS field, or just the real name; empty when unknown. Further names of the person may be on
    /// lines of their own.
    pub gecos: &'a [u8],
    /// The host name; none for this machine's.
    pub host: Option<&'a [u8]>,
    /// The old password, when it was typed.
    pub old_password: Option<&'a [u8]>,
}

/// A site that is asked by many threads for months.
pub struct Checker {
    setting: Setting,
    current: RwLock<Arc<Opened>>,
    /// The warning about the checks that this process skips was given.
    has_told: AtomicBool,
}

impl Checker {
    /// Opens what the setting names. What of it cannot be used is reported by [`Checker::state`] and rejects
    /// every password until it is repaired, which is noticed.
    pub fn open(setting: Setting) -> Checker {
        guard::silence_panics(note_place);
        let current = RwLock::new(Arc::new(Opened::open(&setting)));
        Checker { setting, current, has_told: AtomicBool::new(false) }
    }

    /// Another checker of this process has said what it goes without.
    pub(crate) fn leave_untold(&self) {
        self.has_told.store(true, Ordering::Relaxed);
    }

    /// Whether passwords can be checked now: accepted, or unusable with the detail.
    pub fn state(&self) -> Answer {
        guarded(|| {
            let opened = self.current();
            self.told_once(&opened, opened.state())
        })
    }

    /// Checks a password. Changes nothing, and never panics.
    pub fn check(&self, password: &[u8], facts: &Facts<'_>) -> Answer {
        guarded(|| {
            let opened = self.current();
            let answer = match facts.host {
                Some(host) => opened.check(password, &context(facts, host)),
                None => opened.check(password, &context(facts, uname().nodename().to_bytes())),
            };
            self.told_once(&opened, answer)
        })
    }

    /// Adds to the first answer what this process goes without by design: at each password it would be noise
    /// in the log of a server that is set up as it should be.
    fn told_once(&self, opened: &Opened, answer: Answer) -> Answer {
        let is_about_a_check = matches!(answer.verdict, Verdict::Accepted | Verdict::Rejected);
        if is_about_a_check && opened.goes_without_ladders && !self.has_told.swap(true, Ordering::Relaxed) {
            return answer.without(&format!("{ROOTS_ALONE} {}", keys::LADDER_NOT_ASKED));
        }
        answer
    }

    /// Counts in the ladder a password that was set for an account; `shadow_field` is the hash that is stored
    /// now, if it is known. Accepted with a detail that says what was done, or unusable: never a reason to
    /// undo the change.
    pub fn record(&self, account: &[u8], password: &[u8], shadow_field: Option<&[u8]>) -> Answer {
        // What a server sets, it sets for the account that asks.
        let choice = AccountChoice { account, shadow_field, day: today(), by: Setter::Owner };
        guarded(|| self.current().record(password, &choice))
    }

    /// What is opened, or what replaced it since. Nothing is waited for: another thread that is exchanging
    /// it, or one that did when this process was forked, only makes this call open the files for itself.
    fn current(&self) -> Arc<Opened> {
        let opened = match self.current.try_read() {
            Ok(opened) => Some(Arc::clone(&opened)),
            Err(TryLockError::Poisoned(opened)) => Some(Arc::clone(&opened.into_inner())),
            Err(TryLockError::WouldBlock) => None,
        };
        opened.filter(|opened| opened.is_current()).unwrap_or_else(|| self.reopen())
    }

    fn reopen(&self) -> Arc<Opened> {
        let opened = Arc::new(Opened::open(&self.setting));
        if let Ok(mut current) = self.current.try_write() {
            let earlier = mem::replace(&mut *current, Arc::clone(&opened));
            drop(current);
            drop(earlier);
        }
        opened
    }
}

/// The one checker of a process, opened by the first check: for plugins, which nothing is opened in before.
pub struct Shared(OnceLock<Checker>);

impl Shared {
    /// Nothing is opened yet.
    pub const fn new() -> Shared {
        Shared(OnceLock::new())
    }

    /// The checker. Two threads that come first both open one and keep that of either: a thread that waited
    /// for another to open it would wait for good in a child that was forked meanwhile.
    pub fn of(&self, setting: impl FnOnce() -> Setting) -> &Checker {
        self.0.get().unwrap_or_else(|| {
            let opened = Checker::open(setting());
            self.0.get_or_init(|| opened)
        })
    }
}

impl Default for Shared {
    fn default() -> Shared {
        Shared::new()
    }
}

fn context<'a>(facts: &Facts<'a>, host: &'a [u8]) -> Context<'a> {
    Context { user: facts.user, gecos: facts.gecos, host, old_password: facts.old_password }
}

/// Whole days since 1970-01-01 UTC; 0 before it, where a clock without battery may stand.
fn today() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs() / 86_400)
}

thread_local! {
    static PLACE: RefCell<String> = const { RefCell::new(String::new()) };
}

fn note_place(line: &str) {
    // A thread that is ending has no place to note it in.
    let _ = PLACE.try_with(|place| line.clone_into(&mut place.borrow_mut()));
}

/// A panic becomes a fault that names its place.
fn guarded(act: impl FnOnce() -> Answer) -> Answer {
    guard::catch(act).unwrap_or_else(|_| {
        let place = PLACE.try_with(RefCell::take).unwrap_or_default();
        Answer::fault(if place.is_empty() { "internal error" } else { &place })
    })
}
