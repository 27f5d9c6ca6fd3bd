"""The archive of a release, which `packaging/dist.sh` makes of the last commit."""

import glob
import os
import shutil
import subprocess
import tempfile

import overlays
import own
import packages
import terminal
import trees
from machine import check

MAX_BYTES = 60 << 20


def sums(folder):
    """The checksums that a release names, once they are found to be true."""
    compare = ["sha256sum", "--check", "--strict", "--quiet", "SHA256SUMS"]
    checked = subprocess.run(compare, cwd=folder, check=False)
    check(checked.returncode == 0, "the release's checksums hold")
    with open(f"{folder}/SHA256SUMS", encoding="utf-8") as file:
        return file.read()


def with_debhelper(folder):
    """The beginning of a command that sees this folder and debhelper, which is added in memory where this
    machine has none."""
    if shutil.which("dh"):
        return []
    root = overlays.Overlay(["/"]).root
    own.add_debhelper(root)
    terminal.mount("-t", "proc", "proc", f"{root}/proc")
    terminal.mount("--rbind", "/dev", f"{root}/dev")
    terminal.mount("--bind", folder, f"{root}{folder}")
    return ["chroot", root]


def made(folder):
    """Makes a release twice, in clones in two folders; gives the folder of its source, which is unpacked."""
    named, inside = [], with_debhelper(folder)
    for name in ["one", "another place"]:
        clone = f"{folder}/{name}"
        safe = f"safe.directory={packages.SOURCE}/.git"
        trees.run("git", "-c", safe, "clone", "--quiet", packages.SOURCE, clone)
        trees.run(*inside, f"{clone}/packaging/dist.sh", f"{clone}/out/dist")
        named.append(sums(f"{clone}/out/dist"))
    check(named[0] == named[1], "two releases of one commit are the same byte for byte")
    (archive,) = glob.glob(f"{folder}/one/out/dist/nearmiss-*.tar.xz")
    check(os.path.getsize(archive) < MAX_BYTES, f"its archive has {os.path.getsize(archive)} bytes")
    trees.run("tar", "-C", folder, "-xf", archive)
    (source,) = glob.glob(f"{folder}/nearmiss-*")
    return source


def built_alone():
    """Module, tool and laboratory from the archive of a release, in a Debian 13 with its own cargo and rustc,
    without any crate of this machine; the agent's client of its servers needs a newer compiler."""
    below = [trees.tree("trixie-rust")]
    with tempfile.TemporaryDirectory(dir=trees.cache_folder()) as folder:
        workshop = packages.Workshop(below, source=made(folder))
        try:
            settings = {
                "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
                "CARGO_HOME": "/scratch/cargo",
                "CARGO_TARGET_DIR": "/scratch/target",
            }
            version = workshop.run("rustc", "--version", **settings).strip()
            build = "cargo build --release --locked --quiet -p pam-nearmiss -p filterctl -p filterlab"
            workshop.run("sh", "-c", f"cd /source && nice {build}", **settings)
            shown = workshop.run("/scratch/target/release/filterctl", "--version", **settings).strip()
            promise = f"{version} builds {shown} and the module without a network"
            check(shown.startswith("filterctl "), promise)
        finally:
            workshop.close()
