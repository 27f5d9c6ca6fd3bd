#!/usr/bin/env python3
"""scenario.py FILE: play one scenario in throw-away copies of /etc, /dev, /run, /var/log and /var/mail.

Must run as root inside a private mount namespace of its own (`unshare -m --propagation private`). FILE is
JSON:

  module, filter, configuration   files that are installed under /etc/security (the last two may be null)
  options                         the arguments of the checking line
  extra                           further lines of common-password
  prepare                         shell commands, run before the first dialogue
  auth_log                        true: what is logged goes to /var/log/auth.log too, as a daemon writes it
  runs                            dialogues: {command, uid, steps: [[expected text, answer]]} on a terminal,
                                  or {command, uid, input: text} with a pipe; a hostile caller may besides
                                  give limits: {name of RLIMIT: [soft, hard]}, close: [descriptors],
                                  blocked: true (every signal), alarm: seconds, umask,
                                  environment: {name: value}, seconds: patience

The text "\\0prompt" stands for any prompt, in whatever language: a line that is not ended, while the echo
is off.
An answer is a text, null (nothing is typed), {"signal": "INT"}, {"eof": true}, or {"shell": command run as
root}. The user is `tester`, uid 4242, password `Orig-0ld-pw`. Prints JSON: for each run its transcript, exit
status, the number of steps done, the lines of the system log, and whether /etc/shadow changed.
"""

import json
import os
import pty
import resource
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import termios
import threading
import time

TESTER = "tester"
UID = 4242
# Orig-0ld-pw
HASH = (
    "$6$nearmisstest$2Ouup.fv3oFVK6VCiMsbQwk1Yv21MDJ3Xjs.GYuK1tvSeTlWTLG.yUvfEocrdaXahTp01I3XhrRiU3N5/y/v/1"
)
ENVIRONMENT = {"PATH": "/usr/bin:/bin:/usr/sbin:/sbin", "TERM": "dumb", "LC_ALL": "C"}
ANY_PROMPT = "\0prompt"
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


class Log:
    """A system log: what is sent to /dev/log."""

    def __init__(self, file=None):
        self.lines, self.file = [], file
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind("/dev/log")
        os.chmod("/dev/log", 0o666)
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self):
        while True:
            line = self.socket.recv(65536).decode("utf-8", "replace")
            self.lines.append(line)
            if self.file:
                self.write(line)

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
        while mark not in self.lines:
            time.sleep(0.005)
        end = self.lines.index(mark)
        taken, self.lines[: end + 1] = self.lines[:end], []
        return taken


def become(run):
    """In the child: default signals (Python ignores two), what the caller does to the program, and the user's
    identity."""
    uid = run.get("uid")
    for name in ("SIGXFSZ", "SIGPIPE"):
        signal.signal(getattr(signal, name), signal.SIG_DFL)
    if "umask" in run:
        os.umask(run["umask"])
    if run.get("blocked"):
        signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    if "alarm" in run:
        signal.setitimer(signal.ITIMER_REAL, run["alarm"])
    for descriptor in run.get("close", []):
        os.close(descriptor)
    if uid is not None:
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
    for name, limits in run.get("limits", {}).items():
        resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), limits)


class Dialogue:
    """A command under a terminal of its own, and what is answered to what it shows."""

    def __init__(self, run):
        self.steps, self.done, self.shown, self.seen = run["steps"], 0, b"", 0
        self.shown_at_answer = 0
        self.blind, self.answered = 2 in run.get("close", []), time.monotonic()
        self.child, self.terminal = pty.fork()
        if self.child == 0:
            try:
                become(run)
                os.execvpe(run["command"][0], run["command"], ENVIRONMENT | run.get("environment", {}))
            finally:
                os._exit(126)  # never back into the parent's code

    def play(self, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if select.select([self.terminal], [], [], 0.05)[0] and not self.read():
                break
            self.advance()
        return {
            "transcript": self.shown.decode("utf-8", "replace").replace("\r", ""),
            "status": self.wait(),
            "steps_done": self.done,
        }

    def read(self):
        try:
            more = os.read(self.terminal, 4096)
        except OSError:
            more = b""
        self.shown += more
        return bool(more)

    def advance(self):
        while self.done < len(self.steps):
            expected, answer = self.steps[self.done]
            if not (self.waits_unseen() if self.blind else self.shows(expected)):
                return
            self.done += 1
            if isinstance(answer, str):
                self.shown_at_answer = len(self.shown)
            self.answer(expected, answer)
            self.answered = time.monotonic()

    def shows(self, expected):
        if expected == ANY_PROMPT:
            new = self.shown[self.shown_at_answer :]
            return new != b"" and not new.endswith(b"\n") and not self.echoes()
        at = self.shown.find(expected.encode(), self.seen)
        if at >= 0:
            self.seen = at + len(expected.encode())
        return at >= 0

    def waits_unseen(self):
        """libpam writes its prompts to descriptor 2. Where that is closed, the user types once the echo has
        been off for a while."""
        if self.echoes():
            self.answered = max(self.answered, time.monotonic() - 0.5)
        return not self.echoes() and time.monotonic() - self.answered > 1

    def echoes(self):
        return bool(termios.tcgetattr(self.terminal)[3] & termios.ECHO)

    def answer(self, expected, answer):
        if isinstance(answer, str):
            self.await_no_echo(expected)
            os.write(self.terminal, answer.encode("utf-8", "surrogateescape") + b"\n")
        elif answer and "eof" in answer:
            self.await_no_echo(expected)
            os.write(self.terminal, b"\x04")
        elif answer and "signal" in answer:
            os.kill(self.child, getattr(signal, "SIG" + answer["signal"]))
        elif answer and "shell" in answer:
            subprocess.run(answer["shell"], shell=True, check=True)

    def await_no_echo(self, expected):
        """A prompt for a password throws away what was typed before it switched the echo off."""
        for _ in range(100):
            if "assword" not in expected or not self.echoes():
                return
            time.sleep(0.01)

    def wait(self):
        for _ in range(1000):
            child, status = os.waitpid(self.child, os.WNOHANG)
            if child:
                return os.waitstatus_to_exitcode(status)
            time.sleep(0.005)
        os.kill(self.child, signal.SIGKILL)
        os.waitpid(self.child, 0)
        return "timeout"


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
    seconds = run.get("seconds", 60)
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
