#!/bin/sh
# short.sh [FOLDER]: the short test of the Debian packages, around libpam_nearmiss.so and filterctl of FOLDER
# (target/release). Needs root; the Debian it runs in is this machine's own, on an overlay in memory:
# nothing is changed.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
binaries=${1:-${CARGO_TARGET_DIR:-$here/../../target}/release}
for name in libpam_nearmiss.so filterctl; do
    [ -e "$binaries/$name" ] && continue
    echo "short.sh: there is no $binaries/$name; build it: cargo build --release" >&2
    exit 2
done
exec "$here/private.sh" short.py "$(cd "$binaries" && pwd)"
