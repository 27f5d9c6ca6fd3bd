"""ansible.py FOLDER: the Ansible collection, as docs/ansible.md has it, on Debian 12 and 13 and Ubuntu 24.04
at once, around `libpam_nearmiss.so`, `filterctl`, `nearmiss-agent` and `nearmiss-fetch` of FOLDER.
"""

import base64
import json
import os
import re
import socket

import access
import cloud
import controller
import packages
import releases
import trees
from machine import Machine, check
from pages import shown
from scenarios import FINE, IN_DICTIONARY, OURS, WORD, show

PAGE = "ansible.md"
LAYERS = {"Debian 12": "managed", "Debian 13": "managed-trixie", "Ubuntu 24.04": "managed-noble"}
DROP_INS = "etc/security/nearmiss.conf.d"
LATER, STACK = f"{DROP_INS}/99-earlier-trial.conf", "etc/pam.d/common-password"
LEVEL, SITE, LEAKED = f"{DROP_INS}/10-rollout.conf", f"{DROP_INS}/50-site.conf", "etc/nearmiss-fetch.env"
REJECT = {"nearmiss_enforce": "reject"}
# The settings of a site; with a mistake; and with a filter that is not there.
LONGER = '-e{"nearmiss_settings": {"min_length": 9}}'
MISTAKE = '-e{"nearmiss_settings": {"min_lenght": 12}}'
NOWHERE = '-e{"nearmiss_settings": {"dictionary": [{"file": "/etc/nearmiss-filters/none.filter"}]}}'
SITE_WORD = "quixoticallyours"
# Owner, group and mode of what every variable together writes.
ACCESS = {
    LEVEL: "root:root 644",
    SITE: "root:root 644",
    "etc/nearmiss-filters/site.filter": "root:nearmiss 640",
    LEAKED: "root:root 644",
    "etc/nearmiss-agent/agent.toml": "root:root 644",
    "etc/nearmiss-agent/ca.pem": "root:root 644",
    "etc/nearmiss-agent/password": "root:nearmiss-agent 640",
    "etc/nearmiss/fleet-guessed.ladder": "root:root 600",
    "etc/nearmiss/fleet-guessed.key": "root:root 600",
}
# Where nothing was fetched, and no systemd has started the agent.
EXPECTED = ["breaches-stale", "fleet-unreachable"]
PASSWORD = "kept-out-of-every-output"


class Rollout:
    """The page's inventory, with a throw-away machine for each host."""

    def __init__(self, folder):
        self.controller = controller.Controller()
        self.collection = self.controller.install_collection()
        self.folder = folder
        self.controller.write("inventory.yml", shown(PAGE, "# inventory.yml"))
        names = re.findall(r"^    (\S+\.example):", shown(PAGE, "# inventory.yml"), re.MULTILINE)
        check(len(names) == len(LAYERS), f"docs/{PAGE} begins with an inventory of three hosts")
        hosts = dict(zip(LAYERS, names))
        self.releases, self.machines = {}, {}
        for release, layer in releases.reachable(LAYERS, "Ansible on "):
            self.releases[hosts[release]] = release
            self.machines[hosts[release]] = Machine([trees.tree(layer)])
        self.roots = self.controller.reach(self.machines)

    def play(self, *arguments, failed=False, **variables):
        """Runs the playbook of the page; gives each host's numbers and everything that was said."""
        options = [f"-e{name}={value}" for name, value in variables.items()]
        limit = ",".join(self.machines)
        status, said = self.controller.attempt(
            "ansible-playbook",
            *["-i", "inventory.yml", "-i", self.roots, "--limit", limit, "nearmiss.nearmiss.site"],
            *[f"-enearmiss_packages_from={self.folder}", *options, *arguments],
        )
        counts = controller.recap(said)
        is_as_wanted = (status != 0) == failed and counts.keys() == self.machines.keys()
        if not is_as_wanted or any(bool(count[3]) != failed for count in counts.values()):
            show(said.splitlines()[-120:])
        check(is_as_wanted, f"ansible-playbook ends with {status}")
        show([line for line in said.splitlines() if controller.RECAP.match(line)])
        return counts, said

    def changes(self, *arguments, **variables):
        """A run that changes every host; gives what was said."""
        counts, said = self.play(*arguments, **variables)
        check(all(count[1] > 0 for count in counts.values()), "every host is changed")
        return said

    def again(self, *arguments, **variables):
        """The same run once more changes nothing; gives what was said."""
        counts, said = self.play(*arguments, **variables)
        if any(count[1] for count in counts.values()):
            show([line for line in said.splitlines() if line.startswith(("TASK", "changed:"))])
        for name, count in counts.items():
            check(count[1] == 0, f"{self.releases[name]}: the second run: changed=0")
        return said

    def fails(self, *arguments, **variables):
        counts, said = self.play(*arguments, failed=True, **variables)
        check(all(count[3] == 1 for count in counts.values()), "the play fails on every host")
        return said

    def each(self):
        return [(self.releases[name], machine) for name, machine in self.machines.items()]

    def doctor(self, state, unexpected=()):
        """The fact of every host."""
        for name in self.machines:
            found = self.controller.facts(name)["nearmiss_doctor"]
            keys = sorted(one["key"] for one in found["unexpected"])
            check(found["state"] == state, f"the fact nearmiss_doctor of {name}: {found['state']}")
            check(keys == sorted(unexpected), f"and unexpected are {keys}")


