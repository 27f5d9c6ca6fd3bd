//! PAM stacks of distributions, guides and how-tos (`stacks.toml`): what the machine's own `passwd` and
//! `chpasswd` do with each (`tools/stacks.py`), beside what `filterctl doctor` says. Nothing that is bad is
//! ok, nothing that is good is WRONG, and a fix that is printed is typed, after which nothing is bad.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use nearmiss_tests::{
    artifacts::{artifacts, tool},
    filters,
    scenario::install_expire,
    skip::{no_namespace, skipped},
};
use serde::Deserialize;
use serde_json::{Value, json};

const STACKS: &str = include_str!("stacks.toml");

/// The stacks that every run tries: one of each kind.
const EACH_KIND: [&str; 11] = [
    "debian",
    "stig-history-prompts",
    "cis-history-first",
    "history-then-own-retry",
    "localuser-jump",
    "nixos",
    "exec-optional",
    "unknown-module",
    "debian-expire",
    "login-sets-first",
    "one-uid-left-out",
];

#[derive(Deserialize)]
struct Stacks {
    stack: Vec<Stack>,
}

/// A stack, what real programs do with it, and what doctor has to say.
#[derive(Deserialize)]
struct Stack {
    name: String,
    /// Where it comes from, for the reader.
    #[serde(rename = "from")]
    _from: String,
    really: String,
    says: String,
    files: Value,
}

#[derive(Deserialize)]
struct Tried {
    name: String,
    really: String,
    doctor: Examined,
    fixed: Option<Fixed>,
}

#[derive(Deserialize)]
struct Fixed {
    fix: String,
    really: String,
    doctor: Examined,
}

#[derive(Debug, Deserialize)]
struct Examined {
    status: i32,
    findings: Value,
}

impl Examined {
    fn word(&self) -> &'static str {
        match self.status {
            0 => "ok",
            4 => "unjudged",
            3 => "warning",
            _ => "wrong",
        }
    }
}

/// The libraries and modules that are unpacked beside the build (`tools/unpack.sh`).
fn unpacked() -> Option<PathBuf> {
    let folder = artifacts().filterctl.parent()?.parent()?.join("unpacked/usr/lib/x86_64-linux-gnu");
    folder.join("security/pam_pwquality.so").exists().then_some(folder)
}

/// The modules that are not part of Linux-PAM, and that a stack was tried with.
const OTHERS: [&str; 9] = [
    "pam_gnome_keyring.so",
    "pam_krb5.so",
    "pam_ldap.so",
    "pam_passwdqc.so",
    "pam_pwquality.so",
    "pam_script.so",
    "pam_sss.so",
    "pam_systemd_home.so",
    "pam_winbind.so",
];

/// True if the modules of a stack are here.
fn is_possible(stack: &Stack, libraries: Option<&Path>) -> bool {
    let files = stack.files.to_string();
    let is_here =
        |module: &&str| libraries.is_some_and(|folder| folder.join("security").join(module).exists());
    OTHERS.iter().filter(|module| files.contains(*module)).all(is_here)
}

/// Tries the stacks of these names, or all.
fn try_stacks(is_chosen: impl Fn(&Stack) -> bool) {
    if skipped(no_namespace()) {
        return;
    }
    let libraries = unpacked();
    let Stacks { stack: stacks } = toml::from_str(STACKS).unwrap();
    let stacks: Vec<Stack> = stacks
        .into_iter()
        .filter(|stack| is_chosen(stack) && is_possible(stack, libraries.as_deref()))
        .collect();
    let folder = tempfile::tempdir().unwrap();
    let setting = folder.path().join("stacks.json");
    let own: Vec<Value> =
        stacks.iter().map(|stack| json!({"name": stack.name, "files": stack.files})).collect();
    let json = json!({
        "module": artifacts().module,
        "filter": filters::build(folder.path()),
        "filterctl": artifacts().filterctl,
        "prepare": install_expire(),
        "libraries": libraries,
        "stacks": own,
    });
    fs::write(&setting, json.to_string()).unwrap();
    let tried = tried(&setting);
    assert_eq!(tried.len(), stacks.len());
    let mut faults = Vec::new();
    for (stack, tried) in stacks.iter().zip(&tried) {
        assert_eq!(stack.name, tried.name);
        println!("| {} | {} | {} |", stack.name, tried.really, tried.doctor.word());
        if let Some(fault) = fault(stack, tried) {
            faults.push(format!("{}: {fault}: {:#?}", stack.name, tried.doctor));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    for really in ["fine", "hole", "outage"] {
        let count = |word: &str| {
            let is_one =
                |(stack, tried): &(&Stack, &Tried)| stack.really == really && tried.doctor.word() == word;
            stacks.iter().zip(&tried).filter(is_one).count()
        };
        let [ok, unjudged, warning, wrong] = ["ok", "unjudged", "warning", "wrong"].map(count);
        println!("{really}: {ok} ok, {unjudged} unjudged, {warning} with a warning, {wrong} wrong");
    }
    println!("torture: stacks of PAM: {} tried, {} held", stacks.len(), stacks.len());
}

fn tried(setting: &Path) -> Vec<Tried> {
    let output = Command::new("unshare")
        .args(["-m", "--propagation", "private", "python3"])
        .args([&tool("stacks.py"), setting])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// What is not as it has to be.
fn fault(stack: &Stack, tried: &Tried) -> Option<String> {
    if tried.really != stack.really {
        return Some(format!("it is {} and said to be {}", tried.really, stack.really));
    }
    if tried.doctor.word() != stack.says {
        return Some(format!("doctor says {} in place of {}", tried.doctor.word(), stack.says));
    }
    let Some(fixed) = &tried.fixed else {
        return (tried.doctor.status == 1).then(|| "no fix of it can be typed".to_owned());
    };
    let is_left = fixed.really != "fine" || fixed.doctor.status == 1;
    is_left.then(|| format!("after the fix `{}`: {:?}", fixed.fix, fixed.doctor.findings))
}

#[test]
fn one_stack_of_each_kind_is_judged_as_real_programs_behave() {
    try_stacks(|stack| EACH_KIND.contains(&stack.name.as_str()));
}

#[test]
#[ignore = "make torture: ten seconds a stack"]
fn every_stack_is_judged_as_real_programs_behave() {
    try_stacks(|_| true);
}
