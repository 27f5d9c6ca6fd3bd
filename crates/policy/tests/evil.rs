//! Evil configurations: each is refused with the error written beside it, and none makes the library request
//! memory that a field in it claims.

use std::{fs, path::Path};

use nearmiss_policy::config::{Config, MAX_BYTES};

use crate::{alone::alone, common::peak_kib, configurations};

/// The error for a configuration; empty when it is accepted.
fn error_of(path: &Path) -> String {
    Config::load(path).err().map(|error| error.to_string()).unwrap_or_default()
}

/// In a process of its own: another test's stack and arena would be taken for memory that a file claims.
#[test]
fn each_is_refused_with_the_error_beside_it() {
    if alone(concat!(module_path!(), "::each_is_refused_with_the_error_beside_it"), "").is_some() {
        return;
    }
    write_where_wanted();
    let folder = tempfile::tempdir().unwrap();
    let before = peak_kib();
    for (name, bytes, part) in configurations::all() {
        let path = folder.path().join(name).with_extension("conf");
        fs::write(&path, bytes).unwrap();
        let error = error_of(&path);
        assert!(!error.is_empty() && error.contains(part), "{name}: {error}");
    }
    let grown = peak_kib() - before;
    assert!(grown < 8 << 10, "{grown} KiB more address space");
}

/// Writes the files into the folder that `EVIL_FILES` names, if any: `make fuzz` begins with them.
fn write_where_wanted() {
    let Some(folder) = std::env::var_os("EVIL_FILES") else { return };
    fs::create_dir_all(&folder).unwrap();
    for (name, bytes, _) in configurations::all() {
        fs::write(Path::new(&folder).join(name).with_extension("conf"), bytes).unwrap();
    }
}

#[test]
fn the_largest_legal_configuration_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("longest.conf");
    fs::write(&path, [&b"min_length = 9\n"[..], &vec![b'#'; MAX_BYTES - 15]].concat()).unwrap();
    assert_eq!(Config::load(&path).unwrap().policy.min_length, 9);
}
