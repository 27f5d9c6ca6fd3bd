"""Samba's domain controller, Heimdal and MIT Kerberos."""

import glob

import terminal
from machine import check
from running import FINE, Server, endures, goes, install, is_in_no_log, judges, last_line, stays, upgraded

REALM = "EX.ORG"
SAMBA = "/root/domain"
HEIMDAL = f"""[libdefaults]
 default_realm = {REALM}
[realms]
 {REALM} = {{
  kdc = 127.0.0.1:8088
  admin_server = 127.0.0.1:8749
  kpasswd_server = 127.0.0.1:8464
 }}
[kdc]
 database = {{
  dbname = /root/heimdal/db
  mkey_file = /root/heimdal/mkey
  acl_file = /root/heimdal/acl
  log_file = /root/heimdal/log
 }}
[password_quality]
 policies = builtin:external-check
 external_program = /usr/lib/nearmiss/nearmiss-heimdal
"""
MIT = f"""[libdefaults]
 default_realm = {REALM}
[realms]
 {REALM} = {{
  kdc = 127.0.0.1:8088
  admin_server = 127.0.0.1:8749
  kpasswd_server = 127.0.0.1:8464
 }}
[logging]
 kdc = STDERR
 admin_server = STDERR
[plugins]
 pwqual = {{
  module = nearmiss:pwqual/nearmiss_pwqual.so
 }}
"""
MIT_KDC = f"""[realms]
 {REALM} = {{
  database_name = /root/mit/principal
  key_stash_file = /root/mit/stash
  acl_file = /root/mit/acl
  kdc_ports = 8088
  kdc_tcp_ports = ""
  kadmind_port = 8749
  kpasswd_port = 8464
 }}
"""


def samba(machine, folder):
    """A domain's data base, which samba-tool asks as the server would; no daemon runs."""
    install(machine, folder)
    if not glob.glob(machine.path("usr/lib/*/samba/vfs/acl_xattr.so")):
        # Where the package of these modules is empty, they are in that of the file server.
        machine.install("samba")
    machine.run(
        "samba-tool",
        "domain",
        "provision",
        "--realm=AD.EXAMPLE",
        "--domain=ADEXAMPLE",
        "--server-role=dc",
        "--adminpass=Start-Stone-Violet-9",
        "--dns-backend=NONE",
        f"--targetdir={SAMBA}",
    )
    settings = f"{SAMBA}/etc/smb.conf".lstrip("/")
    hook = "check password script = /usr/sbin/filterctl hook samba"
    machine.write(settings, machine.read(settings).replace("[global]", f"[global]\n\t{hook}", 1))

    def create(password, user=None, *names):
        account = user or f"user{len(password)}"
        return machine.attempt(
            "samba-tool",
            "user",
            "create",
            account,
            password,
            *names,
            "-s",
            f"/{settings}",
            "-H",
            f"tdb://{SAMBA}/private/sam.ldb",
        )

    judges("samba-tool", create, shows_reason=False)
    check(create("annabella7", "annabella")[0] != 0, "samba-tool rejects the account's name")
    check(create("zebulonquist", "zq", "--given-name=Zebulon", "--surname=Quist")[0] != 0, "and the person's")
    is_in_no_log(machine)


def heimdal(machine, folder):
    install(machine, folder)
    machine.run("mkdir", "/root/heimdal")
    machine.write("root/heimdal/krb5.conf", HEIMDAL)
    machine.write("root/heimdal/acl", "")
    asked = ["env", "KRB5_CONFIG=/root/heimdal/krb5.conf"]
    machine.run(*asked, "kstash", "--random-key", "--key-file=/root/heimdal/mkey")
    kadmin = [*asked, "kadmin.heimdal", "-l"]
    machine.run(*kadmin, "init", "--realm-max-ticket-life=1d", "--realm-max-renewable-life=1d", REALM)

    def verify(password):
        status, said = machine.attempt(*kadmin, "verify-password-quality", f"anna@{REALM}", password)
        return status or int("one character" in said or "dictionary" in said), said

    judges("kadmin verify-password-quality", verify)
    machine.run(*kadmin, "add", "--use-defaults", "--password=Start-Stone-Violet-9", f"anna@{REALM}")
    machine.run(*kadmin, "ext_keytab", "-k", "/root/heimdal/keytab", "kadmin/changepw")
    kdc, kpasswdd = "/usr/lib/heimdal-servers/kdc", "/usr/lib/heimdal-servers/kpasswdd"
    with Server(machine, *asked, kdc, "--addresses=127.0.0.1", "--ports=8088") as server, Server(
        machine,
        *asked,
        kpasswdd,
        "--addresses=127.0.0.1",
        "--port=8464",
        "--keytab=FILE:/root/heimdal/keytab",
    ) as changer:
        server.wait_until(lambda: login(machine, asked, "Start-Stone-Violet-9") == 0)
        judges(
            "kpasswd of Heimdal", lambda password: change(machine, asked, "Start-Stone-Violet-9", password)
        )
        check(login(machine, asked, FINE) == 0, "the new password holds")
        said = server.said() + changer.said()
    is_in_no_log(machine, said, machine.read("root/heimdal/log"))


def login(machine, asked, password):
    machine.write("root/heimdal/pw", password)
    return machine.attempt(*asked, "kinit.heimdal", "--password-file=/root/heimdal/pw", f"anna@{REALM}")[0]


