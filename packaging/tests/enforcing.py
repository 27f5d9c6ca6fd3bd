"""enforcing.py FOLDER [apparmor|selinux]: `passwd` under AppArmor and under SELinux, enforced by a kernel of
Debian's in a guest, with the packages around `libpam_nearmiss.so` and `filterctl` of FOLDER.

Each system is asked twice: with the rules that nearmiss has for it, and without them as control.
"""

import sys
import time

import apparmor
import confined
import guest
import packages
import selinux
import trees
from machine import Failed

PARTS = [apparmor, selinux]
# All trees that are needed: where one cannot be made, nothing is tried.
LAYERS = ["base", "tools", "emulator", "confined", "formats"]


def main():
    started = time.monotonic()
    try:
        for layer in LAYERS:
            trees.tree(layer)
    except trees.Unavailable as problem:
        reason, *details = str(problem).splitlines()
        print("\n".join(details))
        print(f"SKIPPED: AppArmor and SELinux, enforced: a kernel and qemu cannot be had: {reason}")
        return
    workshop = None
    try:
        workshop = packages.Workshop()
        machine = confined.Confined(packages.around(workshop, sys.argv[1]))
        there = guest.Guest(machine.root, workshop.scratch)
        wanted = sys.argv[2:] or [part.__name__ for part in PARTS]
        for part in [part for part in PARTS if part.__name__ in wanted]:
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
