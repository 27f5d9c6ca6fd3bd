//! Symbolic links on the way to the files of a site: every command follows and refuses the same ones, and
//! where one is refused, it is named.

use std::{
    fs,
    os::unix::{
        fs::{PermissionsExt, lchown, symlink},
        process::CommandExt,
    },
    path::{Path, PathBuf},
    process::Command,
};

use crate::{Folder, Run, run, run_with};

/// A user who is not trusted.
const STRANGER: u32 = 4343;

fn is_root() -> bool {
    let is_root = rustix::process::geteuid().is_root();
    if !is_root {
        eprintln!("SKIPPED: needs root: a link that belongs to another user, and a program of another user");
    }
    is_root
}

/// A site whose configuration and filter are reached through links of this folder.
struct Site {
    folder: Folder,
    conf: PathBuf,
    filter: PathBuf,
}

impl Site {
    fn new() -> Site {
        let folder = Folder::new();
        let real = folder.filter("butterfly\npassword1\n");
        for name in ["etc", "disk"] {
            fs::create_dir(folder.path(name)).unwrap();
        }
        fs::rename(&real, folder.path("disk/words.filter")).unwrap();
        let (conf, filter) = (folder.path("etc/site.conf"), folder.path("cache/words.filter"));
        symlink("disk", folder.path("cache")).unwrap();
        let none = folder.path("none").display().to_string();
        let shown = filter.display();
        let text = format!(
            "packaged = false\n[[dictionary]]\nfile = \"{shown}\"\n[ladder]\nfile = {none:?}\nkey = {none:?}\n\
             [guesses]\nfile = {none:?}\n"
        );
        // As a ConfigMap is mounted.
        fs::create_dir(folder.path("etc/..2024")).unwrap();
        fs::write(folder.path("etc/..2024/site.conf"), text).unwrap();
        symlink("..2024", folder.path("etc/..data")).unwrap();
        symlink("..data/site.conf", &conf).unwrap();
        Site { folder, conf, filter }
    }

    fn link(&self) -> PathBuf {
        self.folder.path("cache")
    }

    fn check(&self, password: &str) -> Run {
        run_with(["check", "--conf", text(&self.conf)], format!("{password}\n").as_bytes())
    }

    fn doctor(&self) -> Run {
        run(["doctor", "--only", "filters,ladder", "--conf", text(&self.conf)])
    }

    fn all(&self) -> Vec<(&'static str, Run)> {
        let filter = text(&self.filter);
        let add = self.folder.file("more.txt", "wheelbarrow\n");
        vec![
            ("check", self.check("tr0ub4dor-and-a-horse")),
            ("verify", run(["verify", filter])),
            ("doctor", self.doctor()),
            ("add", run(["add", "--force", filter, text(&add)])),
        ]
    }
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn links_in_closed_folders_are_followed_by_every_command() {
    let site = Site::new();
    assert_eq!(site.check("butterfly").code, 1);
    for (command, run) in site.all() {
        assert_eq!(run.code, 0, "{command}: {run:?}");
    }
    assert_eq!(site.check("wheelbarrow").code, 1, "what was added is in the folder that the link leads to");
    assert!(fs::symlink_metadata(site.link()).unwrap().is_symlink());
}

#[test]
fn a_link_of_another_user_is_named_by_every_command_and_the_fix_takes_it_over() {
    if !is_root() {
        return;
    }
    let site = Site::new();
    lchown(site.link(), Some(STRANGER), None).unwrap();
    let before = fs::read(&site.filter).unwrap();
    for (command, run) in site.all() {
        // verify examines what the name leads to, and says that the module refuses it.
        assert!(run.code != 0 || command == "verify", "{command}: {run:?}");
        let told = format!("{}{}", run.out, run.err).split_whitespace().collect::<Vec<_>>().join(" ");
        let says = format!("{}: is another user's symbolic link", site.link().display());
        assert!(told.contains(&says), "{command}: {told}");
    }
    assert_eq!(fs::read(&site.filter).unwrap(), before, "nothing was written through it");
    let told = site.doctor().out;
    let fix = told.lines().find_map(|line| line.trim().strip_prefix("fix: ")).unwrap();
    assert!(Command::new("sh").args(["-c", fix]).status().unwrap().success(), "{fix}");
    assert_eq!(site.doctor().code, 0, "{fix}: {:?}", site.doctor());
}

#[test]
fn a_link_that_others_could_replace_or_that_leads_nowhere_is_named() {
    let site = Site::new();
    let root = site.folder.path("");
    let mode = |mode| fs::set_permissions(&root, fs::Permissions::from_mode(mode)).unwrap();
    mode(0o1777);
    let told = site.check("tr0ub4dor-and-a-horse");
    let link = site.link().display().to_string();
    assert!(told.err.contains(&format!("{link}: is a symbolic link in a folder that others")), "{told:?}");
    mode(0o755);
    fs::rename(site.folder.path("disk"), site.folder.path("unplugged")).unwrap();
    let told = site.check("tr0ub4dor-and-a-horse");
    assert!(told.err.contains(&format!("{link}: is a symbolic link to a missing file")), "{told:?}");
}

/// A user cannot see the filter, which is no fault of the site.
#[test]
fn a_users_doctor_judges_what_a_user_can_see_and_says_what_it_cannot() {
    if !is_root() {
        return;
    }
    let site = Site::new();
    let program = site.folder.path("filterctl");
    fs::copy(env!("CARGO_BIN_EXE_filterctl"), &program).unwrap();
    for (path, mode) in [("", 0o755), ("filterctl", 0o755), ("etc/..2024/site.conf", 0o644)] {
        fs::set_permissions(site.folder.path(path), fs::Permissions::from_mode(mode)).unwrap();
    }
    fs::set_permissions(site.folder.path("disk/words.filter"), fs::Permissions::from_mode(0o600)).unwrap();
    fs::write(site.folder.path("disk/words.filter.update"), "").unwrap();
    fs::set_permissions(site.folder.path("disk/words.filter.update"), fs::Permissions::from_mode(0o600))
        .unwrap();
    let doctor = |conf: &Path| {
        let mut command = Command::new(&program);
        command.args([
            "doctor",
            "--only",
            "filters,ladder",
            "--only-problems",
            "--json",
            "--conf",
            text(conf),
        ]);
        let output = command.uid(STRANGER).gid(STRANGER).output().unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    };
    let (status, told) = doctor(&site.conf);
    assert_eq!(status, Some(4), "{told}");
    assert!(told.contains("\"unjudged\"") && told.contains("sudo filterctl doctor"), "{told}");
    for untrue in ["\"wrong\"", "\"warning\"", "rm ", "users cannot change passwords"] {
        assert!(!told.contains(untrue), "{untrue}: {told}");
    }
    // What a user can see is judged.
    fs::write(site.folder.path("etc/..2024/site.conf"), "min_lenght = 9\n").unwrap();
    let (status, told) = doctor(&site.conf);
    assert!(status == Some(1) && told.contains("min_lenght"), "{told}");
}
