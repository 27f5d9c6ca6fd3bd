"""What a roll-out meets, on each release: installation over what is broken, what the doctor says of it, the
way back. Nobody is locked out."""

import json
import os

import packages
from machine import check
from scenarios import (
    CONFIGURATION,
    FILTER,
    FINE,
    IN_DICTIONARY,
    KEY,
    LADDER,
    NEAR,
    NEAR_DICTIONARY,
    OURS,
    WORD,
    check_state,
    content,
    install,
    show,
)


UNITS = "usr/lib/systemd/system"


# Exit statuses of `filterctl doctor`.
WELL, WRONG, WEAKER = 0, 1, 3


def doctor(machine, state, *says):
    """`filterctl doctor`: its verdict, and what it names where something is wrong or weaker."""
    status, said = machine.attempt("filterctl", "doctor", "--only-problems")
    show(said.splitlines())
    found = {WELL: "nothing wrong", WRONG: "something wrong", WEAKER: "something weaker than configured"}
    check(status == state, f"the doctor finds {found[state]}")
    problems = [line for line in said.splitlines() if line.startswith("W")]
    check(said.count("fix: ") == len(problems), "with a line that fixes each")
    check(all(text in said for text in says), f"and names {', '.join(says)}" if says else "and is silent")


def freshly_installed(machine, folder):
    """Nothing is red, and nothing is yellow, where nothing was changed: also after an installation again."""
    said = install(machine, folder)
    check("WRONG" not in said and "WARNING" not in said, "the installation finds nothing wrong")
    doctor(machine, WELL)
    machine.accepts(FINE)
    doctor(machine, WELL)
    said = machine.install("--reinstall", *machine.copy_in([packages.named(folder, name) for name in OURS]))
    check("WRONG" not in said and "WARNING" not in said, "nor does it the second time")
    doctor(machine, WELL)


def broken_ladders(machine, folder):
    """A key that is missing, a ladder that is cut, a key that is junk: before an installation they are kept
    aside, after one they cost the second opinion and nothing else."""
    install(machine, folder)
    doctor(machine, WELL)
    for name, damage in [
        ("the key is missing", lambda: os.remove(machine.path(KEY))),
        ("the folder of the key is missing", lambda: machine.run("rm", "-r", "/etc/nearmiss")),
        ("the ladder is cut", lambda: os.truncate(machine.path(LADDER), 5000)),
        ("the key is junk", lambda: machine.write(KEY, "junk\n")),
    ]:
        damage()
        print(f"    {name}", flush=True)
        doctor(machine, WRONG, "ladder init --fix")
        status, said = machine.passwd(("elephant", False), (f"Zz9-{name}-phrase", True))
        check(
            status == 0 and IN_DICTIONARY in said, "the dictionary still counts, and a good one is accepted"
        )
        machine.password = f"Zz9-{name}-phrase"
        machine.remove(*OURS)
        said = install(machine, folder)
        check("with the suffix .broken-" in said, "the installation renames the broken files, and says so")
        if "missing" not in name:
            doctor(machine, WEAKER, "broken-", "fix: shred -u ")
        machine.run("sh", "-c", "rm -f /var/lib/nearmiss/*.broken-* /etc/nearmiss/*.broken-*")
        doctor(machine, WELL)
        check_state(machine)
    machine.refuses(NEAR, NEAR_DICTIONARY)


def emptied_cache(machine, folder):
    """`/var/cache` is emptied: nobody is left without a way, and what the doctor and the unit say brings the
    filter back."""
    install(machine, folder)
    empty = ["sh", "-c", "rm -rf /var/cache/nearmiss"]
    machine.run(*empty)
    doctor(machine, WRONG, "words.filter", "filterctl update")
    machine.refuses(FINE, "password filter on this system cannot be used")
    machine.run("chpasswd", text=f"alice:{machine.password}\n")
    machine.run("filterctl", "update")
    doctor(machine, WELL)
    check_state(machine)
    machine.run(*empty)
    machine.run(*start_of(machine, "nearmiss-filter.service"))
    check_state(machine)
    machine.refuses(WORD, IN_DICTIONARY)
    verified_every_week(machine)


