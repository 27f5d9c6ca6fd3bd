//! The access to ladder and key, their folders, and copies beside them.

use std::{
    collections::BTreeSet,
    fs::{self, DirEntry, File},
    io::{self, Read},
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

use nearmiss_cli::{
    finding::{Finding, State},
    keys,
};
use nearmiss_filters::{ladder::LadderFiles, text::system_reason};
use nearmiss_policy::config::at;

use crate::doctor::remedy;

/// Examines both files of the system below `root` and their folders; `fix` is the command that makes missing
/// ones.
pub(super) fn examine(root: &Path, files: &LadderFiles, fix: &str) -> Vec<Finding> {
    let findings = [
        privacy("array mode", &files.file, "0600"),
        folder(&files.file),
        privacy("key mode", &files.key, "0600"),
        apart(root, files),
        allocated(&files.file),
        copies(files),
    ];
    findings.into_iter().map(|finding| with_fix(finding, fix)).collect()
}

/// Adds `fix` to a finding without one: the file is missing or cannot be read.
fn with_fix(finding: Finding, fix: &str) -> Finding {
    let has_none = finding.state != State::Fine && finding.fix.is_none();
    if has_none { finding.fix(fix) } else { finding }
}

/// A file or folder that only root may read.
fn privacy(check: &'static str, path: &Path, wanted: &str) -> Finding {
    match fs::metadata(path) {
        Err(error) => Finding::wrong(&error, check, format!("{}: {}", path.display(), system_reason(&error))),
        Ok(metadata) if metadata.mode() & 0o077 != 0 => {
            let mode = metadata.mode() & 0o7777;
            Finding::wrong(
                keys::FILE_OPEN_TO_OTHERS,
                check,
                format!("{} has mode {mode:04o}: other users can read it", path.display()),
            )
            .fix(remedy::on_files(&format!("chmod {wanted}"), [path]))
        }
        Ok(metadata) => Finding::fine(check, format!("{:04o}", metadata.mode() & 0o7777)),
    }
}

fn folder(file: &Path) -> Finding {
    match file.parent() {
        Some(folder) => privacy("folder mode", folder, "0700"),
        None => {
            Finding::wrong(keys::PATH_NOT_ABSOLUTE, "folder mode", "the path of the ladder has no folder")
        }
    }
}

/// A copy of one folder must not contain both.
fn apart(root: &Path, files: &LadderFiles) -> Finding {
    let message = "the key is beside the array: a copy of the folder contains both; move the key to another \
                folder, and name its path in [ladder]";
    let folder = remedy::quoted(&at(root, Path::new("/etc/nearmiss")));
    let fix = format!("install -dm 0700 {folder} && mv {} {folder}/", remedy::quoted(&files.key));
    let real = |path: &Path| path.parent().map(fs::canonicalize).and_then(Result::ok);
    match (real(&files.file), real(&files.key)) {
        (Some(array), Some(key)) if key.starts_with(&array) => {
            Finding::wrong(keys::LADDER_KEY_BESIDE, "key apart", message).fix(fix)
        }
        (Some(_), Some(_)) => Finding::fine("key apart", "the key is in another folder"),
        _ => Finding::wrong(keys::FILE_UNREADABLE, "key apart", "the folders cannot be read"),
    }
}

/// A hole in the array cannot be filled on a full disk.
fn allocated(file: &Path) -> Finding {
    match fs::metadata(file) {
        Err(error) => Finding::wrong(&error, "allocated", system_reason(&error)),
        Ok(metadata) if metadata.blocks().saturating_mul(512) < metadata.len() => {
            let path = remedy::quoted(file);
            Finding::warning(
                keys::LADDER_DISK,
                "allocated",
                "the array has holes or is compressed: on a full disk, its pages could not be written",
            )
            .fix(format!("cp -p --sparse=never {path} {path}.new && mv {path}.new {path}"))
        }
        Ok(_) => Finding::fine("allocated", "every page is on disk"),
    }
}

/// Two copies of the array, with the key, reveal what was recorded between them. A picture by `filterlab
/// render` contains every bit of it.
fn copies(files: &LadderFiles) -> Finding {
    let found = beside(&files.file).and_then(|mut found| {
        found.extend(beside(&files.key)?);
        Ok(found)
    });
    match found {
        Err(error) => Finding::wrong(&error, "copies", system_reason(&error)),
        Ok(found) if found.is_empty() => {
            Finding::fine("copies", "no copies or pictures beside ladder or key")
        }
        Ok(found) => {
            let names: Vec<String> = found.iter().map(|path| path.display().to_string()).collect();
            let message = format!(
                "{}: old copies or pictures of ladder and key reveal chosen passwords",
                names.join(", ")
            );
            Finding::warning(keys::LADDER_COPIES, "copies", message)
                .fix(remedy::on_files("shred -u", found.iter().map(PathBuf::as_path)))
        }
    }
}

/// Files whose name is the name of `path` with a prefix or a suffix, such as copies of editors and backups;
/// and pictures.
fn beside(path: &Path) -> io::Result<BTreeSet<PathBuf>> {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name().and_then(|name| name.to_str())) else {
        return Ok(BTreeSet::new());
    };
    let mut found = BTreeSet::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let other = entry.file_name().to_string_lossy().into_owned();
        // A file that is being written has this name, and no other process can read it.
        let is_ours = other == name || other == format!(".{name}.new");
        if !is_ours && (other.contains(name) || is_picture(&entry)) {
            found.insert(entry.path());
        }
    }
    Ok(found)
}

