//! fail2ban with the packaged filter and jail bans the address of a second frequent guess, with nftables in a
//! private network.

use nearmiss_tests::{
    artifacts::artifacts,
    scenario::OLD,
    skip::skipped,
    sshd::{ACCOUNT, AUTH, libraries, program, scenario, unpacked},
};

use super::{ATTACKER, GUESS, LINE, artifacts_of_packaging, cannot_run, is_logged};

/// Sets fail2ban up with our jail alone, on what a daemon would write, and starts it.
const SETUP: &str = r#"
cp -r UNPACKED/etc/fail2ban /etc/fail2ban 2>/dev/null || true
rm -f /etc/fail2ban/jail.d/*
cp PACKAGING/filter.d/nearmiss.conf /etc/fail2ban/filter.d/
cp PACKAGING/jail.d/nearmiss.conf /etc/fail2ban/jail.d/
cat > /etc/fail2ban/jail.d/nearmiss.local <<'JAIL'
[DEFAULT]
banaction = nftables-multiport
ignoreself = false
ignoreip =
[nearmiss]
enabled = true
backend = polling
logpath = /var/log/auth.log
JAIL
touch /var/log/auth.log
mkdir /etc/f2b
printf '#!/bin/sh\nLD_LIBRARY_PATH=LIBRARIES exec NFT "$@"\n' > /etc/f2b/nft
printf '#!/bin/sh\n%s\n%s "$@"\n' 'export PYTHONPATH=UNPACKED/usr/lib/python3/dist-packages' \
    'exec python3 SERVER/fail2ban-client -s /run/f2b.socket -p /run/f2b.pid' > /etc/f2b/client
chmod 755 /etc/f2b/*
PATH=/etc/f2b:$PATH PYTHONPATH=UNPACKED/usr/lib/python3/dist-packages setsid python3 SERVER/fail2ban-server \
    -f -s /run/f2b.socket -p /run/f2b.pid --logtarget /run/f2b.log < /dev/null > /run/f2b.out 2>&1 &
for i in $(seq 1500); do /etc/f2b/client status nearmiss > /dev/null 2>&1 && exit 0; sleep 0.2; done
cat /run/f2b.out /run/f2b.log >&2; exit 1
"#;

/// Waits until this is seen, and shows it.
fn until(command: &str) -> String {
    format!("for i in $(seq 1500); do {command} && exit 0; sleep 0.2; done; cat /run/f2b.log; exit 1")
}

#[test]
fn the_second_frequent_guess_bans_its_address_and_no_other() {
    let nft = program("/usr/sbin/nft");
    let server = program("/usr/bin/fail2ban-server");
    let (Some(nft), Some(server)) = (nft, server) else {
        skipped(Some("needs fail2ban and nftables (tests/tools/unpack.sh fetches them)"));
        return;
    };
    if cannot_run() {
        return;
    }
    let setup = [
        ("UNPACKED", unpacked()),
        ("PACKAGING", artifacts_of_packaging("fail2ban").into()),
        ("LIBRARIES", libraries()),
        ("NFT", nft),
        ("SERVER", server.parent().unwrap().to_owned()),
    ];
    let setup = setup.iter().fold(SETUP.to_owned(), |text, (name, path)| {
        text.replace(name, path.to_str().expect("the workspace's path is UTF-8"))
    });
    let flagged =
        format!("echo '{GUESS}' | {} ladder step --guessed --steps 48 >&2", artifacts().filterctl.display());
    let banned = "/etc/f2b/nft list ruleset";
    let runs = scenario(&AUTH, &ACCOUNT, 3, &[flagged])
        .auth_log()
        .shell(&setup)
        .log_in("u0", GUESS, ATTACKER)
        .shell(&until(&format!("grep -q 'Found {ATTACKER}' /run/f2b.log")))
        .shell(&format!("sleep 2; {banned} | grep -c '{ATTACKER}'"))
        .log_in("u1", GUESS, ATTACKER)
        .shell(&until(&format!("{banned} | grep -o '{ATTACKER}'")))
        .log_in("u2", OLD, ATTACKER)
        .log_in("u2", OLD, "127.0.0.9")
        .play();
    let [set_up, first, found, none, second, ban, refused, other] = &runs[..] else { panic!("{runs:#?}") };
    set_up.expect_status(0);
    assert!(is_logged(first, LINE) && is_logged(second, LINE), "{first:#?} {second:#?}");
    found.expect_status(0);
    assert_eq!(none.transcript, "0\n", "banned for one guess");
    ban.expect_status(0).expect_shown(ATTACKER);
    assert!(!refused.transcript.contains("logged in"), "{refused:#?}");
    other.expect_shown("logged in");
}
