#!/bin/sh
# enforcing.sh [FOLDER [apparmor|selinux]]: the rules of AppArmor and of SELinux, enforced by a kernel of
# Debian's that qemu starts, around libpam_nearmiss.so and filterctl of FOLDER (target/release). Needs root;
# changes nothing outside its cache folder.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/built.sh"
[ $# = 0 ] || shift
exec "$here/private.sh" enforcing.py "$binaries" "$@"