def verified_every_week(machine):
    """The timer is enabled, and what it runs finds a damaged filter, says so and leaves a record."""
    wants = machine.path(f"{UNITS}/timers.target.wants/nearmiss-verify.timer")
    check(os.readlink(wants) == "../nearmiss-verify.timer", "nearmiss-verify.timer is enabled")
    check(machine.exists(f"{UNITS}/nearmiss-verify.timer"), "and there")
    verify = start_of(machine, "nearmiss-verify.service")
    machine.run(*verify)
    check(not problems(machine), "nearmiss-verify.service: every filter is intact")
    intact = content(machine, FILTER)
    with open(machine.path(FILTER), "r+b") as file:
        file.seek(-1, os.SEEK_END)
        file.write(bytes([intact[-1] ^ 1]))
    status, said = machine.attempt(*verify)
    show(said.splitlines())
    check(status == 1, "a damaged page fails the unit")
    check(["checksum" in problem for problem in problems(machine)] == [True], "and is recorded")
    machine.run("filterctl", "update")
    machine.run(*verify)
    check(not problems(machine), "filterctl update fixes it")


def problems(machine):
    """What the last verification found in the two packaged filters."""
    verified = json.loads(machine.read("var/cache/nearmiss/verified"))
    return [one["problem"] for one in verified["filters"] if one["problem"]]


def start_of(machine, unit):
    """What a unit runs."""
    lines = machine.read(f"{UNITS}/{unit}").splitlines()
    return next(line.partition("=")[2] for line in lines if line.startswith("ExecStart=")).split()


def broken_configuration(machine, folder):
    """A mistake that is made after the installation: users read whose fault it is, root goes on."""
    install(machine, folder)
    machine.write(f"{CONFIGURATION}.d/50-site.conf", "enforce = \"audit\"\nmin_lenght = 10\n")
    doctor(machine, WRONG, "50-site.conf: line 2: unknown key `min_lenght` (did you mean `min_length`?)")
    machine.refuses(FINE, "password policy on this system has an error")
    machine.run("chpasswd", text="alice:Root-s3ts-it-anyway\n")
    machine.password = "Root-s3ts-it-anyway"
    machine.write(f"{CONFIGURATION}.d/50-site.conf", "enforce = \"audit\"\n[update]\ncomon = true\n")
    doctor(machine, WRONG, "did you mean `common`?")
    machine.accepts(WORD)
    machine.write(f"{CONFIGURATION}.d/50-site.conf", "enforce = \"audit\"\n")
    doctor(machine, WEAKER, 'enforce = "audit"')
    said = machine.run("filterctl", "config", "--changed")
    show(said.splitlines())
    check("50-site.conf:1" in said and "retry = 3" in said, "filterctl config names file and line")


def there_and_back(machine, folder):
    """An upgrade, a downgrade, an installed filter and its rollback, removal and purge."""
    older = packages.lowered(folder, packages.EARLIER)
    install(machine, older)
    machine.accepts(FINE)
    ladder = content(machine, LADDER)
    install(machine, folder)
    files = machine.copy_in([packages.named(older, package) for package in OURS])
    machine.run("dpkg", "--force-downgrade", "-i", *files)
    check(all(machine.is_installed(package) for package in OURS), "the downgrade is installed")
    check(content(machine, LADDER) == ladder, "the ladder is the same")
    install(machine, folder)
    doctor(machine, WELL)
    rollback(machine)
    machine.remove(*OURS, purge=True)
    check(not any("nearmiss" in line for line in machine.stack()), "purge takes the lines out of the stack")
    machine.accepts("elephantine-7")


def rollback(machine):
    """A filter that was handed out replaces the packaged one, and goes back."""
    machine.write("root/site.txt", "quixoticallyours\n")
    build = ["filterctl", "build", "--for-distribution", "/root/site.key", "-o", "/root/f"]
    machine.run(*build, "/root/site.txt")
    machine.run("filterctl", "install", "--allow-fewer", "/root/f", f"/{FILTER}")
    # The exact filter beside it stays: it knows the word, and nothing near it.
    verdicts = [machine.verdict(word) for word in ["quixoticallyour", NEAR]]
    check(verdicts == [1, 0], "the installed one is asked")
    said = machine.run("filterctl", "info", f"/{FILTER}")
    check("installed from  /root/f" in said and "filterctl build" in said, "info says who built it")
    machine.run("filterctl", "update")
    check(machine.verdict("quixoticallyour") == 1, "update leaves it alone")
    machine.run("filterctl", "rollback", f"/{FILTER}")
    check(machine.verdict("quixoticallyour") == 0 and machine.verdict(NEAR) == 1, "rollback brings the other")
    machine.refuses(WORD, IN_DICTIONARY)
