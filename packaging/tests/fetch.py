"""fetch.py FOLDER: nearmiss-fetch on Debian 12 and 13, around `libpam_nearmiss.so`, `filterctl` and
`nearmiss-fetch` of FOLDER: what the package puts where, a corpus of a server on this machine fetched and
installed as the units would, the real passwd, and what removal and purge leave.
"""

import os
import re
import shlex
import sys
import urllib.request

import access
import packages
import releases
import scenarios
from machine import check

sys.path.insert(0, f"{packages.SOURCE}/packaging/fetch/demo")
import server  # noqa: E402

FETCH = "nearmiss-fetch"
UNITS = "usr/lib/systemd/system"
# Owner, group and mode of what the package has.
PROMISED = {
    "usr/sbin/nearmiss-fetch": "root:root 755",
    f"{UNITS}/nearmiss-fetch.service": "root:root 644",
    f"{UNITS}/nearmiss-fetch.timer": "root:root 644",
    f"{UNITS}/nearmiss-breaches.service": "root:root 644",
    f"{UNITS}/nearmiss-filter.service.d/nearmiss-fetch.conf": "root:root 644",
    "usr/share/man/man8/nearmiss-fetch.8.gz": "root:root 644",
    "usr/share/bash-completion/completions/nearmiss-fetch": "root:root 644",
    "usr/share/zsh/vendor-completions/_nearmiss-fetch": "root:root 644",
    "usr/share/fish/vendor_completions.d/nearmiss-fetch.fish": "root:root 644",
    "usr/share/doc/nearmiss-fetch/sbom.cdx.json.gz": "root:root 644",
}
# For cron, where systemd does not run. As a file of the configuration it stays until the package is purged.
SCRIPT = "etc/cron.weekly/nearmiss-fetch"
# What switches leaked passwords on, what the configuration then names, and what was fetched and installed.
OPTIONS, DROP_IN = "etc/nearmiss-fetch.env", "etc/security/nearmiss.conf.d/60-breaches.conf"
FILTER, STATE = "var/cache/nearmiss/leaked.filter", "var/cache/nearmiss/leaked.state"
# Where systemd keeps the folder of a user that it makes for a service, and the name that the unit knows.
FOLDER, SEEN = "var/lib/private/nearmiss-fetch", "var/lib/nearmiss-fetch"
NOBODY = "65534"
# The packaged filters and their records, which are built again where the cache was emptied.
RECORDS = ["", ".sources", ".update"]
REBUILT = [f"var/cache/nearmiss/{name}.filter{end}" for name in ["words", "exact"] for end in RECORDS]

LEAKED, LATER = "glacier-Tandem-67-onyx", "harbour-Lintel-52-mocha"
WHY = "it is in a dictionary of leaked passwords"


def command_of(machine, unit):
    """The command that a service starts, with the options of its file."""
    text = machine.read(f"{UNITS}/{unit}")
    command = re.search(r"^ExecStart=(.*)", text, re.MULTILINE)[1]
    options = re.search(r'^OPTIONS="(.*)"', machine.read(OPTIONS), re.MULTILINE)
    return shlex.split(command.replace("$OPTIONS", options[1]))


def check_files(machine):
    for name, wanted in {**PROMISED, SCRIPT: "root:root 755"}.items():
        found = access.access(machine.root, name)
        check(found == wanted, f"/{name} is {found}")
    links = machine.run("find", "/etc/systemd", f"/{UNITS}", "-type", "l", "-name", "nearmiss-fetch*")
    check(not links, "none of its units is enabled")
    there = [name for name in [OPTIONS, DROP_IN, FILTER, FOLDER] if machine.exists(name)]
    check(not there, f"nothing was switched on or fetched {there or ''}")


