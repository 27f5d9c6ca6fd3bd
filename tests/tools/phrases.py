#!/usr/bin/env python3
"""No tracked source or page has a phrase that hides its noun in a clause, or a decimal without its zero.

A phrase may not come back once the tree is free of it: write the subject, the verb and the object instead
("the result of the rebuild", "none if the file is missing"). Usage: tests/tools/phrases.py [FILE...]; without
files, every tracked file of the kinds below.
"""

import re
import subprocess
import sys
from pathlib import Path

KINDS = {".rs", ".md", ".py", ".sh", ".1", ".3", ".5", ".8"}

# What to write instead of each phrase.
PHRASES = {
    r"what (?:became|becomes|came|comes) of": "the result of, the fate of",
    r"none (?:where|when)": "none if",
    r"goes? on as": "switches to, stays",
    r"(?:is|are|was|were|be) told": "reads, gets, is reported",
    r"so (?:many|much) [^.;:]*? as": "the number of",
    r"(?:is|are|was|were) wanted to be": "name the option",
    r"those of": "name the thing again, or use its possessive",
}
PHRASE = re.compile("|".join(rf"(?P<_{at}>\b{one}\b)" for at, one in enumerate(PHRASES)), re.I)
ADVICE = list(PHRASES.values())

# A decimal of a text: neither a file's ending, nor a version, nor the precision of a format.
DECIMAL = re.compile(r"(?<![\w.\d/\"':{$#%*`-])\.\d+(?![\w/(=*])")
COMMENT = {".rs": re.compile(r"//(.*)"), ".py": re.compile(r"#\s(.*)"), ".sh": re.compile(r"#\s(.*)")}


def tracked():
    listed = subprocess.run(["git", "ls-files", "-z"], check=True, capture_output=True, text=True).stdout
    return [Path(name) for name in listed.split("\0") if name]


def prose(line, kind):
    """The part of a line that is not code."""
    if kind not in COMMENT:
        return line
    found = COMMENT[kind].search(line)
    return found[1] if found else ""


def faults(text, kind):
    """Line numbers and what is wrong there. A phrase may be broken between two lines."""
    lines = text.splitlines()
    marks = re.compile(r"^[\s/!#*.\\]*")
    for number, (line, after) in enumerate(zip(lines, lines[1:] + [""]), 1):
        pair = f"{line} {marks.sub('', after)}"
        for found in PHRASE.finditer(pair):
            if found.start() <= len(line):
                yield number, f"`{found[0]}`: {ADVICE[int(found.lastgroup[1:])]}"
        for found in DECIMAL.finditer(prose(line, kind)):
            yield number, f"`{found[0]}`: 0{found[0]}"


def main():
    own = Path(__file__).resolve()
    wrong = []
    for path in [Path(name) for name in sys.argv[1:]] or tracked():
        if path.suffix not in KINDS or not path.is_file() or path.resolve() == own:
            continue
        text = path.read_text(encoding="utf-8")
        wrong += [f"{path}:{number}: {what}" for number, what in faults(text, path.suffix)]
    print("\n".join(wrong), end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
