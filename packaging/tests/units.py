"""units.py FOLDER: the units of the packages, started by systemd in a guest with a kernel of Debian's, around
`libpam_nearmiss.so`, `filterctl`, `nearmiss-fetch` and `nearmiss-agent` of FOLDER: systemd and the kernel
enforce what each unit may not do, and it must do its work within that.
"""

import re
import sys

import fetch
import fleet
import guest
import packages
import scenarios
import trees
from confined import is_set, rejected
from machine import Machine, check

RELEASES = {"Debian 12": "booted", "Debian 13": "booted-trixie"}
# The console is for the results alone; an emulated processor takes its time.
OPTIONS = (
    "systemd.unit=trial.target systemd.mask=serial-getty@ttyS0.service systemd.firstboot=off "
    "systemd.default_timeout_start_sec=600 systemd.show_status=no"
)
TARGET = """[Unit]
Requires=multi-user.target
After=multi-user.target
Wants=trial.service
"""
SERVICE = f"""[Unit]
After=multi-user.target
[Service]
Type=oneshot
TimeoutStartSec=infinity
ExecStart=/usr/bin/python3 -B /trial/booted.py /trial/plan.json {fetch.LEAKED} {fetch.LATER}
"""
# What waits for root's step, if that is to be started, and looks for its filter.
SEEN = (
    "[Unit]\\nAfter=nearmiss-breaches.service\\n[Service]\\nType=oneshot\\n"
    f"ExecStart=/usr/bin/test -s /{fetch.FILTER}\\n"
)
# The folder of node_exporter, which belongs to its user.
TEXTFILES, OWNER = "/var/lib/prometheus/node-exporter", "nobody"
# The steps that must end well.
WORK = ["verify", "doctor", "metrics", "enable", "options", "fetch", "breaches", "emptied"]
OURS = [*scenarios.OURS, fetch.FETCH, fleet.AGENT]


class Booted(Machine):
    """A host with all units, whose /var/cache was emptied, and an agent without a store."""

    def __init__(self, layer, folder):
        super().__init__([trees.tree(layer)])
        self.install(*self.copy_in([packages.named(folder, package) for package in OURS]))
        self.write("etc/systemd/system/trial.target", TARGET)
        self.write("etc/systemd/system/trial.service", SERVICE)
        self.run("systemd-machine-id-setup")
        self.run("install", "-d", "-o", OWNER, TEXTFILES)
        self.write(f"{fleet.FOLDER}/agent.toml", fleet.CONFIGURATION)
        self.write(f"{fleet.FOLDER}/password", "secret of the store\n")
        self.run("chown", f"root:{fleet.AGENT}", f"/{fleet.FOLDER}/password")
        self.run("rm", "-rf", "/var/cache/nearmiss")


def shell(line):
    return {"command": ["sh", "-c", line]}


def started(unit):
    """Starts a unit and waits for it; says what it wrote."""
    return shell(f"systemctl start {unit}; status=$?; journalctl -q -o cat -u {unit}; exit $status")


def passwd(machine, candidate):
    steps = [["Current password:", machine.password], *[["ew password:", candidate]] * 3]
    return {"command": ["/usr/bin/passwd"], "uid": int(machine.run("id", "-u", "alice")), "steps": steps}


