"""MariaDB with its own cracklib plugin through the drop-in and with ours; PostgreSQL."""

import glob
import os
import re

import packages
import trees
from machine import check
from running import FINE, Server, at_once, endures, goes, install, is_in_no_log, judges, stays, upgraded

SOCKET = "/srv/maria/socket"


# The lines of nearmiss_password_check(8).
MARIA_CONF = "etc/mysql/mariadb.conf.d/nearmiss.cnf"
MARIA_LINES = "[mariadbd]\nplugin_load_add = nearmiss_password_check\n"
PERMANENT = "nearmiss_password_check = FORCE_PLUS_PERMANENT"
IS_ON = "SELECT PLUGIN_STATUS, LOAD_OPTION FROM information_schema.PLUGINS WHERE PLUGIN_NAME LIKE 'nearmiss%'"
WORD_AWAY = "one or two characters away"
LADDERS = "the ladders of chosen and guessed passwords, which only root may read"


def mariadb(machine, folder):
    install(machine, folder, "nearmiss-cracklib", "mariadb-plugin-nearmiss")
    make_data(machine)
    said = with_plugin(
        machine, "cracklib_password_check", "MariaDB with its cracklib plugin", shows_reason=False
    )
    check(
        "only /usr/share/nearmiss/common.filter was asked" not in said, "the server's log has nothing of it"
    )
    machine.write(MARIA_CONF, f"{MARIA_LINES}{PERMANENT}\n")
    with maria(machine) as server:
        status, told = query(machine, f"CREATE USER early IDENTIFIED BY '{FINE}'")
        check(status != 0 and "not at fault" in told, "a server that may not read the filter takes nothing")
        check("words.filter" in server.said(), "and its log names the filter")
    machine.run("adduser", "--quiet", "mysql", "nearmiss")
    further = with_own_plugin(machine)
    is_in_no_log(machine, said, further)
    maria_without(machine, folder)


def make_data(machine):
    machine.run("sh", "-c", "mkdir /srv/maria && chown mysql:mysql /srv/maria")
    machine.run(
        "mariadb-install-db",
        "--no-defaults",
        "--user=mysql",
        "--datadir=/srv/maria/data",
        "--skip-test-db",
        "--auth-root-authentication-method=normal",
    )


def with_own_plugin(machine):
    name = "MariaDB with our plugin"
    with maria(machine) as server:
        status, told = query(machine, IS_ON)
        check(status == 0 and re.search("ACTIVE.FORCE_PLUS_PERMANENT", told), "the plugin is there for good")
        check(query(machine, "UNINSTALL SONAME 'nearmiss_password_check'")[0] != 0, "and is not uninstalled")
        judged = judges_accounts(machine, name)
        altered = "ALTER USER anna IDENTIFIED BY 'elephqnt1'"
        check(query(machine, altered)[0] != 0, f"{name} rejects it for ALTER USER")
        client = ["mariadb", "--no-defaults", "--force", "-S", SOCKET]
        _, told = machine.attempt(*client, text=f"{altered};\nSHOW WARNINGS;\n")
        check(WORD_AWAY in told, f"SHOW WARNINGS has the reason for ALTER USER: {told!r}")
        endures(machine, name, judged)
        at_once(
            name,
            lambda password, number: query(machine, f"CREATE USER many{number} IDENTIFIED BY '{password}'"),
        )
        said = server.said()
    check(said.count(LADDERS) == 1, "its log says once that the ladders are not asked")
    return said


def maria_without(machine, folder):
    """Without the plugin: its package stays while it is configured; a server that should have it does not
    start, and one without the second line of the page takes every password."""
    stays(machine, "mariadb-plugin-nearmiss", "plugin_load_add = nearmiss_password_check")
    with maria(machine):
        of_servers(machine, 0, "MariaDB uses nearmiss")
        upgraded(machine, folder, "mariadb-plugin-nearmiss")
        of_servers(machine, 3, "still runs an older /usr/lib/mysql/plugin/nearmiss_password_check.so")
    plugin = machine.path("usr/lib/mysql/plugin/nearmiss_password_check.so")
    os.rename(plugin, f"{plugin}.away")
    with Server(machine, *MARIA) as server:
        status = server.process.wait(90)
        check(status != 0, "without its plugin the server does not start")
        check("nearmiss_password_check" in server.said(), "and its log names the plugin")
    os.rename(f"{plugin}.away", plugin)
    machine.run("rm", f"/{MARIA_CONF}")
    with maria(machine):
        check(query(machine, "INSTALL SONAME 'nearmiss_password_check'")[0] == 0, "INSTALL SONAME works")
        check(query(machine, "SET PASSWORD FOR anna = PASSWORD('elephqnt1')")[0] != 0, "and asks at once")
        doctor_sees_what_runs(machine)
        gone = query(machine, "UNINSTALL SONAME 'nearmiss_password_check'")[0] == 0
        check(gone, "so does UNINSTALL SONAME")
    with maria(machine):
        machine.write(MARIA_CONF, f"{MARIA_LINES}{PERMANENT}\n")
        of_servers(machine, 1, "does not have the plugin, so it accepts every password")
        machine.run("rm", f"/{MARIA_CONF}")
    goes(machine, "mariadb-plugin-nearmiss")


