"""releases.py [FOLDER]: the roll-out of the packages on Debian 12 and 13, around `libpam_nearmiss.so` and
`filterctl` of FOLDER; and, with `rust`, whether nearmiss compiles with the Rust of Debian 13.
"""

import sys
import time

import adversity
import packages
import rollout
import scenarios
import trees
from machine import Failed, Machine

RELEASES = {"Debian 12": "base", "Debian 13": "trixie"}


def stages(folder, layer):
    """What is shown on a release, and the stage that shows it."""
    def machine():
        return Machine([trees.tree(layer)])

    return [
        ("broken ladders and keys", lambda: rollout.broken_ladders(machine(), folder)),
        ("a broken configuration", lambda: rollout.broken_configuration(machine(), folder)),
        ("upgrade, downgrade, rollback, purge", lambda: rollout.there_and_back(machine(), folder)),
        ("settings that cannot be read before", lambda: adversity.broken_settings(machine(), folder)),
        ("hostile word lists", lambda: adversity.hostile_lists(machine(), folder)),
        ("install, use, remove, purge", lambda: scenarios.whole_life(machine(), folder, companions=False)),
    ]


def test(folder, releases=None):
    """All stages on each of these releases."""
    started = time.monotonic()
    for name, layer in (releases or RELEASES).items():
        for title, stage in stages(folder, layer):
            print(f"{name}: {title} ({time.monotonic() - started:.0f} s)", flush=True)
            stage()


def main():
    try:
        workshop = packages.Workshop()
        try:
            test(packages.around(workshop, sys.argv[1]))
        finally:
            workshop.close()
    except (Failed, trees.Unavailable) as problem:
        sys.exit(f"FAILED: {problem}")
    print("packages, on each release: all of it holds")


if __name__ == "__main__":
    main()
