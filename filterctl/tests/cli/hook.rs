//! `filterctl hook`: the protocols of the servers that run it, to the byte.

use std::{
    fs,
    io::Write,
    os::unix::{fs::symlink, process::CommandExt},
    path::Path,
    process::{Command, Stdio},
};

use crate::{Folder, Run};

const GOOD: &str = "Zz9-uncommon-phrase";

/// A folder with a configuration of two words and no ladder.
fn site() -> (Folder, String) {
    let folder = Folder::new();
    let filter = folder.filter("elephant\npassword\n");
    let (filter, none) = (filter.display(), folder.path("none").display().to_string());
    let text = format!(
        "packaged = false\n[[dictionary]]\nfile = '{filter}'\n[ladder]\nfile = '{none}'\nkey = '{none}'\n"
    );
    let conf = folder.file("nearmiss.conf", text).display().to_string();
    (folder, conf)
}

/// Starts the program by a name, with Samba's variables.
fn start(name: &Path, arguments: &[&str], names: [&str; 3], input: &[u8]) -> Run {
    let mut command = Command::new(env!("CARGO_BIN_EXE_filterctl"));
    command.arg0(name).args(arguments).env_clear();
    let variables = ["SAMBA_CPS_ACCOUNT_NAME", "SAMBA_CPS_USER_PRINCIPAL_NAME", "SAMBA_CPS_FULL_NAME"];
    for (variable, name) in variables.iter().zip(names).filter(|(_, name)| !name.is_empty()) {
        command.env(variable, name);
    }
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // The program may end before it has read everything.
    let _ = child.stdin.take().unwrap().write_all(input);
    let output = child.wait_with_output().unwrap();
    let [out, err] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    Run { code: output.status.code().unwrap(), out, err }
}

fn samba(conf: &str, names: [&str; 3], password: &str) -> Run {
    start(Path::new("filterctl"), &["hook", "samba", "--conf", conf], names, password.as_bytes())
}

fn heimdal(conf: &str, principal: &str, password: &str) -> Run {
    let input = format!("principal: {principal}\nnew-password: {password}\nend\n");
    let arguments = ["hook", "heimdal", principal, "--conf", conf];
    start(Path::new("filterctl"), &arguments, [""; 3], input.as_bytes())
}

/// As every other command takes it: from the working folder.
#[test]
fn the_path_of_the_settings_may_be_relative() {
    let (folder, _) = site();
    for (command, input) in
        [("samba", "elephant"), ("heimdal", "principal: anna\nnew-password: elephant\nend\n")]
    {
        let mut hook = Command::new(env!("CARGO_BIN_EXE_filterctl"));
        hook.current_dir(folder.path("")).args(["hook", command]);
        if command == "heimdal" {
            hook.arg("anna");
        }
        hook.args(["--conf", "nearmiss.conf"]);
        let mut child =
            hook.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        let said = format!("{output:?}");
        assert!(said.contains("dictionary") && !said.contains("absolute"), "{said}");
    }
}

/// The directory ends a password at a NUL: the rest would be checked, but not set.
#[test]
fn a_password_with_a_nul_is_rejected_by_the_samba_hook() {
    let (_folder, conf) = site();
    for password in ["elephant\0Zz9-uncommon-phrase", "Zz9-uncommon-phrase\0", "\0"] {
        let bad = samba(&conf, ANNA, password);
        assert_eq!((bad.code, bad.out.as_str()), (1, ""), "{bad:?}");
    }
}

const ANNA: [&str; 3] = ["annabella", "annabel@AD.EXAMPLE", "Zebulon Quist"];

#[test]
fn samba_reads_the_exit_status() {
    let (_folder, conf) = site();
    let good = samba(&conf, ANNA, GOOD);
    assert_eq!((good.code, good.out.as_str(), good.err.as_str()), (0, "", ""));
    for (password, reason) in [
        ("elephqnt1", "near-dictionary"),
        ("Passw0rd2026!", "dictionary"),
        ("annabella7", "near-user-name"),
        ("zebulonquist", "near-real-name"),
        ("4nnabel", "too-short"),
        ("annabel-1", "near-user-name"),
        ("", "empty"),
    ] {
        let run = samba(&conf, ANNA, password);
        assert_eq!((run.code, run.out.as_str()), (1, ""), "{password}: {run:?}");
        assert_eq!(run.err, format!("filterctl: password rejected [{reason}]\n"), "{password}");
    }
    // Bytes are the password's own: nothing is cut off, not even a line's end.
    assert_eq!(samba(&conf, [""; 3], "elephant\n").code, 1);
    assert_eq!(samba(&conf, [""; 3], &"q".repeat(100_000)).code, 1);
}

