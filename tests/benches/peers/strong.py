#!/usr/bin/env python3
"""strong.py WORDS FOLDER: strong passwords that a checker should accept, a file for each kind, the same each
time. WORDS has a word per line."""

import random
import string
import sys
from pathlib import Path

COUNT = 30_000
KINDS = {
    "12 random lower-case letters": (string.ascii_lowercase, 12, ""),
    "12 random letters and digits": (string.ascii_letters + string.digits, 12, ""),
    "10 random printable characters": (string.ascii_letters + string.digits + string.punctuation, 10, ""),
    "four random words with spaces": (None, 4, " "),
    "four random words joined": (None, 4, ""),
    "32 random hexadecimal digits": ("0123456789abcdef", 32, ""),
}


def main(words, folder):
    words = Path(words).read_text(encoding="utf-8").split()
    chance = random.Random(1994)
    for kind, (of, length, between) in KINDS.items():
        made = (between.join(chance.choices(of or words, k=length)) for _ in range(COUNT))
        Path(folder, kind).write_text("".join(f"{password}\n" for password in made), encoding="utf-8")


main(*sys.argv[1:])
