#!/usr/bin/env python3
"""summary.py FOLDER: the end of a stage of the tests. Reads what stage.sh left in FOLDER:

parts      a line for each part: its name, a tab, seconds;
junit.xml  the results of cargo-nextest, or
log        the output of `cargo test`.

Prints how long each part took, the ten slowest tests (of `cargo test`: programs), what was skipped or left
out and why, and last of all what failed. Exits 1 when a test was left out without a reason."""

import collections
import pathlib
import re
import sys
import xml.etree.ElementTree as xml

SLOWEST = 10


class Results:
    """Seconds of each test, the reasons for skipped ones with their numbers, and the failed ones."""

    def __init__(self):
        self.seconds = []
        self.reasons = collections.Counter()
        self.failed = []
        self.unexplained = []

    def skip(self, test, reason):
        if reason:
            self.reasons[reason] += 1
        else:
            self.unexplained.append(test)


def of_nextest(text):
    results = Results()
    for suite in xml.fromstring(text).iter("testsuite"):
        program = suite.get("name", "").split("::")[-1]
        for case in suite.iter("testcase"):
            name = f"{program}: {case.get('name')}"
            results.seconds.append((float(case.get("time", 0)), name))
            if case.find("failure") is not None or case.find("error") is not None:
                results.failed.append(name)
            output = "".join(case.itertext())
            for reason in re.findall(r"SKIPPED: *(.*)", output):
                results.skip(name, reason.strip())
    return results


def of_cargo(text):
    results = Results()
    program, is_wrong, is_named = "", False, False

    def close():
        if is_wrong and not is_named:
            results.failed.append(f"{program}: ended without a result")

    for line in text.splitlines():
        if begun := re.match(r" *Running .*\((?:.*/)?([^/]*)-[0-9a-f]+\)$| *Doc-tests (.*)$", line):
            close()
            program, is_wrong, is_named = begun[1] or f"Doc-tests {begun[2]}", False, False
        elif failed := re.match(r"test (.*) \.\.\. FAILED$", line):
            results.failed.append(f"{program}: {failed[1]}")
            is_named = True
        elif re.match(r"error: (doc)?test failed", line):
            is_wrong = True
        elif ended := re.search(r"; finished in ([0-9.]+)s$", line):
            results.seconds.append((float(ended[1]), program))
        elif ignored := re.match(r"test (.*) \.\.\. ignored(?:, (.*))?$", line):
            results.skip(ignored[1], ignored[2] and f"ignored: {ignored[2]}")
        elif "SKIPPED:" in line:
            results.skip(program, line.split("SKIPPED:", 1)[1].strip())
    close()
    return results


def results_of(folder):
    for name, read in [("junit.xml", of_nextest), ("log", of_cargo)]:
        file = folder / name
        if file.exists():
            return read(file.read_text(errors="replace"))
    return Results()


def main(folder):
    results = results_of(folder)
    print("\ntime of each part:")
    for line in (folder / "parts").read_text().splitlines():
        name, seconds = line.split("\t")
        print(f"{seconds:>8} s  {name}")
    print("slowest:")
    for seconds, name in sorted(results.seconds, reverse=True)[:SLOWEST]:
        print(f"{seconds:8.1f} s  {name}")
    if results.reasons:
        print("left out, with reasons:")
    for reason, number in sorted(results.reasons.items()):
        print(f"{number:8}  {reason}")
    for test in results.unexplained:
        print(f"left out without a reason: {test}")
    if results.failed:
        print("failed:")
    for name in results.failed:
        print(f"    {name}")
    return 1 if results.unexplained else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
