#!/usr/bin/env python3
"""crates.py: a page on stdout of the crates that are linked into the programs that may run as root, with what
was read of each: the audits of cargo-vet in packaging/supply-chain/audits.toml."""

import os
import textwrap
import tomllib

from sbom import ROOT, linked, lock_checksums

# The programs and their short names; of the module's crates each has an audit.
PROGRAMS = {
    "pam-nearmiss": "module",
    "nearmiss-capi": "libnearmiss",
    "nearmiss-agent": "agent",
    "filterctl": "filterctl",
}


def audits():
    """The notes on a crate, by its name and version."""
    with open(os.path.join(ROOT, "packaging", "supply-chain", "audits.toml"), "rb") as file:
        found = tomllib.load(file)["audits"]
    return {(name, audit.get("version")): audit["notes"] for name in found for audit in found[name]}


def main():
    notes, users, of_a_registry = audits(), {}, lock_checksums()
    for program, short in PROGRAMS.items():
        for crate in linked(program):
            if crate in of_a_registry:
                users.setdefault(crate, []).append(short)
    print("# Crates that run with rights\n")
    for crate in sorted(users):
        text = f"* **{' '.join(crate)}** ({', '.join(users[crate])}): {notes.get(crate, 'not read')}"
        print(textwrap.fill(" ".join(text.split()), 100, subsequent_indent="  ", break_on_hyphens=False))


if __name__ == "__main__":
    main()