def change(machine, asked, old, new):
    """kpasswd asks on a terminal."""
    command = ["chroot", machine.root, *asked, "kpasswd.heimdal", f"anna@{REALM}"]
    steps = [["Password:", old], ["New password", new], ["New password", new]]
    played = terminal.Dialogue({"command": command, "steps": steps}).play()
    is_done = "Success" in played["transcript"]
    return int(not is_done), played["transcript"]


def mit(machine, folder):
    machine.remove("heimdal-kdc", "heimdal-clients")
    machine.install("krb5-kdc", "krb5-admin-server")
    install(machine, folder, "krb5-nearmiss")
    machine.run("mkdir", "/root/mit")
    machine.write("root/mit/krb5.conf", MIT)
    machine.write("root/mit/kdc.conf", MIT_KDC)
    machine.write("root/mit/acl", "")
    asked = ["env", "KRB5_CONFIG=/root/mit/krb5.conf", "KRB5_KDC_PROFILE=/root/mit/kdc.conf"]
    machine.run(*asked, "kdb5_util", "create", "-s", "-P", "master-Key-of-a-test", "-r", REALM)
    machine.run(*asked, "kadmin.local", "addpol", "plain")

    def add(password, name="anna", *policy):
        return machine.attempt(*asked, "kadmin.local", "addprinc", *policy, "-pw", password, name)

    judges("kadmin.local", add)
    judges("kadmin.local with a policy", lambda password: add(password, "bob", "-policy", "plain"))
    of_policies(machine, add)
    check(add("annabella7", "annabella/admin")[0] != 0, "kadmin.local rejects the name of the principal")
    for name, password in NAMES:
        check(add(password, name)[0] != 0, f"kadmin.local rejects a name of {name}: {password!r}")
    machine.run(*asked, "kadmin.local", "addprinc", "-pw", "Start-Stone-Violet-9", "dora")
    endures(
        machine,
        "kadmin.local",
        lambda password: machine.attempt(*asked, "kadmin.local", "cpw", "-pw", password, "dora"),
    )
    over_the_network(machine, asked)
    machine.run("mv", "/var/cache/nearmiss/words.filter", "/root/away")
    status, said = add(FINE, "carl")
    check(
        status != 0 and "words.filter" in said and "not at fault" in said, "without a filter nothing is taken"
    )
    is_in_no_log(machine)
    principals = machine.run(*asked, "kadmin.local", "listprincs")
    check("anna@" in principals and "carl@" not in principals, "the good ones are there")
    machine.run("mv", "/root/away", "/var/cache/nearmiss/words.filter")
    machine.write("etc/krb5.conf", MIT)
    stays(machine, "krb5-nearmiss", "module = nearmiss:pwqual/nearmiss_pwqual.so")
    upgraded(machine, folder, "krb5-nearmiss")
    machine.write("etc/krb5.conf", "")
    goes(machine, "krb5-nearmiss")


def of_policies(machine, add):
    """A policy may have a configuration of its own."""
    folder = "etc/security/nearmiss-krb5"
    machine.run("mkdir", f"/{folder}")
    machine.write(f"{folder}/plain.conf", "min_length = 60\n")
    status, said = add(FINE, "eve", "-policy", "plain")
    check(status != 0 and "shorter than 60" in said, "a policy with a configuration of its own")
    check(add(FINE, "eve")[0] == 0, "is none of a principal without it")
    machine.write(f"{folder}/plain.conf", 'enforce = "audit"\n')
    check(add("elephqnt1", "fay", "-policy", "plain")[0] == 0, "one that audits is exempt")
    machine.run("rm", "-r", f"/{folder}")


# What is called otherwise than the first component: the principal, its realm, its realm's labels.
NAMES = [
    ("test", f"test@{REALM}"),
    ("test", "EX.ORG1791520"),
    ("test", "gro.xe1234"),
    ("admin/zebulonquist", "zebulonquist1"),
]
# What kpasswd says of the code of a rejection: the sentences are Kerberos' own.
OVER_THE_NETWORK = {
    "aB3x": "too short",
    "elephqnt1": "dictionary of possible passwords",
    "dora1234": "quality failure",
}


def over_the_network(machine, asked):
    machine.run(*asked, "kadmin.local", "cpw", "-pw", "Start-Stone-Violet-9", "dora")
    kadmind = [*asked, "kadmind", "-nofork"]
    with Server(machine, *asked, "krb5kdc", "-n") as kdc, Server(machine, *kadmind) as server:
        server.wait_until(lambda: "starting" in server.said())
        kdc.wait_until(lambda: "commencing operation" in kdc.said())
        for password, why in OVER_THE_NETWORK.items():
            said = kpasswd(machine, asked, "Start-Stone-Violet-9", password)
            check(why in said, f"kpasswd of MIT says {why!r}: {last_line(said)}")
        said = kpasswd(machine, asked, "Start-Stone-Violet-9", FINE)
        check("Password changed" in said, "and changes to a good one")


def kpasswd(machine, asked, old, new):
    command = ["chroot", machine.root, *asked, "kpasswd", "dora"]
    steps = [["Password for", old], ["Enter new password", new], ["Enter it again", new]]
    return terminal.Dialogue({"command": command, "steps": steps}).play()["transcript"]