def linted(rollout):
    status, said = rollout.controller.attempt(
        "ansible-lint", "--offline", "--strict", "--profile", "production", folder=rollout.collection
    )
    show(said.splitlines()[-30:])
    check(status == 0, "ansible-lint finds nothing, by its profile production")


def shows_first(rollout):
    """Check mode on hosts that have nothing of nearmiss."""
    before = [machine.snapshot() for _, machine in rollout.each()]
    said = rollout.changes("--check", "--diff")
    check('+enforce = "audit"' in said, "check mode shows the level that would be written")
    check("libpam-nearmiss_" in said, "and the packages that would be installed")
    for (release, machine), earlier in zip(rollout.each(), before):
        changes = machine.changes_since(earlier)
        check(not changes, f"{release}: check mode changes nothing {changes or ''}")
        check(not machine.is_installed("nearmiss-tools"), "and installs nothing")


def audited(rollout):
    """The first run: weak passwords are accepted, and logged."""
    rollout.changes()
    rollout.doctor("warning")
    rollout.again()
    for release, machine in rollout.each():
        with Log(machine) as log:
            machine.accepts(WORD)
            said = log.lines()
        line = next((one for one in said if "enforced=audit" in one), "")
        show([line])
        check("enforced=audit" in line, f"{release}: audit only logs it")
        check(not any(WORD in one for one in said), "and the log does not have the password")


def shipped(rollout):
    """The examples of the installed package are the collection and the user data that are tested."""
    for release, machine in rollout.each():
        for name in ["ansible", "cloud-init"]:
            installed = machine.path(f"usr/share/doc/nearmiss-tools/examples/{name}")
            said = trees.run("diff", "-r", f"{packages.SOURCE}/packaging/{name}", installed)
            check(not said, f"{release}: the package has the example {name} as it is here")


def overruled(rollout):
    """A later file, or the line of the stack, has another level: the play fails, and names what wins."""
    machines = [machine for _, machine in rollout.each()]
    stacks = [machine.read(STACK) for machine in machines]
    for machine in machines:
        machine.write(LATER, '# of a trial\nenforce = "reject"\n')
    said = rollout.fails()
    check(f"/{LATER}:2 overrides /{LEVEL}" in said, "the file that wins is named")
    for machine, stack in zip(machines, stacks):
        os.remove(machine.path(LATER))
        machine.write(STACK, stack.replace("pam_nearmiss.so retry=3", "pam_nearmiss.so retry=3 enforce=warn"))
    said = rollout.fails()
    check(re.search(rf"/{STACK}:\d+ overrides /{LEVEL}", said) is not None, "or the line")
    check("set nearmiss_enforce to warn" in said, "with what to do")
    for machine, stack in zip(machines, stacks):
        machine.write(STACK, stack)
    rollout.again()


class Log:
    """What is sent to the system log of a machine while the block runs."""

    def __init__(self, machine):
        self.path = machine.path("dev/log")

    def __enter__(self):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(self.path)
        os.chmod(self.path, 0o666)
        self.socket.setblocking(False)
        return self

    def __exit__(self, *_):
        self.socket.close()
        os.unlink(self.path)

    def lines(self):
        found = []
        try:
            while True:
                found.append(self.socket.recv(65_536).decode(errors="replace"))
        except BlockingIOError:
            return found


def enforced(rollout):
    """The level is raised: the real passwd refuses, and the doctor finds nothing."""
    rollout.changes(nearmiss_enforce="warn")
    for _, machine in rollout.each():
        status, said = machine.passwd(("butterfly", True))
        check(status == 0 and "BAD PASSWORD" in said, "warn: the reason is shown, the password accepted")
        machine.password = "butterfly"
    rollout.changes(LONGER, **REJECT)
    rollout.doctor("fine")
    rollout.again(LONGER, **REJECT)
    for _, machine in rollout.each():
        machine.refuses("basketball", IN_DICTIONARY)
        machine.refuses(WORD, "shorter than 9")
        machine.accepts(FINE)


def refused(rollout):
    """Settings with a mistake, and settings that name a filter that is not there: the earlier ones stay."""
    before = [machine.snapshot() for _, machine in rollout.each()]
    for settings, arguments, why in [
        (MISTAKE, ["--check"], "did you mean `min_length`?"),
        (MISTAKE, [], "did you mean `min_length`?"),
        (NOWHERE, [], "failed to validate"),
    ]:
        said = rollout.fails(settings, *arguments, **REJECT)
        check(why in said, f"it is refused: {why}")
    for (release, machine), earlier in zip(rollout.each(), before):
        changes = machine.changes_since(earlier)
        check(not changes, f"{release}: everything is as it was {changes or ''}")
        check("min_length = 9\n" in machine.read(SITE), "the earlier settings stay")


