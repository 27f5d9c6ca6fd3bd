//! The functions that libpam calls. Each hook silences panics first; a panic that reaches a hook is caught,
//! and the new password is withdrawn from the modules that follow. At a login it is only caught.

use std::ffi::CStr;

use nearmiss_policy::guard;
use pam::{
    constants::{PamFlag, PamResultCode},
    module::{PamHandle, PamHooks},
};

use crate::{
    change::{Flags, PasswordChange, report_fault},
    checks::ConfiguredSite,
    entry_call::EntryCall,
    ffi::{self, Pam, sys},
    host::Host,
    messages::{ChangeOutcome, log},
};
use nearmiss_policy::config::stack_options::{Mode, Options};

/// The module. Hooks that are not written out return `PAM_IGNORE`.
pub(crate) struct Nearmiss;

impl PamHooks for Nearmiss {
    fn sm_chauthtok(handle: &mut PamHandle, arguments: Vec<&CStr>, flags: PamFlag) -> PamResultCode {
        guard::silence_panics(log_panic);
        let ended = guard::catch(|| dispatch(Pam::new(handle), &arguments, Flags(flags)));
        ended.unwrap_or_else(|_| {
            Pam::new(handle).clear_new_password();
            // The code that panicked may panic again.
            let _ = guard::catch(|| report_fault(&mut Pam::new(handle)));
            ChangeOutcome::FAULT.row().code
        })
    }

    fn acct_mgmt(handle: &mut PamHandle, arguments: Vec<&CStr>, flags: PamFlag) -> PamResultCode {
        guard::silence_panics(log_panic);
        let ended = guard::catch(|| account(Pam::new(handle), &arguments, Flags(flags)));
        ended.unwrap_or(PamResultCode::PAM_IGNORE)
    }

    fn sm_authenticate(handle: &mut PamHandle, arguments: Vec<&CStr>, _: PamFlag) -> PamResultCode {
        guard::silence_panics(log_panic);
        // A login continues after any failure here; the panic hook has logged the location.
        let _ = guard::catch(|| login(Pam::new(handle), &arguments));
        PamResultCode::PAM_IGNORE
    }
}

fn dispatch(mut host: Pam<'_>, arguments: &[&CStr], flags: Flags) -> PamResultCode {
    let options = options(&mut host, arguments);
    match options.mode {
        Mode::Check => check_change(&mut host, &options, flags).row().code,
        Mode::Record => {
            let checks = &ConfiguredSite::new(&options);
            let options = &guard::catch(|| checks.complete_options()).unwrap_or_else(|_| options.clone());
            let code = EntryCall { host: &mut host, checks, options }.record(flags);
            warn_of_fleet(&mut host, checks);
            code
        }
        Mode::Submit | Mode::Failed | Mode::Passed | Mode::Notify => PamResultCode::PAM_IGNORE,
    }
}

/// The update call uses the files that the preliminary call opened, and drops them: a program may keep its
/// transaction open for days. A preliminary call uses none that an earlier change left.
fn check_change(host: &mut Pam<'_>, options: &Options, flags: Flags) -> ChangeOutcome {
    let left = host.take_site(options).filter(|_| !flags.has(sys::PAM_PRELIM_CHECK));
    let checks = ConfiguredSite::with(options, left, host.now());
    let complete = guard::catch(|| checks.complete_options()).unwrap_or_else(|_| options.clone());
    let outcome = PasswordChange::new(host, &checks, &complete, flags).run_call();
    warn_of_fleet(host, &checks);
    if let (ChangeOutcome::Ready, Some(site)) = (outcome, checks.into_opened(host.now())) {
        host.leave_site(options, site);
    }
    outcome
}

fn login(mut host: Pam<'_>, arguments: &[&CStr]) {
    let options = options(&mut host, arguments);
    let (host, options, checks) = (&mut host, &options, &ConfiguredSite::new(&options));
    match options.mode {
        Mode::Submit => EntryCall { host, checks, options }.submit(),
        Mode::Failed => EntryCall { host, checks, options }.failed(),
        Mode::Passed => EntryCall { host, checks, options }.passed(),
        Mode::Check | Mode::Record | Mode::Notify => {}
    }
    warn_of_fleet(host, checks);
}

/// At most one warning a minute among all processes: this host's own ladders have decided alone.
fn warn_of_fleet(host: &mut Pam<'_>, checks: &ConfiguredSite<'_>) {
    if let Some(trouble) = checks.fleet_trouble().filter(|_| host.may_warn()) {
        let line = log::fleet_trouble(trouble);
        host.log(line.priority, &line.shown());
    }
}

fn account(mut host: Pam<'_>, arguments: &[&CStr], flags: Flags) -> PamResultCode {
    let options = options(&mut host, arguments);
    if options.mode != Mode::Notify {
        return PamResultCode::PAM_IGNORE;
    }
    EntryCall { host: &mut host, checks: &ConfiguredSite::new(&options), options: &options }.account(flags)
}

fn options(host: &mut Pam<'_>, arguments: &[&CStr]) -> Options {
    let (options, mistakes) = Options::parse(arguments.iter().map(|argument| argument.to_bytes()));
    for mistake in mistakes {
        let line = log::option_ignored(&mistake);
        host.log(line.priority, &line.shown());
    }
    options
}

fn log_panic(place: &str) {
    ffi::log_critical(&format!("pam_nearmiss: {place}"));
}