def switch_on(machine):
    status, said = machine.attempt("filterctl", "breaches", "enable")
    check(
        status == 2 and "pass --yes" in said and not machine.exists(OPTIONS),
        "filterctl breaches enable asks; where nobody can be asked, nothing is switched on",
    )
    said = machine.run("filterctl", "breaches", "enable", "--min-count", "5", "--yes")
    scenarios.show(said.splitlines())
    check("about 80 GB the first time" in said, "filterctl breaches enable says what it costs")
    check(f"for the first run now: /{SCRIPT}" in " ".join(said.split()), "and what starts it")
    found = access.access(machine.root, OPTIONS)
    check(found == "root:root 644", f"/{OPTIONS} is {found}")
    check('OPTIONS="--kind sha1 --min-count 5"' in machine.read(OPTIONS), "with the options")
    check(not machine.exists(DROP_IN), "the configuration names no filter before there is one")


def fetch(machine):
    """As the service does: another user, with no right but to its folder."""
    machine.run("mkdir", "-p", "-m", "711", f"/{os.path.dirname(FOLDER)}")
    machine.run("install", "-d", "-m", "700", "-o", NOBODY, "-g", NOBODY, f"/{FOLDER}")
    machine.run("ln", "-sfT", "private/nearmiss-fetch", f"/{SEEN}")
    rights = ["setpriv", "--reuid", NOBODY, "--regid", NOBODY, "--clear-groups", "--no-new-privs"]
    command = [*command_of(machine, "nearmiss-fetch.service"), "--digits", str(server.DIGITS)]
    machine.run(*rights, "--bounding-set=-all", *command)
    check(machine.exists(f"{FOLDER}/leaked.filter"), "the service's command makes a filter as another user")


def name_server(machine, base):
    """As an administrator with a server of this host's own, which has a list of its own."""
    text = machine.read(OPTIONS)
    machine.write(OPTIONS, text.replace('--min-count 5"', f'--min-count 5 --url {base}"'))


def install(machine, wanted=0):
    """Root's step after the service, which ends with this status; gives what it said."""
    status, said = machine.attempt(*command_of(machine, "nearmiss-breaches.service"))
    scenarios.show(said.splitlines())
    check(status == wanted, f"root's step ends with {wanted}")
    return said


def check_everyones(machine, base):
    """While the options name no server, the list is everyone's, and has the most common passwords."""
    name_server(machine, base)
    fetch(machine)
    options = machine.read(OPTIONS)
    machine.write(OPTIONS, options.replace(f" --url {base}", ""))
    said = install(machine, wanted=2)
    check("most common passwords" in said, "a list without the common passwords is refused")
    check(not machine.exists(FILTER) and not machine.exists(DROP_IN), "and nothing is installed")
    machine.write(OPTIONS, options)
    install(machine)


def check_installed(machine, candidate):
    found = access.access(machine.root, FILTER)
    check(found == "root:nearmiss 640", f"root's step: /{FILTER} is {found}")
    check(f"/{FILTER}" in machine.read(DROP_IN), "the configuration names it")
    said = machine.run("filterctl", "breaches", "status")
    scenarios.show(said.splitlines())
    machine.refuses(candidate, WHY)


def check_kept(machine, package):
    """The same version once more: dpkg's upgrade."""
    machine.run("dpkg", "-i", package)
    check(machine.exists(OPTIONS) and machine.exists(DROP_IN), "an upgrade leaves it switched on")
    machine.refuses(LEAKED, WHY)


def check_emptied(machine):
    """`/var/cache` may be emptied at any time; the fetched filter is elsewhere."""
    machine.run("rm", "-r", f"/{os.path.dirname(FILTER)}")
    machine.run(*command_of(machine, "nearmiss-filter.service"))
    said = machine.attempt("filterctl", "doctor", "--only-problems")[1]
    check("fix: filterctl breaches install" in said, "doctor names what brings the lost filter back")
    install(machine)
    machine.refuses(LEAKED, WHY)


