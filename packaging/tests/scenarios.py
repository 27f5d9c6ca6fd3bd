"""What an administrator does with the packages, each on a machine of its own, and what must come of it."""
import os
import time

import packages
from machine import Machine, check, differences

OURS = ["libpam-nearmiss", "nearmiss-tools"]
FILTER = "var/cache/nearmiss/words.filter"
LADDER = "var/lib/nearmiss/chosen.ladder"
KEY = "etc/nearmiss/ladder.key"
CONFIGURATION = "etc/security/nearmiss.conf"

WORD, NEAR, FINE = "elephant", "elzphant", "Zz9-uncommon-phrase"
IN_DICTIONARY, NEAR_DICTIONARY = "dictionary word or a common password", "one character away"

CHECK_FIRST = "password requisite pam_nearmiss.so retry=3"
CHECK_LATER = "password requisite pam_nearmiss.so use_authtok"
RECORD = "password optional pam_nearmiss.so record"


def install(machine, folder):
    said = machine.install(*machine.copy_in(packages.installable(folder)))
    check(all(machine.is_installed(package) for package in OURS), "both packages are installed")
    return said


def is_private(machine, name):
    status = os.stat(machine.path(name))
    return status.st_uid == 0 and status.st_gid == 0 and status.st_mode & 0o7777 == 0o600


def check_stack(machine):
    stack = machine.stack()
    for line in stack:
        print(f"        | {line}")
    unix = next(number for number, line in enumerate(stack) if "pam_unix.so" in line)
    check(stack[0] == CHECK_FIRST, "the checking line is first")
    check("use_authtok" in stack[unix], "pam_unix takes the password that was checked")
    check(RECORD in stack[unix + 1:], "the record line comes after the password was set")


def check_state(machine):
    check(machine.attempt("filterctl", "verify", f"/{FILTER}")[0] == 0, "the filter is built and whole")
    check(is_private(machine, LADDER) and is_private(machine, KEY), "ladder and key are root:root 0600")
    check(os.stat(machine.path("var/lib/nearmiss")).st_mode & 0o777 == 0o700, "the ladder's folder is root's alone")


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
    check(is_private(machine, LADDER), "the ladder is still root:root 0600")


def whole_life(folder, companions=True):
    """Install, use, word lists that come and go, remove, install again, purge: then nothing is left."""
    machine = Machine()
    before = machine.snapshot()
    install(machine, folder)
    check_stack(machine)
    check_state(machine)
    check_passwd(machine)
    if companions:
        word_lists(machine)
    removal(machine, folder)
    machine.remove(*OURS, purge=True)
    machine.run("sh", "-c", "rm -r /root/packages-*")
    changed = differences(before, machine.snapshot())
    for line in changed:
        print(f"        | {line}")
    check(not changed, "after purge, PAM configuration and state are identical to before, and so is all of /etc, /usr and /var")


def removal(machine, folder):
    """A removed package keeps what cannot be made again, and comes back to it."""
    ladder = content(machine, LADDER)
    machine.remove(*OURS)
    check(not any("nearmiss" in line for line in machine.stack()), "remove takes the lines out of the stack")
    check(not machine.exists(FILTER), "remove takes the filter away")
    check(content(machine, LADDER) == ladder and machine.exists(CONFIGURATION), "remove keeps ladder and configuration")
    machine.accepts("elephantine-7")
    install(machine, folder)
    check(content(machine, LADDER) == ladder, "a package that comes back finds its ladder")
    machine.refuses(WORD, IN_DICTIONARY)


def word_lists(machine):
    """The trigger: a list comes, the filter knows its words; it goes, they are forgotten."""
    for package, word in [("wamerican", None), ("wfrench", "anticonstitutionnellement")]:
        if word:
            check(machine.verdict(word) == 0, f"{word!r} is in no list yet")
        said = machine.install(package)
        check("Processing triggers for nearmiss-tools" in said, f"{package} comes: the trigger fires")
        if word:
            check(machine.verdict(word) == 1, f"{word!r} is refused now")
        check(machine.verdict(WORD) == 1, "the built-in list is still in the filter")
        said = machine.remove(package, purge=True)
        check("Processing triggers for nearmiss-tools" in said, f"{package} goes: the trigger fires")
        if word:
            check(machine.verdict(word) == 0, f"{word!r} is forgotten")
    machine.run("apt-get", "purge", "-y", "-q", "--auto-remove", "dictionaries-common", "emacsen-common", "libtext-iconv-perl")


