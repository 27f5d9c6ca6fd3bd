#!/bin/sh
# make fleet-demo: a store of three servers on the loopback and two hosts in private mount namespaces. A
# password that is chosen again and again on host A is refused on host B. Changes nothing of this machine and
# stops all it starts: demo.py.
set -eu
cd "$(dirname "$0")/../../.."
[ "$(id -u)" = 0 ] || { echo "fleet-demo: needs root, for mount namespaces and the real passwd" >&2; exit 2; }
command -v python3 > /dev/null || { echo "fleet-demo: needs python3 (apt-get install python3)" >&2; exit 2; }
cargo=${CARGO:-cargo}
command -v "$cargo" > /dev/null || { echo "fleet-demo: needs cargo (https://rustup.rs)" >&2; exit 2; }
target=${CARGO_TARGET_DIR:-target}
unpacked=$target/unpacked
server=
for program in /usr/bin/valkey-server /usr/bin/redis-server "$unpacked/usr/bin/redis-server"; do
    if [ -e "$program" ] && [ -z "$server" ]; then server=$program; fi
done
[ -n "$server" ] || { echo "fleet-demo: needs redis-server (tests/tools/needs.sh unpacks it)" >&2; exit 2; }
# As the tests build them, which share what is compiled here.
"$cargo" build --profile test-fast -p pam-nearmiss -p filterctl
"$cargo" build --profile test-fast -p nearmiss-agent
export LD_LIBRARY_PATH="$unpacked/usr/lib/x86_64-linux-gnu"
exec python3 packaging/fleet/demo/demo.py "$server" "$target/test-fast" tests/tools/scenario.py
