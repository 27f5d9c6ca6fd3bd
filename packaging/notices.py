#!/usr/bin/env python3
"""notices.py [PROGRAM...]: the licences of the crates that are linked into these programs and libraries, or
into all that are packaged, with their texts and holders, on stdout.

The texts are those in the crates' own archives, which cargo has for a build, with or without a network. Terms
that several crates have are there once, below the notices of all their holders. Fails where a crate has
neither a text nor the licence MIT.
"""

import json
import os
import re
import sys

from sbom import BUILT, ROOT, command_output, host, linked

NAMED_SO = re.compile(r"(LICEN[CS]E|COPYING|COPYRIGHT|NOTICE|UNLICENSE)", re.IGNORECASE)
NOT_A_TEXT = re.compile(r"\.(rs|py|html|toml|yml|spdx)$")
# The programs beside liblzma, and zstd's other choice: neither is linked.
OTHER_PARTS = re.compile(r"GNU (LESSER )?GENERAL PUBLIC LICENSE\s+Version")
# The terms of MIT and of Unicode begin so; what is above them differs from holder to holder.
TERMS = "Permission is hereby granted"
# Folders of C code that a crate compiles, with licences of its own.
DEPTH = 2
# Crates of one repository, of which one has the text.
SAME_REPOSITORY = {"alloc-stdlib": "alloc-no-stdlib"}
HEAD = """\
nearmiss is licensed under MIT or Apache-2.0: see LICENSE-MIT and LICENSE-APACHE. The word list that its
programs hold has its own licences: see PROVENANCE and copyright beside this file.

The programs and libraries of its packages have the crates below linked into them; sbom.cdx.json beside this
file says which of them a package has.
"""


def crates(programs):
    """What cargo knows of each crate that is linked into one of the programs and is not of this workspace."""
    metadata = ["cargo", "metadata", "--locked", "--format-version", "1", "--filter-platform", host()]
    packages = json.loads(command_output(*metadata))["packages"]
    own = {package["name"] for package in packages if package["source"] is None}
    programs = programs or [name for names in BUILT for name in names if name in own]
    wanted = {crate for name in programs for crate in linked(name)}
    known = {(package["name"], package["version"]): package for package in packages}
    return [known[crate] for crate in sorted(wanted) if crate[0] not in own]


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
                found.append(tidy(os.path.join(folder, name)))
    found = [text for text in found if len(text) > 100 and not OTHER_PARTS.search(text)]
    others = [text for text in found if not is_apache(text)]
    # Of the licences that are offered, one is taken: the Apache one is ten times as long, and names no
    # holder.
    is_choice = " OR " in crate["license"] or "/" in crate["license"]
    return (others if is_choice and others else found) or [mit(crate)]


def is_apache(text):
    return "Apache License" in text[:300] and "TERMS AND CONDITIONS" in text


def tidy(path):
    """A file's text with spaces alone, and without empty lines around it."""
    with open(path, encoding="utf-8", errors="replace") as file:
        lines = [line.rstrip() for line in file.read().replace("\t", "    ").replace("\f", "").splitlines()]
    return "\n".join(lines).strip("\n") + "\n"


def mit(crate):
    """The text for a crate that has none in its archive: MIT, the words of our own."""
    if "MIT" not in crate["license"]:
        sys.exit(f"notices.py: {crate['name']} has no text of its licence, {crate['license']}")
    holders = ", ".join(crate["authors"]) or f"the authors of {crate['name']}, {crate['repository']}"
    ours = tidy(os.path.join(ROOT, "LICENSE-MIT"))
    return f"Copyright (c) {holders}\n\n{ours[ours.index('Permission is') :]}"


def split(text):
    """The notice of a text's holder, and its terms; a text of another form is all terms."""
    at = max(text.find(TERMS), 0)
    return text[:at].strip("\n"), text[at:]


class Terms:
    """The terms of one or more crates, with the notices of their holders."""

    def __init__(self, number, text):
        self.number, self.text = number, text
        self.users, self.notices = set(), {}

    def add(self, user, notice):
        self.users.add(user)
        if notice:
            self.notices.setdefault(" ".join(notice.split()), notice)

    def __str__(self):
        rule = "=" * 80
        heading = f"{rule}\nText {self.number}, of {', '.join(sorted(self.users))}\n{rule}\n"
        return "\n".join([heading, *(f"{notice}\n" for notice in self.notices.values()), self.text])


def main():
    found = crates(sys.argv[1:])
    by_name = {crate["name"]: crate for crate in found}
    terms_by_words, listed = {}, []
    for crate in found:
        own = set()
        for text in texts_of(by_name.get(SAME_REPOSITORY.get(crate["name"]), crate)):
            notice, body = split(text)
            terms = terms_by_words.setdefault(" ".join(body.split()), Terms(len(terms_by_words) + 1, body))
            terms.add(crate["name"], notice)
            own.add(terms.number)
        shown = ", ".join(map(str, sorted(own)))
        listed.append(f"{crate['name']} {crate['version']}: {crate['license']}; texts {shown}\n")
    print("\n".join([HEAD, "".join(listed), *map(str, terms_by_words.values())]), end="")


if __name__ == "__main__":
    main()
