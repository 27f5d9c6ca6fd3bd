#!/usr/bin/env python3
"""sums.py COMMIT FILE...: the table of accounts that fall to guesses, from several runs of guessing.sh.

Each FILE is the guessing.csv of a part of the accounts. Prints the sums as the table of docs/measured.md, and
the range of the parts.
"""

import csv
import sys

GUESSES = [10**power for power in range(4, 9)]
NAMES = {
    "pwquality + cracklib": "pwquality with cracklib's words",
    "pwquality with our words": "pwquality with the words of our filters",
    "nearmiss": "**nearmiss**",
    "zxcvbn with score 3": "zxcvbn, score 3 or 4",
}


def share(part, whole):
    """A percentage with two digits, or the fewer that it has."""
    percent = 100 * part / max(whole, 1)
    return "0" if percent < 0.0005 else f"{percent:.2g}" if percent < 10 else f"{percent:.1f}"


def of_file(path):
    """Of each policy: accounts, accepted ones, and those that fall, by guesses."""
    policies = {}
    with open(path, encoding="utf-8", newline="") as text:
        for row in csv.DictReader(text):
            found = policies.setdefault(row["policy"], {})
            found[int(row["guesses"])] = int(row["fallen_accounts"])
            found["accepted"], found["accounts"] = int(row["accepted_accounts"]), int(row["accounts"])
    return policies


def main(commit, *files):
    parts = [of_file(path) for path in files]
    sums = {
        policy: {key: sum(part[policy][key] for part in parts) for key in parts[0][policy]}
        for policy in parts[0]
    }
    heads = [f"10{'⁴⁵⁶⁷⁸'[at]}" for at in range(len(GUESSES))]
    print(f"| of all accounts, % | accepted | {' | '.join(heads)} | of accepted, 10⁸ |")
    print(f"| --- |{' ---: |' * (len(GUESSES) + 2)}")
    for policy, found in sorted(sums.items(), key=lambda one: -one[1]["accepted"]):
        cells = [share(found[key], found["accounts"]) for key in ("accepted", *GUESSES)]
        cells.append(share(found[GUESSES[-1]], found["accepted"]))
        print(f"| {' | '.join([NAMES.get(policy, policy), *cells])} |")
    print()
    for policy in sums:
        shares = sorted(part[policy][GUESSES[-1]] / part[policy]["accounts"] for part in parts)
        print(f"{policy}: {share(shares[0], 1)} to {share(shares[-1], 1)} % fall to 10⁸ guesses, by part")
    print(f"\nMeasured on commit {commit}.")


main(*sys.argv[1:])
