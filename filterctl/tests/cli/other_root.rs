//! With `--root`, every command reads the settings, the drop-ins and the filters of that system: never the
//! files of the host that runs it.

use std::{
    fs::{self, Permissions},
    os::unix::fs::{PermissionsExt, symlink},
};

use crate::{Folder, Run, run, run_with};

/// An image with the packaged filter of `elephant`, and these settings and drop-in.
struct Image(Folder);

const FILTER: &str = "var/cache/nearmiss/words.filter";

impl Image {
    fn new(settings: &str, drop_in: &str) -> Image {
        let folder = Folder::new();
        for name in ["etc/pam.d", "etc/security/nearmiss.conf.d", "var/cache/nearmiss"] {
            fs::create_dir_all(folder.path(name)).unwrap();
        }
        folder.file("etc/pam.d/passwd", "password requisite pam_nearmiss.so retry=3\n");
        folder.file("etc/security/nearmiss.conf", settings);
        folder.file("etc/security/nearmiss.conf.d/50-site.conf", drop_in);
        let built = folder.filter("elephant\n");
        fs::copy(&built, folder.path("var/cache/nearmiss/exact.filter")).unwrap();
        fs::rename(built, folder.path(FILTER)).unwrap();
        Image(folder)
    }

    fn run(&self, command: &[&str]) -> Run {
        self.run_with(command, b"")
    }

    fn run_with(&self, command: &[&str], input: &[u8]) -> Run {
        let root = self.0.path("");
        run_with([command, &["--root", root.to_str().unwrap()]].concat(), input)
    }
}

#[test]
fn the_settings_are_the_ones_of_the_image() {
    let image = Image::new("min_length = 9\nenforce = \"audit\"\n", "min_length = 17\n");
    let shown = image.run(&["config", "--changed"]);
    let [main, drop_in] = ["nearmiss.conf", "nearmiss.conf.d/50-site.conf"]
        .map(|name| image.0.path(&format!("etc/security/{name}")).display().to_string());
    assert!(shown.out.contains(&format!("# file: {main}\n# file: {drop_in}\n")), "{shown:?}");
    assert!(shown.out.contains("min_length = 17") && shown.out.contains("enforce = \"audit\""), "{shown:?}");
    let metrics = image.run(&["metrics"]).out;
    assert!(metrics.contains("nearmiss_enforcement{level=\"audit\"} 1\n"), "{metrics}");
    let doctor = image.run(&["doctor", "--only", "stack"]);
    let level = "enforce = \"audit\": weak passwords are accepted [settings-level]";
    assert!(doctor.out.contains(level), "{doctor:?}");
    assert!(!doctor.out.contains("weak passwords are rejected"), "{doctor:?}");
}

#[test]
fn an_image_without_settings_has_the_defaults_or_its_vendors() {
    let image = Image::new("", "");
    fs::remove_dir_all(image.0.path("etc/security")).unwrap();
    let shown = image.run(&["config"]);
    assert!(shown.code == 0 && shown.out.contains("# no file: there is no "), "{shown:?}");
    fs::create_dir_all(image.0.path("usr/share/nearmiss")).unwrap();
    image.0.file("usr/share/nearmiss/nearmiss.conf", "min_length = 13\n");
    let shown = image.run(&["config", "--changed"]);
    assert!(shown.out.contains("min_length = 13"), "{shown:?}");
}

