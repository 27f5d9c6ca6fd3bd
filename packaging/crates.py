#!/usr/bin/env python3
"""crates.py [--check]: writes docs/crates.md, the table of the crates that run with rights, from Cargo.lock,
the crates' sources and packaging/crates.toml, which has what a reader found; with --check, says whether the
table is what they ask for.

Each crate that is linked into the PAM module has an entry of exactly its version in packaging/crates.toml.
The counts are of the crates' own archives, so cargo has to have fetched them.
"""

import json
import os
import re
import sys
import textwrap
import tomllib

from made import write_or_check
from sbom import ROOT, command_output, linked

FILE = os.path.join(ROOT, "docs", "crates.md")
READINGS = os.path.join(ROOT, "packaging", "crates.toml")
# The programs and their short names in the table; the module is the first.
PROGRAMS = {
    "pam-nearmiss": "module",
    "nearmiss-capi": "libnearmiss",
    "nearmiss-agent": "agent",
    "filterctl": "filterctl",
    "nearmiss-fetch": "fetch",
}
MODULE = "module"
# One platform for all readers of the table: the same lock file gives the same bytes on each machine.
PLATFORM = "x86_64-unknown-linux-gnu"

# What is no code: comments (those in blocks to one level of nesting), strings, characters.
NO_CODE = re.compile(
    r"//[^\n]*"
    r"|/\*(?:[^*/]|\*(?!/)|/(?!\*)|/\*.*?\*/)*\*/"
    r'|\bb?c?r(?P<hashes>#*)".*?"(?P=hashes)'
    r'|b?c?"(?:[^"\\]|\\.)*"'
    r"|b?'(?:[^'\\\n]|\\(?:x..|u\{[^}]*\}|.))'",
    re.DOTALL,
)
TEST_MODULE = re.compile(r"#\[cfg\((?:all\()?test\b[^\]]*\]\s*(?:#\[[^\]]*\]\s*)*(?:pub\s+)?mod\s+\w+\s*\{")
TEST_FILE = re.compile(r"(^|/)(tests?|benches|examples)(/|\.rs$)")
UNSAFE = {
    "blocks": re.compile(r"\bunsafe\s*\{"),
    "functions": re.compile(r'\bunsafe\s+(?:extern\s*(?:"")?\s*)?fn\s+\w'),
    "impls": re.compile(r"\bunsafe\s+impl\b"),
}
TOUCHES = {
    "files": re.compile(r"\bfs::|\bFile::|\bOpenOptions\b|\b(?:openat?|unlinkat?|renameat?)\s*\("),
    "processes": re.compile(r"\bprocess::Command\b|\bCommand::new\b|\b(?:fork|execve|posix_spawn)\s*\("),
    "environment": re.compile(r"\benv::(?:vars?|vars?_os|set_var|temp_dir)\b|\b(?:secure_)?getenv\s*\("),
    "network": re.compile(r"\bnet::|\b(?:Tcp|Udp|Unix)(?:Stream|Listener|Socket|Datagram)\b|\bsocket\s*\("),
}
HEAD = """\
# Crates that run with rights

`packaging/crates.py` makes this page of `Cargo.lock`, the crates' sources and
`packaging/crates.toml`; a test fails where they differ. A new version of a crate of the module
fails it until somebody read it, wrote in `packaging/crates.toml` what was read and found, and ran
the script.

How it counts:

* Lines are lines of Rust with code, under `src/`, for all platforms and features: what is compiled
  is less. `unsafe` is counted as blocks + functions + impls.
* A simple tokenizer takes out comments, strings and `#[cfg(test)]` modules, and leaves out files
  named as tests. It knows no other `cfg`, and counts the text of a macro once.
* "Touches" is a search for names: files, processes, environment, network. A word there says that
  the source has such a call, not that nearmiss reaches it.
* "Build script" says that the crate runs code when it is compiled.
* The platform is x86-64 Linux with glibc.
"""


def counted_files(top):
    """The Rust sources of a crate's library."""
    source = os.path.join(top, "src")
    for folder, folders, files in os.walk(source):
        folders.sort()
        for name in sorted(files):
            path = os.path.join(folder, name)
            if name.endswith(".rs") and not TEST_FILE.search(os.path.relpath(path, source)):
                yield path


def code_of(path):
    """A source's text without comments, the contents of strings, and modules of tests."""
    with open(path, encoding="utf-8", errors="replace") as file:
        text = NO_CODE.sub(lambda found: '""' if found[0].endswith(('"', "#")) else " ", file.read())
    while module := TEST_MODULE.search(text):
        text = text[: module.start()] + text[end_of_block(text, module.end()) :]
    return text


