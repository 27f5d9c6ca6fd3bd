#!/bin/sh
# miri.sh: the boundary to C, played by miri, which finds undefined behaviour: an access outside of a block, a
# misaligned one, a pointer without the right to what it points to. Left out: all that opens a filter, since
# miri has no maps of files, and all that computes much, since it needs a thousand times as long.
set -eu
cd "$(dirname "$0")/../.."
: "${CARGO:=cargo}"

"$CARGO" +nightly miri --version > /dev/null 2>&1 || {
    echo "SKIPPED: miri is not installed (rustup +nightly component add miri rust-src)"
    exit 0
}
log=$(mktemp)
trap 'rm -f "$log"' EXIT
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-target}/miri"
for target in x86_64-unknown-linux-gnu s390x-unknown-linux-gnu i686-unknown-linux-gnu; do
    "$CARGO" +nightly miri test --target $target -p nearmiss-capi -p nearmiss-checker --lib \
        -- ffi::tests > "$log" 2>&1 && failed=0 || failed=$?
    cat "$log"
    awk -v what="the boundary to C by miri on $target" -f tests/tools/held.awk "$log" || failed=1
    [ "$failed" = 0 ] || exit 1
done
