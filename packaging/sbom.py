#!/usr/bin/env python3
"""sbom.py PACKAGE: the software bill of materials of one of the workspace's binaries, as CycloneDX 1.5 on stdout.

It lists the crates that are linked into the binary: what cargo resolves for this platform by normal dependencies, no
build scripts, macros or tests. The same lock file gives the same bytes: there is no clock and no serial number in it.
"""
import json
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def command_output(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd=ROOT).stdout


def metadata():
    lines = command_output("rustc", "-vV").splitlines()
    host = next(line.split()[1] for line in lines if line.startswith("host:"))
    return json.loads(command_output("cargo", "metadata", "--locked", "--format-version", "1", "--filter-platform", host))


def is_macro(package):
    return any("proc-macro" in target["kind"] for target in package["targets"])


def linked_dependencies(node, packages):
    """The crates that end in the binary with this one."""
    normal = [dep["pkg"] for dep in node["deps"] if any(kind["kind"] is None for kind in dep["dep_kinds"])]
    return [identity for identity in normal if not is_macro(packages[identity])]


def linked(root, nodes, packages):
    """Everything that is linked into `root`, itself included."""
    found, waiting = set(), [root]
    while waiting:
        identity = waiting.pop()
        if identity not in found:
            found.add(identity)
            waiting.extend(linked_dependencies(nodes[identity], packages))
    return found


def reference(package):
    return f"pkg:cargo/{package['name']}@{package['version']}"


def component(package, checksums):
    entry = {"type": "library", "bom-ref": reference(package), "name": package["name"], "version": package["version"],
             "purl": reference(package)}
    if package["license"]:
        entry["licenses"] = [{"expression": package["license"].replace("/", " OR ")}]
    checksum = checksums.get((package["name"], package["version"]))
    if checksum:
        entry["hashes"] = [{"alg": "SHA-256", "content": checksum}]
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
    data = metadata()
    packages = {package["id"]: package for package in data["packages"]}
    nodes = {node["id"]: node for node in data["resolve"]["nodes"]}
    root = next(package for package in data["packages"] if package["name"] == name and package["source"] is None)
    found = sorted(linked(root["id"], nodes, packages), key=lambda identity: reference(packages[identity]))
    checksums = lock_checksums()
    dependencies = [{"ref": reference(packages[identity]),
                     "dependsOn": sorted(reference(packages[dep]) for dep in linked_dependencies(nodes[identity], packages))}
                    for identity in found]
    return {"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
            "metadata": {"component": {**component(root, checksums), "type": "application"}},
            "components": [component(packages[identity], checksums) for identity in found if identity != root["id"]],
            "dependencies": dependencies}


def main():
    json.dump(bill(sys.argv[1]), sys.stdout, indent=1, sort_keys=True)
    print()


main()
