#!/usr/bin/env python3
"""lengths.py: ask pam_pwquality and pam_passwdqc for their verdicts on the length of passwords.

Runs in a mount namespace of its own, as root. Reads a JSON list of cases from standard input:

  {"files", "lines", "passwords"}   files of /etc/security, the lines of a stack, passwords in hexadecimal

Prints for each case and each of its lines the numbers of the passwords that it rejects as too short, or
null if the module does not prompt at all.
"""

import json
import os
import subprocess
import sys
import tempfile

import pamdrive

OTHER = b"another text"
TOO_SHORT = ("too short", "shorter than")


class Line(pamdrive.Case):
    """One transaction, in which every password is typed: what is accepted is retyped incorrectly."""

    def __init__(self, case, passwords):
        super().__init__(case)
        self.passwords, self.typed, self.short = passwords, -1, set()

    def converse(self, count, messages, responses, _):
        size = pamdrive.c.sizeof(pamdrive.Response)
        replies = pamdrive.c.cast(
            pamdrive.libc.calloc(count, size), pamdrive.c.POINTER(pamdrive.Response)
        )
        for number in range(count):
            message = messages[number].contents
            text = message.text.decode("utf-8", "replace")
            if message.style not in (1, 2):
                if any(words in text for words in TOO_SHORT):
                    self.short.add(self.typed)
                continue
            answer = OTHER
            if "etype" not in text and "e-type" not in text:
                self.typed += 1
                if self.typed == len(self.passwords):
                    return pamdrive.CONVERSATION_ERROR
                answer = self.passwords[self.typed]
            replies[number].text = pamdrive.libc.strdup(answer)
        responses[0] = replies
        return 0


def verdicts(folder, line, passwords):
    with open(os.path.join(folder, "try"), "wb") as file:
        file.write(bytes.fromhex(line) + b" retry=1000000\n")
    case = {"folder": folder, "service": "try", "user": b"root".hex()}
    tried = Line(case, passwords)
    tried.once()
    return sorted(tried.short) if tried.typed >= 0 else None


def main():
    subprocess.run(["mount", "-t", "tmpfs", "tmpfs", "/etc/security"], check=True)
    for case in json.load(sys.stdin):
        passwords = [bytes.fromhex(password) for password in case["passwords"]]
        for name, content in case["files"].items():
            path = os.path.join("/etc/security", name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as file:
                file.write(bytes.fromhex(content))
        with tempfile.TemporaryDirectory() as folder:
            print(json.dumps([verdicts(folder, line, passwords) for line in case["lines"]]))
        subprocess.run(["find", "/etc/security", "-mindepth", "1", "-delete"], check=True)


if __name__ == "__main__":
    main()
