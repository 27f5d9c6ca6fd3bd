#!/usr/bin/env python3
"""catch.py FOLDER COMMIT [--write]: the tables of what `filterlab study catch` measured.

FOLDER/rules, FOLDER/near (the near filter alone), FOLDER/formats and FOLDER/beside (other checkers) are what
the study wrote; COMMIT is what was measured. Prints the tables, or puts them between their markers in
docs/measured.md and docs/why.md.
"""

import csv
import sys
import textwrap
from pathlib import Path

DOCS = Path(__file__).resolve().parents[3] / "docs"

# Each rule as the table names it: its key in nearmiss.conf, and an example.
RULES = {
    "match near": 'one edit from a word: `match = "near"`',
    "two_words": "`two_words`: `kingdomhearts`",
    "digits_max": "`digits_max`: digits and separators, telephone numbers",
    "repetition": "`repetition`: `bubububu`",
    "sequences": "`sequences`: `qwer7654!`",
    "distance_2": "`distance_2`: `alig12tsers`",
    "word_plus_few": "`word_plus_few`: `dragonxq7`",
    "few_letters": "`few_letters`: `ab1234567`, `anna1990`",
    "accents": "`accents`: `Frühling`",
    "leet": "`leet`: `dr4g0n!`",
    "reversed": "`reversed`: `nogard12`",
    "doubled": "`doubled`: `dragondragon`",
    "affixes": "`affixes`: `12dragon!!`",
}
# The kinds of strong passwords that are compared with other checkers.
GOOD = {
    "lower_12": "12 random lower-case letters",
    "rand62_12": "12 random letters and digits",
    "rand94_10": "10 random printable characters",
    "hex_32": "32 random hexadecimal digits",
    "3_words_spaces": "three random words with spaces",
    "4_words_together": "four random words, joined",
}
FIRST = ["best64", "rockyou-1000"]
# Fewer bits than this a policy may well reject; above this share a format should not be rejected.
FEW_BITS = 33.0
GOAL = 0.001


def rows(path):
    """The lines of a table, by the names of its columns."""
    with open(path, encoding="utf-8", newline="") as text:
        return list(csv.DictReader(text))


def set_name(name):
    return name.removesuffix(".rule")


def percent(share, places=1):
    return f"{100 * share:.{places}f}"


def by_sets(shares):
    """A row's cells for guesses: two rule files, the mean of all, and the passwords held back."""
    files = {name: share for name, share in shares.items() if name != "held-back"}
    mean = sum(files.values()) / len(files)
    return [percent(share) for share in (*(files[name] for name in FIRST), mean, shares["held-back"])]


def strong(kinds):
    """A row's cell for generated passwords: how many were rejected, and the kind that has the most."""
    rejected = sum(count for _, count, _ in kinds)
    name, count, tried = max(kinds, key=lambda kind: kind[1])
    return f"{rejected} ({name} {percent(count / tried, 2)} %)" if count else "0"


def line(cells):
    return f"| {' | '.join(cells)} |"


def of_policy(folder):
    """What a policy rejects: the sets of guesses by their names, and the kinds of generated passwords."""
    caught = {set_name(row["set"]): row for row in rows(folder / "catch.csv") if row["part"] == "all"}
    generated = rows(folder / "false-rejections.csv")
    return caught, [(row["kind"], int(row["rejected"]), int(row["tried"])) for row in generated]


def shares_of(caught):
    return {name: float(row["share"]) for name, row in caught.items()}


def of_exact_filter(folder):
    """The row of what the near filter alone does not reject."""
    (caught, kinds), (near, near_kinds) = of_policy(folder / "rules"), of_policy(folder / "near")
    near = shares_of(near)
    more = {name: share - near[name] for name, share in shares_of(caught).items()}
    before = {name: rejected for name, rejected, _ in near_kinds}
    more_kinds = [(name, rejected - before[name], tried) for name, rejected, tried in kinds]
    return line(["everyday list and ranked passwords: `exact.filter`", *by_sets(more), strong(more_kinds)])


def rules_table(folder):
    """What the policy rejects, and what each rule adds to it or would."""
    caught, kinds = of_policy(folder / "rules")
    guesses = sum(int(row["tried"]) for name, row in caught.items() if name != "held-back")
    sizes = (
        f"{len(caught) - 1} rule files made {guesses:,} guesses, {int(caught['held-back']['tried']):,}"
        " passwords were held back, and"
        f" {sum(tried for _, _, tried in kinds):,} strong passwords of {len(kinds)} kinds were generated."
    )
    text = [
        *textwrap.wrap(sizes, 100),
        "",
        line(["rule", *FIRST, "mean of all files", "held back", "strong passwords"]),
        "| --- | ---: | ---: | ---: | ---: | --- |",
    ]
    whole = [*by_sets(shares_of(caught)), strong(kinds)]
    text.append(line([f"**{cell}**" for cell in ["the whole policy", *whole]]))
    text.append(of_exact_filter(folder))
    by_rule = {}
    for row in rows(folder / "rules" / "rules.csv"):
        by_rule.setdefault(row["rule"], []).append(row)
    text += [of_rule(rule, changes) for rule, changes in by_rule.items()]
    return [*text, "", *sets_table(caught)]


