#!/usr/bin/env python3
"""demo.py MODULE FILTER: change a password that is nobody's.

Runs the system's real libpam with the freshly built module in a service folder of its own
(pam_start_confdir), as any user. It installs nothing and changes nothing: the only line of the stack is the
module, so no password is stored. On a terminal it asks for new passwords until Ctrl-D; without one it judges
a list of examples, and its exit status is 1 when a verdict is not the one that is expected.
"""

import ctypes as c
import getpass
import os
import shutil
import sys
import tempfile

# Each with the verdict that the built-in list gives at a least length of 6.
EXAMPLES = [
    ("password", False),
    ("Ae-ean", False),
    ("pass.word", False),
    ("gue;ss", False),
    ("elephqnt", False),
    ("accomodate", False),
    ("P4ssw0rd2026!", False),
    ("drowssap", False),
    ("passwordpassword", False),
    ("\u00e9l\u00e9phant", False),
    ("willkommen", False),
    ("schmetterling", False),
    ("Fr\u00fchling26", False),
    ("gravel otter humming lantern", True),
    ("Vq7#mzt0Lp2x", True),
]
CONFIGURATION = "min_length = 6\npackaged = false\n"
FILTERS = "words.filter", "exact.filter"
# enforce_for_root: a password of root is rejected like any other; codes: the reason's code stands behind it.
OPTIONS = "retry=1 enforce_for_root codes"

PROMPTS = (1, 2)
CONVERSATION_ERROR = 19
SUCCESS = 0


class Message(c.Structure):
    _fields_ = [("style", c.c_int), ("text", c.c_char_p)]


class Response(c.Structure):
    _fields_ = [("text", c.c_void_p), ("code", c.c_int)]


CONVERSE = c.CFUNCTYPE(
    c.c_int, c.c_int, c.POINTER(c.POINTER(Message)), c.POINTER(c.POINTER(Response)), c.c_void_p
)


class Conversation(c.Structure):
    _fields_ = [("function", CONVERSE), ("data", c.c_void_p)]


def load():
    """libpam and libc, with the few functions that are used."""
    try:
        pam = c.CDLL("libpam.so.0")
        pam.pam_start_confdir.argtypes = [
            c.c_char_p,
            c.c_char_p,
            c.POINTER(Conversation),
            c.c_char_p,
            c.POINTER(c.c_void_p),
        ]
    except (OSError, AttributeError):
        sys.exit("demo: needs Linux-PAM 1.4 or newer (package libpam0g or pam-libs)")
    pam.pam_strerror.restype = c.c_char_p
    pam.pam_strerror.argtypes = [c.c_void_p, c.c_int]
    pam.pam_chauthtok.argtypes = [c.c_void_p, c.c_int]
    pam.pam_end.argtypes = [c.c_void_p, c.c_int]
    libc = c.CDLL(None)
    libc.calloc.restype = c.c_void_p
    libc.calloc.argtypes = [c.c_size_t, c.c_size_t]
    libc.strdup.restype = c.c_void_p
    libc.strdup.argtypes = [c.c_char_p]
    return pam, libc


def user_name():
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "somebody"


class Change:
    """One change of a password: `answer` gives the bytes for a prompt or None, `show` takes every other
    message."""

    def __init__(self, folder, answer, show):
        self.folder, self.answer, self.show = folder, answer, show
        self.pam, self.libc = load()

    def converse(self, count, messages, responses, _):
        replies = c.cast(self.libc.calloc(count, c.sizeof(Response)), c.POINTER(Response))
        for number in range(count):
            message = messages[number].contents
            text = message.text.decode("utf-8", "replace")
            if message.style not in PROMPTS:
                self.show(text)
                continue
            answer = self.answer(text)
            if answer is None:
                return CONVERSATION_ERROR
            replies[number].text = self.libc.strdup(answer)
        responses[0] = replies
        return SUCCESS

    def run(self):
        """The code of libpam and its meaning in words."""
        handle, function = c.c_void_p(), CONVERSE(self.converse)
        conversation = Conversation(function, None)
        user = user_name().encode("utf-8", "surrogateescape")
        code = self.pam.pam_start_confdir(
            b"demo", user, c.byref(conversation), self.folder.encode(), c.byref(handle)
        )
        code = code or self.pam.pam_chauthtok(handle, 0)
        words = self.pam.pam_strerror(handle, code).decode()
        self.pam.pam_end(handle, code)
        return code, words


def prepare(folder, module, filters):
    """Filter, configuration and service side by side; a file must belong to root or to this user to be
    trusted."""
    configuration = CONFIGURATION
    for name, filter_file in zip(FILTERS, filters, strict=True):
        shutil.copyfile(filter_file, f"{folder}/{name}")
        configuration += f'[[dictionary]]\nfile = "{folder}/{name}"\n'
    line = f"password required {module} conf={folder}/nearmiss.conf {OPTIONS}\n"
    for name, text in [
        ("nearmiss.conf", configuration),
        ("demo", line),
        ("other", "password required pam_deny.so\n"),
    ]:
        with open(f"{folder}/{name}", "w", encoding="utf-8") as file:
            file.write(text)
    for name in os.listdir(folder):
        os.chmod(f"{folder}/{name}", 0o600)


def judge(folder, password):
    """True when the module takes the password, and what it said or libpam answered."""
    said = []
    code, words = Change(folder, lambda _: password.encode(), said.append).run()
    return code == SUCCESS, " ".join(said) or words


def reason(said):
    """The code in brackets at the end, and the message without it."""
    message, bracket, code = said.rpartition(" [")
    return (code.rstrip("]"), message) if bracket else ("", said)


def judge_examples(folder):
    print("The system's libpam with the module that was just built, least length 6:\n")
    wrong, messages = 0, {}
    for password, expected in EXAMPLES:
        accepted, said = judge(folder, password)
        code, message = ("", "") if accepted else reason(said)
        print(f"  {'accepted' if accepted else 'rejected':8}  {code:15}  {password}")
        messages.setdefault(code, message)
        wrong += accepted != expected
    print("\nWhat the user reads:\n")
    for code, message in messages.items():
        if message:
            indented = message.replace("\n", "\n      ")
            print(f"  {code}: {indented}")
    if wrong:
        print(f"\n{wrong} of {len(EXAMPLES)} verdicts are not the expected ones", file=sys.stderr)
    return 1 if wrong else 0


def ask(prompt):
    try:
        return getpass.getpass(prompt).encode("utf-8", "surrogateescape")
    except (EOFError, KeyboardInterrupt):
        print()
        return None


def talk(folder):
    print("Choose a new password. Nothing is stored; end with Ctrl-D.\n")
    while True:
        gave_up = []

        def answer(prompt, gave_up=gave_up):
            reply = ask(prompt)
            if reply is None:
                gave_up.append(True)
            return reply

        code, words = Change(folder, answer, print).run()
        if gave_up:
            return 0
        if code == SUCCESS:
            print("This password would have been set. Try another one.\n")
        else:
            print(f"({words}: passwd would keep the old password here. Try another one.)\n")


def main():
    if len(sys.argv) != 4:
        sys.exit("usage: demo.py MODULE FILTER EXACT_FILTER")
    sys.stdout.reconfigure(errors="replace")
    folder = tempfile.mkdtemp(prefix="nearmiss-demo-")
    try:
        prepare(folder, os.path.abspath(sys.argv[1]), sys.argv[2:])
        return talk(folder) if sys.stdin.isatty() else judge_examples(folder)
    finally:
        shutil.rmtree(folder)


sys.exit(main())
