//! The licences of all crates that are linked into what is packaged are in packaging/NOTICES, with their
//! texts.

use std::fs;

use nearmiss_tests::artifacts::{assert_made_by, workspace};

#[test]
fn the_notices_are_those_of_the_locked_crates() {
    assert_made_by("packaging/notices.py");
}

/// Each way of packaging installs the file in each package that has linked crates in it; one line is for all
/// parts of `parts.sh` where a recipe makes them alike.
#[test]
fn every_package_has_the_notices() {
    for (recipe, times) in [
        ("debian/rules", 1),
        ("rpm/nearmiss.spec", 10),
        ("arch/PKGBUILD", 3),
        ("alpine/APKBUILD", 3),
        ("nix/package.nix", 3),
    ] {
        let text = fs::read_to_string(workspace().join("packaging").join(recipe)).expect("a recipe");
        let lines = text.lines().filter(|line| line.contains("packaging/NOTICES"));
        assert_eq!(lines.count(), times, "{recipe}");
    }
    let text = fs::read_to_string(workspace().join("packaging/NOTICES")).expect("the notices");
    for licence in ["Unicode-3.0", "ISC", "Zlib", "BSD-3-Clause", "MIT"] {
        assert!(text.lines().any(|line| line.contains(&format!(": {licence};"))), "{licence}");
    }
}