def hostile_lists(folder):
    """Whatever lies in /usr/share/dict, dpkg does not fail and the filter is not lost."""
    machine = Machine()
    install(machine, folder)
    os.makedirs(machine.path("usr/share/dict"), exist_ok=True)
    put_hostile_lists(machine.path("usr/share/dict"))
    fire(machine, "junk, a dangling symlink, a folder, a Latin-1 list and a list of 60 MB")
    check(machine.verdict("\N{LATIN SMALL LETTER A WITH RING ABOVE}skådarinna") == 1, "a word of the Latin-1 list is refused")
    check(machine.verdict("qzkw0004299999xv") == 1, "the last word of the 60 MB list is refused")
    size = os.path.getsize(machine.path(FILTER))
    print(f"        | the filter has {size:,} bytes")
    with_nothing_to_build_on(machine)
    machine.accepts(FINE)


def put_hostile_lists(folder):
    with open(f"{folder}/junk", "wb") as file:
        file.write(os.urandom(3_000_000))
    os.symlink("/nonexistent/words", f"{folder}/dangling")
    os.symlink("dangling", f"{folder}/dangling-twice")
    os.mkdir(f"{folder}/folder")
    with open(f"{folder}/svenska", "w", encoding="latin-1") as file:
        file.write("åskådarinna\nsmörgåsbordet\növerförmyndare\n")
    with open(f"{folder}/large", "w", encoding="ascii") as file:
        file.writelines(f"qzkw{number:07}xv\n" for number in range(4_300_000))


def with_nothing_to_build_on(machine):
    """Builds that cannot succeed: the filter that is there stays."""
    filter_before = content(machine, FILTER)
    machine.run("mount", "-t", "tmpfs", "-o", "size=64k,mode=0755", "none", "/mnt")
    machine.run("sh", "-c", "mv /usr/sbin/filterctl /usr/sbin/filterctl.kept")
    for name, replacement in [("filterctl is missing", None), ("filterctl fails", "#!/bin/sh\nexit 2\n"),
                              ("filterctl is killed", "#!/bin/sh\nkill -9 $$\n")]:
        if replacement:
            machine.write("usr/sbin/filterctl", replacement)
            os.chmod(machine.path("usr/sbin/filterctl"), 0o755)
        fire(machine, name)
    machine.run("mv", "/usr/sbin/filterctl.kept", "/usr/sbin/filterctl")
    on_a_full_disk(machine)
    check(content(machine, FILTER) == filter_before, "the earlier filter is still there, byte for byte")
    check(machine.attempt("filterctl", "verify", f"/{FILTER}")[0] == 0, "and whole")


def on_a_full_disk(machine):
    """The cache on a file system that has room for the filter and no more."""
    room = os.path.getsize(machine.path(FILTER)) + (64 << 10)
    machine.run("mount", "-t", "tmpfs", "-o", f"size={room},mode=0755", "none", "/mnt")
    machine.run("cp", "-p", f"/{FILTER}", "/mnt/words.filter")
    machine.run("mount", "--move", "/mnt", "/var/cache/nearmiss")
    machine.run("touch", "/usr/share/dict/svenska")
    with open(machine.path("usr/share/dict/svenska"), "a", encoding="ascii") as file:
        file.write("another\n")
    fire(machine, "the disk is full")


def fire(machine, name):
    """Fires the trigger as a package with a word list does."""
    started = time.monotonic()
    status, said = machine.attempt("sh", "-c", "dpkg-trigger --no-await /usr/share/dict && dpkg --triggers-only -a")
    for line in said.splitlines():
        print(f"        | {line}")
    check(status == 0, f"{name}: dpkg goes on ({time.monotonic() - started:.1f} s)")
    check(machine.is_installed("nearmiss-tools"), "nearmiss-tools is still installed")


def beside(folder, other, module):
    """Together with another password checker: it asks first, ours judges the same password."""
    machine = Machine()
    machine.install(other)
    alone = machine.stack()
    install(machine, folder)
    stack = machine.stack()
    for line in stack:
        print(f"        | {line}")
    order = [next(n for n, line in enumerate(stack) if name in line) for name in [module, "pam_nearmiss.so", "pam_unix.so"]]
    check(order == sorted(order) and stack[order[1]] == CHECK_LATER, f"{module}, then ours with use_authtok, then pam_unix")
    return machine, alone


