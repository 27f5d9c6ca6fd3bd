"""A machine with a kernel of its own: Debian's, started by qemu from a disk that is made of a folder.

The emulator computes each instruction (TCG), so that neither KVM nor a module of this machine's kernel is
needed. What is run there, with which result, is the business of `inside.py`.
"""

import glob
import json
import os
import subprocess
import sys
import time

import overlays
import packages
import terminal
import trees
from machine import ENVIRONMENT, Failed

HERE = os.path.dirname(os.path.abspath(__file__))
TOOLS = os.path.join(HERE, "../../tests/tools")
# The programs in the guest: the plan's, what they take from the module's tests, and a server of leaked
# passwords.
PROGRAMS = [
    f"{HERE}/inside.py",
    f"{HERE}/booted.py",
    f"{TOOLS}/dialogue.py",
    f"{TOOLS}/reader.py",
    f"{HERE}/../fetch/demo/server.py",
]
# The first process of the guest, with lines of a shell that come before the plan; it ends the machine.
FIRST = """#!/bin/sh
export PATH=/usr/sbin:/usr/bin:/sbin:/bin
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t securityfs security /sys/kernel/security
mount -t devtmpfs dev /dev
mkdir -p /dev/pts
mount -t devpts -o gid=5,mode=620,ptmxmode=666 pts /dev/pts
mount -t tmpfs -o mode=755 run /run
%s
python3 -B /trial/inside.py /trial/plan.json < /dev/null
sync
echo o > /proc/sysrq-trigger
sleep 60
"""
# The same where systemd is the first process: it starts `trial.service`, which ends the machine.
SYSTEMD = "#!/bin/sh\nexec /lib/systemd/systemd\n"
# Neither a tick of the clock nor a driver is tested: what a guest does without is left out.
ALWAYS = "console=ttyS0 quiet panic=-1 log_buf_len=4M mitigations=off root=/dev/nvme0n1 rw init=/trial/first"
MEMORY_MIB, DISK_MIB, TIMEOUT_SECONDS = 768, 700, 900
MARK = "RESULTS "


class Guest:
    """Starts disks that are made of a machine's root."""

    def __init__(self, root, scratch):
        self.root, self.scratch = root, scratch
        self.emulator = overlays.Overlay([trees.tree("emulator")]).root
        for name in ["disk", "from"]:
            os.mkdir(f"{self.emulator}/mnt/{name}")
        terminal.mount("--bind", scratch, f"{self.emulator}/mnt/disk")
        # Without what is mounted below it.
        terminal.mount("--bind", root, f"{self.emulator}/mnt/from")
        os.makedirs(f"{root}/trial", exist_ok=True)
        for program in PROGRAMS:
            trees.run("cp", program, f"{root}/trial/")

    def results(self, plan, options, first=FIRST % ""):
        """The result of each step of the plan, with these options of the kernel's command line and this first
        process."""
        trees.write(f"{self.root}/trial/first", first, 0o755)
        trees.write(f"{self.root}/trial/plan.json", json.dumps(plan))
        disk = f"{self.scratch}/disk"
        make = ["mke2fs", "-q", "-F", "-t", "ext4", "-O", "^has_journal", "-d", "/mnt/from"]
        try:
            trees.run("chroot", self.emulator, *make, "/mnt/disk/disk", f"{DISK_MIB}M")
            said = self.started(options)
        finally:
            trees.remove(disk)
        for line in said.splitlines():
            _, mark, results = line.partition(MARK)
            if mark:
                return json.loads(results)
        raise Failed(f"the guest ends without results:\n{said[-6000:]}")

    def started(self, options):
        kernel = os.path.basename(glob.glob(f"{self.emulator}/boot/vmlinuz-*")[0])
        command = [
            "qemu-system-x86_64", "-accel", "tcg", "-smp", "1", "-m", str(MEMORY_MIB), "-nodefaults",
            "-nographic", "-no-reboot", "-serial", "stdio", "-kernel", f"/boot/{kernel}",
            "-drive", "file=/mnt/disk/disk,format=raw,if=none,id=disk,cache=unsafe",
            "-device", "nvme,drive=disk,serial=1", "-device", "virtio-rng-pci",
            "-append", f"{ALWAYS} {options}",
        ]  # fmt: skip
        done = subprocess.run(
            ["chroot", self.emulator, *command],
            env=ENVIRONMENT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=TIMEOUT_SECONDS,
            check=False,
        )
        return done.stdout.decode("utf-8", "replace").replace("\r", "")


def alone(what, layers, show):
    """A whole program: `show` with a workshop and the time since the start, where the trees of these layers
    can be had; where not, says why nothing is shown."""
    started = time.monotonic()
    try:
        for layer in ["emulator", *layers]:
            trees.tree(layer)
    except trees.Unavailable as problem:
        reason, *details = str(problem).splitlines()
        print("\n".join(details))
        print(f"SKIPPED: {what}: a kernel and qemu cannot be had: {reason}")
        return
    workshop = None
    try:
        workshop = packages.Workshop()
        show(workshop, lambda: f"{time.monotonic() - started:.0f} s")
    except (Failed, trees.Unavailable) as problem:
        sys.exit(f"FAILED: {problem}")
    finally:
        if workshop:
            workshop.close()
    print(f"{what}: all of it holds ({time.monotonic() - started:.0f} s)")
