"""The Debian trees of the tests: debootstrapped once, kept in a cache folder, never written to again.

`base` is a minimal Debian, with the packages the tests install later already downloaded; `tools` adds what
builds and examines packages; `formats` adds what other distributions' packages are built with. `trixie` is
Debian 13, and `trixie-rust` has its compiler; `noble` is Ubuntu 24.04; `upgrade` is Debian 12 with servers
and what Debian 13 replaces them by, downloaded. All come from the mirror this
machine's apt is set up for, with package lists of their own: the machine itself is not changed.
"""

import fcntl
import hashlib
import os
import shutil
import subprocess

# Downloaded into `base`, installed by the scenarios.
COMPANIONS = ["wamerican", "wfrench", "libpam-pwquality", "cracklib-runtime", "libpam-passwdqc"]
TOOLS = ["debhelper", "dpkg-dev", "binutils", "gcc", "libc6-dev", "libpam0g-dev", "lintian", "python3"]
FORMATS = [
    "rpm",
    "makepkg",
    "pacman-package-manager",
    "libarchive-tools",
    "selinux-policy-dev",
    "selinux-policy-default",
    "checkpolicy",
    "policycoreutils",
    "semodule-utils",
    "setools",
    "apparmor",
    "nix-bin",
    "fakeroot",
]
# What sets passwords besides PAM, with what the tests ask it by.
SERVERS = [
    "libpam-pwquality",
    "libpwquality-tools",
    "python3-pwquality",
    "python3-cracklib",
    "libcrypt-cracklib-perl",
    "cracklib-runtime",
    "wamerican",
    "systemd",
    "samba-common-bin",
    "python3-samba",
    "samba-dsdb-modules",
    "samba-ad-provision",
    "samba-vfs-modules",
    "heimdal-clients",
    "heimdal-kdc",
    "slapd",
    "ldap-utils",
    "mariadb-server",
    "mariadb-plugin-cracklib-password-check",
    "389-ds-base",
    "openscap-scanner",
    "ssg-debian",
]
# A kernel with an emulator that starts it; and what confines programs on the machine that is started.
EMULATOR = ["qemu-system-x86", "linux-image-cloud-amd64", "tiny-initramfs", "e2fsprogs"]
CONFINED = ["apparmor", "selinux-policy-default", "policycoreutils", "python3", "pamtester"]
# What starts the units of our packages, and answers them.
BOOTED = ["systemd-sysv", "python3", "adduser", "ca-certificates"]
DATABASES = ["adduser", "mariadb-server", "mariadb-plugin-cracklib-password-check"]
# What a host has on which Ansible's modules run; and one that cloud-init sets up.
MANAGED = ["adduser", "python3", "python3-apt", "sudo"]
CLOUD = ["cloud-init"]
# What compiles nearmiss with a release's own Rust.
RUST = ["cargo", "rustc", "gcc", "libc6-dev", "libpam0g-dev", "pkgconf", "make"]
LAYERS = {
    "base": (None, []),
    "tools": ("base", TOOLS),
    "formats": ("tools", FORMATS),
    "servers": ("base", [*SERVERS, "postgresql-15"]),
    "trixie": (None, []),
    "servers-trixie": ("trixie", [*SERVERS, "postgresql-17"]),
    "trixie-rust": ("trixie", RUST),
    "noble": (None, []),
    "servers-noble": ("noble", [*DATABASES, "postgresql-16"]),
    "upgrade": ("servers", []),
    "managed": ("base", MANAGED),
    "managed-trixie": ("trixie", MANAGED),
    "managed-noble": ("noble", MANAGED),
    "cloud": ("managed", CLOUD),
    "cloud-trixie": ("managed-trixie", CLOUD),
    "cloud-noble": ("managed-noble", CLOUD),
    "emulator": ("base", EMULATOR),
    "confined": ("base", CONFINED),
    "booted": ("base", BOOTED),
    "booted-trixie": ("trixie", BOOTED),
}
# Layers with packages of the next release, downloaded: which release, and which packages.
NEXT = {"upgrade": ("trixie", ["mariadb-server"])}
# Layers of another release than this machine's.
RELEASES = {"trixie": "trixie", "noble": "noble"}
# Releases of Ubuntu.
UBUNTU = ["noble"]
UBUNTU_KEYRING = "/usr/share/keyrings/ubuntu-archive-keyring.gpg"

# What private.sh mounts: a folder in memory that this process alone sees.
SCRATCH = "/mnt"

