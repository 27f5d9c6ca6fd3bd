"""Servers on a throw-away machine, each ended by its own number, and what every one of them must do."""

import itertools
import os
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor

import packages
from machine import ENVIRONMENT, Failed, check

# What is rejected everywhere, and why; what is taken.
REJECTED = {
    "elephqnt1": "one or two characters away from a dictionary word",
    "Passw0rd2026!": "dictionary word or a common password",
}
FINE = "granite-otter-violin"
TOOLS = ["nearmiss-tools"]


def install(machine, folder, *further):
    """The tools, which build the private filter, and these packages."""
    wanted = [*TOOLS, *further]
    machine.install(*machine.copy_in([packages.named(folder, name) for name in wanted]))
    check(all(machine.is_installed(name) for name in wanted), f"installed: {' '.join(wanted)}")


NUMBERS = itertools.count()


class Server:
    """A program that runs until the block ends; what it says is in `said`."""

    def __init__(self, machine, *command, user="root"):
        # Each has a file of its own: two may run at once.
        self.log = f"{machine.root}.server-log-{next(NUMBERS)}"
        self.command = ["chroot", f"--userspec={user}:{user}", machine.root, *command]

    def __enter__(self):
        with open(self.log, "w", encoding="utf-8") as log:
            self.process = subprocess.Popen(
                self.command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=ENVIRONMENT
            )
        return self

    def __exit__(self, *unused):
        self.process.terminate()
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def said(self):
        with open(self.log, encoding="utf-8", errors="replace") as log:
            return log.read()

    def wait_until(self, is_ready, seconds=90):
        end = time.monotonic() + seconds
        while not is_ready():
            if self.process.poll() is not None or time.monotonic() > end:
                raise Failed(f"{' '.join(self.command)} does not run:\n{self.said()[-3000:]}")
            time.sleep(0.2)


def judges(name, attempt, shows_reason=True):
    """`attempt(password)` gives an exit status and what was said: two are rejected, one is taken."""
    for password, why in REJECTED.items():
        status, said = attempt(password)
        check(
            status != 0 and (why in said or not shows_reason),
            f"{name} rejects {password!r}: {last_line(said)}",
        )
    status, said = attempt(FINE)
    check(status == 0, f"{name} takes {FINE!r}: {last_line(said)}")


FILTER = "/var/cache/nearmiss/words.filter"
# In no list.
NEW_WORD = "zyqqwortle77x"


def endures(machine, name, attempt):
    """What a running server does when the filter is replaced under it, when the configuration has a mistake,
    and with 200 passwords at once: no restart in between."""
    status, said = attempt(NEW_WORD)
    check(status == 0, f"{name} takes {NEW_WORD!r}: {last_line(said)}")
    machine.write("root/words", f"{NEW_WORD}\n")
    machine.run("filterctl", "add", "--force", FILTER, "/root/words")
    check(attempt(NEW_WORD)[0] != 0, f"and not when the filter that replaced the other has it: {name}")
    own = machine.read("etc/security/nearmiss.conf") if machine.exists("etc/security/nearmiss.conf") else ""
    machine.write("etc/security/nearmiss.conf", "min_lenght = 9\n")
    status, said = attempt(FINE)
    check(status != 0, f"a mistake in the configuration refuses everything: {name}: {last_line(said)}")
    machine.write("etc/security/nearmiss.conf", own)
    check(attempt(f"{FINE}-2")[0] == 0, f"and fixed it is taken again: {name}")


def at_once(name, attempt, many=200, workers=16):
    """Half of them weak: each has its own answer, however many are asked at a time."""

    def one(number):
        is_weak = number % 2 == 0
        password = f"elephqnt{number % 10}" if is_weak else f"{FINE}-{number}"
        return (attempt(password, number)[0] != 0) == is_weak

    with ThreadPoolExecutor(workers) as pool:
        right = sum(pool.map(one, range(many)))
    check(right == many, f"{name}: {right} of {many} at once as they should be")


def stays(machine, package, line):
    """The package is not removed while this line is in a configuration; the refusal shows the line."""
    status, said = machine.attempt("dpkg", "-r", package)
    check(status != 0 and line in said, f"{package} is not removed: {line!r}")
    check(machine.is_installed(package), f"{package} is still there")


def goes(machine, package):
    """With the line taken out."""
    machine.run("dpkg", "-r", package)
    check(not machine.is_installed(package), f"without the line {package} is removed")


def upgraded(machine, folder, package):
    """A later version of the package over it while it is configured: an upgrade is no removal."""
    later = packages.altered(packages.named(folder, package), Version="99")
    machine.install(*machine.copy_in([later]))
    said = machine.run("dpkg-query", "-W", "-f", "${Version}", package)
    check(said == "99" and machine.is_installed(package), f"{package} is upgraded")


def last_line(said):
    lines = [line for line in said.splitlines() if line.strip()]
    return lines[-1][:150] if lines else "(nothing is said)"


def is_in_no_log(machine, *further):
    """No rejected password is in a log of the machine, or in what a server said."""
    texts = list(further)
    for folder, _, files in os.walk(machine.path("var/log")):
        for name in files:
            with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as file:
                texts.append(file.read())
    for password in REJECTED:
        check(not any(password in text for text in texts), f"{password!r} is in no log")
