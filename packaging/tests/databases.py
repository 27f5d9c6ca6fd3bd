"""MariaDB with its own cracklib plugin through the drop-in and with ours; PostgreSQL."""

import os

from machine import check
from running import FINE, Server, install, is_in_no_log, judges

SOCKET = "/srv/maria/socket"


def mariadb(machine, folder):
    install(machine, folder, "nearmiss-cracklib", "mariadb-plugin-nearmiss")
    machine.run("sh", "-c", "mkdir /srv/maria && chown mysql:mysql /srv/maria")
    machine.run(
        "mariadb-install-db",
        "--no-defaults",
        "--user=mysql",
        "--datadir=/srv/maria/data",
        "--skip-test-db",
        "--auth-root-authentication-method=normal",
    )
    said = with_plugin(
        machine, "cracklib_password_check", "MariaDB with its cracklib plugin", shows_reason=False
    )
    check(
        "only /usr/share/nearmiss/common.filter was asked" not in said, "the server's log has nothing of it"
    )
    with maria(machine, "nearmiss_password_check") as server:
        status, told = query(machine, f"CREATE USER early IDENTIFIED BY '{FINE}'")
        check(status != 0 and "not at fault" in told, "a server that may not read the filter takes nothing")
        check("words.filter" in server.said(), "and its log names the filter")
    machine.run("adduser", "--quiet", "mysql", "nearmiss")
    further = with_plugin(machine, "nearmiss_password_check", "MariaDB with our plugin")
    is_in_no_log(machine, said, further)


def maria(machine, plugin):
    command = [
        "mariadbd",
        "--no-defaults",
        "--user=mysql",
        "--datadir=/srv/maria/data",
        f"--socket={SOCKET}",
        "--skip-networking",
        "--plugin-dir=/usr/lib/mysql/plugin",
        f"--plugin-load-add={plugin}",
    ]
    return Ready(machine, *command)


class Ready(Server):
    def __enter__(self):
        super().__enter__()
        self.wait_until(lambda: "ready for connections" in self.said())
        return self


def with_plugin(machine, plugin, name, shows_reason=True):
    with maria(machine, plugin) as server:
        query(machine, "DROP USER IF EXISTS anna")
        attempt = lambda password: query(
            machine, f"CREATE USER anna IDENTIFIED BY '{password}'"
        )  # noqa: E731
        judges(name, attempt, shows_reason)
        status, _ = query(machine, "CREATE USER annabella IDENTIFIED BY 'annabella7'")
        check(status != 0, f"{name} rejects the account's name")
        return server.said()


def query(machine, statement):
    return machine.attempt("mariadb", "--no-defaults", "-S", SOCKET, "-e", statement)


def postgresql(machine, folder):
    install(machine, folder, "postgresql-nearmiss")
    machine.run("sh", "-c", "mkdir /srv/postgres && chown postgres:postgres /srv/postgres")
    as_postgres(machine, f"{POSTGRES}/initdb", "-D", "/srv/postgres/data", "-A", "trust")
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
        said = server.said()
    check(
        "password rejected by nearmiss" in said and "STATEMENT" not in said,
        "the log has the rejection, not the statement",
    )
    is_in_no_log(machine, said)


def postgres(machine):
    server = Server(machine, f"{POSTGRES}/postgres", "-D", "/srv/postgres/data", user="postgres")
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
    return machine.attempt(
        f"{POSTGRES}/psql", "-h", "/srv/postgres", "-v", "ON_ERROR_STOP=1", "-c", statement, user="postgres"
    )


def as_postgres(machine, *command):
    status, said = machine.attempt(*command, user="postgres")
    check(status == 0, f"{os.path.basename(command[0])} is done: {said.strip()[-60:]!r}")
