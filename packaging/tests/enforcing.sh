#!/bin/sh
# enforcing.sh [FOLDER [apparmor|selinux]]: the rules of AppArmor and of SELinux, enforced by a kernel of
# Debian's that qemu starts, around libpam_nearmiss.so and filterctl of FOLDER (target/release). Needs root;
# changes nothing outside its cache folder.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
binaries=${1:-${CARGO_TARGET_DIR:-$here/../../target}/release}
for name in libpam_nearmiss.so filterctl; do
    [ -e "$binaries/$name" ] && continue
    echo "enforcing.sh: there is no $binaries/$name; build it: cargo build --release" >&2
    exit 2
done
[ $# = 0 ] || shift
exec "$here/private.sh" enforcing.py "$(cd "$binaries" && pwd)" "$@"