def doctor_sees_what_runs(machine):
    """The plugin that INSTALL SONAME named, in no configuration: judged like a configured one."""
    of_servers(machine, 3, "no line contains FORCE_PLUS_PERMANENT")
    machine.run("deluser", "--quiet", "mysql", "nearmiss")
    of_servers(machine, 1, "mysql is not in the group nearmiss, so MariaDB rejects every password")
    machine.run("adduser", "--quiet", "mysql", "nearmiss")
    of_servers(machine, 3, "no line contains FORCE_PLUS_PERMANENT")


def of_servers(machine, status, says):
    """What the doctor says of the servers that run, and its exit status."""
    ended, said = machine.attempt("filterctl", "doctor", "--only", "servers")
    said = " ".join(said.split())
    check(ended == status and says in said, f"the servers' doctor ends with {status}: {says!r}: {said!r}")


def next_release(machine, folder):
    """MariaDB's plugin through an upgrade of the distribution: the same package, before and after."""
    install(machine, folder, "mariadb-plugin-nearmiss")
    make_data(machine)
    machine.write(MARIA_CONF, f"{MARIA_LINES}{PERMANENT}\n")
    machine.run("adduser", "--quiet", "mysql", "nearmiss")
    versions = []
    for name in ["MariaDB before the upgrade", "MariaDB after the upgrade"]:
        if versions:
            machine.run("apt-get", "install", *trees.APT_QUIET, "--no-download", "mariadb-server")
            check(machine.is_installed("mariadb-plugin-nearmiss"), "the plugin's package stays")
        with maria(machine):
            if versions:
                machine.run("mariadb-upgrade", "--no-defaults", "-S", SOCKET)
            versions.append(query(machine, "SELECT @@version")[1].split()[1])
            _, told = query(machine, IS_ON)
            check(re.search("ACTIVE.FORCE_PLUS_PERMANENT", told), f"{name} has the plugin")
            judges_accounts(machine, name)
    check(versions[0] != versions[1], " is followed by ".join(versions))


MARIA = [
    "mariadbd",
    "--user=mysql",
    "--datadir=/srv/maria/data",
    f"--socket={SOCKET}",
    "--pid-file=/srv/maria/pid",
    "--skip-networking",
    "--plugin-dir=/usr/lib/mysql/plugin",
]


def judges_accounts(machine, name, shows_reason=True):
    query(machine, "DROP USER IF EXISTS anna")
    attempt = lambda password: query(  # noqa: E731
        machine, f"CREATE OR REPLACE USER anna IDENTIFIED BY '{password}'"
    )
    judges(name, attempt, shows_reason)
    status, _ = query(machine, "CREATE USER annabella IDENTIFIED BY 'annabella7'")
    check(status != 0, f"{name} rejects the account's name")
    return attempt


def maria(machine, *further):
    return Ready(machine, *MARIA, *further)


class Ready(Server):
    def __enter__(self):
        super().__enter__()
        self.wait_until(lambda: "ready for connections" in self.said())
        return self


def with_plugin(machine, plugin, name, shows_reason=True):
    with maria(machine, f"--plugin-load-add={plugin}") as server:
        judges_accounts(machine, name, shows_reason)
        return server.said()


def query(machine, statement):
    return machine.attempt("mariadb", "--no-defaults", "-S", SOCKET, "-e", statement)


def programs(machine):
    """The folder of the one release of PostgreSQL that is installed."""
    return glob.glob(machine.path("usr/lib/postgresql/*/bin"))[0].removeprefix(machine.root)


def postgresql(machine, folder):
    install(machine, folder, "postgresql-nearmiss")
    machine.run("sh", "-c", "mkdir /srv/postgres && chown postgres:postgres /srv/postgres")
    as_postgres(machine, f"{programs(machine)}/initdb", "-D", "/srv/postgres/data", "-A", "trust")
    settings = machine.read("srv/postgres/data/postgresql.conf")
    further = "shared_preload_libraries = 'nearmiss_pg'\nlisten_addresses = ''\n"
    further += "unix_socket_directories = '/srv/postgres'\n"
    machine.write("srv/postgres/data/postgresql.conf", settings + further)
    with postgres(machine) as server:
        status, said = psql(machine, f"CREATE ROLE early PASSWORD '{FINE}'")
        check(status != 0 and "not at fault" in said, "a server that may not read the filter takes nothing")
        check("words.filter" in server.said(), "and its log names the filter")
    machine.run("adduser", "--quiet", "postgres", "nearmiss")
    with postgres(machine) as server:
        judges("psql", lambda password: psql(machine, f"CREATE ROLE anna PASSWORD '{password}'"))
        status, _ = psql(machine, "ALTER ROLE anna PASSWORD 'elephqnt1'")
        check(status != 0, "psql rejects it for ALTER ROLE")
        check(
            psql(machine, "CREATE ROLE annabella PASSWORD 'annabella7'")[0] != 0,
            "psql rejects the role's name",
        )
        check(psql(machine, "CREATE ROLE carl PASSWORD NULL; SELECT 1")[0] == 0, "and goes on working")
        hashed(machine)
        of_roles(machine)
        endures(machine, "psql", lambda password: psql(machine, f"ALTER ROLE anna PASSWORD '{password}'"))
        psql(machine, "; ".join(f"CREATE ROLE many{number}" for number in range(200)))
        at_once(
            "psql", lambda password, number: psql(machine, f"ALTER ROLE many{number} PASSWORD '{password}'")
        )
        said = server.said()
    check(
        "password rejected by nearmiss" in said and "STATEMENT" not in said,
        "the log has the rejection, not the statement",
    )
    check(said.count(LADDERS) == 1, "the log says once that the ladders are not asked")
    is_in_no_log(machine, said)
    postgres_without(machine, folder)


