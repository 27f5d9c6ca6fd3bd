#!/usr/bin/env python3
"""The page of results, tests/benches/RESULTS.md, and the table of speed in docs/measured.md.

Usage: results.py [--root TREE] [--whole] RUN   write both from the output of a run (a file of Markdown)
       results.py [--root TREE] --check         say whether both are what the page's own tables give

A run consists of measures: a heading `## NAME`, the lines `machine: …; commit …; load …`, and sections, each
a heading `### TITLE` and a table. A measure of the run replaces the page's of the same name; with --whole,
the page's other measures go. What stands between the markers of a page is written; the rest is by hand. If
anything is missing or is no figure, nothing is written, and the exit status is 1.
"""

import argparse
import math
import os
import re
import sys
import textwrap
from dataclasses import dataclass, field
from pathlib import Path

TREE = Path(__file__).resolve().parents[2]
PAGE = Path("tests/benches/RESULTS.md")
SPEED = Path("docs/measured.md")
PLOT = Path("tests/benches/scaling.svg")

MACHINE = re.compile(
    r"machine: .+;\ncommit (?P<commit>\w+(?: with changes)?)(?:; before \w+)?; load [\d.]+"
)
HEAD = "| measure | ours | against | value | target | met |"
RULE = "| --- | ---: | ---: | ---: | ---: | --- |"
MISSED = "**no**"
SKIPPED = "SKIPPED: "


class Fault(Exception):
    """Why a run or a page cannot be used."""


@dataclass
class Row:
    """A line of a section's table."""

    section: str
    measure: str
    ours: str
    against: str
    value: str
    target: str
    met: str


@dataclass
class Measure:
    """A measure: its text as it was printed, the commit that was measured, and the rows of its tables."""

    name: str
    text: str
    commit: str = ""
    rows: list = field(default_factory=list)


def filled(sentence):
    """The sentence in lines of prose."""
    return textwrap.fill(sentence, 100, break_long_words=False, break_on_hyphens=False)


def row(section, line):
    cells = [cell.strip() for cell in line.strip("|").split("|")]
    if len(cells) != 6:
        raise Fault(f"{section}: {len(cells)} cells instead of 6: {line}")
    one = Row(section, *cells)
    try:
        is_figure = math.isfinite(float(one.value))
    except ValueError:
        is_figure = False
    if not is_figure:
        raise Fault(f"{section}: {one.measure}: no figure: {one.value}")
    if bool(one.target) != (one.met in ("yes", MISSED)):
        raise Fault(f"{section}: {one.measure}: a target and its verdict belong together")
    return one


def measure(name, text):
    """The measure whose lines these are, without its heading."""
    # What was left out is prose, and not a line of the table before it.
    text = re.sub(rf"\n+({SKIPPED}.*)", lambda found: f"\n\n{filled(found[1])}", text.strip())
    one = Measure(name, f"## {name}\n\n{text}\n")
    head, *sections = re.split(r"^### ", text, flags=re.MULTILINE)
    machine = MACHINE.fullmatch(head.strip())
    if not machine:
        raise Fault(f"{name}: no line with the machine, the commit and the load")
    one.commit = machine["commit"]
    for section in sections:
        title, *lines = section.strip().splitlines()
        rows = [row(title, line) for line in lines if line.startswith("|") and line not in (HEAD, RULE)]
        if not rows and SKIPPED not in section:
            raise Fault(f"{title}: a table without a line")
        one.rows += rows
    if not sections:
        raise Fault(f"{name}: nothing was measured")
    return one


def measures(text):
    """The measures of a run or of a page by name, in their order."""
    _, *parts = re.split(r"^## (.*)\n", text, flags=re.MULTILINE)
    return {name: measure(name, part) for name, part in zip(parts[::2], parts[1::2])}


def commits(found):
    """The commits of these measures; several with the names of the measures."""
    names = {}
    for one in found:
        names.setdefault(one.commit, []).append(one.name)
    if len(names) == 1:
        return f"commit {next(iter(names))}"
    return ", ".join(f"commit {commit} ({', '.join(of)})" for commit, of in names.items())


def targets(found):
    """Each row that has a target, the missed ones first."""
    rows = [one for measure in found.values() for one in measure.rows if one.target]
    missed = [one for one in rows if one.met == MISSED]
    lines = [
        filled(f"{len(rows) - len(missed)} of {len(rows)} targets are met, on {commits(found.values())}."),
        "",
        "| measure | of | beside | value | target | met |",
        "| --- | --- | --- | ---: | ---: | --- |",
    ]
    for one in missed + [one for one in rows if one.met != MISSED]:
        cells = [one.measure, one.section, one.against, one.value, one.target, one.met]
        lines.append(f"| {' | '.join(cells)} |")
    skipped = [one.name for one in found.values() if SKIPPED in one.text]
    if skipped:
        lines += ["", f"Left out: {', '.join(skipped)}."]
    return "\n".join(lines)


NEAR = "near check, 1 M passwords, 1 %, 8 characters"
FOUND = ["fst + Levenshtein", "SymSpell", "cracklib", "krb5-strength"]
CHANGE = "whole PAM transaction, dictionary of 1000000 {}, ladder off, {} is set"
OTHERS = ["pam_pwquality with cracklib", "pam_passwdqc"]
EXACT = "exact check, 1 M passwords, 0.01 "
SETS = ["fastbloom, its own SipHash", "xorf BinaryFuse8", "passwdqc_check with a filter"]
BUILDERS = ["cracklib-packer", "pwqfilter --create", "fst"]
BITS = "size, 194,168-word dictionary: bits a word"


