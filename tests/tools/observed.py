#!/usr/bin/env python3
"""How much another user learns of a password from /proc while it is set, in bits.

    tests/tools/observed.py LIST [COUNT [ROUNDS]]

Takes the first COUNT (10,000) passwords of LIST that the module accepts with the filter of the built-in list,
sets each ROUNDS (4) times with the built module and libpam, and prints what each figure tells: the mutual
information of password and figure, H(figure) - H(figure | password).

* Counts (faults, resident pages, context switches): entropies of the histograms. A few rounds make
  H(figure | password) look too small; the same sum over values dealt out to the passwords at random shows by
  how much, and is taken off.
* Times: 1/2 log2(1 + S/N), Shannon's capacity for Gaussian noise (1948, section 25), S the variance between
  passwords and N the variance between rounds of one password, both without the slowest and fastest
  hundredth. The figure is the whole of what a spy could learn who knows the machine to the last detail;
  the machine's other work only lowers it.
"""

import math
import os
import random
import statistics
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path

WORKSPACE = Path(__file__).resolve().parent.parent.parent
SUCCESS = 0
COUNTS = {"minor page faults": 2, "resident pages": 3, "context switches": 4}
TIMES = {"processor time": 5, "clock": 6}


def build(folder):
    target = Path(os.environ.get("CARGO_TARGET_DIR", WORKSPACE / "target")) / "release"
    cargo = os.environ.get("CARGO", "cargo")
    run = [cargo, "build", "--quiet", "--release", "-p", "pam-nearmiss", "-p", "filterctl"]
    subprocess.run(run, check=True, cwd=WORKSPACE)
    source = WORKSPACE / "tests/tools/observed.c"
    program = folder / "observed"
    subprocess.run(["cc", "-O2", "-o", program, source, "-l:libpam.so.0"], check=True)
    filterctl = target / "filterctl"
    words = folder / "words.filter"
    subprocess.run([filterctl, "build", "--quiet", "--common", "--output", words], check=True)
    (folder / "nearmiss.conf").write_text("")
    options = f"conf={folder}/nearmiss.conf filter={words} enforce_for_root"
    (folder / "t").write_text(f"password required {target}/libpam_nearmiss.so {options}\n")
    (folder / "other").write_text("password required pam_deny.so\n")
    return program


def observe(program, folder, passwords, rounds):
    command = [program, folder, "t", "nobody", str(rounds)]
    with tempfile.TemporaryFile() as lines:
        lines.write("".join(password + "\n" for password in passwords).encode())
        lines.seek(0)
        output = subprocess.run(command, stdin=lines, capture_output=True, check=True).stdout
    return [[int(field) for field in line.split()] for line in output.decode().splitlines()]


def accepted(program, folder, candidates, count):
    chosen = []
    for start in range(0, len(candidates), 5000):
        block = candidates[start : start + 5000]
        for line, code, *_ in observe(program, folder, block, 1):
            if code == SUCCESS:
                chosen.append(block[line])
        if len(chosen) >= count:
            break
    return chosen[:count]


def entropy(values):
    """In bits."""
    counts = Counter(values)
    total = sum(counts.values())
    return -sum(n / total * math.log2(n / total) for n in counts.values())


def told_by_count(values):
    """Mutual information, from the values of each password."""
    everything = [v for seen in values for v in seen]
    dealt = everything[:]
    random.Random(1).shuffle(dealt)
    dealt = [[dealt.pop() for _ in seen] for seen in values]
    # H(figure) is the same in both sums.
    return max(0.0, statistics.fmean(map(entropy, dealt)) - statistics.fmean(map(entropy, values)))


def told_by_time(values):
    everything = sorted(v for seen in values for v in seen)
    edge = len(everything) // 100
    low, high = everything[edge], everything[-edge - 1]
    kept = [[v for v in seen if low <= v <= high] for seen in values]
    kept = [seen for seen in kept if len(seen) > 1]
    noise = statistics.fmean(statistics.variance(seen) for seen in kept)
    between = statistics.variance(statistics.fmean(seen) for seen in kept)
    rounds = statistics.harmonic_mean([len(seen) for seen in kept])
    signal = max(0.0, between - noise / rounds)
    return math.log2(1 + signal / noise) / 2, math.sqrt(signal), math.sqrt(noise)


def main():
    arguments = sys.argv[1:]
    if not 1 <= len(arguments) <= 3:
        sys.exit(__doc__)
    count, rounds = [int(a) for a in arguments[1:]] + [10000, 4][len(arguments) - 1 :]
    candidates = Path(arguments[0]).read_text().splitlines()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        program = build(folder)
        passwords = accepted(program, folder, candidates, count)
        seen = observe(program, folder, passwords, rounds)
    by_password = defaultdict(list)
    for row in seen:
        by_password[row[0]].append(row)
    print(f"{len(passwords)} passwords that are accepted, {rounds} times each")
    for what, column in COUNTS.items():
        values = [[row[column] for row in rows] for rows in by_password.values()]
        usual, times = Counter(v for seen in values for v in seen).most_common(1)[0]
        share = times / sum(map(len, values))
        print(f"{what}: {told_by_count(values):.3f} bits; {usual} in {share:.1%}")
    for what, column in TIMES.items():
        bits, signal, noise = told_by_time([[row[column] for row in rows] for rows in by_password.values()])
        print(f"{what}: {bits:.3f} bits; {signal / 1000:.1f} us by password, {noise / 1000:.1f} us by chance")


if __name__ == "__main__":
    main()
