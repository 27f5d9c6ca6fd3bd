#!/usr/bin/env python3
"""A program under a terminal of its own, and what is answered to what it shows: for every test that types.

    dialogue.py COMMAND...    plays the JSON list of steps on standard input, prints the result as JSON

A step is [expected text, answer]: a text that is typed with Enter, {"eof": true}, {"signal": "INT"},
{"shell": command}, or null, when the text only has to be shown. The text ANY_PROMPT stands for any prompt, in
whatever language: a line that is not ended, while the echo is off.

Something is typed when the expected text was shown whole and the program waits for input on the terminal, and
not in the wait that the last answer ended (reader.py). No answer is ever given to a program that would throw
it away, however slow the machine.
"""

import json
import os
import pty
import resource
import select
import signal
import subprocess
import sys
import termios
import time

from reader import READ, reader

ENVIRONMENT = {"PATH": "/usr/bin:/bin:/usr/sbin:/sbin", "TERM": "dumb", "LC_ALL": "C"}
ANY_PROMPT = "\0prompt"
# Ends what hangs; nothing that works is this slow.
TIMEOUT_SECONDS = 300
# How often /proc is looked at, which tells nobody when it changes.
LOOK_SECONDS = 0.01
END_OF_FILE = b"\x04"
# The answer after which a program does nothing more.
KILL = {"signal": "KILL"}


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
    """A command under a terminal of its own: {command, steps}, and what `become` takes."""

    def __init__(self, run):
        self.steps, self.done, self.shown, self.seen = run["steps"], 0, b"", 0
        # The last answer: what had been shown, and the wait that it ended.
        self.shown_at_answer, self.answered, self.found = 0, None, None
        # libpam writes its prompts to descriptor 2. Where that is closed, only the wait tells.
        self.blind = 2 in run.get("close", [])
        self.child, self.terminal = pty.fork()
        if self.child == 0:
            try:
                become(run)
                os.execvpe(run["command"][0], run["command"], ENVIRONMENT | run.get("environment", {}))
            finally:
                os._exit(126)  # never back into the parent's code

    def play(self, seconds=TIMEOUT_SECONDS):
        """What was shown, how many steps were done, and the exit status: "waits" for a program that was
        killed while it asked for more than there are steps, "timeout" for one that hung."""
        self.end, status = time.monotonic() + seconds, ""
        while time.monotonic() < self.end:
            if select.select([self.terminal], [], [], LOOK_SECONDS)[0] and not self.read():
                break
            self.advance()
            if self.asks_for_more():
                status = "waits"
                os.kill(self.child, signal.SIGKILL)
                break
        ended = self.wait()
        os.close(self.terminal)
        return {
            "transcript": self.shown.decode("utf-8", "replace").replace("\r", ""),
            "status": status or ended,
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
            is_typed = isinstance(answer, str) or bool(answer and "eof" in answer)
            if self.blind:
                is_due = self.waits(unseen=True)
            else:
                is_due = self.shows(expected) and (not is_typed or self.waits(expected == ANY_PROMPT))
            if not is_due:
                return
            self.pass_by(expected)
            self.answer(answer)
            self.done += 1

    def place(self, expected):
        """Where an expected text ends in what was shown, if it was."""
        at = self.shown.find(expected.encode(), self.seen)
        return at + len(expected.encode()) if at >= 0 else None

    def shows(self, expected):
        if expected == ANY_PROMPT:
            new = self.shown[self.shown_at_answer :]
            return new.strip() != b"" and not new.endswith(b"\n")
        return self.place(expected) is not None

    def pass_by(self, expected):
        self.seen = self.place(expected) or self.seen

    def waits(self, unseen=False):
        """Whether the program waits for input, and not in the wait that the last answer ended; `unseen`: with
        the echo off."""
        self.found = reader(self.child)
        is_new = self.found is not None and self.found[1] != self.answered
        return is_new and not (unseen and self.echoes())

    def asks_for_more(self):
        """Whether the program waits for one more password, for ever, when all steps are done."""
        # One that was killed is seen in its last wait until it has ended.
        is_open = self.done == len(self.steps) and not any(answer == KILL for _, answer in self.steps)
        return is_open and self.waits(unseen=True) and self.found[0] == READ

    def echoes(self):
        try:
            return bool(termios.tcgetattr(self.terminal)[3] & termios.ECHO)
        except termios.error:
            return True

    def type(self, text):
        self.answered = self.found[1]
        self.shown_at_answer = len(self.shown)
        try:
            os.write(self.terminal, text)
        except OSError:  # the program has ended meanwhile, by a signal or an alarm
            pass

    def answer(self, answer):
        if isinstance(answer, str):
            self.type(answer.encode("utf-8", "surrogateescape") + b"\n")
        elif answer and "eof" in answer:
            self.type(END_OF_FILE)
        elif answer and "signal" in answer:
            os.kill(self.child, getattr(signal, "SIG" + answer["signal"]))
        elif answer and "shell" in answer:
            subprocess.run(answer["shell"], shell=True, check=True)

    def wait(self):
        """The exit status, as soon as there is one."""
        child = os.pidfd_open(self.child)
        ended = select.select([child], [], [], max(0, self.end - time.monotonic()))[0]
        os.close(child)
        if not ended:
            os.kill(self.child, signal.SIGKILL)
        status = os.waitpid(self.child, 0)[1]
        return os.waitstatus_to_exitcode(status) if ended else "timeout"


def main():
    steps = json.load(sys.stdin)
    print(json.dumps(Dialogue({"command": sys.argv[1:], "steps": steps}).play()))


if __name__ == "__main__":
    main()
