//! Passwords are changed in a copy of the machine, through each service that can change one, and judged by
//! the hash in the shadow file afterwards.

use std::panic::{AssertUnwindSafe, catch_unwind};

use nearmiss_filters::threads::on_threads;
use nearmiss_policy::config::Config;
use rustix::process::geteuid;

use super::{
    edits::{self, Edits},
    faults::{self, Shown},
    outside,
    passwords::Passwords,
    script::{self, ScriptStep},
    services::ServiceGroup,
};
use crate::{
    doctor::{
        Subject,
        copy::{self, Actor, Change, Request},
    },
    host::pam_stack::StackEntry,
};

/// The examination of one group of services.
#[derive(Clone, Copy)]
pub(super) struct Trial<'t> {
    pub(super) group: &'t ServiceGroup,
    /// Every group of the system: an edit may reach others, too.
    pub(super) all: &'t [ServiceGroup],
    pub(super) subject: &'t Subject,
    pub(super) config: &'t Config,
    pub(super) passwords: &'t Passwords,
    /// Run modules that may reach beyond this machine.
    pub(super) runs_all: bool,
}

/// The changes of one actor.
#[derive(Clone, Copy)]
pub(super) struct Run<'r> {
    pub(super) actor: Actor,
    pub(super) service: &'r str,
    pub(super) part: Part,
}

/// The steps of a script that are of interest.
#[derive(Clone, Copy)]
pub(super) enum Part {
    All,
    /// Those that this one is judged by.
    Judging(ScriptStep),
    /// Weak passwords, each typed at once.
    WeakAlone,
    /// Weak passwords, typed where another module rejects a good one.
    Rejections,
}

/// Why no copy is made for the subject; none if one is.
pub(super) fn not_made(subject: &Subject) -> Option<&'static str> {
    if subject.root != std::path::Path::new("/") {
        return Some("the stack of another system is not run");
    }
    lacks_root().then_some("only root can make a copy of this machine")
}

/// True for a process that is not root's.
pub(super) fn lacks_root() -> bool {
    !geteuid().is_root()
}

impl Trial<'_> {
    /// The faults of the group, with these further edits of its files.
    ///
    /// # Errors
    /// Why no copy can be made.
    pub(super) fn run(&self, more: &Edits) -> Result<Vec<Shown>, String> {
        self.run_some(&self.runs(), more)
    }

    /// The same by the reply of the modules that are not run; one list if there is none.
    ///
    /// # Errors
    /// Why no copy can be made.
    pub(super) fn run_each(&self, more: &Edits) -> Result<Vec<Vec<Shown>>, String> {
        self.run_by_reply(&self.runs(), more)
    }

    /// What this part shows of those who may not set a weak password.
    ///
    /// # Errors
    /// Why no copy can be made.
    pub(super) fn run_bound(&self, part: Part, more: &Edits) -> Result<Vec<Shown>, String> {
        let bound = self.group.actors().into_iter().filter(|(actor, _)| self.is_bound(*actor));
        let runs: Vec<Run<'_>> = bound.map(|(actor, service)| Run { actor, service, part }).collect();
        self.run_some(&runs, more)
    }

    fn runs(&self) -> Vec<Run<'_>> {
        let part = Part::All;
        self.group.actors().into_iter().map(|(actor, service)| Run { actor, service, part }).collect()
    }

    /// The same of these changes alone.
    ///
    /// # Errors
    /// Why no copy can be made.
    pub(super) fn run_some(&self, runs: &[Run<'_>], more: &Edits) -> Result<Vec<Shown>, String> {
        // A reply that is not known: what both replies show holds for either.
        let mut replies = self.run_by_reply(runs, more)?.into_iter();
        let mut found = replies.next().unwrap_or_default();
        for other in replies {
            found.retain(|own| other.iter().any(|shown| shown.fault == own.fault));
        }
        Ok(found)
    }

    fn run_by_reply(&self, runs: &[Run<'_>], more: &Edits) -> Result<Vec<Vec<Shown>>, String> {
        let outside = outside::lines(&self.group.stack.lines);
        if self.runs_all || outside.is_empty() {
            return Ok(vec![self.run_with(runs, &self.own_edits().and(more))?]);
        }
        let replies = outside::REPLIES.iter().map(|reply| {
            let stand_ins = outside::stand_ins(&outside, reply);
            self.run_with(runs, &self.own_edits().and(&stand_ins).and(more))
        });
        replies.collect()
    }

    fn run_with(&self, runs: &[Run<'_>], edits: &Edits) -> Result<Vec<Shown>, String> {
        let request = Request {
            edits: edits.apply()?,
            hidden: self.config.fleet.descriptors().map(std::path::Path::to_owned).collect(),
            changes: Vec::new(),
        };
        let ran = on_threads(runs, |run| {
            let one = AssertUnwindSafe(|| self.run_one(*run, request.clone()));
            catch_unwind(one).unwrap_or_else(|_| Err("a thread of the examination panicked".to_owned()))
        });
        let all = ran.into_iter().collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect();
        Ok(faults::joined(all))
    }

    fn run_one(&self, run: Run<'_>, request: Request) -> Result<Vec<Shown>, String> {
        let Run { actor, service, part } = run;
        let has_earlier = self.group.stack.checking().is_some_and(|at| at > 0);
        let whole = || script::script(actor, service, self.passwords, has_earlier);
        let script = match part {
            Part::All => whole(),
            Part::Judging(step) => script::judging(whole(), step),
            Part::WeakAlone => script::weak_alone(actor, service, self.passwords),
            Part::Rejections => script::rejections(whole()),
        };
        let changes: Vec<Change> = script.iter().map(|planned| planned.change.clone()).collect();
        let ends = copy::run(&Request { changes, ..request })?;
        Ok(faults::of(&script, &ends, self.passwords, self.is_bound(actor)))
    }

    /// True if the actor may not set a weak password.
    pub(super) fn is_bound(&self, actor: Actor) -> bool {
        let line = self.group.stack.checking_entry().or(self.subject.line());
        let binds_root = self.config.line.enforce_for_root
            || line.is_some_and(|line: &StackEntry| line.has("enforce_for_root"));
        matches!(actor, Actor::User | Actor::Login) || binds_root
    }

    /// The edits that the command line asks for: another configuration on the lines of the check.
    fn own_edits(&self) -> Edits {
        let Some(conf) = self.subject.named_conf() else { return Edits::default() };
        let lines = self.group.stack.lines.iter().filter(|line| line.is_checking());
        let word = edits::bracketed(&format!("conf={}", conf.display()));
        lines.fold(Edits::default(), |edits, line| edits.append(line, &word))
    }
}
