"""The short test of the packages, around the binaries that are built already: install, use, remove, purge,
compare."""

import sys
import time

import adversity
import own
import packages
import scenarios
import trees
from machine import Failed, Machine


def main():
    started = time.monotonic()
    try:
        below = own.below()
        workshop = packages.Workshop(below, trees.SCRATCH)
        own.add_debhelper(workshop.root)
    except trees.Unavailable as problem:
        reason, *details = str(problem).splitlines()
        print("\n".join(details))
        print(f"SKIPPED: the package tests: {reason}")
        return
    try:
        folder = packages.around(workshop, sys.argv[1])
        scenarios.whole_life(Machine(below), folder, companions=False)
        adversity.hand_edited(Machine(below), folder)
    except (Failed, trees.Unavailable) as problem:
        sys.exit(f"FAILED: {problem}")
    print(f"packages, the short test: all of it holds ({time.monotonic() - started:.0f} s)")


main()
