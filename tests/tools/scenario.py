#!/usr/bin/env python3
"""scenario.py FILE: play one scenario in throw-away copies of /etc, /dev, /run, /var/log and /var/mail.

Must run as root inside a private mount namespace of its own (`unshare -m --propagation private`). FILE is
JSON:

  module, filter, configuration   files that are installed under /etc/security (the last two may be null)
  options                         the arguments of the checking line
  extra                           further lines of common-password
  prepare                         shell commands, run before the first dialogue
  auth_log                        true: what is logged goes to /var/log/auth.log too, as a daemon writes it
  runs                            dialogues: {command, uid, steps} on a terminal (dialogue.py says what a step
                                  is), or {command, uid, input: text} with a pipe; a hostile caller may
                                  besides give limits: {name of RLIMIT: [soft, hard]}, close: [descriptors],
                                  blocked: true (every signal), alarm: seconds, umask,
                                  environment: {name: value}, seconds: timeout

The user is `tester`, uid 4242, password `Orig-0ld-pw`. Prints JSON: for each run its transcript, exit status,
the number of steps done, the lines of the system log, and whether /etc/shadow changed.
"""

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time

from dialogue import ENVIRONMENT, TIMEOUT_SECONDS, Dialogue, become

TESTER = "tester"
UID = 4242
# Orig-0ld-pw
HASH = (
    "$6$nearmisstest$2Ouup.fv3oFVK6VCiMsbQwk1Yv21MDJ3Xjs.GYuK1tvSeTlWTLG.yUvfEocrdaXahTp01I3XhrRiU3N5/y/v/1"
)
DEVICES = ["null", "zero", "full", "random", "urandom", "tty"]
LINKS = {
    "ptmx": "pts/ptmx",
    "fd": "/proc/self/fd",
    "stdin": "/proc/self/fd/0",
    "stdout": "/proc/self/fd/1",
    "stderr": "/proc/self/fd/2",
}


def mount(*arguments):
    subprocess.run(["mount", *arguments], check=True)


def copy_etc(root):
    shutil.copytree("/etc", f"{root}/etc", symlinks=True, ignore_dangling_symlinks=True)
    for folder, _, names in os.walk("/etc"):
        for path in [folder, *(f"{folder}/{name}" for name in names)]:
            status = os.lstat(path)
            os.chown(f"{root}{path}", status.st_uid, status.st_gid, follow_symlinks=False)


def add_tester(root):
    for name, line in [
        ("passwd", f"{TESTER}:x:{UID}:{UID}:Tessa Quimby:/tmp:/bin/sh"),
        ("group", f"{TESTER}:x:{UID}:"),
        ("shadow", f"{TESTER}:{HASH}:19000:0:99999:7:::"),
    ]:
        with open(f"{root}/etc/{name}", "a", encoding="utf-8") as file:
            file.write(line + "\n")


def install(source, target, mode=0o644):
    shutil.copyfile(source, target)
    os.chown(target, 0, 0)
    os.chmod(target, mode)


def install_module(root, scenario):
    security = f"{root}/etc/security"
    os.makedirs(security, exist_ok=True)
    install(scenario["module"], f"{security}/pam_nearmiss.so")
    for name, source, mode in [
        ("words.filter", scenario["filter"], 0o640),
        ("nearmiss.conf", scenario["configuration"], 0o644),
    ]:
        if source:
            install(source, f"{security}/{name}", mode)
    lines = [
        f"password requisite /etc/security/pam_nearmiss.so {scenario['options']}",
        # A change that is refused would wait two seconds, to slow down guessing, without `nodelay`.
        "password [success=1 default=ignore] pam_unix.so obscure use_authtok try_first_pass yescrypt nodelay",
        "password requisite pam_deny.so",
        "password required pam_permit.so",
        *scenario["extra"],
    ]
    with open(f"{root}/etc/pam.d/common-password", "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


def make_dev(root):
    """Own terminals, and a folder for a /dev/log of our own."""
    for folder in ["pts", "shm"]:
        os.makedirs(f"{root}/dev/{folder}")
    for device in DEVICES:
        open(f"{root}/dev/{device}", "w", encoding="utf-8").close()
        mount("--bind", f"/dev/{device}", f"{root}/dev/{device}")
    mount("-t", "devpts", "-o", "newinstance,ptmxmode=0666,mode=0620,gid=5", "devpts", f"{root}/dev/pts")
    for name, target in LINKS.items():
        os.symlink(target, f"{root}/dev/{name}")


def enter(scenario):
    """login, su and passwd write utmp, wtmp, btmp, lastlog, faillock and mail as well as /etc."""
    root = tempfile.mkdtemp()
    mount("-t", "tmpfs", "-o", "mode=0755", "none", root)
    copy_etc(root)
    add_tester(root)
    install_module(root, scenario)
    make_dev(root)
    for folder in ["run/lock", "var/log", "var/mail"]:
        os.makedirs(f"{root}/{folder}")
    for file in ["run/utmp", "var/log/wtmp", "var/log/btmp", "var/log/lastlog"]:
        open(f"{root}/{file}", "w", encoding="utf-8").close()
    for folder in ["etc", "run", "var/log", "var/mail"]:
        mount("--bind", f"{root}/{folder}", f"/{folder}")
    mount("--rbind", f"{root}/dev", "/dev")
    # What was bound stays; the folder that it was made in would be left behind.
    subprocess.run(["umount", "--lazy", root], check=True)
    os.rmdir(root)


class Log:
    """A system log: what is sent to /dev/log."""

    def __init__(self, file=None):
        self.lines, self.file = [], file
        self.more = threading.Condition()
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind("/dev/log")
        os.chmod("/dev/log", 0o666)
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self):
        while True:
            line = self.socket.recv(65536).decode("utf-8", "replace")
            if self.file:
                self.write(line)
            with self.more:
                self.lines.append(line)
                self.more.notify()

    def write(self, line):
        """Behind the priority stand the date, in 15 characters, and the program."""
        text = line.partition(">")[2]
        with open(self.file, "a", encoding="utf-8") as file:
            file.write(f"{text[:15]} machine{text[15:]}\n")

    def take(self):
        """Whatever was logged up to now: a line of our own marks the end."""
        mark = f"end of {time.monotonic_ns()}"
        sender = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        sender.sendto(mark.encode(), "/dev/log")
        with self.more:
            self.more.wait_for(lambda: mark in self.lines)
            end = self.lines.index(mark)
            taken, self.lines[: end + 1] = self.lines[:end], []
        return taken


def pipe(run, seconds):
    done = subprocess.run(
        run["command"],
        input=run["input"].encode("utf-8", "surrogateescape"),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=ENVIRONMENT | run.get("environment", {}),
        timeout=seconds,
        check=False,
        preexec_fn=lambda: become(run),
    )
    return {
        "transcript": done.stdout.decode("utf-8", "replace"),
        "status": done.returncode,
        "steps_done": 0,
    }


def read_shadow():
    with open("/etc/shadow", "rb") as file:
        return file.read()


def play(run, log):
    before = read_shadow()
    seconds = run.get("seconds", TIMEOUT_SECONDS)
    result = Dialogue(run).play(seconds) if "steps" in run else pipe(run, seconds)
    return {**result, "log": log.take(), "shadow_changed": read_shadow() != before}


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        scenario = json.load(file)
    enter(scenario)
    log = Log("/var/log/auth.log" if scenario.get("auth_log") else None)
    for command in scenario["prepare"]:
        subprocess.run(command, shell=True, check=True)
    print(json.dumps([play(run, log) for run in scenario["runs"]]))


if __name__ == "__main__":
    main()
