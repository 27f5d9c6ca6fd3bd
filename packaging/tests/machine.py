"""A throw-away Debian to install packages on: an overlay over a cached tree, in memory, gone with this
process.

Only for use inside a mount and PID namespace of its own (`private.sh`): what is mounted here vanishes with
it.
"""

import os
import re
import subprocess
import tempfile

import health
import overlays
import terminal
import trees

ENVIRONMENT = {
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "HOME": "/root",
    "TERM": "dumb",
    "LC_ALL": "C.UTF-8",
    "DEBIAN_FRONTEND": "noninteractive",
}
# What is compared; and what dpkg, debconf, ldconfig and passwd change there for good, whatever package came
# and went.
TOPS = ["etc", "usr", "var"]
VOLATILE = re.compile(
    r"^(var/lib/(dpkg|apt)|var/cache/(apt|debconf|ldconfig)|var/log"
    r"|etc/(shadow-?|passwd-|g(roup|shadow)-|\.pwd\.lock|ld\.so\.cache))(/|$)"
)


class Failed(Exception):
    """What was promised is not so."""


def check(holds, promise):
    """A promise: told when it holds, the end when it does not."""
    if not holds:
        raise Failed(promise)
    print(f"    ok: {promise}", flush=True)


class Machine:
    """One Debian with a user `alice`, whose password is in `password`, over the folders given or a minimal
    Debian."""

    def __init__(self, below=None):
        self.overlay = overlays.Overlay(below or [trees.tree("base")])
        self.root = self.overlay.root
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

    def attempt(self, *command, text="", user="root"):
        """Runs a command, with all groups of the user; returns its exit status and what it printed."""
        inside = ["chroot", f"--userspec={user}:{user}", self.root]
        done = subprocess.run(
            [*inside, *command],
            input=text,
            text=True,
            errors="replace",
            env=ENVIRONMENT,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
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
        """Installed and configured, whatever is wanted of it; a trigger may wait for dpkg's next run."""
        status, said = self.attempt("dpkg-query", "-W", "-f", "${db:Status-Status}", package)
        return status == 0 and said in ("installed", "triggers-pending")

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
        """Alice's own `passwd`: each try, and whether it is asked for again; gives exit status and
        transcript."""
        steps = []
        for candidate, is_asked_again in tries:
            steps.append(["New password:", candidate])
            if is_asked_again:
                steps.append(["Retype new password:", candidate])
        return self.passwd_by(*steps)

    def passwd_by(self, *steps):
        """Alice's own `passwd`, by what it asks and what she answers."""
        command = ["chroot", "--userspec=alice:alice", self.root, "/usr/bin/passwd"]
        played = terminal.Dialogue(
            {"command": command, "steps": [["Current password:", self.password], *steps]}
        ).play()
        print(
            "".join(f"        | {line}\n" for line in played["transcript"].splitlines()), end="", flush=True
        )
        typed = [answer for _, answer in steps]
        try:
            health.look(self, typed[-1] if typed else "", played["status"], played["transcript"])
        except health.Green as problem:
            raise Failed(str(problem)) from problem
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

    def verdict(self, candidate, user="root"):
        """The exit status of `filterctl check`: 0 accepted, 1 rejected, 2 cannot tell."""
        return self.attempt("filterctl", "check", text=f"{candidate}\n", user=user)[0]

    def snapshot(self):
        """What every file is that is not what it was on the Debian below."""
        names = (name for name in self.overlay.changed(TOPS) if not VOLATILE.match(name))
        return {name: self.overlay.describe(name) for name in names}

    def changes_since(self, before):
        """One line for each file of /etc, /usr and /var that came, went or changed since a snapshot."""
        lines = []
        for name in sorted(before.keys() | self.snapshot().keys()):
            was, is_now = before.get(name) or self.overlay.describe_below(name), self.overlay.describe(name)
            if was != is_now:
                lines.append(f"{name}: {was} => {is_now}")
        return lines


def make_devices(root):
    terminal.mount("-t", "proc", "proc", f"{root}/proc")
    terminal.mount("-t", "tmpfs", "-o", "mode=0755", "none", f"{root}/dev")
    terminal.make_dev(root)
