//! The processes of a system, by what the kernel shows in `/proc` (proc(5)): program, start, groups, and the
//! files whose code is in memory. This is what runs, whatever files and configurations say by now.

use super::user::PEOPLE;
use std::{
    fs, io,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

/// Clock ticks of a second in `/proc`: `USER_HZ`, which is 100 on all architectures but Alpha and Itanium.
const TICKS: u64 = 100;

/// What the kernel adds to the path of a file that was removed or replaced.
const DELETED: &str = " (deleted)";

/// A process whose root folder is that of the system.
#[derive(Debug)]
pub(crate) struct Process {
    /// Its number.
    pub(crate) number: u32,
    /// The number of its parent.
    parent: u32,
    /// The first 15 bytes of its program's name.
    pub(crate) name: String,
    /// Its start, in seconds since 1970; none if the start of the system is not known.
    pub(crate) started: Option<u64>,
    /// The user who started it.
    real_user: Option<u32>,
    /// Its effective user.
    pub(crate) user: Option<u32>,
    /// Its groups: the effective one, and the others.
    pub(crate) groups: Vec<u32>,
    /// The unit of systemd that it belongs to, if it is one of the system's.
    pub(crate) unit: Option<String>,
    /// The files with code in its memory; none if only root may see them.
    pub(crate) code: Option<Vec<Mapped>>,
}

/// A file that is mapped into a process as code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mapped {
    /// Its path, as it was when it was mapped.
    pub(crate) path: PathBuf,
    /// True if the path has no file any more, or another one.
    pub(crate) is_replaced: bool,
}

/// The processes of the system below a folder with one of these names; none if the system shows no processes.
/// Processes of people are left out, since any user can give a process any name, and load any file. So are
/// the children of a process of the same name, which have its memory.
pub(crate) fn named(root: &Path, is_named: impl Fn(&str) -> bool) -> Option<Vec<Process>> {
    let folder = root.join("proc");
    let own = fs::metadata(root).ok()?;
    let booted = booted(&folder);
    let entries = fs::read_dir(&folder).ok()?.flatten();
    let numbers: Vec<u32> = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    if numbers.is_empty() {
        return None;
    }
    let read = |number: &u32| {
        let folder = folder.join(number.to_string());
        let line = Line::read(&folder).filter(|line| is_named(&line.name))?;
        // A container has another root, with a configuration of its own.
        let is_here = match fs::metadata(folder.join("root")) {
            Ok(other) => (other.dev(), other.ino()) == (own.dev(), own.ino()),
            Err(error) => error.kind() == io::ErrorKind::PermissionDenied,
        };
        let process = is_here.then(|| line.process(*number, root, &folder, booted))?;
        Some(process).filter(|process| process.real_user.is_none_or(|user| !PEOPLE.contains(&user)))
    };
    let mut found: Vec<Process> = numbers.iter().filter_map(read).collect();
    found.sort_by_key(|process| process.number);
    let all: Vec<(u32, String)> =
        found.iter().map(|process| (process.number, process.name.clone())).collect();
    found.retain(|process| !all.contains(&(process.parent, process.name.clone())));
    Some(found)
}

/// The start of the system, in seconds since 1970.
fn booted(folder: &Path) -> Option<u64> {
    let text = fs::read_to_string(folder.join("stat")).ok()?;
    text.lines().find_map(|line| line.strip_prefix("btime "))?.trim().parse().ok()
}

/// The line of `/proc/PID/stat`.
struct Line {
    name: String,
    parent: u32,
    /// The start, in ticks since the system started.
    ticks: u64,
}

impl Line {
    fn read(folder: &Path) -> Option<Line> {
        Line::of(&String::from_utf8_lossy(&fs::read(folder.join("stat")).ok()?))
    }

    /// The name is in parentheses, and may have parentheses itself.
    fn of(text: &str) -> Option<Line> {
        let (head, rest) = text.rsplit_once(')')?;
        let (_, name) = head.split_once('(')?;
        let mut fields = rest.split_ascii_whitespace();
        let parent = fields.nth(1)?.parse().ok()?;
        // Fields 4 (parent) and 22 (start).
        let ticks = fields.nth(17)?.parse().ok()?;
        Some(Line { name: name.to_owned(), parent, ticks })
    }

    fn process(self, number: u32, root: &Path, folder: &Path, booted: Option<u64>) -> Process {
        let status = fs::read_to_string(folder.join("status")).unwrap_or_default();
        let numbers = |name: &str| -> Vec<u32> {
            let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
            line.unwrap_or_default().split_ascii_whitespace().filter_map(|word| word.parse().ok()).collect()
        };
        // Real, effective, saved, and that of the file system.
        let effective = |name| numbers(name).get(1).copied();
        let real_user = numbers("Uid").first().copied();
        let seconds = self.ticks.checked_div(TICKS);
        Process {
            number,
            parent: self.parent,
            name: self.name,
            started: booted.zip(seconds).and_then(|(at, seconds)| at.checked_add(seconds)),
            real_user,
            user: effective("Uid"),
            groups: effective("Gid").into_iter().chain(numbers("Groups")).collect(),
            unit: unit(&fs::read_to_string(folder.join("cgroup")).unwrap_or_default()),
            code: code(root, folder),
        }
    }
}

