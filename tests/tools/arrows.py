#!/usr/bin/env python3
"""Fails on a circle of imports between the modules of `filters`, at any level of its folders, and on an
import that goes up in the list of modules in lib.rs ("# Modules, from top to bottom").

A module's own file and its folder are told apart; what a module re-exports counts as where it is defined;
tests do not count.
"""

import re
import sys
from collections import defaultdict
from pathlib import Path

SOURCES = Path(__file__).resolve().parents[2] / "filters/src"


def modules():
    """Module paths as tuples, with the code of each that is neither comment nor test."""
    code = {}
    for file in sorted(SOURCES.rglob("*.rs")):
        *folders, name = file.relative_to(SOURCES).with_suffix("").parts
        text = re.sub(r"pub\([^)]*\)", "pub", re.sub(r"//.*", "", file.read_text()))
        text = re.sub(r"#\[cfg\(test\)\]\n(?:mod \w+ \{.*?\n\}\n|[^{;]*;)", "", text, flags=re.S)
        if name != "tests":
            code[() if not folders and name == "lib" else (*folders, name)] = text
    return code


def leaves(tree, before=()):
    """The paths in a `use` tree, each with the name it ends in."""
    head, brace, rest = tree.strip().partition("{")
    steps = before + tuple(
        step for step in head.split(" as ")[0].strip().split("::") if step.strip() not in ("", "self")
    )
    if head.strip().startswith("self") and not before:
        steps = ("self", *steps)
    if not brace:
        return [steps]
    parts, depth, start = [], 0, 0
    rest = rest.rstrip().removesuffix("}")
    for at, character in enumerate(rest + ","):
        depth += {"{": 1, "}": -1}.get(character, 0)
        if character == "," and depth == 0:
            parts.append(rest[start:at])
            start = at + 1
    return [leaf for part in parts if part.strip() for leaf in leaves(part, steps)]


def absolute(module, steps, code):
    """The path from the crate's root; none for another crate's."""
    first, *rest = steps
    if first == "crate":
        return tuple(rest)
    if first in ("self", "super"):
        base = module
        while steps and steps[0] in ("self", "super"):
            base = base[:-1] if steps[0] == "super" else base
            steps = steps[1:]
        return base + tuple(steps)
    return module + steps if module + (first,) in code else None


def imports(module, text, code):
    """Pairs of what is imported or named, and whether it is only re-exported."""
    uses = re.findall(r"^\s*(pub\s+)?use\s+([^;]+);", text, flags=re.M)
    for public, tree in uses:
        for steps in leaves(tree):
            yield absolute(module, steps, code), bool(public)
    children = "|".join(child[-1] for child in code if child and child[:-1] == module)
    named = rf"(?<!:)\b(?:crate|super|self{'|' + children if children else ''})(?:::\w+)+"
    for path in re.findall(named, re.sub(r"\buse\s+[^;]+;", "", text)):
        yield absolute(module, tuple(path.split("::")), code), False


def arrows(code):
    """For each module the modules it imports from."""
    found = {
        module: [one for one in imports(module, text, code) if one[0]] for module, text in code.items()
    }
    exported = {
        module + (path[-1],): path for module, all in found.items() for path, public in all if public
    }

    def home(path):
        while path in exported and exported[path] != path:
            path = exported[path]
        while path not in code:
            path = path[:-1]
        return path

    return {
        module: {
            home(path)
            for path, public in all
            if not (public and path[: len(module)] == module) and home(path) not in (module, ())
        }
        for module, all in found.items()
    }


def circle(graph):
    """The nodes of one circle in a graph, if there is one."""
    left = dict(graph)
    while free := [node for node in left if not left[node] & left.keys()]:
        for node in free:
            del left[node]
    at, seen = next(iter(left), None), []
    while at is not None and at not in seen:
        seen.append(at)
        at = min(left[at] & left.keys())
    return seen[seen.index(at) :] + [at] if at is not None else []


def levels(graph):
    """For every folder the graph of what lies in it, a module with all below it being one node."""
    for folder in {module[:-1] for module in graph}:
        depth = len(folder)
        inside = defaultdict(set)
        for module, targets in graph.items():
            if module[:depth] == folder:
                node = module[: depth + 1]
                nodes = {target[: depth + 1] for target in targets if target[:depth] == folder}
                inside[node] |= nodes - {node}
        yield inside


def floors():
    """The line of each module in lib.rs's list, counted from the top."""
    _, _, rest = (SOURCES / "lib.rs").read_text().partition("//! # Modules, from top to bottom\n")
    listed = re.findall(r"^//! \* (.*?):", rest.partition("//! # ")[0], flags=re.M)
    return {
        name: floor for floor, line in enumerate(listed) for name in re.findall(r"`(?:mod@)?(\w+)`", line)
    }


def main():
    code = modules()
    graph = arrows(code)
    problems = []
    for found in [circle(graph), *map(circle, levels(graph))]:
        if found:
            problems.append("a circle: " + " -> ".join("/".join(node) for node in found))
    floor = floors()
    problems += [
        f"lib.rs does not list `{module[0]}`" for module in graph if module and module[0] not in floor
    ]
    for module, targets in graph.items():
        for target in targets:
            if module and floor.get(target[0], 0) < floor.get(module[0], 0):
                problems.append(f"an arrow up: {'/'.join(module)} -> {'/'.join(target)}")
    print("\n".join(dict.fromkeys(problems)) or f"{len(graph)} modules, no circle, no arrow up")
    return 1 if problems else 0


if __name__ == "__main__":
    if "--graph" in sys.argv:
        for module, targets in arrows(modules()).items():
            print("/".join(module), "->", " ".join("/".join(target) for target in sorted(targets)))
    sys.exit(main())
