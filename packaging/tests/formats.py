"""What other distributions build from, as far as it can be run on Debian: RPM, Arch, SELinux, AppArmor, Nix.

The packages are made around binaries that are built already; with "source" as the folder they are compiled.
"""
import os
import re
import sys
import time

import packages
import trees
from machine import Failed, check


def show(text):
    for line in text.strip().splitlines():
        print(f"        | {line}", flush=True)


class Bench(packages.Workshop):
    """The `formats` tree with the binaries to package."""

    def __init__(self, binaries):
        super().__init__([trees.tree("formats")])
        self.prebuilt = {}
        if binaries != "source":
            self.bind(binaries, "/prebuilt")
            self.prebuilt = {"PREBUILT": "/prebuilt"}

    def shell(self, script, **environment):
        return self.run("sh", "-ec", script, **self.prebuilt, **environment)


def rpm(bench):
    for name in ["one", "two/deeper"]:
        bench.shell(f"mkdir -p /scratch/{name}; TMPDIR=/scratch/{name} /source/packaging/rpm/build-rpm.sh /scratch/rpm-{name[:3]} "
                    "--without rustpackages --without selinux", NOCHECK="1")
    files = [sorted(os.listdir(f"{bench.scratch}/rpm-{name}")) for name in ["one", "two"]]
    name = next(file for file in files[0] if file.startswith("nearmiss-1"))
    bench.run("cmp", f"/scratch/rpm-one/{name}", f"/scratch/rpm-two/{name}")
    check(files[0] == files[1], f"rpmbuild, twice in different folders: the same bytes, {', '.join(files[0])}")
    triggers = bench.run("rpm", "-qp", "--filetriggers", f"/scratch/rpm-one/{name}")
    check(triggers.count("/usr/share/dict") == 2 and triggers.count("filterctl update") == 2, "file triggers on /usr/share/dict")
    scripts = bench.run("rpm", "-qp", "--scripts", f"/scratch/rpm-one/{name}")
    check("filterctl ladder init" in scripts and "exit 1" in scripts, "it makes the ladder, and refuses to go while a stack names it")
    bench.shell(f"mkdir /scratch/rpmroot; rpm --root /scratch/rpmroot --initdb; "
                f"rpm --root /scratch/rpmroot -i --nodeps --noscripts --notriggers /scratch/rpm-one/{name}")
    listed = bench.shell("cd /scratch/rpmroot; stat -c '%A %U:%G %n' usr/lib64/security/pam_nearmiss.so usr/sbin/filterctl "
                         "var/lib/nearmiss etc/nearmiss")
    show(listed)
    private = [f"drwx------ root:root {folder}" in listed for folder in ["var/lib/nearmiss", "etc/nearmiss"]]
    check(all(private), "rpm installs it, private folders are private")
    bench.shell("rpm --root /scratch/rpmroot -e --noscripts --notriggers nearmiss; test ! -e /scratch/rpmroot/usr/sbin/filterctl")
    check(True, "rpm removes it")


def arch(bench):
    bench.shell("/source/packaging/arch/source.sh /scratch/arch; chown -R nobody /scratch/arch; cd /scratch/arch; "
                "setpriv --reuid nobody --clear-groups env HOME=/scratch/arch PKGDEST=/scratch/arch makepkg --nodeps --nocheck")
    package = next(name for name in os.listdir(f"{bench.scratch}/arch") if re.match(r"pam-nearmiss-\d.*\.pkg\.tar", name))
    check(True, f"makepkg: {package}")
    # Without CheckSpace: a folder of a chroot is no mount point that pacman knows.
    bench.shell("echo '[options]' > /scratch/pacman.conf")
    pacman = "pacman --config /scratch/pacman.conf -r /scratch/archroot -b /scratch/archroot/var/lib/pacman --noconfirm --nodeps --nodeps --noscriptlet"
    bench.shell(f"mkdir -p /scratch/archroot/var/lib/pacman; {pacman} -U /scratch/arch/{package}")
    show(bench.shell("cd /scratch/archroot; stat -c '%A %U:%G %n' usr/lib/security/pam_nearmiss.so var/lib/nearmiss usr/share/libalpm/hooks/*"))
    bench.shell(f"{pacman} -R pam-nearmiss; test ! -e /scratch/archroot/usr/bin/filterctl")
    check(True, "pacman installs and removes it")


def selinux(bench):
    bench.shell("cp -r /source/packaging/selinux /scratch/; cd /scratch/selinux; make -f /usr/share/selinux/devel/Makefile nearmiss.pp")
    check(os.path.exists(f"{bench.scratch}/selinux/nearmiss.pp"), "the SELinux module compiles")
    bench.shell("semodule -n -N -s default -X 200 -i /scratch/selinux/nearmiss.pp")
    check("nearmiss" in bench.shell("semodule -s default -l"), "it links against Debian's whole reference policy")
    policy = bench.shell("ls /etc/selinux/default/policy/policy.* /var/lib/selinux/final/default/policy/policy.* 2>/dev/null || true").split()[-1]
    for domain in ["passwd_t", "sshd_t", "local_login_t"]:
        rules = bench.shell(f"for t in nearmiss_cache_t nearmiss_var_lib_t; do sesearch -A -s {domain} -t $t -c file -p map {policy}; done")
        check("nearmiss_cache_t:file" in rules and "nearmiss_var_lib_t:file" in rules, f"{domain} may map filter and ladder")


def apparmor(bench):
    bench.shell("""mkdir -p /etc/apparmor.d/abstractions/authentication.d
        cp /source/packaging/apparmor/nearmiss /etc/apparmor.d/abstractions/authentication.d/
        printf '%s\\n' 'include <tunables/global>' 'profile trial /usr/sbin/trial {' '  include <abstractions/authentication>' '}' > /scratch/trial
        apparmor_parser --skip-kernel-load --skip-cache /scratch/trial""")
    names = bench.shell("apparmor_parser --skip-kernel-load --skip-cache --debug /scratch/trial 2>&1 | grep -c nearmiss || true")
    check(int(names.split()[-1]) >= 4, "AppArmor's parser takes the rules into a profile that includes abstractions/authentication")


def nix(bench):
    for name in ["package.nix", "module.nix"]:
        bench.shell(f"nix-instantiate --parse /source/packaging/nix/{name} >/dev/null")
    check(True, "Nix parses package.nix and module.nix")


def main():
    started = time.monotonic()
    try:
        packages.fetch_crates()
        bench = Bench(sys.argv[1])
        try:
            for part in [rpm, arch, selinux, apparmor, nix]:
                print(f"{part.__name__} ({time.monotonic() - started:.0f} s)", flush=True)
                part(bench)
        finally:
            bench.close()
    except (Failed, trees.Unavailable) as problem:
        sys.exit(f"FAILED: {problem}")
    print(f"other formats: all of it holds ({time.monotonic() - started:.0f} s)")


main()
