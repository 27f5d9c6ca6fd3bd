#!/bin/sh
# make fleet-demo: a store of three servers on the loopback and two hosts in private mount namespaces. A
# password that is chosen again and again on host A is refused on host B. Changes nothing of this machine and
# stops all it starts: demo.py. The servers are this machine's, or unpacked beside the build and never
# installed.
set -eu
cd "$(dirname "$0")/../../.."
[ "$(id -u)" = 0 ] || { echo "fleet-demo: needs root, for mount namespaces and the real passwd" >&2; exit 2; }
command -v python3 > /dev/null || { echo "fleet-demo: needs python3 (apt-get install python3)" >&2; exit 2; }
cargo=${CARGO:-cargo}
tests/tools/builds.sh fleet-demo 1.88 cc
target=${CARGO_TARGET_DIR:-target}
unpacked=$PWD/target/unpacked
[ -e /usr/bin/valkey-server ] || tests/tools/unpack.sh store
server=
for program in /usr/bin/valkey-server /usr/bin/redis-server "$unpacked/usr/bin/redis-server"; do
    if [ -e "$program" ] && [ -z "$server" ]; then server=$program; fi
done
[ -n "$server" ] || {
    echo "fleet-demo: needs redis-server or valkey-server, which apt-get cannot fetch here" >&2
    exit 2
}
# As the tests build them, which share what is compiled here.
"$cargo" build --profile test-fast -p pam-nearmiss -p filterctl
"$cargo" build --profile test-fast -p nearmiss-agent
export LD_LIBRARY_PATH="$unpacked/usr/lib/x86_64-linux-gnu"
exec python3 packaging/fleet/demo/demo.py "$server" "$target/test-fast" tests/tools/scenario.py
