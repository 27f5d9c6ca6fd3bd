#!/bin/sh
# private.sh PROGRAM ARGUMENT...: run a Python program of this folder in mount, PID, host name and IPC
# namespaces of its own, with /mnt in memory: whatever it mounts or starts ends with it, and the machine
# stays as it was. Without root, or where such namespaces cannot be made, it says so and does nothing.
set -eu
here=$(cd "$(dirname "$0")" && pwd)

skip() {
    echo "SKIPPED: the package tests: $1"
    exit 0
}

[ "$(id -u)" = 0 ] || skip "they need root: chroots and setuid programs"
for program in unshare chroot python3 apt-get dpkg-deb cargo; do
    command -v "$program" >/dev/null || skip "there is no $program here"
done
enter="unshare --mount --pid --fork --kill-child --uts --ipc --propagation private --mount-proc"
$enter true 2>/dev/null || skip "a mount namespace cannot be made here (unshare)"

program=$1
shift
export PYTHONDONTWRITEBYTECODE=1
exec $enter sh -c 'mount -t tmpfs -o mode=0755 none /mnt && exec "$@"' private python3 "$here/$program" "$@"
