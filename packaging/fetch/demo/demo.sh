#!/bin/sh
# make breach-demo: a server of ranges on the loopback, nearmiss-fetch, and one host in a private mount
# namespace. A leaked password is rejected; a later leak is fetched, and its owner reads so at the next login.
# Changes nothing of this machine and stops all it starts: demo.py.
set -eu
cd "$(dirname "$0")/../../.."
[ "$(id -u)" = 0 ] || { echo "breach-demo: needs root, for a namespace and the real passwd" >&2; exit 2; }
command -v python3 > /dev/null || { echo "breach-demo: needs python3 (apt-get install python3)" >&2; exit 2; }
cargo=${CARGO:-cargo}
tests/tools/builds.sh breach-demo 1.88 cc
# As the tests build them, which share what is compiled here.
"$cargo" build --profile test-fast -p pam-nearmiss -p filterctl -p nearmiss-fetch
exec python3 packaging/fetch/demo/demo.py "${CARGO_TARGET_DIR:-target}/test-fast" tests/tools/scenario.py
