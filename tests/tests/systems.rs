//! The real `passwd` on systems that are older, or put together otherwise, than the one that builds it. Root
//! only, in a private mount namespace.

use nearmiss_tests::{
    faults::compile,
    filters::GOOD,
    ladder::scenario,
    scenario::{
        Answer::{self, Type, Wait},
        OLD, Run, Scenario, TESTER,
    },
    skip::{no_namespace, skipped},
};
use tempfile::TempDir;

const OLDER_KERNEL: &str = "older_kernel";
const KERNELS: [&str; 2] = ["5.10", "4.18"];
const CHANGE: [(&str, Answer); 6] = [
    ("Current password: ", Type(OLD)),
    ("New password: ", Type("elephqnt1")),
    ("BAD PASSWORD: ", Wait),
    ("New password: ", Type(GOOD)),
    ("Retype new password: ", Type(GOOD)),
    ("password updated successfully", Wait),
];

fn is_rejected_and_set(run: &Run) {
    run.expect_status(0).expect_shadow_changed(true).expect_shown("BAD PASSWORD").expect_nowhere(GOOD);
}

/// The user's `passwd` as under this kernel, which `older_kernel` in this folder plays; root starts it.
fn under(folder: &TempDir, kernel: &str, scenario: Scenario, steps: &[(&str, Answer)]) -> Scenario {
    let program = folder.path().join(OLDER_KERNEL);
    let program = program.to_str().expect("the folder's path is UTF-8");
    let (user, group) = (format!("--reuid={TESTER}"), format!("--regid={TESTER}"));
    let as_user = ["/usr/bin/setpriv", &user, &group, "--clear-groups", "/usr/bin/passwd"];
    scenario.talk(None, &[&[program, kernel], &as_user[..]].concat(), steps)
}

fn older_kernel() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    compile("older_kernel.c", &["-Wall", "-Werror"], &folder.path().join(OLDER_KERNEL));
    folder
}

/// Without advice that makes pages ready (before Linux 5.14), `process_madvise` (5.10), `openat2` (5.6)
/// and others: filter and ladder work, and the choice is recorded.
#[test]
fn kernels_of_earlier_distributions_are_enough() {
    if skipped(no_namespace()) {
        return;
    }
    let folder = older_kernel();
    for kernel in KERNELS {
        let runs = under(&folder, kernel, scenario("retry=3", &[]).digest(), &CHANGE).digest().play();
        is_rejected_and_set(&runs[1]);
        assert_ne!(runs[0].transcript, runs[2].transcript, "{kernel}: the choice was not recorded");
    }
}

#[test]
fn an_earlier_kernel_lets_no_damage_pass() {
    if skipped(no_namespace()) {
        return;
    }
    let folder = older_kernel();
    for kernel in KERNELS {
        let steps = [CHANGE[0], ("New password: ", Type(GOOD)), ("administrator's password filter", Wait)];
        let run = under(&folder, kernel, Scenario::with_damaged_pages("retry=3"), &steps).play_one();
        run.expect_shadow_changed(false);
    }
}

/// The root is mounted read-only; what is written to /etc and /var lies above it, as on a system that comes
/// as an image. The ladder comes with the image, and the first choice is written above it.
#[test]
fn a_system_that_is_an_image_counts_and_checks() {
    if skipped(no_namespace()) {
        return;
    }
    let above = |folder: &str, name: &str| {
        format!(
            "mkdir /run/{name} /run/{name}.work && mount -t overlay none \
             -o lowerdir={folder},upperdir=/run/{name},workdir=/run/{name}.work {folder}"
        )
    };
    let image = [above("/etc", "etc"), above("/var/lib", "lib"), "mount -o remount,bind,ro /".to_owned()];
    let scenario = scenario("retry=3", &image).digest().talk(Some(TESTER), &["/usr/bin/passwd"], &CHANGE);
    let runs = scenario.digest().shell("ls /run/lib/nearmiss; ls /run/etc | grep shadow; touch /x").play();
    is_rejected_and_set(&runs[1]);
    assert_ne!(runs[0].transcript, runs[2].transcript, "the choice was not recorded");
    for part in ["chosen.ladder", "shadow", "Read-only file system"] {
        runs[3].expect_shown(part);
    }
}

/// libpam and `pam_unix` of another release in the places of this machine's, and a stack without Debian's own
/// `@include`.
fn older_pam() -> Result<Vec<String>, &'static str> {
    let Some(folder) = std::env::var_os("NEARMISS_OLDER_PAM").map(std::path::PathBuf::from) else {
        return Err(
            "needs NEARMISS_OLDER_PAM, a folder that tests/tools/older_pam.sh made of Linux-PAM 1.3.1",
        );
    };
    let over = |name: &str| {
        let there = format!("$(readlink -f $(find /lib /usr/lib /lib64 -name {name} | head -n 1))");
        let file = folder.join(name);
        format!("mount --bind {0} {there} && cmp {0} {there}", file.display())
    };
    let stack = "sed s/yescrypt/sha512/ /etc/pam.d/common-password > /etc/pam.d/passwd".to_owned();
    Ok(vec![over("libpam.so.0"), over("pam_unix.so"), stack])
}

#[test]
fn an_older_linux_pam_is_enough() {
    let older = match older_pam() {
        Ok(older) => older,
        Err(reason) => return assert!(skipped(Some(reason))),
    };
    if skipped(no_namespace()) {
        return;
    }
    let passwd = ["/usr/bin/passwd"];
    let runs = scenario("retry=3", &older).digest().talk(Some(TESTER), &passwd, &CHANGE).digest().play();
    is_rejected_and_set(&runs[1]);
    assert_ne!(runs[0].transcript, runs[2].transcript, "the choice was not recorded");
    let older: Vec<&str> = older.iter().map(String::as_str).collect();
    let spoiled = Scenario::with_damaged_pages("retry=3").prepare(&older);
    let steps = [CHANGE[0], ("New password: ", Type(GOOD)), ("administrator's password filter", Wait)];
    spoiled.talk(Some(TESTER), &passwd, &steps).play_one().expect_shadow_changed(false);
}

/// A container without a system log, and one where something else has its place.
#[test]
fn without_a_system_log_passwords_are_checked_all_the_same() {
    if skipped(no_namespace()) {
        return;
    }
    let change = format!("setpriv --reuid={TESTER} --regid={TESTER} --clear-groups /usr/bin/passwd");
    for instead in [":", "touch /dev/log", "mkdir /dev/log"] {
        let script = format!(
            "mv /dev/log /dev/away; {instead}; {change}; status=$?; rm -rf /dev/log; mv /dev/away /dev/log; \
             exit $status"
        );
        let run = Scenario::new("retry=3").talk(None, &["/bin/sh", "-c", &script], &CHANGE).play_one();
        is_rejected_and_set(&run);
    }
}
