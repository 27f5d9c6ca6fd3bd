//! `filterctl breaches`: on, off, what root installs of what another user fetched, and what is refused.

use std::{
    fs,
    os::unix::fs::{MetadataExt, PermissionsExt, symlink},
    path::{Path, PathBuf},
};

use crate::{Folder, Run, access::as_nobody, content, run};

/// A system in a folder, with the package.
struct System {
    folder: Folder,
}

const FILTER: &str = "root/var/cache/nearmiss/leaked.filter";
const FETCHED: &str = "root/var/lib/private/nearmiss-fetch/leaked.filter";
const OPTIONS: &str = "root/etc/nearmiss-fetch.env";
const TIMER: &str = "root/usr/lib/systemd/system/nearmiss-fetch.timer";
const TIMER_LINK: &str = "root/etc/systemd/system/timers.target.wants/nearmiss-fetch.timer";
const PROGRAM: &str = "root/usr/sbin/nearmiss-fetch";
const DROP_IN: &str = "root/etc/security/nearmiss.conf.d/60-breaches.conf";

impl System {
    fn new() -> System {
        let system = System { folder: Folder::new() };
        for name in [FETCHED, DROP_IN, OPTIONS, TIMER, PROGRAM] {
            fs::create_dir_all(system.path(name).parent().unwrap()).unwrap();
        }
        fs::create_dir_all(system.path("root/var/cache")).unwrap();
        for name in [TIMER, PROGRAM] {
            fs::write(system.path(name), "").unwrap();
        }
        system
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path(name)
    }

    fn breaches(&self, arguments: &[&str]) -> Run {
        let root = self.path("root");
        run([&["breaches"], arguments, &["--root", root.to_str().unwrap()]].concat())
    }

    /// The files of the other user's program: a filter of this number of digests, with the most common
    /// passwords, as the options have it, and how its run ended.
    fn fetch(&self, digests: u32, ended: u64) {
        let common = content::common_digests(1000).into_iter();
        let others = (0..).map(|i: u32| format!("{:08X}{:032X}", i.wrapping_mul(0x9e37_79b9), i));
        let lines: String =
            common.chain(others).take(digests as usize).map(|line| format!("{line}:3\n")).collect();
        let list = self.folder.file("list", &lines);
        let options = fs::read_to_string(self.path(OPTIONS)).unwrap_or_default();
        let is_for_logins = options.split(['"', ' ', '=', '\n']).any(|word| word == "--logins");
        let files =
            ["--output", self.path(FETCHED).to_str().unwrap(), list.to_str().unwrap()].map(str::to_owned);
        let more = is_for_logins.then(|| "--logins".to_owned());
        let words = ["build", "--kind", "sha1"].map(str::to_owned).into_iter().chain(more).chain(files);
        let built = run(words);
        assert_eq!(built.code, 0, "{built:?}");
        self.ended(&format!("{{\"schema\":1,\"ended\":{ended},\"result\":\"done\"}}"));
    }

    fn ended(&self, text: &str) {
        fs::write(self.path(&format!("{FETCHED}.run")), text).unwrap();
    }

    fn status(&self) -> (i32, serde_json::Value) {
        let run = self.breaches(&["status", "--json"]);
        (run.code, run.json().remove(0))
    }
}

fn now() -> u64 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs()
}

/// Without systemd the command that is named is one of this system, or there is none.
#[test]
fn without_systemd_the_script_of_cron_is_named() {
    let system = System::new();
    let enabled = || system.breaches(&["enable", "--yes"]);
    fs::remove_file(system.path(TIMER)).unwrap();
    assert!(enabled().out.contains("neither nearmiss-fetch.timer nor a script"), "{:?}", enabled());
    for script in ["etc/periodic/weekly/nearmiss-fetch", "etc/cron.weekly/nearmiss-fetch"] {
        let file = system.path(&format!("root/{script}"));
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, "").unwrap();
        let said = enabled();
        assert_eq!(said.code, 0, "{said:?}");
        let said = said.out.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(said.ends_with(&format!("for the first run now: /{script}")), "{said}");
    }
    // The script is a file of the administrator's, and stays when the package is removed.
    fs::remove_file(system.path(PROGRAM)).unwrap();
    assert!(enabled().err.contains("install the package nearmiss-fetch"), "{:?}", enabled());
}

