//! Membership of a server's account in the group that may read the filter.

use std::path::Path;

use crate::host::{text_file::read_lossy, user::PEOPLE};

/// The group that may read the packaged filter.
pub(super) const GROUP: &str = "nearmiss";

/// The fields of the line of an account or a group.
fn entry(root: &Path, table: &str, name: &str) -> Option<Vec<String>> {
    let text = read_lossy(root, &root.join("etc").join(table)).ok()?;
    let mut lines = text.lines().map(|line| line.split(':').map(str::to_owned).collect::<Vec<_>>());
    lines.find(|fields| fields.first().is_some_and(|own| own == name))
}

/// True if the account exists.
pub(super) fn is_known(root: &Path, user: &str) -> bool {
    entry(root, "passwd", user).is_some()
}

/// The number of the group.
pub(super) fn number(root: &Path) -> Option<u32> {
    entry(root, "group", GROUP)?.get(2)?.parse().ok()
}

/// The number of a group, and the accounts that are its members or have it as their own.
pub(in crate::doctor) fn members(root: &Path, group: &str) -> Option<(u32, Vec<String>)> {
    let fields = entry(root, "group", group)?;
    let number = fields.get(2)?;
    let listed = fields.get(3).into_iter().flat_map(|members| members.split(',')).map(str::trim);
    let accounts = read_lossy(root, &root.join("etc/passwd")).unwrap_or_default();
    let own = accounts.lines().filter(|line| line.split(':').nth(3) == Some(number));
    let own = own.filter_map(|line| line.split(':').next());
    let mut members: Vec<String> =
        listed.chain(own).filter(|name| !name.is_empty()).map(str::to_owned).collect();
    members.sort_unstable();
    members.dedup();
    Some((number.parse().ok()?, members))
}

/// The members of a group that are people, or have no account in the system's own table: each with true if
/// the group is its own.
pub(in crate::doctor) fn people(root: &Path, group: &str) -> Vec<(String, bool)> {
    let Some((number, members)) = members(root, group) else { return Vec::new() };
    let person = |name: String| {
        let account = entry(root, "passwd", &name);
        let field = |at: usize| account.as_ref().and_then(|fields| fields.get(at)?.parse::<u32>().ok());
        let is_person = account.is_none() || field(2).is_some_and(|uid| PEOPLE.contains(&uid));
        is_person.then(|| (name, field(3) == Some(number)))
    };
    members.into_iter().filter_map(person).collect()
}

/// True if it is a member of the group, or the group is its own.
pub(super) fn is_member(root: &Path, user: &str) -> bool {
    let Some(group) = entry(root, "group", GROUP) else { return false };
    let is_listed = group.get(3).is_some_and(|members| members.split(',').any(|member| member == user));
    let own = entry(root, "passwd", user).and_then(|fields| fields.get(3).cloned());
    is_listed || own.is_some() && own.as_ref() == group.get(2)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn an_account_is_known_by_its_whole_name() {
        let root = tempfile::tempdir().unwrap();
        assert!(!is_known(root.path(), "www-data"));
        fs::create_dir(root.path().join("etc")).unwrap();
        let line = "www-data-2:x:33:33:www-data:/var/www:/usr/sbin/nologin\n";
        fs::write(root.path().join("etc/passwd"), line).unwrap();
        assert!(is_known(root.path(), "www-data-2") && !is_known(root.path(), "www-data"));
    }
}
