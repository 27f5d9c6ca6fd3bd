//! The lines of one kind that libpam has for a service, with includes replaced by the lines of their files.

use std::path::{Path, PathBuf};

use nearmiss_policy::config::at;

use super::{
    FALLBACK, FOLDERS, StackEntry,
    text::{Joined, joined},
};
use crate::host::text_file::{is_file_below, read_below};

/// The deepest chain of includes that is followed.
const DEEPEST: usize = 16;

/// A line, and the number of substacks that it is in: a jump or an end stays inside them.
#[derive(Clone, Debug)]
pub(crate) struct Link {
    /// The line.
    pub(crate) line: StackEntry,
    /// The number of substacks around it.
    pub(crate) level: usize,
}

impl Link {
    /// True for the line that begins a substack, whose lines follow one level deeper.
    pub(crate) fn is_head(&self) -> bool {
        self.line.control == "substack"
    }
}

/// The lines of one kind of a service.
pub(crate) struct Chain {
    /// The service's file.
    pub(crate) file: PathBuf,
    /// Its lines, and a head for each substack.
    pub(crate) links: Vec<Link>,
    /// The lines that include a file which is not there; the module is the file's name.
    pub(crate) missing: Vec<StackEntry>,
    /// True if the includes go deeper than they are followed.
    pub(crate) is_cut: bool,
}

impl Chain {
    /// The lines of this kind of a service below `root`; none if it has no file.
    pub(crate) fn of_service(root: &Path, service: &str, kind: &str) -> Option<Chain> {
        let file = file_of(root, service)?;
        let mut chain = Chain { file: file.clone(), links: Vec::new(), missing: Vec::new(), is_cut: false };
        Reader { root, kind, chain: &mut chain }.read(&file, 0, 0);
        Some(chain)
    }

    /// The same; for a service without a file, the lines that libpam has instead.
    pub(crate) fn in_force(root: &Path, service: &str, kind: &str) -> Option<Chain> {
        Chain::of_service(root, service, kind).or_else(|| Chain::of_service(root, FALLBACK, kind))
    }
}

/// Reads files into a chain.
struct Reader<'r> {
    root: &'r Path,
    kind: &'r str,
    chain: &'r mut Chain,
}

impl Reader<'_> {
    fn read(&mut self, file: &Path, level: usize, depth: usize) {
        let text = read_below(self.root, file).unwrap_or_default();
        for joined in joined(&text) {
            if let Some(name) = at_include(&joined.text) {
                let line = format!("{} include {name}", self.kind);
                if let Some(line) = (Joined { text: line, ..joined }).parse(file) {
                    self.include(line, level, depth);
                }
                continue;
            }
            let Some(line) = joined.parse(file).filter(|line| line.kind == self.kind) else { continue };
            match line.control.as_str() {
                "include" => self.include(line, level, depth),
                "substack" => {
                    self.chain.links.push(Link { line: line.clone(), level });
                    self.include(line, level.saturating_add(1), depth);
                }
                _ => self.chain.links.push(Link { line, level }),
            }
        }
    }

    /// Adds the lines of the file that a line includes.
    fn include(&mut self, line: StackEntry, level: usize, depth: usize) {
        match file_of(self.root, &line.module) {
            Some(file) if depth < DEEPEST => self.read(&file, level, depth.saturating_add(1)),
            Some(_) => self.chain.is_cut = true,
            None => self.chain.missing.push(line),
        }
    }
}

/// The file that a line of the form `@include` names; libpam takes the word in capitals, too.
fn at_include(text: &str) -> Option<String> {
    let mut words = text.split_whitespace();
    words.next().filter(|word| word.eq_ignore_ascii_case("@include"))?;
    words.next().map(str::to_owned)
}

/// The file of a service, or the one that an include names by its whole path.
fn file_of(root: &Path, service: &str) -> Option<PathBuf> {
    if service.starts_with('/') {
        return Some(at(root, Path::new(service))).filter(|file| is_file_below(root, file));
    }
    let mut files = FOLDERS.iter().map(|folder| root.join(folder).join(service));
    files.find(|file| is_file_below(root, file))
}

/// The names of the files that the lines of this kind of a service's file include.
pub(crate) fn included(root: &Path, service: &str, kind: &str) -> Vec<String> {
    let Some(file) = file_of(root, service) else { return Vec::new() };
    let text = read_below(root, &file).unwrap_or_default();
    let of_line = |line: Joined| {
        let of_kind = || StackEntry::parse(&line.text).filter(|line| line.kind == kind);
        let include = || of_kind().filter(|line| matches!(line.control.as_str(), "include" | "substack"));
        at_include(&line.text).or_else(|| include().map(|line| line.module))
    };
    joined(&text).into_iter().filter_map(of_line).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// Substacks have a level of their own, whatever includes them.
    #[test]
    fn a_line_knows_the_substacks_that_it_is_in() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("etc/pam.d");
        fs::create_dir_all(&folder).unwrap();
        for (name, text) in [
            ("sshd", "auth substack a\n@Include b # c\naccount substack a\nauth required pam_z.so\n"),
            ("a", "auth required pam_a.so\nauth substack b\naccount required pam_account.so\n"),
            ("b", "auth required pam_b.so\n"),
        ] {
            fs::write(folder.join(name), text).unwrap();
        }
        let chain = Chain::of_service(root.path(), "sshd", "auth").unwrap();
        let told: Vec<_> = chain.links.iter().map(|link| (link.line.module.as_str(), link.level)).collect();
        let expected =
            [("a", 0), ("pam_a.so", 1), ("b", 1), ("pam_b.so", 2), ("pam_b.so", 0), ("pam_z.so", 0)];
        assert_eq!(told, expected);
        assert!(chain.missing.is_empty() && !chain.is_cut);
        fs::write(folder.join("b"), "auth include b\nauth include none\n").unwrap();
        let chain = Chain::of_service(root.path(), "sshd", "auth").unwrap();
        assert!(chain.is_cut && chain.missing.iter().all(|line| line.module == "none"));
        assert_eq!(included(root.path(), "sshd", "account"), ["b", "a"]);
    }
}
