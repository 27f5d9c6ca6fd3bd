"""The drop-in for libcrack: unmodified pam_pwquality, pwscore, python3-pwquality, and cracklib's tools."""

import re

import terminal
from machine import check
from running import FILTER, FINE, REJECTED, install, is_in_no_log, judges, last_line

# In the private filter alone.
PRIVATE = "zyqqwortle77x"
PYTHON = """
import pwquality, sys
settings = pwquality.PWQSettings()
settings.read_config()
try:
    print(settings.check(sys.stdin.read().strip(), None, "alice"))
except pwquality.PWQError as error:
    sys.exit(f"{error.args}")
"""


def stage(machine, folder):
    install(machine, folder, "nearmiss-cracklib")
    known = [line for line in machine.run("ldconfig", "-p").splitlines() if "libcrack.so.2" in line]
    check("/nearmiss/libcrack.so.2" in known[0], f"found first: {known[0].strip()}")
    check("pam_nearmiss" not in "".join(machine.stack()), "pam_nearmiss is not in the stack")
    check("pam_pwquality.so" in "".join(machine.stack()), "pam_pwquality is")
    for password, why in REJECTED.items():
        machine.refuses(password, f"fails the dictionary check - it is {'one' if 'one' in why else 'a'}")
    machine.accepts(FINE)
    for user in ["root", "alice"]:
        judges(f"pwscore of {user}", lambda password: machine.attempt("pwscore", text=password, user=user))
    judges("python3-pwquality", lambda password: machine.attempt("python3", "-c", PYTHON, text=password))
    python_cracklib(machine)
    perl_cracklib(machine)
    private_and_public(machine)
    firstboot(machine)
    tools_of_cracklib(machine)
    without_a_filter(machine)
    is_in_no_log(machine)
    removed(machine)


PYTHON_CRACKLIB = """
import cracklib, sys
try:
    cracklib.VeryFascistCheck(sys.stdin.read().strip())
except ValueError as error:
    sys.exit(f"{error}")
"""
PERL = "use Crypt::Cracklib; $_ = <STDIN>; chomp; my $said = fascist_check($_); print $said; "
PERL += "exit($said ne 'ok')"
# What cracklib's own tests of python3-cracklib ask of the library: two that its Python code judges by itself
# once the library took them, one that the library takes, one that it refuses.
OF_PYTHON = {
    "ot23#xyx#32to": "is a palindrome",
    "LhIRI6JXpKhUqBjT": None,
    "test": "it is shorter than 8 characters",
}


def python_cracklib(machine):
    """The module calls a function that only Debian has, and looks for the dictionary's file first."""
    judges("python3-cracklib", lambda password: asked_by_python(machine, password))
    for password, why in OF_PYTHON.items():
        status, said = asked_by_python(machine, password)
        check(
            status == 0 if why is None else status != 0 and why in said,
            f"python3-cracklib: {password!r}: {last_line(said)}",
        )


def asked_by_python(machine, password):
    return machine.attempt("python3", "-c", PYTHON_CRACKLIB, text=password)


def perl_cracklib(machine):
    judges("Crypt::Cracklib", lambda password: machine.attempt("perl", "-e", PERL, text=f"{password}\n"))


def private_and_public(machine):
    """What sets a password asks the private filter; what an ordinary user runs cannot."""
    machine.write("root/words", f"{PRIVATE}\n")
    machine.run("filterctl", "add", "--force", FILTER, "/root/words")
    machine.refuses(PRIVATE, "dictionary word or a common password")
    check(machine.attempt("pwscore", text=PRIVATE)[0] != 0, "root's pwscore knows the private filter")
    status, said = machine.attempt("pwscore", text=PRIVATE, user="alice")
    check(status == 0, f"alice's does not: {last_line(said)}")


def firstboot(machine):
    """systemd only warns, and only where it is built with libpwquality."""
    if "+PWQUALITY" not in machine.run("systemctl", "--version"):
        print("    systemd of this Debian asks no password library")
        return
    machine.run("mkdir", "-p", "/root/image/etc", "/root/image/usr")
    command = [
        "chroot",
        machine.root,
        "systemd-firstboot",
        "--root=/root/image",
        "--prompt-root-password",
        "--welcome=no",
    ]
    password = next(iter(REJECTED))
    steps = [["password", password], ["again", password]]
    said = terminal.Dialogue({"command": command, "steps": steps}).play()["transcript"]
    check(
        "it is one or two characters away" in said,
        f"systemd-firstboot: {last_line(re.sub(r'[^ -~]+', ' ', said))}",
    )


def tools_of_cracklib(machine):
    machine.run("sh", "-c", "printf 'zyzzyva\\nquokka\\n' | sort | cracklib-packer /root/dictionary")
    check(
        machine.run("cracklib-unpacker", "/root/dictionary").split() == ["quokka", "zyzzyva"],
        "packer and unpacker work",
    )
    machine.run("sh", "-c", "rm -rf /var/cache/cracklib/* && update-cracklib")
    check(
        machine.exists("var/cache/cracklib/cracklib_dict.pwd"),
        "update-cracklib builds cracklib's own dictionary",
    )


def without_a_filter(machine):
    """A filter that cannot be used is never an acceptance, and is not the user's fault."""
    machine.run("mv", FILTER, f"{FILTER}.away")
    for user in ["root", "alice"]:
        status, said = machine.attempt("pwscore", text=FINE, user=user)
        check(
            status != 0 and "not at fault" in said, f"without a filter, pwscore of {user}: {last_line(said)}"
        )
    machine.refuses("Another-7uncommon-one", "administrator's password filter")
    machine.run("mv", f"{FILTER}.away", FILTER)
    machine.accepts("Another-7uncommon-one")


def removed(machine):
    machine.remove("nearmiss-cracklib", purge=True)
    known = [line for line in machine.run("ldconfig", "-p").splitlines() if "libcrack.so.2" in line]
    check(len(known) == 1 and "/nearmiss/" not in known[0], "after purge cracklib is asked again")
    status, said = machine.attempt("pwscore", text="Passw0rd2026!")
    check(status == 0, f"which takes 'Passw0rd2026!' with a score of {said.strip()}")
