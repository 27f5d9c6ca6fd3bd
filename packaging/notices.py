#!/usr/bin/env python3
"""notices.py [--check]: writes packaging/NOTICES, the licences of the crates linked into what is packaged,
with their texts and holders; with --check, says whether the file is what the lock file asks for.

The texts are those in the crates' own archives, so cargo has to have fetched them. A text that several crates
have is there once.
"""

import json
import os
import re

from made import write_or_check
from sbom import ROOT, command_output

FILE = os.path.join(ROOT, "packaging", "NOTICES")
# What is in some package or other, and the platforms that deny.toml names.
PROGRAMS = [
    "pam-nearmiss",
    "filterctl",
    "filterlab",
    "nearmiss-agent",
    "nearmiss-fetch",
    "nearmiss-capi",
    "nearmiss-cracklib",
    "nearmiss-mit-krb5",
    "nearmiss-openldap",
    "nearmiss-mariadb",
    "nearmiss-postgresql",
]
PLATFORMS = ["x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu", "x86_64-unknown-linux-musl"]
NAMED_SO = re.compile(r"(LICEN[CS]E|COPYING|COPYRIGHT|NOTICE|UNLICENSE)", re.IGNORECASE)
NOT_A_TEXT = re.compile(r"\.(rs|py|html|toml|yml|spdx)$")
# The programs beside liblzma, and zstd's other choice: neither is linked.
OTHER_PARTS = re.compile(r"GNU (LESSER )?GENERAL PUBLIC LICENSE\s+Version")
# Folders of C code that a crate compiles, with licences of its own.
DEPTH = 2
# Of some crates the archive has no text: what their repository has, by the licence that is taken.
MIT = """Permission is hereby granted, free of charge, to any
person obtaining a copy of this software and associated
documentation files (the "Software"), to deal in the
Software without restriction, including without
limitation the rights to use, copy, modify, merge,
publish, distribute, sublicense, and/or sell copies of
the Software, and to permit persons to whom the Software
is furnished to do so, subject to the following
conditions:

The above copyright notice and this permission notice
shall be included in all copies or substantial portions
of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF
ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED
TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A
PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT
SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY
CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION
OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR
IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER
DEALINGS IN THE SOFTWARE.
"""
HEAD = """\
nearmiss is licensed under MIT or Apache-2.0: see LICENSE-MIT and LICENSE-APACHE. The word list that its
programs hold has its own licences: see PROVENANCE and copyright beside this file.

The programs and libraries of its packages have the crates below linked into them; sbom.cdx.json beside this
file says which of them a package has. packaging/notices.py made this list of Cargo.lock.
"""


def linked():
    """Name and version of each crate of a registry that is linked into one of the programs."""
    selected = [argument for name in PROGRAMS for argument in ["--package", name]]
    platforms = [argument for name in PLATFORMS for argument in ["--target", name]]
    edges = ["--edges", "normal,no-proc-macro", "--prefix", "none", "--no-dedupe", "--format", "{p}"]
    text = command_output("cargo", "tree", "--locked", *selected, *platforms, *edges)
    found = {tuple(line.split()[:2]) for line in text.splitlines() if line and "(/" not in line}
    return {(name, version.removeprefix("v")) for name, version in found}


def crates():
    """What cargo knows of each of these crates."""
    wanted = linked()
    platforms = [argument for name in PLATFORMS for argument in ["--filter-platform", name]]
    metadata = json.loads(
        command_output("cargo", "metadata", "--locked", "--format-version", "1", *platforms)
    )
    known = {(crate["name"], crate["version"]): crate for crate in metadata["packages"]}
    return [known[crate] for crate in sorted(wanted)]


def texts_of(crate):
    """The texts of licences in a crate's archive."""
    top = os.path.dirname(crate["manifest_path"])
    found = []
    for folder, folders, files in os.walk(top):
        folders.sort()
        if os.path.relpath(folder, top).count(os.sep) + 1 >= DEPTH:
            folders.clear()
        for name in sorted(files):
            if NAMED_SO.match(name) and not NOT_A_TEXT.search(name):
                with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as file:
                    found.append(tidy(file.read()))
    found = [text for text in found if len(text) > 100 and not OTHER_PARTS.search(text)]
    others = [text for text in found if not is_apache(text)]
    # Of the licences that are offered, one is taken: the Apache one is ten times as long, and names no
    # holder.
    is_choice = " OR " in crate["license"] or "/" in crate["license"]
    return (others if is_choice and others else found) or [made_up(crate)]


def is_apache(text):
    return "Apache License" in text[:300] and "TERMS AND CONDITIONS" in text


def tidy(text):
    lines = [line.rstrip() for line in text.replace("\t", "    ").replace("\f", "").splitlines()]
    return "\n".join(lines).strip("\n") + "\n"


# Crates of one repository, of which one has the text.
SAME_REPOSITORY = {"alloc-stdlib": "alloc-no-stdlib"}


def made_up(crate):
    """The licence text for a crate that has none in its archive: MIT, which each of them offers."""
    if "MIT" not in crate["license"]:
        raise SystemExit(f"notices.py: {crate['name']} has no text of its licence, {crate['license']}")
    holders = ", ".join(crate["authors"]) or f"the authors of {crate['name']}, {crate['repository']}"
    return f"Copyright (c) {holders}\n\n{MIT}"


def notices():
    """The whole file."""
    numbers, users, listed = {}, {}, []
    found = crates()
    by_name = {crate["name"]: crate for crate in found}
    for crate in found:
        own = []
        for text in texts_of(by_name.get(SAME_REPOSITORY.get(crate["name"]), crate)):
            key = " ".join(text.split())
            number, _ = numbers.setdefault(key, (len(numbers) + 1, text))
            if number not in own:
                own.append(number)
            users.setdefault(number, []).append(crate["name"])
        shown = ", ".join(str(number) for number in sorted(own))
        listed.append(f"{crate['name']} {crate['version']}: {crate['license']}; texts {shown}\n")
    bodies = [
        f"{'=' * 80}\nText {number}, of {', '.join(sorted(set(users[number])))}\n{'=' * 80}\n\n{text}\n"
        for number, text in numbers.values()
    ]
    return "\n".join([HEAD, "".join(listed), *bodies])


def main():
    fault = "packaging/NOTICES is not what Cargo.lock asks for"
    write_or_check(FILE, notices(), f"notices.py: {fault}; make it again: make notices")


if __name__ == "__main__":
    main()
