#!/usr/bin/env python3
"""vendor.py TREE: put the crates that a build on Linux needs into TREE/vendor, and name them in
TREE/.cargo/config.toml, so that cargo builds TREE without a network.

The lock file names crates of other systems too, which cargo wants to see and never compiles on Linux: of them
the manifests are kept, and each source that a manifest names is an empty file.
"""

import json
import os
import shutil
import subprocess
import sys
import tomllib

# A crate that any of these needs is kept whole.
TARGETS = [
    f"{machine}-unknown-linux-{library}"
    for machine, library in [
        ("x86_64", "gnu"),
        ("x86_64", "musl"),
        ("aarch64", "gnu"),
        ("aarch64", "musl"),
        ("armv7", "gnueabihf"),
        ("riscv64gc", "gnu"),
        ("powerpc64le", "gnu"),
        ("s390x", "gnu"),
    ]
]


def cargo(tree, *arguments):
    command = ["cargo", *arguments, "--locked"]
    return subprocess.run(command, check=True, cwd=tree, stdout=subprocess.PIPE, text=True).stdout


def needed(tree):
    """The names and versions of the crates that are built for Linux."""
    found = set()
    for target in TARGETS:
        known = json.loads(cargo(tree, "metadata", "--format-version=1", f"--filter-platform={target}"))
        used = {node["id"] for node in known["resolve"]["nodes"]}
        packages = [package for package in known["packages"] if package["id"] in used]
        found |= {(package["name"], package["version"]) for package in packages}
    return found


def sources(manifest):
    """The paths of all sources that cargo looks for because a manifest names them."""
    yield "src/lib.rs"
    build = manifest["package"].get("build")
    if isinstance(build, str):
        yield build
    targets = [manifest.get("lib", {})]
    for kind in ["bin", "example", "test", "bench"]:
        targets += manifest.get(kind, [])
    yield from (target["path"] for target in targets if "path" in target)


def empty(folder):
    """Leave the manifest of a crate, and empty files for the sources that it names."""
    with open(os.path.join(folder, "Cargo.toml"), "rb") as file:
        text = file.read()
    with open(os.path.join(folder, ".cargo-checksum.json"), encoding="utf-8") as file:
        package = json.load(file)["package"]
    shutil.rmtree(folder)
    os.mkdir(folder)
    with open(os.path.join(folder, "Cargo.toml"), "wb") as file:
        file.write(text)
    for path in sources(tomllib.loads(text.decode())):
        place = os.path.join(folder, path)
        os.makedirs(os.path.dirname(place), exist_ok=True)
        with open(place, "wb"):
            pass
    with open(os.path.join(folder, ".cargo-checksum.json"), "w", encoding="utf-8") as file:
        json.dump({"files": {}, "package": package}, file)


def main():
    tree = sys.argv[1]
    kept = needed(tree)
    # Some releases of cargo print no configuration with --quiet.
    config = cargo(tree, "vendor", "--versioned-dirs", "vendor")
    if "replace-with" not in config:
        sys.exit("vendor.py: cargo vendor printed no configuration: the tree would ask the registry")
    os.makedirs(os.path.join(tree, ".cargo"), exist_ok=True)
    with open(os.path.join(tree, ".cargo", "config.toml"), "w", encoding="utf-8") as file:
        file.write("# The crates of this archive; without this file cargo asks the registry.\n" + config)
    vendor = os.path.join(tree, "vendor")
    for name in os.listdir(vendor):
        with open(os.path.join(vendor, name, "Cargo.toml"), "rb") as file:
            package = tomllib.load(file)["package"]
        if (package["name"], package["version"]) not in kept:
            empty(os.path.join(vendor, name))


if __name__ == "__main__":
    main()