def sets_table(caught):
    """What the whole policy rejects of each set."""
    head = [line(["the whole policy", "tried", "rejected, %"]), "| --- | ---: | ---: |"]
    sets = [(name, int(row["tried"]), float(row["share"])) for name, row in caught.items()]
    return head + [line([name, f"{tried:,}", percent(share)]) for name, tried, share in sets]


def of_rule(rule, changes):
    """The row of a rule that was switched."""
    key, _, value = rule.partition(" ")
    label = RULES.get(rule, f'`{key} = "{value}"`' if value else f"`{key}`")
    if any(row["policy"] == "with" for row in changes):
        label = f"off by default: {label}"
    shares = {set_name(row["of"]): float(row["share"]) for row in changes if row["generated"] == "no"}
    generated = [row for row in changes if row["generated"] == "yes"]
    kinds = [(row["of"], int(row["rejected_more"]), int(row["tried"])) for row in generated]
    return line([label, *by_sets(shares), strong(kinds)])


def formats_table(folder):
    """What is rejected of each family of formats, and the formats of which too much is."""
    text = [
        line(["family", "formats", "of 33 bits or more", "of these, above 0.1 %", "none rejected"]),
        "| --- | ---: | ---: | ---: | ---: |",
    ]
    formats = rows(folder / "false-rejections.csv")
    strong_ones = [row for row in formats if float(row["bits"]) >= FEW_BITS]
    above = [row for row in strong_ones if float(row["share"]) > GOAL]
    families = list(dict.fromkeys(row["family"] for row in formats))
    for family in [*families, None]:
        part = [
            [row for row in some if family in (None, row["family"])] for some in (formats, strong_ones, above)
        ]
        none = [row for row in part[0] if row["rejected"] == "0"]
        cells = [family or "**all**", *(str(len(some)) for some in part), str(len(none))]
        text.append(line(cells))
    text += [
        "",
        "The formats above 0.1 %:",
        "",
        line(["format", "bits", "rejected, %", "by"]),
        "| --- | ---: | ---: | --- |",
    ]
    for row in sorted(above, key=lambda row: -float(row["share"])):
        reasons = [reason.rpartition(":") for reason in row["reasons"].split()]
        most = sorted(reasons, key=lambda reason: -int(reason[2]))[:2]
        by = ", ".join(reason for reason, _, count in most if 4 * int(count) >= int(row["rejected"]))
        text.append(line([row["kind"], row["bits"], percent(float(row["share"]), 2), by]))
    return text


def beside_table(folder):
    """What each checker rejects: of guesses and passwords held back, and of strong passwords."""
    shares = {}
    for row in rows(folder / "catch.csv"):
        name = set_name(row["set"])
        if row["part"] == "all":
            label = "ranked passwords held back" if name == "held-back" else f"guesses: {name}"
            shares.setdefault(label, {})[row["checker"]] = percent(float(row["share"]))
    for row in rows(folder / "false-rejections.csv"):
        kind = row["kind"].rpartition(": ")[2]
        if kind in GOOD:
            label = f"**good**: {GOOD[kind]}"
            shares.setdefault(label, {})[row["checker"]] = percent(float(row["share"]))
    checkers = list(next(iter(shares.values())))
    head = [line(["set", *checkers]), line(["---", *("---:" for _ in checkers)])]
    return head + [line([label, *(of[checker] for checker in checkers)]) for label, of in shares.items()]


def put(page, name, block):
    """Puts a table between its markers in a page."""
    begin, end = f"<!-- {name}: written by make bench -->", f"<!-- end of {name} -->"
    before, found, rest = page.read_text(encoding="utf-8").partition(begin)
    _, ended, after = rest.partition(end)
    if not (found and ended):
        sys.exit(f"catch.py: {page} has no place for {name}")
    page.write_text(f"{before}{begin}\n\n{block}\n\n{end}{after}", encoding="utf-8")


def main(folder, commit, *options):
    folder = Path(folder)
    for page, name, text in [
        ("measured.md", "rules", rules_table(folder)),
        ("measured.md", "formats", formats_table(folder / "formats")),
        ("why.md", "beside", beside_table(folder / "beside")),
    ]:
        block = "\n".join([*text, "", f"Measured on commit {commit}."])
        if "--write" in options:
            put(DOCS / page, name, block)
        else:
            print(block, end="\n\n")


main(*sys.argv[1:])
