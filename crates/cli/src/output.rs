//! Standard output that was closed when the program began.

use std::fs::File;

use crate::{failure, ffi::was_output_closed};

/// Takes every byte as a full disk does.
const FULL: &str = "/dev/full";

/// Puts a file that nothing can be written to in the place of a standard output that is closed: what is to be
/// printed there fails, and a command that prints nothing does not. Without that file, output is lost.
pub(crate) fn refuse_closed() {
    if !was_output_closed() {
        return;
    }
    let Ok(full) = File::options().write(true).open(FULL) else { return };
    if rustix::stdio::dup2_stdout(full).is_ok() {
        failure::output_is_closed();
    }
}
