#!/bin/sh
# build.sh [CARGO-OPTION...]: builds in one go what the tests run, without the tests of what is shipped, and
# with the features that all members together ask for: cargo would compile a crate again for each other set,
# and replace what another test runs. Links libnearmiss.
set -eu
cd "$(dirname "$0")/../.."
built=${CARGO_TARGET_DIR:-$PWD/target}/test-fast
"${CARGO:-cargo}" build --workspace --exclude nearmiss-shipped-tests --profile test-fast \
    --lib --bins --tests --examples "$@"
crates/capi/link.sh "$built/libnearmiss.a" "$built/libnearmiss"
