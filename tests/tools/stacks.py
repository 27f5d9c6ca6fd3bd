#!/usr/bin/env python3
"""stacks.py FILE: what real programs do with PAM stacks, beside what `filterctl doctor` says of them.

Must run as root inside a private mount namespace of its own (`unshare -m --propagation private`). FILE is
JSON: module, filter, filterctl, prepare (a command that is run first), libraries (a folder laid over that of
the machine, or null), stacks: a list of {name, files}, the files by their names in /etc/pam.d.

For each stack `passwd` is run by a user on a terminal, `chpasswd` by root, and a change that a login demands;
the hash in /etc/shadow shows which password was set. Prints JSON: for each stack what really happened and
what doctor printed; where doctor found something WRONG, the same again after its first fix was typed.
"""

import json
import os
import pty
import re
import shutil
import subprocess
import sys

import scenario

CURRENT = "Orig-0ld-pw"
WEAK = "password1"
# Weak ones that other modules are likely to accept: long, and of four kinds of characters.
MIXED, LONG = "Password-1", "Password-1Password-1Password-1"
STUBBORN = [LONG, MIXED, WEAK]
FIRST, SECOND, SHORT = "kT4-vQ9.zR2_hL7+mX3:", "dG5-wB8.nP6_sJ9+cF2:", "kT4-vQ9."
PROMPT = re.compile(rb"(?i)(password|retype|again|re-enter)[^\n]*: ?$")
AGAIN = ["retype", "re-type", "again", "re-enter"]
MOST_PROMPTS = 24
# PAM_CHANGE_EXPIRED_AUTHTOK
EXPIRED = 0x20
# Fixes that are not for a shell, or not for a copy of some folders: a package manager writes beyond them.
NOT_TYPED = ("vi ", "ls ", "apt-get ", "dnf ")


def hash_of_tester():
    with open("/etc/shadow", encoding="utf-8") as file:
        return next(line.split(":")[1] for line in file if line.startswith(f"{scenario.TESTER}:"))


def belongs(password, field):
    """True for the password that has this hash: Perl's crypt is that of the system."""
    command = ["perl", "-e", "exit(crypt($ARGV[0], $ARGV[1]) ne $ARGV[1])", password, field]
    return subprocess.run(command, check=False).returncode == 0


class State:
    """The files of accounts and of used passwords, as they were when no password was changed."""

    FILES = ["/etc/passwd", "/etc/shadow", "/etc/security/opasswd"]

    def __init__(self):
        self.kept = {}
        for path in self.FILES:
            self.kept[path] = open(path, "rb").read() if os.path.exists(path) else None

    def restore(self):
        for path, content in self.kept.items():
            if content is not None:
                with open(path, "wb") as file:
                    file.write(content)
            elif os.path.exists(path):
                os.remove(path)


def answer(prompt, current, rounds, state):
    text = prompt.decode("utf-8", "replace").lower()
    if "current" in text or "old " in text:
        return current
    if not any(word in text for word in AGAIN):
        state["round"] += 1
    return rounds[min(state["round"], len(rounds)) - 1]


def passwd(current, rounds):
    """Runs passwd as the tester; returns its exit status and what it showed."""
    child, terminal = pty.fork()
    if child == 0:
        os.setgroups([])
        os.setresgid(scenario.UID, scenario.UID, scenario.UID)
        os.setresuid(scenario.UID, scenario.UID, scenario.UID)
        os.execve("/usr/bin/passwd", ["passwd"], {"LC_ALL": "C", "PATH": "/usr/bin:/bin"})
    shown, line, state, prompts = b"", b"", {"round": 0}, 0
    while True:
        try:
            part = os.read(terminal, 4096)
        except OSError:
            break
        if not part:
            break
        shown += part
        line = (line + part).rpartition(b"\n")[2]
        if PROMPT.search(line):
            prompts += 1
            if prompts > MOST_PROMPTS:
                os.write(terminal, b"\x03")
                continue
            os.write(terminal, answer(line, current, rounds, state).encode() + b"\n")
            line = b""
    os.close(terminal)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status), shown.decode("utf-8", "replace")


def forced(password):
    """A login that demands a change, by libpam itself: root asks for the current password."""
    answers = [text.encode().hex() for text in [CURRENT, password, password]]
    user = scenario.TESTER.encode().hex()
    case = {"folder": "/etc/pam.d", "service": "login", "user": user, "flags": EXPIRED, "answers": answers}
    driver = os.path.join(os.path.dirname(os.path.abspath(__file__)), "pamdrive.py")
    subprocess.run(["python3", driver], input=json.dumps([case]), text=True, capture_output=True, check=False)