#[test]
fn the_filters_and_the_words_are_the_ones_of_the_image() {
    let image = Image::new("[policy]\nforbidden_words_file = \"/etc/security/words\"\n", "");
    image.0.file("etc/security/words", "contoso\n");
    let judged = image.run_with(&["check", "--no-ladder"], b"elephant\nxq7.contoso.Vz0Lp\nVq7#mzt0Lp2x\n");
    let verdicts: Vec<&str> = judged.out.lines().map(|line| line.split(':').nth(2).unwrap_or("")).collect();
    assert_eq!(verdicts, [" dictionary", " forbidden-word", ""], "{judged:?}");
    let path = image.0.path(FILTER).display().to_string();
    let metrics = image.run(&["metrics"]).out;
    assert!(metrics.contains(&format!("nearmiss_filter_words{{file=\"{path}\"}} 1\n")), "{metrics}");
    let doctor = image.run(&["doctor", "--only", "filters"]);
    assert!(doctor.out.contains(&path), "{doctor:?}");
    let verified = image.run(&["verify", "--all", "--json"]);
    assert!(verified.out.contains(&path), "{verified:?}");
    // The path as the settings of the image say it is nowhere.
    for run in [&doctor, &verified] {
        assert!(!format!("{run:?}").contains(" /var/cache/nearmiss/words.filter"), "{run:?}");
    }
    fs::remove_file(image.0.path(FILTER)).unwrap();
    let doctor = image.run(&["doctor", "--only", "filters"]);
    assert!(doctor.code == 1 && doctor.out.contains(&path), "{doctor:?}");
}

/// An absolute link of an image leads to the host's file.
#[test]
fn a_link_that_leads_out_of_the_image_is_not_judged() {
    let outside = Folder::new();
    let host = outside.file("nearmiss.conf", "min_length = 11\n");
    let image = Image::new("", "");
    let conf = image.0.path("etc/security/nearmiss.conf");
    fs::remove_file(&conf).unwrap();
    symlink(&host, &conf).unwrap();
    let refused = image.run(&["config"]);
    let line = refused.error_line();
    assert!(line.contains("leads out of") && line.contains(conf.to_str().unwrap()), "{line}");
    let doctor = image.run(&["doctor", "--only", "stack", "--json"]).json().remove(0);
    let findings = doctor["findings"].as_array().unwrap();
    let of_settings: Vec<_> = findings.iter().filter(|one| one["check"] == "settings").collect();
    assert!(of_settings.len() == 1 && of_settings[0]["state"] == "unjudged", "{findings:?}");
    let metrics = image.run(&["metrics"]).out;
    assert!(metrics.contains("nearmiss_configuration_readable 0\n"), "{metrics}");
}

/// The record of failed logins is the image's: this host's folder says nothing of it.
#[test]
fn the_folder_of_failed_logins_is_the_one_of_the_image() {
    let guesses = |root: &str| {
        let folder = format!("{root}/var/lib/nearmiss");
        let key = format!("[ladder]\nkey = \"{root}/etc/security/key\"\n");
        key + &format!("[guesses]\nfile = \"{folder}/guessed.ladder\"\n")
    };
    let image = Image::new(&guesses(""), "");
    fs::create_dir_all(image.0.path("var/lib/nearmiss")).unwrap();
    let named = image.0.file("named.conf", guesses(image.0.0.path().to_str().unwrap()));
    let made = run(["ladder", "init", "--guessed", "--conf", named.to_str().unwrap()]);
    assert_eq!(made.code, 0, "{made:?}");
    let folder = image.0.path("run/nearmiss");
    fs::create_dir_all(&folder).unwrap();
    fs::set_permissions(&folder, Permissions::from_mode(0o755)).unwrap();
    let doctor = image.run(&["doctor", "--only", "ladder"]);
    assert!(doctor.out.contains(&format!("{} has mode 0755", folder.display())), "{doctor:?}");
}

