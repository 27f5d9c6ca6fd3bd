"""Password rules of a compliance scan, for each stack of packaging/compliance, and what it rejects."""

import os
import re

import packages
import terminal
from machine import Failed, check
from running import install

COMPLIANCE = os.path.join(packages.SOURCE, "packaging/compliance")
GUIDE = "/root/guide/usr/share/xml/scap/ssg/content/ssg-debian12-ds.xml"
PREFIX = "xccdf_org.ssgproject.content_"
RULES = [
    f"accounts_password_pam_{name}"
    for name in ["minlen", "dcredit", "ucredit", "lcredit", "ocredit", "minclass", "retry"]
]
RULES.append("package_pam_pwquality_installed")
# What ANSSI asks for is in it, and a dictionary word with one character changed.
DISGUISED = "K4leidosc0pyc_%73"
FINE = {
    "drop-in": "Copper-otter-8-Lantern",
    "nearmiss-then-pwquality": "Violet%Stone-77-Harbour",
    "pwquality-then-nearmiss": "Quiet+Marble-5-Lantern",
}
# A test may not go on without the rules, which the guide of an older Debian does not have.
NEWER = "trixie"
FETCH = "cd /root && apt-get download -q -o APT::Sandbox::User=root"
STACKS = {
    "drop-in": "nearmiss-cracklib",
    "nearmiss-then-pwquality": "libpam-nearmiss",
    "pwquality-then-nearmiss": "libpam-nearmiss",
}


def stage(machine, folder):
    fetch_guide(machine)
    profile(machine, "anssi")
    stack(machine, "drop-in")
    passes(machine, "pam_pwquality alone")
    status, said = machine.passwd((DISGUISED, True))
    check(status == 0, "and it takes what is one character away from a word")
    machine.password = DISGUISED
    for name, package in STACKS.items():
        install(machine, folder, package)
        stack(machine, name)
        passes(machine, name)
        status, said = tried(machine, "K4leidosc0pyc_%74")
        check(
            status != 0 and "one or two characters away" in said,
            f"{name} rejects what is one character away from a word",
        )
        status, said = tried(machine, "correct-horse-battery")
        check(status != 0 and "BAD PASSWORD" in said, f"{name} applies the composition rules of the profile")
        machine.accepts(FINE[name])
        if package == "nearmiss-cracklib":
            machine.remove(package, purge=True)
    machine.write(
        "etc/pam.d/common-password",
        machine.read("etc/pam.d/common-password").replace("pam_pwquality.so", "pam_permit.so"),
    )
    failed = [rule for rule, result in evaluated(machine).items() if result != "pass"]
    check(failed, f"without pam_pwquality rules fail: {len(failed)} of {len(RULES)}")


def tried(machine, candidate):
    """Types a candidate twice: some stacks ask for it again before they reject it, others for a new one."""
    return machine.passwd_by(*[[terminal.ANY_PROMPT, candidate]] * 2)


def fetch_guide(machine):
    """The guide of a newer Debian is data, read by the scanner of this one."""
    address = machine.read("etc/apt/sources.list").split()[1]
    machine.write("etc/apt/sources.list.d/newer.list", f"deb {address} {NEWER} main\n")
    machine.run("apt-get", "update", "-q")
    machine.run(
        "sh",
        "-c",
        f"{FETCH} ssg-debian/{NEWER} && dpkg -x ssg-debian_*.deb guide",
    )
    machine.run("rm", "/etc/apt/sources.list.d/newer.list")
    machine.run("apt-get", "update", "-q")


def profile(machine, name):
    with open(f"{COMPLIANCE}/pwquality/{name}.conf", encoding="utf-8") as file:
        machine.write("etc/security/pwquality.conf", file.read())


def stack(machine, name):
    with open(f"{COMPLIANCE}/stacks/{name}", encoding="utf-8") as file:
        machine.write("etc/pam.d/common-password", file.read())


def passes(machine, name):
    results = evaluated(machine)
    failed = {rule: result for rule, result in results.items() if result != "pass"}
    check(
        not failed and len(results) == len(RULES),
        f"oscap, {name}: {len(results)} of {len(RULES)} rules pass {failed or ''}",
    )


def evaluated(machine):
    chosen = [word for rule in RULES for word in ["--rule", f"{PREFIX}rule_{rule}"]]
    status, said = machine.attempt(
        "oscap", "xccdf", "eval", "--profile", f"{PREFIX}profile_anssi_bp28_minimal", *chosen, GUIDE
    )
    results = dict(
        re.findall(rf"^Rule\s+{PREFIX}rule_(\S+).*?^Result\s+(\S+)", said, re.MULTILINE | re.DOTALL)
    )
    if status not in (0, 2) or not results:
        raise Failed(f"oscap ends with {status}:\n{said[-2000:]}")
    return results
