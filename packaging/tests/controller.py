"""Ansible as its users have it: ansible-core and ansible-lint of PyPI in an environment of their own, the
collection built and installed from its archive, and throw-away machines as hosts."""

import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile

import packages
import trees

# ansible-core 2.19 is the newest that runs on Python 3.11.
TOOLS = ["ansible-core==2.19.14", "ansible-lint==26.10.1"]
PYTHON = (3, 11)
COLLECTION = f"{packages.SOURCE}/packaging/ansible"
# Who logs in for Ansible, and becomes root by sudo.
USER = "deploy"
RECAP = re.compile(
    r"^(\S+) +: ok=(\d+) +changed=(\d+) +unreachable=(\d+) +failed=(\d+)", re.MULTILINE
)


def environment():
    """The folder of the tools, made once. It cannot be renamed: its programs name it."""
    if sys.version_info < PYTHON:
        raise trees.Absent(f"ansible-core needs Python {'.'.join(map(str, PYTHON))} or later here")
    name = hashlib.sha256(f"{TOOLS} {sys.version}".encode()).hexdigest()[:12]
    folder = f"{trees.cache_folder()}/ansible-{name}"
    if not os.path.exists(f"{folder}/complete"):
        trees.remove(folder)
        try:
            trees.run(sys.executable, "-m", "venv", folder)
            trees.run(f"{folder}/bin/python", "-m", "pip", "install", "--quiet", *TOOLS)
        except trees.Unavailable as problem:
            last = str(problem).strip().splitlines()[-1]
            raise trees.Absent(f"PyPI's {' and '.join(TOOLS)} cannot be installed: {last}") from problem
        trees.write(f"{folder}/complete", "")
    return folder


class Controller:
    """Where Ansible runs: everything that it writes is in one folder in memory."""

    def __init__(self):
        self.tools = environment()
        self.folder = tempfile.mkdtemp(dir=trees.SCRATCH)
        self.settings = {
            "PATH": f"{self.tools}/bin:{os.environ['PATH']}",
            "HOME": self.folder,
            "LC_ALL": "C.UTF-8",
            "PYTHONDONTWRITEBYTECODE": "1",
            "NO_COLOR": "1",
            "ANSIBLE_HOME": f"{self.folder}/home",
            "ANSIBLE_NOCOLOR": "1",
            "ANSIBLE_PIPELINING": "1",
            "ANSIBLE_COLLECTIONS_PATH": f"{self.folder}/collections",
            "ANSIBLE_CONNECTION_PLUGINS": f"{packages.HERE}/connection",
            "ANSIBLE_CACHE_PLUGIN": "jsonfile",
            "ANSIBLE_CACHE_PLUGIN_CONNECTION": f"{self.folder}/facts",
        }

    def attempt(self, program, *arguments, folder=None, text=""):
        """Exit status and everything that a program of the tools said."""
        done = subprocess.run(
            [f"{self.tools}/bin/{program}", *arguments],
            cwd=folder or self.folder,
            env=self.settings,
            input=text,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
        return done.returncode, done.stdout

    def run(self, program, *arguments, **options):
        status, said = self.attempt(program, *arguments, **options)
        if status != 0:
            raise trees.Unavailable(f"{program} {' '.join(arguments)} ends with {status}:\n{said[-6000:]}")
        return said

    def write(self, name, text):
        trees.write(f"{self.folder}/{name}", text, 0o600)
        return f"{self.folder}/{name}"

    def install_collection(self):
        """As docs/ansible.md has it; gives the folder of the installed collection."""
        self.run("ansible-galaxy", "collection", "build", COLLECTION)
        [archive] = [name for name in os.listdir(self.folder) if name.endswith(".tar.gz")]
        self.run("ansible-galaxy", "collection", "install", "--offline", archive)
        return f"{self.folder}/collections/ansible_collections/nearmiss/nearmiss"

    def reach(self, machines):
        """The inventory beside the page's: how each of these machines, by the host's name, is reached."""
        hosts = {
            name: {
                "ansible_connection": "throwaway",
                "ansible_host": machine.root,
                "ansible_user": USER,
                "ansible_python_interpreter": "/usr/bin/python3",
            }
            for name, machine in machines.items()
        }
        for machine in machines.values():
            machine.run("useradd", "--create-home", "--shell", "/bin/sh", USER)
            machine.write("etc/sudoers.d/deploy", f"{USER} ALL=(ALL) NOPASSWD: ALL\n")
        return self.write("roots.json", json.dumps({"all": {"hosts": hosts}}))

    def facts(self, host):
        """The facts of a host that Ansible keeps."""
        [name] = [name for name in os.listdir(f"{self.folder}/facts") if name.endswith(host)]
        return plain(json.loads(json.loads(trees.read(f"{self.folder}/facts/{name}"))["__payload__"]))


def plain(value):
    """What Ansible kept, without the origin that it notes beside each value."""
    if isinstance(value, dict):
        if "__ansible_type" in value:
            return plain(value["value"])
        return {key: plain(one) for key, one in value.items()}
    return [plain(one) for one in value] if isinstance(value, list) else value


def recap(said):
    """The lines of a play's recap: for each host, ok, changed, unreachable, failed."""
    return {found[1]: [int(number) for number in found.groups()[1:]] for found in RECAP.finditer(said)}