@dataclass
class Line:
    """A line of the table of speed, by the beginnings of a section's title, of a row's name, and of the names
    of the others. The first of these rows has our side. With `has_ratio`, the ratios are shown."""

    title: str
    measure: str
    section: str
    row: str
    others: list = field(default_factory=lambda: [""])
    has_ratio: bool = False


def change(words, kind, password):
    title = f"a change through PAM, 1 M {words}, {kind}"
    return Line(title, "transaction", CHANGE.format(words, password), "warm", OTHERS, True)


LINES = [
    Line("a password that is near nothing, 1 M passwords", "near", NEAR, "random miss, ours", FOUND),
    Line("the same, word-like", "near", NEAR, "word-like miss, ours", FOUND),
    Line("the same, one edit from a word", "near", NEAR, "near hit, ours", FOUND),
    Line("a random string, exact, 1 M passwords", "exact", EXACT, "random miss, ours", SETS),
    change("words", "plain", "Qx-vopli-truw"),
    change("words", "disguised", "Tr0mbqne-vilk7"),
    change("passwords", "plain", "Qx-vopli-truw"),
    change("passwords", "disguised", "Tr0mbqne-vilk7"),
    Line("a build of 1 M passwords", "build", "build, 1 M passwords", "seconds, ours", BUILDERS),
    Line("a build of 10 M passwords, two threads", "build", "build, long lists", "near, 10 M words, 2"),
    Line("bits a word at 1 %, 194,168 words", "size", BITS, "0.01: near ÷ paper"),
    Line("the same, compact", "size", BITS, "0.01: compact ÷ fst"),
    Line("the module", "transaction", "", "pam_nearmiss.so"),
]


def figures(cell):
    """A cell without the rates that were measured."""
    return cell.split(" (measured")[0]


def beside(found, line, peer):
    """The row of this line with this peer."""
    for one in found[line.measure].rows if line.measure in found else []:
        is_asked = one.section.startswith(line.section) and one.measure.startswith(line.row)
        if is_asked and one.against.startswith(peer):
            return one
    raise Fault(f"the table of speed: {line.measure} has no row `{line.section}…: {line.row}… {peer}`")


def speed(found):
    """The table of docs/measured.md."""
    texts = ["| measure | nearmiss | others |", "| --- | --- | --- |"]
    for line in LINES:
        rows = [beside(found, line, peer) for peer in line.others]
        ratio = " ({})" if line.has_ratio else ""
        others = ", ".join(figures(one.against) + ratio.format(one.value) for one in rows if one.against)
        texts.append(f"| {line.title} | {figures(rows[0].ours)} | {others} |")
    names = {line.measure for line in LINES}
    used = [one for one in found.values() if one.name in names]
    return "\n".join(texts + ["", filled(f"Measured on {commits(used)}.")])


def between(page, name, text):
    """The page with this text between the markers of this name."""
    begin, end = f"<!-- {name}: written by make bench -->\n", f"<!-- end of {name} -->\n"
    if page.count(begin) != 1 or page.count(end) != 1 or page.index(end) < page.index(begin):
        raise Fault(f"the markers `{name}` are not in the page, once each")
    head, rest = page.split(begin)
    return f"{head}{begin}\n{text.strip()}\n\n{end}{rest.split(end)[1]}"


def held(page):
    """The measures of the page."""
    parts = re.findall(r"<!-- measures: .*?\n(.*)<!-- end of measures", page, flags=re.DOTALL)
    return measures(parts[0]) if parts else {}


def written(root, found):
    """Both pages with these measures: their paths and texts."""
    page = (root / PAGE).read_text(encoding="utf-8")
    page = between(page, "targets", targets(found))
    page = between(page, "measures", "\n".join(one.text for one in found.values()))
    table = between((root / SPEED).read_text(encoding="utf-8"), "speed", speed(found))
    return {SPEED: table, PAGE: page}


def write(root, run, is_whole):
    """Writes both pages, and the plot that lies beside the run if the run made one; all or none."""
    fresh = measures(run.read_text(encoding="utf-8"))
    old = {} if is_whole else held((root / PAGE).read_text(encoding="utf-8"))
    texts = written(root, old | fresh)
    if "scaling" in fresh:
        texts = {PLOT: (run.parent / "scaling.svg").read_text(encoding="utf-8")} | texts
    parts = [(root / path).with_suffix(".part") for path in texts]
    try:
        for part, text in zip(parts, texts.values()):
            part.write_text(text, encoding="utf-8")
        for part, path in zip(parts, texts):
            os.replace(part, root / path)
    finally:
        for part in parts:
            part.unlink(missing_ok=True)


def check(root):
    """A line for each page that is not what the page's tables give."""
    found = held((root / PAGE).read_text(encoding="utf-8"))
    for path, text in written(root, found).items():
        if (root / path).read_text(encoding="utf-8") != text:
            yield f"{path}: changed by hand between its markers; make bench writes it"


def main():
    parser = argparse.ArgumentParser(description="Writes the page of results and the table of speed.")
    parser.add_argument("--root", type=Path, default=TREE, help="the tree instead of this one")
    parser.add_argument("--whole", action="store_true", help="the page's other measures go")
    parser.add_argument("--check", action="store_true", help="only say whether both are as written")
    parser.add_argument("run", type=Path, nargs="?")
    asked = parser.parse_args()
    if asked.check == bool(asked.run):
        parser.error("RUN or --check")
    wrong = []
    try:
        if asked.check:
            wrong = list(check(asked.root))
        else:
            write(asked.root, asked.run, asked.whole)
    except (Fault, OSError) as fault:
        wrong = [f"results.py: {fault}"]
    print("\n".join(wrong), end="\n" if wrong else "", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
