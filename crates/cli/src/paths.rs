//! Paths as the library requires them: absolute, through real folders only.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use nearmiss_filters::storage::Place;

/// The real path of a file named on the command line, symbolic links resolved: the user who typed the name
/// chose the file, and the library then trusts or refuses the real file. A file that does not exist keeps its
/// name, in the real folder.
pub fn real(path: &Path) -> PathBuf {
    fs::canonicalize(path)
        .or_else(|_| in_real_folder(path))
        .or_else(|_| std::path::absolute(path))
        .unwrap_or_else(|_| path.to_owned())
}

/// The real path of a file that is written: its own name is never resolved, and a link on the path only if no
/// other user can have created it ([`Place`]). If that walk fails, the path is returned unchanged, and
/// writing to it will be refused.
pub fn written(path: &Path) -> PathBuf {
    Place::of(path).map_or_else(
        |_| std::path::absolute(path).unwrap_or_else(|_| path.to_owned()),
        |place| place.path().to_owned(),
    )
}

/// A new file in an existing folder.
fn in_real_folder(path: &Path) -> io::Result<PathBuf> {
    let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    Ok(fs::canonicalize(folder)?.join(name))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn links_are_resolved_in_a_name_and_in_the_folder_of_a_file_to_be_made() {
        let folder = tempfile::tempdir().unwrap();
        let folder = fs::canonicalize(folder.path()).unwrap();
        let [target, link, here] = ["target", "link", "here"].map(|name| folder.join(name));
        fs::create_dir(&target).unwrap();
        symlink(&target, &link).unwrap();
        fs::write(target.join("file"), "").unwrap();
        symlink(target.join("file"), &here).unwrap();
        assert_eq!(real(&here), target.join("file"));
        assert_eq!(real(&link.join("file")), target.join("file"));
        assert_eq!(real(&link.join("new")), target.join("new"));
        assert_eq!(real(&folder.join("none/new")), folder.join("none/new"));
        assert!(real(Path::new("no such file")).is_absolute());
    }
}
