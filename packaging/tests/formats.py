"""What other distributions build from, as far as it can be run on Debian: RPM, Arch, SELinux, AppArmor, Nix.

The packages are made around binaries that are built already; with "source" as the folder they are compiled.
"""

import glob
import json
import os
import re
import sys
import time

import access
import leaked
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


WORD = "qzkwtrialword"
LADDER = "var/lib/nearmiss/chosen.ladder"


def rpm(bench):
    for name in ["one", "two/deeper"]:
        bench.shell(
            f"mkdir -p /scratch/{name}; TMPDIR=/scratch/{name} "
            f"/source/packaging/rpm/build-rpm.sh /scratch/rpm-{name[:3]} "
            "--without rustpackages --without selinux",
            NOCHECK="1",
        )
    files = [sorted(os.listdir(f"{bench.scratch}/rpm-{name}")) for name in ["one", "two"]]
    name = next(file for file in files[0] if file.startswith("nearmiss-1"))
    bench.run("cmp", f"/scratch/rpm-one/{name}", f"/scratch/rpm-two/{name}")
    check(
        files[0] == files[1], f"rpmbuild, twice in different folders: the same bytes, {', '.join(files[0])}"
    )
    lab = next(file for file in files[0] if file.startswith("nearmiss-lab-1"))
    licence_of_all_crates(bench, f"/scratch/rpm-one/{name}", ["pam-nearmiss", "filterctl"])
    licence_of_all_crates(bench, f"/scratch/rpm-one/{lab}", ["filterlab"])
    check(
        "/usr/bin/filterlab" in bench.run("rpm", "-qpl", f"/scratch/rpm-one/{lab}"),
        "nearmiss-lab has filterlab",
    )
    check("filterlab" not in bench.run("rpm", "-qpl", f"/scratch/rpm-one/{name}"), "nearmiss has it not")
    further_packages(bench, files[0])
    refused_beside_a_person(bench, f"rpm --force-debian --nodeps -i /scratch/rpm-one/{name}")
    life(
        bench,
        "rpm --force-debian --nodeps -i {}",
        "rpm --force-debian --nodeps -e {}",
        f"/scratch/rpm-one/{name}",
        "nearmiss",
        rpm_of_words(bench),
        "words-trial",
        verify="rpm --nodeps -V nearmiss",
    )
    fetch = next(file for file in files[0] if file.startswith("nearmiss-fetch-1"))
    bench.shell(f"rpm --force-debian --nodeps -i /scratch/rpm-one/{name}")
    leaked.life(
        bench,
        f"rpm --force-debian --nodeps -i /scratch/rpm-one/{fetch}",
        "rpm --force-debian --nodeps -e nearmiss-fetch",
        "rpm --force-debian --nodeps -e nearmiss",
        "usr/sbin",
    )
    check(not left(bench), "nothing is left")


# The packages of parts.sh: what is linked, and a file that each has.
FURTHER = {
    "agent": ("nearmiss-agent", "usr/sbin/nearmiss-agent"),
    "fetch": ("nearmiss-fetch", "usr/sbin/nearmiss-fetch"),
    "libs": ("nearmiss-capi", "usr/lib64/libnearmiss.so.1"),
    "devel": ("nearmiss-capi", "usr/include/nearmiss.h"),
    "cracklib": ("nearmiss-cracklib", "usr/lib64/nearmiss/libcrack.so.2"),
    "krb5": ("nearmiss-mit-krb5", "usr/lib64/krb5/plugins/pwqual/nearmiss_pwqual.so"),
    "openldap": ("nearmiss-openldap", "usr/lib64/openldap/nearmiss_ppolicy.so"),
    "mariadb": ("nearmiss-mariadb", "usr/lib64/mariadb/plugin/nearmiss_password_check.so"),
    "postgresql": ("nearmiss-postgresql", "usr/lib64/pgsql/nearmiss_pg.so"),
}
# Each plugin with a configuration that names it.
NAMING = {
    "krb5": ("etc/krb5.conf", "module = nearmiss:nearmiss_pwqual.so"),
    "openldap": ("etc/openldap/slapd.conf", "pwdCheckModule nearmiss_ppolicy.so"),
    "mariadb": ("etc/my.cnf", "plugin_load_add = nearmiss_password_check"),
    "postgresql": ("var/lib/pgsql/data/postgresql.conf", "shared_preload_libraries = 'nearmiss_pg'"),
}


