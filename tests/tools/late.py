"""late.py WAY: a program that asks for two passwords as late as programs do on a busy machine, and prints
them.

Each place where a program may be kept from a processor is a pause here that ends as soon as something is
typed, which is too soon: the program then throws it away, as libpam, getpass and readpassphrase do.

  parts    the echo is off already; the prompt comes in two parts, behind a carriage return and behind a line
           that comes in two parts
  flush    the prompt comes whole, the switch of the echo, which throws away what was typed, after it
  echo     the echo is off and the prompt whole; the switch is made once more
  poll     like flush, by a program that waits in poll(2) before it reads
"""

import fcntl
import os
import select
import struct
import sys
import termios
import time

PAUSE_SECONDS = 0.05
ECHO = termios.ECHO
WAYS = {
    "parts": ["off", "Wrong. Try ", "again.\r\n", "\r", "New pass", "word: ", "off"],
    "flush": ["New password: ", "off"],
    "echo": ["off", "New password: ", "off"],
    "poll": ["New password: ", "off"],
}
NOTHING = os.pipe()[0]


def is_typed():
    return struct.unpack("i", fcntl.ioctl(0, termios.FIONREAD, b"\0" * 4))[0] > 0


def pause():
    """As a program that waits for another one."""
    end = time.monotonic() + PAUSE_SECONDS
    while time.monotonic() < end and not is_typed():
        select.select([NOTHING], [], [], 0.005)


def switch(is_on):
    mode = termios.tcgetattr(0)
    mode[3] = mode[3] | ECHO if is_on else mode[3] & ~ECHO
    termios.tcsetattr(0, termios.TCSAFLUSH, mode)


def ask(way):
    for part in WAYS[way]:
        if part == "off":
            switch(False)
        else:
            sys.stdout.write(part)
            sys.stdout.flush()
        pause()
    if way == "poll":
        poll = select.poll()
        poll.register(0, select.POLLIN)
        poll.poll()
    typed = sys.stdin.readline().rstrip("\n")
    switch(True)
    print()
    return typed


print("typed:", [ask(sys.argv[1]) for _ in range(2)])
