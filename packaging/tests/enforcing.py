"""enforcing.py FOLDER: `passwd` under AppArmor, enforced by a kernel of Debian's in a
guest, with the packages around `libpam_nearmiss.so` and `filterctl` of FOLDER.

It is asked twice: with the rules that nearmiss has for it, and without them as control.
"""

import sys
import time

import apparmor
import confined
import guest
import packages
import trees
from machine import Failed

PARTS = [apparmor]
# All trees that are needed: where one cannot be made, nothing is tried.
LAYERS = ["base", "tools", "emulator", "confined"]


def main():
    started = time.monotonic()
    try:
        for layer in LAYERS:
            trees.tree(layer)
    except trees.Unavailable as problem:
        reason, *details = str(problem).splitlines()
        print("\n".join(details))
        print(f"SKIPPED: AppArmor, enforced: a kernel and qemu cannot be had: {reason}")
        return
    workshop = None
    try:
        workshop = packages.Workshop()
        machine = confined.Confined(packages.around(workshop, sys.argv[1]))
        there = guest.Guest(machine.root, workshop.scratch)
        for part in PARTS:
            print(f"{part.__name__} ({time.monotonic() - started:.0f} s)", flush=True)
            part.test(machine, there)
            print(f"torture: {part.__name__}: enforced by a kernel: passwd and a failed login, and a control")
    except (Failed, trees.Unavailable) as problem:
        sys.exit(f"FAILED: {problem}")
    finally:
        if workshop:
            workshop.close()
    print(f"enforcing: all of it holds ({time.monotonic() - started:.0f} s)")


main()
