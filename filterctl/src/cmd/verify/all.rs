//! `filterctl verify --all`: every filter that a password is checked against.

use std::path::{Path, PathBuf};

use nearmiss_cli::{
    exit::Exit,
    failure::{Failure, Outcome, printable, warn},
    keys, paths,
};

use super::Args;
use crate::{
    configuration::{at_line, load_of},
    filter_file::{
        replaceable::FileKind,
        verify_state::{VerifiedFilter, VerifyState},
        watched::Watched,
    },
    host::{pam_stack::Stack, syslog},
    report,
};

/// Verifies them, one report each.
///
/// # Errors
/// The configuration cannot be read, a report cannot be printed, or what was found cannot be written, for
/// instance over another file.
pub(super) fn verify(args: &Args) -> Outcome {
    args.record.as_deref().map_or(Ok(()), |record| FileKind::Record.refuse_others(record))?;
    let (mut worst, mut found) = (Exit::Done, Vec::new());
    let filters = filters(args)?;
    if filters.is_empty() {
        warn(keys::SETTINGS_WEAK, "no filter is configured: none was verified");
    }
    for file in filters {
        let (exit, problem) = verify_one(args, &file)?;
        if let Some(problem) = &problem {
            syslog::warning(&printable(&format!("damaged filter {}: {problem}", file.display())));
        }
        worst = if exit == Exit::Error || worst == Exit::Done { exit } else { worst };
        found.push(VerifiedFilter::new(&file, problem));
    }
    if let Some(record) = &args.record {
        let write = || VerifyState::new(found).write(record);
        Watched::new(record).told(write().map_err(|e| Failure::new("cannot record the result", e)))?;
    }
    Ok(worst)
}

fn verify_one(args: &Args, file: &Path) -> Result<(Exit, Option<String>), Failure> {
    match args.verified(&paths::absolute(file)) {
        Ok(verified) => {
            report::print(&verified, args.json)?;
            let problem = verified.problem();
            Ok((if problem.is_some() { Exit::No } else { Exit::Done }, problem))
        }
        Err(failure) => Ok((failure.report(), Some(failure.to_string()))),
    }
}

/// The filters of the configuration, or the one that the line of the stack names instead.
fn filters(args: &Args) -> Result<Vec<PathBuf>, Failure> {
    let stack = args.system.stack();
    let line = stack.as_ref().and_then(Stack::checking_entry);
    let settings = args.system.conf(line);
    let config = at_line(load_of(&settings)?, &settings.root, line);
    Ok(config.dictionaries.into_iter().map(|rule| rule.file).collect())
}
