"""What can be said of the packages without installing them: identical builds, sizes, symbols, hardening,
lintian."""

import glob
import gzip
import json
import os
import re
import tempfile

import packages
import trees
from machine import check

# Bytes. The module's limit is the one of the test of the optimized module.
LIMIT_OF_MODULE = "tests/shipped/tests/artefact.rs", r"^const MAX_BYTES: u64 = ([0-9_]+);"
# The module takes 417,000 of them.
MAX_MODULE_PACKAGE = 495_000
# The embedded lists, which are compressed already, take 1,465,000 of them.
MAX_TOOLS_PACKAGE = 3_550_000
# The program takes 1,589,000 of them.
MAX_LAB_PACKAGE = 1_660_000

# The crates of the laboratory, which nothing that root runs is to have.
OF_THE_LABORATORY = {"plotters", "png", "embedded-graphics", "pulldown-cmark", "unicode-segmentation"}


# Where a release writes its version besides Cargo.toml.
VERSIONS = {
    "packaging/debian/changelog": r"^nearmiss \((.*)-\d+\)",
    "packaging/rpm/nearmiss.spec": r"^Version: *(\S+)",
    "packaging/arch/PKGBUILD": r"^pkgver=(.*)",
    "packaging/alpine/APKBUILD": r"^pkgver=(.*)",
    "packaging/ansible/galaxy.yml": r"^version: (.*)",
    "packaging/man/pam_nearmiss.8": r'^\.TH .* "nearmiss (\S+)" ',
    "packaging/man/nearmiss.conf.5": r'^\.TH .* "nearmiss (\S+)" ',
}


def versions():
    wanted = found_in("Cargo.toml", r'^version = "(.*)"')
    for name, pattern in VERSIONS.items():
        check(found_in(name, pattern) == wanted, f"{name} is of version {wanted}")


def found_in(name, pattern):
    with open(os.path.join(packages.SOURCE, name), encoding="utf-8") as file:
        return re.search(pattern, file.read(), re.MULTILINE)[1]


def identical(folders):
    first, second = (
        {os.path.basename(path): contents(path) for path in glob.glob(f"{folder}/*.deb")}
        for folder in folders
    )
    check(len(first) == 10, f"five packages, each with its debugging symbols: {', '.join(sorted(first))}")
    check(first == second, "two builds in different folders give the same bytes")


def contents(path):
    with open(path, "rb") as file:
        return file.read()


def sizes(folder, module):
    at_most("the module, stripped", os.path.getsize(module), int(found_in(*LIMIT_OF_MODULE)))
    at_most(
        "libpam-nearmiss", os.path.getsize(packages.named(folder, "libpam-nearmiss")), MAX_MODULE_PACKAGE
    )
    at_most("nearmiss-tools", os.path.getsize(packages.named(folder, "nearmiss-tools")), MAX_TOOLS_PACKAGE)
    at_most("nearmiss-lab", os.path.getsize(packages.named(folder, "nearmiss-lab")), MAX_LAB_PACKAGE)


def at_most(what, size, most):
    check(size <= most, f"{what}: {size:,} bytes, at most {most:,}")


