"""The short test of the packages, around the binaries that are built already: install, use, remove, purge, compare."""
import sys
import time

import adversity
import packages
import scenarios
import trees
from machine import Failed


def main():
    started = time.monotonic()
    try:
        trees.tree("tools")
    except trees.Unavailable as problem:
        print(f"SKIPPED: the package tests: no Debian to test in could be made: {problem}")
        return
    try:
        folder = packages.around(sys.argv[1])
        scenarios.whole_life(folder, companions=False)
        adversity.hand_edited(folder)
    except (Failed, trees.Unavailable) as problem:
        sys.exit(f"FAILED: {problem}")
    print(f"packages, the short test: all of it holds ({time.monotonic() - started:.0f} s)")


main()
