//! The lines of servers' configurations that name nearmiss, and the files named there.

use std::{
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
};

use super::known::Server;
use crate::host::left_behind::is_left_behind;

/// The maximum depth of folders within a folder of configurations.
const DEEPEST: usize = 5;
/// The maximum size of a configuration.
const MAX_BYTES: u64 = 1 << 20;

/// A line that names a plugin or hook of nearmiss.
pub(super) struct NamedLine {
    pub(super) file: PathBuf,
    number: usize,
    pub(super) text: String,
}

impl NamedLine {
    /// The file, as named on the examined system, and the number of the line.
    pub(super) fn place(&self, root: &Path) -> String {
        let file = self.file.strip_prefix(root).unwrap_or(&self.file);
        format!("/{}:{}", file.display(), self.number)
    }
}

/// All lines of the server's configurations that contain its word, without comments.
pub(super) fn lines_naming(root: &Path, server: &Server) -> Vec<NamedLine> {
    let mut files = Vec::new();
    for (place, ending) in server.files {
        collect(&root.join(place), ending, DEEPEST, &mut files);
    }
    files.sort();
    files.iter().flat_map(|file| lines_of(file, server)).collect()
}

fn collect(place: &Path, ending: &str, depth: usize, files: &mut Vec<PathBuf>) {
    if place.is_file() {
        let name = place.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if name.ends_with(ending) && !is_left_behind(&name) {
            files.push(place.to_owned());
        }
        return;
    }
    let Some(depth) = depth.checked_sub(1) else { return };
    for entry in fs::read_dir(place).into_iter().flatten().flatten() {
        collect(&entry.path(), ending, depth, files);
    }
}

fn lines_of(file: &Path, server: &Server) -> Vec<NamedLine> {
    if fs::metadata(file).is_ok_and(|status| status.len() > MAX_BYTES) {
        return Vec::new();
    }
    let text = fs::read(file).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let lines = text.lines().map(str::trim).enumerate();
    lines
        .filter(|(_, line)| !line.starts_with(['#', ';']) && line.contains(server.word))
        .map(|(at, line)| NamedLine {
            file: file.to_owned(),
            number: at.saturating_add(1),
            text: line.to_owned(),
        })
        .collect()
}

/// The first file of this pattern below a folder; `*` stands for any part of one name.
pub(super) fn first_of(root: &Path, pattern: &str) -> Option<PathBuf> {
    let (name, rest) = pattern.split_once('/').map_or((pattern, None), |(name, rest)| (name, Some(rest)));
    let found = |path: PathBuf| match rest {
        Some(rest) => first_of(&path, rest),
        None => path.exists().then_some(path),
    };
    let Some((begins, ends)) = name.split_once('*') else { return found(root.join(name)) };
    let fits = |own: &OsStr| {
        let own = own.to_string_lossy();
        own.len() >= begins.len().saturating_add(ends.len()) && own.starts_with(begins) && own.ends_with(ends)
    };
    let entries = fs::read_dir(root).into_iter().flatten().flatten();
    entries.filter(|entry| fits(&entry.file_name())).find_map(|entry| found(entry.path()))
}

#[cfg(test)]
mod tests {
    use super::{super::known::SERVERS, *};

    #[test]
    fn a_star_stands_for_any_part_of_one_name() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        fs::create_dir_all(root.join("usr/lib/x86/plugins")).unwrap();
        fs::write(root.join("usr/lib/x86/plugins/a25.so"), "").unwrap();
        for (pattern, is_there) in [
            ("usr/lib/*/plugins/a*.so", true),
            ("usr/lib*/x86/plugins/a25.so", true),
            ("usr/*/plugins/a25.so", false),
            ("usr/lib/*/plugins/b*.so", false),
        ] {
            assert_eq!(first_of(root, pattern).is_some(), is_there, "{pattern}");
        }
    }
    /// The place and text of each line that names nearmiss.
    fn named(root: &Path, server: &str) -> Vec<String> {
        let server = SERVERS.iter().find(|one| one.name == server).unwrap();
        let lines = lines_naming(root, server);
        lines.iter().map(|line| format!("{} {}", line.place(root), line.text)).collect()
    }

    fn put(root: &Path, file: &str, text: &str) {
        let file = root.join(file);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    #[test]
    fn a_file_that_the_server_does_not_read_counts_for_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        for copy in ["nearmiss~", "nearmiss.dpkg-old", "nearmiss.ucf-dist"] {
            put(root, &format!("etc/krb5.conf.d/{copy}"), "module = nearmiss:own.so\n");
        }
        for other in ["notes.txt", "nearmiss.cnf.off"] {
            put(root, &format!("etc/mysql/{other}"), "plugin_load_add = nearmiss_password_check\n");
        }
        assert_eq!([named(root, "MIT Kerberos"), named(root, "MariaDB")], [Vec::<String>::new(), Vec::new()]);
        put(root, "etc/krb5.conf.d/nearmiss", "[plugins]\n module = nearmiss:own.so\n");
        put(root, "etc/mysql/conf.d/own.cnf", "plugin_load_add = nearmiss_password_check\n");
        assert_eq!(named(root, "MIT Kerberos"), ["/etc/krb5.conf.d/nearmiss:2 module = nearmiss:own.so"]);
        let line = "/etc/mysql/conf.d/own.cnf:1 plugin_load_add = nearmiss_password_check";
        assert_eq!(named(root, "MariaDB"), [line]);
    }

    #[test]
    fn a_configuration_of_the_greatest_length_is_read_and_a_longer_one_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let line = "check password script = filterctl hook samba\n";
        let comment = "#".repeat(usize::try_from(MAX_BYTES).unwrap() - line.len());
        put(folder.path(), "etc/samba/smb.conf", &format!("{line}{comment}"));
        assert_eq!(named(folder.path(), "Samba"), [format!("/etc/samba/smb.conf:1 {}", line.trim_end())]);
        put(folder.path(), "etc/samba/smb.conf", &format!("{line}{comment}#"));
        assert_eq!(named(folder.path(), "Samba"), [""; 0]);
    }
}
