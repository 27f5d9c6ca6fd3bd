"""What goes wrong on real systems, each on a fresh machine: no step may lock anybody out or lose a filter."""

import json
import os
import tarfile
import time

import packages
import trees
from machine import check
from rollout import WELL, doctor
from scenarios import (
    CHECK_FIRST,
    DROP_IN,
    FILTER,
    FINE,
    IN_DICTIONARY,
    OURS,
    WORD,
    check_access,
    check_stack,
    check_state,
    content,
    install,
    show,
)


def hostile_lists(machine, folder):
    """Whatever lies in /usr/share/dict, dpkg does not fail and the filter is not lost."""
    install_over_junk(machine, folder)
    with_nothing_to_build_on(machine)
    put_hostile_lists(machine.path("usr/share/dict"))
    fire(machine, "junk, a dangling symlink, a folder, a Latin-1 list and a list of 60 MB")
    check(machine.verdict("åskådarinna") == 1, "a word of the Latin-1 list is refused")
    check(machine.verdict("qzkw4299999xv") == 1, "the last word of the 60 MB list is refused")
    show([f"the filter has {os.path.getsize(machine.path(FILTER)):,} bytes"])
    check_access(machine)
    machine.accepts(FINE)


def install_over_junk(machine, folder):
    """What lies in the folder of lists before the installation: lists of words in other forms, and what is no
    list."""
    lists = machine.path("usr/share/dict")
    os.makedirs(lists, exist_ok=True)
    digest = "5baa61e4c9b93f3f0682250b6cf8331b7ee68fd8"
    with tarfile.open(f"{lists}/lists.tar.gz", "w:gz") as archive:
        archive.add("/etc/os-release")
    for name, text in [
        ("digests", "".join(f"{number:08X}{digest[8:].upper()}\n" for number in range(100))),
        ("counted", "".join(f"{9000 - number:7} qzvwk{number}jx\n" for number in range(100))),
        ("users", "".join(f"user{number}:zvqkx{number}wj\n" for number in range(100))),
        ("anybodys", "zqwvanyjkpl\n"),
    ]:
        machine.write(f"usr/share/dict/{name}", text)
    os.chmod(f"{lists}/anybodys", 0o666)
    with open(f"{lists}/noise", "wb") as file:
        file.write(os.urandom(100_000))
    said = install(machine, folder)
    for name in ["digests", "anybodys", "lists.tar.gz", "noise"]:
        check(f"/usr/share/dict/{name}" in said, f"the installation names {name}, which it leaves out")
    doctor(machine, WELL)
    machine.refuses(WORD, IN_DICTIONARY)
    check(machine.verdict("qzvwk42jx") == 1, "a word of a list with counts is refused")
    check(machine.verdict("zvqkx42wj") == 1, "a password of a list of users is refused")
    check(machine.verdict("zqwvanyjkpl") == 0, "a list that anybody may write is not in the filter")
    machine.run("sh", "-c", "rm -r /usr/share/dict/*")


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
    os.makedirs(machine.path("usr/share/dict"), exist_ok=True)
    machine.run("mv", "/usr/sbin/filterctl", "/usr/sbin/filterctl.kept")
    for name, replacement in [
        ("filterctl is missing", None),
        ("filterctl fails", "#!/bin/sh\nexit 2\n"),
        ("filterctl is killed", "#!/bin/sh\nkill -9 $$\n"),
    ]:
        if replacement:
            machine.write("usr/sbin/filterctl", replacement)
            os.chmod(machine.path("usr/sbin/filterctl"), 0o755)
        fire(machine, name)
    machine.run("mv", "/usr/sbin/filterctl.kept", "/usr/sbin/filterctl")
    on_a_full_disk(machine, filter_before)
    check(content(machine, FILTER) == filter_before, "the earlier filter is still there, byte for byte")
    check_access(machine)


