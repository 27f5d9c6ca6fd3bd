"""The tests that a Debian archive runs on the installed packages (packaging/debian/tests), by autopkgtest
itself."""

import packages
import trees
from machine import Failed, check
from running import install

TREE = "/root/nearmiss"
TESTS = ["passwd", "doctor", "servers"]


def stage(machine, folder):
    install(machine, folder, "libpam-nearmiss", "libnearmiss1", "libnearmiss-dev", "nearmiss-cracklib")
    machine.install("autopkgtest", "gcc", "libc6-dev")
    machine.run("mkdir", "-p", TREE)
    trees.run("cp", "-RL", f"{packages.SOURCE}/packaging/debian", f"{machine.root}{TREE}/debian")
    _, said = machine.attempt("autopkgtest", "--no-built-binaries", TREE, "--", "null")
    results = [line.split() for line in said.splitlines()]
    for name in TESTS:
        if [name, "PASS"] not in results:
            raise Failed(f"autopkgtest: {name} does not pass:\n{said[-3000:]}")
        check(True, f"autopkgtest: {name} passes")
