//! Files that package managers and editors leave beside those that are in use.

/// Ends of their names.
const ENDS: [&str; 15] = [
    "~",
    ".bak",
    ".orig",
    ".old",
    ".save",
    ".swp",
    ".tmp",
    ".new",
    ".part",
    ".rpmnew",
    ".rpmsave",
    ".rpmorig",
    ".pacnew",
    // pam-auth-update's, of a stack that was edited.
    ".pam-old",
    ".disabled",
];

/// True for the name of a file that was left behind, or put out of use by its name.
pub(crate) fn is_left_behind(name: &str) -> bool {
    ENDS.iter().any(|end| name.ends_with(end))
        || name.contains(".dpkg-")
        || name.contains(".ucf-")
        || (name.starts_with('#') && name.ends_with('#'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_of_editors_and_package_managers_are_left_behind() {
        for name in [
            "passwd.swp",
            "passwd~",
            "#passwd#",
            "passwd.save",
            "passwd.tmp",
            "passwd.dpkg-old",
            "common-password.pam-old",
            "l.part",
        ] {
            assert!(is_left_behind(name), "{name}");
        }
        for name in ["passwd", "common-password", "words.txt", "c#", "new", "swp"] {
            assert!(!is_left_behind(name), "{name}");
        }
    }
}