/// In an image nothing can be started: the timer fetches once the image is booted.
#[test]
fn in_an_image_the_timer_is_enabled() {
    let system = System::new();
    for _ in 0..2 {
        let on = system.breaches(&["enable", "--yes"]);
        assert!(on.code == 0 && on.out.contains("nearmiss-fetch.timer is enabled"), "{on:?}");
        let to = fs::read_link(system.path(TIMER_LINK)).unwrap();
        assert_eq!(to, Path::new("/usr/lib/systemd/system/nearmiss-fetch.timer"));
        assert_eq!(system.breaches(&["disable"]).code, 0);
        assert!(fs::symlink_metadata(system.path(TIMER_LINK)).is_err());
    }
}

/// A link of an image that leads to the host's folders leads to files of another system.
#[test]
fn nothing_outside_of_an_image_is_written_or_removed() {
    for (folder, elsewhere) in [
        ("root/var/cache", "host/cache"),
        ("root/etc", "host/etc"),
        ("root/etc/security/nearmiss.conf.d", "host/conf.d"),
        ("root/etc/systemd/system/timers.target.wants", "host/wants"),
        ("root/var/lib/private", "host/private"),
    ] {
        let system = System::new();
        let (link, host) = (system.path(folder), system.path(elsewhere));
        fs::create_dir_all(host.join("nearmiss")).unwrap();
        fs::write(host.join("nearmiss/leaked.filter"), "the host's").unwrap();
        fs::write(host.join("60-breaches.conf"), "the host's").unwrap();
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        let _ = fs::remove_dir_all(&link);
        symlink(&host, &link).unwrap();
        for arguments in [&["disable", "--remove"][..], &["enable", "--yes"], &["install"], &["status"]] {
            let refused = system.breaches(arguments);
            assert_eq!(refused.code, 2, "{folder} {refused:?}");
            assert!(refused.error_line().contains("leads out of the folder of its system"), "{refused:?}");
        }
        let files = fs::read_dir(&host).unwrap().count();
        assert!(files == 2 && host.join("nearmiss/leaked.filter").exists(), "{folder}");
    }
}

/// "On" is what the settings in force do, not the switch alone.
#[test]
fn a_filter_that_no_setting_names_is_not_said_to_be_used() {
    let system = System::new();
    system.breaches(&["enable", "--yes"]);
    system.fetch(2000, now());
    assert_eq!(system.breaches(&["install"]).code, 0);
    let (code, state) = system.status();
    assert_eq!((code, &state["used"]), (0, &true.into()), "{state}");
    let text = fs::read_to_string(system.path(DROP_IN)).unwrap();
    assert!(
        text.contains("\nfile = \"/var/cache/nearmiss/leaked.filter\"\n"),
        "as the image names it: {text}"
    );
    fs::remove_file(system.path(DROP_IN)).unwrap();
    let (code, state) = system.status();
    assert_eq!((code, &state["enabled"], &state["used"]), (1, &true.into(), &false.into()), "{state}");
    assert!(system.breaches(&["status"]).out.contains("not used: the settings do not name the filter"));
    assert_eq!(system.breaches(&["install"]).code, 0);
    assert_eq!(system.status().0, 0);
    fs::remove_file(system.path(OPTIONS)).unwrap();
    let (code, state) = system.status();
    assert_eq!((code, &state["enabled"], &state["used"]), (1, &false.into(), &true.into()), "{state}");
}

#[test]
fn it_says_what_it_costs_and_asks_first() {
    let system = System::new();
    assert_eq!(
        system.status(),
        (
            0,
            serde_json::json!({"schema": 1, "enabled": false, "used": false, "digests": null,
        "age_days": null, "ended": null, "failed": null})
        )
    );
    let asked = system.breaches(&["enable"]);
    assert_eq!(asked.code, 2, "{asked:?}");
    assert!(asked.out.contains("80 GB") && asked.err.contains("--yes"), "{asked:?}");
    assert!(!system.path("root/etc/nearmiss-fetch.env").exists());
    // The role of packaging/ansible compares this line with its own.
    let mirror = ["--url", "https://mirror.example/p", "--proxy", "http://proxy.example:3128"];
    let on = system.breaches(&[&["enable", "--yes", "--min-count", "10"][..], &mirror].concat());
    assert_eq!(on.code, 0, "{on:?}");
    assert!(on.out.contains("at most 5.") || on.out.contains("at most 6."), "{on:?}");
    let options = fs::read_to_string(system.path("root/etc/nearmiss-fetch.env")).unwrap();
    assert!(
        options.ends_with(&format!("OPTIONS=\"--kind sha1 --min-count 10 {}\"\n", mirror.join(" "))),
        "{options}"
    );
    assert!(!system.path(DROP_IN).exists(), "a filter that is missing would lock everybody out");
    assert_eq!(system.status().0, 1);
    fs::remove_file(system.path(PROGRAM)).unwrap();
    assert!(
        system.breaches(&["enable", "--yes"]).error_line().contains("install the package nearmiss-fetch")
    );
}

