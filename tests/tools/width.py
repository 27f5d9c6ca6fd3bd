#!/usr/bin/env python3
"""No line of code is wider than 110 columns, no line of prose than 100, no cell of README's tables either.

Tables, indented and fenced blocks of prose files are not prose; a heading, and a line that is one word (an
address), cannot be wrapped. Usage: tests/tools/width.py [FILE...]; without files, every tracked file of the
kinds below.
"""

import subprocess
import sys
from pathlib import Path

CODE = {".rs", ".py", ".sh"}
CODE_COLUMNS = 110
PROSE_COLUMNS = 100
CELL_COLUMNS = 100


def tracked():
    listed = subprocess.run(["git", "ls-files", "-z"], check=True, capture_output=True, text=True).stdout
    return [Path(name) for name in listed.split("\0") if name]


def wide_code(lines):
    for number, line in enumerate(lines, 1):
        if len(line) > CODE_COLUMNS:
            yield number, f"{len(line)} columns, at most {CODE_COLUMNS}"


def wide_prose(lines, cells):
    fenced = False
    for number, line in enumerate(lines, 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif fenced or line.startswith(("    ", "#")):
            continue
        elif line.startswith("|"):
            widest = max((len(cell.strip()) for cell in line.split("|")), default=0)
            if cells and widest > CELL_COLUMNS:
                yield number, f"a table's cell of {widest} characters, at most {CELL_COLUMNS}"
        elif len(line) > PROSE_COLUMNS and " " in line.strip():
            yield number, f"{len(line)} columns, at most {PROSE_COLUMNS}"


def wide(path):
    if path.suffix not in CODE | {".md"} or not path.is_file():
        return
    lines = path.read_text(encoding="utf-8").splitlines()
    found = wide_prose(lines, path.name == "README.md") if path.suffix == ".md" else wide_code(lines)
    yield from found


def main():
    faults = [
        f"{path}:{number}: {what}"
        for path in ([Path(name) for name in sys.argv[1:]] or tracked())
        for number, what in wide(path)
    ]
    print("\n".join(faults), end="\n" if faults else "")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
