#!/bin/sh
# formats.sh [FOLDER|source]: the packages of other distributions, built around the binaries of FOLDER
# (target/release) or from source, and what of them can be run on Debian. Needs root; changes nothing
# outside its cache folder.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
binaries=${1:-${CARGO_TARGET_DIR:-$here/../../target}/release}
[ "$binaries" = source ] || binaries=$(cd "$binaries" && pwd)
exec "$here/private.sh" formats.py "$binaries"
