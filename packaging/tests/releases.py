"""releases.py FOLDER: the roll-out of the packages on Debian 12 and 13, and on Ubuntu 24.04 where the mirror
has it, around `libpam_nearmiss.so` and `filterctl` of FOLDER; and whether the archive of a release
compiles with Debian 13's own Rust.
"""

import sys
import time

import adversity
import archive
import packages
import rollout
import scenarios
import trees
from machine import Failed, Machine

RELEASES = {"Debian 12": "base", "Debian 13": "trixie", "Ubuntu 24.04": "noble"}


def fresh(layer):
    """A machine of this release, with what a minimal Debian 13 lacks and the packages depend on."""
    machine = Machine([trees.tree(layer)])
    machine.install("adduser")
    return machine


def alone(stages, profiles, what):
    """A whole program: shows the stages of one package, with packages that are built with these profiles
    around the binaries of the folder that the command line names."""
    started = time.monotonic()
    workshop = packages.Workshop()
    try:
        folder = packages.around(workshop, sys.argv[1], profiles)
        for name, show in stages(packages.copied(folder)):
            print(f"{name} ({time.monotonic() - started:.0f} s)", flush=True)
            show()
    except (Failed, trees.Unavailable) as problem:
        sys.exit(f"FAILED: {problem}")
    finally:
        workshop.close()
    print(f"{what}: all of it holds ({time.monotonic() - started:.0f} s)")


def stages(folder, layer):
    """What a roll-out meets on a release, and the stage that shows it."""
    return [
        ("fresh, the doctor finds nothing", lambda: rollout.freshly_installed(fresh(layer), folder)),
        ("broken ladders and keys", lambda: rollout.broken_ladders(fresh(layer), folder)),
        ("an emptied cache", lambda: rollout.emptied_cache(fresh(layer), folder)),
        ("a broken configuration", lambda: rollout.broken_configuration(fresh(layer), folder)),
        ("upgrade, downgrade, rollback, purge", lambda: rollout.there_and_back(fresh(layer), folder)),
    ]


def whole(folder, layer):
    """What the whole test shows on this machine's own release, for another one."""
    return [
        ("settings that cannot be read", lambda: adversity.broken_settings(fresh(layer), folder)),
        ("hostile word lists", lambda: adversity.hostile_lists(fresh(layer), folder)),
        (
            "install, use, remove, purge",
            lambda: scenarios.whole_life(fresh(layer), folder, companions=False),
        ),
    ]


def reachable(layers, what=""):
    """Each of these releases with its layer, but for those that cannot be had: of them, why."""
    for name, layer in layers.items():
        try:
            trees.tree(layer)
        except trees.Absent as problem:
            print(f"SKIPPED: {what}{name}: {problem}", flush=True)
            continue
        yield name, layer


def on_each(folder):
    """The stages of a roll-out on each of these releases, and on those that are not this machine's the whole
    life of the packages too; of one that cannot be had, why."""
    found = []
    for name, layer in reachable(RELEASES):
        own = stages(folder, layer) + (whole(folder, layer) if layer != "base" else [])
        found += [(f"{name}: {title}", stage) for title, stage in own]
    return found


def test(folder):
    """All stages on each of these releases."""
    started = time.monotonic()
    for title, stage in on_each(folder):
        print(f"{title} ({time.monotonic() - started:.0f} s)", flush=True)
        stage()


def main():
    try:
        print("Debian 13: the archive of a release, by its own Rust", flush=True)
        archive.built_alone()
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
