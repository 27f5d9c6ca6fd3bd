#!/usr/bin/env python3
"""demo.py PROGRAMS SCENARIO: a corpus, a host, two passwords.

PROGRAMS is the folder with the module, filterctl and nearmiss-fetch, SCENARIO tests/tools/scenario.py, which
plays the machine's own passwd and su in copies of /etc. The last lines say what was shown. Exit status 1 when
it was something else.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile

import server

LEAKED = "glacier-Tandem-67-onyx"
OTHER = "harbour-Lintel-52-mocha"
OLD = "Orig-0ld-pw"
USER = "tester"
UID = 4242
# Who fetches has no right on the machine.
NOBODY = 65534

REJECTED = "it is in a dictionary of leaked passwords"
TOLD = "Your password is in a list of leaked passwords."
SEEN = "logged in"
STATE = "/var/lib/private/nearmiss-fetch"


class Demo:
    def __init__(self, programs, scenario):
        self.scenario = os.path.abspath(scenario)
        self.folder = tempfile.mkdtemp(prefix="nearmiss-breach-")
        os.chmod(self.folder, 0o755)
        # The user that fetches may not read the build.
        for name in ["libpam_nearmiss.so", "filterctl", "nearmiss-fetch"]:
            shutil.copy(f"{programs}/{name}", self.folder)
        self.fetched = f"{self.folder}/fetched"
        os.mkdir(self.fetched, 0o700)
        os.chown(self.fetched, NOBODY, NOBODY)
        self.base = server.start(LEAKED, OTHER)

    def fetch_command(self, folder):
        return [
            f"{self.folder}/nearmiss-fetch", "--output", f"{folder}/leaked.filter", "--url", self.base,
            "--digits", str(server.DIGITS), "--logins",
        ]  # fmt: skip

    def fetch(self):
        """The first run, in sight."""
        command = self.fetch_command(self.fetched)
        who = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
        return subprocess.run(command, check=False, **who).returncode == 0

    def play(self):
        """The results of what happens on the host, in the order of `runs`."""
        filterctl = f"{self.folder}/filterctl"
        configuration = f"{self.folder}/host.conf"
        with open(configuration, "w", encoding="utf-8") as file:
            file.write("packaged = false\n")
        module = "/etc/security/pam_nearmiss.so"
        scene = {
            "module": f"{self.folder}/libpam_nearmiss.so",
            "filter": None,
            "configuration": configuration,
            "options": "retry=1",
            "extra": [],
            "prepare": [
                "mount -t tmpfs -o mode=755,size=64m none /var/cache",
                "mount -t tmpfs -o mode=755,size=8m none /var/lib",
                f"mkdir -p {STATE} && mount --bind {self.fetched} {STATE}",
                "chmod 755 /var/lib/private",
                "mkdir -p /etc/security/nearmiss.conf.d /etc/nearmiss",
                # What filterctl breaches enable leaves, where systemd would start the first run.
                f"echo 'OPTIONS=\"--kind sha1 --min-count 1 --url {self.base} --logins\"'"
                " > /etc/nearmiss-fetch.env",
                f"echo 'auth optional {module} passed' >> /etc/pam.d/common-auth",
                f"echo 'account optional {module} notify' >> /etc/pam.d/common-account",
            ],
            "runs": self.runs(filterctl),
        }
        with open(f"{self.folder}/host.json", "w", encoding="utf-8") as file:
            json.dump(scene, file)
        command = ["unshare", "-m", "--propagation", "private", sys.executable, self.scenario]
        played = subprocess.run([*command, f"{self.folder}/host.json"], capture_output=True, text=True)
        if played.returncode != 0:
            sys.exit(f"breach-demo: {played.stderr}")
        return json.loads(played.stdout)

    def runs(self, filterctl):
        leak = f"import urllib.request; urllib.request.urlopen('{self.base}/leak')"
        install = {"command": [filterctl, "breaches", "install"], "input": ""}
        return [
            install,
            change(LEAKED),
            change(OTHER),
            log_in(OTHER),
            {"command": [sys.executable, "-c", leak], "input": ""},
            {"command": self.fetch_command(STATE), "input": "", "uid": NOBODY},
            install,
            log_in(OTHER),
        ]

    def run(self):
        print(f"server: {16**server.DIGITS:,} ranges of {server.EACH} digests at {self.base}\n")
        if not self.fetch():
            return conclude(False)
        installed, rejected, taken, before, _, refreshed, again, after = self.play()
        if installed["status"] or again["status"]:
            sys.exit(f"breach-demo: {installed['transcript']}{again['transcript']}")
        print(f'\nhost: passwd, with "{LEAKED}", which is in the corpus:')
        show(rejected, "BAD PASSWORD")
        print(f'host: passwd, with "{OTHER}", which is not:')
        print(f"  {'taken' if taken['shadow_changed'] else 'not taken'}")
        print("host: a login with it:")
        show(before, TOLD)
        print(f'\nThe corpus gets "{OTHER}", and is fetched again:\n')
        print(refreshed["transcript"])
        print("host: a login with it:")
        show(after, TOLD)
        is_in = all(SEEN in login["transcript"] for login in (before, after))
        says_so = [TOLD in login["transcript"] for login in (before, after)]
        is_rejected = REJECTED in rejected["transcript"] and not rejected["shadow_changed"]
        is_refreshed = refreshed["status"] == 0
        return conclude(
            is_rejected and taken["shadow_changed"] and is_refreshed and is_in and says_so == [False, True]
        )


def change(password):
    return {"command": ["/usr/bin/passwd"], "uid": UID, "input": f"{OLD}\n{password}\n{password}\n"}


def log_in(password):
    steps = [["Password: ", password], [SEEN, None]]
    return {"command": ["/bin/su", USER, "-c", f"echo {SEEN}"], "uid": NOBODY, "steps": steps}


def show(run, sign):
    """The line with this sign; that there is none otherwise."""
    lines = [line.strip() for line in run["transcript"].splitlines() if sign in line]
    print(f"  {lines[0][lines[0].index(sign):] if lines else 'nothing is said'}")


def conclude(is_shown):
    """The last lines."""
    if not is_shown:
        print("\nNot shown: this is not what is expected.")
        return 1
    print(f'\nShown: "{LEAKED}" is rejected because it was leaked. "{OTHER}" was taken, leaked later,')
    print("and the next login after a refresh told its owner so.")
    return 0


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: demo.py PROGRAMS SCENARIO")
    demo = Demo(*sys.argv[1:])
    try:
        return demo.run()
    finally:
        shutil.rmtree(demo.folder)


sys.exit(main())
