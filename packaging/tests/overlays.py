"""Roots that begin as other folders and keep their changes in memory; what these changes are.

Only for use inside a mount namespace of its own (`private.sh`): what is mounted here vanishes with it.
"""

import hashlib
import os
import stat
import subprocess
import tempfile

import trees


class Overlay:
    """A root over folders that are never written to, the uppermost first."""

    def __init__(self, below):
        if not os.path.ismount(trees.SCRATCH):
            raise trees.Unavailable(f"{trees.SCRATCH} is not in memory: run this by private.sh")
        folder = tempfile.mkdtemp(dir=trees.SCRATCH)
        self.root, self.upper = f"{folder}/root", f"{folder}/upper"
        for name in ["root", "upper", "work", "below"]:
            os.mkdir(f"{folder}/{name}", 0o755)
        lower = f"lowerdir={':'.join(below)}"
        mount_overlay(f"{lower},upperdir={self.upper},workdir={folder}/work", self.root)
        self.view_below = below[0]
        if len(below) > 1:
            self.view_below = f"{folder}/below"
            mount_overlay(f"ro,{lower}", self.view_below)

    def changed(self, tops):
        """Names under these folders that may differ from what lies below: all that were touched."""
        found = set()
        for top in tops:
            for folder, names, files in os.walk(f"{self.upper}/{top}"):
                relative = os.path.relpath(folder, self.upper)
                found.update(os.path.join(relative, name) for name in [*names, *files])
                if is_opaque(folder):
                    found.update(names_under(self.view_below, relative))
        return found

    def describe(self, name):
        return describe(f"{self.root}/{name}")

    def describe_below(self, name):
        return describe(f"{self.view_below}/{name}")


def mount_overlay(options, target):
    done = subprocess.run(
        ["mount", "-t", "overlay", "-o", options, "none", target],
        check=False,
        capture_output=True,
        text=True,
    )
    if done.returncode != 0:
        raise trees.Unavailable(f"no overlay can be mounted: {done.stderr.strip()}")


def is_opaque(folder):
    """A folder that was removed and made again: what lies below it does not show through."""
    try:
        return os.getxattr(folder, "trusted.overlay.opaque") == b"y"
    except OSError:
        return False


def names_under(root, relative):
    for folder, names, files in os.walk(f"{root}/{relative}"):
        for name in [*names, *files]:
            yield os.path.relpath(os.path.join(folder, name), root)


def describe(path):
    """Kind, mode, owner and content."""
    try:
        status = os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return "absent"
    facts = f"{stat.filemode(status.st_mode)} {status.st_uid}:{status.st_gid}"
    if stat.S_ISLNK(status.st_mode):
        return f"{facts} -> {os.readlink(path)}"
    if stat.S_ISREG(status.st_mode):
        with open(path, "rb") as file:
            return f"{facts} {hashlib.sha256(file.read()).hexdigest()}"
    return facts
