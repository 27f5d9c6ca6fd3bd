#!/usr/bin/env python3
"""demo.py SERVER PROGRAMS SCENARIO: two hosts, a store of three servers, one password.

SERVER is redis-server or valkey-server, PROGRAMS the folder with the module, filterctl and nearmiss-agent,
SCENARIO tests/tools/scenario.py, which plays the machine's own passwd in copies of /etc. The last lines say
what was shown. Exit status 1 when it was something else.
"""

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time

PASSWORD = "marimba-Vortex-31-quay"
OTHER = "tundra-Sextant-88-fog"
OLD = "Orig-0ld-pw"
SERVERS = 3
USERS = 8
FIRST_UID = 5000
SLOTS = 16384
# Ends what hangs; nothing that works is this slow.
TIMEOUT_SECONDS = 300
# What the module logs where the agent did not answer in time: a busy machine.
LATE = "the fleet cannot be queried"
# The fleet's ladder: 16 rungs, three steps a password, and the cheapest slow hash there is.
LADDER = ["--preset", "paper-5m", "--slow-hash-ms=1", "--slow-hash-memory-kib=19456"]
# A host's own: 48 rungs, one step a password, so that it refuses nothing that eight users choose.
OWN_LADDER = "init --preset guesses --bits 2^24 --no-slow-hash"


def free_ports(count):
    """All are chosen before one is let go, so that no two are the same."""
    probes = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [probe.getsockname()[1] for probe in probes]
    for probe in probes:
        probe.close()
    return ports


def ask(port, *words):
    """A command's reply, as the server writes it."""
    parts = [f"*{len(words)}\r\n"] + [f"${len(word)}\r\n{word}\r\n" for word in map(str, words)]
    with socket.create_connection(("127.0.0.1", port), timeout=5) as connection:
        connection.sendall("".join(parts).encode())
        return connection.recv(65536).decode("utf-8", "replace")


def wait_for(what, holds):
    end = time.monotonic() + TIMEOUT_SECONDS
    while time.monotonic() < end:
        try:
            if holds():
                return
        except OSError:
            pass
        time.sleep(0.05)
    sys.exit(f"fleet-demo: {what} did not come about")


