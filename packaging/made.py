"""Files of the repository that a script makes of others, and a test compares with what it would make now."""

import sys


def write_or_check(path, text, fault):
    """Writes `text`; with `--check` as the script's only argument, ends with `fault` where the file is
    another one."""
    if sys.argv[1:] != ["--check"]:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return
    with open(path, encoding="utf-8") as file:
        if file.read() != text:
            sys.exit(fault)
