"""booted.py PLAN LEAKED LATER: the steps of a plan, as `inside.py` runs them, where systemd has started the
machine.

Meanwhile a server serves a corpus in which these passwords leak; /run/leaked has its address. Prints one line
of results on the console, and ends the machine.
"""

import json
import os
import sys

import server
from inside import done


def main():
    plan, *leaked = sys.argv[1:]
    with open("/run/leaked", "w", encoding="ascii") as file:
        file.write(server.start(*leaked))
    with open(plan, encoding="utf-8") as file:
        results = [dict(zip(["status", "said"], done(step), strict=True)) for step in json.load(file)]
    with open("/dev/console", "w", encoding="utf-8") as console:
        console.write(f"\nRESULTS {json.dumps(results)}\n")
    os.sync()
    with open("/proc/sysrq-trigger", "w", encoding="ascii") as trigger:
        trigger.write("o")


main()
