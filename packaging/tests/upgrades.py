"""upgrades.py FOLDER: packages of an earlier version become those in FOLDER, and back: one alone, both step
by step, both by apt, one held back, downgraded. At each step a user changes passwords, and the counts of the
ladder and the words of a site's own filter are still there.

EARLIER=PACKAGES is a folder with the packages of a release. Without it, the packages in FOLDER are upgraded
from themselves under a lower version: before the first release no format of an earlier commit is kept.
"""

import os
import re
import sys
import time

import packages
import trees
from machine import Failed, Machine, check
from scenarios import CONFIGURATION, FILTER, LADDER, OURS, WORD, content, show

# Of two versions of a configuration, the one that is there.
KEEP = ["-o", "Dpkg::Options::=--force-confold"]
TOO_COMMON = "Quokka_sundial_88"
SITE_WORD, SITE_LIST, SITE_FILTER = "xanthorrhoea", "root/site.txt", "var/lib/site.filter"


def has(folder, package):
    """Whether a package is in a folder of packages."""
    return any(os.path.basename(path).startswith(f"{package}_") for path in packages.installable(folder))


class Upgrade:
    """A machine with the earlier packages on it, a ladder that has counted, and a site's own filter whose
    list is gone."""

    def __init__(self, old, folder, others=()):
        self.machine, self.old, self.new = Machine(), old, folder
        self.tried = 0
        self.all = OURS + [name for name in others if has(self.old, name) and has(folder, name)]
        self.install(self.old, self.all)
        self.machine.run("filterctl", "ladder", "step", "--steps", "64", text=f"{TOO_COMMON}\n")
        self.add_site_filter()
        self.judges("the earlier packages")

    def add_site_filter(self):
        machine = self.machine
        machine.write(SITE_LIST, f"{SITE_WORD}\n")
        machine.run("filterctl", "build", "--quiet", "-o", f"/{SITE_FILTER}", f"/{SITE_LIST}")
        machine.run("rm", f"/{SITE_LIST}")
        machine.run("chmod", "600", f"/{SITE_FILTER}")
        machine.run("mkdir", "-p", f"/{CONFIGURATION}.d")
        sections = [f'[[dictionary]]\nfile = "/{name}"\n' for name in [FILTER, SITE_FILTER]]
        machine.write(f"{CONFIGURATION}.d/50-site.conf", "".join(sections))

    def files(self, folder, names):
        return self.machine.copy_in([packages.named(folder, name) for name in names])

    def install(self, folder, names, *options):
        said = self.machine.install(*options, *self.files(folder, names))
        show(line for line in said.splitlines() if "nearmiss" in line and "/root/" not in line)
        return said

    def dpkg(self, *arguments):
        status, said = self.machine.attempt("dpkg", *arguments)
        show(said.splitlines())
        return status, said

    def judges(self, when):
        """A user's weak passwords, the site's words and a common one are rejected; a good one is set."""
        print(f"    -- {when}", flush=True)
        self.tried += 1
        for candidate in [WORD, SITE_WORD, SITE_WORD.replace("o", "0", 1), TOO_COMMON]:
            self.rejects(candidate)
        self.machine.accepts(f"Gl1mmer-{self.tried}-Vortex{self.tried * 7919}")

    def rejects(self, candidate):
        shadow = self.machine.read("etc/shadow")
        status, said = self.machine.passwd(*[(candidate, False)] * 3)
        check(status != 0 and "BAD PASSWORD" in said, f"passwd rejects {candidate!r}")
        check(self.machine.read("etc/shadow") == shadow, "the password is unchanged")

    def height(self):
        _, said = self.machine.attempt("filterctl", "ladder", "height", text=f"{TOO_COMMON}\n")
        return int(re.search(r"(\d+) of \d+", said)[1])


def one_alone(old, folder):
    """dpkg does not take the module alone; forced to, or with the tools alone, a system judges passwords."""
    upgrade = Upgrade(old, folder)
    status, said = upgrade.dpkg("-i", *upgrade.files(folder, ["libpam-nearmiss"]))
    check(status != 0 and "nearmiss" in said, "dpkg does not install libpam-nearmiss alone")
    upgrade.judges("libpam-nearmiss alone was refused")
    status, _ = upgrade.dpkg("-i", *upgrade.files(folder, ["nearmiss-tools"]))
    check(status == 0, "nearmiss-tools alone")
    upgrade.judges("new tools, earlier module")
    module = Upgrade(old, folder)
    status, _ = module.dpkg("--force-depends", "-i", *module.files(folder, ["libpam-nearmiss"]))
    check(status == 0, "libpam-nearmiss alone, forced")
    module.judges("new module, earlier tools")


