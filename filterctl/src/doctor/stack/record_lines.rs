//! The line `record`, by which passwords that were set are counted: without it, the ladder of chosen
//! passwords stays as it is.

use std::path::Path;

use nearmiss_cli::{finding::Finding, keys};

use super::{
    modules::can_set,
    services::{self, ServiceGroup},
};
use crate::{
    doctor::{
        remedy,
        walk::{leads, usual},
    },
    host::pam_stack::{Chain, Link},
};

const CHECK: &str = "pam lines";

/// A warning for each group of services that set passwords, check them, and count none.
pub(super) fn examine(root: &Path, service: &str) -> Vec<Finding> {
    let groups = services::groups(root, service);
    let groups = groups.iter().filter(|group| group.stack.checking().is_some());
    groups.filter_map(|group| uncounted(root, group)).collect()
}

fn uncounted(root: &Path, group: &ServiceGroup) -> Option<Finding> {
    let name = group.names.first()?;
    let chain = Chain::in_force(root, name, "password")?;
    let setting = chain.links.iter().enumerate().filter(|(_, link)| can_set(&link.line));
    let (_, Link { line, .. }) = setting.into_iter().find(|(at, _)| !is_counted(&chain.links, *at))?;
    let message = format!(
        "{}: no line \"pam_nearmiss.so record\" is reached when {} ({}) sets a password: it is not counted; \
         see pam_nearmiss(8)",
        group.shown(),
        line.name(),
        line.place()
    );
    let last = group.stack.lines.last()?;
    Some(Finding::warning(keys::LADDER_NOT_FED, CHECK, message).fix(remedy::edit(last)))
}

/// True if a success of a line that sets a password reaches a line `record`, or if libpam never comes to it.
fn is_counted(links: &[Link], setting: usize) -> bool {
    let is_record = |Link { line, .. }: &Link| line.is_ours() && line.has("record");
    let places = links.iter().enumerate().filter(|(_, link)| is_record(link)).map(|(at, _)| at);
    leads(links, (setting, "success"), &places.collect::<Vec<_>>(), |_, line| usual(line)).unwrap_or(true)
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
            // A line in between ends the stack, or jumps over the line that counts.
            (format!("{check}{}password sufficient pam_permit.so\n{record}", unix("required")), false),
            (
                format!(
                    "{check}{}password [success=1 default=ignore] pam_permit.so\n{record}",
                    unix("required")
                ),
                false,
            ),
            (
                format!(
                    "{check}{}password [success=done default=ignore] pam_permit.so\n{record}",
                    unix("required")
                ),
                false,
            ),
            (format!("{check}{}password required pam_permit.so\n{record}", unix("required")), true),
            (format!("{check}{}password requisite pam_deny.so\n{record}", unix("required")), false),
            // What checks nothing is another finding.
            (unix("required"), true),
        ] {
            fs::write(folder.join("passwd"), &text).unwrap();
            assert_eq!(examine(root.path(), "passwd").is_empty(), is_counted, "{text}");
        }
    }
}
