"""AppArmor, enforced: a profile for programs that ask for passwords, with our rules and without them.

With them, each use of a rule is a line of the kernel's log: a rule that nothing used has not been tested.
"""

import re

import confined
import packages
import scenarios
import trees
from machine import check

OPTIONS = "security=apparmor apparmor=1"
# What passwd itself needs; all else comes from the distribution's abstractions, and from ours in one of them.
PROFILE = f"""abi <abi/3.0>,
include <tunables/global>
profile trial /usr/bin/{{passwd,pamtester}} {{
  include <abstractions/base>
  include <abstractions/authentication>
  include <abstractions/consoles>
  include <abstractions/nameservice>
  include <abstractions/wutmp>
  capability audit_write,
  capability chown,
  capability dac_override,
  capability dac_read_search,
  capability fowner,
  capability fsetid,
  capability setgid,
  capability setuid,
  capability sys_resource,
  network netlink raw,
  /etc/.pwd.lock wk,
  /etc/{{passwd,shadow}}{{,-,+,.lock,.[0-9]*}} rwkl,
  /etc/nshadow rwl,
  @{{PROC}}/@{{pid}}/loginuid r,
  /{{,usr/}}bin/{{passwd,pamtester}} mr,
  /usr/sbin/unix_chkpwd ix,
}}
"""
PLACE = "etc/apparmor.d/trial"
RULES = "etc/apparmor.d/abstractions/authentication.d/nearmiss"
# What the kernel's log must name, and which rules are taken away before: one, then all.
CONTROLS = {
    "/var/cache/nearmiss/words.filter": f"sed -i '\\|/var/cache/nearmiss|d' /{RULES};",
    "/etc/security/nearmiss.conf.d/": f"rm /{RULES};",
}
# Rules that this machine has no use for.
UNUSED = {
    # Read where there is no nearmiss.conf in /etc.
    "/usr/share/nearmiss/nearmiss.conf",
    # Read where a user has another language.
    "/usr/share/locale/*/LC_MESSAGES/nearmiss.mo",
}


def load(then=""):
    """Puts the profile into the kernel, after what `then` does to its files."""
    return {"command": ["sh", "-c", f"{then} apparmor_parser --replace --skip-cache /{PLACE}"]}


def in_force():
    return {"command": ["grep", "-x", "trial (enforce)", "/sys/kernel/security/apparmor/profiles"]}


def test(machine, guest):
    rules = trees.read(f"{packages.SOURCE}/packaging/apparmor/nearmiss")
    check(trees.read(machine.path(RULES)) == rules, "libpam-nearmiss has the rules")
    machine.write(RULES, re.sub(r"^( *)/", r"\1audit /", rules, flags=re.MULTILINE))
    machine.write(PLACE, PROFILE)
    machine.run("apparmor_parser", "--skip-kernel-load", "--skip-cache", f"/{PLACE}")
    steps = [load(), in_force(), *confined.plan(machine)]
    first = len(steps)
    for less in CONTROLS.values():
        steps += [load(less), confined.control(machine, confined.FINE_OF_ROOT)]
    results = guest.results(steps, OPTIONS)
    check(results[0]["status"] == results[1]["status"] == 0, "the profile is loaded, and enforced")
    confined.check_with_rules(results[2:first])
    check_rules(rules, "\n".join(line for result in results[2:first] for line in result["audited"]))
    for number, denied in enumerate(CONTROLS):
        loaded, result = results[first + 2 * number :][:2]
        check(loaded["status"] == 0, f"control {number + 1}: the profile is loaded with fewer rules")
        confined.check_control(result, denied)


def check_rules(rules, log):
    """Each rule was used."""
    names = set(re.findall(r' name="([^"]*)"', log))
    paths = re.findall(r"^ *(/\S*) \w+,$", rules, flags=re.MULTILINE)
    unused = {path for path in paths if not any(re.fullmatch(pattern(path), name) for name in names)}
    told = f"each of {len(paths)} rules was used, but for {sorted(unused)}"
    check(len(paths) > 10 and unused <= UNUSED, told)


def pattern(path):
    """AppArmor's pattern of a path as a regular expression."""
    return re.escape(path).replace(r"\*", "[^/]*").replace(r"\{", "(").replace(r"\}", ")").replace(",", "|")