def secrets(rollout):
    """The ladder of a fleet, made on one host, and the store's password, in a file of ansible-vault."""
    machine = next(iter(rollout.machines.values()))
    machine.run("filterctl", "fleet", "init", "--guessed", "--bits", "2^22")
    machine.run("filterctl", "fleet", "export", "--guessed", "--output", "/root/guessed.bundle")
    with open(machine.path("root/guessed.bundle"), "rb") as file:
        bundle = base64.b64encode(file.read()).decode()
    machine.run("sh", "-c", "rm /root/guessed.bundle /etc/nearmiss/fleet-guessed.*")
    rollout.controller.write("vault-password", "of the vault\n")
    path = rollout.controller.write(
        "vault.yml", f"vault_nearmiss_password: {PASSWORD}\nvault_nearmiss_guessed: {bundle}\n"
    )
    vault = ["--vault-password-file", "vault-password"]
    rollout.controller.run("ansible-vault", "encrypt", *vault, path)
    return [*vault, "-e@vault.yml"], bundle


def site_filter(rollout):
    """A filter of a site, built on one of the hosts, beside the inventory as the page has it."""
    machine = next(iter(rollout.machines.values()))
    machine.write("root/words", f"{SITE_WORD}\n")
    build = ["filterctl", "build", "--for-distribution", "/root/site.key", "-o", "/root/site.filter"]
    machine.run(*build, "/root/words")
    trees.run("cp", machine.path("root/site.filter"), rollout.controller.folder)


def everything(rollout):
    """Every variable of the page: settings, profiles, a filter, leaked passwords and a fleet; the further
    packages come from a source of apt's."""
    rollout.controller.write("everything.yml", shown(PAGE, "# group_vars/nearmiss.yml"))
    site_filter(rollout)
    authority = f"{rollout.controller.folder}/ca.pem"
    request = ["openssl", "req", "-x509", "-newkey", "ed25519", "-nodes", "-subj", "/CN=store"]
    trees.run(*request, "-keyout", "/dev/null", "-out", authority)
    for _, machine in rollout.each():
        cloud.publish(machine, rollout.folder, [*OURS, "nearmiss-agent", "nearmiss-fetch"])
        machine.write("etc/apt/sources.list.d/site.list", f"{cloud.OWN_SOURCE}\n")
        machine.run("apt-get", "update", "-q")
    vault, bundle = secrets(rollout)
    arguments = ["--diff", "-e@everything.yml", "-enearmiss_packages_from=", *vault]
    before = [machine.snapshot() for _, machine in rollout.each()]
    said = rollout.changes("--check", *arguments)
    for (release, machine), earlier in zip(rollout.each(), before):
        changes = machine.changes_since(earlier)
        check(not changes, f"{release}: check mode changes nothing {changes or ''}")
    said += rollout.fails("-vvv", *arguments)
    rollout.doctor("warning", EXPECTED)
    accepted = f"-e{json.dumps({'nearmiss_doctor_accepted': EXPECTED})}"
    said += rollout.again("-vvv", *arguments, accepted)
    check(not any(secret in said for secret in [PASSWORD, bundle]), "no output has a secret")
    for release, machine in rollout.each():
        print(f"    {release}", flush=True)
        written(machine)


def written(machine):
    """What the page's variables made of a host."""
    for name, wanted in ACCESS.items():
        found = access.access(machine.root, name)
        check(found == wanted, f"/{name} is {found}")
    check(machine.read("etc/nearmiss-agent/password") == f"{PASSWORD}\n", "the agent has the password")
    options = "--kind sha1 --min-count 10 --url https://mirror.example --proxy http://proxy.example:3128"
    check(f'OPTIONS="{options}"\n' in machine.read(LEAKED), "leaked passwords are on, from the mirror")
    show(machine.read(SITE).splitlines())
    status, said = machine.passwd((SITE_WORD, True))
    check(status == 0 and "BAD PASSWORD" in said, "the filter that was handed out only warns, as it should")
    machine.password = SITE_WORD
    machine.refuses("Zz9-quuxcorp-phrase", "not allowed here")


def stage(folder):
    try:
        rollout = Rollout(folder)
    except trees.Absent as problem:
        print(f"SKIPPED: the Ansible collection: {problem}", flush=True)
        return
    linted(rollout)
    shows_first(rollout)
    audited(rollout)
    shipped(rollout)
    overruled(rollout)
    enforced(rollout)
    refused(rollout)
    everything(rollout)


def stages(folder):
    """What is shown, and the stage that shows it."""
    return [("rolled out by Ansible", lambda: stage(folder))]


if __name__ == "__main__":
    releases.alone(stages, "pkg.nearmiss.nolab", "the Ansible collection")
