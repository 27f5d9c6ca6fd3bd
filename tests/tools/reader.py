"""Which process waits for what is typed on a terminal, as the kernel tells it in /proc.

A prompt on the screen does not say that its program reads already: libpam, getpass and readpassphrase switch
the echo off with TCSAFLUSH, which throws away what was typed before. A process that sleeps in read(2) on the
terminal has switched, and has written its prompt.
"""

import os
import platform
import stat
import struct

READ, POLL, SELECT = "read", "poll", "select"
# The system calls that wait for input, by their numbers: read, poll and ppoll, select and pselect6.
_GENERIC = {63: READ, 73: POLL, 72: SELECT}
CALLS = {
    "x86_64": {0: READ, 7: POLL, 271: POLL, 23: SELECT, 270: SELECT},
    "aarch64": _GENERIC,
    "riscv64": _GENERIC,
}.get(platform.machine(), {})
POLLIN = 1
# Majors of /dev/pts/*, and /dev/tty.
SLAVES, TERMINAL = range(136, 144), os.makedev(5, 0)


def contents(path):
    with open(path, encoding="ascii", errors="replace") as file:
        return file.read()


def family(pid):
    """A process and its descendants."""
    yield pid
    try:
        threads = os.listdir(f"/proc/{pid}/task")
        children = [contents(f"/proc/{pid}/task/{thread}/children").split() for thread in threads]
    except OSError:  # it has just ended, or this kernel lists no children
        return
    for child in sum(children, []):
        yield from family(int(child))


def switches(pid):
    """How often a process was taken off a processor: the number stays while it sleeps."""
    lines = (line.split() for line in contents(f"/proc/{pid}/status").splitlines())
    return sum(int(words[1]) for words in lines if words and words[0].endswith("ctxt_switches:"))


def is_terminal(pid, descriptor):
    try:
        status = os.stat(f"/proc/{pid}/fd/{descriptor}")
    except OSError:
        return False
    is_slave = os.major(status.st_rdev) in SLAVES or status.st_rdev == TERMINAL
    return stat.S_ISCHR(status.st_mode) and is_slave


def memory(pid, address, size):
    with open(f"/proc/{pid}/mem", "rb", buffering=0) as file:
        file.seek(address)
        return file.read(size)


def polled(pid, address, count):
    """The descriptors whose input a call of poll(2) waits for."""
    entries = struct.iter_unpack("=ihh", memory(pid, address, 8 * min(count, 1024)))
    return [descriptor for descriptor, events, _ in entries if events & POLLIN]


def selected(pid, count, address):
    """The same for select(2)."""
    bits = memory(pid, address, (min(count, 1024) + 63) // 64 * 8) if address else b""
    return [number for number in range(8 * len(bits)) if bits[number // 8] >> number % 8 & 1]


def awaited(pid):
    """How a sleeping process waits, and the descriptors for whose input; None if it does not sleep in such
    a call."""
    words = contents(f"/proc/{pid}/syscall").split()
    if len(words) < 4:  # it runs
        return None
    first, second = int(words[1], 16), int(words[2], 16)
    call = CALLS.get(int(words[0]))
    if call == READ:
        return call, [first]
    if call == POLL:
        return call, polled(pid, first, second)
    return (call, selected(pid, first, second)) if call == SELECT else None


def sleeps(pid):
    return contents(f"/proc/{pid}/stat").rpartition(")")[2].split()[0] == "S"


def waiting(pid):
    """How a process waits for input from a terminal; None if it does not. Where the kernel does not say
    what it waits for, that it sleeps, and not for a child, has to do."""
    try:
        call = awaited(pid) if CALLS else (READ, None)
    except PermissionError:
        call = READ, None
    if call and call[1] is None:
        return READ if sleeps(pid) and len(list(family(pid))) == 1 else None
    return call[0] if call and any(is_terminal(pid, descriptor) for descriptor in call[1]) else None


def reader(root):
    """The process, of this one and its descendants, that waits for input from a terminal: how, and what is
    another each time that it begins to wait. None if none does."""
    for pid in family(root):
        try:
            before = switches(pid)
            call = waiting(pid)
            if call and switches(pid) == before:
                return call, (pid, before)
        except (OSError, ValueError):  # it has just ended
            pass
    return None
