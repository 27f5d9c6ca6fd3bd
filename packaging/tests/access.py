"""Who may read what the packages make: the same on every distribution."""

import os

GROUP = "nearmiss"
FILTER = "var/cache/nearmiss/words.filter"
# Owner, group and mode. The filter is the group's to read. Its folder may be entered by everybody, so that
# a server in the group reaches it and a filter made public on purpose can lie beside it; listed by root
# alone, since a user who can list a folder can watch (inotify) when its files are opened.
PROMISED = {
    "etc/nearmiss": "root:root 700",
    "etc/nearmiss/ladder.key": "root:root 600",
    "var/cache/nearmiss": "root:root 711",
    FILTER: f"root:{GROUP} 640",
    f"{FILTER}.sources": "root:root 600",
    f"{FILTER}.update": "root:root 600",
    "var/lib/nearmiss": "root:root 700",
    "var/lib/nearmiss/chosen.ladder": "root:root 600",
}
# System groups have smaller numbers on every distribution; a person's group has not.
FIRST_OF_PERSONS = 1000


def names(root, table):
    """The names of users or groups of a machine, by number."""
    with open(f"{root}/etc/{table}", encoding="utf-8") as file:
        lines = [line.strip().split(":") for line in file if ":" in line]
    return {int(fields[2]): fields[0] for fields in lines}


def access(root, name):
    """`owner:group mode`, as the machine names them."""
    status = os.lstat(f"{root}/{name}")
    users, groups = names(root, "passwd"), names(root, "group")
    owner, group = users.get(status.st_uid, status.st_uid), groups.get(status.st_gid, status.st_gid)
    return f"{owner}:{group} {status.st_mode & 0o7777:o}"


def broken_promises(root):
    """One line for each file or folder that is missing or may be read by others than promised."""
    found = {
        name: access(root, name) if os.path.lexists(f"{root}/{name}") else "absent" for name in PROMISED
    }
    return [
        f"{name}: {found[name]}, not {wanted}" for name, wanted in PROMISED.items() if found[name] != wanted
    ]


def made_public(root):
    """Gives the filter the access that earlier versions gave it; returns it, opened as any user could
    then."""
    for name in [FILTER, f"{FILTER}.sources"]:
        os.chown(f"{root}/{name}", 0, 0)
        os.chmod(f"{root}/{name}", 0o644)
    return open(f"{root}/{FILTER}", "rb")


def is_replaced(root, earlier):
    """True for another file under another key. Changed modes are not enough: a user who has the earlier file
    open would go on seeing which of its pages are read."""
    was, is_now = os.fstat(earlier.fileno()), os.stat(f"{root}/{FILTER}")
    with open(f"{root}/{FILTER}", "rb") as current:
        return (was.st_dev, was.st_ino) != (
            is_now.st_dev,
            is_now.st_ino,
        ) and earlier.read() != current.read()


def is_empty_system_group(root):
    with open(f"{root}/etc/group", encoding="utf-8") as file:
        lines = [line.strip().split(":") for line in file if line.startswith(f"{GROUP}:")]
    return len(lines) == 1 and int(lines[0][2]) < FIRST_OF_PERSONS and lines[0][3] == ""
