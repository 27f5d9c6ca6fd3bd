"""The pages of docs/ followed by an administrator: what they show to be written or run, taken from them, on a
throw-away machine."""

import os
import re

import access
import packages
from machine import check
from rollout import WEAKER, WELL, doctor
from scenarios import CONFIGURATION, FILTER, FINE, IN_DICTIONARY, OURS, WORD, install, show

ROLLOUT = f"{CONFIGURATION}.d/10-rollout.conf"
SITE = "etc/nearmiss-filters/site.filter"


def page(name):
    with open(os.path.join(packages.SOURCE, "docs", name), encoding="utf-8") as file:
        return file.read()


def shown(name, first):
    """What a page shows as text of its own, from the line that begins so to the next line of prose."""
    block = re.search(rf"^    {re.escape(first)}.*\n(?:(?:    .*)?\n)*", page(name), re.MULTILINE)
    check(block is not None, f"docs/{name} shows {first!r}")
    return "\n".join(line[4:] for line in block[0].rstrip().splitlines()) + "\n"


def lines(name, first):
    """The commands of such a text; one that ends in && or \\ goes on in the next line."""
    return re.sub(r"(&&|\\)\n\s*", r"\1 ", shown(name, first)).splitlines()


def obey(machine, name, first, weaker=()):
    """Runs what a page shows, line by line, in /root; gives what the last said. The lines `weaker` end as the
    doctor does where something is weaker than it could be."""
    for line in lines(name, first):
        ended, said = machine.attempt("sh", "-c", f"cd /root && {line}")
        show([f"# {line}", *said.splitlines()[:12]])
        status = WEAKER if line in weaker else 0
        check(ended == status, f"docs/{name}: {line}: ends with {status}")
    return said


def followed(machine, folder):
    roll_out(machine, folder)
    hand_out(machine)
    watch(machine)
    roll_back(machine)
    migrate(machine)


def roll_out(machine, folder):
    """Audit, warn, reject."""
    machine.write("root/10-rollout.conf", shown("roll-out.md", f"# /{ROLLOUT}"))
    [command] = lines("roll-out.md", "install -D")
    machine.run("sh", "-c", f"umask 077 && cd /root && {command}")
    found = [access.access(machine.root, name) for name in [os.path.dirname(ROLLOUT), ROLLOUT]]
    check(found == ["root:root 755", "root:root 644"], "servers can read the settings, whatever the umask")
    install(machine, folder)
    said = obey(machine, "roll-out.md", "filterctl doctor", weaker=["filterctl doctor"])
    check('enforce = "audit"' in said and "10-rollout.conf:2" in said, "config names level, file and line")
    machine.accepts(WORD)
    machine.write(ROLLOUT, shown("roll-out.md", 'enforce = "warn"'))
    status, said = machine.passwd(("butterfly", True))
    check(status == 0 and "BAD PASSWORD" in said, "the reason is shown and the password accepted")
    machine.password = "butterfly"
    os.remove(machine.path(ROLLOUT))
    machine.refuses(WORD, IN_DICTIONARY)
    status, said = machine.attempt(
        "filterctl", "check", "--audit", "--no-ladder", text="anna:password\nbob:Zz9-uncommon-phrase\n"
    )
    show(said.splitlines())
    check(status == 1 and "anna" in said and "password\n" not in said, "a list of users is audited")


def hand_out(machine):
    machine.write("root/site-words.txt", "quixoticallyours\n")
    obey(machine, "filters.md", "filterctl build --for-distribution")
    obey(machine, "filters.md", "filterctl install --group")
    machine.write(f"{CONFIGURATION}.d/site.conf", shown("filters.md", "[[dictionary]]"))
    doctor(machine, WELL)
    check([machine.verdict(word) for word in ["quixoticallyours", WORD]] == [1, 1], "both filters are asked")
    part = shown("roll-out.md", "[[dictionary]]")
    machine.write(f"{CONFIGURATION}.d/site.conf", part)
    doctor(machine, WEAKER, "settings-level", 'enforce = "audit"')
    machine.accepts("quixoticallyours")
    machine.refuses(WORD, IN_DICTIONARY)
    machine.run("mkdir", "-p", "/usr/local/share/site")
    machine.write("usr/local/share/site/words.txt", "zqwvanyjkpl\n")
    text = shown("filters.md", "# /etc/security/nearmiss.conf.d/20-filter.conf")
    machine.write(f"{CONFIGURATION}.d/20-filter.conf", text)
    machine.run("filterctl", "update", "--group", "nearmiss")
    check(machine.verdict("zqwvanyjkpl") == 1, "a list of [update] is in the packaged filter")


def watch(machine):
    machine.run("mkdir", "-p", "/var/lib/node_exporter/textfile")
    # hand_out has left a filter that is only audited.
    weaker = ["filterctl doctor --only-problems --record /var/cache/nearmiss/examined"]
    first = "filterctl metrics --output /var/lib/node_exporter/textfile/nearmiss.prom"
    obey(machine, "monitor.md", first, weaker)
    text = machine.read("var/lib/node_exporter/textfile/nearmiss.prom")
    check("# TYPE" in text and FILTER in text, "the metrics are written")


def roll_back(machine):
    text = page("roll-back.md")
    switch = re.search(r"`(pam-auth-update --disable nearmiss)`", text)[1]
    machine.run(*switch.split())
    check(not any("requisite pam_nearmiss" in line for line in machine.stack()), "the line is gone")
    machine.accepts("elephantine")
    machine.run("pam-auth-update", "--enable", "nearmiss")
    machine.refuses(WORD, IN_DICTIONARY)
    machine.write("root/more.txt", "another\nxylophonist\n")
    machine.run("filterctl", "build", "-o", "/root/more.filter", "/root/more.txt")
    machine.run("filterctl", "install", "/root/more.filter", f"/{SITE}")
    machine.run("filterctl", "rollback", f"/{SITE}")
    asked = machine.attempt("filterctl", "check", "--filter", f"/{SITE}", text="quixoticallyours\n")[0]
    check(asked == 1, "rollback brings the filter before")


def migrate(machine):
    machine.install("libpam-pwquality", "cracklib-runtime")
    machine.write("etc/security/pwquality.conf", "minlen = 12\nminclass = 3\n")
    # hand_out has left a filter that is only audited, of which the doctor warns.
    os.remove(machine.path(f"{CONFIGURATION}.d/site.conf"))
    said = obey(machine, "migrate.md", "filterctl migrate >")
    show(machine.read(f"{CONFIGURATION}.d/50-migrated.conf").splitlines())
    check("min_length" in machine.run("filterctl", "config", "--changed"), "what was kept is in force")
    check("WRONG" not in said, "and the doctor is content")
    remove = re.search(r"`apt (purge [^`]*)`", page("roll-back.md"))[1].split()
    machine.run("apt-get", "-y", *remove)
    check(not any(machine.is_installed(package) for package in OURS), "nothing of it is left")
    machine.accepts(FINE)
