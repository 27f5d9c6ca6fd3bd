"""What an administrator does with the packages, each on a fresh machine, and what must come of it."""

import os
import re

import access
import packages
from machine import check

OURS = ["libpam-nearmiss", "nearmiss-tools"]
FILTER = access.FILTER
LADDER = "var/lib/nearmiss/chosen.ladder"
KEY = "etc/nearmiss/ladder.key"
CONFIGURATION = "etc/security/nearmiss.conf"
DROP_IN = f"{CONFIGURATION}.d/50-site.conf"

WORD, NEAR, FINE = "elephant", "elzphant", "Zz9-uncommon-phrase"
# One character away from "kaleidoscopic", with all that other checkers ask for.
DISGUISED = "k4leidosc0pyc_%73"
IN_DICTIONARY, NEAR_DICTIONARY = "dictionary word or a common password", "one or two characters away"

CHECK_FIRST = "password requisite pam_nearmiss.so retry=3"
CHECK_LATER = "password requisite pam_nearmiss.so use_authtok"
RECORD = "password optional pam_nearmiss.so record"


def install(machine, folder):
    said = machine.install(*machine.copy_in([packages.named(folder, package) for package in OURS]))
    check(all(machine.is_installed(package) for package in OURS), "both packages are installed")
    return said


def show(lines):
    for line in lines:
        print(f"        | {line}", flush=True)


def check_stack(machine):
    stack = machine.stack()
    show(stack)
    unix = next(number for number, line in enumerate(stack) if "pam_unix.so" in line)
    check(stack[0] == CHECK_FIRST, "the checking line is first")
    check("use_authtok" in stack[unix], "pam_unix takes the password that was checked")
    check(RECORD in stack[unix + 1 :], "the record line comes after the password was set")


def check_state(machine):
    check(machine.attempt("filterctl", "verify", f"/{FILTER}")[0] == 0, "the filter is built and whole")
    check(access.is_empty_system_group(machine.root), "there is a system group nearmiss without members")
    check_access(machine)


def check_access(machine):
    broken = access.broken_promises(machine.root)
    show(broken)
    check(not broken, "the filter is root:nearmiss 0640; ladder, key and their folders are root's alone")


def check_readers(machine):
    """An ordinary user reads nothing and gets the reason; a member of the group reads the filter."""
    for name in [FILTER, f"{FILTER}.sources", f"{FILTER}.update", LADDER, KEY]:
        status, said = machine.attempt("cat", f"/{name}", user="alice")
        check(status != 0 and "Permission denied" in said, f"a user cannot read /{name}")
    for name in ["var/cache/nearmiss", "var/lib/nearmiss", "etc/nearmiss"]:
        check(machine.attempt("ls", f"/{name}", user="alice")[0] != 0, f"nor list or watch /{name}")
    status, said = machine.attempt("filterctl", "check", text=f"{WORD}\n", user="alice")
    show(said.splitlines())
    check(
        status == 2 and "root" in said and "group nearmiss" in said, "filterctl check names who may check"
    )
    machine.run("adduser", "alice", access.GROUP)
    verdicts = [machine.verdict(word, user="alice") for word in [WORD, FINE]]
    check(verdicts == [1, 0], "a member of the group may check")
    machine.run("deluser", "alice", access.GROUP)
    check(machine.verdict(WORD, user="alice") == 2, "and no longer once it has left the group")


def content(machine, name):
    with open(machine.path(name), "rb") as file:
        return file.read()


def check_passwd(machine):
    """Refused in the dictionary and near it, accepted and recorded."""
    ladder = content(machine, LADDER)
    machine.refuses(WORD, IN_DICTIONARY)
    machine.refuses(NEAR, NEAR_DICTIONARY)
    check(content(machine, LADDER) == ladder, "refused passwords leave no trace in the ladder")
    machine.accepts(FINE)
    check(content(machine, LADDER) != ladder, "the password that was set is recorded in the ladder")
    check_access(machine)


def whole_life(machine, folder, companions=True):
    """Install, use, word lists that come and go, remove, install again, purge: then nothing is left."""
    before = machine.snapshot()
    install(machine, folder)
    check_stack(machine)
    check_state(machine)
    check_readers(machine)
    check_passwd(machine)
    if companions:
        word_lists(machine)
    removal(machine, folder)
    machine.remove(*OURS, purge=True)
    machine.run("sh", "-c", "rm -r /root/packages-*")
    check(access.is_empty_system_group(machine.root), "purge leaves the empty group")
    machine.run("groupdel", access.GROUP)
    changed = machine.changes_since(before)
    show(changed)
    check(
        not changed,
        "and nothing else: /etc, /usr and /var are as before, PAM configuration and state included",
    )


