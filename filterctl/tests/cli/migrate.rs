//! `filterctl migrate`: the fate of the settings of other modules. `UPDATE_GOLDEN=1` writes what is
//! printed for the systems in `migrate/`.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::{Folder, Run, run};

fn system(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/migrate").join(name)
}

fn migrate(root: &Path, more: &[&str]) -> Run {
    run(["migrate", "--root", root.to_str().unwrap()].iter().chain(more))
}

/// The settings of a text, as `filterctl config` reads them.
fn settings(text: &str) -> Vec<String> {
    let folder = Folder::new();
    let conf = folder.file("n.conf", text);
    let root = folder.path("root");
    fs::create_dir(&root).unwrap();
    let [root, conf] = [&root, &conf].map(|path| path.to_str().unwrap());
    let arguments = ["config", "--changed", "--root", root, "--conf", conf];
    let shown = run(arguments);
    assert_eq!(shown.code, 0, "{shown:?}{text}");
    let lines = shown.out.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| line.split(" # ").next().unwrap().trim().to_owned()).collect()
}

#[test]
fn what_is_printed_keeps_what_can_be_kept() {
    for (name, kept) in [
        (
            "pwquality",
            &[
                "min_length = 14",
                "enforce = \"warn\"",
                "enforce_for_root = true",
                "retry = 3",
                "context.gecos = false",
                "policy.forbidden_words = [\"initech\", \"lumbergh\"]",
            ][..],
        ),
        (
            "passwdqc",
            &[
                "min_length = 12",
                "enforce_for_root = true",
                "suggest = 1",
                "suggest_bits = 65",
                "context.old_password = false",
                "retry = 3",
                "update.lists = [\"/usr/local/share/denied.txt\"]",
            ],
        ),
        ("both", &["min_length = 16", "retry = 2", "enforce_for_root = true"]),
    ] {
        let root = system(name);
        let told = migrate(&root, &[]);
        assert_eq!((told.code, told.err.as_str()), (0, ""), "{told:?}");
        let text = told.out.clone();
        let golden = root.join("nearmiss.conf");
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            fs::write(&golden, &text).unwrap();
        }
        assert_eq!(fs::read_to_string(&golden).unwrap(), text, "{name}");
        let (mut found, mut kept) = (settings(&told.out), kept.to_vec());
        found.sort();
        kept.sort_unstable();
        assert_eq!(found, kept, "{name}");
    }
}

#[test]
fn every_option_is_named_once() {
    let options = |name: &str| -> String {
        let told = migrate(&system(name), &["--json"]).json().remove(0);
        told.to_string()
    };
    let told = options("pwquality");
    for option in ["difok", "dcredit", "ucredit", "minclass", "maxrepeat", "dictpath"] {
        assert_eq!(told.matches(&format!("\"{option} = ")).count(), 1, "{option}: {told}");
    }
    assert_eq!(told.matches("\"badwords = ").count(), 1, "{told}");
    for lost in ["minlen = 15", "minlen = 20"] {
        let note = format!("{lost} (/etc/security/pwquality.conf");
        assert_eq!(told.matches(&note).count(), 1, "the line wins: {told}");
    }
    assert!(told.contains("cracklib-unpacker /var/cache"), "{told}");
    let told = options("passwdqc");
    for option in ["max", "passphrase", "match", "min", "random"] {
        assert!(told.contains(&format!("\"{option} = ")), "{option}: {told}");
    }
}

#[test]
fn where_there_is_neither_it_says_so() {
    let folder = Folder::new();
    let told = migrate(&folder.path(""), &[]);
    assert_eq!((told.code, told.out.as_str()), (1, ""), "{told:?}");
    assert!(told.err.contains("nothing to migrate"), "{told:?}");
    fs::create_dir_all(folder.path("etc/pam.d")).unwrap();
    folder.file("etc/pam.d/passwd", "password requisite pam_passwdqc.so config=/etc/none.conf\n");
    let told = migrate(&folder.path(""), &[]);
    assert!(told.error_line().contains("etc/none.conf: No such file"), "{told:?}");
}

