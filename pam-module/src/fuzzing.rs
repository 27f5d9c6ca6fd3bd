//! What fuzzing reaches of the module: the arguments of its line. Not exported from the shared object.

use std::ffi::CStr;

use crate::{messages, options::Options};

/// What a line with these arguments comes to.
pub struct Line {
    /// How often a user may try.
    pub tries: u32,
    /// Paths that the line names.
    pub paths: Vec<std::path::PathBuf>,
    /// What the system log is told, one line a mistake.
    pub told: Vec<String>,
}

/// Reads the arguments of a line as the hook does.
pub fn line(arguments: &[&CStr]) -> Line {
    let (options, mistakes) = Options::parse(arguments);
    let told = mistakes.iter().map(|mistake| messages::one_line(&mistake.to_string())).collect();
    Line { tries: options.tries, paths: [options.conf, options.filter].into_iter().flatten().collect(), told }
}
