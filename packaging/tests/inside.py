"""inside.py PLAN: what `guest.py` has done in its guest. The plan is a list of steps:

  {"command"}                     run as root, without a terminal; "text" is its standard input
  {"command", "steps", "uid"}     under a terminal of its own, answered as `dialogue.py` does

Prints one line of results, one for each step: the exit status, what was said, what came to the system's log
meanwhile, which accesses the kernel's log has as denied or audited, and how often a fleet's agent was asked.
Log and agent are stand-ins.
"""

import json
import os
import queue
import re
import socket
import subprocess
import sys
import threading

from dialogue import Dialogue

LOG, AGENT = "/dev/log", "/run/nearmiss/agent.sock"
SELINUX = "/sys/fs/selinux/enforce"
MARKS = {"denied": ["DENIED", "avc:  denied"], "audited": ["apparmor=\"AUDIT\""]}
VARYING = re.compile(r" (pid|ino)=[0-9]+")
# Every denied access is a line: the kernel leaves none out.
UNLIMITED = {"/proc/sys/kernel/printk_ratelimit": "0", "/proc/sys/kernel/printk": "1"}


def bound(path, kind, domain):
    """A listener; with SELinux, one that belongs to this domain."""
    if os.path.exists(SELINUX):
        attribute = os.open("/proc/thread-self/attr/sockcreate", os.O_WRONLY)
        os.write(attribute, f"system_u:system_r:{domain}:s0".encode())
        os.close(attribute)
    listener = socket.socket(socket.AF_UNIX, kind)
    listener.bind(path)
    return listener


class Log:
    """The system's log, in memory."""

    def __init__(self):
        self.socket = bound(LOG, socket.SOCK_DGRAM, "syslogd_t")
        os.chmod(LOG, 0o666)

    def lines(self):
        """What was written since it was last asked. A writer returns when its line lies in the socket."""
        found = []
        while True:
            try:
                found.append(self.socket.recv(8192, socket.MSG_DONTWAIT).decode("utf-8", "replace"))
            except BlockingIOError:
                return found


# A fleet's agent that does not reach its store: version, status, height, nothing counted.
UNAVAILABLE = bytes([1, 1, 0, 0])


class Agent:
    """A fleet's agent without a store: the host decides alone. One that never replies refuses the change."""

    def __init__(self):
        os.makedirs(os.path.dirname(AGENT), mode=0o700, exist_ok=True)
        self.socket = bound(AGENT, socket.SOCK_STREAM, "init_t")
        self.socket.listen(16)
        self.asked = queue.SimpleQueue()
        threading.Thread(target=self.reply, daemon=True).start()

    def reply(self):
        while True:
            connection, _ = self.socket.accept()
            with connection:
                if connection.recv(4096):
                    self.asked.put(True)
                    connection.sendall(UNAVAILABLE)

    def questions(self):
        """How many were asked since it was last asked for them."""
        count = self.asked.qsize()
        for _ in range(count):
            self.asked.get()
        return count


class Kernel:
    """The kernel's log."""

    def __init__(self):
        self.file = os.open("/dev/kmsg", os.O_RDONLY | os.O_NONBLOCK)
        self.lines()

    def lines(self):
        """What was denied, and what was audited, since it was last asked: each once."""
        found = {"denied": {}, "audited": {}}
        while True:
            try:
                text = os.read(self.file, 8192).decode("utf-8", "replace")
            except BlockingIOError:
                return {kind: list(lines) for kind, lines in found.items()}
            for kind, marks in MARKS.items():
                if any(mark in text for mark in marks):
                    found[kind][VARYING.sub("", text.partition("): ")[2]).strip()] = True


def done(step):
    """The exit status of a step, and what was said."""
    if "steps" in step:
        played = Dialogue(step).play()
        return played["status"], played["transcript"]
    process = subprocess.run(
        step["command"],
        input=step.get("text", ""),
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    return process.returncode, process.stdout


def main():
    for path, value in UNLIMITED.items():
        with open(path, "w", encoding="ascii") as file:
            file.write(value)
    log, agent, kernel = Log(), Agent(), Kernel()
    results = []
    with open(sys.argv[1], encoding="utf-8") as file:
        plan = json.load(file)
    for step in plan:
        status, said = done(step)
        results.append(
            {
                "status": status,
                "said": said,
                "log": log.lines(),
                **kernel.lines(),
                "asked": agent.questions(),
            }
        )
    print(f"RESULTS {json.dumps(results)}", flush=True)


if __name__ == "__main__":
    main()
