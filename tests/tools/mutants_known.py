#!/usr/bin/env python3
"""mutants_known.py MUTANTS.md < SURVIVORS   which changes that survived have a row in the table.

A survivor is a line as cargo-mutants writes it: `file:line:column: change`. A row of the table begins with
the file and the change in backquotes; `…` in the change stands for any text, and a `|` within it is written
`\\|`. Rows under the heading "Open" have no reason yet: they are counted apart. Prints each survivor that
has no row, and exits 1 if there is any.
"""

import re
import sys

ROW = re.compile(r"^\| `([^`]+)` \| `((?:[^`])+)` \|")
PLACE = re.compile(r"^([^:]+):\d+:\d+: (.*)$")


def rows(text):
    """Each row: its file, its change as a regular expression, and whether it has a reason."""
    is_open = False
    for line in text.splitlines():
        if line.startswith("#"):
            is_open = line.lstrip("# ").startswith("Open")
        if found := ROW.match(line):
            change = found[2].replace("\\|", "|")
            pattern = ".*".join(re.escape(part) for part in change.split("…"))
            yield found[1], re.compile(pattern), not is_open


def main():
    with open(sys.argv[1], encoding="utf-8") as table:
        known = list(rows(table.read()))
    explained, waiting, new = 0, 0, []
    for line in filter(None, map(str.strip, sys.stdin)):
        place = PLACE.match(line)
        file, change = place.groups() if place else ("", line)
        reasons = [has for of, pattern, has in known if of == file and pattern.fullmatch(change)]
        if True in reasons:
            explained += 1
        elif reasons:
            waiting += 1
        else:
            new.append(line)
    print(f"torture: mutants: of the survivors {explained} are explained, {waiting} open, {len(new)} new")
    for line in new:
        print(line)
    return 1 if new else 0


if __name__ == "__main__":
    sys.exit(main())