def hashed(machine):
    """What a client has hashed is let through unless the setting refuses it."""
    digest = f"md5{'0' * 32}"
    check(psql(machine, f"CREATE ROLE hashed PASSWORD '{digest}'")[0] == 0, "a hash is let through")
    psql(machine, "ALTER SYSTEM SET nearmiss.refuse_hashed = on")
    psql(machine, "SELECT pg_reload_conf()")
    for _ in range(100):
        if psql(machine, "SHOW nearmiss.refuse_hashed")[1].split()[2:3] == ["on"]:
            break
    status, said = psql(machine, f"ALTER ROLE hashed PASSWORD '{digest}'")
    check(status != 0 and "arrived hashed" in said, "with nearmiss.refuse_hashed it is not")
    psql(machine, "ALTER SYSTEM RESET nearmiss.refuse_hashed")
    psql(machine, "SELECT pg_reload_conf()")


def of_roles(machine):
    """A role may have a configuration of its own: an exempt one, a strict one, a broken one."""
    folder = "etc/security/nearmiss-postgresql"
    machine.run("mkdir", f"/{folder}")
    machine.write(f"{folder}/app.conf", 'enforce = "audit"\n')
    machine.write(f"{folder}/strict.conf", "min_length = 60\n")
    machine.write(f"{folder}/broken.conf", "min_length = many\n")
    create = lambda role, password: psql(machine, f"CREATE ROLE {role} PASSWORD '{password}'")  # noqa: E731
    check(create("app", "elephqnt1")[0] == 0, "a role whose configuration audits is exempt")
    check("shorter than 60" in create("strict", FINE)[1], "another one has another least length")
    check("not at fault" in create("broken", FINE)[1], "with a mistake in it nothing is taken")
    check(create('"../app"', "elephqnt1")[0] != 0, "no name of a role leads elsewhere")
    check(create("other", "elephqnt1")[0] != 0, "all others have the system's")
    machine.run("rm", "-r", f"/{folder}")
    check(psql(machine, "ALTER ROLE app PASSWORD 'elephqnt1'")[0] != 0, "and so has it without the file")


def postgres_without(machine, folder):
    """The package stays while a configuration names it; without the library the server does not start."""
    machine.run("mkdir", "-p", "/etc/postgresql/1/main")
    machine.write("etc/postgresql/1/main/postgresql.conf", "shared_preload_libraries = 'nearmiss_pg'\n")
    stays(machine, "postgresql-nearmiss", "shared_preload_libraries = 'nearmiss_pg'")
    upgraded(machine, folder, "postgresql-nearmiss")
    machine.run("rm", "-r", "/etc/postgresql/1")
    goes(machine, "postgresql-nearmiss")
    status, said = machine.attempt(
        "timeout", "60", f"{programs(machine)}/postgres", "-D", "/srv/postgres/data", user="postgres"
    )
    check(status == 1 and "nearmiss_pg" in said, "without its library the server does not start")


def postgres(machine):
    server = Server(machine, f"{programs(machine)}/postgres", "-D", "/srv/postgres/data", user="postgres")
    return Connected(server, machine)


class Connected:
    def __init__(self, server, machine):
        self.server, self.machine = server, machine

    def __enter__(self):
        self.server.__enter__()
        self.server.wait_until(
            lambda: os.path.exists(self.machine.path("srv/postgres/.s.PGSQL.5432"))
            and psql(self.machine, "SELECT 1")[0] == 0
        )
        return self.server

    def __exit__(self, *what):
        self.server.__exit__(*what)


def psql(machine, statement):
    client = [f"{programs(machine)}/psql", "-h", "/srv/postgres", "-v", "ON_ERROR_STOP=1"]
    return machine.attempt(*client, "-c", statement, user="postgres")


def as_postgres(machine, *command):
    status, said = machine.attempt(*command, user="postgres")
    check(status == 0, f"{os.path.basename(command[0])} is done: {said.strip()[-60:]!r}")
