#!/usr/bin/env python3
"""chains.py: no `if let … && …` in a crate that has to compile with a Rust older than 1.88, which lacks them.

A compiler of today says nothing of it, and that of a distribution's release is not at hand here (`msrv.sh`).
"""

import pathlib
import re
import subprocess
import sys

HEAD = re.compile(r"\b(?:if|while)\s+(?:let\b|[^{};]*&&\s*let\b)")


def condition(text, start):
    """What stands from here to the block, with all that is in brackets left out."""
    depth, kept = 0, []
    for sign in text[start:]:
        if sign in "([":
            depth += 1
        elif sign in ")]":
            depth -= 1
        elif depth == 0:
            if sign in "{;":
                break
            kept.append(sign)
    return "".join(kept)


def chains(path):
    text = path.read_text(encoding="utf-8")
    for hit in HEAD.finditer(text):
        if "&&" in condition(text, hit.start()):
            yield f"{path}:{text.count(chr(10), 0, hit.start()) + 1}: a chain of `let`s needs Rust 1.88"


def main():
    manifests = subprocess.run(["git", "ls-files", "*Cargo.toml"], capture_output=True, text=True, check=True)
    folders = [pathlib.Path(name).parent for name in manifests.stdout.split()]
    old = [folder for folder in folders if "rust-version.workspace" in (folder / "Cargo.toml").read_text()]
    paths = [path for folder in old for path in sorted((folder / "src").rglob("*.rs"))]
    found = [line for path in paths for line in chains(path)]
    print("\n".join(found), end="\n" if found else "")
    sys.exit(bool(found))


main()
