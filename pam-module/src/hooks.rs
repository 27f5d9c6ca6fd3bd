//! What libpam calls. Each hook silences panics first; a panic that gets this far is caught, and the new password
//! is taken away from the modules that follow.

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
}

fn change(mut host: Live<'_>, arguments: &[&CStr], flags: Flags) -> Outcome {
    let (options, mistakes) = Options::parse(arguments);
    for mistake in mistakes {
        host.log(Priority::Error, &one_line(&mistake.to_string()));
    }
    match options.duty {
        Duty::Record | Duty::Submit => Outcome::Ignored,
        Duty::Check => check(&mut host, &options, flags),
    }
}

fn check(host: &mut Live<'_>, options: &Options, flags: Flags) -> Outcome {
    let library = Installed::new(options);
    Flow { host, library: &library, options, flags }.run()
}
