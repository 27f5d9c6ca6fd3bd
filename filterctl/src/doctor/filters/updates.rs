//! The result of a filter's last `filterctl update`: a failed rebuild keeps the earlier filter, and a rebuild
//! without a list loses words.

use std::path::Path;

use nearmiss_cli::{finding::Finding, keys};
use nearmiss_policy::config::is_packaged;

use crate::{
    doctor::{Subject, remedy},
    filter_file::update_state::{UpdateState, path_for},
    host::state_file::StateError,
    report::counted,
};

const CHECK: &str = "update";

/// The most lists that are named.
const NAMED: usize = 10;

/// Reads the state beside the filter.
pub(super) fn examine(subject: &Subject, file: &Path) -> Vec<Finding> {
    let path = file.display();
    let state = match UpdateState::read(file) {
        Ok(None) => return Vec::new(),
        Ok(Some(state)) => state,
        Err(StateError::Storage(error)) if error.is_denied() => {
            return vec![Finding::unjudged(&error, CHECK, error.to_string())];
        }
        Err(error) => {
            let of_mode = match &error {
                StateError::Storage(error) => remedy::of_storage(error),
                StateError::Unknown(_) => None,
            };
            let anew =
                || remedy::on_files("rm", [path_for(file).as_path()]) + " && " + &update(subject, file);
            let finding = Finding::warning(&error, CHECK, error.to_string());
            return vec![finding.fix(of_mode.unwrap_or_else(anew))];
        }
    };
    let mut findings = Vec::new();
    if let Some(failed) = &state.failed {
        let message = format!(
            "{path}: the last rebuild failed: {}; the earlier filter is still in place",
            failed.reason
        );
        findings.push(Finding::warning(keys::UPDATE_FAILED, CHECK, message).fix(update(subject, file)));
    }
    if !state.dropped.is_empty() {
        let lists = state.dropped.iter().take(NAMED);
        let lists: Vec<String> = lists.map(|list| format!("{} ({})", list.path, list.reason)).collect();
        let message = format!(
            "{path}: was built without {}: {}",
            counted(state.dropped.len() as u64, "list"),
            lists.join(", ")
        );
        findings.push(Finding::warning(keys::LIST_LOST, CHECK, message).fix(update(subject, file)));
    }
    findings
}

/// The command that builds a filter again.
fn update(subject: &Subject, file: &Path) -> String {
    let output =
        if is_packaged(file) { String::new() } else { format!(" --output {}", remedy::quoted(file)) };
    subject.command(&format!("update{output}"))
}
