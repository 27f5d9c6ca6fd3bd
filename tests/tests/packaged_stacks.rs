//! The stacks of the packages and of the manual: behind each module that may prompt is a check of what it
//! leaves, and behind each `sufficient` line that sets passwords is a line that denies.

use std::{
    fs,
    io::Write,
    process::{Command, Stdio},
};

/// A line of type `password`.
#[derive(Clone, Debug)]
struct Line {
    control: String,
    module: String,
    arguments: Vec<String>,
}

impl Line {
    /// None for a line of another type, or without a module.
    fn of(text: &str) -> Option<Line> {
        let rest = text.trim().strip_prefix("password")?.trim_start();
        let is_list = rest.starts_with('[');
        let (control, rest) =
            if is_list { rest.split_once(']')? } else { rest.split_once(char::is_whitespace)? };
        let mut words = rest.split_whitespace().map(str::to_owned);
        let module = words.next()?.rsplit('/').next()?.to_owned();
        Some(Line { control: control.to_owned(), module, arguments: words.collect() })
    }

    fn has(&self, argument: &str) -> bool {
        self.arguments.iter().any(|given| given == argument)
    }

    fn is_check(&self) -> bool {
        self.module == "pam_nearmiss.so" && !self.has("record")
    }

    /// True for a module that prompts for a new password by itself.
    fn prompts(&self) -> bool {
        let asks =
            ["pam_unix.so", "pam_pwquality.so", "pam_pwhistory.so", "pam_cracklib.so", "pam_passwdqc.so"];
        asks.contains(&self.module.as_str()) && !self.has("use_authtok") && !self.has("use_first_pass")
    }

    fn sets(&self) -> bool {
        ["pam_unix.so", "pam_sss.so", "pam_winbind.so", "pam_permit.so"].contains(&self.module.as_str())
    }

    /// True for a module that stores passwords, here or elsewhere.
    fn stores(&self) -> bool {
        let others = ["pam_systemd_home.so", "pam_ldap.so", "pam_mysql.so", "pam_kanidm.so", "pam_krb5.so"];
        self.module != "pam_permit.so" && (self.sets() || others.contains(&self.module.as_str()))
    }

    /// The number of lines that are passed over if the module succeeds; none if the stack ends there.
    fn skips(&self) -> Option<usize> {
        let mut words = self.control.split([' ', '[']);
        match words.find_map(|word| word.strip_prefix("success=")) {
            Some("ok" | "ignore") => Some(0),
            Some(number) => number.parse().ok(),
            None => (self.control != "sufficient").then_some(0),
        }
    }
}

/// What is wrong with a stack.
fn faults(stack: &[Line]) -> Vec<String> {
    let mut faults = Vec::new();
    let asks = |line: &Line| line.prompts() || (line.is_check() && !line.has("use_authtok"));
    for (at, line) in stack.iter().enumerate() {
        let (before, behind) = (&stack[..at], &stack[at + 1..]);
        if line.has("use_authtok") && !before.iter().any(asks) {
            faults.push(format!("nothing prompts before {}", line.module));
        }
        if line.is_check() && !line.has("use_authtok") && before.iter().any(Line::prompts) {
            faults.push("the check prompts behind another module".to_owned());
        }
        if line.prompts() && !behind.iter().any(|line| line.is_check() && line.has("use_authtok")) {
            faults.push(format!("nothing checks what {} prompts for", line.module));
        }
        if line.control == "sufficient"
            && line.sets()
            && !behind.iter().any(|line| line.module == "pam_deny.so")
        {
            faults.push(format!("no pam_deny behind the sufficient {}", line.module));
        }
    }
    if !stack.iter().any(Line::is_check) {
        faults.push("no check".to_owned());
    }
    faults
}

/// The modules that store a password which no line behind them records and judges.
fn unrecorded(stack: &[Line]) -> Vec<&str> {
    let is_recorded = |at: usize| {
        let mut at = at;
        while let Some(next) = stack.get(at).and_then(Line::skips).map(|skipped| at + 1 + skipped) {
            if stack.get(next).is_some_and(|line| line.has("record")) {
                return true;
            }
            at = next;
        }
        false
    };
    let stores = stack.iter().enumerate().filter(|(at, line)| line.stores() && !is_recorded(*at));
    stores.map(|(_, line)| line.module.as_str()).collect()
}

