//! The password hook: `pam_pwquality`'s loop, with a check that can be unusable.
//!
//! Preliminary call: look whether a password can be judged at all, before anybody types one. Update call: ask,
//! judge, ask again, as often as `retry=` allows. Root is warned and let through, unless the line says otherwise or
//! the change is forced by an expired password. Every answer that stops the stack clears the new password first.
//! Where there is a ladder, an accepted password leaves a mark for the line that records it.

#[cfg(test)]
mod ladder_tests;
#[cfg(test)]
mod tests;

use libc::c_uint;
use nearmiss_filters::policy::{Context, Reason, Verdict};

use crate::{
    ffi::sys,
    guard,
    host::{Host, Retyped},
    judge::{Cause, Judge, Ladder, Library, Unusable},
    mark::Mark,
    messages::{self, Outcome, Priority},
    options::Options,
    secret::Secret,
};

/// The flags libpam hands to the hook.
#[derive(Clone, Copy)]
pub(crate) struct Flags(pub(crate) c_uint);

impl Flags {
    pub(crate) fn has(self, flag: c_uint) -> bool {
        self.0 & flag != 0
    }
}

/// One call of the hook.
pub(crate) struct Flow<'a, H, L> {
    pub(crate) host: &'a mut H,
    pub(crate) library: &'a L,
    pub(crate) options: &'a Options,
    pub(crate) flags: Flags,
}

/// Who is asked; nobody where the password is to go through unchecked.
#[derive(Default)]
struct Bench {
    judge: Option<Box<dyn Judge>>,
    ladder: Option<Box<dyn Ladder>>,
}

/// What is known about the user, in memory of our own.
struct Person {
    user: Vec<u8>,
    gecos: Vec<u8>,
    host: Vec<u8>,
    old_password: Option<Secret>,
}

impl Person {
    fn context(&self) -> Context<'_> {
        let old_password = self.old_password.as_ref().map(Secret::bytes);
        Context { user: &self.user, gecos: &self.gecos, host: &self.host, old_password }
    }
}

