//! A disk that is full, one that cannot be written, and a cache that was emptied: real ones, in a private
//! mount namespace.

use std::process::Command;

use crate::{
    Folder, KEY,
    namespace::{printed, private_mounts},
};

/// Runs a script as root in a mount namespace of its own, with `$filterctl`, `$list` and an empty folder
/// `$disk`. Where there is no such namespace to be had, says so and answers none.
fn in_namespace(script: &str) -> Option<String> {
    let mut command = private_mounts(script)?;
    let folder = Folder::new();
    let words: String = (0..60_000).map(|n| format!("word{n}\n")).collect();
    let list = folder.file("list", words);
    std::fs::create_dir(folder.path("disk")).unwrap();
    command.env("filterctl", env!("CARGO_BIN_EXE_filterctl")).env("list", list);
    Some(printed(command.env("disk", folder.path("disk")).env("key", KEY)))
}

#[test]
fn a_full_disk_leaves_the_old_file() {
    let told = in_namespace(
        r#"mount -t tmpfs -o size=128k tmpfs "$disk"
        echo elephant | "$filterctl" build -q --key "$key" -o "$disk/f" -
        before=$(sha256sum "$disk/f")
        code=0; "$filterctl" build -o "$disk/f" "$list" 2>&1 || code=$?
        test "$before" = "$(sha256sum "$disk/f")"
        test "$(ls -A "$disk")" = f
        "$filterctl" verify "$disk/f" >/dev/null
        echo "exit $code""#,
    );
    let Some(told) = told else { return };
    let lines: Vec<&str> = told.lines().collect();
    assert_eq!((lines.len(), lines[1]), (2, "exit 2"), "{told}");
    assert!(lines[0].starts_with("filterctl: cannot write the filter: "), "{told}");
    assert!(lines[0].contains("/disk/f: cannot be written: No space left on device"), "{told}");
}

#[test]
fn a_folder_that_cannot_be_written_leaves_the_old_file() {
    let told = in_namespace(
        r#"mount -t tmpfs tmpfs "$disk"
        echo elephant | "$filterctl" build -q --key "$key" -o "$disk/f" -
        mount -o remount,ro "$disk"
        code=0; "$filterctl" build -o "$disk/f" "$list" 2>&1 || code=$?
        "$filterctl" verify "$disk/f" >/dev/null
        echo "exit $code""#,
    );
    let Some(told) = told else { return };
    let lines: Vec<&str> = told.lines().collect();
    assert_eq!((lines.len(), lines[1]), (2, "exit 2"), "{told}");
    assert!(lines[0].contains("/disk/f: cannot be created: Read-only file system"), "{told}");
}

/// A rebuild that fails is remembered though no file can be made any more, and the earlier filter stays.
#[test]
fn a_rebuild_on_a_full_disk_is_remembered() {
    let told = in_namespace(
        r#"mount -t tmpfs -o size=512k tmpfs "$disk"
        printf '[update]\ncommon = false\nfolders = []\nlists = ["%s/list"]\n' "$disk" >"$disk/n.conf"
        echo elephant >"$disk/list"
        "$filterctl" update -q --conf "$disk/n.conf" -o "$disk/f"
        before=$(sha256sum "$disk/f")
        head -c 200000 "$list" >"$disk/list"
        dd if=/dev/zero of="$disk/full" bs=4096 2>/dev/null || true
        code=0; "$filterctl" update --conf "$disk/n.conf" -o "$disk/f" 2>&1 || code=$?
        test "$before" = "$(sha256sum "$disk/f")"
        echo "exit $code"
        cat "$disk/f.update""#,
    );
    let Some(told) = told else { return };
    let lines: Vec<&str> = told.lines().collect();
    assert_eq!((lines.len(), lines[1]), (3, "exit 2"), "{told}");
    assert!(lines[0].contains("No space left on device"), "{told}");
    let state: serde_json::Value = serde_json::from_str(lines[2]).unwrap();
    assert!(
        lines[0]
            .strip_suffix(" [file-unwritable]")
            .is_some_and(|line| line.ends_with(state["failed"]["reason"].as_str().unwrap())),
        "{told}"
    );
    assert_eq!(state["lists"][0]["words"], 1, "{told}");
}