def further_packages(bench, files):
    """What parts.sh makes: installed, kept while a configuration names them, removed."""
    for part, (binary, path) in FURTHER.items():
        package = next(file for file in files if file.startswith(f"nearmiss-{part}-1"))
        licence_of_all_crates(bench, f"/scratch/rpm-one/{package}", [binary])
        bench.run("rpm", "--force-debian", "--nodeps", "-i", f"/scratch/rpm-one/{package}")
        check(os.path.exists(f"{bench.root}/{path}"), f"rpm: nearmiss-{part} has /{path}")
        remove = f"rpm --force-debian --nodeps -e nearmiss-{part} 2>&1 && echo gone || echo refused"
        if part in NAMING:
            name, line = NAMING[part]
            os.makedirs(os.path.dirname(f"{bench.root}/{name}"), exist_ok=True)
            trees.write(f"{bench.root}/{name}", f"{line}\n")
            said = bench.shell(remove)
            check("refused" in said and line in said, f"rpm: nearmiss-{part} stays while /{name} names it")
            os.unlink(f"{bench.root}/{name}")
        if part == "agent":
            check(
                access.access(bench.root, "etc/nearmiss-agent") == "root:nearmiss-agent 750",
                "rpm: the folder of the agent's password is for root and the agent",
            )
        check("gone" in bench.shell(remove), f"rpm: then nearmiss-{part} goes")
    bench.shell("userdel nearmiss-agent; rm -rf /etc/openldap /var/lib/pgsql")


def refused_beside_a_person(bench, add):
    """A person's group has our name: that person would be let into the filter."""
    bench.shell("groupadd --gid 5000 nearmiss")
    said = bench.shell(f"{add} 2>&1 && echo added || echo refused; groupdel nearmiss")
    show(said)
    check(
        "refused" in said and "not a system group" in said and not left(bench),
        "it is not installed where a person's group is named nearmiss",
    )


def left(bench):
    return [name for name in access.PROMISED if os.path.exists(f"{bench.root}/{name}")]


def licence_of_all_crates(bench, package, binaries):
    """The licence field names what is linked in, as Fedora asks."""
    field = bench.run("rpm", "-qp", "--qf", "%{LICENSE}", package).replace("(", "").replace(")", "")
    told = {tuple(sorted(part.split(" OR "))) for part in field.split(" AND ")}
    for binary in binaries:
        bill = json.loads(bench.run("python3", "/source/packaging/sbom.py", binary))
        licences = [
            entry["expression"]
            for component in bill["components"]
            for entry in component.get("licenses", [])
        ]
        parts = {part.strip("() ") for licence in licences for part in licence.split(" AND ")}
        missing = [part for part in sorted(parts) if tuple(sorted(part.split(" OR "))) not in told]
        check(
            not missing,
            f"the licence field covers every crate of {binary} ({len(licences)}) {missing or ''}",
        )


def rpm_of_words(bench):
    """A package with a word list."""
    bench.shell(f"""mkdir -p /scratch/words; cd /scratch/words
        printf '%s\\n' 'Name: words-trial' 'Version: 1' 'Release: 1' 'Summary: words' 'License: MIT' \\
            'BuildArch: noarch' '%description' 'Words.' '%install' \\
            'install -d %{{buildroot}}/usr/share/dict' \\
            'echo {WORD} > %{{buildroot}}/usr/share/dict/trial' '%files' '/usr/share/dict/trial' > words.spec
        rpmbuild -bb --define '_topdir /scratch/words' words.spec""")
    return "/scratch/words/RPMS/noarch/words-trial-1-1.noarch.rpm"


