#!/usr/bin/env python3
"""pamdrive.py: play cases against libpam, with nothing installed but libpam.so.0 and as any user.

Reads a JSON list of cases from standard input and prints a JSON list of results.

  {"folder", "service", "user", "flags", "answers"}   pam_chauthtok with the service files of that folder
  {..., "module", "entry"}                            the named pam_sm_* function called directly
  "repeat"                                            how often the whole transaction is done (default 1)
  "close"                                             the descriptors among 0, 1, 2 that are closed meanwhile

User and answers are hexadecimal; an answer of null ends the conversation with an error. Of each: the code of
the last transaction, what was said in it as [style, text], answers left over, how many descriptors were
opened for good, and what lay at the closed descriptors when something was said, and after the transaction.
"""

import ctypes as c
import json
import os
import sys

libc = c.CDLL(None)
libc.calloc.restype = c.c_void_p
libc.calloc.argtypes = [c.c_size_t, c.c_size_t]
libc.strdup.restype = c.c_void_p
libc.strdup.argtypes = [c.c_char_p]


class Message(c.Structure):
    _fields_ = [("style", c.c_int), ("text", c.c_char_p)]


class Response(c.Structure):
    _fields_ = [("text", c.c_void_p), ("code", c.c_int)]


CONVERSE = c.CFUNCTYPE(
    c.c_int, c.c_int, c.POINTER(c.POINTER(Message)), c.POINTER(c.POINTER(Response)), c.c_void_p
)
CONVERSATION_ERROR = 19


class Conversation(c.Structure):
    _fields_ = [("function", CONVERSE), ("data", c.c_void_p)]


pam = c.CDLL("libpam.so.0")
pam.pam_start_confdir.argtypes = [
    c.c_char_p,
    c.c_char_p,
    c.POINTER(Conversation),
    c.c_char_p,
    c.POINTER(c.c_void_p),
]
pam.pam_chauthtok.argtypes = [c.c_void_p, c.c_int]
pam.pam_end.argtypes = [c.c_void_p, c.c_int]


class Case:
    def __init__(self, case):
        self.case = case
        self.answers, self.said, self.taken = [], [], []

    def note_taken(self):
        """What lies at descriptors that were closed."""
        for descriptor in self.case.get("close", []):
            try:
                self.taken.append(os.readlink(f"/proc/self/fd/{descriptor}"))
            except FileNotFoundError:
                pass

    def converse(self, count, messages, responses, _):
        self.note_taken()
        replies = c.cast(libc.calloc(count, c.sizeof(Response)), c.POINTER(Response))
        for number in range(count):
            message = messages[number].contents
            self.said.append([message.style, message.text.decode("utf-8", "replace")])
            if message.style in (1, 2):
                answer = self.answers.pop(0) if self.answers else None
                if answer is None:
                    return CONVERSATION_ERROR
                replies[number].text = libc.strdup(bytes.fromhex(answer))
        responses[0] = replies
        return 0

    def once(self):
        case = self.case
        self.answers, self.said = list(case.get("answers", [])), []
        handle, function = c.c_void_p(), CONVERSE(self.converse)
        conversation = Conversation(function, None)
        user = bytes.fromhex(case["user"])
        code = pam.pam_start_confdir(
            case["service"].encode(), user, c.byref(conversation), case["folder"].encode(), c.byref(handle)
        )
        code = code or self.call(handle)
        pam.pam_end(handle, code)
        return code

    def call(self, handle):
        flags = self.case.get("flags", 0)
        if "entry" not in self.case:
            return pam.pam_chauthtok(handle, flags)
        entry = getattr(c.CDLL(self.case["module"]), self.case["entry"])
        entry.argtypes = [c.c_void_p, c.c_int, c.c_int, c.c_void_p]
        arguments = [argument.encode() for argument in self.case.get("arguments", [])]
        array = (c.c_char_p * len(arguments))(*arguments)
        return entry(handle, flags, len(arguments), array)

    def run(self):
        for descriptor in self.case.get("close", []):
            os.dup2(descriptor, 100 + descriptor, inheritable=False)
            os.close(descriptor)
        result = self.repeated()
        for descriptor in self.case.get("close", []):
            os.dup2(100 + descriptor, descriptor)
        return result

    def repeated(self):
        code = self.once()
        before = len(os.listdir("/proc/self/fd"))
        for _ in range(self.case.get("repeat", 1) - 1):
            code = self.once()
        after = len(os.listdir("/proc/self/fd"))
        self.note_taken()
        return {
            "code": code,
            "said": self.said,
            "unused": len(self.answers),
            "opened": after - before,
            "taken": self.taken,
        }


if __name__ == "__main__":
    print(json.dumps([Case(case).run() for case in json.load(sys.stdin)]))