/// Options of both modules, some that neither has.
const NAMES: [&str; 38] = [
    "minlen",
    "retry",
    "difok",
    "dcredit",
    "ucredit",
    "lcredit",
    "ocredit",
    "minclass",
    "maxrepeat",
    "maxclassrepeat",
    "maxsequence",
    "enforcing",
    "usercheck",
    "gecoscheck",
    "dictcheck",
    "usersubstr",
    "enforce_for_root",
    "local_users_only",
    "reject_username",
    "dictpath",
    "badwords",
    "min",
    "max",
    "passphrase",
    "match",
    "similar",
    "random",
    "enforce",
    "non-unix",
    "disable_firstupper_lastdigit_check",
    "wordlist",
    "denylist",
    "filter",
    "ask_oldauthtok",
    "check_oldauthtok",
    "use_authtok",
    "debug",
    "frobnicate",
];

const VALUES: [&str; 12] = [
    "",
    "0",
    "1",
    "-1",
    "5",
    "99999999999999999999",
    "x",
    "1x",
    "8,8,8,8,8",
    "60,only",
    "everyone",
    "permit",
];

/// A root with these options in the file of each module.
fn root_of(folder: &Folder, options: &str) -> PathBuf {
    for below in ["etc/pam.d", "etc/security"] {
        fs::create_dir_all(folder.path(below)).unwrap();
    }
    folder.file("etc/pam.d/passwd", "password requisite pam_passwdqc.so config=/etc/passwdqc.conf\n");
    folder.file("etc/security/pwquality.conf", options);
    folder.file("etc/passwdqc.conf", options);
    folder.path("")
}

#[test]
fn nothing_of_the_files_disappears() {
    let separators = ["=", " = ", " "];
    for (number, value) in VALUES.iter().enumerate() {
        let folder = Folder::new();
        let separator = separators[number % separators.len()];
        let line = |name: &&str| format!("{name}{separator}{value}\n");
        let once: String = NAMES.iter().map(line).collect();
        let root = root_of(&folder, &format!("{once}= {value}\n{once}"));
        let told = migrate(&root, &[]);
        assert_eq!((told.code, told.err.as_str()), (0, ""), "{told:?}");
        let text = told.out.replace("\n# ", " ").split_whitespace().collect::<Vec<_>>().join(" ");
        for file in ["/etc/security/pwquality.conf", "/etc/passwdqc.conf"] {
            for line in 1..=2 * NAMES.len() + 1 {
                assert!(text.contains(&format!("({file}:{line})")), "{file}:{line}: {value}: {}", told.out);
            }
        }
        settings(&told.out);
    }
}

/// A value that the other module cannot read is no reason to switch a check off.
#[test]
fn values_that_cannot_be_read_are_listed_and_set_nothing() {
    for wrong in ["minlen = twelve", "enforcing = no", "usercheck =", "dictcheck = 1x", "minlen == 20"] {
        let folder = Folder::new();
        fs::create_dir_all(folder.path("etc/security")).unwrap();
        folder.file("etc/security/pwquality.conf", wrong);
        let told = migrate(&folder.path(""), &["--json"]).json().remove(0);
        assert_eq!(told["settings"], serde_json::json!([]), "{told}");
        assert!(told["unreadable"].to_string().contains("(/etc/security/pwquality.conf:1)"), "{told}");
    }
    let folder = Folder::new();
    let wrong = "min=11\nenforce=all\nsimilar=maybe\nrandom=x\nretry=\n";
    let told = migrate(&root_of(&folder, wrong), &["--json"]).json().remove(0);
    for number in 1..=5 {
        let place = format!("(/etc/passwdqc.conf:{number})");
        assert!(told["unreadable"].to_string().contains(&place), "{number}: {told}");
        assert!(!told["settings"].to_string().contains(&place), "{number}: {told}");
    }
    let text = migrate(&folder.path(""), &[]).out;
    assert!(text.contains("\n# CANNOT BE PARSED, and is ignored:\n"), "{text}");
}