/// Servers in the group go on reading the packaged filter when it is made again: the group is the
/// configuration's, and not only that of the file.
#[test]
fn a_filter_that_is_gone_comes_back_for_its_group() {
    let told = in_namespace(
        r#"mount -t tmpfs tmpfs /var/cache
        lists='[update]\ncommon = false\nfolders = []\nlists = ["%s"]\n%s\n'
        conf() { printf "$lists" "$disk/words" "$1" >"$disk/conf"; }
        group() {
            sed "/^nearmiss:/d; \$a nearmiss:x:$1:" /etc/group >"$disk/group$1"
            mount --bind "$disk/group$1" /etc/group
        }
        update() { "$filterctl" update -q --conf "$disk/conf" "$@" 2>&1 || echo "exit $?"; }
        show() { stat -c '%a %G' /var/cache/nearmiss/words.filter; }
        echo elephant >"$disk/words"
        group 990
        conf ''; update; show
        rm -r /var/cache/nearmiss; update; show
        conf 'group = "daemon"'; update; show
        rm -r /var/cache/nearmiss; update; show
        update --group root; show
        conf 'group = ""'; update; show
        conf 'group = "nobodys"'; update; show
        rm -r /var/cache/nearmiss; update; show
        rm /var/cache/nearmiss/words.filter; update; show
        group 1990
        rm -r /var/cache/nearmiss; conf ''; update; show"#,
    );
    let Some(told) = told else { return };
    let lines: Vec<&str> = told.lines().collect();
    let named = [
        "640 nearmiss",
        "640 nearmiss",
        "640 daemon",
        "640 daemon",
        "640 root",
        "600 root",
        "filterctl: [update] group: there is no group 'nobodys'; create it with groupadd --system \
         [update-group]",
        "exit 2",
        "600 root",
    ];
    assert_eq!(lines[..9], named, "{told}");
    let is_built = |line: &str| {
        line.contains("'nobodys'") && line.ends_with("it is built for root alone [update-group]")
    };
    assert!(is_built(lines[9]) && lines[10] == "600 root", "{told}");
    // The other one is there still, and stays as it is.
    assert!(is_built(lines[11]) && lines[12..15] == [named[6], "exit 2", "600 root"], "{told}");
    assert_eq!(lines[15..], ["600 root"], "a person's group is not let in: {told}");
}

/// The unit of the metrics may write their folder alone.
#[test]
fn metrics_are_the_same_where_nothing_else_can_be_written() {
    let told = in_namespace(
        r#"mount -t tmpfs -o mode=0755 tmpfs /run
        mount -t tmpfs -o mode=0755 tmpfs "$disk"
        mkdir -m 0700 /run/nearmiss
        cat >"$disk/n.conf" <<.
packaged = false
[ladder]
file = "$disk/chosen"
key = "$disk/keys/key"
[guesses]
file = "$disk/guessed"
.
        "$filterctl" ladder init --users 100 --no-slow-hash --conf "$disk/n.conf" >/dev/null
        "$filterctl" ladder init --guessed --bits 2^20 --conf "$disk/n.conf" >/dev/null
        cd /run/nearmiss
        umask 077
        numbers() { for number; do printf "\\$number\0\0\0\0\0\0\0"; done; }
        { printf NMRECENT; numbers 1 6 6 5 3 2 1; } >failures
        truncate -s 135168 failures
        { printf NMLOGINS; numbers 7 4 2; } >logins
        cd /
        show() { "$filterctl" metrics --conf "$disk/n.conf" | grep '^nearmiss_[lg][aou]'; }
        show
        for place in /run "$disk"; do mount -o remount,ro "$place"; done
        echo read-only
        show"#,
    );
    let Some(told) = told else { return };
    let (before, after) = told.split_once("read-only\n").unwrap();
    assert_eq!(after, before);
    for sample in ["guesses_total{result=\"counted\"} 3", "logins_total{result=\"leaked\"} 4"] {
        assert!(before.contains(&format!("nearmiss_{sample}\n")), "{told}");
    }
    assert_eq!(before.matches("nearmiss_ladder_usable{").count(), 2, "{told}");
    assert!(!before.contains("} 0\n"), "{told}");
}

