//! What libpam calls. Each hook silences panics first; a panic that gets this far is caught, and the new password
//! is taken away from the modules that follow. At a login it is only caught.

use std::ffi::CStr;

use pam::{
    constants::{PamFlag, PamResultCode},
    module::{PamHandle, PamHooks},
};

use crate::{
    chauthtok::{Flags, Flow},
    ffi::Pam,
    guard,
    host::{Host, Live},
    library::Installed,
    messages::{Outcome, Priority, one_line},
    options::{Duty, Options},
    record::Recorder,
};

/// The module. Hooks that are not written out answer `PAM_IGNORE`.
pub(crate) struct Nearmiss;

impl PamHooks for Nearmiss {
    fn sm_chauthtok(handle: &mut PamHandle, arguments: Vec<&CStr>, flags: PamFlag) -> PamResultCode {
        guard::silence_panics();
        let ended = guard::catch(|| change(Live::new(Pam::new(handle)), &arguments, Flags(flags)));
        let outcome = ended.unwrap_or_else(|_| {
            Pam::new(handle).clear_new_password();
            Outcome::InternalError
        });
        outcome.row().code
    }

    fn sm_authenticate(handle: &mut PamHandle, arguments: Vec<&CStr>, _: PamFlag) -> PamResultCode {
        guard::silence_panics();
        // A login goes on whatever happens here; the panic hook has logged where.
        let _ = guard::catch(|| login(Live::new(Pam::new(handle)), &arguments));
        PamResultCode::PAM_IGNORE
    }
}

fn change(mut host: Live<'_>, arguments: &[&CStr], flags: Flags) -> Outcome {
    let options = options(&mut host, arguments);
    let (host, options, library) = (&mut host, &options, &Installed::new(&options));
    match options.duty {
        Duty::Check => return Flow { host, library, options, flags }.run(),
        Duty::Record => Recorder { host, library, options }.record(flags),
        Duty::Submit => {}
    }
    Outcome::Ignored
}

fn login(mut host: Live<'_>, arguments: &[&CStr]) {
    let options = options(&mut host, arguments);
    if options.duty == Duty::Submit {
        Recorder { host: &mut host, library: &Installed::new(&options), options: &options }.submit();
    }
}

fn options(host: &mut Live<'_>, arguments: &[&CStr]) -> Options {
    let (options, mistakes) = Options::parse(arguments);
    for mistake in mistakes {
        host.log(Priority::Error, &one_line(&mistake.to_string()));
    }
    options
}