def step_by_step(old, folder):
    """Both packages in the order of apt, with a password change between any two steps."""
    upgrade = Upgrade(old, folder)
    height = upgrade.height()
    check(height > 0, f"the counted password stands at {height}")
    tools, module = [upgrade.files(folder, [name])[0] for name in ["nearmiss-tools", "libpam-nearmiss"]]
    steps = [
        ("--auto-deconfigure", "--unpack", tools),
        ("--configure", "nearmiss-tools"),
        ("--unpack", module),
        ("--configure", "--pending"),
    ]
    for step in steps:
        status, _ = upgrade.dpkg("--force-confold", *step)
        check(status == 0, "dpkg " + " ".join(step[:2]))
        upgrade.judges("after dpkg " + step[-2] + " " + step[-1].rsplit("/", 1)[-1])
    check(all(upgrade.machine.is_installed(package) for package in OURS), "both packages are installed")
    is_new(upgrade, height)


def is_new(upgrade, height):
    """Filter and ladder are of today's formats, nothing that was counted is lost."""
    machine = upgrade.machine
    check(content(machine, FILTER)[29] == 2, "the packages' filter is of the newest hash version")
    check(content(machine, LADDER)[8] == 3, "the ladder is of the newest format")
    check(upgrade.height() == height, f"the counted password stands at {height} as before")
    machine.run("filterctl", "verify", f"/{SITE_FILTER}")


def by_apt(old, folder):
    """All at once, the agent among them where there was one; and before it, the module held back."""
    upgrade = Upgrade(old, folder, others=["nearmiss-agent"])
    height = upgrade.height()
    machine = upgrade.machine
    machine.run("apt-mark", "hold", "libpam-nearmiss")
    files = upgrade.files(folder, ["nearmiss-tools"])
    status, said = machine.attempt("apt-get", "install", *trees.APT_QUIET, *files)
    show(line for line in said.splitlines() if "nearmiss" in line)
    check(status == 0, "apt upgrades the tools of a module that is held back: their formats are the same")
    upgrade.judges("libpam-nearmiss held back")
    machine.run("apt-mark", "unhold", "libpam-nearmiss")
    upgrade.install(folder, upgrade.all, *KEEP)
    upgrade.judges("both packages upgraded")
    is_new(upgrade, height)
    downgraded(upgrade, height)


def downgraded(upgrade, height):
    """The earlier packages again, which judge by what they left; and today's once more."""
    upgrade.install(upgrade.old, upgrade.all, "--allow-downgrades", *KEEP)
    upgrade.judges("downgraded")
    check(upgrade.height() == height, f"the counted password stands at {height} as before")
    upgrade.install(upgrade.new, upgrade.all, *KEEP)
    upgrade.judges("upgraded again")
    is_new(upgrade, height)


def earlier(folder):
    """The folder of the packages that are upgraded: a release's, or these under an earlier version."""
    return os.environ.get("EARLIER") or packages.lowered(folder, packages.EARLIER)


def stages(folder):
    """What is shown, and the stage that shows it."""
    return [
        (f"upgrade: {title}", lambda stage=stage: stage(earlier(folder), folder))
        for title, stage in [
            ("one package alone", one_alone),
            ("step by step", step_by_step),
            ("held back, by apt, and back", by_apt),
        ]
    ]


def main():
    started = time.monotonic()
    workshop = packages.Workshop()
    try:
        folder = packages.around(workshop, sys.argv[1], "pkg.nearmiss.nolab")
        for title, stage in stages(folder):
            print(f"{title} ({time.monotonic() - started:.0f} s)", flush=True)
            stage()
    except (Failed, trees.Unavailable) as problem:
        sys.exit(f"FAILED: {problem}")
    finally:
        workshop.close()
    print(f"upgrades: all of it holds ({time.monotonic() - started:.0f} s)")


if __name__ == "__main__":
    main()
