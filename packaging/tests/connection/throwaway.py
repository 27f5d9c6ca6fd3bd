"""Ansible's connection to a throw-away root of the package tests: each command runs in a chroot, as the user
who logs in for Ansible."""

import os
import subprocess

from ansible.errors import AnsibleConnectionFailure, AnsibleFileNotFound
from ansible.plugins.connection import ConnectionBase

DOCUMENTATION = """
name: throwaway
author: The nearmiss authors
short_description: Run commands in a throw-away root
description: Each command runs in a chroot, as the user who logs in for Ansible.
options:
  remote_addr:
    description: The folder of the root.
    vars:
      - name: inventory_hostname
      - name: ansible_host
  remote_user:
    description: The user who logs in.
    vars:
      - name: ansible_user
"""

PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


class Connection(ConnectionBase):
    """A chroot: nothing is opened, nothing is left."""

    transport = "throwaway"
    has_pipelining = True

    def _connect(self):
        self._connected = True
        return self

    def _run(self, command, given):
        """Exit status, output and errors of a shell's command line."""
        root, user = self.get_option("remote_addr"), self.get_option("remote_user")
        environment = {"PATH": PATH, "HOME": f"/home/{user}", "LC_ALL": "C.UTF-8", "TERM": "dumb"}
        done = subprocess.run(
            ["chroot", f"--userspec={user}:{user}", root, "/bin/sh", "-c", command],
            input=given,
            env=environment,
            capture_output=True,
            check=False,
        )
        return done.returncode, done.stdout, done.stderr

    def exec_command(self, cmd, in_data=None, sudoable=True):
        super().exec_command(cmd, in_data=in_data, sudoable=sudoable)
        return self._run(cmd, in_data or b"")

    def put_file(self, in_path, out_path):
        super().put_file(in_path, out_path)
        if not os.path.exists(in_path):
            raise AnsibleFileNotFound(in_path)
        with open(in_path, "rb") as file:
            status, _, said = self._run(f"cat > {self._shell.quote(out_path)}", file.read())
        if status != 0:
            raise AnsibleConnectionFailure(f"{out_path}: {said.decode(errors='replace')}")

    def fetch_file(self, in_path, out_path):
        super().fetch_file(in_path, out_path)
        status, said, problem = self._run(f"cat {self._shell.quote(in_path)}", b"")
        if status != 0:
            raise AnsibleConnectionFailure(f"{in_path}: {problem.decode(errors='replace')}")
        with open(out_path, "wb") as file:
            file.write(said)

    def close(self):
        self._connected = False