def life(bench, add, remove, package, name, words, words_name, verify):
    """By the distribution's own package manager, with its scripts and triggers."""
    bench.shell(add.format(package))
    check(access.is_empty_system_group(bench.root), "there is a system group nearmiss without members")
    check_access(bench, "its scripts build filter and ladder")
    check(bench.shell(verify) == "", f"what is there is what the package has it as ({verify})")
    check(verdict(bench) == 0, f"{WORD} is in no list yet")
    with access.made_public(bench.root) as earlier:
        bench.shell(add.format(words))
        check(
            access.is_replaced(bench.root, earlier),
            "a filter that others could read is another file and key now",
        )
    check(verdict(bench) == 1, "a word list comes: the trigger fires")
    check_access(bench, "the trigger keeps the filter private")
    bench.shell(remove.format(words_name))
    check(verdict(bench) == 0, "the word list goes: the trigger fires")
    trees.write(f"{bench.root}/etc/pam.d/trial", "password requisite pam_nearmiss.so\n")
    said = bench.shell(f"{remove.format(name)} 2>&1 && echo gone || echo refused")
    show(said)
    there = os.path.exists(f"{bench.root}/etc/security/nearmiss.conf")
    there = there and not access.broken_promises(bench.root)
    check(
        "refused" in said and "/etc/pam.d/trial" in said and there,
        "removal is refused while a stack names it, and says which",
    )
    os.unlink(f"{bench.root}/etc/pam.d/trial")
    bench.shell(remove.format(name))
    check(not glob.glob(f"{bench.root}/usr/*bin/filterctl"), "then it goes")


def check_access(bench, what):
    broken = access.broken_promises(bench.root)
    show("\n".join(broken))
    check(not broken, f"{what}: filter root:nearmiss 0640; ladder, key and their folders root's alone")


def verdict(bench):
    return int(
        bench.shell(f"status=0; echo {WORD} | filterctl check >/dev/null || status=$?; echo $status")
    )


def arch(bench):
    bench.shell("/source/packaging/source.sh arch /scratch/arch")
    package = made_by_makepkg(bench, "/scratch/arch", "pam-nearmiss")
    check(True, f"makepkg: {os.path.basename(package)}")
    lab = next(
        file
        for file in os.listdir(f"{bench.root}/scratch/arch")
        if re.match(r"nearmiss-lab-\d.*\.pkg\.tar", file)
    )
    check(
        "usr/bin/filterlab" in bench.shell(f"bsdtar -tf /scratch/arch/{lab}"),
        f"makepkg: {lab} has filterlab",
    )
    arch_plugins(bench)
    # Without CheckSpace: a folder of a chroot is no mount point that pacman knows. Debian's own files are
    # in the way of nothing.
    bench.shell("printf '[options]\\nSigLevel = Never\\n' > /scratch/pacman.conf; mkdir -p /var/lib/pacman")
    pacman = "pacman --config /scratch/pacman.conf --noconfirm --nodeps --nodeps"
    life(
        bench,
        f"{pacman} -U {{}}",
        f"{pacman} -R {{}}",
        package,
        "pam-nearmiss",
        arch_of_words(bench),
        "words-trial",
        verify="pacman --config /scratch/pacman.conf -Qkkq pam-nearmiss",
    )
    check(access.FILTER not in left(bench) and LADDER in left(bench), "the filter goes, the ladder stays")
    bench.shell(f"{pacman} -U {package}")
    made = os.listdir(f"{bench.root}/scratch/arch")
    fetch = next(name for name in made if name.startswith("nearmiss-fetch-1"))
    leaked.life(
        bench,
        f"{pacman} -U /scratch/arch/{fetch}",
        f"{pacman} -R nearmiss-fetch",
        f"{pacman} -R pam-nearmiss",
        "usr/bin",
    )
    bench.shell("rm -r /var/lib/nearmiss /etc/nearmiss; groupmod --gid 5000 nearmiss")
    show(bench.shell(f"{pacman} -U {package} 2>&1"))
    check(
        access.access(bench.root, access.FILTER) == "root:root 600",
        "where a person's group is named nearmiss, the filter is for root alone",
    )
    bench.shell(f"{pacman} -R pam-nearmiss; rm -r /var/lib/nearmiss /etc/nearmiss; groupdel nearmiss")


