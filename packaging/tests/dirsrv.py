"""389 Directory Server, which asks cracklib's library: the drop-in."""

from machine import check
from running import FINE, Server, at_once, install, is_in_no_log, judges

START = "Start-Stone-Violet-9"
ADDRESS = "ldap://127.0.0.1:3890"
MANAGER = ["-D", "cn=Directory Manager", "-w", START]
PEOPLE = "ou=people,dc=ex"
INSTANCE = f"""[general]
full_machine_name = localhost
strict_host_checking = False
selinux = False
systemd = False
start = False
[slapd]
instance_name = test
root_password = {START}
port = 3890
secure_port = 6360
self_sign_cert = False
[backend-userroot]
suffix = dc=ex
sample_entries = yes
"""
# What the page says to set; without the others a password would be refused for its composition.
POLICY = """dn: cn=config
changetype: modify
replace: passwordCheckSyntax
passwordCheckSyntax: on
-
replace: passwordDictCheck
passwordDictCheck: on
-
replace: passwordMinCategories
passwordMinCategories: 1
"""
# Each entry may write its own password.
OWN = f"""dn: {PEOPLE}
changetype: modify
add: aci
aci: (targetattr="userPassword")(version 3.0; acl "own password"; allow (write) userdn="ldap:///self";)
"""


def entry(name):
    return (
        f"dn: uid={name},{PEOPLE}\nchangetype: add\nobjectClass: inetOrgPerson\nuid: {name}\n"
        f"cn: {name}\nsn: {name}\nuserPassword: {START}\n\n"
    )


def stage(machine, folder):
    install(machine, folder, "nearmiss-cracklib")
    # What a running system has made by now.
    machine.run("install", "-d", "-m", "1777", "/run/lock", "/dev/shm")
    machine.run("install", "-d", "-o", "dirsrv", "-g", "dirsrv", "/run/dirsrv")
    machine.write("root/instance", INSTANCE)
    machine.run("dscreate", "from-file", "/root/instance")
    names = ["anna", *(f"many{number}" for number in range(100))]
    machine.write("root/entries", "".join(entry(name) for name in names) + f"{OWN}\n{POLICY}")
    with Server(machine, "ns-slapd", "-D", "/etc/dirsrv/slapd-test", "-d", "0") as server:
        server.wait_until(lambda: modified(machine, MANAGER, "")[0] == 0)
        machine.run("ldapmodify", "-x", "-H", ADDRESS, *MANAGER, "-f", "/root/entries")
        judges("389-ds", lambda password: change(machine, "anna", password))
        anna = ["-D", f"uid=anna,{PEOPLE}", "-w", FINE]
        check(modified(machine, anna, "")[0] == 0, "the new password holds")
        at_once("389-ds", lambda password, number: change(machine, f"many{number}", password), many=100)
        machine.write("etc/security/nearmiss.conf", "min_lenght = 9\n")
        status, said = change(machine, "many1", f"{FINE}-3", f"{FINE}-1")
        check(status != 0 and "not at fault" in said, "a mistake in the configuration refuses everything")
        machine.write("etc/security/nearmiss.conf", "")
        check(change(machine, "many1", f"{FINE}-3", f"{FINE}-1")[0] == 0, "and mended a good one is")
        said = server.said()
    is_in_no_log(machine, said)


def change(machine, name, new, old=START):
    """The entry writes its own password, as every client does; Directory Manager's are not checked."""
    who = f"uid={name},{PEOPLE}"
    text = f"dn: {who}\nchangetype: modify\nreplace: userPassword\nuserPassword: {new}\n"
    return modified(machine, ["-D", who, "-w", old], text)


def modified(machine, who, text):
    return machine.attempt("ldapmodify", "-x", "-H", ADDRESS, *who, text=text)
