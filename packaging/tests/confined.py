"""A machine that uses all that the rules of AppArmor and SELinux are about, and what has to come of password
changes and a failed login there: with the rules, and without them.
"""

import scenarios
import trees
from machine import Machine, check

SITE = "qzkwtrialword"
FINE, FINE_OF_ROOT, CONTROL = scenarios.FINE, "Wv7-unheard-sentence", "Kx4-another-saying"
NEVER = "/etc/security/nearmiss.words"
CONFIGURATION = f"""enforce_for_root = true
suggest = 1
[[dictionary]]
file = "/etc/nearmiss-filters/site.filter"
[[dictionary]]
file = "/etc/nearmiss/own.filter"
[policy]
substring = "off"
forbidden_words_file = "{NEVER}"
[guesses]
from = "all"
"""
SETTINGS = [
    f"echo examplecompany > {NEVER}",
    f"echo {SITE} > /root/words; filterctl build --output /root/site.filter /root/words",
    "filterctl install --group nearmiss /root/site.filter /etc/nearmiss-filters/site.filter",
    "filterctl install --group nearmiss /root/site.filter /etc/nearmiss/own.filter",
    "filterctl ladder init --guessed --failures-per-day 1000",
    "filterctl fleet init --guessed --bits 2^22; filterctl fleet init --chosen --bits 2^22",
    "pam-auth-update --enable nearmiss-failed nearmiss-guessed",
]
# A program that asks for a password, as login and sshd do.
LOGIN, SERVICE = "/usr/bin/pamtester", "trial"
STACK = "#%PAM-1.0\n@include common-auth\n@include common-account\n"


class Confined(Machine):
    """A site's filter beside the packaged ones, both ladders, a fleet, failed logins that are counted."""

    def __init__(self, folder):
        super().__init__([trees.tree("confined")])
        scenarios.install(self, folder)
        self.write("etc/security/nearmiss.conf.d/trial.conf", CONFIGURATION)
        for line in SETTINGS:
            self.run("sh", "-ec", line)
        self.write(f"etc/pam.d/{SERVICE}", STACK)
        self.uid = int(self.run("id", "-u", "alice"))


def by_user(machine, candidate, count, old=None):
    """Alice's own passwd: a password that is typed so often."""
    steps = [["Current password:", old or machine.password], *[["ew password:", candidate]] * count]
    return {"command": ["/usr/bin/passwd"], "uid": machine.uid, "steps": steps}


def by_root(candidate, count):
    return {"command": ["/usr/bin/passwd", "alice"], "steps": [["ew password:", candidate]] * count}


def counted():
    return {"command": ["sha256sum", f"/{scenarios.LADDER}"]}


def failed_login():
    steps = [["Password:", "guessed-by-somebody"]]
    return {"command": [LOGIN, SERVICE, "alice", "authenticate"], "steps": steps}


def seen():
    """The file of failed logins that were seen; the module makes it."""
    return {"command": ["test", "-s", "/run/nearmiss/failures"]}


def plan(machine):
    return [
        by_user(machine, scenarios.WORD, 3),
        by_user(machine, SITE, 3),
        counted(),
        by_user(machine, FINE, 2),
        counted(),
        by_root(scenarios.NEAR, 3),
        by_root(FINE_OF_ROOT, 2),
        counted(),
        seen(),
        failed_login(),
        seen(),
    ]


def check_with_rules(results, of=""):
    """What the plan comes to where everything is allowed that has to be: `of` is in a denied access that
    matters."""
    word, site, *rest = results
    unchanged, fine, by_owner, near, of_root, by_admin, unseen, failed, is_seen = rest
    check(rejected(word, scenarios.IN_DICTIONARY), "a user's dictionary word is rejected")
    check("decision=reject reason=dictionary" in "".join(word["log"]), "and is a line of the log")
    check(rejected(site, scenarios.IN_DICTIONARY), "so is a word of the filter in /etc/nearmiss-filters")
    check(is_set(fine), "a good password is set")
    check(unchanged["said"] != by_owner["said"], "and recorded in the ladder")
    check(rejected(near, scenarios.NEAR_DICTIONARY), "root's, near a word, is rejected")
    check(is_set(of_root) and by_owner["said"] != by_admin["said"], "root sets a good one, recorded as well")
    is_counted = unseen["status"] != 0 and is_seen["status"] == 0
    check(failed["status"] != 0 and is_counted, "a failed login is counted")
    check(sum(result["asked"] for result in results) >= 3, "the fleet's agent is asked through its socket")
    denied = sorted({line for result in results for line in result["denied"]})
    scenarios.show(denied)
    matters = any(of in line for line in denied)
    check(not matters, "the kernel's log has no denied access" + (of and f" to {of}"))


def control(machine, old):
    """A good password, where this one is set."""
    return by_user(machine, CONTROL, 2, old)


def check_control(result, denied):
    """The module is refused its files, and refuses: the kernel's log names this one."""
    scenarios.show([*result["said"].splitlines(), *result["denied"]])
    # The message is in lines of the terminal's width.
    said = " ".join(result["said"].split())
    is_refused = result["status"] != 0 and "passwords cannot be changed" in said
    check(is_refused, "a good password is refused, since it cannot be checked")
    check(any(denied in line for line in result["denied"]), f"and the kernel's log names {denied}")


def rejected(result, why):
    return result["status"] != 0 and why in result["said"]


def is_set(result):
    return result["status"] == 0 and "updated successfully" in result["said"]
