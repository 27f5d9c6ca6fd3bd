//! libpam and the machine behind the trait [`Host`].

use std::{cell::Cell, ffi::CStr, fs::File, path::Path, ptr, time::SystemTime};

use libc::{c_char, c_int, c_void};
use nearmiss_filters::{
    storage::{StandardTaken, above_standard},
    word::Word,
};
use nearmiss_policy::{config, secret::Secret, site};
use pam::module::PamHandle;

use super::{accounts, language, secret_at, sys, terminated};
use crate::{
    before_change::BeforeChange,
    checks::LeftSite,
    host::{self, Host, LoginNotice, NoAnswer, Retyped},
    priority::Priority,
};
use nearmiss_policy::config::{Enforce, stack_options::Options};

/// A PAM transaction, for the duration of one call of a hook.
pub(crate) struct Pam<'h> {
    handle: &'h mut PamHandle,
}

impl<'h> Pam<'h> {
    pub(crate) fn new(handle: &'h mut PamHandle) -> Pam<'h> {
        Pam { handle }
    }

    fn item(&mut self, item: c_int) -> *const c_char {
        let mut value: *const c_void = ptr::null();
        // SAFETY: the handle is valid for this call and `value` is writable.
        let code = unsafe { sys::pam_get_item(self.handle, item, &raw mut value) };
        if code == sys::PAM_SUCCESS { value.cast() } else { ptr::null() }
    }

    fn text_item(&mut self, item: c_int) -> Option<Vec<u8>> {
        let text = self.item(item);
        if text.is_null() {
            return None;
        }
        // SAFETY: the items asked for are null-terminated strings where they are set (pam_get_item(3)),
        // copied at once.
        let text = unsafe { CStr::from_ptr(text) };
        Some(text.to_bytes().to_vec()).filter(|text| !text.is_empty())
    }

    /// Leaves the opened site for the next call of a line with these options. If no such call comes, libpam
    /// drops it at the end of the transaction; if a child process ends the transaction, too, only the child's
    /// copy is dropped.
    pub(crate) fn leave_site(&mut self, options: &Options, site: LeftSite) {
        // Without memory for it the next call opens everything again.
        let _ = self.handle.set_data(&site_name(options), Box::new(Cell::new(Some(site))));
    }

    /// The open parts of an earlier call of a line with these options, once.
    pub(crate) fn take_site(&self, options: &Options) -> Option<LeftSite> {
        // SAFETY: only `leave_site` of this very shared object puts anything under this name (`data_name`), a
        // cell of a site. The reference ends here, before libpam is called again.
        unsafe { self.handle.get_data::<Cell<Option<LeftSite>>>(&site_name(options)) }.ok()?.take()
    }

    /// Shows a text that may hold a suggested password: libpam wipes its copy, as this does. A failure of the
    /// application to show it is ignored.
    fn show(&mut self, style: c_int, text: &str) {
        let text = terminated(text);
        // SAFETY: constant format with one string argument; pam_prompt(3) allows a null response for a
        // message.
        unsafe { sys::pam_prompt(self.handle, style, ptr::null_mut(), c"%s".as_ptr(), text.as_ptr()) };
    }
}

impl Host for Pam<'_> {
    fn is_root(&self) -> bool {
        rustix::process::getuid().is_root()
    }

    fn is_privileged(&self) -> bool {
        rustix::process::geteuid().is_root()
    }

    /// libpam prompts for the name if the application has not set it.
    fn user(&mut self) -> Option<Vec<u8>> {
        let mut name: *const c_char = ptr::null();
        // SAFETY: the handle is libpam's own for this call (PamHooks), `name` is writable, a null prompt is
        // allowed by pam_get_user(3).
        let code = unsafe { sys::pam_get_user(self.handle, &raw mut name, ptr::null()) };
        if code != sys::PAM_SUCCESS || name.is_null() {
            return None;
        }
        // SAFETY: pam_get_user(3) promises a null-terminated string on success; it is copied before any other
        // call.
        let name = unsafe { CStr::from_ptr(name) };
        Some(name.to_bytes().to_vec())
    }

