"""What sets passwords besides PAM, with the servers of Debian's packages: what each rejects and takes."""

import os
import sys
import time

import autopkgtest
import compliance
import databases
import directory
import dirsrv
import kerberos
import libcrack
import packages
import trees
from machine import Failed, Machine

PARTS = {
    "autopkgtest": autopkgtest.stage,
    "libcrack": libcrack.stage,
    "dirsrv": dirsrv.stage,
    "compliance": compliance.stage,
    "samba": kerberos.samba,
    "heimdal": kerberos.heimdal,
    "mit": kerberos.mit,
    "openldap": directory.stage,
    "mariadb": databases.mariadb,
    "postgresql": databases.postgresql,
    "upgrade": databases.next_release,
}


# Each release with the layer of its servers, and all its parts. The guide for scans has no rule for Debian 13
# (packaging/compliance); the 389-ds of Debian 12 makes its instance by systemd alone.
RELEASES = {
    "Debian 12": ("servers", PARTS.keys() - {"dirsrv"}),
    "Debian 13": ("servers-trixie", PARTS.keys() - {"compliance", "upgrade"}),
    "Ubuntu 24.04": ("servers-noble", {"mariadb", "postgresql"}),
}
# Parts with a layer of their own: nothing but our packages is there when the doctor is asked.
LAYERS = {
    ("Debian 12", "autopkgtest"): "base",
    ("Debian 13", "autopkgtest"): "trixie",
    ("Debian 12", "upgrade"): "upgrade",
}


def wanted(variable, all_of_them):
    return os.environ.get(variable, "").split() or list(all_of_them)


def test(folder, started):
    """Plays every part though one fails; gives those that failed."""
    failed = []
    for release, (layer, parts) in RELEASES.items():
        if release.split()[1] not in wanted("RELEASE", [release.split()[1]]):
            continue
        for name in [name for name in wanted("ONLY", PARTS) if name in parts]:
            part = f"{release}: {name}"
            print(f"{part} ({time.monotonic() - started:.0f} s)", flush=True)
            try:
                PARTS[name](Machine([trees.tree(LAYERS.get((release, name), layer))]), folder)
            except trees.Absent as problem:
                print(f"SKIPPED: {part}: {problem}", flush=True)
            except Failed as problem:
                print(f"FAILED: {problem}", flush=True)
                failed.append(part)
    return failed


def main():
    started = time.monotonic()
    workshop = packages.Workshop()
    try:
        profiles = "pkg.nearmiss.nolab pkg.nearmiss.nofleet pkg.nearmiss.nofetch pkg.nearmiss.everywhere"
        folder = packages.around(workshop, sys.argv[1], profiles)
        failed = test(packages.copied(folder), started)
    except (Failed, trees.Unavailable) as problem:
        sys.exit(f"FAILED: {problem}")
    finally:
        workshop.close()
    if failed:
        sys.exit("FAILED: " + "; ".join(failed))
    print(f"servers: all of it holds ({time.monotonic() - started:.0f} s)")


main()
