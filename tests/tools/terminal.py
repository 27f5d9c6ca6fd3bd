#!/usr/bin/env python3
"""terminal.py COMMAND...: runs a command on a terminal of its own and plays a dialogue.

Reads a JSON list of [expected text, answer] from standard input; an answer of null is Ctrl-D. Prints a JSON
object with the exit status, how many of the texts appeared, and all that was shown.
"""

import json
import os
import pty
import select
import sys

SECONDS = 60
END_OF_FILE = b"\x04"

steps = json.load(sys.stdin)
pid, terminal = pty.fork()
if pid == 0:
    os.execvp(sys.argv[1], sys.argv[1:])
shown, seen, done = b"", 0, 0
while select.select([terminal], [], [], SECONDS)[0]:
    try:
        part = os.read(terminal, 4096)
    except OSError:  # the program has ended
        break
    if not part:
        break
    shown += part
    if done < len(steps) and (at := shown.find(steps[done][0].encode(), seen)) >= 0:
        seen = at + len(steps[done][0])
        answer = steps[done][1]
        os.write(terminal, END_OF_FILE if answer is None else answer.encode() + b"\n")
        done += 1
os.close(terminal)
status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
print(json.dumps({"status": status, "done": done, "shown": shown.decode("utf-8", "replace")}))
