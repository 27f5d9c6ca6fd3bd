//! The line `record`, by which passwords that were set are counted: without it, the ladder of chosen
//! passwords stays as it is.

use std::path::Path;

use nearmiss_cli::{finding::Finding, keys};

use super::{
    modules::can_set,
    services::{self, ServiceGroup},
};
use crate::{doctor::remedy, host::pam_stack::StackEntry};

const CHECK: &str = "pam lines";

/// A warning for each group of services that set passwords, check them, and count none.
pub(super) fn examine(root: &Path, service: &str) -> Vec<Finding> {
    let groups = services::groups(root, service);
    groups.iter().filter(|group| group.stack.checking().is_some()).filter_map(uncounted).collect()
}

fn uncounted(group: &ServiceGroup) -> Option<Finding> {
    let lines = &group.stack.lines;
    let setting = lines.iter().enumerate().filter(|(_, line)| can_set(line));
    let (_, line) = setting.into_iter().find(|(at, _)| !is_counted(lines, *at))?;
    let message = format!(
        "{}: no line \"pam_nearmiss.so record\" follows when {} ({}) sets a password: it is not counted; see \
         pam_nearmiss(8)",
        group.shown(),
        line.name(),
        line.place()
    );
    Some(Finding::warning(keys::LADDER_NOT_FED, CHECK, message).fix(remedy::edit(lines.last()?)))
}

/// True if the lines behind one that sets a password lead to a line `record`.
fn is_counted(lines: &[StackEntry], at: usize) -> bool {
    let Some(over) = lines.get(at).and_then(StackEntry::on_success) else { return false };
    let behind = lines.get(at.saturating_add(over).saturating_add(1)..).unwrap_or_default();
    let mut reached = behind.iter().take_while(|line| line.name() != "pam_deny.so");
    reached.any(|line| line.is_ours() && line.has("record"))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_password_that_is_set_reaches_a_line_that_counts_it() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("etc/pam.d");
        fs::create_dir_all(&folder).unwrap();
        let check = "password requisite pam_nearmiss.so\n";
        let record = "password optional pam_nearmiss.so record\n";
        let unix = |control: &str| format!("password {control} pam_unix.so use_authtok\n");
        let deny = "password requisite pam_deny.so\npassword required pam_permit.so\n";
        for (text, is_counted) in [
            (format!("{check}{}{deny}{record}", unix("[success=1 default=ignore]")), true),
            (format!("{check}{}{record}", unix("required")), true),
            (format!("{check}{}", unix("required")), false),
            (format!("{check}{}{record}", unix("sufficient")), false),
            (format!("{check}{}{deny}{record}", unix("[success=3 default=ignore]")), false),
            // What checks nothing is another finding.
            (unix("required"), true),
        ] {
            fs::write(folder.join("passwd"), &text).unwrap();
            assert_eq!(examine(root.path(), "passwd").is_empty(), is_counted, "{text}");
        }
    }
}
