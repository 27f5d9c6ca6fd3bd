"""What `filterctl doctor` says after each password change that a user makes in any scenario: where one was
refused for another reason than the password, or a weak password was accepted, the doctor must not be green.

Machine calls `look` after each change. `told` is for the end of a whole test.
"""

import os

# Passwords that the packages' filter knows, or knows a neighbour of.
WEAK = {"elephant", "elzphant", "butterfly", "password1", "k4leidosc0pyc_%73", "K4leidosc0pyc_%74"}
# What is said of a password that was judged: by this module, by other modules beside it, by pam_unix.
JUDGED = ["BAD PASSWORD", "Weak password", "Bad: ", "passwords do not match", "Password unchanged"]
GREEN = 0


class Green(Exception):
    """The doctor is green where a change was refused or not checked."""


class Counts:
    """How often it was looked, in all scenarios together."""

    def __init__(self):
        self.changes = self.refused = self.unchecked = 0
        self.scenarios, self.asked = set(), set()
        self.scenario = "the only one"


COUNTS = Counts()


def begin(scenario):
    """What follows belongs to this scenario."""
    COUNTS.scenario = scenario


def look(machine, candidate, status, said):
    """After a change: asks the doctor where it ended as it should not."""
    COUNTS.changes += 1
    COUNTS.scenarios.add(COUNTS.scenario)
    is_refused = status != 0 and not any(text in said for text in JUDGED)
    is_unchecked = status == 0 and candidate in WEAK
    if not (is_refused or is_unchecked) or not has_doctor(machine):
        return
    COUNTS.refused += is_refused
    COUNTS.unchecked += is_unchecked
    COUNTS.asked.add(COUNTS.scenario)
    verdict, found = machine.attempt("filterctl", "doctor", "--only-problems")
    print("".join(f"        | doctor: {line}\n" for line in found.splitlines()), end="", flush=True)
    what = "refused" if is_refused else "not checked"
    if verdict == GREEN:
        raise Green(f"a change was {what}, and the doctor finds nothing:\n{said}")
    print(f"    ok: a change was {what}, and the doctor ends with {verdict}", flush=True)


def has_doctor(machine):
    """Whether a filterctl that runs is there: packages are removed."""
    if not os.path.lexists(machine.path("usr/sbin/filterctl")):
        return False
    return machine.attempt("filterctl", "--version")[0] == 0


def told():
    """The numbers."""
    return (
        f"{COUNTS.changes} changes by users in {len(COUNTS.scenarios)} scenarios: {COUNTS.refused} refused "
        f"for another reason than the password, {COUNTS.unchecked} not checked, in {len(COUNTS.asked)} "
        "scenarios; the doctor was green after none of them"
    )
