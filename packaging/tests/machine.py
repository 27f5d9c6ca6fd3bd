"""A throw-away Debian to install packages on: an overlay over a cached tree, in memory, gone with this process.

Only for use inside a mount and PID namespace of its own (`private.sh`): what is mounted here vanishes with it.
"""
import hashlib
import os
import re
import stat
import subprocess
import tempfile

import terminal
import trees

ENVIRONMENT = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "TERM": "dumb",
               "LC_ALL": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive"}
# What dpkg, debconf, ldconfig and passwd change for good on any system, whatever package came and went.
VOLATILE = re.compile(r"^(var/lib/(dpkg|apt)|var/cache/(apt|debconf|ldconfig)|var/log|etc/(shadow-?|passwd-|\.pwd\.lock|ld\.so\.cache))(/|$)")


class Failed(Exception):
    """What was promised is not so."""


def check(holds, promise):
    """A promise: told when it holds, the end when it does not."""
    if not holds:
        raise Failed(promise)
    print(f"    ok: {promise}", flush=True)


class Machine:
    """One Debian with a user `alice`, whose password is in `password`."""

    def __init__(self, layer="base"):
        self.root = overlay(trees.tree(layer))
        self.password = "Orig-0ld-pw"
        make_devices(self.root)
        self.run("useradd", "-m", "-s", "/bin/sh", "alice")
        self.run("chpasswd", text=f"alice:{self.password}\n")

    def path(self, name):
        """A path on the machine as it is seen from outside."""
        return f"{self.root}/{name.lstrip('/')}"

    def read(self, name):
        with open(self.path(name), encoding="utf-8", errors="surrogateescape") as file:
            return file.read()

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8", errors="surrogateescape") as file:
            file.write(text)

    def exists(self, name):
        return os.path.lexists(self.path(name))

    def attempt(self, *command, text=""):
        """Runs a command; gives its exit status and what it said."""
        done = subprocess.run(["chroot", self.root, *command], input=text, text=True, errors="replace", env=ENVIRONMENT,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        return done.returncode, done.stdout

    def run(self, *command, text=""):
        status, said = self.attempt(*command, text=text)
        if status != 0:
            raise Failed(f"{' '.join(command)} ends with {status}:\n{said}")
        return said

    def install(self, *packages):
        return self.run("apt-get", "install", *trees.APT_QUIET, *packages)

    def remove(self, *packages, purge=False):
        return self.run("apt-get", "purge" if purge else "remove", *trees.APT_QUIET, *packages)

    def is_installed(self, package):
        status, said = self.attempt("dpkg-query", "-W", "-f", "${db:Status-Abbrev}", package)
        return status == 0 and said.startswith("ii")

    def copy_in(self, files):
        """Copies package files in; gives their paths on the machine."""
        folder = tempfile.mkdtemp(prefix="packages-", dir=self.path("root"))
        for file in files:
            trees.run("cp", file, folder)
        return [f"/root/{os.path.basename(folder)}/{os.path.basename(file)}" for file in files]

    def stack(self, kind="password"):
        """The lines of PAM's common stack, one blank between words."""
        lines = (line.split() for line in self.read(f"etc/pam.d/common-{kind}").splitlines())
        return [" ".join(words) for words in lines if words and not words[0].startswith("#")]

    def passwd(self, *tries):
        """Alice's own `passwd`: each try, and whether it is asked for again; gives exit status and transcript."""
        steps = []
        for candidate, is_asked_again in tries:
            steps.append(["New password:", candidate])
            if is_asked_again:
                steps.append(["Retype new password:", candidate])
        return self.passwd_by(*steps)

    def passwd_by(self, *steps):
        """Alice's own `passwd`, by what it asks and what she answers."""
        command = ["chroot", "--userspec=alice:alice", self.root, "/usr/bin/passwd"]
        played = terminal.Dialogue({"command": command, "steps": [["Current password:", self.password], *steps]}).play(60)
        print("".join(f"        | {line}\n" for line in played["transcript"].splitlines()), end="", flush=True)
        return played["status"], played["transcript"]

    def refuses(self, candidate, why):
        """The real passwd says no to a user, for this reason, as often as it asks."""
        shadow = self.read("etc/shadow")
        status, said = self.passwd(*[(candidate, False)] * 3)
        check(status != 0 and why in said, f"passwd refuses {candidate!r}: {why}")
        check(self.read("etc/shadow") == shadow, "the password is unchanged")

    def accepts(self, candidate):
        shadow = self.read("etc/shadow")
        status, said = self.passwd((candidate, True))
        check(status == 0 and "updated successfully" in said, f"passwd accepts {candidate!r}")
        check(self.read("etc/shadow") != shadow, "the password is changed")
        self.password = candidate

    def verdict(self, candidate):
        """The exit status of `filterctl check`: 0 accepted, 1 rejected, 2 cannot tell."""
        return self.attempt("filterctl", "check", text=f"{candidate}\n")[0]

    def snapshot(self):
        """Every file of /etc, /usr, /var and of PAM: kind, mode, owner and content."""
        found = {}
        for top in ["etc", "usr", "var"]:
            for folder, names, files in os.walk(self.path(top)):
                for name in [*names, *files]:
                    path = os.path.join(folder, name)
                    relative = os.path.relpath(path, self.root)
                    if not VOLATILE.match(relative):
                        found[relative] = describe(path)
        return found


def describe(path):
    status = os.lstat(path)
    facts = f"{stat.filemode(status.st_mode)} {status.st_uid}:{status.st_gid}"
    if stat.S_ISLNK(status.st_mode):
        return f"{facts} -> {os.readlink(path)}"
    if stat.S_ISREG(status.st_mode):
        with open(path, "rb") as file:
            return f"{facts} {hashlib.sha256(file.read()).hexdigest()}"
    return facts


def differences(before, after):
    """One line for each file that came, went or changed."""
    names = sorted(before.keys() | after.keys())
    return [f"{name}: {before.get(name, 'absent')} => {after.get(name, 'absent')}"
            for name in names if before.get(name) != after.get(name)]


def overlay(lower):
    """A root that begins as `lower` and keeps its changes in memory."""
    folder = tempfile.mkdtemp(dir=trees.SCRATCH)
    terminal.mount("-t", "tmpfs", "-o", "mode=0755", "none", folder)
    for name in ["upper", "work", "root"]:
        os.mkdir(f"{folder}/{name}")
    options = f"lowerdir={lower},upperdir={folder}/upper,workdir={folder}/work"
    done = subprocess.run(["mount", "-t", "overlay", "-o", options, "none", f"{folder}/root"], check=False, capture_output=True)
    if done.returncode != 0:
        trees.run("cp", "-a", f"{lower}/.", f"{folder}/root")
    return f"{folder}/root"


def make_devices(root):
    terminal.mount("-t", "proc", "proc", f"{root}/proc")
    terminal.mount("-t", "tmpfs", "-o", "mode=0755", "none", f"{root}/dev")
    terminal.make_dev(root)
