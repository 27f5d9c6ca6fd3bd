#!/bin/sh
# servers.sh [FOLDER]: what sets passwords without pam_nearmiss (pam_pwquality through the drop-in, Samba,
# Kerberos, OpenLDAP, MariaDB, PostgreSQL) with the servers of Debian's packages, around the artefacts of
# FOLDER (target/servers-test, built here): libpam_nearmiss.so, filterctl, servers/ of packaging/servers.sh.
# Needs root; changes nothing outside its cache folder. ONLY="mit openldap" takes only these parts.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
binaries=${1:-}
if [ -z "$binaries" ]; then
    built=${CARGO_TARGET_DIR:-$top/target}
    binaries=$built/servers-test
    (cd "$top" && cargo build --release --quiet -p pam-nearmiss -p filterctl)
    CARGO_FLAGS=--quiet "$top/packaging/servers.sh" "$binaries/servers"
    cp "$built/release/libpam_nearmiss.so" "$built/release/filterctl" "$binaries/"
fi
for name in libpam_nearmiss.so filterctl servers/libnearmiss.so.1; do
    [ -e "$binaries/$name" ] || { echo "servers.sh: there is no $binaries/$name" >&2; exit 2; }
done
exec "$here/private.sh" servers.py "$(cd "$binaries" && pwd)"