def plan(machine):
    """The steps by their names."""
    options = f"--kind sha1 --min-count 5 --digits {fetch.server.DIGITS} --url"
    timers = "nearmiss-metrics.timer nearmiss-verify.timer"
    return {
        "failed": shell("systemctl --failed --plain --no-legend"),
        "filter": shell(f"stat -c '%U:%G %a' /{scenarios.FILTER}"),
        "word": passwd(machine, scenarios.WORD),
        "verify": started("nearmiss-verify.service"),
        "doctor": started("nearmiss-doctor.service"),
        "metrics": started("nearmiss-metrics.service"),
        "samples": shell(f"cat {TEXTFILES}/nearmiss.prom"),
        "timers": shell(
            f"systemctl enable --now {timers}; systemctl is-active {timers} nearmiss-doctor.timer"
        ),
        "enable": shell('filterctl breaches enable --url "$(cat /run/leaked)" --yes'),
        "options": shell(
            "systemctl stop nearmiss-fetch.service && "
            f"""printf 'OPTIONS="{options} %s"\\n' "$(cat /run/leaked)" > /{fetch.OPTIONS}"""
        ),
        "stopped": shell("systemctl start nearmiss-breaches.service; filterctl breaches status"),
        "fetch": started("nearmiss-fetch.service"),
        # Started by the end of the fetch; a start that is requested again waits for it.
        "breaches": started("nearmiss-breaches.service"),
        "status": shell("filterctl breaches status"),
        # The unit that builds the filters starts root's step, which installs the fetched one again.
        "emptied": shell(
            f"printf '{SEEN}' > /run/systemd/system/seen.service && systemctl daemon-reload && "
            "rm -r /var/cache/nearmiss && systemctl start nearmiss-filter.service && "
            "systemctl start seen.service"
        ),
        "leaked": passwd(machine, fetch.LEAKED),
        "fleet": shell(
            "filterctl fleet init --guessed --bits 2^22 && systemctl start nearmiss-agent.socket; "
            # The first request starts the agent, which an emulated processor does slowly.
            "for try in 1 2 3 4 5 6 7 8 9; do filterctl fleet status > /run/said; "
            "grep -q 'the agent replies' /run/said && break; done; "
            "cat /run/said; systemctl is-active nearmiss-agent.service"
        ),
        "watch": started("nearmiss-watch.service"),
        "denied": shell("journalctl -q -o cat | grep -E 'audit:.*(SECCOMP|DENIED)|status=31/SYS'"),
        "fine": passwd(machine, scenarios.FINE),
    }


def check_host(results):
    """What every host has."""
    check("nearmiss" not in results["failed"]["said"], "after an emptied /var/cache, no unit of ours failed")
    check(results["filter"]["said"] == "root:nearmiss 640\n", "the filter was built, for its group alone")
    check(rejected(results["word"], scenarios.IN_DICTIONARY), "a user's dictionary word is rejected")
    verified = results["verify"]["said"]
    is_told = verified.count("intact") == 2 and verified.count("group nearmiss (0640)") == 2
    check(is_told, "both filters are verified")
    findings = re.findall("^(WRONG|UNJUDGED).*", results["doctor"]["said"], re.MULTILINE)
    check(not findings, "doctor judges everything, and nothing is wrong")
    samples = results["samples"]["said"].splitlines()
    wanted = [f'nearmiss_findings{{state="{state}"}} 0' for state in ["wrong", "unjudged"]]
    wanted += [f'nearmiss_filter_intact{{file="/{scenarios.FILTER}"}} 1']
    check(set(wanted) <= set(samples), "metrics have its findings, and the filters")
    is_active = results["timers"]["said"].endswith("\nactive" * 3 + "\n")
    check(is_active, "the timers are active, doctor's with the one of metrics")


def check_leaked(results):
    check("last run: failed" in results["stopped"]["said"], "a fetch that is stopped is no success")
    status = results["status"]
    check(status["status"] == 0 and "last run: succeeded" in status["said"], "the next one succeeds")
    check(rejected(results["leaked"], fetch.WHY), "a leaked password is rejected, after an emptied cache")


def check_fleet(results):
    said = results["fleet"]["said"]
    check("the agent replies" in said and said.endswith("\nactive\n"), "the socket starts the agent")
    state = "/run/store.sock: (does not serve: .|does not reply)"
    check(re.search(state, said), "which has not reached the store")
    check("watch.password: No such file" in results["watch"]["said"], "nearmiss-watch says what it lacks")


def test(layer, folder, workshop):
    machine = Booted(layer, folder)
    steps = plan(machine)
    there = guest.Guest(machine.root, workshop.scratch)
    found = there.results(list(steps.values()), OPTIONS, guest.SYSTEMD)
    results = dict(zip(steps, found, strict=True))
    for name in [*WORK, "stopped", "status", "fleet", "watch", "denied"]:
        scenarios.show([f"{name}: {results[name]['status']}", *results[name]["said"].splitlines()])
    failed = [name for name in WORK if results[name]["status"] != 0]
    check(not failed, f"each unit does its work {failed or ''}")
    check_host(results)
    check_leaked(results)
    check_fleet(results)
    check(results["denied"]["status"] == 1, "no unit was denied a system call")
    check(is_set(results["fine"]), "a good password is set")


def show(workshop, time):
    folder = packages.around(workshop, sys.argv[1], "pkg.nearmiss.nolab")
    for release, layer in RELEASES.items():
        print(f"{release} ({time()})", flush=True)
        test(layer, folder, workshop)
        print(f"torture: units: {len(WORK)} steps by systemd of {release}, a leaked password, an agent")


guest.alone("the units of the packages, under systemd", RELEASES.values(), show)
