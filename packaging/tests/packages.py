"""The Debian packages under test: built in the `tools` tree, once for each state of the source.

From source as a distribution builds them, twice, in folders of different names; or, for the short test,
around the binaries cargo has already made for the other tests, on this machine's own Debian.
"""

import glob
import hashlib
import os
import re
import signal
import subprocess
import tempfile
import time

import overlays
import terminal
import trees

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(os.path.dirname(HERE))
# Git reads this source whoever owns it.
SAFE = {"GIT_CONFIG_KEY_0": "safe.directory", "GIT_CONFIG_VALUE_0": SOURCE}
# What no package depends on.
NOT_PACKAGED = (
    "packaging/tests/",
    "packaging/README.md",
    "tests/",
    "README.md",
    "SECURITY.md",
    ".ci/",
    "Makefile",
)


def source_files():
    listed = trees.run(
        "git", "-C", SOURCE, "-c", f"safe.directory={SOURCE}", "ls-files", "-z", "-co", "--exclude-standard"
    )
    files = sorted(set(listed.split("\0")) - {""})
    return [
        name for name in files if not name.startswith(NOT_PACKAGED) and os.path.isfile(f"{SOURCE}/{name}")
    ]


def digest_of_source():
    """A name for the state of everything that the packages are made of."""
    digest = hashlib.sha256(trees.run("rustc", "-vV").encode())
    for name in source_files():
        with open(f"{SOURCE}/{name}", "rb") as file:
            digest.update(f"{name}\0{hashlib.sha256(file.read()).hexdigest()}\n".encode())
    return digest.hexdigest()[:16]