    fn account_name(&self, user: &[u8]) -> Vec<u8> {
        accounts::account_name(user).unwrap_or_else(|| user.to_vec())
    }

    fn is_superuser(&self, user: &[u8]) -> bool {
        accounts::uid(user) == Some(0)
    }

    fn remote_host(&mut self) -> Option<Vec<u8>> {
        self.text_item(sys::PAM_RHOST)
    }

    /// `pam_unix` leaves its return value for its own `pam_setcred`. Without one, it accepted no password.
    fn unix_accepted(&self) -> bool {
        // SAFETY: pam_unix alone puts something under this name, an int that lives as long as the transaction
        // (`AUTH_RETURN` in pam_unix_auth.c, in every Linux-PAM from 1.1 to 1.7); copied at once.
        let returned = unsafe { self.handle.get_data::<c_int>("unix_setcred_return") };
        returned.is_ok_and(|code| *code == sys::PAM_SUCCESS)
    }

    fn login_notice(&self) -> Option<LoginNotice> {
        // SAFETY: only `set_login_notice` of this very shared object puts anything under this name
        // (`data_name`), a `LoginNotice`.
        unsafe { self.handle.get_data::<LoginNotice>(&data_name("login_notice")) }.ok().copied()
    }

    fn set_login_notice(&mut self, notice: LoginNotice) {
        let _ = self.handle.set_data(&data_name("login_notice"), Box::new(notice));
    }

    fn may_warn(&self) -> bool {
        site::may_warn(Path::new(config::SEEN_FAILURES), self.now())
    }

    fn now(&self) -> u64 {
        host::seconds_of(SystemTime::now())
    }

    fn gecos(&self, user: &[u8]) -> Vec<u8> {
        accounts::gecos(user)
    }

    fn host_name(&self) -> Vec<u8> {
        rustix::system::uname().nodename().to_bytes().to_vec()
    }

    fn is_local(&self, user: &[u8]) -> Option<bool> {
        let accounts = above_standard(File::open("/etc/passwd").ok()?.into()).ok()?;
        host::has_account(File::from(accounts), user)
    }

    fn old_password(&mut self) -> Option<Secret> {
        // SAFETY: PAM_OLDAUTHTOK is null or a null-terminated string (pam_get_item(3)), copied at once.
        unsafe { secret_at(self.item(sys::PAM_OLDAUTHTOK)) }
    }

    fn shadow_field(&self, user: &[u8]) -> Option<Secret> {
        accounts::shadow_field(user)
    }

    fn before_change(&self) -> Option<BeforeChange> {
        // SAFETY: only `set_before_change` of this very shared object puts anything under this name
        // (`data_name`), a `BeforeChange`.
        unsafe { self.handle.get_data::<BeforeChange>(&data_name("before")) }.ok().cloned()
    }

    fn set_before_change(&mut self, before: BeforeChange) -> bool {
        self.handle.set_data(&data_name("before"), Box::new(before)).is_ok()
    }

    fn password(&mut self) -> Option<Secret> {
        // SAFETY: PAM_AUTHTOK is null or a null-terminated string (pam_get_item(3)), copied at once.
        unsafe { secret_at(self.item(sys::PAM_AUTHTOK)) }
    }

    fn new_password(&mut self) -> Result<Secret, NoAnswer> {
        let mut token: *const c_char = ptr::null();
        // SAFETY: as in `user`; pam_get_authtok(3) allows a null prompt and then uses its translated own.
        let code = unsafe { sys::pam_get_authtok_noverify(self.handle, &raw mut token, ptr::null()) };
        if code != sys::PAM_SUCCESS {
            return Err(NoAnswer);
        }
        // SAFETY: on success the token is null or a null-terminated string of libpam, copied at once.
        unsafe { secret_at(token) }.ok_or(NoAnswer)
    }

    fn read_in_locale(&self, password: &[u8]) -> Option<Word> {
        language::read_in_locale(password)
    }