#[test]
fn a_filter_that_was_rolled_back_is_not_installed_again_without_a_word() {
    let system = System::new();
    system.breaches(&["enable", "--yes"]);
    let bytes = |name: &str| fs::read(system.path(name)).unwrap();
    system.fetch(2000, now());
    assert_eq!(system.breaches(&["install"]).code, 0);
    let first = bytes(FILTER);
    system.fetch(2010, now());
    assert_eq!(system.breaches(&["install"]).code, 0);
    let rolled = run(["rollback", system.path(FILTER).to_str().unwrap()]);
    assert!(rolled.code == 0 && bytes(FILTER) == first, "{rolled:?}");
    let again = system.breaches(&["install"]);
    assert!(again.code == 2 && again.err.contains("taken back by filterctl rollback"), "{again:?}");
    assert!(bytes(FILTER) == first);
    assert!(system.status().1["failed"].as_str().unwrap().contains("taken back"));
    system.fetch(2020, now());
    assert_eq!(system.breaches(&["install"]).code, 0);
    assert!(bytes(FILTER) == bytes(FETCHED));
}

/// Such as one with a word in its options that it does not know.
/// The result of the run before would stay.
#[test]
fn a_lost_folder_of_the_fetched_files_is_a_failed_run() {
    let system = System::new();
    system.breaches(&["enable", "--yes"]);
    system.fetch(2000, now());
    assert_eq!(system.breaches(&["install"]).code, 0);
    fs::remove_dir_all(system.path(FETCHED).parent().unwrap()).unwrap();
    assert_eq!(system.breaches(&["install"]).code, 2);
    let (_, state) = system.status();
    assert!(state["failed"].as_str().unwrap().contains("nothing was fetched"), "{state}");
}

#[test]
fn a_run_that_left_no_report_did_not_succeed() {
    let system = System::new();
    system.breaches(&["enable", "--yes"]);
    assert_eq!(system.breaches(&["install"]).code, 0);
    let (code, status) = system.status();
    assert_eq!(code, 1);
    assert!(status["failed"].as_str().unwrap().contains("left no report"), "{status}");
}

#[test]
fn what_was_fetched_is_installed_configured_and_taken_back() {
    let system = System::new();
    let early = system.breaches(&["install"]);
    assert!(early.code == 0 && early.err.contains("switched off") && !system.path(FILTER).exists());
    system.breaches(&["enable", "--yes"]);
    system.fetch(2000, now());
    let installed = system.breaches(&["install"]);
    assert_eq!((installed.code, installed.err.as_str()), (0, ""), "{installed:?}");
    let bytes = |name: &str| fs::read(system.path(name)).unwrap();
    assert!(bytes(FILTER) == bytes(FETCHED));
    assert_eq!(fs::metadata(system.path(FILTER)).unwrap().mode() & 0o027, 0);
    let drop_in = fs::read_to_string(system.path(DROP_IN)).unwrap();
    assert!(drop_in.contains("[[dictionary]]") && drop_in.contains("leaked.filter\""), "{drop_in}");
    assert!(!drop_in.contains("logins"));
    let (code, status) = system.status();
    assert_eq!((code, &status["enabled"], &status["age_days"]), (0, &true.into(), &0.into()));
    let inode = fs::metadata(system.path(FILTER)).unwrap().ino();
    assert_eq!(system.breaches(&["install"]).code, 0);
    assert_eq!(fs::metadata(system.path(FILTER)).unwrap().ino(), inode, "the same is not installed again");
    let before = bytes(FILTER);
    system.fetch(2010, now());
    assert_eq!(system.breaches(&["install"]).code, 0);
    assert!(bytes(FILTER) == bytes(FETCHED) && bytes(&format!("{FILTER}.previous")) == before);
    system.breaches(&["enable", "--yes", "--logins"]);
    let drop_in = || fs::read_to_string(system.path(DROP_IN)).unwrap();
    assert_eq!((system.breaches(&["install"]).code, drop_in().contains("logins = true")), (0, false));
    system.fetch(2020, now());
    assert_eq!((system.breaches(&["install"]).code, drop_in().contains("logins = true")), (0, true));
    fs::write(system.path(OPTIONS), "OPTIONS=--logins\n").unwrap();
    system.fetch(2030, now());
    assert_eq!((system.breaches(&["install"]).code, drop_in().contains("logins = true")), (0, true));
    fs::write(system.path(OPTIONS), "OPTIONS=\"--url https://a.example/x--logins\"\n").unwrap();
    system.fetch(2040, now());
    assert_eq!((system.breaches(&["install"]).code, drop_in().contains("logins = true")), (0, false));
    let off = system.breaches(&["disable"]);
    assert_eq!(off.code, 0, "{off:?}");
    assert!(!system.path(DROP_IN).exists() && system.path(FILTER).exists());
    assert_eq!(system.breaches(&["disable", "--remove"]).code, 0);
    let left = |folder: &str| fs::read_dir(system.path(folder)).unwrap().count();
    assert_eq!((left("root/var/cache/nearmiss"), left("root/var/lib/private/nearmiss-fetch")), (0, 0));
}

