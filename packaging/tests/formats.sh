#!/bin/sh
# formats.sh [FOLDER|source]: the packages of other distributions, built around the binaries of FOLDER
# (target/release) or from source, and what of them can be run on Debian. Needs root; changes nothing
# outside its cache folder.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
binaries=${1:-${CARGO_TARGET_DIR:-$here/../../target}/release}
for name in nearmiss-agent nearmiss-fetch servers/libnearmiss.so.1; do
    [ "$binaries" = source ] || [ -e "$binaries/$name" ] || {
        echo "formats.sh: there is no $binaries/$name: cargo build --release -p nearmiss-agent" \
            "-p nearmiss-fetch, packaging/servers.sh $binaries/servers" >&2
        exit 2
    }
done
[ "$binaries" = source ] || binaries=$(cd "$binaries" && pwd)
exec "$here/private.sh" formats.py "$binaries"