    fn retype(&mut self) -> Retyped {
        let mut token = self.item(sys::PAM_AUTHTOK);
        if token.is_null() {
            return Retyped::NoAnswer; // libpam would compare with the null pointer
        }
        // SAFETY: `token` is the item's own pointer, as pam_get_authtok_verify(3) requires, and not null.
        let code = unsafe { sys::pam_get_authtok_verify(self.handle, &raw mut token, ptr::null()) };
        match code {
            sys::PAM_SUCCESS => Retyped::Same,
            sys::PAM_TRY_AGAIN => Retyped::Different,
            _ => Retyped::NoAnswer,
        }
    }

    /// libpam wipes it.
    fn clear_new_password(&mut self) {
        // SAFETY: a null value clears the item (pam_set_item(3)). The only failure is a bad handle, which
        // this is not.
        unsafe { sys::pam_set_item(self.handle, sys::PAM_AUTHTOK, ptr::null()) };
    }

    fn service(&mut self) -> Option<Vec<u8>> {
        self.text_item(sys::PAM_SERVICE)
    }

    fn leave_refusal(&mut self, options: &Options) {
        let _ = self.handle.set_data(&refusal_name(options), Box::new(Cell::new(true)));
    }

    fn take_refusal(&mut self, options: &Options) -> bool {
        // SAFETY: only `leave_refusal` of this very shared object puts anything under this name
        // (`data_name`), a cell of a bool. The reference ends here, before libpam is called again.
        let left = unsafe { self.handle.get_data::<Cell<bool>>(&refusal_name(options)) };
        left.is_ok_and(Cell::take)
    }

    fn log_decision(&mut self, line: &str) {
        self.log(Priority::Info, line);
    }

    fn language(&self) -> Option<String> {
        language::of_prompts()
    }

    fn show_error(&mut self, text: &str) {
        self.show(sys::PAM_ERROR_MSG, text);
    }

    fn show_info(&mut self, text: &str) {
        self.show(sys::PAM_TEXT_INFO, text);
    }

    /// Under libpam's prefix, facility AUTHPRIV.
    fn log(&mut self, priority: Priority, text: &str) {
        let text = terminated(text);
        let priority = syslog_priority(priority);
        // The connection to the log stays open.
        let _taken = StandardTaken::take();
        // SAFETY: constant format with one string argument, as pam_syslog(3) requires.
        unsafe { sys::pam_syslog(self.handle, priority, c"%s".as_ptr(), text.as_ptr()) };
    }
}

fn syslog_priority(priority: Priority) -> c_int {
    match priority {
        Priority::Critical => libc::LOG_CRIT,
        Priority::Error => libc::LOG_ERR,
        Priority::Warning => libc::LOG_WARNING,
        Priority::Notice => libc::LOG_NOTICE,
        Priority::Info => libc::LOG_INFO,
        Priority::Debug => libc::LOG_DEBUG,
    }
}

/// The name of the module's state among the data of a transaction. Another build of the module in the same
/// stack has another version, or at least its statics at another address, and may lay out a [`BeforeChange`]
/// or a [`LeftSite`] differently.
fn data_name(of: &str) -> String {
    static PLACE: u8 = 0;
    format!("pam_nearmiss {} {:p} {of}", env!("CARGO_PKG_VERSION"), &raw const PLACE)
}

/// The name of the site that a line with these options has opened: all arguments that determine it.
fn site_name(options: &Options) -> String {
    name_by("site", options)
}

/// The name of a refusal in the preliminary call of a line with these options.
fn refusal_name(options: &Options) -> String {
    name_by("refusal", options)
}

fn name_by(what: &str, Options { conf, filter, enforce, .. }: &Options) -> String {
    data_name(&format!("{what} {conf:?} {filter:?} {}", enforce.map_or("", Enforce::name)))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn lines_of_other_levels_have_sites_of_their_own() {
        let name = |enforce| site_name(&Options { enforce, ..Options::default() });
        let names: HashSet<String> = Enforce::ALL.into_iter().map(Some).chain([None]).map(name).collect();
        assert_eq!(names.len(), 4, "{names:?}");
    }

    #[test]
    fn priorities_are_those_of_syslog() {
        use Priority::{Critical, Debug, Error, Info, Notice, Warning};
        let numbers = [Critical, Error, Warning, Notice, Info, Debug].map(syslog_priority);
        assert_eq!(numbers, [2, 3, 4, 5, 6, 7]);
    }
}