def chpasswd(password):
    text = f"{scenario.TESTER}:{password}\n"
    return subprocess.run(["chpasswd"], input=text, text=True, capture_output=True, check=False).returncode


def facts(state):
    """What really happens."""
    seen = {}

    def fresh():
        state.restore()
        return hash_of_tester()

    def is_set(password, before):
        field = hash_of_tester()
        return field != before and belongs(password, field)

    before = fresh()
    status, _ = passwd(CURRENT, [FIRST])
    seen["random_is_set"] = is_set(FIRST, before)
    seen["said_so"] = status == 0
    if seen["random_is_set"]:
        passwd(FIRST, [SECOND])
        before = hash_of_tester()
        passwd(SECOND, [FIRST, *STUBBORN])
        seen["weak_after_used"] = any(is_set(weak, before) for weak in STUBBORN)
        if not is_set(FIRST, before):
            fresh()
            passwd(CURRENT, [FIRST])
            passwd(FIRST, [SECOND])
            before = hash_of_tester()
            passwd(SECOND, [MIXED, FIRST])
            seen["used_after_rejected"] = is_set(FIRST, before)
    before = fresh()
    passwd(CURRENT, [WEAK])
    seen["weak_is_set"] = is_set(WEAK, before)
    before = fresh()
    forced(WEAK)
    seen["weak_at_login"] = is_set(WEAK, before)
    before = fresh()
    passwd(CURRENT, [SHORT, *STUBBORN])
    seen["weak_after_short"] = any(is_set(weak, before) for weak in STUBBORN)
    before = fresh()
    status, _ = passwd("not-the-" + CURRENT, [FIRST])
    seen["wrong_is_success"] = status == 0 or hash_of_tester() != before
    before = fresh()
    chpasswd(FIRST)
    seen["root_can"] = is_set(FIRST, before)
    fresh()
    return seen


def really(seen):
    """The word of stacks.toml for it."""
    if seen["said_so"] and not seen["random_is_set"]:
        return "hole"
    if not (seen["random_is_set"] and seen["said_so"] and seen["root_can"]):
        return "outage"
    bad = ["weak_after_used", "weak_is_set", "weak_at_login", "weak_after_short", "used_after_rejected"]
    return "hole" if any(seen.get(name) for name in [*bad, "wrong_is_success"]) else "fine"


def doctor(setting):
    command = [setting["filterctl"], "doctor", "--only", "stack", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode == 2 or not done.stdout:
        raise SystemExit(f"doctor: {done.stderr}")
    return {"status": done.returncode, "findings": json.loads(done.stdout)["findings"]}


def examine(setting, stack, state):
    kept = "/etc/kept-pam.d"
    shutil.copytree("/etc/pam.d", kept, symlinks=True)
    for name, text in stack["files"].items():
        with open(f"/etc/pam.d/{name}", "w", encoding="utf-8", newline="") as file:
            file.write(text.replace("pam_nearmiss.so", setting["line"]))
    result = {"name": stack["name"], "really": really(facts(state)), "doctor": doctor(setting)}
    wrong = [finding for finding in result["doctor"]["findings"] if finding["state"] == "wrong"]
    fixes = [finding["fix"] or NOT_TYPED[0] for finding in wrong]
    fixes = [fix for fix in fixes if not fix.startswith(NOT_TYPED)]
    if fixes:
        subprocess.run(["sh", "-c", fixes[0]], check=True)
        result["fixed"] = {"fix": fixes[0], "really": really(facts(state)), "doctor": doctor(setting)}
        shutil.rmtree("/etc/security/nearmiss.conf.d", ignore_errors=True)
    shutil.rmtree("/etc/pam.d")
    shutil.copytree(kept, "/etc/pam.d", symlinks=True)
    shutil.rmtree(kept)
    return result


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        setting = json.load(file)
    kept = {name: setting[name] for name in ["module", "filter"]}
    scenario.enter({**kept, "configuration": None, "options": "", "extra": []})
    subprocess.run(setting["prepare"], shell=True, check=True)
    if setting["libraries"]:
        libraries = "/usr/lib/x86_64-linux-gnu"
        lower = f"lowerdir={setting['libraries']}:{libraries}"
        scenario.mount("-t", "overlay", "-o", lower, "none", libraries)
    setting["line"] = "/etc/security/pam_nearmiss.so filter=/etc/security/words.filter"
    log = scenario.Log()
    state = State()
    results = [examine(setting, stack, state) for stack in setting["stacks"]]
    del log
    print(json.dumps(results))


if __name__ == "__main__":
    main()