#[test]
fn samba_gets_no_yes_from_what_cannot_be_used() {
    let (folder, conf) = site();
    fs::remove_file(folder.path("words.filter")).unwrap();
    let run = samba(&conf, ANNA, GOOD);
    assert_eq!(run.code, 2);
    assert!(run.err.contains("words.filter") && !run.err.contains("Zz9"), "{run:?}");
    assert_eq!(samba("/nonexistent/nearmiss.conf", ANNA, GOOD).code, 2);
}

#[test]
fn heimdal_reads_the_first_line() {
    let (_folder, conf) = site();
    let good = heimdal(&conf, "anna@EX.ORG", GOOD);
    assert_eq!((good.code, good.out.as_str(), good.err.as_str()), (0, "APPROVED\n", ""));
    for (password, says) in [
        ("elephqnt1", "it is one or two characters away from a dictionary word"),
        ("Passw0rd2026!", "it is a dictionary word or a common password"),
        ("annabella7", "it is too close to the user name"),
        ("", "it is empty"),
    ] {
        let run = heimdal(&conf, "annabella/admin@EX.ORG", password);
        assert!(run.out.starts_with(says), "{run:?}");
        assert_eq!((run.code, run.out.lines().count(), run.err.as_str()), (0, 1, ""), "{run:?}");
        assert!(run.out.len() < 1024, "Heimdal's buffer");
    }
    let long = heimdal(&conf, "anna@EX.ORG", &"q".repeat(100_000));
    assert_eq!((long.code, long.out.starts_with("it has more than 511 bytes")), (0, true));
}

#[test]
fn heimdal_gets_no_approval_from_what_cannot_be_used_or_was_not_asked() {
    let (folder, conf) = site();
    fs::remove_file(folder.path("words.filter")).unwrap();
    let run = heimdal(&conf, "anna@EX.ORG", GOOD);
    assert!(run.code == 2 && run.out.contains("your password is not at fault"), "{run:?}");
    assert!(!run.out.contains("words.filter") && run.err.contains("words.filter"), "{run:?}");
    let other = start(Path::new("filterctl"), &["hook", "heimdal", "anna"], [""; 3], b"hello\n");
    assert!(!other.out.contains("APPROVED"), "{other:?}");
    other.error_line();
}

/// Heimdal starts a program by its path, with the principal as the only argument.
#[test]
fn heimdal_starts_the_program_by_another_name() {
    let (folder, _) = site();
    let name = folder.path("nearmiss-heimdal");
    symlink(env!("CARGO_BIN_EXE_filterctl"), &name).unwrap();
    let input = b"principal: -anna@EX.ORG\nnew-password: short\nend\n";
    let run = start(&name, &["-anna@EX.ORG"], [""; 3], input);
    // The machine's own configuration applies here: in any case the result is a rejection.
    assert!(!run.out.contains("APPROVED") && !run.out.is_empty(), "{run:?}");
}

/// Whoever may name a principal chooses no configuration: one that begins like an option is a name all the
/// same.
#[test]
fn heimdal_takes_no_principal_for_an_option() {
    let (folder, conf) = site();
    let name = folder.path("nearmiss-heimdal");
    symlink(env!("CARGO_BIN_EXE_filterctl"), &name).unwrap();
    let asked = |principal: &str| {
        let input = format!("principal: {principal}\nnew-password: {GOOD}\nend\n");
        let run = start(&name, &[principal], [""; 3], input.as_bytes());
        (run.code, run.out)
    };
    let expected = asked("anna@EX.ORG");
    for principal in [format!("--conf={conf}"), "--help".to_owned(), "--version".to_owned(), "-h".to_owned()]
    {
        assert_eq!(asked(&principal), expected, "{principal}");
    }
}