/// What is wrong with an image is mended in the image: no command that is shown changes the running system.
#[test]
fn each_fix_for_an_image_acts_on_the_image() {
    let image = Image::new("log = \"none\"\n[update]\ngroup = \"nosuchgroup\"\n", "");
    let root = image.0.0.path().to_str().unwrap();
    let fixes = || -> Vec<String> {
        let told = run(["doctor", "--json", "--root", root]).json().remove(0);
        let findings = told["findings"].as_array().unwrap().iter();
        findings.filter_map(|finding| finding["fix"].as_str().map(str::to_owned)).collect()
    };
    let chroot = |command: &str| format!("chroot {root} {command}");
    let mut seen = Vec::new();
    let mut examine = |expected: &[String]| {
        let found = fixes();
        for command in expected {
            assert!(found.contains(command), "{command}: {found:#?}");
        }
        seen.extend(found);
    };
    for folder in ["usr/bin", "etc/default", "var/lib/dpkg", "run/systemd/system"] {
        fs::create_dir_all(image.0.path(folder)).unwrap();
    }
    // Nothing of libpam is there, and no filter.
    fs::remove_file(image.0.path(FILTER)).unwrap();
    image.0.file("etc/default/locale", "LANG=fr_FR.UTF-8\n");
    examine(&[format!("find {root} -xdev -name pam_nearmiss.so"), chroot("filterctl update")]);
    image.0.file("usr/bin/dnf", "");
    let filter = image.0.filter("elephant\n");
    fs::rename(filter, image.0.path(FILTER)).unwrap();
    fs::create_dir_all(image.0.path("lib/x86_64-linux-gnu/security")).unwrap();
    image.0.file("lib/x86_64-linux-gnu/security/pam_unix.so", "");
    let module = "/lib/x86_64-linux-gnu/security/pam_nearmiss.so";
    examine(&[chroot(&format!("dnf reinstall {module}")), chroot("apt install wfrench")]);
    image.0.file("usr/bin/apt-get", "");
    image.0.file("etc/pam.d/passwd", "password required pam_unix.so\n");
    examine(&["man pam_nearmiss".to_owned()]);
    image.0.file(
        "etc/pam.d/passwd",
        "password requisite pam_nearmiss.so retry=3\npassword required pam_unix.so\n",
    );
    fs::write(image.0.path(&format!("{FILTER}.update")), "{").unwrap();
    let record = image.0.path(&format!("{FILTER}.update")).display().to_string();
    examine(&[
        chroot("apt-get install --reinstall libpam-nearmiss"),
        format!("vi +2 {root}/etc/pam.d/passwd"),
        format!("rm {record} && {}", chroot("filterctl update")),
    ]);
    fs::remove_file(image.0.path("etc/pam.d/passwd")).unwrap();
    image.0.file("etc/security/nearmiss.conf", "no such key\n");
    examine(&[format!("vi +1 {root}/etc/security/nearmiss.conf")]);
    for command in seen {
        for part in command.split(" && ") {
            let acts_there = part.contains(root) || part.starts_with("man ");
            assert!(acts_there, "{command}");
        }
    }
}

/// A file that the command line names is read where it is, and the files that it names are where it says.
#[test]
fn a_named_configuration_of_the_host_is_the_hosts() {
    let image = Image::new("min_length = 9\n", "");
    let own = Folder::new();
    let filter = own.filter("zebrapassword\n");
    let named = filter.to_str().unwrap();
    let conf = own.file("n.conf", format!("packaged = false\n[[dictionary]]\nfile = {named:?}\n"));
    let conf = conf.to_str().unwrap();
    let told = image.run(&["config", "--changed", "--conf", conf]);
    assert!(told.out.contains(filter.to_str().unwrap()) && !told.out.contains("min_length"), "{told:?}");
    let metrics = run(["metrics", "--conf", conf, "--root", image.0.path("").to_str().unwrap()]).out;
    let sample = format!("nearmiss_filter_intact{{file=\"{}\"}} 1\n", filter.display());
    assert!(metrics.contains(&sample), "{metrics}");
}

/// Of a folder that is not there, everything would be said that is true of an empty system.
#[test]
fn a_root_that_is_no_folder_is_an_error() {
    let folder = Folder::new();
    let (none, file) = (folder.path("typo"), folder.file("file", ""));
    for root in [&none, &file].map(|path| path.to_str().unwrap()) {
        for command in [
            &["config"][..],
            &["doctor"],
            &["metrics"],
            &["migrate"],
            &["check"],
            &["verify", "--all"],
            &["breaches", "status"],
            &["breaches", "disable"],
        ] {
            let told = run([command, &["--root", root]].concat());
            assert_eq!((told.code, told.out.as_str()), (2, ""), "{command:?}: {told:?}");
            assert!(told.err.contains("there is no such folder"), "{command:?}: {told:?}");
        }
    }
}
