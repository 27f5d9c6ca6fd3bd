"""OpenLDAP: slapd with the ppolicy overlay."""

from machine import check
from running import FINE, Server, at_once, endures, goes, install, is_in_no_log, judges, stays, upgraded

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
access to * by dn.exact="cn=manager,dc=ex" write by self write by anonymous auth by * read
overlay ppolicy
ppolicy_default "cn=pp,dc=ex"
"""
# How the page has the module named in slapd 2.6, and in 2.5.
BY_OVERLAY = ("ppolicy_check_module nearmiss_ppolicy.so\n", "pwdUseCheckModule: TRUE\n")
BY_POLICY = ("", "pwdCheckModule: nearmiss_ppolicy25.so\n")
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
HOW
dn: uid=annabella,dc=ex
objectClass: inetOrgPerson
uid: annabella
cn: Anna
sn: Zwiebelkorn
mail: a.z@kornfelder.example
userPassword: {START}
"""
MANAGER = f"\ndn: cn=manager,dc=ex\nobjectClass: person\ncn: manager\nsn: M\nuserPassword: {START}\n"
MANY = MANAGER + "".join(
    f"\ndn: uid=many{number},dc=ex\nobjectClass: inetOrgPerson\nuid: many{number}\ncn: M\nsn: M\n"
    for number in range(200)
)
ANNA = "uid=annabella,dc=ex"


def stage(machine, folder):
    install(machine, folder, "slapd-nearmiss")
    machine.run("sh", "-c", "mkdir /srv/ldap && chown openldap:openldap /srv/ldap")
    is_newer = machine.attempt("slapd", "-VV")[1].find("slapd 2.5") < 0
    line, how = BY_OVERLAY if is_newer else BY_POLICY
    machine.write("root/slapd.conf", CONFIGURATION + line)
    machine.run("install", "-o", "openldap", "-m", "0600", "/root/slapd.conf", "/srv/slapd.conf")
    machine.write("root/entries", ENTRIES.replace("HOW\n", f"{how}\n") + MANY)
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
        for password in ["zwiebelkorn", "kornfelder1", "a.z@kornfelder.example"]:
            check(change(machine, START, password)[0] != 0, f"ldappasswd rejects a name: {password!r}")
        judges("ldappasswd", lambda password: change(machine, START, password))
        check(bound(machine, ANNA, FINE), "the new password holds")
        administrator = lambda password, name=ANNA: by_administrator(machine, name, password)  # noqa: E731
        endures(machine, "ldappasswd", administrator)
        at_once(
            "ldappasswd", lambda password, number: administrator(password, f"uid=many{number},dc=ex")
        )
        said = server.said()
    is_in_no_log(machine, said)
    if line:
        machine.write("etc/ldap/slapd.conf", line)
        stays(machine, "slapd-nearmiss", line.strip())
        machine.run("rm", "/etc/ldap/slapd.conf")
    upgraded(machine, folder, "slapd-nearmiss")
    goes(machine, "slapd-nearmiss")
    without(machine, slapd, is_newer)


def without(machine, slapd, is_newer):
    """Without its module a slapd of 2.6 does not start, and one of 2.5 refuses each password."""
    with Server(machine, *slapd) as server:
        if is_newer:
            check(server.process.wait(60) != 0, "without its module slapd does not start")
        else:
            server.wait_until(lambda: bound(machine, "cn=admin,dc=ex", "adminpw"))
            status, said = by_administrator(machine, ANNA, f"{FINE}-3")
            check(status != 0, f"without its module nothing is taken: {said.strip()[-80:]!r}")


def by_administrator(machine, name, password):
    """Somebody else than rootdn, whom slapd does not check: the entry itself may write it."""
    who = ["-D", "cn=manager,dc=ex", "-w", START]
    return machine.attempt("ldappasswd", "-x", "-H", ADDRESS, *who, "-s", password, name)


def bound(machine, name, password):
    return machine.attempt("ldapwhoami", "-x", "-H", ADDRESS, "-D", name, "-w", password)[0] == 0


def change(machine, old, new):
    return machine.attempt("ldappasswd", "-x", "-H", ADDRESS, "-D", ANNA, "-w", old, "-s", new, ANNA)
