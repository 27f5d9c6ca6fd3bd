"""cloud.py FOLDER: the user data of packaging/cloud-init, carried out by each release's own cloud-init, with
the packages around `libpam_nearmiss.so` and `filterctl` of FOLDER.
"""

import hashlib
import os

import packages
import releases
import terminal
import trees
from machine import Machine, check
from rollout import WEAKER, doctor
from scenarios import OURS, WORD, show

EXAMPLE = f"{packages.SOURCE}/packaging/cloud-init/nearmiss.yaml"
LAYERS = {"Debian 12": "cloud", "Debian 13": "cloud-trixie", "Ubuntu 24.04": "cloud-noble"}
# The site's source of packages in the example, and the test's: a folder of the machine, which is not signed.
SOURCE = "deb [signed-by=/etc/apt/keyrings/site.asc] https://packages.example/debian stable main"
OWN_SOURCE = "deb [trusted=yes] file:/srv/packages ./"
SEED = "var/lib/cloud/seed/nocloud"
# The modules that the example uses, at the stages where the release's own settings have them: the others
# would set up a host's disks, names and keys. The mirror stays.
SETTINGS = """\
datasource_list: [NoCloud]
network: {config: disabled}
apt: {preserve_sources_list: true}
cloud_init_modules: [write-files]
cloud_config_modules: [apt-configure, runcmd]
cloud_final_modules: [package-update-upgrade-install, scripts-user]
"""
STAGES = [["init"], ["modules", "--mode=config"], ["modules", "--mode=final"]]


def publish(machine, folder, names):
    """Makes a folder of these packages on a machine that apt takes as a source."""
    machine.run("mkdir", "-p", "/srv/packages")
    entries = []
    for name in names:
        path = packages.named(folder, name)
        file = os.path.basename(path)
        trees.run("cp", path, machine.path(f"srv/packages/{file}"))
        with open(path, "rb") as package:
            digest = hashlib.file_digest(package, "sha256").hexdigest()
        fields = trees.run("dpkg-deb", "-f", path).strip()
        size = os.path.getsize(path)
        entries.append(f"{fields}\nFilename: ./{file}\nSize: {size}\nSHA256: {digest}\n")
    machine.write("srv/packages/Packages", "\n".join(entries))


def seeded(machine, text):
    machine.write("etc/cloud/cloud.cfg.d/99-test.cfg", SETTINGS)
    machine.run("mkdir", "-p", f"/{SEED}")
    machine.write(f"{SEED}/meta-data", "instance-id: nearmiss-1\n")
    machine.write(f"{SEED}/user-data", text)


def stage(layer, folder):
    machine = Machine([trees.tree(layer)])
    terminal.mount("-t", "sysfs", "none", machine.path("sys"))
    text = trees.read(EXAMPLE)
    machine.write("root/nearmiss.yaml", text)
    said = machine.run("cloud-init", "schema", "--config-file", "/root/nearmiss.yaml")
    check("Valid" in said, f"cloud-init schema: {said.strip()}")
    check(text.count(SOURCE) == 1, "the example names the site's packages once")
    publish(machine, folder, OURS)
    seeded(machine, text.replace(SOURCE, OWN_SOURCE))
    for arguments in STAGES:
        status, said = machine.attempt("cloud-init", *arguments)
        show(said.splitlines()[-12:])
        check(status == 0, f"cloud-init {' '.join(arguments)} ends with 0")
    check(all(machine.is_installed(name) for name in OURS), "both packages are installed")
    check('enforce = "audit"' in machine.run("filterctl", "config", "--changed"), "the level is audit")
    doctor(machine, WEAKER, 'enforce = "audit"')
    machine.accepts(f"{WORD}12")


def stages(folder):
    """What is shown on each release, and the stage that shows it."""
    return [
        (f"{release}: cloud-init", lambda layer=layer: stage(layer, folder))
        for release, layer in releases.reachable(LAYERS, "cloud-init on ")
    ]


if __name__ == "__main__":
    releases.alone(
        stages, "pkg.nearmiss.nolab pkg.nearmiss.nofleet pkg.nearmiss.nofetch", "the user data for cloud-init"
    )
