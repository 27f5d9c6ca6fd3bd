//! The host in tests: it expects a sequence of calls and responds as scripted. Dropping it with steps left
//! over fails the test.

use std::{
    cell::{Cell, RefCell},
    collections::VecDeque,
    mem,
    rc::Rc,
    thread,
};

use nearmiss_filters::word::Word;
use nearmiss_policy::secret::Secret;

use super::{Host, LoginNotice, NoAnswer, Retyped};
use nearmiss_policy::config::stack_options::Options;

use crate::{before_change::BeforeChange, priority::Priority};

/// One expected call that has an effect, with its response.
#[derive(Debug)]
pub(crate) enum Step {
    /// The prompt for the new password; the response.
    Ask(Result<&'static [u8], NoAnswer>),
    /// The second prompt; the response.
    Retype(Retyped),
    /// `PAM_AUTHTOK` is cleared.
    Clear,
    /// The user is shown an error that contains this.
    Error(&'static str),
    /// The user is shown a message that is not an error and contains this.
    Info(&'static str),
    /// The system log gets a line that contains this.
    Log(Priority, &'static str),
}

/// A scripted host, and the facts of a machine that have no order.
#[allow(clippy::struct_excessive_bools, reason = "each is a separate fact of the machine")]
pub(crate) struct Scripted {
    pub(crate) root: bool,
    pub(crate) today: u64,
    pub(crate) remote_host: Option<&'static [u8]>,
    pub(crate) unix_accepted: bool,
    pub(crate) superuser: bool,
    pub(crate) login_notice: Option<LoginNotice>,
    pub(crate) may_warn: bool,
    pub(crate) user: Option<&'static [u8]>,
    /// True after a query for a user name that it does not have: another query would be another prompt.
    pub(crate) has_no_user: bool,
    pub(crate) local: Option<bool>,
    pub(crate) old_password: Option<&'static [u8]>,
    pub(crate) privileged: bool,
    /// The content of `PAM_AUTHTOK`, without a prompt.
    pub(crate) password: Option<&'static [u8]>,
    pub(crate) shadow_field: Option<&'static [u8]>,
    /// The note of an earlier line; none if there was no memory for it.
    pub(crate) before: Option<BeforeChange>,
    pub(crate) has_memory: bool,
    /// The state left by the preliminary call.
    pub(crate) refused: bool,
    /// The decisions, line by line.
    pub(crate) decisions: Rc<RefCell<Vec<String>>>,
    pub(crate) script: Script,
    /// True if a later module would find a new password.
    pub(crate) token_left: Cell<bool>,
}

impl Scripted {
    /// An ordinary user `ann` of the machine `box`, and the expected steps.
    pub(crate) fn new(script: impl IntoIterator<Item = Step>) -> Scripted {
        Scripted {
            root: false,
            today: 20_000,
            remote_host: Some(b"203.0.113.7"),
            unix_accepted: false,
            superuser: false,
            login_notice: None,
            may_warn: true,
            user: Some(b"ann"),
            has_no_user: false,
            local: Some(true),
            old_password: Some(b"old-password"),
            privileged: true,
            password: None,
            shadow_field: Some(b"$y$old"),
            before: None,
            has_memory: true,
            refused: false,
            decisions: Rc::default(),
            script: Script(script.into_iter().collect()),
            token_left: Cell::new(false),
        }
    }

    fn next(&mut self, happens: &str) -> Step {
        self.script.0.pop_front().unwrap_or_else(|| panic!("nothing was expected any more, but: {happens}"))
    }
}

/// The steps that are left.
pub(crate) struct Script(VecDeque<Step>);

impl Drop for Script {
    fn drop(&mut self) {
        if !thread::panicking() {
            assert!(self.0.is_empty(), "did not happen: {:?}", self.0);
        }
    }
}

impl Host for Scripted {
    fn is_root(&self) -> bool {
        self.root
    }

    fn is_privileged(&self) -> bool {
        self.privileged
    }

    fn user(&mut self) -> Option<Vec<u8>> {
        let was_told = mem::replace(&mut self.has_no_user, self.user.is_none());
        assert!(!was_told, "asked again for a user that there is none of");
        self.user.map(<[u8]>::to_vec)
    }

    fn account_name(&self, user: &[u8]) -> Vec<u8> {
        user.to_ascii_lowercase()
    }

    fn now(&self) -> u64 {
        self.today * 86_400
    }

    fn is_superuser(&self, user: &[u8]) -> bool {
        assert_eq!(Some(user), self.user);
        self.superuser
    }

    fn remote_host(&mut self) -> Option<Vec<u8>> {
        self.remote_host.map(<[u8]>::to_vec)
    }

    fn unix_accepted(&self) -> bool {
        self.unix_accepted
    }

    fn login_notice(&self) -> Option<LoginNotice> {
        self.login_notice
    }

    fn set_login_notice(&mut self, notice: LoginNotice) {
        self.login_notice = Some(notice);
    }

    fn may_warn(&self) -> bool {
        self.may_warn
    }

    fn gecos(&self, user: &[u8]) -> Vec<u8> {
        assert_eq!(Some(user), self.user);
        b"Ann Example".to_vec()
    }

    fn host_name(&self) -> Vec<u8> {
        b"box".to_vec()
    }

    fn is_local(&self, user: &[u8]) -> Option<bool> {
        assert_eq!(Some(user), self.user);
        self.local
    }

    fn old_password(&mut self) -> Option<Secret> {
        self.old_password.map(Secret::copy_of)
    }

    fn shadow_field(&self, user: &[u8]) -> Option<Secret> {
        assert_eq!(Some(user), self.user);
        self.shadow_field.map(Secret::copy_of)
    }

    fn before_change(&self) -> Option<BeforeChange> {
        self.before.clone()
    }

    fn set_before_change(&mut self, before: BeforeChange) -> bool {
        if self.has_memory {
            self.before = Some(before);
        }
        self.has_memory
    }

    fn password(&mut self) -> Option<Secret> {
        self.password.map(Secret::copy_of)
    }

    fn new_password(&mut self) -> Result<Secret, NoAnswer> {
        match self.next("ask") {
            Step::Ask(answer) => {
                self.token_left.set(answer.is_ok());
                self.password = answer.ok();
                answer.map(Secret::copy_of)
            }
            other => panic!("asked for the new password, expected {other:?}"),
        }
    }

    /// A locale of KOI8-R that knows one letter.
    fn read_in_locale(&self, password: &[u8]) -> Option<Word> {
        (password == b"\xd1").then(|| Word::clean("я".as_bytes()).unwrap())
    }

    fn retype(&mut self) -> Retyped {
        match self.next("retype") {
            Step::Retype(answer) => answer,
            other => panic!("asked to retype, expected {other:?}"),
        }
    }

    fn clear_new_password(&mut self) {
        self.token_left.set(false);
        self.password = None;
        match self.next("clear") {
            Step::Clear => {}
            other => panic!("cleared the password, expected {other:?}"),
        }
    }

    fn service(&mut self) -> Option<Vec<u8>> {
        Some(b"passwd".to_vec())
    }

    fn leave_refusal(&mut self, _: &Options) {
        self.refused = self.has_memory;
    }

    fn take_refusal(&mut self, _: &Options) -> bool {
        mem::take(&mut self.refused)
    }

    fn log_decision(&mut self, line: &str) {
        self.decisions.borrow_mut().push(line.to_owned());
    }

    fn language(&self) -> Option<String> {
        None
    }

    fn show_info(&mut self, text: &str) {
        match self.next(text) {
            Step::Info(part) if text.contains(part) => {}
            other => panic!("showed {text:?}, expected {other:?}"),
        }
    }

    fn show_error(&mut self, text: &str) {
        match self.next(text) {
            Step::Error(part) if text.contains(part) => {}
            other => panic!("showed {text:?}, expected {other:?}"),
        }
    }

    fn log(&mut self, priority: Priority, text: &str) {
        match self.next(text) {
            Step::Log(wanted, part) if wanted == priority && text.contains(part) => {}
            other => panic!("logged {priority:?} {text:?}, expected {other:?}"),
        }
    }
}
