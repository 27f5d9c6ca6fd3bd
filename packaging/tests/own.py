"""This machine's own Debian as what the short test's throw-away machines begin as: nothing of it is
downloaded.

It is made plain in memory, on an overlay: whatever PAM profiles, word lists and hooks of apt it has, the
tests see a Debian with pam_unix alone. The machine itself stays as it is.
"""

import os

import overlays
import trees

# What has to lie on the file system of /, which is the one an overlay shows.
NEEDED = ["/etc", "/usr", "/var", "/var/lib", "/var/lib/dpkg"]

PLAIN = """
set -e
printf '#!/bin/sh\\nexit 101\\n' > /usr/sbin/policy-rc.d
chmod 755 /usr/sbin/policy-rc.d
cat > /etc/apt/apt.conf.d/zz-no-hooks <<end
#clear DPkg::Pre-Invoke;
#clear DPkg::Post-Invoke;
#clear DPkg::Pre-Install-Pkgs;
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
end
rm -f /var/lib/man-db/auto-update
if [ -e /usr/sbin/filterctl ]; then dpkg --purge libpam-nearmiss nearmiss-tools; fi
rm -rf /usr/share/dict /usr/local/share/dict /etc/security/nearmiss*
rm -rf /var/lib/nearmiss /var/cache/nearmiss /etc/nearmiss
if getent group nearmiss >/dev/null; then groupdel nearmiss; fi
if id alice >/dev/null 2>&1; then userdel --force alice; fi
find /usr/share/pam-configs -type f ! -name unix -delete
# A change that is refused would wait two seconds, to slow down guessing.
sed -i 's/pam_unix\\.so/& nodelay/' /usr/share/pam-configs/unix
pam-auth-update --package --force
"""


def below():
    """The folders such a machine lies over."""
    for folder in NEEDED:
        if os.path.ismount(folder):
            raise trees.Unavailable(f"{folder} is a file system of its own here")
    plain = overlays.Overlay(["/"])
    made_inside(plain.root, "this Debian cannot be made plain", "sh", "-c", PLAIN)
    return [plain.upper, "/"]


def made_inside(root, otherwise, *command):
    """Runs a command in a root; says in one line what it means when that does not work."""
    try:
        trees.inside(root, *command)
    except trees.Unavailable as problem:
        raise trees.Unavailable(f"{otherwise}\n{problem}") from problem


def add_debhelper(root):
    """Fetched into the overlay where the machine has none: some 5 MB."""
    if os.path.exists(f"{root}/usr/bin/dh"):
        return
    install = ["apt-get", "install", *trees.APT_QUIET, "debhelper"]
    try:
        trees.inside(root, *install)
    except trees.Unavailable:
        missing = "debhelper is not installed and cannot be fetched"
        made_inside(root, missing, "apt-get", "update", "-q")
        made_inside(root, missing, *install)