def module_facts(workshop, module):
    """Symbols and hardening of the module as it is shipped."""
    trees.run("cp", module, f"{workshop.scratch}/module.so")
    exported = workshop.run("nm", "-D", "--defined-only", "/scratch/module.so").split()[2::3]
    check(
        exported and all(name.startswith("pam_sm_") for name in exported),
        f"exported: {' '.join(sorted(exported))}",
    )
    dynamic = workshop.run("readelf", "-W", "-d", "/scratch/module.so")
    flags = " ".join(re.findall(r"\((?:FLAGS|FLAGS_1)\)\s+(.*)", dynamic))
    check("BIND_NOW" in flags and "NOW" in flags and "NODELETE" in flags, f"dynamic flags: {flags}")
    check("RPATH" not in dynamic and "RUNPATH" not in dynamic, "no RPATH, no RUNPATH")
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic)
    check(
        set(needed)
        <= {"libpam.so.0", "libgcc_s.so.1", "libc.so.6", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"},
        f"needs {' '.join(needed)}",
    )
    headers = workshop.run("readelf", "-W", "-l", "/scratch/module.so")
    check("GNU_RELRO" in headers, "relocations are read-only after loading")
    stack = next(line for line in headers.splitlines() if "GNU_STACK" in line)
    check("E" not in stack.split()[6], "the stack is not executable")


def laboratory(folder):
    """What is in nearmiss-lab, and that nothing of it is in nearmiss-tools."""
    files = trees.run("dpkg-deb", "-c", packages.named(folder, "nearmiss-lab"))
    for name in [
        "./usr/bin/filterlab",
        "./usr/share/man/man1/filterlab-study-locality.1.gz",
        "./usr/share/man/man1/filterlab.1.gz",
        "./usr/share/bash-completion/completions/filterlab",
        "./usr/share/doc/nearmiss-lab/sbom.cdx.json.gz",
    ]:
        check(name in files, f"nearmiss-lab has {name[1:]}")
    check(embedded(folder, "nearmiss-tools", "usr/sbin/filterctl") == 3, "filterctl embeds the lists")
    check(embedded(folder, "nearmiss-lab", "usr/bin/filterlab") == 0, "and filterlab none a second time")
    check(
        "filterlab" not in trees.run("dpkg-deb", "-c", packages.named(folder, "nearmiss-tools")),
        "nearmiss-tools has nothing of it",
    )
    check(
        "nearmiss-lab" in trees.run("dpkg-deb", "-f", packages.named(folder, "nearmiss-tools"), "Suggests"),
        "and suggests it",
    )
    for package, wanted in [
        ("nearmiss-lab", OF_THE_LABORATORY),
        ("nearmiss-tools", set()),
        ("libpam-nearmiss", set()),
    ]:
        crates = OF_THE_LABORATORY & {
            component["name"] for component in bill(folder, package)["components"]
        }
        check(crates == wanted, f"crates of the laboratory in {package}: {len(crates)}")


def embedded(folder, package, program):
    """The number of lists in a packaged program: they are a third of nearmiss-tools."""
    content = contents(f"{unpacked(folder, package)}/{program}")
    lists = glob.glob(f"{packages.SOURCE}/packaging/wordlists/*.lst.xz")
    check(len(lists) == 3, "there are three lists to embed")
    return sum(contents(path) in content for path in lists)


def unpacked(folder, package):
    """A folder with the files of a package."""
    target = tempfile.mkdtemp(dir=trees.SCRATCH)
    trees.run("dpkg-deb", "-x", packages.named(folder, package), target)
    return target


def bill(folder, package):
    """The bill of materials in a package."""
    with gzip.open(f"{unpacked(folder, package)}/usr/share/doc/{package}/sbom.cdx.json.gz") as file:
        return json.load(file)


def no_foreign_paths(workshop, folder):
    """Nothing in a shipped binary tells where it was built."""
    for path in packages.installable(folder):
        trees.run("dpkg-deb", "-x", path, f"{workshop.scratch}/unpacked")
    status = os.system(f"grep -rqE '/scratch/|/opt/cargo|/opt/rust' '{workshop.scratch}/unpacked'")
    check(os.waitstatus_to_exitcode(status) == 1, "no path of the building machine in any packaged file")


def lintian(workshop, folder):
    """The binary packages, and the source package that a distribution takes."""
    trees.run("cp", "-r", folder, f"{workshop.scratch}/binary")
    workshop.run("/source/packaging/build-deb.sh", "/scratch/source", "source")
    for kind in ["binary", "source"]:
        changes = next(os.path.basename(path) for path in glob.glob(f"{workshop.scratch}/{kind}/*.changes"))
        said = workshop.run(
            "lintian",
            "--allow-root",
            "--fail-on",
            "error,warning",
            "-I",
            "--pedantic",
            "--suppress-tags",
            "initial-upload-closes-no-bugs",
            f"/scratch/{kind}/{changes}",
        )
        for line in said.splitlines():
            print(f"        | {line}")
        check(True, f"lintian -I --pedantic, {kind} packages: no errors, no warnings")


def module_in(workshop, folder):
    """The shipped module, unpacked."""
    trees.run("dpkg-deb", "-x", packages.named(folder, "libpam-nearmiss"), f"{workshop.scratch}/module")
    return glob.glob(f"{workshop.scratch}/module/usr/lib/*/security/pam_nearmiss.so")[0]


def stage(folders):
    versions()
    identical(folders)
    workshop = packages.Workshop()
    try:
        module = module_in(workshop, folders[0])
        sizes(folders[0], module)
        laboratory(folders[0])
        module_facts(workshop, module)
        no_foreign_paths(workshop, folders[0])
        lintian(workshop, folders[0])
    finally:
        workshop.close()
