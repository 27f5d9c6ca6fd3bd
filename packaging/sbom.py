#!/usr/bin/env python3
"""sbom.py PACKAGE: the software bill of materials of one of the workspace's binaries, as CycloneDX 1.5 on
stdout.

It lists the crates that are linked into the binary when both are built in one go, as the packages are: what
cargo resolves for this platform by normal dependencies, no build scripts, macros or tests. The same lock file
gives the same bytes: there is no clock and no serial number in it.
"""

import json
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# What is built in one go: cargo gives a crate the features that any of them asks for. The laboratory is
# built apart, so that nothing of it is in the other two, and so are the agent, what fetches, and what servers
# load.
PLUGINS = ["capi", "cracklib", "mit-krb5", "mariadb", "openldap", "postgresql"]
SERVERS = [f"nearmiss-{name}" for name in PLUGINS]
BUILT = [["pam-nearmiss", "filterctl"], ["filterlab"], ["nearmiss-agent"], ["nearmiss-fetch"], SERVERS]


def command_output(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd=ROOT).stdout


def host():
    lines = command_output("rustc", "-vV").splitlines()
    return next(line.split()[1] for line in lines if line.startswith("host:"))


def trees(root):
    """Depth, crate and licence, line by line, of what is built together with `root` for this machine; a tree
    begins at depth 0."""
    together = next(names for names in BUILT if root in names)
    selected = [argument for name in together for argument in ["--package", name]]
    text = command_output(
        "cargo",
        "tree",
        "--locked",
        *selected,
        "--edges",
        "normal,no-proc-macro",
        "--target",
        host(),
        "--no-dedupe",
        "--prefix",
        "depth",
        "--format",
        "|{p}|{l}",
    )
    for line in text.splitlines():
        if line:
            depth, package, licence = line.split("|")
            name, version = package.split()[:2]
            yield int(depth), (name, version.removeprefix("v")), licence


def linked(root):
    """The crates that are linked into `root`, itself included: licence and dependencies of each."""
    found, above, is_inside = {}, [], False
    for depth, crate, licence in trees(root):
        if depth == 0:
            is_inside = crate[0] == root
        if is_inside:
            found.setdefault(crate, (licence, set()))
            above[depth:] = [crate]
            if depth > 0:
                found[above[depth - 1]][1].add(crate)
    return found


def reference(crate):
    name, version = crate
    return f"pkg:cargo/{name}@{version}"


def component(crate, licence, checksums):
    name, version = crate
    entry = {
        "type": "library",
        "bom-ref": reference(crate),
        "name": name,
        "version": version,
        "purl": reference(crate),
    }
    if licence:
        entry["licenses"] = [{"expression": re.sub(r" */ *", " OR ", licence)}]
    if crate in checksums:
        entry["hashes"] = [{"alg": "SHA-256", "content": checksums[crate]}]
    return entry


def lock_checksums():
    """Name and version of each locked crate, and the SHA-256 of its archive."""
    checksums, entry = {}, {}
    with open(os.path.join(ROOT, "Cargo.lock"), encoding="utf-8") as lock:
        for line in lock:
            key, _, value = line.strip().partition(" = ")
            if key == "[[package]]":
                entry = {}
            elif value:
                entry[key] = value.strip('"')
            if key == "checksum":
                checksums[entry["name"], entry["version"]] = entry["checksum"]
    return checksums


def bill(name):
    found, checksums = linked(name), lock_checksums()
    root = next(crate for crate in found if crate[0] == name)
    components = {
        crate: component(crate, licence, checksums) for crate, (licence, _) in sorted(found.items())
    }
    dependencies = [
        {
            "ref": reference(crate),
            "dependsOn": sorted(reference(dependency) for dependency in found[crate][1]),
        }
        for crate in components
    ]
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": {**components.pop(root), "type": "application"}},
        "components": list(components.values()),
        "dependencies": dependencies,
    }


def main():
    json.dump(bill(sys.argv[1]), sys.stdout, indent=1, sort_keys=True)
    print()


if __name__ == "__main__":
    main()