class Workshop:
    """A Debian with the tools, a source, this machine's Rust toolchain and its crates, all read-only."""

    def __init__(self, below=None, scratch_parent=None, source=SOURCE):
        self.root = overlays.Overlay(below or [trees.tree("tools")]).root
        # A build's gigabytes do not belong in memory. The folder is removed by `close`.
        self.scratch = tempfile.mkdtemp(prefix="build-", dir=scratch_parent or trees.cache_folder())
        os.chmod(self.scratch, 0o755)
        terminal.mount("-t", "proc", "proc", f"{self.root}/proc")
        terminal.mount("--rbind", "/dev", f"{self.root}/dev")
        self.bind(self.scratch, "/scratch", writable=True)
        self.bind(source, "/source")
        self.bind(trees.run("rustc", "--print", "sysroot").strip(), "/opt/rust")
        self.bind(f"{cargo_home()}/registry", "/opt/cargo/registry")

    def bind(self, outside, inside, writable=False):
        target = f"{self.root}{inside}"
        os.makedirs(target, exist_ok=True)
        terminal.mount("--bind", outside, target)
        if not writable:
            terminal.mount("-o", "remount,bind,ro", target)

    def start(self, *command, **environment):
        """Starts a command in the workshop, its output in a file."""
        settings = {
            "PATH": "/opt/rust/bin:/usr/sbin:/usr/bin:/sbin:/bin",
            "HOME": "/root",
            "LC_ALL": "C.UTF-8",
            "CARGO_HOME": "/opt/cargo",
            "CARGO_NET_OFFLINE": "true",
            "CARGO_TERM_COLOR": "never",
            "NEARMISS_COMMIT": built_commit(),
            **environment,
        }
        output = tempfile.TemporaryFile(mode="w+", encoding="utf-8", errors="replace")
        process = subprocess.Popen(
            ["chroot", self.root, *command],
            env=settings,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
        return process, output

    def finish(self, started):
        process, output = started
        status = process.wait()
        output.seek(0)
        said = output.read()
        if status != 0:
            raise trees.Unavailable(f"{' '.join(process.args)} failed with {status}:\n{said[-6000:]}")
        return said

    def run(self, *command, **environment):
        return self.finish(self.start(*command, **environment))

    def close(self):
        trees.remove(self.scratch)


def built_commit():
    """The workshop has no git: the scripts get the commit that they build."""
    version = f"{SOURCE}/packaging/version.sh"
    return trees.run(version, "commit", env={**os.environ, "GIT_CONFIG_COUNT": "1", **SAFE}).strip()


def cargo_home():
    return os.environ.get("CARGO_HOME") or os.path.expanduser("~/.cargo")


def fetch_crates():
    """The workshop has no network of cargo's: what the lock file names for this platform is fetched first."""
    lines = trees.run("rustc", "-vV").splitlines()
    host = next(line.split()[1] for line in lines if line.startswith("host:"))
    trees.run("cargo", "fetch", "--locked", "--target", host, cwd=SOURCE)


class Builds:
    """Two builds of this source, or two builds of an earlier run if the source has not changed since.

    The second build goes on while the packages of the first are tested; `both` waits for it.
    """

    FOLDERS = {"first": "/scratch/a", "second": "/scratch/another-folder/deeper"}

    def __init__(self):
        self.kept = f"{trees.cache_folder()}/packages-{digest_of_source()}"
        self.workshop, self.second = None, None
        if not os.path.isdir(self.kept):
            print("    building from source, the first of two times", flush=True)
            fetch_crates()
            self.workshop = Workshop()
            try:
                self.workshop.finish(self.start("first"))
                self.second = self.start("second")
            except BaseException:
                self.close()
                raise

    def start(self, name):
        parent = self.FOLDERS[name]
        os.makedirs(f"{self.workshop.root}{parent}")
        command = ["nice", "/source/packaging/build-deb.sh", f"/scratch/{name}"]
        return self.workshop.start(*command, TMPDIR=parent, DEB_BUILD_OPTIONS="nocheck")

    def first(self):
        """A copy of the packages of the first build."""
        return copied(f"{self.workshop.scratch if self.workshop else self.kept}/first")

    def both(self):
        """Copies of the packages of both builds."""
        if self.second:
            second, self.second = self.second, None
            self.workshop.finish(second)
            forget_earlier_builds()
            keep(self.workshop, self.FOLDERS, self.kept)
            self.close()
        return [copied(f"{self.kept}/{name}") for name in self.FOLDERS]

    def close(self):
        if self.second:
            os.killpg(self.second[0].pid, signal.SIGKILL)
            self.second[0].wait()
        if self.workshop:
            self.workshop.close()
        self.workshop, self.second = None, None


def copied(folder):
    target = tempfile.mkdtemp(dir=trees.SCRATCH)
    trees.run("cp", "-r", f"{folder}/.", target)
    return target


def keep(workshop, names, target):
    os.makedirs(f"{target}.new")
    for name in names:
        trees.run("cp", "-r", f"{workshop.scratch}/{name}", f"{target}.new/")
    os.rename(f"{target}.new", target)


def forget_earlier_builds():
    """Packages of other sources, and what an interrupted test left a day ago or more."""
    left = [
        path
        for path in glob.glob(f"{trees.cache_folder()}/build-*")
        if time.time() - os.path.getmtime(path) > 86_400
    ]
    for folder in [*glob.glob(f"{trees.cache_folder()}/packages-*"), *left]:
        trees.remove(folder)


def around(workshop, binaries, profiles="pkg.nearmiss.nolab pkg.nearmiss.nofleet pkg.nearmiss.nofetch"):
    """A folder of packages that hold the binaries of this folder: `libpam_nearmiss.so` and `filterctl`;
    without the laboratory, and soon made: not compressed, without the packages of debugging symbols."""
    fetch_crates()
    workshop.bind(binaries, "/prebuilt")
    workshop.run(
        "/source/packaging/build-deb.sh",
        "/scratch/out",
        PREBUILT="/prebuilt",
        DEB_BUILD_OPTIONS="nocheck noautodbgsym",
        DPKG_DEB_COMPRESSOR_TYPE="none",
        DEB_BUILD_PROFILES=profiles,
    )
    return f"{workshop.scratch}/out"


def installable(folder):
    """The packages that are installed: without the packages of debugging symbols."""
    return sorted(path for path in glob.glob(f"{folder}/*.deb") if "-dbgsym_" not in path)


def named(folder, package):
    return next(path for path in installable(folder) if os.path.basename(path).startswith(f"{package}_"))


# Earlier than the packages under test, and of the same formats.
EARLIER = "1.0.0~1-1"


def lowered(folder, version):
    """The same packages under an earlier version."""
    older = tempfile.mkdtemp(dir=trees.SCRATCH)
    for path in installable(folder):
        current = trees.run("dpkg-deb", "-f", path, "Version").strip()
        trees.run("cp", altered(path, replaced=(current, version)), older)
    return older


def altered(path, replaced=("\0", ""), **fields):
    """A package with other fields; `replaced` changes a text wherever it is in them."""
    folder = tempfile.mkdtemp(dir=trees.SCRATCH)
    trees.run("dpkg-deb", "-R", path, f"{folder}/tree")
    control = f"{folder}/tree/DEBIAN/control"
    with open(control, encoding="utf-8") as file:
        text = file.read().replace(*replaced)
    for name, value in fields.items():
        text = re.sub(f"^{name}:.*$", f"{name}: {value}", text, flags=re.MULTILINE)
    with open(control, "w", encoding="utf-8") as file:
        file.write(text)
    name = os.path.basename(path).replace(*replaced)
    trees.run("dpkg-deb", "--root-owner-group", "-b", f"{folder}/tree", f"{folder}/{name}")
    return f"{folder}/{name}"
