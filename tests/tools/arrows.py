#!/usr/bin/env python3
"""Fails on a circle of imports between the modules of a crate, at any level of its folders, and on an import
that goes up in the list of modules of a lib.rs that has one ("# Modules, from top to bottom").

    arrows.py [--graph] [CRATE...]

reads these folders, or every crate of the workspace, and prints with --graph what each module imports.

A module's own file and its folder are two; what a module re-exports counts as where it is defined; tests do
not count. In a crate without such a list, a module may use what the file of the folder around it defines.
"""

import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

WORKSPACE = Path(__file__).resolve().parents[2]
ROOTS = ("lib", "main")
# The declaration of a module that tests alone have.
OF_TESTS = r"^#\[cfg\(test\)\]\n(?:pub(?:\([^)]*\))? )?mod (\w+);"


def crates():
    """The folder of each crate that git knows here."""
    listed = subprocess.run(
        ["git", "ls-files", "--", "*Cargo.toml"], cwd=WORKSPACE, check=True, capture_output=True, text=True
    )
    folders = [(WORKSPACE / line).parent for line in listed.stdout.splitlines()]
    return [folder for folder in folders if (folder / "src").is_dir()]


def modules(sources):
    """Module paths as tuples, with the code of each that is neither comment nor test."""
    code, of_tests = {}, set()
    for file in sorted(sources.rglob("*.rs")):
        *folders, name = file.relative_to(sources).with_suffix("").parts
        module = () if not folders and name in ROOTS else (*folders, name)
        own = re.findall(OF_TESTS, file.read_text(), flags=re.M)
        of_tests |= {(*module, child) for child in own}
        text = re.sub(r"pub\([^)]*\)", "pub", re.sub(r"//.*", "", file.read_text()))
        text = re.sub(r"#\[cfg\(test\)\]\n(?:mod \w+ \{.*?\n\}\n|[^{;]*;)", "", text, flags=re.S)
        code[module] = code.get(module, "") + text
    is_of_tests = lambda module: any(module[:depth] in of_tests for depth in range(1, len(module) + 1))
    return {module: text for module, text in code.items() if not is_of_tests(module)}


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


def floors(sources):
    """The line of each module in lib.rs's list, counted from the top; nothing where it has none."""
    root = sources / "lib.rs"
    text = root.read_text() if root.exists() else ""
    _, _, rest = text.partition("//! # Modules, from top to bottom\n")
    listed = re.findall(r"^//! \* (.*?):", rest.partition("//! # ")[0], flags=re.M)
    return {
        name: floor for floor, line in enumerate(listed) for name in re.findall(r"`(?:mod@)?(\w+)`", line)
    }


def problems(sources):
    """What is wrong in a crate, and the number of its modules."""
    code = modules(sources)
    graph = arrows(code)
    floor = floors(sources)
    if not floor:
        graph = {module: {one for one in all if module[: len(one)] != one} for module, all in graph.items()}
    found = []
    for nodes in [circle(graph), *map(circle, levels(graph))]:
        if nodes:
            found.append("a circle: " + " -> ".join("/".join(node) for node in nodes))
    if floor:
        missing = (module[0] for module in graph if module and module[0] not in floor)
        found += [f"lib.rs does not list `{name}`" for name in missing]
    for module, targets in graph.items():
        for target in targets:
            if module and floor.get(target[0], 0) < floor.get(module[0], 0):
                found.append(f"an arrow up: {'/'.join(module)} -> {'/'.join(target)}")
    return list(dict.fromkeys(found)), len(graph)


def main(folders):
    failed, total = False, 0
    for folder in folders:
        found, count = problems(folder / "src")
        total += count
        for problem in found:
            failed = True
            print(f"{folder.relative_to(WORKSPACE)}: {problem}")
    if not failed:
        print(f"{len(folders)} crates, {total} modules, no circle, no arrow up")
    return 1 if failed else 0


def print_graph(folder):
    for module, targets in arrows(modules(folder / "src")).items():
        print("/".join(module), "->", " ".join("/".join(target) for target in sorted(targets)))


if __name__ == "__main__":
    named = [Path(name).resolve() for name in sys.argv[1:] if name != "--graph"] or crates()
    if "--graph" in sys.argv:
        for crate in named:
            print_graph(crate)
    sys.exit(main(named))