def on_a_full_disk(machine, filter_before):
    """The cache on a file system that has room for the filters and no more."""
    cache = machine.path(os.path.dirname(FILTER))
    room = sum(entry.stat().st_size for entry in os.scandir(cache)) + (64 << 10)
    machine.run("mount", "-t", "tmpfs", "-o", f"size={room},mode=0755", "none", "/mnt")
    machine.run("sh", "-c", f"cp -p /{os.path.dirname(FILTER)}/* /mnt")
    kept = sorted(os.listdir(machine.path("mnt")))
    machine.run("mount", "--move", "/mnt", "/var/cache/nearmiss")
    machine.write("usr/share/dict/new", "".join(f"newcomer{number}\n" for number in range(10_000)))
    fire(machine, "the disk is full")
    check(
        content(machine, FILTER) == filter_before,
        "the filter on the full disk is the earlier one, byte for byte",
    )
    check(
        sorted(os.listdir(machine.path("var/cache/nearmiss"))) == kept, "and nothing new lies beside it"
    )
    with open(machine.path(f"{FILTER}.update"), encoding="utf-8") as file:
        failed = json.load(file)["failed"]
    check(failed and "No space left" in failed["reason"], "that the rebuild failed is remembered")
    machine.run("umount", "/var/cache/nearmiss")


def fire(machine, name):
    """Fires the trigger as a package with a word list does."""
    started = time.monotonic()
    status, said = machine.attempt(
        "sh", "-c", "dpkg-trigger --no-await /usr/share/dict && dpkg --triggers-only -a"
    )
    show(said.splitlines())
    check(status == 0, f"{name}: dpkg goes on ({time.monotonic() - started:.1f} s)")
    check(machine.is_installed("nearmiss-tools"), "nearmiss-tools is still installed")


def hand_edited(machine, folder):
    """A stack changed by hand still names the module: it is not taken away under it."""
    install(machine, folder)
    refused_removal(machine, "etc/pam.d/common-password", edit_stack)
    status, said = machine.attempt("dpkg", "--force-depends", "--remove", "nearmiss-tools")
    check(
        status != 0 and "/etc/pam.d/common-password" in said and machine.exists(FILTER),
        "its filter does not go either",
    )
    machine.accepts(FINE)
    machine.run("pam-auth-update", "--package", "--force")
    keeps_choices(machine)
    refused_removal(machine, "etc/pam.d/samba", lambda m: m.write("etc/pam.d/samba", f"{CHECK_FIRST}\n"))
    check_stack(machine)
    machine.write("etc/pam.d/samba", f"# {CHECK_FIRST}\n")
    machine.remove(*OURS, purge=True)
    check(not any(machine.is_installed(package) for package in OURS), "once no file names it, it goes")
    machine.accepts("elephantine-7")


def keeps_choices(machine):
    """A refused removal leaves on what the administrator has switched on, and off what is off."""
    machine.run("pam-auth-update", "--disable", "nearmiss", "nearmiss-record")
    machine.run("pam-auth-update", "--enable", "nearmiss-failed")
    before = [machine.read(f"etc/pam.d/common-{kind}") for kind in ["auth", "account", "password"]]
    own = "etc/pam-site/password"
    machine.run("mkdir", "-p", f"/{os.path.dirname(own)}")
    machine.write("etc/pam.d/own", f"@include /{own}\n")
    refused_removal(machine, own, lambda m: m.write(own, f"{CHECK_FIRST}\n"))
    after = [machine.read(f"etc/pam.d/common-{kind}") for kind in ["auth", "account", "password"]]
    check(before == after, "what was switched on and off is what it was")
    machine.run("rm", "-r", "/etc/pam.d/own", f"/{os.path.dirname(own)}")
    # A copy of a stack is no stack.
    machine.write("etc/pam.d/common-password.old-one", f"{CHECK_FIRST}\n")
    machine.run("pam-auth-update", "--disable", "nearmiss-failed")
    machine.run("pam-auth-update", "--enable", "nearmiss", "nearmiss-record")