def end_of_block(text, position):
    """The place behind the brace that closes a block which is open at `position`."""
    depth = 1
    for brace in re.compile(r"[{}]").finditer(text, position):
        depth += 1 if brace[0] == "{" else -1
        if depth == 0:
            return brace.end()
    return len(text)


def counts(crate):
    """Lines, unsafe and what is touched of a crate, as cells of the table."""
    lines, unsafe, touched = 0, dict.fromkeys(UNSAFE, 0), set()
    for path in counted_files(os.path.dirname(crate["manifest_path"])):
        code = code_of(path)
        lines += sum(1 for line in code.splitlines() if line.strip())
        for name, pattern in UNSAFE.items():
            unsafe[name] += len(pattern.findall(code))
        touched |= {name for name, pattern in TOUCHES.items() if pattern.search(code)}
    has_script = any("custom-build" in target["kind"] for target in crate["targets"])
    shown = ", ".join(name for name in TOUCHES if name in touched)
    return [str(lines), " + ".join(map(str, unsafe.values())), "yes" if has_script else "no", shown or "–"]


def users():
    """Name and version of each crate of a registry, and the programs that it is linked into."""
    found, own = {}, own_crates()
    for root, program in PROGRAMS.items():
        for crate in linked(root, PLATFORM):
            if crate[0] not in own:
                found.setdefault(crate, []).append(program)
    return found


def metadata(*arguments):
    return json.loads(command_output("cargo", "metadata", "--locked", "--format-version", "1", *arguments))


def own_crates():
    return {crate["name"] for crate in metadata("--no-deps")["packages"]}


def only_at_build():
    """Crates whose code runs when the module is compiled, and is not linked: macros, helpers of scripts."""
    edges = ["--edges", "normal,build", "--prefix", "none", "--no-dedupe", "--format", "{p}"]
    root = next(root for root, program in PROGRAMS.items() if program == MODULE)
    text = command_output("cargo", "tree", "--locked", "--package", root, "--target", PLATFORM, *edges)
    needed = {tuple(line.split()[:2]) for line in text.splitlines() if line and "(/" not in line}
    built = {(name, version.removeprefix("v")) for name, version in needed}
    return sorted(built - set(linked(root, PLATFORM)))


def readings(in_module):
    """What readers found, by crate and version; refuses a crate of the module that has no entry of exactly
    its version, and an entry without a crate."""
    with open(READINGS, "rb") as file:
        entries = {(entry["crate"], entry["version"]): entry for entry in tomllib.load(file)["crates"]}
    missing, left = sorted(in_module - set(entries)), sorted(set(entries) - in_module)
    faults = [f"{' '.join(crate)} is linked into the module and is not read" for crate in missing]
    faults += [f"{' '.join(crate)} is not linked into the module" for crate in left]
    if faults:
        sys.exit("\n".join(f"crates.py: packaging/crates.toml: {fault}" for fault in faults))
    return entries


def finding(entry):
    text = f"* **{entry['crate']} {entry['version']}**: {' '.join(entry['finding'].split())}"
    return textwrap.fill(text, 100, subsequent_indent="  ", break_on_hyphens=False) + "\n"


def table(columns, rows):
    ruler = ["---"] * len(columns)
    return "\n".join("| " + " | ".join(cells) + " |" for cells in [columns, ruler, *rows]) + "\n"


def page():
    """The whole page."""
    found = users()
    in_module = {crate for crate, programs in found.items() if MODULE in programs}
    entries = readings(in_module)
    known = {(crate["name"], crate["version"]): crate for crate in metadata()["packages"]}
    columns = ["crate", "version", "linked into", "lines", "`unsafe`", "build script", "touches"]
    cells = {crate: [*crate, ", ".join(found[crate]), *counts(known[crate])] for crate in sorted(found)}
    read = [[*cells[crate], entries[crate]["read"]] for crate in sorted(in_module)]
    others = [[*cells[crate], "counted, not read"] for crate in cells if crate not in in_module]
    findings = "".join(finding(entries[crate]) for crate in sorted(in_module))
    at_build = ", ".join(" ".join(crate) for crate in only_at_build()) or "none"
    return "\n".join(
        [
            HEAD,
            f"## Crates of the module: {len(in_module)}\n",
            table([*columns, "read"], read),
            f"Crates that run when the module is compiled, and are not linked: {at_build}.\n",
            "What was found:\n",
            findings,
            f"## Crates that the other programs add: {len(others)}\n",
            "The agent and filterctl may run as root; nearmiss-fetch (\"fetch\") runs without rights.\n",
            table([*columns, "read"], others),
        ]
    ).rstrip("\n") + "\n"


def main():
    fault = "docs/crates.md is not what Cargo.lock and packaging/crates.toml ask for"
    write_or_check(FILE, page(), f"crates.py: {fault}; make it again: packaging/crates.py")


if __name__ == "__main__":
    main()