APT_QUIET = [
    "-q",
    "-y",
    "--no-install-recommends",
    "-o",
    "Dpkg::Use-Pty=0",
    "-o",
    "APT::Sandbox::User=root",
]
APT_AS_ROOT = "-q -o APT::Sandbox::User=root"


class Unavailable(Exception):
    """The trees cannot be made here; says why."""


class Absent(Unavailable):
    """The mirror does not have this release; says what would help."""


def cache_folder():
    parent = os.environ.get("XDG_CACHE_HOME") or "/var/cache"
    return os.environ.get("NEARMISS_PACKAGE_CACHE") or os.path.join(parent, "nearmiss-package-test")


def run(*command, **options):
    """Runs a command quietly; shows what it said only when it fails."""
    done = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **options
    )
    if done.returncode != 0:
        raise Unavailable(
            f"{command[0]} failed with {done.returncode}: {' '.join(command)}\n{done.stdout[-3000:]}"
        )
    return done.stdout


class Apt:
    """This machine's apt with lists and archives of its own."""

    def __init__(self, folder):
        self.folder = folder
        for name in ["lists/partial", "archives/partial"]:
            os.makedirs(f"{folder}/{name}", exist_ok=True)
        self.options = [
            "-o",
            f"Dir::State::lists={folder}/lists",
            "-o",
            f"Dir::Cache={folder}",
            "-o",
            "APT::Sandbox::User=root",
            "-o",
            "Acquire::Languages=none",
        ]

    def get(self, *arguments, **options):
        return run("apt-get", "-q", *self.options, *arguments, **options)

    def mirror(self):
        """Address, code name and components of the Debian (or relative) that this machine runs."""
        with open("/etc/os-release", encoding="utf-8") as file:
            release = dict(line.strip().split("=", 1) for line in file if "=" in line)
        wanted = release.get("VERSION_CODENAME", "").strip('"')
        lines = self.get(
            "indextargets", "--format", "$(REPO_URI) $(CODENAME) $(COMPONENT)", "Created-By: Packages"
        )
        for line in lines.splitlines():
            address, _, rest = line.partition(" ")
            if rest == f"{wanted} main":
                return address, wanted
        raise Unavailable(f"apt on this machine has no source of '{wanted} main'")

    def acquire_options(self):
        """How this machine's apt reaches its mirror: proxies and the like."""
        lines = run("apt-config", "dump").splitlines()
        return "\n".join(line for line in lines if line.startswith("Acquire::http")) + "\n"


def debootstrap(apt):
    """The program's path and its folder; fetched, not installed, where the machine has none."""
    for program in ["wget", "gpgv"]:
        if not shutil.which(program):
            raise Unavailable(f"there is no {program} here, which debootstrap needs")
    installed = shutil.which("debootstrap")
    if installed:
        return installed, "/usr/share/debootstrap"
    target = f"{apt.folder}/debootstrap"
    if not os.path.exists(target):
        apt.get("download", "debootstrap", cwd=apt.folder)
        package = next(name for name in os.listdir(apt.folder) if name.startswith("debootstrap_"))
        run("dpkg-deb", "-x", f"{apt.folder}/{package}", target)
    return f"{target}/usr/sbin/debootstrap", f"{target}/usr/share/debootstrap"


def ubuntu_mirror(debian, release):
    """Ubuntu's archive: the one beside Debian's on the same mirror, unless another is named."""
    address = os.environ.get("NEARMISS_UBUNTU_MIRROR") or f"{os.path.dirname(debian.rstrip('/'))}/ubuntu"
    index = f"{address}/dists/{release}/InRelease"
    try:
        run("wget", "-q", "-O", "/dev/null", "--tries=2", "--timeout=20", index)
    except Unavailable as problem:
        raise Absent(f"there is no {index}; NEARMISS_UBUNTU_MIRROR names another mirror") from problem
    return address


def ubuntu_keyring(folder):
    """Ubuntu's keys: this machine's, or the ones in Debian 13's package of them."""
    if os.path.exists(UBUNTU_KEYRING):
        return UBUNTU_KEYRING
    target = f"{folder}/apt/ubuntu-keyring"
    if not os.path.isdir(target):
        debian = make("trixie", folder)
        archives = "var/cache/apt/archives"
        inside(debian, "apt-get", "update", "-q")
        inside(debian, "sh", "-c", f"cd /{archives} && apt-get download {APT_AS_ROOT} ubuntu-keyring")
        run("sh", "-c", f"dpkg-deb -x {debian}/{archives}/ubuntu-keyring_*.deb {target}")
    return f"{target}{UBUNTU_KEYRING}"


