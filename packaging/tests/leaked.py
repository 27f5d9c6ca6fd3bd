"""nearmiss-fetch by another distribution's package manager: what its package has, that it switches nothing
on, and that its removal switches leaked passwords off."""

import os
import re

from machine import check

UNITS = ["nearmiss-fetch.service", "nearmiss-fetch.timer", "nearmiss-breaches.service"]
# The options that switch leaked passwords on, what the configuration then names, and what was fetched.
OPTIONS, DROP_IN = "etc/nearmiss-fetch.env", "etc/security/nearmiss.conf.d/60-breaches.conf"
FETCHED = ["var/cache/nearmiss/leaked.filter", "var/lib/private/nearmiss-fetch/leaked.filter"]
FILES = [
    "usr/share/man/man8/nearmiss-fetch.8",
    "usr/share/bash-completion/completions/nearmiss-fetch",
    "usr/share/zsh/site-functions/_nearmiss-fetch",
    "usr/share/fish/vendor_completions.d/nearmiss-fetch.fish",
    "usr/share/doc/nearmiss-fetch/sbom.cdx.json",
    *(f"usr/lib/systemd/system/{name}" for name in UNITS),
]


def is_there(bench, name):
    """The file, or its manual page compressed."""
    return any(os.path.exists(f"{bench.root}/{name}{end}") for end in ["", ".gz"])


def life(bench, add, remove, without_tools, programs):
    """The package comes to the installed tools, is used and goes, and so do they; `programs` is its folder of
    programs."""
    bench.shell(add)
    missing = [name for name in [f"{programs}/nearmiss-fetch", *FILES] if not is_there(bench, name)]
    check(not missing, f"the package has program, manual, completions, bill and units {missing or ''}")
    check_units(bench, programs)
    enabled = bench.shell("find /etc/systemd /usr/lib/systemd -name '*nearmiss-fetch*' -type l")
    check(not enabled and not is_there(bench, OPTIONS), "nothing is switched on")
    said = bench.shell("filterctl breaches enable --yes")
    check("systemd does not run here" in said, "filterctl breaches enable says that systemd does not run")
    check(is_there(bench, OPTIONS), "and writes the options")
    # What filterctl breaches install leaves.
    for name in [*FETCHED, DROP_IN]:
        bench.shell(f"mkdir -p /{os.path.dirname(name)}; echo '# made' > /{name}")
    bench.shell(remove)
    gone = [f"{programs}/nearmiss-fetch", *FILES, OPTIONS, DROP_IN]
    left = [name for name in gone if is_there(bench, name)]
    check(not left, f"removed: no unit, no options, nothing in the configuration {left or ''}")
    check(all(is_there(bench, name) for name in FETCHED), "what was fetched stays")
    bench.shell(f"rm -r /{FETCHED[0]} /{os.path.dirname(FETCHED[1])}; {without_tools}")


def check_units(bench, programs):
    """Each unit starts a program that is there."""
    for name in UNITS:
        with open(f"{bench.root}/usr/lib/systemd/system/{name}", encoding="utf-8") as file:
            text = file.read()
        started = re.findall(r"^ExecStart=/(\S+)", text, re.MULTILINE)
        wanted = 0 if name.endswith("timer") else 1
        are_there = all(is_there(bench, path) and path.startswith(f"{programs}/") for path in started)
        check(len(started) == wanted and are_there, f"{name} starts {', '.join(started) or 'a service'}")