/// The service in the text of `/proc/PID/cgroup`, whose lines end in the path of a group (cgroups(7)).
fn unit(groups: &str) -> Option<String> {
    let paths = groups.lines().filter_map(|line| line.splitn(3, ':').nth(2));
    let mut of_system = paths.filter_map(|path| path.strip_prefix("/system.slice/"));
    of_system.find_map(|path| path.split('/').find(|part| part.ends_with(".service")).map(str::to_owned))
}

/// The files that a process has mapped as code; none if they cannot be seen.
fn code(root: &Path, folder: &Path) -> Option<Vec<Mapped>> {
    let text = fs::read(folder.join("maps")).ok()?;
    let text = String::from_utf8_lossy(&text);
    let mut found: Vec<Mapped> = Vec::new();
    for mapped in text.lines().filter_map(|line| mapped(root, folder, line)) {
        if !found.contains(&mapped) {
            found.push(mapped);
        }
    }
    Some(found)
}

/// A line of `/proc/PID/maps`: addresses, rights, offset, device, inode and path.
fn mapped(root: &Path, folder: &Path, line: &str) -> Option<Mapped> {
    let (addresses, rest) = line.split_once(' ')?;
    let rights = rest.get(..4)?;
    let path = rest.get(rest.find('/')?..)?;
    if !rights.contains('x') {
        return None;
    }
    if let Some(path) = path.strip_suffix(DELETED) {
        return Some(Mapped { path: path.into(), is_replaced: true });
    }
    let path = PathBuf::from(path);
    let file = |path: &Path| fs::metadata(path).map(|found| (found.dev(), found.ino()));
    let now = file(&root.join(path.strip_prefix("/").unwrap_or(&path)));
    // The line may have the device and inode of a layer below the file system; this link has the file itself.
    let is_replaced = match (now, file(&folder.join("map_files").join(addresses))) {
        (Ok(now), Ok(then)) => now != then,
        (Err(error), _) => error.kind() == io::ErrorKind::NotFound,
        (Ok(_), Err(_)) => false,
    };
    Some(Mapped { path, is_replaced })
}

/// For tests: a folder `proc` in which the kernel seems to show processes.
#[cfg(test)]
pub(crate) mod sample {
    use std::{os::unix::fs::symlink, path::Path};

    use super::*;

    /// The start of the system that the folder shows.
    pub(crate) const BOOTED: u64 = 1_000_000_000;

    /// A process of a made-up system.
    pub(crate) struct Made<'m> {
        pub(crate) number: u32,
        pub(crate) parent: u32,
        pub(crate) name: &'m str,
        /// Its start, in seconds after the system's.
        pub(crate) seconds: u64,
        pub(crate) groups: &'m str,
        /// The user who started it.
        pub(crate) user: u32,
        /// The paths of the files in its memory, as the kernel shows them.
        pub(crate) code: &'m [&'m str],
    }

    impl Default for Made<'_> {
        fn default() -> Self {
            Made { number: 100, parent: 1, name: "mariadbd", seconds: 0, groups: "", user: 104, code: &[] }
        }
    }

    impl Made<'_> {
        /// Puts the process below a root.
        pub(crate) fn put(&self, root: &Path) {
            let folder = root.join(format!("proc/{}", self.number));
            let _ = fs::remove_dir_all(&folder);
            fs::create_dir_all(folder.join("map_files")).unwrap();
            fs::write(root.join("proc/stat"), format!("cpu 1 2\nbtime {BOOTED}\n")).unwrap();
            let ticks = self.seconds * TICKS;
            let zeros = "0 ".repeat(17);
            let line = format!("{} ({}) S {} {zeros}{ticks} 0\n", self.number, self.name, self.parent);
            fs::write(folder.join("stat"), line).unwrap();
            let status = format!(
                "Uid:\t{}\t104\t104\t104\nGid:\t110\t110\t110\t110\nGroups:\t{}\n",
                self.user, self.groups
            );
            fs::write(folder.join("status"), status).unwrap();
            symlink(root, folder.join("root")).unwrap();
            let line = |(at, path): (usize, &&str)| {
                let addresses = format!("{at}000-{at}fff");
                let now = root.join(path.trim_start_matches('/'));
                let _ = symlink(now, folder.join("map_files").join(&addresses));
                format!("{addresses} r-xp 00001000 fe:01 77 {:>10}{path}\n", "")
            };
            let text: String = self.code.iter().enumerate().map(line).collect();
            fs::write(folder.join("maps"), text).unwrap();
        }
    }
}

#[cfg(test)]
mod tests;
