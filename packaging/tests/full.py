"""The whole test of the packages: built from source, examined, installed, used, upgraded, removed, purged."""

import os
import sys
import time

import adversity
import ansible
import archive
import cloud
import facts
import fetch
import fleet
import health
import packages
import pages
import releases
import scenarios
import trees
import upgrades
from machine import Failed, Machine


def stages(builds):
    """What is shown, and the stage that shows it."""
    folder = builds.first()
    return [
        ("Debian 13: the archive of a release, by its own Rust", archive.built_alone),
        *releases.on_each(folder),
        ("the pages of docs/ followed", lambda: pages.followed(Machine(), folder)),
        ("hostile word lists", lambda: adversity.hostile_lists(Machine(), folder)),
        ("beside libpam-pwquality", lambda: scenarios.beside_pwquality(Machine(), folder)),
        ("beside libpam-passwdqc", lambda: scenarios.beside_passwdqc(Machine(), folder)),
        ("the stack of authselect", lambda: scenarios.authselect_stack(Machine(), folder)),
        *fleet.stages(folder),
        *fetch.stages(folder),
        *ansible.stages(folder),
        *cloud.stages(folder),
        ("the laboratory", lambda: scenarios.laboratory(Machine(), folder)),
        *upgrades.stages(folder),
        ("upgrade from an earlier version", lambda: scenarios.upgrade(Machine(), folder)),
        ("files of PAM changed by hand", lambda: adversity.hand_edited(Machine(), folder)),
        ("no filter can be built", lambda: adversity.without_a_filter(Machine(), folder)),
        ("settings that cannot be read", lambda: adversity.broken_settings(Machine(), folder)),
        ("a person's group of the same name", lambda: adversity.persons_group(Machine(), folder)),
        ("a module of another architecture", lambda: adversity.foreign_architecture(Machine(), folder)),
        ("facts about the packages", lambda: facts.stage(builds.both())),
        ("install, use, word lists, remove, purge", lambda: scenarios.whole_life(Machine(), folder)),
    ]


def chosen(builds):
    """All stages, or those from the one on whose name begins with FROM."""
    first = os.environ.get("FROM", "")
    all_stages = stages(builds)
    names = [name for name, _ in all_stages]
    begins = [at for at, name in enumerate(names) if name.startswith(first)]
    if not begins:
        raise trees.Unavailable(f"no stage begins with '{first}': {', '.join(names)}")
    return all_stages[begins[0] :]


def test(started):
    """Plays every stage though one fails; gives the names of those that failed."""
    builds, failed = packages.Builds(), []
    try:
        for name, stage in chosen(builds):
            print(f"{name} ({time.monotonic() - started:.0f} s)", flush=True)
            health.begin(name)
            try:
                stage()
            except Failed as problem:
                print(f"FAILED: {problem}", flush=True)
                failed.append(name)
        print(f"    ok: {health.told()}", flush=True)
    finally:
        builds.close()
    return failed


def main():
    started = time.monotonic()
    print("packages", flush=True)
    try:
        failed = test(started)
    except (Failed, trees.Unavailable) as problem:
        sys.exit(f"FAILED: {problem}")
    if failed:
        sys.exit("FAILED: " + "; ".join(failed))
    print(f"packages: all of it holds ({time.monotonic() - started:.0f} s)")


main()