#[test]
fn what_is_damaged_or_less_or_no_file_is_refused() {
    let system = System::new();
    system.breaches(&["enable", "--yes"]);
    system.fetch(2000, now());
    assert_eq!(system.breaches(&["install"]).code, 0);
    let good = fs::read(system.path(FILTER)).unwrap();
    let refused = |reason: &str| {
        let run = system.breaches(&["install"]);
        assert!(run.error_line().contains(reason), "{reason}: {run:?}");
        assert!(fs::read(system.path(FILTER)).unwrap() == good, "{reason}");
        assert!(!system.path(&format!("{FILTER}.candidate")).exists(), "{reason}");
    };
    system.fetch(1900, now());
    refused("has 1900 digests, and the installed one has 2000");
    system.fetch(2100, now());
    let mut damaged = fs::read(system.path(FETCHED)).unwrap();
    let at = damaged.len() - 99;
    damaged[at] ^= 1;
    fs::write(system.path(FETCHED), &damaged).unwrap();
    refused("page");
    fs::write(system.path(FETCHED), b"no filter").unwrap();
    refused("is not a");
    fs::write(system.path(FETCHED), &damaged[..8192]).unwrap();
    refused("bytes");
    // Other options make another filter: it may be smaller.
    system.fetch(1500, now());
    system.breaches(&["enable", "--yes", "--min-count", "10"]);
    assert_eq!(system.breaches(&["install"]).code, 0);
    assert!(fs::read(system.path(FILTER)).unwrap() != good);
}

#[test]
fn nothing_is_followed_or_believed_in_the_folder_of_the_other_user() {
    let system = System::new();
    system.breaches(&["enable", "--yes"]);
    symlink("/etc/passwd", system.path(FETCHED)).unwrap();
    system.ended(&format!(
        "{{\"schema\":1,\"ended\":{},\"result\":\"failed\",\"reason\":\"a\\u001b[31m{}\"}}",
        u64::MAX,
        "x".repeat(9000)
    ));
    assert_eq!(system.breaches(&["install"]).code, 0);
    assert!(!system.path(FILTER).exists() && !system.path(DROP_IN).exists());
    let (code, status) = system.status();
    let reason = status["failed"].as_str().unwrap();
    assert_eq!((code, reason.len()), (1, 500));
    assert!(!reason.contains('\u{1b}') && status["ended"].as_u64().unwrap() <= now(), "{status}");
    assert!(Path::new("/etc/passwd").exists());
    system.ended(&"[".repeat(100_000));
    assert_eq!(system.breaches(&["install"]).code, 0);
}

/// Another user may not see whether the checks are on: that is not "off".
#[test]
fn what_a_user_may_not_see_is_an_error_and_not_off() {
    if !rustix::process::geteuid().is_root() {
        eprintln!("SKIPPED: needs root: files that belong to another user");
        return;
    }
    let system = System::new();
    assert_eq!(system.breaches(&["enable", "--yes"]).code, 0);
    fs::set_permissions(system.path("root/etc"), fs::Permissions::from_mode(0o700)).unwrap();
    fs::set_permissions(system.path(""), fs::Permissions::from_mode(0o755)).unwrap();
    let root = system.path("root").display().to_string();
    for command in [&["breaches", "status"][..], &["breaches", "status", "--json"], &["breaches", "install"]]
    {
        let told = as_nobody(&system.folder, &[command, &["--root", &root]].concat(), b"");
        assert!(told.error_line().contains("cannot see whether"), "{command:?}: {told:?}");
    }
    let doctor = as_nobody(&system.folder, &["doctor", "--only", "filters", "--root", &root], b"").out;
    assert!(doctor.starts_with("UNJUDGED"), "{doctor}");
}