def arch_plugins(bench):
    """The other packages are made; the hook of a plugin's package refuses its removal."""
    made = os.listdir(f"{bench.root}/scratch/arch")
    for name in ["agent", "fetch", "cracklib", "krb5", "openldap", "mariadb", "postgresql"]:
        file = next(file for file in made if re.match(rf"nearmiss-{name}-\d.*\.pkg\.tar", file))
        listed = bench.shell(f"bsdtar -tf /scratch/arch/{file}")
        check("usr/share/licenses" in listed, f"makepkg: {file}")
        hooks = re.findall(r"usr/share/libalpm/hooks/\S+", listed)
        check(bool(hooks) == (name in NAMING), f"makepkg: hooks of nearmiss-{name}: {hooks}")
        for hook in hooks:
            text = bench.shell(f"bsdtar -xOf /scratch/arch/{file} {hook}")
            target = re.search(r"^Target = (.*)", text, re.MULTILINE)
            check(target[1] in listed.split(), f"makepkg: its hook watches {target[1]}, which it has")
    trees.write(f"{bench.root}/scratch/my.cnf", "plugin_load_add = nearmiss_password_check\n")
    script = "/source/packaging/arch/nearmiss-remove-plugin nearmiss_password_check"
    said = bench.shell(f"{script} /scratch/none /scratch/my.cnf 2>&1 && echo goes || echo stays")
    check("stays" in said and "my.cnf" in said, "the hook's script names the line that is in the way")
    check("goes" in bench.shell(f"{script} /scratch/none && echo goes"), "and is silent without one")


def made_by_makepkg(bench, folder, name):
    bench.shell(
        f"chown -R nobody {folder}; cd {folder}; "
        f"setpriv --reuid nobody --clear-groups env HOME={folder} PKGDEST={folder} makepkg --nodeps --nocheck"
    )
    return (
        folder
        + "/"
        + next(
            file for file in os.listdir(bench.root + folder) if re.match(rf"{name}-\d.*\.pkg\.tar", file)
        )
    )


def arch_of_words(bench):
    """A package with a word list."""
    os.mkdir(f"{bench.scratch}/arch-words")
    trees.write(
        f"{bench.scratch}/arch-words/PKGBUILD",
        f"""pkgname=words-trial
pkgver=1
pkgrel=1
arch=('any')
package() {{
  install -d "$pkgdir/usr/share/dict"
  echo {WORD} > "$pkgdir/usr/share/dict/trial"
}}
""",
    )
    return made_by_makepkg(bench, "/scratch/arch-words", "words-trial")


TYPES = ["nearmiss_cache_t", "nearmiss_var_lib_t", "nearmiss_key_t"]


def selinux(bench):
    bench.shell(
        "cp -r /source/packaging/selinux /scratch/; cd /scratch/selinux; "
        "make -f /usr/share/selinux/devel/Makefile nearmiss.pp"
    )
    check(os.path.exists(f"{bench.scratch}/selinux/nearmiss.pp"), "the SELinux module compiles")
    bench.shell("semodule -n -N -s default -X 200 -i /scratch/selinux/nearmiss.pp")
    check(
        "nearmiss" in bench.shell("semodule -s default -l"),
        "it links against Debian's whole reference policy",
    )
    policy = bench.shell(
        "ls /etc/selinux/default/policy/policy.* "
        "/var/lib/selinux/final/default/policy/policy.* 2>/dev/null || true"
    ).split()[-1]
    check_domains(bench, policy)
    let_a_server_in(bench, policy)