class Demo:
    def __init__(self, server, programs, scenario):
        self.server, self.scenario = server, os.path.abspath(scenario)
        self.programs = os.path.abspath(programs)
        self.folder = tempfile.mkdtemp(prefix="nearmiss-fleet-")
        os.chmod(self.folder, 0o755)
        self.started = []

    def start(self, name, *command):
        log = open(f"{self.folder}/{name}.log", "wb")
        self.started.append(subprocess.Popen(command, stdout=log, stderr=log))
        log.close()

    def stop(self):
        for process in self.started:
            process.terminate()
        for process in self.started:
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        shutil.rmtree(self.folder)

    def filterctl(self, *words):
        return subprocess.run([f"{self.programs}/filterctl", *words], check=True, capture_output=True).stdout

    def start_store(self):
        free = free_ports(2 * SERVERS)
        ports = list(zip(free[:SERVERS], free[SERVERS:]))
        for number, (port, bus) in enumerate(ports):
            folder = f"{self.folder}/node{number}"
            os.mkdir(folder)
            self.start(
                f"node{number}", self.server, "--port", str(port), "--bind", "127.0.0.1", "--dir", folder,
                "--cluster-enabled", "yes", "--cluster-port", str(bus), "--appendonly", "no", "--save", "",
                "--slowlog-log-slower-than", "-1", "--cluster-require-full-coverage", "no",
            )  # fmt: skip
        for number, (port, _) in enumerate(ports):
            wait_for("a server", lambda port=port: ask(port, "PING") == "+PONG\r\n")
            first, last = SLOTS * number // SERVERS, SLOTS * (number + 1) // SERVERS - 1
            ask(port, "CLUSTER", "ADDSLOTSRANGE", first, last)
        for port, bus in ports[1:]:
            ask(ports[0][0], "CLUSTER", "MEET", "127.0.0.1", port, bus)
        is_whole = lambda info: "cluster_state:ok" in info and f"cluster_size:{SERVERS}" in info  # noqa: E731
        for port, _ in ports:
            wait_for("a cluster", lambda port=port: is_whole(ask(port, "CLUSTER", "INFO")))
        return [port for port, _ in ports]

    def start_agent(self, host, ports):
        path, nodes = f"{self.folder}/{host}.sock", [f"127.0.0.1:{port}" for port in ports]
        with open(f"{self.folder}/{host}.toml", "w", encoding="utf-8") as file:
            file.write(f'tls = false\nsocket = "{path}"\nrun_as = "nobody"\nnodes = {json.dumps(nodes)}\n')
        self.start(host, f"{self.programs}/nearmiss-agent", "--conf", f"{self.folder}/{host}.toml")
        wait_for("an agent", lambda: os.path.exists(path))

    def play(self, host, runs):
        """The results of these password changes on a host that has joined."""
        program = f"{self.programs}/filterctl"
        field = "field=$(sed -n 's/^tester:\\([^:]*\\):.*/\\1/p' /etc/shadow)"
        users = (
            f"{field}; for i in $(seq 0 {USERS - 1}); do uid=$(({FIRST_UID} + i)); "
            'echo "u$i:x:$uid:$uid::/tmp:/bin/sh" >> /etc/passwd; '
            'echo "u$i:$field:19000:0:99999:7:::" >> /etc/shadow; done'
        )
        configuration = f"{self.folder}/{host}.conf"
        with open(configuration, "w", encoding="utf-8") as file:
            file.write(f'packaged = false\n[fleet]\nsocket = "{self.folder}/{host}.sock"\n')
        scene = {
            "module": f"{self.programs}/libpam_nearmiss.so",
            "filter": None,
            "configuration": configuration,
            "options": "codes",
            "extra": ["password optional /etc/security/pam_nearmiss.so record"],
            "prepare": [
                "mount -t tmpfs -o mode=755,size=8m none /var/lib",
                f"{program} ladder {OWN_LADDER} >&2",
                f"{program} fleet join {self.folder}/bundle >&2",
                users,
            ],
            "runs": runs,
        }
        with open(f"{self.folder}/{host}.json", "w", encoding="utf-8") as file:
            json.dump(scene, file)
        command = ["unshare", "-m", "--propagation", "private", "python3", self.scenario]
        played = subprocess.run([*command, f"{self.folder}/{host}.json"], capture_output=True, text=True)
        if played.returncode != 0:
            sys.exit(f"fleet-demo: {played.stderr}")
        return json.loads(played.stdout)

    def run(self):
        ports = self.start_store()
        print(f"store: three servers on ports {', '.join(map(str, ports))}")
        ladder = f"{self.folder}/fleet-chosen.ladder"
        self.filterctl("fleet", "init", "--chosen", "--file", ladder, *LADDER, "--bits", "2^24")
        self.filterctl("fleet", "export", "--chosen", "--file", ladder, "--output", f"{self.folder}/bundle")
        for host in ["a", "b"]:
            self.start_agent(host, ports)
        self.filterctl(
            "fleet", "init", "--functions", "--agent", f"{self.programs}/nearmiss-agent",
            "--agent-conf", f"{self.folder}/{host}.toml",
        )  # fmt: skip
        print(f'\nhost A, whose users choose "{PASSWORD}" one after the other:')
        first, last = self.until(lambda taken: not all(taken), "a", [PASSWORD] * USERS)
        print("\nhost B, where nobody has it:")
        _, there = self.until(lambda taken: not taken[0], "b", [PASSWORD, OTHER])
        return conclude(first[0] and not all(last) and there == [False, True])

    def until(self, is_heard, host, passwords):
        """Plays these choices, and once more where the machine was too busy to ask the fleet in time; gives
        which were taken at first and which at last."""
        end = time.monotonic() + TIMEOUT_SECONDS
        runs = [change(FIRST_UID + user, password) for user, password in enumerate(passwords)]
        first = None
        while True:
            played = self.play(host, runs)
            taken = [run["shadow_changed"] for run in played]
            was_late = any(LATE in line for run in played for line in run["log"])
            first = first or taken
            if is_heard(taken) or not was_late or time.monotonic() > end:
                show(played, passwords)
                return first, taken
            print("  (the machine was too busy to ask the fleet in time: once more)")


def conclude(is_shown):
    """The last lines."""
    if not is_shown:
        print("\nNot shown: the verdicts above are not those that are expected.")
        return 1
    print(f'\nShown: "{PASSWORD}", which too many chose on host A, is refused there and on host B,')
    print(f'where nobody has it. The last one tried, "{OTHER}", is another password: it is taken.')
    return 0


def change(uid, password):
    return {"command": ["/usr/bin/passwd"], "uid": uid, "input": f"{OLD}\n{password}\n{password}\n"}


def show(runs, passwords):
    """Prints the verdict on each choice."""
    for number, (run, password) in enumerate(zip(runs, passwords)):
        lines = [f"BAD PASSWORD{rest}" for rest in run["transcript"].split("BAD PASSWORD")[1:]]
        verdict = "refused: " + lines[0].splitlines()[0] if lines else "taken"
        print(f'  user {number} chooses "{password}": {verdict}')


def main():
    if len(sys.argv) != 4:
        sys.exit("usage: demo.py SERVER PROGRAMS SCENARIO")
    demo = Demo(*sys.argv[1:])
    try:
        return demo.run()
    finally:
        demo.stop()


sys.exit(main())
