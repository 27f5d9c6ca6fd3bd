"""enforcing.py FOLDER [apparmor|selinux]: `passwd` under AppArmor and under SELinux, enforced by a kernel of
Debian's in a guest, with the packages around `libpam_nearmiss.so` and `filterctl` of FOLDER.

Each system is asked twice: with the rules that nearmiss has for it, and without them as control.
"""

import sys

import apparmor
import confined
import guest
import packages
import selinux

PARTS = [apparmor, selinux]
# All other trees that are needed: where one cannot be made, nothing is tried.
LAYERS = ["base", "tools", "confined", "formats"]


def show(workshop, time):
    machine = confined.Confined(packages.around(workshop, sys.argv[1]))
    there = guest.Guest(machine.root, workshop.scratch)
    wanted = sys.argv[2:] or [part.__name__ for part in PARTS]
    for part in [part for part in PARTS if part.__name__ in wanted]:
        print(f"{part.__name__} ({time()})", flush=True)
        part.test(machine, there)
        print(f"torture: {part.__name__}: enforced by a kernel: passwd and a failed login, and a control")


guest.alone("AppArmor and SELinux, enforced", LAYERS, show)
