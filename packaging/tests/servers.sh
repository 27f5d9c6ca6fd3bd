#!/bin/sh
# servers.sh [FOLDER]: what sets passwords without pam_nearmiss (pam_pwquality through the drop-in, Samba,
# Kerberos, OpenLDAP, MariaDB, PostgreSQL) with the servers of Debian's packages, around the artefacts of FOLDER
# (target/release): libpam_nearmiss.so, filterctl, and servers/ as packaging/servers.sh makes it. Needs
# root; changes nothing outside its cache folder. ONLY="mit openldap" takes only these parts.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
binaries=${1:-${CARGO_TARGET_DIR:-$here/../../target}/release}
for name in libpam_nearmiss.so filterctl servers/libnearmiss.so.1; do
    [ -e "$binaries/$name" ] || { echo "servers.sh: there is no $binaries/$name" >&2; exit 2; }
done
exec "$here/private.sh" servers.py "$(cd "$binaries" && pwd)"