def removal(machine, folder):
    """A removed package keeps what cannot be made again, and comes back to it."""
    ladder = content(machine, LADDER)
    module_purged(machine)
    machine.remove("nearmiss-tools")
    check(not machine.exists(FILTER), "remove takes the filter away")
    check(
        content(machine, LADDER) == ladder and machine.exists(CONFIGURATION) and machine.exists(DROP_IN),
        "remove keeps ladder and configuration",
    )
    machine.accepts("elephantine-7")
    install(machine, folder)
    check(content(machine, LADDER) == ladder, "a package that comes back finds its ladder")
    check_state(machine)
    machine.refuses(WORD, IN_DICTIONARY)


def module_purged(machine):
    """Purged alone, the module leaves the settings: a server's plugin checks by them, too."""
    machine.write(DROP_IN, '[policy]\nforbidden_words = ["quuxcorp"]\n')
    machine.remove("libpam-nearmiss", purge=True)
    check(not any("nearmiss" in line for line in machine.stack()), "its lines are not in the stack")
    check(machine.exists(CONFIGURATION) and machine.exists(DROP_IN), "the settings stay, with nearmiss-tools")
    check(machine.verdict("Zz9-quuxcorp-phrase") == 1, "and in force: the site's word is rejected")


def word_lists(machine):
    """The trigger: a list comes, the filter knows its words; it goes, they are forgotten."""
    for package, word in [("wamerican", None), ("wfrench", "anticonstitutionnellement")]:
        if word:
            check(machine.verdict(word) == 0, f"{word!r} is in no list yet")
        said = machine.install(package)
        check("Processing triggers for nearmiss-tools" in said, f"{package} comes: the trigger fires")
        if word:
            check(machine.verdict(word) == 1, f"{word!r} is refused now")
        check_access(machine)
        check(machine.verdict(WORD) == 1, "the built-in list is still in the filter")
        said = machine.remove(package, purge=True)
        check("Processing triggers for nearmiss-tools" in said, f"{package} goes: the trigger fires")
        if word:
            check(machine.verdict(word) == 0, f"{word!r} is forgotten")
        check_access(machine)
    machine.run(
        "apt-get",
        "purge",
        "-y",
        "-q",
        "--auto-remove",
        "dictionaries-common",
        "emacsen-common",
        "libtext-iconv-perl",
    )


def beside(machine, folder, others, module):
    """Together with another password checker: it asks first, ours judges the same password."""
    machine.install(*others)
    alone = machine.stack()
    install(machine, folder)
    stack = machine.stack()
    show(stack)
    order = [
        next(n for n, line in enumerate(stack) if name in line)
        for name in [module, "pam_nearmiss.so", "pam_unix.so"]
    ]
    check(
        order == sorted(order) and stack[order[1]] == CHECK_LATER,
        f"{module}, then ours with use_authtok, then pam_unix",
    )
    return alone


def beside_pwquality(machine, folder):
    alone = beside(machine, folder, ["libpam-pwquality", "cracklib-runtime"], "pam_pwquality.so")
    status, said = machine.passwd((DISGUISED, True))
    check(
        status != 0 and "BAD PASSWORD: it is one or two characters away" in said,
        "what pwquality lets through ours refuses",
    )
    machine.accepts(FINE)
    machine.remove(*OURS, purge=True)
    check(machine.stack() == alone, "after purge the stack is pwquality's again")
    machine.accepts("Another-7uncommon-one")


def beside_passwdqc(machine, folder):
    alone = beside(machine, folder, ["libpam-passwdqc"], "pam_passwdqc.so")
    status, said = machine.passwd_by(*passwdqc_asks(DISGUISED))
    check(
        status != 0 and "BAD PASSWORD: it is one or two characters away" in said,
        "what passwdqc lets through ours refuses",
    )
    status, said = machine.passwd_by(*passwdqc_asks(FINE))
    check(status == 0 and "updated successfully" in said, "both accept a good password")
    machine.remove("libpam-passwdqc")
    check(machine.stack()[0] == CHECK_FIRST, "without passwdqc ours asks itself")
    machine.remove(*OURS, purge=True)
    machine.install("libpam-passwdqc")
    check(machine.stack() == alone, "after purge the stack is passwdqc's again")


