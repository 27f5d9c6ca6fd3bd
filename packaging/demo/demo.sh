#!/bin/sh
# Builds module and tool, makes filters from the built-in lists, and lets the system's real libpam use them
# from a private folder: demo.py. Installs nothing and changes nothing outside the target folder and a
# temporary one.
set -eu
cd "$(dirname "$0")/../.."
command -v python3 >/dev/null || { echo "demo: needs python3 (apt-get install python3)" >&2; exit 2; }
cargo=${CARGO:-cargo}
tests/tools/builds.sh demo 1.85 cc
# The profile of the tests, which share what is compiled here: the whole program is not optimised at once,
# which takes most of the time of a first build and shows nothing in a demonstration.
"$cargo" build --profile test-fast -p pam-nearmiss -p filterctl
built=${CARGO_TARGET_DIR:-target}
words=$built/demo.filter
exact=$built/demo-exact.filter
"$built/test-fast/filterctl" build --common --output "$words"
"$built/test-fast/filterctl" build --everyday --match exact --false-rejection 0.0001 --output "$exact"
echo
exec python3 packaging/demo/demo.py "$built/test-fast/libpam_nearmiss.so" "$words" "$exact"