/// The settings that are kept of these lines of the stack.
fn of_stack(lines: &str, pwquality_conf: &[u8]) -> (Vec<String>, String) {
    let folder = Folder::new();
    for below in ["etc/pam.d", "etc/security"] {
        fs::create_dir_all(folder.path(below)).unwrap();
    }
    fs::write(folder.path("etc/pam.d/passwd"), lines).unwrap();
    fs::write(folder.path("etc/security/pwquality.conf"), pwquality_conf).unwrap();
    let told = migrate(&folder.path(""), &[]);
    assert_eq!((told.code, told.err.as_str()), (0, ""), "{told:?}");
    let text = told.out.replace("\n#   ", " ");
    let mut found = settings(&told.out);
    found.sort();
    (found, text)
}

/// libpam runs every line: a password must pass all of them.
#[test]
fn the_strictest_of_all_lines_is_kept() {
    let both = |one: &str, other: &str| {
        of_stack(&format!("password requisite {one}\npassword requisite {other}\n"), b"").0
    };
    let (one, other) =
        ("pam_pwquality.so minlen=14 difok=7", "pam_pwquality.so minlen=8 difok=0 enforcing=0");
    for kept in [both(one, other), both(other, one)] {
        assert_eq!(kept, ["min_length = 14"]);
    }
    assert_eq!(
        both("pam_pwquality.so minlen=6", "pam_pwquality.so"),
        [""; 0],
        "the default holds, which is 8"
    );
    assert_eq!(both("pam_cracklib.so", "pam_pwquality.so minlen=8"), ["min_length = 9"]);
    let words = both("pam_pwquality.so [badwords=initech lumbergh]", "pam_pwquality.so badwords=milton");
    assert_eq!(words, ["policy.forbidden_words = [\"initech\", \"lumbergh\", \"milton\"]"]);
}

#[test]
fn a_broken_value_leaves_the_good_one() {
    let line = "password requisite pam_pwquality.so";
    let (kept, text) = of_stack(&format!("{line} minlen=14 minlen=x minlen= minlen=2147483647\n"), b"");
    assert_eq!(kept, ["min_length = 14"]);
    assert!(text.contains("minlen = x (/etc/pam.d/passwd:1): not a whole number"), "{text}");
    // libpwquality stops at a line that it cannot parse.
    let (kept, text) = of_stack(line, b"minlen = 14\nminclass = x\nminlen = 6\n");
    assert_eq!(kept, ["min_length = 14"]);
    assert!(
        text.contains("minlen = 6 (/etc/security/pwquality.conf:3): libpwquality does not read it"),
        "{text}"
    );
    // The line of the stack is read all the same, and pam_cracklib reads the digits that there are.
    assert_eq!(of_stack(&format!("{line} minlen=20"), b"frobnicate = 1\n").0, ["min_length = 20"]);
    let cracklib = "password requisite pam_cracklib.so minlen=12x\n";
    assert_eq!(of_stack(cracklib, b"").0, ["min_length = 12"]);
}

#[test]
fn a_switch_binds_whatever_its_value_is() {
    let (kept, text) =
        of_stack("password requisite pam_pwquality.so enforce_for_root=0\n", b"local_users_only = 0\n");
    assert_eq!(kept, ["enforce_for_root = true", "local_users_only = true"]);
    assert_eq!(text.matches("libpwquality ignores the value").count(), 2, "{text}");
}

#[test]
fn bytes_that_are_not_utf_8_are_read_as_latin_1_and_named() {
    let line = "password requisite pam_pwquality.so\n";
    let (kept, text) = of_stack(line, b"badwords = stra\xdfenbahn\ndictpath = /usr/share/w\xf6rter\n");
    assert_eq!(kept, ["policy.forbidden_words = [\"stra\u{df}enbahn\"]"]);
    assert!(text.contains("was read as Latin-1") && text.contains("the path is not UTF-8"), "{text}");
    assert!(!text.contains('\u{fffd}'), "{text}");
}