def edit_stack(machine):
    """An edit that pam-auth-update does not take for its own: it leaves the file alone from then on."""
    text = machine.read("etc/pam.d/common-password")
    machine.write(
        "etc/pam.d/common-password",
        text.replace("requisite\t\t\tpam_nearmiss.so", "required pam_nearmiss.so"),
    )
    check(
        "password required pam_nearmiss.so retry=3" in machine.stack(), "common-password is edited by hand"
    )


def refused_removal(machine, file, edit):
    edit(machine)
    status, said = machine.attempt("apt-get", "purge", *trees.APT_QUIET, *OURS)
    show(line for line in said.splitlines() if "libpam-nearmiss" in line or line.startswith("  /"))
    check(status != 0 and f"/{file}" in said, f"removal is refused and names /{file}")
    check(
        all(machine.is_installed(package) for package in OURS),
        "the packages are still installed and configured",
    )


def without_a_filter(machine, folder):
    """A filter that cannot be built: the module is not even unpacked, and passwd works as before."""
    tools, module = (packages.named(folder, name) for name in ["nearmiss-tools", "libpam-nearmiss"])
    machine.run("mkdir", "-p", "/var/cache/nearmiss")
    machine.run("mount", "-t", "tmpfs", "-o", "size=16k,mode=0755", "none", "/var/cache/nearmiss")
    status, said = machine.attempt("apt-get", "install", "-y", "-q", *machine.copy_in([tools, module]))
    show(said.splitlines()[-8:])
    check(status != 0, "the installation fails, because no filter can be built")
    check(not any("nearmiss" in line for line in machine.stack()), "and no stack names the module")
    machine.accepts("elephantine-7")
    machine.run("umount", "/var/cache/nearmiss")
    machine.run("apt-get", "install", "-f", "-y", "-q")
    machine.install(*machine.copy_in([tools, module]))
    machine.refuses(WORD, IN_DICTIONARY)


def broken_settings(machine, folder):
    """Settings from an earlier time that cannot be read: the module is not unpacked on top of them."""
    machine.run("mkdir", "-p", f"/{os.path.dirname(DROP_IN)}")
    machine.write(DROP_IN, "min_lenght = 10\n")
    refused_installation(
        machine,
        packages.named(folder, "nearmiss-tools"),
        packages.named(folder, "libpam-nearmiss"),
        "min_lenght",
    )
    machine.run("rm", f"/{DROP_IN}")
    install(machine, folder)
    machine.refuses(WORD, IN_DICTIONARY)


def foreign_architecture(machine, folder):
    """A module that the system's own programs cannot load: neither it nor its profile is unpacked."""
    machine.run("dpkg", "--add-architecture", "i386")
    other = packages.altered(
        packages.named(folder, "libpam-nearmiss"), Architecture="i386", Depends="libpam-runtime"
    )
    refused_installation(machine, packages.named(folder, "nearmiss-tools"), other, "program for amd64")


def persons_group(machine, folder):
    """A person's group has our name: that person would be let into the filter, so nothing is installed."""
    machine.run("groupadd", "--gid", "5000", "nearmiss")
    tools, module = (packages.named(folder, name) for name in ["nearmiss-tools", "libpam-nearmiss"])
    refused_installation(machine, tools, module, "the system group nearmiss could not be created")
    check(not machine.exists(FILTER), "no filter is built for that group")
    machine.run("groupmod", "--new-name", "person", "nearmiss")
    install(machine, folder)
    check_state(machine)


def refused_installation(machine, tools, module, why):
    status, said = machine.attempt(
        "apt-get", "install", *trees.APT_QUIET, *machine.copy_in([tools, module])
    )
    show(line for line in said.splitlines() if "libpam-nearmiss" in line or why in line)
    check(status != 0 and why in said, f"the installation is refused: {why}")
    machine.run("pam-auth-update", "--package")
    check(
        not any("nearmiss" in line for line in machine.stack()),
        "no stack names the module, whatever calls pam-auth-update",
    )
    machine.accepts("elephantine-7")
