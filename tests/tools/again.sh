#!/bin/sh
# again.sh N [FILTER]   runs the end-to-end tests N times beside two busy loops for each processor: a test
# that fails by chance fails here. FILTER is a filter of cargo-nextest (`test(/^passwd::/)`). Exits 1 when
# anything failed.
set -u
cd "$(dirname "$0")/../.."
: "${CARGO:=cargo}"
runs=${1:-}
case $runs in '' | *[!0-9]* | 0)
    echo "usage: again.sh N [FILTER]" >&2
    exit 2
    ;;
esac
"$CARGO" nextest --version > /dev/null 2>&1 || { echo "again.sh: needs cargo-nextest" >&2; exit 2; }

loops=
# shellcheck disable=SC2086  # a list of numbers
stop() { [ -z "$loops" ] || kill $loops 2>/dev/null; }
trap stop EXIT
trap 'exit 130' HUP INT TERM

# What the tests use is built before there is load.
tests/tools/build.sh || exit 1
built=${CARGO_TARGET_DIR:-$PWD/target}/test-fast
number=0
while [ $number -lt $((2 * $(nproc))) ]; do
    # Even if this script is killed, none of them stays.
    setpriv --pdeathsig KILL sh -c 'while :; do :; done' &
    loops="$loops $!"
    number=$((number + 1))
done
NEARMISS_BUILT=$built "$CARGO" nextest run --workspace --exclude nearmiss-shipped-tests \
    --cargo-profile test-fast --stress-count "$runs" -E "${2:-package(nearmiss-tests)}"