def check_domains(bench, policy):
    """Who may map filter and ladder, and that no domain of a user may read anything of ours."""
    for domain in ["passwd_t", "sshd_t", "local_login_t"]:
        rules = bench.shell(
            "for t in nearmiss_cache_t nearmiss_var_lib_t; do "
            f"sesearch -A -s {domain} -t $t -c file -p map {policy}; done"
        )
        check(
            "nearmiss_cache_t:file" in rules and "nearmiss_var_lib_t:file" in rules,
            f"{domain} may map filter and ladder",
        )
    for domain in ["user_t", "staff_t", "guest_t", "xguest_t", "mplayer_t"]:
        check(not readable(bench, policy, domain), f"{domain} may read none of {', '.join(TYPES)}")
    check(
        readable(bench, policy, "sysadm_t") == TYPES, "and the search finds what an administrator may read"
    )


def readable(bench, policy, domain):
    search = f"sesearch -A -s {domain} -c file -p read {policy} -t"
    return [name for name in TYPES if bench.shell(f"{search} {name}")]


def let_a_server_in(bench, policy):
    """The lines of README.md for a server that SELinux confines."""
    with open(f"{packages.SOURCE}/packaging/README.md", encoding="utf-8") as file:
        lines = [line.strip() for line in file if line.strip().startswith("(allow slapd_t")]
    trees.write(f"{bench.scratch}/nearmiss-slapd.cil", "".join(f"{line}\n" for line in lines))
    check(not may_map(bench, policy, "slapd_t"), "slapd_t may not map the filter")
    bench.shell("semodule -n -N -s default -X 200 -i /scratch/nearmiss-slapd.cil")
    check(may_map(bench, policy, "slapd_t"), "with the lines of README.md it may")


def may_map(bench, policy, domain):
    rules = bench.shell(f"sesearch -A -s {domain} -t nearmiss_cache_t -c file -p map {policy}")
    return "nearmiss_cache_t:file" in rules


def apparmor(bench):
    bench.shell("""mkdir -p /etc/apparmor.d/abstractions/authentication.d
        cp /source/packaging/apparmor/nearmiss /etc/apparmor.d/abstractions/authentication.d/
        printf '%s\\n' 'include <tunables/global>' 'profile trial /usr/sbin/trial {' \\
            '  include <abstractions/authentication>' '}' > /scratch/trial
        apparmor_parser --skip-kernel-load --skip-cache /scratch/trial""")
    names = bench.shell(
        "apparmor_parser --skip-kernel-load --skip-cache --debug /scratch/trial 2>&1 | "
        "grep -c nearmiss || true"
    )
    check(
        int(names.split()[-1]) >= 4,
        "AppArmor's parser takes the rules into a profile that includes abstractions/authentication",
    )


def nix(bench):
    for name in ["package.nix", "module.nix"]:
        bench.shell(f"nix-instantiate --parse /source/packaging/nix/{name} >/dev/null")
    check(True, "Nix parses package.nix and module.nix")
    # It makes its store where it may write.
    bench.shell(
        "NIX_STATE_DIR=/scratch/nix NIX_STORE_DIR=/scratch/nix/store nix-instantiate --eval --strict --json "
        "/source/packaging/tests/nix-stack.nix >/scratch/stack"
    )
    with open(f"{bench.scratch}/stack", encoding="utf-8") as file:
        stack = json.load(file)
    with open(os.path.join(os.path.dirname(__file__), "nix-stack"), encoding="utf-8") as file:
        check(stack == file.read(), "Nix evaluates module.nix to the stack in packaging/tests/nix-stack")


PARTS = [rpm, arch, selinux, apparmor, nix]


def main():
    started = time.monotonic()
    try:
        packages.fetch_crates()
        bench = Bench(sys.argv[1])
        try:
            for part in PARTS:
                print(f"{part.__name__} ({time.monotonic() - started:.0f} s)", flush=True)
                part(bench)
        finally:
            bench.close()
    except (Failed, trees.Unavailable) as problem:
        sys.exit(f"FAILED: {problem}")
    print(f"other formats: all of it holds ({time.monotonic() - started:.0f} s)")


main()
