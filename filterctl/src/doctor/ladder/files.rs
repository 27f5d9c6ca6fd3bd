//! The access to ladder and key, their folders, and copies beside them.

use std::{
    collections::BTreeSet,
    fs::{self, DirEntry, File},
    io::{self, Read},
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

use nearmiss_filters::{ladder::LadderFiles, text::system_reason};

use crate::{
    doctor::remedy,
    finding::{Finding, State},
};

/// Looks at both files and their folders; `fix` is the command that makes what is missing.
pub(super) fn examine(files: &LadderFiles, fix: &str) -> Vec<Finding> {
    let findings = [
        privacy("array mode", &files.file, "0600"),
        folder(&files.file),
        privacy("key mode", &files.key, "0600"),
        apart(files),
        allocated(&files.file),
        copies(files),
    ];
    findings.into_iter().map(|finding| with_fix(finding, fix)).collect()
}

/// With a command to type, where the check itself knows none: the file is missing or cannot be read.
fn with_fix(finding: Finding, fix: &str) -> Finding {
    let has_none = finding.state != State::Fine && finding.fix.is_none();
    if has_none { finding.fix(fix) } else { finding }
}

/// A file or folder that root alone may look at.
fn privacy(check: &'static str, path: &Path, wanted: &str) -> Finding {
    match fs::symlink_metadata(path) {
        Err(error) => Finding::wrong(check, format!("{}: {}", path.display(), system_reason(&error))),
        Ok(metadata) if metadata.mode() & 0o077 != 0 => {
            let mode = metadata.mode() & 0o7777;
            Finding::wrong(check, format!("{} has mode {mode:04o}: others may look at it", path.display()))
                .fix(remedy::on_files(&format!("chmod {wanted}"), [path]))
        }
        Ok(metadata) => Finding::fine(check, format!("{:04o}", metadata.mode() & 0o7777)),
    }
}

fn folder(file: &Path) -> Finding {
    match file.parent() {
        Some(folder) => privacy("folder mode", folder, "0700"),
        None => Finding::wrong("folder mode", "the ladder is in no folder"),
    }
}

/// A copy of one folder must not hold both.
fn apart(files: &LadderFiles) -> Finding {
    let message = "the key lies beside the array: a copy of the folder has both; move the key to another \
                folder, and name it in [ladder]";
    let fix = format!("install -dm 0700 /etc/nearmiss && mv {} /etc/nearmiss/", remedy::quoted(&files.key));
    let real = |path: &Path| path.parent().map(fs::canonicalize).and_then(Result::ok);
    match (real(&files.file), real(&files.key)) {
        (Some(array), Some(key)) if key.starts_with(&array) => Finding::wrong("key apart", message).fix(fix),
        (Some(_), Some(_)) => Finding::fine("key apart", "the key is in another folder"),
        _ => Finding::wrong("key apart", "the folders cannot be read"),
    }
}

/// A hole in the array could not be filled on a full disk.
fn allocated(file: &Path) -> Finding {
    match fs::metadata(file) {
        Err(error) => Finding::wrong("allocated", system_reason(&error)),
        Ok(metadata) if metadata.blocks().saturating_mul(512) < metadata.len() => {
            let path = remedy::quoted(file);
            Finding::warning(
                "allocated",
                "the array has holes or is compressed: a full disk could make its pages unwritable",
            )
            .fix(format!("cp -p --sparse=never {path} {path}.new && mv {path}.new {path}"))
        }
        Ok(_) => Finding::fine("allocated", "every page is on disk"),
    }
}

/// Two copies of the array show, with the key, what was recorded between them. A picture by `filterctl
/// render` has every bit of it.
fn copies(files: &LadderFiles) -> Finding {
    let found = beside(&files.file).and_then(|mut found| {
        found.extend(beside(&files.key)?);
        Ok(found)
    });
    match found {
        Err(error) => Finding::wrong("copies", system_reason(&error)),
        Ok(found) if found.is_empty() => {
            Finding::fine("copies", "none, and no pictures, beside ladder or key")
        }
        Ok(found) => {
            let names: Vec<String> = found.iter().map(|path| path.display().to_string()).collect();
            let message = format!(
                "{}: old copies or pictures of ladder and key show what was chosen",
                names.join(", ")
            );
            Finding::warning("copies", message)
                .fix(remedy::on_files("shred -u", found.iter().map(PathBuf::as_path)))
        }
    }
}

/// Files whose name is that of `path` and something before or after it, as editors and backups leave them;
/// and pictures.
fn beside(path: &Path) -> io::Result<BTreeSet<PathBuf>> {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name().and_then(|name| name.to_str())) else {
        return Ok(BTreeSet::new());
    };
    let mut found = BTreeSet::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let other = entry.file_name().to_string_lossy().into_owned();
        // What is being written now has this name, and no other process can read it.
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
    // A pipe would be waited for.
    let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
    let mut first = [0; SIGNATURE.len()];
    is_file
        && File::open(&path).and_then(|mut file| file.read_exact(&mut first)).is_ok()
        && first == *SIGNATURE
}
