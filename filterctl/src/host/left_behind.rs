//! Files that package managers and editors leave beside those that are in use.

/// Ends of their names.
const ENDS: [&str; 9] =
    ["~", ".bak", ".orig", ".old", ".rpmnew", ".rpmsave", ".rpmorig", ".pacnew", ".disabled"];

/// True for the name of a file that was left behind, or put out of use by its name.
pub(crate) fn is_left_behind(name: &str) -> bool {
    ENDS.iter().any(|end| name.ends_with(end)) || name.contains(".dpkg-") || name.contains(".ucf-")
}