fn lines(text: &str) -> Vec<Line> {
    text.lines().filter_map(Line::of).collect()
}

fn packaged(file: &str) -> String {
    fs::read_to_string(format!("{}/../packaging/{file}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

/// The password lines of authselect's `local` and `sssd` profiles, with `pam_pwhistory`.
const FEDORA: &str = "\
password    requisite                                    pam_pwquality.so local_users_only
password    [default=1 ignore=ignore success=ok]         pam_localuser.so
password    requisite                                    pam_pwhistory.so use_authtok
password    sufficient                                   pam_unix.so yescrypt shadow nullok use_authtok
password    [success=1 default=ignore]                   pam_localuser.so
password    sufficient                                   pam_sss.so use_authtok
password    required                                     pam_deny.so
";

/// The same where `pam_pwhistory` is the first module, with and without a prompt of its own.
const HISTORY_FIRST: [&str; 2] = [
    "\
password    [default=1 ignore=ignore success=ok]         pam_localuser.so
password    requisite                                    pam_pwhistory.so remember=5 use_authtok
password    sufficient                                   pam_unix.so yescrypt shadow nullok use_authtok
password    [success=1 default=ignore]                   pam_localuser.so
password    sufficient                                   pam_sss.so use_authtok
password    required                                     pam_deny.so
",
    "\
password    requisite                                    pam_pwhistory.so remember=5
password    sufficient                                   pam_unix.so yescrypt shadow nullok use_authtok
password    required                                     pam_deny.so
",
];

/// The profile with the features of these packages on, as authselect would write it.
fn authselect(profile: &str) -> String {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../packaging/authselect/nearmiss-authselect");
    let mut filter = Command::new("sh")
        .args([script, "--filter"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    filter.stdin.take().unwrap().write_all(profile.as_bytes()).unwrap();
    let output = filter.wait_with_output().unwrap();
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).unwrap();
    let kept = text.lines().filter(|line| !line.contains("{exclude if"));
    kept.map(|line| line.split('{').next().unwrap().to_owned() + "\n").collect()
}

#[test]
fn stacks_with_a_hole_are_recognized() {
    let hole = lines("password requisite pam_nearmiss.so retry=3\npassword required pam_pwhistory.so\n");
    assert_eq!(faults(&hole), ["nothing checks what pam_pwhistory.so prompts for"]);
    let open = "password requisite pam_nearmiss.so\npassword sufficient pam_unix.so use_authtok\n";
    assert_eq!(faults(&lines(open)), ["no pam_deny behind the sufficient pam_unix.so"]);
    assert_eq!(faults(&lines(&format!("{open}password required pam_deny.so\n"))), [""; 0]);
    assert_eq!(faults(&lines("password required pam_deny.so\n")), ["no check"]);
    let outage = "password requisite pam_pwhistory.so use_authtok\npassword requisite pam_nearmiss.so\n";
    assert_eq!(faults(&lines(outage)), ["nothing prompts before pam_pwhistory.so"]);
    let kept = "password required pam_unix.so\npassword optional pam_nearmiss.so record\n";
    assert_eq!(unrecorded(&lines(kept)), [""; 0]);
    for ended in [open.to_owned() + kept, kept.replace("required", "[success=1 default=ignore]")] {
        assert_eq!(unrecorded(&lines(&ended)), ["pam_unix.so"], "{ended}");
    }
    let second = "password requisite pam_pwquality.so\npassword requisite pam_nearmiss.so retry=3\n";
    assert!(faults(&lines(second)).contains(&"the check prompts behind another module".to_owned()));
}

#[test]
fn the_profile_of_authselect_leaves_nothing_unchecked() {
    for profile in [FEDORA].into_iter().chain(HISTORY_FIRST) {
        let stack = lines(&authselect(profile));
        assert_eq!(faults(&stack), [""; 0], "{stack:#?}");
    }
}

/// A jump over `pam_pwhistory` is not one over the check.
#[test]
fn the_check_comes_before_the_jump_over_the_module_that_takes_its_password() {
    let stack = lines(&authselect(HISTORY_FIRST[0]));
    let modules: Vec<&str> = stack.iter().map(|line| line.module.as_str()).collect();
    assert_eq!(modules[..4], ["pam_nearmiss.so", "pam_localuser.so", "pam_pwhistory.so", "pam_unix.so"]);
    assert_eq!(stack.iter().filter(|line| line.is_check()).count(), 1, "{stack:#?}");
}

/// pam-auth-update writes a profile's second list where the profile is not the first one: it must not prompt.
#[test]
fn the_profile_of_debian_prompts_only_where_it_is_first() {
    let profile = packaged("pam-configs/nearmiss");
    let (_, after) = profile.split_once("\nPassword:\n").unwrap();
    let (later, first) = after.split_once("\nPassword-Initial:\n").unwrap();
    let parsed = |text: &str| lines(&format!("password {}\n", text.trim()));
    assert!(parsed(later).iter().all(|line| line.is_check() && line.has("use_authtok")), "{later}");
    let unix = lines(
        "password [success=1 default=ignore] pam_unix.so use_authtok\npassword requisite pam_deny.so\n",
    );
    let profile = packaged("pam-configs/nearmiss-record");
    let (_, record) = profile.split_once("\nPassword:\n").unwrap();
    let record = [lines("password required pam_permit.so\n"), parsed(record)].concat();
    for before in ["", "password requisite pam_pwquality.so retry=3\n"] {
        let check = parsed(if before.is_empty() { first } else { later });
        let stack = [lines(before), check, unix.clone(), record.clone()].concat();
        assert_eq!((faults(&stack), unrecorded(&stack)), (vec![], vec![]), "{stack:#?}");
    }
}

/// NixOS's stack with its module, by `nix-instantiate` (`packaging/tests/nix-stack.nix`).
#[test]
fn the_module_of_nix_records_what_is_set_and_ends_the_stack_with_a_deny() {
    let stack = lines(&packaged("tests/nix-stack"));
    assert_eq!((faults(&stack), unrecorded(&stack)), (vec![], vec![]), "{stack:#?}");
    assert_eq!(stack.iter().filter(|line| line.stores()).count(), 6);
    assert!(stack[0].is_check() && stack.last().unwrap().module == "pam_deny.so", "{stack:#?}");
    // Nothing succeeds but behind a module that did.
    for (at, _) in stack.iter().enumerate().filter(|(_, line)| line.module == "pam_permit.so") {
        let (setter, record) = (&stack[at - 2], &stack[at - 1]);
        assert!(setter.stores() && record.has("record"), "{stack:#?}");
        assert_eq!(setter.control, "[success=ok new_authtok_reqd=ok default=2");
    }
    // The file that was evaluated.
    let module = packaged("nix/module.nix");
    for text in [
        "\"nearmiss-record-${setter}\" = {",
        "args = [ \"record\" ];",
        "\"nearmiss-done-${setter}\" = {",
        "inherit (rules.${setter}) enable;",
        "control = lib.mkForce \"[success=ok new_authtok_reqd=ok default=2]\";",
        "lib.mapAttrsToList recorded setters",
    ] {
        assert!(module.contains(text), "{text}");
    }
}

/// Alpine's and Arch's packages name the manual, whose stacks are copied.
#[test]
fn the_stacks_of_the_manual_leave_nothing_unchecked() {
    let manual = packaged("man/pam_nearmiss.8");
    let blocks =
        manual.split(".nf\n").skip(1).filter_map(|block| block.split_once(".fi").map(|(text, _)| text));
    let stacks: Vec<Vec<Line>> = blocks.map(lines).filter(|stack| !stack.is_empty()).collect();
    assert!(stacks.len() >= 3, "{}", stacks.len());
    for stack in stacks {
        assert_eq!(faults(&stack), [""; 0], "{stack:#?}");
    }
}
