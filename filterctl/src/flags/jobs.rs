//! The number of threads of a command.

use std::{num::NonZero, thread};

/// The flag, for every command that works on several threads.
#[derive(Clone, clap::Args)]
pub(crate) struct Jobs {
    /// Use this many threads instead of one for each processor; the result is the same.
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
}

impl Jobs {
    /// The number of threads.
    pub(crate) fn threads(&self) -> usize {
        let processors = || thread::available_parallelism().map_or(1, NonZero::get);
        self.jobs.map_or_else(processors, usize::from)
    }
}