impl<H: Host, L: Library> Flow<'_, H, L> {
    /// Runs the call that the flags name, and tells user and log how it ended.
    pub(crate) fn run(mut self) -> Outcome {
        let outcome = if self.flags.has(sys::PAM_PRELIM_CHECK) {
            self.preliminary()
        } else if self.flags.has(sys::PAM_UPDATE_AUTHTOK) {
            self.update()
        } else {
            Outcome::UnknownCall
        };
        self.close(outcome)
    }

    fn close(&mut self, outcome: Outcome) -> Outcome {
        if !outcome.goes_on() {
            self.host.clear_new_password();
        }
        let row = outcome.row();
        if let Some((priority, line)) = row.log {
            self.log(priority, line);
        }
        if let Some(sentence) = row.user {
            self.show(sentence);
        }
        outcome
    }

    fn preliminary(&mut self) -> Outcome {
        if self.options.local_users_only && self.is_foreign() {
            return Outcome::Ready;
        }
        let causes = [self.open().err(), self.open_ladder().err()];
        match causes.into_iter().flatten().find(|unusable| self.is_bound_by(unusable)) {
            Some(unusable) => {
                self.log(Priority::Critical, &unusable.detail);
                unusable.preliminary_outcome()
            }
            None => Outcome::Ready,
        }
    }

    fn update(&mut self) -> Outcome {
        let Some(user) = self.host.user() else { return Outcome::NoUser };
        let bench = match self.bench(&user) {
            Ok(bench) => bench,
            Err(outcome) => return outcome,
        };
        let (gecos, host) = (self.host.gecos(&user), self.host.host_name());
        let person = Person { user, gecos, host, old_password: self.host.old_password() };
        for _ in 0..self.tries() {
            if let Some(outcome) = self.one_try(&bench, &person) {
                self.leave_mark(outcome, &bench, &person);
                return outcome;
            }
        }
        if self.tries() > 1 { Outcome::TriesUsedUp } else { Outcome::Rejected }
    }

    /// Asks and judges once; none when the user may try again.
    fn one_try(&mut self, bench: &Bench, person: &Person) -> Option<Outcome> {
        let Ok(password) = self.host.new_password() else { return Some(self.no_password()) };
        match self.rule(bench, &password, person) {
            Ok(Verdict::Accept) => self.retype(),
            Ok(Verdict::Reject(reason)) => self.reject(reason),
            Err(outcome) => Some(outcome),
        }
    }

    fn rule(&mut self, bench: &Bench, password: &Secret, person: &Person) -> Result<Verdict, Outcome> {
        match self.ask_judge(bench, password, person)? {
            Verdict::Accept => self.ask_ladder(bench, password),
            rejected @ Verdict::Reject(_) => Ok(rejected),
        }
    }

    fn ask_judge(&mut self, bench: &Bench, password: &Secret, person: &Person) -> Result<Verdict, Outcome> {
        let Some(judge) = &bench.judge else { return Ok(Verdict::Accept) };
        self.settle(|| judge.judge(password.bytes(), &person.context()))
    }

    fn ask_ladder(&mut self, bench: &Bench, password: &Secret) -> Result<Verdict, Outcome> {
        let Some(ladder) = &bench.ladder else { return Ok(Verdict::Accept) };
        self.settle(|| {
            let is_too_common = ladder.is_too_common(password.bytes())?;
            Ok(if is_too_common { Verdict::Reject(Reason::TooCommonHere) } else { Verdict::Accept })
        })
    }

    fn settle(&mut self, ask: impl FnOnce() -> Result<Verdict, Unusable>) -> Result<Verdict, Outcome> {
        match guarded(ask) {
            Ok(verdict) => Ok(verdict),
            Err(unusable) => self.go_unchecked(&unusable).map(|()| Verdict::Accept),
        }
    }

    /// For the line that records the password once it is set.
    fn leave_mark(&mut self, outcome: Outcome, bench: &Bench, person: &Person) {
        if outcome != Outcome::Accepted || bench.ladder.is_none() {
            return;
        }
        let field = self.host.shadow_field(&person.user);
        let mut mark = Mark::of(&person.user, field.as_ref().map(Secret::bytes));
        if person.old_password.is_none() && field.is_some_and(|field| self.is_current(&field)) {
            self.log(Priority::Debug, "the password is the one there was: it will not be recorded");
            mark = mark.map(Mark::spent);
        }
        if !mark.is_some_and(|mark| self.host.set_mark(mark)) {
            self.log(
                Priority::Warning,
                "no memory or random bytes for a mark: the password will not be recorded",
            );
        }
    }

    /// Tells why; the refusal binds everybody but root.
    fn reject(&mut self, reason: Reason) -> Option<Outcome> {
        self.log(Priority::Debug, &format!("password rejected [{}]", reason.code()));
        self.show(&messages::rejection(reason, self.options.codes));
        if !self.is_enforced() {
            return self.retype();
        }
        self.host.clear_new_password();
        None
    }

    /// Whether the new password is the one of this shadow field; false where that cannot be told.
    fn is_current(&mut self, field: &Secret) -> bool {
        self.host.password().is_some_and(|password| self.host.is_hash_of(field, &password))
    }

    fn retype(&mut self) -> Option<Outcome> {
        if self.options.never_ask {
            return Some(Outcome::Accepted);
        }
        match self.host.retype() {
            Retyped::Same => Some(Outcome::Accepted),
            Retyped::NoAnswer => Some(Outcome::Aborted),
            Retyped::Different => {
                self.host.clear_new_password();
                None
            }
        }
    }

    /// Who is asked about this user's password.
    fn bench(&mut self, user: &[u8]) -> Result<Bench, Outcome> {
        if self.options.local_users_only && self.host.is_local(user) == Some(false) {
            self.log(Priority::Debug, "not a local user: not checked");
            return Ok(Bench::default());
        }
        let judge = self.open().map(Some);
        let judge = judge.or_else(|unusable| self.go_unchecked(&unusable).map(|()| None))?;
        for warning in judge.iter().flat_map(|judge| judge.warnings()) {
            self.log(Priority::Warning, &warning);
        }
        let ladder = self.open_ladder();
        let ladder = ladder.or_else(|unusable| self.go_unchecked(&unusable).map(|()| None))?;
        Ok(Bench { judge, ladder })
    }

    fn open(&self) -> Result<Box<dyn Judge>, Unusable> {
        guarded(|| self.library.open())
    }

    fn open_ladder(&self) -> Result<Option<Box<dyn Ladder>>, Unusable> {
        guarded(|| self.library.open_ladder())
    }

    /// Lets a password through without a verdict, where that is allowed; logs the cause either way.
    fn go_unchecked(&mut self, unusable: &Unusable) -> Result<(), Outcome> {
        if unusable.cause == Cause::OutOfReach {
            self.log(Priority::Debug, &unusable.detail);
            return Ok(());
        }
        self.log(Priority::Critical, &unusable.detail);
        if self.is_bound_by(unusable) {
            return Err(unusable.outcome());
        }
        let (against, sentence) = unusable.unchecked();
        if unusable.allowed {
            let line = format!("on_error = \"allow\": the password is not checked{against}");
            self.log(Priority::Warning, &line);
        } else {
            self.log(Priority::Warning, &format!("the password set by root is not checked{against}"));
            self.show(sentence);
        }
        Ok(())
    }

    fn is_bound_by(&self, unusable: &Unusable) -> bool {
        self.is_enforced() && !unusable.allowed
    }

    fn is_enforced(&self) -> bool {
        let is_expired = self.flags.has(pam::constants::PAM_CHANGE_EXPIRED_AUTHTOK);
        is_expired || self.options.enforce_for_root || !self.host.is_root()
    }

    fn is_foreign(&mut self) -> bool {
        let user = self.host.user();
        user.is_some_and(|user| self.host.is_local(&user) == Some(false))
    }

    /// A password that must not be asked for is there once.
    fn tries(&self) -> u32 {
        if self.options.never_ask { 1 } else { self.options.tries }
    }

    fn no_password(&self) -> Outcome {
        if self.options.never_ask { Outcome::NoPassword } else { Outcome::Aborted }
    }

    fn show(&mut self, text: &str) {
        if !self.flags.has(pam::constants::PAM_SILENT) {
            self.host.show_error(text);
        }
    }

    fn log(&mut self, priority: Priority, text: &str) {
        if priority != Priority::Debug || self.options.debug {
            self.host.log(priority, &messages::one_line(text));
        }
    }
}

/// A panic in the library is a fault, not the end of the flow.
pub(crate) fn guarded<T>(act: impl FnOnce() -> Result<T, Unusable>) -> Result<T, Unusable> {
    guard::catch(act).unwrap_or_else(|_| Err(Unusable::fault()))
}
