//! Paths as the library requires them: absolute. The library's walk alone follows links.

use std::path::{Path, PathBuf};

use nearmiss_filters::storage::Place;

/// The absolute path of a file named on the command line. No link is resolved here: the tools and the module
/// follow and refuse the same ones.
pub fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// The real path of a file that is written: its own name is never resolved, and a link on the path only if no
/// other user can have created it ([`Place`]). If that walk fails, the path is returned unchanged, and
/// writing to it will be refused.
pub fn written(path: &Path) -> PathBuf {
    Place::of(path).map_or_else(|_| absolute(path), |place| place.path().to_owned())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn the_folder_of_a_written_file_is_real_and_what_is_read_keeps_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let folder = std::fs::canonicalize(folder.path()).unwrap();
        let [target, link] = ["target", "link"].map(|name| folder.join(name));
        std::fs::create_dir(&target).unwrap();
        symlink(&target, &link).unwrap();
        assert_eq!(written(&link.join("new")), target.join("new"));
        assert_eq!(written(&folder.join("none/new")), folder.join("none/new"));
        assert_eq!(absolute(&link.join("new")), link.join("new"));
        assert!(absolute(Path::new("no such file")).is_absolute());
    }
}
