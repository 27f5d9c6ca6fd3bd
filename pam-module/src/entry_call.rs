//! One call of a line that never fails what it stands in: those of the ladder and those of guessed passwords.

use crate::{
    host::Host,
    messages::{Priority, log},
};
use nearmiss_filters::config::stack_options::Options;

/// What such a line works with; `record` and `guesses` have what it does.
pub(crate) struct EntryCall<'a, H, C> {
    pub(crate) host: &'a mut H,
    pub(crate) checks: &'a C,
    pub(crate) options: &'a Options,
}

impl<H: Host, C> EntryCall<'_, H, C> {
    pub(crate) fn log(&mut self, priority: Priority, text: &str) {
        if priority != Priority::Debug || self.options.debug {
            self.host.log(priority, &log::one_line(text));
        }
    }
}
