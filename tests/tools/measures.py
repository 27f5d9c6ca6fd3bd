#!/usr/bin/env python3
"""Runs measures of the benchmark in turn, each under its own heading with machine, commit and load.

Usage: measures.py [--write | --whole] [--root TREE] PROGRAM FOLDER MEASURE...

PROGRAM FOLDER MEASURE prints the tables of one measure; tests/benches/bench.sh, which starts this, prepares
both. Without an option, everything goes to standard output. With --write, results.py replaces these measures
in the pages once all have ended well; with --whole, it also removes the others. If one fails, or this is
ended, the pages stay. BENCH_COMMIT is the commit of what was built, BEFORE_COMMIT the one beside it.

The load is the mean number of busy threads of the minute before the measure: of others, and of the build or
the measure that ran just before.
"""

import argparse
import os
import platform
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import results

# The measures that have a column of the other commit.
COMPARED = {"transaction", "digest-files", "instructions"}


def lines_of(path, name):
    """The values of the lines `name : value` of a file of /proc."""
    pairs = (line.partition(":") for line in Path(path).read_text(encoding="utf-8").splitlines())
    return [value.strip() for key, _, value in pairs if key.strip() == name]


def machine(measure):
    """The lines about the machine, the commits and the load at this moment."""
    models = Counter(lines_of("/proc/cpuinfo", "model name")) or {platform.machine(): os.cpu_count()}
    processors = ", ".join(f"{number} {model}" for model, number in models.items())
    before = os.environ.get("BEFORE_COMMIT") if measure in COMPARED else None
    memory = lines_of("/proc/meminfo", "MemTotal")[0]
    parts = [
        f"commit {os.environ['BENCH_COMMIT']}",
        *([f"before {before}"] if before else []),
        f"load {os.getloadavg()[0]:.2f}",
    ]
    return f"machine: {processors}, {memory}, Linux {platform.release()};\n{'; '.join(parts)}"


def run(asked, measure, output):
    """One measure, printed to this file; the seconds that it took."""
    print(f"## {measure}\n\n{machine(measure)}", file=output, flush=True)
    start = time.monotonic()
    subprocess.run([asked.program.resolve(), asked.folder.resolve(), measure], stdout=output, check=True)
    print(file=output, flush=True)
    return time.monotonic() - start


def main():
    parser = argparse.ArgumentParser(description="Runs measures and writes the page of results.")
    parser.add_argument("--write", action="store_true", help="replace these measures in the pages")
    parser.add_argument("--whole", action="store_true", help="write the pages from these measures alone")
    parser.add_argument("--root", type=Path, default=results.TREE, help="the tree instead of this one")
    parser.add_argument("program", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("measure", nargs="+")
    asked = parser.parse_args()
    file = asked.folder / "run.md"
    try:
        if not asked.write and not asked.whole:
            for measure in asked.measure:
                run(asked, measure, sys.stdout)
            return 0
        with file.open("w", encoding="utf-8") as output:
            for measure in asked.measure:
                print(f"{measure}: {run(asked, measure, output):.0f} s", file=sys.stderr)
        results.write(asked.root, file, asked.whole)
    except (results.Fault, OSError, subprocess.CalledProcessError) as fault:
        where = f"; the pages are as they were, {file} has the run" if asked.write or asked.whole else ""
        print(f"measures.py: {fault}{where}", file=sys.stderr)
        return 1
    for path in (results.PAGE, results.SPEED):
        print(f"{asked.root / path} is written")
    return 0


if __name__ == "__main__":
    sys.exit(main())
