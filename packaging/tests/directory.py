"""OpenLDAP: slapd with the ppolicy overlay."""

from machine import check
from running import FINE, Server, install, is_in_no_log, judges

START = "start-stone-violet"
ADDRESS = "ldap://127.0.0.1:3899"
CONFIGURATION = """include /etc/ldap/schema/core.schema
include /etc/ldap/schema/cosine.schema
include /etc/ldap/schema/inetorgperson.schema
modulepath /usr/lib/ldap
moduleload back_mdb
moduleload ppolicy
database mdb
suffix "dc=ex"
rootdn "cn=admin,dc=ex"
rootpw adminpw
directory /srv/ldap
access to * by self write by anonymous auth by * read
overlay ppolicy
ppolicy_default "cn=pp,dc=ex"
"""
ENTRIES = f"""dn: dc=ex
objectClass: dcObject
objectClass: organization
o: ex
dc: ex

dn: cn=pp,dc=ex
objectClass: device
objectClass: pwdPolicy
objectClass: pwdPolicyChecker
cn: pp
pwdAttribute: userPassword
pwdCheckQuality: 2
pwdCheckModule: nearmiss_ppolicy25.so

dn: uid=annabella,dc=ex
objectClass: inetOrgPerson
uid: annabella
cn: Anna
sn: A
userPassword: {START}
"""
ANNA = "uid=annabella,dc=ex"


def stage(machine, folder):
    install(machine, folder, "slapd-nearmiss")
    machine.run("sh", "-c", "mkdir /srv/ldap && chown openldap:openldap /srv/ldap")
    machine.write("root/slapd.conf", CONFIGURATION)
    machine.run("install", "-o", "openldap", "-m", "0600", "/root/slapd.conf", "/srv/slapd.conf")
    machine.write("root/entries", ENTRIES)
    slapd = [
        "slapd",
        "-d",
        "none",
        "-f",
        "/srv/slapd.conf",
        "-h",
        ADDRESS,
        "-u",
        "openldap",
        "-g",
        "openldap",
    ]
    with Server(machine, *slapd) as server:
        server.wait_until(lambda: bound(machine, "cn=admin,dc=ex", "adminpw"))
        machine.run(
            "ldapadd", "-x", "-H", ADDRESS, "-D", "cn=admin,dc=ex", "-w", "adminpw", "-f", "/root/entries"
        )
        status, said = change(machine, START, FINE)
        check(status != 0 and "not at fault" in said, "a slapd that may not read the filter takes nothing")
    machine.run("adduser", "--quiet", "openldap", "nearmiss")
    with Server(machine, *slapd) as server:
        server.wait_until(lambda: bound(machine, "cn=admin,dc=ex", "adminpw"))
        check(change(machine, START, "annabella7")[0] != 0, "ldappasswd rejects the name of the entry")
        judges("ldappasswd", lambda password: change(machine, START, password))
        check(bound(machine, ANNA, FINE), "the new password holds")
        said = server.said()
    is_in_no_log(machine, said)


def bound(machine, name, password):
    return machine.attempt("ldapwhoami", "-x", "-H", ADDRESS, "-D", name, "-w", password)[0] == 0


def change(machine, old, new):
    return machine.attempt("ldappasswd", "-x", "-H", ADDRESS, "-D", ANNA, "-w", old, "-s", new, ANNA)
