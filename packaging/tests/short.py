"""The short test of the packages, around the binaries that are built already: install, use, remove, purge,
compare; and beside it what is refused while a file of PAM's is edited by hand."""

import os
import sys
import tempfile
import time

import adversity
import own
import packages
import scenarios
import trees
from machine import Failed, Machine


class Aside:
    """A stage in a process of its own, whose output is kept until it is waited for."""

    def __init__(self, stage):
        self.output = tempfile.TemporaryFile(mode="w+", encoding="utf-8")
        sys.stdout.flush()
        self.child = os.fork()
        if self.child == 0:
            self.play(stage)

    def play(self, stage):
        os.dup2(self.output.fileno(), sys.stdout.fileno())
        status = 1
        try:
            stage()
            status = 0
        except (Failed, trees.Unavailable) as problem:
            print(f"FAILED: {problem}")
        finally:
            sys.stdout.flush()
            os._exit(status)

    def finish(self):
        _, status = os.waitpid(self.child, 0)
        self.output.seek(0)
        print(self.output.read(), end="", flush=True)
        if status != 0:
            raise Failed("files of PAM changed by hand")


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
        hand_edited = Aside(lambda: adversity.hand_edited(Machine(below), folder))
        scenarios.whole_life(Machine(below), folder, companions=False)
        hand_edited.finish()
    except (Failed, trees.Unavailable) as problem:
        sys.exit(f"FAILED: {problem}")
    print(f"packages, the short test: all of it holds ({time.monotonic() - started:.0f} s)")


main()
