"""fleet.py FOLDER: nearmiss-agent on Debian 12 and 13, around `libpam_nearmiss.so`, `filterctl` and
`nearmiss-agent` of FOLDER: what the package puts where, and the agent started as its unit would.
"""

import os
import signal
import socket
import subprocess

import access
import packages
import releases
import scenarios
from machine import ENVIRONMENT, check

AGENT, FOLDER, SOCKET = "nearmiss-agent", "etc/nearmiss-agent", "run/nearmiss/agent.sock"
# Owner, group and mode of what the package has.
PROMISED = {
    FOLDER: "root:nearmiss-agent 750",
    f"{FOLDER}/agent.toml": "root:root 644",
    "usr/sbin/nearmiss-agent": "root:root 755",
    "usr/lib/sysusers.d/nearmiss-agent.conf": "root:root 644",
    "usr/lib/systemd/system/nearmiss-agent.service": "root:root 644",
    "usr/lib/systemd/system/nearmiss-agent.socket": "root:root 644",
    "usr/lib/systemd/system/nearmiss-watch.service": "root:root 644",
    "usr/lib/systemd/system/nearmiss-watch.timer": "root:root 644",
    "usr/share/doc/nearmiss-agent/examples/agent.toml": "root:root 644",
    "usr/share/doc/nearmiss-agent/examples/redis.conf": "root:root 644",
    "usr/share/doc/nearmiss-agent/examples/users.acl": "root:root 644",
    "usr/share/man/man8/nearmiss-agent.8.gz": "root:root 644",
    "usr/share/doc/nearmiss-agent/sbom.cdx.json.gz": "root:root 644",
}
# A store that nobody runs: the agent answers for it that it is away. Without TLS it sends the password to a
# UNIX socket only.
CONFIGURATION = 'tls = false\nnodes = ["/run/store.sock"]\npassword_file = "password"\n'


class Running:
    """The agent as one of its ways of being started; ended with the block."""

    def __init__(self, machine, command, **options):
        self.process = subprocess.Popen(
            ["chroot", machine.root, *command], env=ENVIRONMENT, stderr=subprocess.PIPE, **options
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(10)

    def user(self):
        """The user it has switched to, once it serves."""
        line = self.process.stderr.readline().decode()
        check("serving" in line, f"it says so: {line.strip()}")
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as file:
            fields = dict(line.split(":", 1) for line in file)
        return {int(number) for number in fields["Uid"].split()}, fields["CapEff"].strip()


def by_socket(machine):
    """As systemd does: a socket of root's is passed, and the agent is its user from the start."""
    path = machine.path(SOCKET)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    os.chmod(path, 0o600)
    listener.listen()
    identity = "setpriv --reuid nearmiss-agent --regid nearmiss-agent --clear-groups --no-new-privs"
    settings = "LISTEN_FDS=1 LISTEN_PID=$$"
    # The shell makes descriptor 3 of it: the one of this program has something else under it.
    script = f"exec 3<&0 0</dev/null; {settings} exec {identity} --bounding-set=-all /usr/sbin/nearmiss-agent"
    return Running(machine, ["sh", "-c", script], stdin=listener)


def by_root(machine):
    """Without systemd: root starts it, and it makes the socket itself."""
    os.unlink(machine.path(SOCKET))
    return Running(machine, ["/usr/sbin/nearmiss-agent"])


def check_files(machine):
    for name, wanted in PROMISED.items():
        found = access.access(machine.root, name)
        check(found == wanted, f"/{name} is {found}")
    with open(machine.path("etc/passwd"), encoding="utf-8") as file:
        fields = next(line.strip().split(":") for line in file if line.startswith(f"{AGENT}:"))
    number, shell = int(fields[2]), fields[6]
    check(0 < number < access.FIRST_OF_PERSONS, f"{AGENT} is a system user, {number}")
    check(shell.endswith("nologin") and fields[5] == "/nonexistent", "which cannot log in")
    groups = machine.run("id", "-nG", AGENT).split()
    check(groups == [AGENT], "and is in no group but its own: it cannot read the filter")
    check(not machine.exists(SOCKET), "nothing was started")
    wanted = f"{machine.root}/etc/systemd/system"
    links = [name for _, _, names in os.walk(wanted) for name in names if AGENT in name]
    check(not links, "and nothing will be at the next start")
    return number


def check_running(machine, start, number):
    machine.run("mkdir", "-p", "-m", "700", "/run/nearmiss")
    with start(machine) as agent:
        users, capabilities = agent.user()
        check(users == {number}, f"it runs as {AGENT}, by every one of its identities")
        check(int(capabilities, 16) == 0, "without capabilities")
        found = access.access(machine.root, SOCKET)
        check(found == "root:root 600", f"its socket is {found}")
        status, said = machine.attempt("filterctl", "fleet", "status")
        check(status == 1 and "the agent replies" in said, "filterctl fleet status: the agent replies")
        status, said = machine.attempt("filterctl", "fleet", "status", user="alice")
        check(status == 2, "a user cannot ask it")


def stage(machine, folder):
    scenarios.install(machine, folder)
    before = machine.snapshot()
    machine.install(*machine.copy_in([packages.named(folder, AGENT)]))
    check(machine.is_installed(AGENT), f"{AGENT} is installed")
    number = check_files(machine)

    status, said = machine.attempt("nearmiss-agent", "check")
    check(status == 2 and "ca.pem" in said, "without a certificate authority it says what is missing")
    machine.write(f"{FOLDER}/agent.toml", CONFIGURATION)
    machine.write(f"{FOLDER}/password", "secret of the store\n")
    machine.run("chown", f"root:{AGENT}", f"/{FOLDER}/password")
    machine.run("chmod", "640", f"/{FOLDER}/password")
    machine.run("nearmiss-agent", "check")
    status, _ = machine.attempt("cat", f"/{FOLDER}/password", user="alice")
    check(status != 0, "a user cannot read the password")
    machine.run("filterctl", "fleet", "init", "--guessed", "--bits", "2^22")
    check_running(machine, by_socket, number)
    check_running(machine, by_root, number)
    os.unlink(machine.path(SOCKET))

    machine.remove(AGENT)
    check(machine.exists(f"{FOLDER}/password"), "removed: its configuration stays")
    machine.remove(AGENT, purge=True)
    check(not machine.exists(FOLDER), "purged: the store's password is gone")
    machine.run("rm", "-f", "/etc/nearmiss/fleet-guessed.ladder", "/etc/nearmiss/fleet-guessed.key")
    left = machine.changes_since(before)
    scenarios.show(left)
    names = {line.split(":")[0] for line in left}
    check(names <= {"etc/passwd", "etc/group", "etc/gshadow"}, "nothing is left but the user and its group")


def stages(folder):
    """What is shown on each release, and the stage that shows it."""
    layers = {"Debian 12": "base", "Debian 13": "trixie"}
    return [
        (f"{name}: the agent of a fleet", lambda layer=layer: stage(releases.fresh(layer), folder))
        for name, layer in layers.items()
    ]


if __name__ == "__main__":
    releases.alone(stages, "pkg.nearmiss.nolab", "the agent's package")