def make_base(tree, apt, release):
    address, own = apt.mirror()
    release, components = release or own, "main"
    program, folder = debootstrap(apt)
    settings = {**os.environ, "DEBOOTSTRAP_DIR": folder}
    options, script = ["--variant=minbase"], []
    if release in UBUNTU:
        address, components = ubuntu_mirror(address, release), "main universe"
        options += [f"--keyring={ubuntu_keyring(cache_folder())}", "--components=main,universe"]
        # All of Ubuntu's releases are made by the same script, which has the name of the first.
        script = [f"{folder}/scripts/gutsy"]
    run(program, *options, release, tree, address, *script, env=settings)
    write(f"{tree}/etc/apt/sources.list", f"deb {address} {release} {components}\n")
    write(f"{tree}/etc/apt/apt.conf.d/90mirror", apt.acquire_options())
    write(
        f"{tree}/etc/apt/apt.conf.d/91tests",
        'Acquire::Languages "none";\nBinary::apt-get::APT::Keep-Downloaded-Packages "1";\n',
    )
    write(f"{tree}/usr/sbin/policy-rc.d", "#!/bin/sh\nexit 101\n", 0o755)
    inside(tree, "apt-get", "clean")
    inside(tree, "apt-get", "update", "-q")
    for package in COMPANIONS:
        inside(tree, "apt-get", "install", *APT_QUIET, "--download-only", package)


def add_packages(tree, packages):
    """Nothing in these trees is started: their packages may not touch the running system."""
    inside(tree, "apt-get", "install", *APT_QUIET, *packages)
    inside(tree, "apt-get", "clean")


def add_next(tree, release, packages):
    """The sources of the next release, and its versions of these packages, downloaded."""
    address = read(f"{tree}/etc/apt/sources.list").split()[1]
    write(f"{tree}/etc/apt/sources.list", f"deb {address} {release} main\n")
    inside(tree, "apt-get", "update", "-q")
    inside(tree, "apt-get", "install", *APT_QUIET, "--download-only", *packages)


def inside(tree, *command):
    """Runs a command in a tree that is being made, with /proc and the machine's network."""
    script = (
        'mount -t proc proc "$0/proc" && '
        'cp --remove-destination -L /etc/resolv.conf "$0/etc/resolv.conf" && exec chroot "$0" "$@"'
    )
    environment = {
        "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
        "LC_ALL": "C",
        "DEBIAN_FRONTEND": "noninteractive",
        "HOME": "/root",
    }
    proxies = {key: value for key, value in os.environ.items() if key.lower().endswith("_proxy")}
    return run(
        "unshare",
        "-m",
        "--propagation",
        "private",
        "sh",
        "-c",
        script,
        tree,
        *command,
        env={**environment, **proxies},
    )


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def write(path, text, mode=0o644):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, mode)


def recipe_of(layer):
    """A name that changes with what the layer is made of."""
    parent, packages = LAYERS[layer]
    below = recipe_of(parent) if parent else "".join(COMPANIONS) + RELEASES.get(layer, "")
    following = NEXT.get(layer, "")
    return hashlib.sha256(f"1 {below} {packages}{following}".encode()).hexdigest()[:12]


def tree(layer):
    """The tree of this layer, made now where it is not there yet; one that is there waits for no other."""
    folder = cache_folder()
    if os.path.isdir(path_of(layer, folder)):
        return path_of(layer, folder)
    os.makedirs(folder, mode=0o755, exist_ok=True)
    with open(f"{folder}/lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        return make(layer, folder)


def path_of(layer, folder):
    return f"{folder}/{layer}-{recipe_of(layer)}"


def make(layer, folder):
    target = path_of(layer, folder)
    if os.path.isdir(target):
        return target
    parent, packages = LAYERS[layer]
    below = make(parent, folder) if parent else None
    print(f"    making the tree '{layer}' in {folder}, once", flush=True)
    scratch = f"{target}.new"
    remove(scratch)
    if below:
        run("cp", "-a", "--reflink=auto", below, scratch)
        if packages:
            add_packages(scratch, packages)
        if layer in NEXT:
            add_next(scratch, *NEXT[layer])
    else:
        apt = Apt(f"{folder}/apt")
        apt.get("update")
        make_base(scratch, apt, RELEASES.get(layer))
    os.rename(scratch, target)
    return target


def remove(path):
    """Removes a folder of ours, but never through a mount."""
    if os.path.lexists(path):
        run("rm", "-rf", "--one-file-system", path)