/// The system would end the program by a signal, without a word, and the unfinished file would stay.
#[test]
fn the_limit_of_file_size_leaves_the_old_file() {
    let folder = Folder::new();
    let words: String = (0..60_000).map(|n| format!("word{n}\n")).collect();
    let list = folder.file("list", words);
    let filter = folder.path("f/words.filter");
    std::fs::create_dir(folder.path("f")).unwrap();
    let done = Command::new("sh")
        .args(["-c", "ulimit -f 100; exec \"$0\" build -o \"$1\" \"$2\"", env!("CARGO_BIN_EXE_filterctl")])
        .args([&filter, &list])
        .output()
        .unwrap();
    let said = String::from_utf8(done.stderr).unwrap();
    assert_eq!(done.status.code(), Some(2), "{:?} {said}", done.status);
    assert!(said.contains("words.filter: cannot be written: File too large"), "{said}");
    assert_eq!(std::fs::read_dir(folder.path("f")).unwrap().count(), 0);
}

/// The script on a system that systemd started, without settings, with the timer of the fetch.
fn in_namespace_with_timer(script: &str) -> Option<String> {
    let system = "mount -t tmpfs tmpfs /run
        mkdir -p /run/systemd/system
        mount -t tmpfs tmpfs /etc
        mount -t tmpfs tmpfs /usr/lib/systemd
        mount -t tmpfs tmpfs /usr/sbin
        echo > /usr/sbin/nearmiss-fetch
        mkdir -p /etc/security/nearmiss.conf.d /etc/nearmiss /usr/lib/systemd/system
        echo > /usr/lib/systemd/system/nearmiss-fetch.timer";
    in_namespace(&format!("{system}\n{script}"))
}

/// systemctl fails where systemd does not answer: what the module reads is removed all the same, and what
/// says that fetching is on does not stay when it could not be started.
#[test]
fn leaked_passwords_are_switched_off_though_systemd_does_not_answer() {
    let told = in_namespace_with_timer(
        r#"code=0; "$filterctl" breaches enable --yes 2>&1 || code=$?
        echo "exit $code, options: $(ls /etc | grep nearmiss-fetch)"
        echo OPTIONS= > /etc/nearmiss-fetch.env
        echo > /etc/security/nearmiss.conf.d/60-breaches.conf
        code=0; "$filterctl" breaches disable 2>&1 || code=$?
        echo "exit $code, files: $(ls /etc /etc/security/nearmiss.conf.d | grep -c '[.]env\|60-')""#,
    );
    let Some(told) = told else { return };
    let lines: Vec<&str> = told.lines().filter(|line| line.starts_with("exit")).collect();
    assert_eq!(lines, ["exit 2, options: ", "exit 2, files: 0"], "{told}");
    for act in ["disable --now nearmiss-fetch.timer", "stop nearmiss-fetch.service nearmiss-breaches.service"]
    {
        assert!(told.contains(&format!("filterctl: systemctl {act}: ")), "{act}: {told}");
    }
}

/// The timer is stopped first, since it would start the service again; root's step writes the drop-in until
/// it is stopped.
#[test]
fn leaked_passwords_stay_switched_off_whatever_runs_meanwhile() {
    if !std::path::Path::new("/usr/bin/systemctl").exists() {
        eprintln!("SKIPPED: needs /usr/bin/systemctl, to put another in its place");
        return;
    }
    let told = in_namespace_with_timer(
        r#"echo > /etc/security/nearmiss.conf.d/60-breaches.conf
        {
            echo '#!/bin/sh'
            echo 'echo "systemctl $*, drop-ins: $(ls /etc/security/nearmiss.conf.d | wc -l)" >> /run/calls'
            echo 'echo > /etc/security/nearmiss.conf.d/60-breaches.conf'
        } > /run/systemctl
        chmod +x /run/systemctl
        mount --bind /run/systemctl /usr/bin/systemctl
        "$filterctl" breaches disable > /dev/null
        cat /run/calls
        echo "left: $(ls /etc/security/nearmiss.conf.d)""#,
    );
    let Some(told) = told else { return };
    let lines: Vec<&str> = told.lines().collect();
    let expected = [
        "systemctl disable --now nearmiss-fetch.timer, drop-ins: 0",
        "systemctl stop nearmiss-fetch.service nearmiss-breaches.service, drop-ins: 1",
        "left: ",
    ];
    assert_eq!(lines, expected);
}