def beside_pwquality(folder):
    machine, alone = beside(folder, "libpam-pwquality", "pam_pwquality.so")
    # In no dictionary of cracklib's, and one character away from a word of ours.
    candidate = "Photosynthezis"
    status, said = machine.passwd((candidate, True))
    check(status != 0 and "BAD PASSWORD: it is one character away" in said, "what pwquality lets through ours refuses")
    machine.accepts(FINE)
    machine.remove(*OURS, purge=True)
    check(machine.stack() == alone, "after purge the stack is pwquality's again")
    machine.accepts("Another-7uncommon-one")


def beside_passwdqc(folder):
    machine, alone = beside(folder, "libpam-passwdqc", "pam_passwdqc.so")
    steps = [("Zz9-uncommon-Phrase!x", True)]
    status, said = passwdqc_passwd(machine, *steps)
    check(status == 0 and "updated successfully" in said, "both accept a good password")
    machine.remove("libpam-passwdqc")
    check(machine.stack()[0] == CHECK_FIRST, "without passwdqc ours asks itself")
    machine.remove(*OURS, purge=True)
    machine.install("libpam-passwdqc")
    check(machine.stack() == alone, "after purge the stack is passwdqc's again")


def passwdqc_passwd(machine, *tries):
    """passwdqc has prompts of its own."""
    raise NotImplementedError


def upgrade(folder):
    """From an earlier version: configuration, ladder and the administrator's choices stay."""
    machine = Machine()
    install(machine, packages.lowered(folder, "0.9.0-1"))
    machine.write(CONFIGURATION, machine.read(CONFIGURATION).replace("#min_length = 8", "min_length = 10"))
    machine.accepts(FINE)
    ladder, key = content(machine, LADDER), content(machine, KEY)
    machine.run("pam-auth-update", "--disable", "nearmiss-record")
    install(machine, folder)
    check("1.0.0" in machine.run("filterctl", "--version"), "the new version is there")
    check((content(machine, LADDER), content(machine, KEY)) == (ladder, key), "ladder and key are the same bytes")
    check("\nmin_length = 10\n" in machine.read(CONFIGURATION), "the edited configuration is kept")
    check(machine.stack()[0] == CHECK_FIRST and RECORD not in machine.stack(), "a line that was switched off stays off")
    machine.refuses("Kx7-plum", "shorter than 10")
    machine.refuses(NEAR + "s4", NEAR_DICTIONARY)


def hand_edited(folder):
    """A stack changed by hand still names the module: it is not taken away under it."""
    machine = Machine()
    install(machine, folder)
    refused_removal(machine, "etc/pam.d/common-password", edit_stack)
    machine.accepts(FINE)
    machine.run("pam-auth-update", "--package", "--force")
    refused_removal(machine, "etc/pam.d/samba", lambda m: m.write("etc/pam.d/samba", f"{CHECK_FIRST}\n"))
    check_stack(machine)
    machine.write("etc/pam.d/samba", f"# {CHECK_FIRST}\n")
    machine.remove(*OURS, purge=True)
    check(not any(machine.is_installed(package) for package in OURS), "once no file names it, it goes")
    machine.accepts("elephantine-7")


def edit_stack(machine):
    text = machine.read("etc/pam.d/common-password")
    machine.write("etc/pam.d/common-password", text.replace("retry=3", "retry=3 enforce_for_root"))


def refused_removal(machine, file, edit):
    edit(machine)
    status, said = machine.attempt("apt-get", "remove", "-y", "-q", "libpam-nearmiss")
    for line in said.splitlines():
        print(f"        | {line}")
    check(status != 0 and f"/{file}" in said, f"removal is refused and names /{file}")
    check(machine.is_installed("libpam-nearmiss"), "the package is still installed and configured")


def without_a_filter(folder):
    """A filter that cannot be built: the module is not even unpacked, and passwd goes on as before."""
    machine = Machine()
    tools, module = (packages.named(folder, name) for name in ["nearmiss-tools", "libpam-nearmiss"])
    machine.run("mkdir", "-p", "/var/cache/nearmiss")
    machine.run("mount", "-t", "tmpfs", "-o", "size=16k,mode=0755", "none", "/var/cache/nearmiss")
    status, said = machine.attempt("apt-get", "install", "-y", "-q", *machine.copy_in([tools, module]))
    for line in said.splitlines()[-8:]:
        print(f"        | {line}")
    check(status != 0, "the installation fails, because no filter can be built")
    check(not any("nearmiss" in line for line in machine.stack()), "and no stack names the module")
    machine.accepts("elephantine-7")
    machine.run("umount", "/var/cache/nearmiss")
    machine.run("apt-get", "install", "-f", "-y", "-q")
    machine.install(*machine.copy_in([tools, module]))
    machine.refuses(WORD, IN_DICTIONARY)
