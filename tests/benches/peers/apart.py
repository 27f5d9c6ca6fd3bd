#!/usr/bin/env python3
"""apart.py EVERY FIRST COUNTS ACCOUNTS HELD LIST...: accounts that no list knows.

Each EVERYth line of ACCOUNTS, from line FIRST on, is written to HELD. Their passwords are taken out of each
LIST, however their case and Unicode composition are. With COUNTS 1, ACCOUNTS has lines VALUE|OCCURRENCE below
a line with names.
"""

import sys
import unicodedata


def clean(word):
    """A word as filters compare it."""
    lower = unicodedata.normalize("NFKC", word).lower()
    return unicodedata.normalize("NFKC", lower)


def lines(path):
    with open(path, encoding="utf-8", errors="surrogateescape", newline="\n") as text:
        return [line.removesuffix("\n") for line in text if line != "\n"]


def write(path, kept):
    with open(path, "w", encoding="utf-8", errors="surrogateescape", newline="\n") as text:
        text.writelines(line + "\n" for line in kept)


def main(every, first, counts, accounts, held, *lists):
    has_counts = counts == "1"
    accounts = lines(accounts)[1 if has_counts else 0 :]
    chosen = accounts[int(first) - 1 :: int(every)]
    write(held, chosen)
    passwords = {clean(line.rpartition("|")[0] if has_counts else line) for line in chosen}
    for path in lists:
        write(path, [word for word in lines(path) if clean(word) not in passwords])


main(*sys.argv[1:])
