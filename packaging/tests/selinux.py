"""SELinux, enforced: Debian's reference policy with our module and without it, `passwd` in `passwd_t` and a
program that asks for passwords in `local_login_t`.

The guest starts neither systemd nor login: the first process, `kernel_t`, enters the domains of users by
itself, which a policy of the test's own allows. It says nothing about files of ours.
"""

import confined
import overlays
import packages
import scenarios
import terminal
import trees
from guest import FIRST
from machine import check

OPTIONS = "security=selinux selinux=1 enforcing=1"
CONTEXTS = "/etc/selinux/default/contexts/files/file_contexts"
# What the first process does before anything else: labels, policy, and labels of what is in memory.
BEFORE = f"""setfiles -e /proc -e /sys -e /dev -e /run {CONTEXTS} /
load_policy -i
restorecon -R /dev /run
"""
ENTRIES = """(typeattributeset cil_gen_require domain)
(typeattributeset cil_gen_require can_change_process_identity)
(typeattributeset cil_gen_require can_change_process_role)
(typeattributeset can_change_process_identity (kernel_t))
(typeattributeset can_change_process_role (kernel_t))
(allow kernel_t user_t (process (transition)))
(allow kernel_t sysadm_t (process (transition)))
(allow kernel_t local_login_t (process (transition)))
(allow local_login_t user_devpts_t (chr_file (append getattr ioctl open read write)))
(allow domain kernel_t (fd (use)))
(allow domain kernel_t (process (sigchld)))
"""
SEMODULE = ["semodule", "-n", "-N", "-s", "default", "-X", "200"]
USER, ADMINISTRATOR = "user_u:user_r:user_t:s0", "sysadm_u:sysadm_r:sysadm_t:s0"
LOGIN = "system_u:system_r:local_login_t:s0"


def compiled():
    """The module, made by the reference policy's own Makefile."""
    root = overlays.Overlay([trees.tree("formats")]).root
    trees.run("cp", "-r", f"{packages.SOURCE}/packaging/selinux", f"{root}/root/")
    make = "make -C /root/selinux -f /usr/share/selinux/devel/Makefile nearmiss.pp"
    trees.inside(root, *make.split())
    return f"{root}/root/selinux/nearmiss.pp"


def entered(step, context, shell=True):
    """The step in another domain, on a user's terminal. A user's domain is entered by a shell, and left for
    `passwd_t` as the policy has it."""
    command = " ".join(step["command"])
    step = dict(step)
    enter = f"runcon {context} {f'sh -c {command!r}' if shell else command}"
    if "uid" in step:
        uid = step.pop("uid")
        enter = f'chown {uid} "$(tty)"; exec setpriv --reuid {uid} --regid {uid} --init-groups {enter}'
    step["command"] = ["sh", "-c", f'chcon -t user_devpts_t "$(tty)"; {enter}']
    return step


def confined_steps(steps):
    """Each step that has a terminal, in the domain that it has on a Debian with SELinux."""
    found = []
    for step in steps:
        if confined.LOGIN in step["command"]:
            step = entered(step, LOGIN, shell=False)
        elif "steps" in step:
            step = entered(step, USER if "uid" in step else ADMINISTRATOR)
        found.append(step)
    return found


def begun():
    """Steps before all others: what is enforced, and labels of what was made since."""
    label = f"chcon -t login_exec_t {confined.LOGIN}; restorecon -R /dev /run"
    return [
        {"command": ["cat", "/sys/fs/selinux/enforce"]},
        {"command": ["sh", "-c", f"{label}; ls -Z /run/nearmiss /var/lib/nearmiss /usr/bin/passwd"]},
    ]


def enforced(guest, steps):
    results = guest.results([*begun(), *confined_steps(steps)], OPTIONS, FIRST % BEFORE)
    scenarios.show(results[1]["said"].splitlines())
    check(results[0]["said"] == "1", "SELinux is enforced")
    return results[2:], "nearmiss_var_lib_t" in results[1]["said"]


def test(machine, guest):
    terminal.mount("-t", "tmpfs", "none", machine.path("mnt"))
    machine.write("mnt/entries.cil", ENTRIES)
    trees.run("cp", compiled(), machine.path("mnt/nearmiss.pp"))
    machine.run(*SEMODULE, "-i", "/mnt/entries.cil", "-i", "/mnt/nearmiss.pp")
    results, is_labelled = enforced(guest, confined.plan(machine))
    check(is_labelled, "the files have the types of our module")
    confined.check_with_rules(results, of="nearmiss")
    machine.run(*SEMODULE, "-r", "nearmiss")
    results, is_labelled = enforced(guest, [confined.control(machine, machine.password)])
    check(not is_labelled, "control: without our module")
    confined.check_control(results[0], "words.filter")