def passwdqc_asks(candidate):
    return [["Enter new password:", candidate], ["Re-type new password:", candidate]]


def upgrade(machine, folder):
    """From an earlier version: configuration, ladder and the administrator's choices stay."""
    install(machine, packages.lowered(folder, packages.EARLIER))
    machine.write(CONFIGURATION, machine.read(CONFIGURATION).replace("#min_length = 8", "min_length = 10"))
    machine.accepts(FINE)
    ladder, key = content(machine, LADDER), content(machine, KEY)
    machine.run("pam-auth-update", "--disable", "nearmiss-record")
    with made_public(machine) as earlier:
        install(machine, folder)
        check(
            access.is_replaced(machine.root, earlier), "the filter is another file and key, not only closed"
        )
    check_state(machine)
    check("1.0.0" in machine.run("filterctl", "--version"), "the new version is there")
    check(
        (content(machine, LADDER), content(machine, KEY)) == (ladder, key),
        "ladder and key are the same bytes",
    )
    check("\nmin_length = 10\n" in machine.read(CONFIGURATION), "the edited configuration is kept")
    check(
        machine.stack()[0] == CHECK_FIRST and RECORD not in machine.stack(),
        "a line that was switched off stays off",
    )
    machine.refuses("Kx7-plum", "shorter than 10")
    machine.refuses(NEAR + "s4", NEAR_DICTIONARY)


def made_public(machine):
    """What earlier versions left: no group, a filter for everybody, and folders with the mode of the
    umask."""
    earlier = access.made_public(machine.root)
    machine.run("groupdel", access.GROUP)
    machine.run("chmod", "0755", "/etc/nearmiss", "/var/lib/nearmiss", "/var/cache/nearmiss")
    status, _ = machine.attempt("cat", f"/{FILTER}", user="alice")
    check(status == 0, "a user can read an earlier version's filter")
    return earlier


def laboratory(machine, folder):
    """It comes and goes by itself."""
    install(machine, folder)
    machine.install(*machine.copy_in([packages.named(folder, "nearmiss-lab")]))
    status, said = machine.attempt("filterlab", "spell", "--filter", f"/{FILTER}", text="the elephqnt\n")
    check(status == 1 and said == "-:1:5: elephqnt\n", "filterlab spells with the filter of the system")
    machine.remove("nearmiss-lab", purge=True)
    check(all(machine.is_installed(package) for package in OURS), "it goes, the others stay")
    machine.refuses(WORD, IN_DICTIONARY)


# The password lines of a profile as authselect has them, before its conditions are decided.
PROFILE = """\
password    requisite                    pam_localuser.so    {include if "with-nothing"}
password    sufficient                   pam_unix.so yescrypt {if not "without-nullok":nullok} use_authtok
password    [success=1 default=ignore]   pam_localuser.so
password    sufficient                   pam_permit.so
password    required                     pam_deny.so
"""


def authselect_stack(machine, folder):
    """The stack that nearmiss-authselect makes of a profile where pam_unix is sufficient and pam_deny is
    last."""
    install(machine, folder)
    script = os.path.join(packages.SOURCE, "packaging/authselect/nearmiss-authselect")
    written = machine.run("sh", "-c", content_of(script), "nearmiss-authselect", "--filter", text=PROFILE)
    for has_feature in [False, True]:
        machine.write("etc/pam.d/common-password", decided(written, has_feature))
        show(machine.stack())
        if has_feature:
            check_passwd(machine)
    check(
        decided(written, False) == decided(PROFILE, False), "without the feature the profile is what it was"
    )


def content_of(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def decided(profile, has_feature):
    """authselect's conditions, decided: "with-nearmiss" as given, no other feature on, and none implied."""
    lines = []
    for line in profile.splitlines():
        if line.startswith("{imply "):
            continue
        line = re.sub(r'\{if not "[^"]*":([^}]*)\}', r"\1", line)
        condition = re.search(r'\{(include|exclude) if "([^"]*)"\}', line)
        is_on = condition and condition[2] == "with-nearmiss" and has_feature
        if not condition or (condition[1] == "include") == bool(is_on):
            lines.append(re.sub(r"\s*\{.*\}", "", line))
    return "".join(f"{line}\n" for line in lines)