/// A PNG picture, by its name or by its first bytes.
fn is_picture(entry: &DirEntry) -> bool {
    const SIGNATURE: &[u8; 8] = b"\x89PNG\r\n\x1a\n";
    let path = entry.path();
    if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("png")) {
        return true;
    }
    // Opening a pipe would wait.
    let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
    let mut first = [0; SIGNATURE.len()];
    is_file
        && File::open(&path).and_then(|mut file| file.read_exact(&mut first)).is_ok()
        && first == *SIGNATURE
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    /// Array and key in a folder each, with these contents.
    fn place(array: &[u8], key: &[u8]) -> (tempfile::TempDir, LadderFiles) {
        let folder = tempfile::tempdir().unwrap();
        let files =
            LadderFiles { file: folder.path().join("state/l.ladder"), key: folder.path().join("etc/l.key") };
        for (path, bytes) in [(&files.file, array), (&files.key, key)] {
            fs::create_dir(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
            set_mode(path, 0o600);
            set_mode(path.parent().unwrap(), 0o700);
        }
        (folder, files)
    }

    fn set_mode(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn every_problem_has_a_command_and_nothing_else_has_one() {
        let (_folder, files) = place(b"", b"");
        let seen = || -> Vec<(String, State, Option<String>)> {
            let found = examine(Path::new("/"), &files, "make it").into_iter();
            found.map(|finding| (finding.check, finding.state, finding.fix)).collect()
        };
        let fine: Vec<_> =
            seen().into_iter().filter(|found| (found.1, &found.2) == (State::Fine, &None)).collect();
        assert_eq!(fine.len(), 6, "{fine:?}");
        fs::remove_file(&files.key).unwrap();
        let problems: Vec<_> = seen().into_iter().filter(|found| !fine.contains(found)).collect();
        assert_eq!(problems, [("key mode".to_owned(), State::Wrong, Some("make it".to_owned()))]);
        set_mode(&files.file, 0o640);
        let problems: Vec<_> = seen().into_iter().filter(|found| !fine.contains(found)).collect();
        let own = remedy::on_files("chmod 0600", [files.file.as_path()]);
        assert_eq!(problems[0], ("array mode".to_owned(), State::Wrong, Some(own)), "its own command stays");
    }

    #[test]
    fn a_mode_that_lets_others_in_is_wrong() {
        let (_folder, files) = place(b"", b"");
        for (mode, says) in [
            (0o600, "0600"),
            (0o400, "0400"),
            (0o4700, "4700"),
            (0o640, "has mode 0640: other users can read it"),
            (0o601, "has mode 0601: other users can read it"),
            (0o1620, "has mode 1620: other users can read it"),
        ] {
            set_mode(&files.file, mode);
            let found = privacy("mode", &files.file, "0600");
            let state = if says.contains("other users") { State::Wrong } else { State::Fine };
            assert_eq!(found.state, state, "{mode:o}");
            assert!(found.message.ends_with(says), "{mode:o}: {}", found.message);
        }
    }

    #[test]
    fn the_key_is_neither_beside_the_array_nor_below_it() {
        let (folder, files) = place(b"", b"");
        fs::create_dir_all(folder.path().join("state/keys")).unwrap();
        fs::create_dir(folder.path().join("state-keys")).unwrap();
        for (key, state) in [
            ("etc/l.key", State::Fine),
            ("state-keys/l.key", State::Fine),
            ("state/l.key", State::Wrong),
            ("state/keys/l.key", State::Wrong),
            ("etc/../state/l.key", State::Wrong),
        ] {
            let files = LadderFiles { key: folder.path().join(key), ..files.clone() };
            let found = apart(Path::new("/"), &files);
            assert_eq!((found.state, found.fix.is_some()), (state, state == State::Wrong), "{key}");
        }
    }

    /// Pages that have no place on the disk yet.
    #[test]
    fn a_hole_in_the_array_is_a_warning() {
        let (_folder, files) = place(b"", b"");
        assert_eq!(allocated(&files.file).state, State::Fine);
        File::options().write(true).open(&files.file).unwrap().set_len(1 << 20).unwrap();
        let found = allocated(&files.file);
        assert_eq!(found.state, State::Warning);
        assert!(found.fix.is_some_and(|fix| fix.starts_with("cp -p --sparse=never ")));
    }

    /// Other files beside the ladder are not copies of it.
    #[test]
    fn copies_and_pictures_are_found_by_name_or_by_content() {
        const PNG: &[u8] = b"\x89PNG\r\n\x1a\n and so on";
        for (name, bytes, is_found) in [
            ("l.ladder.bak", &b""[..], true),
            ("old-l.ladder", b"", true),
            ("picture.PNG", b"", true),
            ("picture", PNG, true),
            (".l.ladder.new", b"", false),
            ("notes", b"some words, none of a picture", false),
            ("short", &PNG[..7], false),
            ("jpg", b"\xff\xd8\xff\xe0\x00\x10JFIF", false),
        ] {
            let (_folder, files) = place(b"", b"");
            let other = files.file.with_file_name(name);
            fs::write(&other, bytes).unwrap();
            let found = copies(&files);
            let fix = is_found.then(|| remedy::on_files("shred -u", [other.as_path()]));
            assert_eq!(found.fix, fix, "{name}: {}", found.message);
            assert_eq!(found.state, if is_found { State::Warning } else { State::Fine }, "{name}");
        }
        let (_folder, files) = place(b"", b"");
        fs::create_dir(files.file.with_file_name("pictures")).unwrap();
        assert_eq!(copies(&files).state, State::Fine, "a folder");
    }
}