#[test]
fn a_filter_of_passwdqc_leads_to_the_breaches() {
    let (_, text) = of_stack("password requisite pam_passwdqc.so filter=/etc/hibp.pwq\n", b"");
    assert!(text.contains("filterctl breaches enable"), "{text}");
}

#[test]
fn what_passwdqc_does_without_options_is_kept() {
    let folder = Folder::new();
    let told = migrate(&root_of(&folder, ""), &[]);
    let mut found = settings(&told.out);
    found.sort();
    let kept =
        ["enforce_for_root = true", "min_length = 11", "retry = 3", "suggest = 1", "suggest_bits = 50"];
    assert_eq!(found, kept, "{told:?}");
    assert!(told.out.replace("\n#   ", " ").contains("the one for a passphrase"), "{told:?}");
}

#[test]
fn a_list_that_is_a_link_is_named_by_its_link() {
    let folder = Folder::new();
    let root = root_of(&folder, "wordlist=/usr/share/dict/words\ndenylist=/etc/denied\n");
    fs::create_dir_all(folder.path("usr/share/dict")).unwrap();
    folder.file("usr/share/dict/american-english", "word\n");
    folder.file("etc/denied", "word\n");
    std::os::unix::fs::symlink("/usr/share/dict/american-english", folder.path("usr/share/dict/words"))
        .unwrap();
    let told = migrate(&root, &[]).out;
    assert!(told.contains("lists = [\"/usr/share/dict/words\", \"/etc/denied\"]\n"), "{told}");
    assert!(!told.contains("does not exist"), "{told}");
}

#[test]
fn files_that_name_each_other_are_followed_to_an_end() {
    let folder = Folder::new();
    root_of(&folder, "config=/etc/other.conf\nretry=4\n");
    folder.file("etc/other.conf", "min=disabled,24,15,8,8\n");
    assert!(migrate(&folder.path(""), &[]).out.contains("\nmin_length = 15\n"));
    folder.file("etc/other.conf", "config=/etc/passwdqc.conf\n");
    let told = migrate(&folder.path(""), &[]);
    assert!(told.code == 2 && told.error_line().contains("include each other"), "{told:?}");
}

/// Such a link names a file of the image, not one of this system.
#[test]
fn an_absolute_link_of_an_image_leads_within_it() {
    let folder = Folder::new();
    let root = root_of(&folder, "");
    let link = |to: &Path, from: &str| {
        fs::remove_file(folder.path(from)).unwrap();
        std::os::unix::fs::symlink(to, folder.path(from)).unwrap();
    };
    for (name, of_image) in
        [("etc/security/pwquality.conf", "minlen=17\n"), ("etc/passwdqc.conf", "max=61\n")]
    {
        let real = format!("etc/{}", of_image.trim());
        folder.file(&real, of_image);
        link(&Path::new("/").join(real), name);
    }
    let told = migrate(&root, &[]);
    assert!(told.code == 0 && told.out.contains("minlen = 17") && told.out.contains("max = 61"), "{told:?}");
    let outside = Folder::new();
    link(&outside.file("settings", "max=62\n"), "etc/passwdqc.conf");
    let told = migrate(&root, &[]);
    assert!(told.code == 2 && told.error_line().contains("No such file"), "{told:?}");
}

/// The image of another system may have anything of that name, and reading a pipe never ends.
#[test]
fn what_is_no_regular_file_is_refused() {
    let folder = Folder::new();
    let security = folder.path("etc/security");
    fs::create_dir_all(&security).unwrap();
    let file = security.join("pwquality.conf");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        &file,
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR,
        0,
    )
    .unwrap();
    let root = security.ancestors().nth(2).unwrap();
    let run = migrate(root, &[]);
    assert!(run.code == 2 && run.err.contains("it is not a regular file"), "{run:?}");
    fs::remove_file(&file).unwrap();
    fs::write(&file, vec![b'#'; (1 << 20) + 1]).unwrap();
    let run = migrate(root, &[]);
    assert!(run.code == 2 && run.err.contains("cannot read"), "{run:?}");
}
