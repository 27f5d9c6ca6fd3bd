//! A site for queries from many threads, for months.

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

/// What a process that lost its access goes without.
const NEWER_FILES: &str = "the files that replaced the ones in use, which this process may not read";

/// The parts that an unprivileged process skips by design.
const ROOTS_ALONE: &str = "the ladders of chosen and guessed passwords, which only root may read";

/// The known data of the person and the machine, as bytes in the system's encoding.
#[derive(Clone, Copy, Default)]
pub struct Facts<'a> {
    /// The user name; empty when unknown. Further names of the account may be on lines of their own.
    pub user: &'a [u8],
    /// The GECOS field, or just the real name; empty when unknown. Further names of the person may be on
    /// lines of their own.
    pub gecos: &'a [u8],
    /// The host name; none for this machine's.
    pub host: Option<&'a [u8]>,
    /// The old password, if it was typed.
    pub old_password: Option<&'a [u8]>,
}

/// What a call uses.
struct Current {
    opened: Arc<Opened>,
    /// Its files were replaced by others that this process may not read.
    is_outdated: bool,
}

/// A site for queries from many threads, for months.
pub struct Checker {
    setting: Setting,
    current: RwLock<Arc<Opened>>,
    /// The warning about the checks that this process skips was given.
    has_told: AtomicBool,
}

impl Checker {
    /// Opens the files of the setting. A part that cannot be used is reported by [`Checker::state`] and
    /// rejects every password until it is repaired, which the checker notices.
    pub fn open(setting: Setting) -> Checker {
        guard::silence_panics(note_place);
        let current = RwLock::new(Arc::new(Opened::open(&setting)));
        Checker { setting, current, has_told: AtomicBool::new(false) }
    }

    /// Another checker of this process has reported the skipped parts.
    pub(crate) fn leave_untold(&self) {
        self.has_told.store(true, Ordering::Relaxed);
    }

    /// The current state: accepted if passwords can be checked, or unusable with the detail.
    pub fn state(&self) -> Answer {
        guarded(|| {
            let Current { opened, is_outdated } = self.current();
            self.told(&opened, is_outdated, opened.state())
        })
    }

    /// Checks a password. Changes nothing, and never panics.
    pub fn check(&self, password: &[u8], facts: &Facts<'_>) -> Answer {
        guarded(|| {
            let Current { opened, is_outdated } = self.current();
            let answer = match facts.host {
                Some(host) => opened.check(password, &context(facts, host)),
                None => opened.check(password, &context(facts, uname().nodename().to_bytes())),
            };
            self.told(&opened, is_outdated, answer)
        })
    }

    fn told(&self, opened: &Opened, is_outdated: bool, answer: Answer) -> Answer {
        let answer = self.told_once(opened, answer);
        if is_outdated { answer.without(&format!("{NEWER_FILES} {}", keys::FILE_UNREADABLE)) } else { answer }
    }

    /// Adds the parts that this process skips by design to the first answer: repeated for each password it
    /// would be noise in the log of a correctly configured server.
    fn told_once(&self, opened: &Opened, answer: Answer) -> Answer {
        let is_about_a_check = matches!(answer.verdict, Verdict::Accepted | Verdict::Rejected);
        if is_about_a_check && opened.goes_without_ladders && !self.has_told.swap(true, Ordering::Relaxed) {
            return answer.without(&format!("{ROOTS_ALONE} {}", keys::LADDER_NOT_ASKED));
        }
        answer
    }

    /// Counts in the ladder a password that was set for an account; `shadow_field` is the hash that is stored
    /// now, if it is known. Accepted with a detail about the result, or unusable: never a reason to undo the
    /// change.
    pub fn record(&self, account: &[u8], password: &[u8], shadow_field: Option<&[u8]>) -> Answer {
        // A server sets a password on behalf of its account.
        let choice = AccountChoice { account, shadow_field, day: today(), by: Setter::Owner };
        guarded(|| self.current().opened.record(password, &choice))
    }

    /// The opened site, or its replacement. It never waits: if another thread is exchanging the site, or did
    /// so when this process was forked, this call opens the files for itself.
    fn current(&self) -> Current {
        let held = self.held().filter(|opened| opened.is_current());
        held.map_or_else(|| self.reopen(), |opened| Current { opened, is_outdated: false })
    }

    fn held(&self) -> Option<Arc<Opened>> {
        match self.current.try_read() {
            Ok(opened) => Some(Arc::clone(&opened)),
            Err(TryLockError::Poisoned(opened)) => Some(Arc::clone(&opened.into_inner())),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    fn reopen(&self) -> Current {
        let current = chosen(self.held(), Arc::new(Opened::open(&self.setting)));
        if current.is_outdated {
            return current;
        }
        if let Ok(mut held) = self.current.try_write() {
            let earlier = mem::replace(&mut *held, Arc::clone(&current.opened));
            drop(held);
            drop(earlier);
        }
        current
    }
}

/// The newly opened site, or the earlier one in a process that has dropped its privileges since.
fn chosen(earlier: Option<Arc<Opened>>, opened: Arc<Opened>) -> Current {
    match earlier.filter(|earlier| opened.is_denied() && earlier.is_whole()) {
        Some(earlier) => Current { opened: earlier, is_outdated: true },
        None => Current { opened, is_outdated: false },
    }
}

/// The one checker of a process, opened by the first check: for plugins, in which no earlier call opens
/// anything.
pub struct Shared(OnceLock<Checker>);

impl Shared {
    /// Nothing is opened yet.
    pub const fn new() -> Shared {
        Shared(OnceLock::new())
    }

    /// The checker. Two threads with concurrent first calls both open one, and one of the two is kept: a
    /// thread that waited for another to open it would wait forever in a child that was forked meanwhile.
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
    Context {
        user: facts.user,
        gecos: facts.gecos,
        host,
        old_password: facts.old_password,
        ..Context::default()
    }
}

/// Whole days since 1970-01-01 UTC; 0 before it, for a clock without a battery.
fn today() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs() / 86_400)
}

thread_local! {
    static PLACE: RefCell<String> = const { RefCell::new(String::new()) };
}

fn note_place(line: &str) {
    // A thread that is ending cannot store it.
    let _ = PLACE.try_with(|place| line.clone_into(&mut place.borrow_mut()));
}

/// Turns a panic into a fault that names its location.
fn guarded(act: impl FnOnce() -> Answer) -> Answer {
    guard::catch(act).unwrap_or_else(|_| {
        let place = PLACE.try_with(RefCell::take).unwrap_or_default();
        Answer::fault(if place.is_empty() { "internal error" } else { &place })
    })
}
