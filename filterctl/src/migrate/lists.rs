//! The path of a list, and whether the system below a root has it: links lead within that root.

use std::{
    collections::VecDeque,
    ffi::OsString,
    fs,
    path::{Component, Path, PathBuf},
};

/// The maximum number of links on a path, as in `filterctl update`.
const MAX_LINKS: usize = 8;

/// A list that an option names.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct List {
    /// The path for `lists` in `[update]`; none for a path that cannot be listed there.
    pub(super) path: Option<String>,
    /// A note for the reader.
    pub(super) note: Option<String>,
}

impl List {
    /// The list that a system below `root` has at `path`.
    pub(super) fn at(root: &Path, path: &str) -> List {
        let name = Path::new(path);
        let (found, note) = match resolved(root, name) {
            _ if !is_plain(name) => {
                (None, Some(format!("name {path} in lists of [update] by its absolute path, without '..'")))
            }
            Some(_) => (Some(path.to_owned()), None),
            None => {
                let note = format!("{path} does not exist; create it before filterctl update");
                (Some(path.to_owned()), Some(note))
            }
        };
        List { path: found, note }
    }
}

/// True for a path that nearmiss.conf(5) allows.
fn is_plain(path: &Path) -> bool {
    path.is_absolute() && path.components().all(|part| part != Component::ParentDir)
}

/// The file that the path leads to on the system below `root`; none if there is no file.
fn resolved(root: &Path, path: &Path) -> Option<PathBuf> {
    let mut real = PathBuf::from("/");
    let mut ahead: VecDeque<OsString> = parts(path);
    let mut links = 0_usize;
    while let Some(part) = ahead.pop_front() {
        if part == ".." {
            real.pop();
            continue;
        }
        let below = root.join(real.strip_prefix("/").ok()?).join(&part);
        if !fs::symlink_metadata(&below).ok()?.is_symlink() {
            real.push(part);
            continue;
        }
        links = links.saturating_add(1);
        if links > MAX_LINKS {
            return None;
        }
        let target = fs::read_link(&below).ok()?;
        if target.is_absolute() {
            real = PathBuf::from("/");
        }
        let mut all = parts(&target);
        all.append(&mut ahead);
        ahead = all;
    }
    let is_file = root.join(real.strip_prefix("/").ok()?).is_file();
    is_file.then_some(real)
}

fn parts(path: &Path) -> VecDeque<OsString> {
    let named = |part: Component<'_>| match part {
        Component::Normal(name) => Some(name.to_owned()),
        Component::ParentDir => Some("..".into()),
        _ => None,
    };
    path.components().filter_map(named).collect()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn links_lead_to_their_file_within_the_root() {
        let root = tempfile::tempdir().unwrap();
        let at = |path: &str| root.path().join(path);
        fs::create_dir_all(at("usr/share/dict")).unwrap();
        fs::create_dir_all(at("etc/dictionaries")).unwrap();
        fs::write(at("usr/share/dict/american"), "word\n").unwrap();
        symlink("/etc/dictionaries/words", at("usr/share/dict/words")).unwrap();
        symlink("../../usr/share/dict/american", at("etc/dictionaries/words")).unwrap();
        symlink("/usr/share", at("share")).unwrap();
        symlink("loop", at("loop")).unwrap();
        let list = |path: &str| List::at(root.path(), path);
        let american = "/usr/share/dict/american";
        assert_eq!(list(american), List { path: Some(american.to_owned()), note: None });
        for link in ["/usr/share/dict/words", "/share/dict/american", "/share/dict/words"] {
            assert_eq!(list(link), List { path: Some(link.to_owned()), note: None });
        }
        for missing in ["/loop", "/usr/share/dict/german", "/usr/share/dict"] {
            let found = list(missing);
            assert_eq!(found.path.as_deref(), Some(missing));
            assert!(found.note.unwrap().contains("does not exist"), "{missing}");
        }
        for wrong in ["words", "/usr/../etc/words"] {
            let found = list(wrong);
            assert_eq!(found.path, None);
            assert!(found.note.unwrap().contains("by its absolute path"), "{wrong}");
        }
    }
}
