//! The real path of a list: `filterctl update` follows no links, since other users might change them.

use std::{
    collections::VecDeque,
    ffi::OsString,
    fs,
    path::{Component, Path, PathBuf},
};

/// The maximum number of links on a path, as in the kernel.
const MAX_LINKS: usize = 40;

/// A list that an option names.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct List {
    /// The path for `lists` in `[update]`: without links, if the file exists; none for a path that cannot be
    /// listed there.
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
            Some(file) if file == name => (Some(path.to_owned()), None),
            Some(file) => {
                let file = file.display().to_string();
                let note =
                    format!("{path} is a link, which filterctl update does not follow; the list is {file}");
                (Some(file), Some(note))
            }
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
            let found = list(link);
            assert_eq!(found.path.as_deref(), Some(american), "{link}");
            assert!(found.note.unwrap().contains(&format!("{link} is a link,")), "{link}");
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