def check_removed(machine):
    machine.remove(FETCH)
    left = [name for name in [*PROMISED, OPTIONS, DROP_IN] if machine.exists(name)]
    check(not left, f"removed: no unit, no options, nothing in the configuration {left or ''}")
    check(machine.exists(FILTER) and machine.exists(f"{FOLDER}/leaked.filter"), "what was fetched stays")
    check(machine.attempt(f"/{SCRIPT}") == (0, ""), "the script of cron does nothing, and says nothing")
    machine.refuses("elephant", scenarios.IN_DICTIONARY)
    machine.accepts(LEAKED)


def check_back(machine, package, base):
    """Installed again, it is switched on by its administrator, and goes on where it was."""
    machine.run("dpkg", "-i", package)
    check(not machine.exists(OPTIONS), "installed again: it is not switched on by that")
    machine.run("filterctl", "breaches", "enable", "--min-count", "5", "--yes")
    name_server(machine, base)
    fetch(machine)
    install(machine)
    check_installed(machine, LATER)


def check_weekly(machine, base):
    """The script of cron, which does without systemd what the units do, after a run with systemd."""
    mirror = f"--min-count 5 --url {base} --digits {server.DIGITS}"
    machine.write(OPTIONS, f'OPTIONS="--kind sha1 {mirror}"\n')
    os.unlink(machine.path(FILTER))
    os.unlink(machine.path(DROP_IN))
    machine.run("mkdir", "-p", "/run/systemd/system")
    weekly(machine)
    check(not machine.exists(FILTER), "where systemd runs, the script of cron does nothing")
    machine.run("rmdir", "/run/systemd/system")
    weekly(machine)
    found = access.access(machine.root, f"{FOLDER}/leaked.filter.run")
    check(found.startswith(f"{FETCH}:"), f"the script of cron fetches as a user of its own: {found}")
    check_installed(machine, LATER)
    machine.run("filterctl", "breaches", "disable")
    weekly(machine)
    check(not machine.exists(DROP_IN), "switched off, the script does nothing")


def weekly(machine):
    status, said = machine.attempt(f"/{SCRIPT}")
    check((status, said) == (0, ""), f"/{SCRIPT} ends with {status}, and says nothing: {said!r}")


def stage(machine, folder):
    scenarios.install(machine, folder)
    machine.install("ca-certificates")
    before = machine.snapshot()
    [package] = machine.copy_in([packages.named(folder, FETCH)])
    machine.install(package)
    check(machine.is_installed(FETCH), f"{FETCH} is installed")
    check_files(machine)
    base = server.start(LEAKED, LATER)
    switch_on(machine)
    check_everyones(machine, base)
    check_installed(machine, LEAKED)
    check_kept(machine, package)
    check_emptied(machine)
    check_removed(machine)
    urllib.request.urlopen(f"{base}/leak").close()
    check_back(machine, package, base)
    check_weekly(machine, base)
    machine.remove(FETCH, purge=True)
    left = machine.changes_since(before)
    scenarios.show(left)
    names = {line.split(":")[0] for line in left}
    gone = [FILTER, STATE, FOLDER, SEEN, OPTIONS, DROP_IN, SCRIPT]
    check(not any(machine.exists(name) for name in gone), "purged")
    check(machine.attempt("id", FETCH)[0] != 0, "and the user of cron's script")
    kept = {scenarios.LADDER, "etc/passwd", "etc/group", "etc/gshadow", os.path.dirname(FOLDER), *REBUILT}
    more = names - kept or ""
    check(not more, f"nothing is left but the ladder's counts, and what this test made {more}")
    machine.accepts("Zz9-uncommon-phrase")


def stages(folder):
    """What is shown on each release, and the stage that shows it."""
    layers = {"Debian 12": "base", "Debian 13": "trixie"}
    return [
        (f"{name}: leaked passwords", lambda layer=layer: stage(releases.fresh(layer), folder))
        for name, layer in layers.items()
    ]


if __name__ == "__main__":
    releases.alone(stages, "pkg.nearmiss.nolab pkg.nearmiss.nofleet", "the package nearmiss-fetch")
